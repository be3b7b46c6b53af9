# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# ops_ready.sh - what seg6noref check finds; sourced by ops.sh

# Set sysctls of the router.
set_sysctl() {
	ip netns exec nr sysctl -qw "$@"
}

# finds NAME PATTERN...: check says it is not ready and why, which is all that
# it has to complain of; good NAME: it says it is ready.
finds() {
	local name=$1 out rc

	shift
	out=$(h check 2>&1)
	rc=$?
	check "check: $name: status" 1 $rc
	check "check: $name: alone" $# "$(grep -c ^PROBLEM <<<"$out")"
	for pattern; do
		check "check: $name: said" "$pattern" \
			"$(grep -o "^PROBLEM $pattern" <<<"$out" |
				sed 's/^PROBLEM //')"
	done
	check "check: $name: what to do" $# "$(grep -A1 ^PROBLEM <<<"$out" |
		grep -c '^        to do: ')"
}

good() {
	local out

	out=$(h check 2>&1)
	check "check: $1" 'Ready. 0' "$(tail -n 1 <<<"$out") $?"
	check "check: $1: no problem" 0 "$(grep -c ^PROBLEM <<<"$out")"
}

# hint NAME PATTERN: ready, with that to be noted.
hint() {
	check "check: $1" "$2" "$(h check | grep -o "^note  *$2" |
		sed 's/^note *//')"
}

ready_module() {
	mkdir -p "$dir/none"
	printf '#!/bin/sh\nexit 1\n' >"$dir/none/modprobe"
	chmod +x "$dir/none/modprobe"
	unload
	good 'the module can be loaded'
	check 'check: it is not loaded for that' '' \
		"$(grep ^seg6local_noref /proc/modules)"
	PATH=$dir/none:$PATH finds 'there is no module' \
		'module: seg6local_noref is not there for this kernel'
}

ready_forwarding() {
	set_sysctl net.ipv6.conf.all.forwarding=0
	finds 'IPv6 forwarding' 'forwarding IPv6: IPv6 packets are not forwarded: net.ipv6.conf.all.forwarding is 0'
	set_sysctl net.ipv6.conf.all.forwarding=1
	set_sysctl net.ipv6.conf.d1.forwarding=0
	hint 'a device that does not forward' 'forwarding IPv6: on, but not for d1'
	set_sysctl net.ipv6.conf.all.forwarding=1
	set_sysctl net.ipv4.conf.all.forwarding=0
	good 'IPv4 does not matter without End.DX4'
	h route add fc00::4 "${E[@]}" End.DX4 nh4 0.0.0.0 dev d0
	finds 'IPv4 forwarding' 'forwarding IPv4: IPv4 packets are not forwarded: net.ipv4.conf.all.forwarding is 0'
	set_sysctl net.ipv4.conf.all.forwarding=1
	set_sysctl net.ipv4.conf.d1.rp_filter=1
	finds 'strict reverse paths' 'rp_filter: strict on d1'
	set_sysctl net.ipv4.conf.d1.rp_filter=2
	hint 'loose reverse paths' 'rp_filter: loose on d1'
	set_sysctl net.ipv4.conf.d1.rp_filter=0 net.ipv4.conf.all.rp_filter=1
	finds 'strict reverse paths for all' 'rp_filter: strict on d0, d1, vrf100'
	set_sysctl net.ipv4.conf.all.rp_filter=0
	good 'End.DX4'
}

ready_vrf() {
	h route add fc00::46 "${E[@]}" End.DT46 vrftable 100 dev d0
	good 'End.DT46'
	set_sysctl net.vrf.strict_mode=0
	finds 'VRF strict mode' 'vrf: SIDs have a vrftable, and net.vrf.strict_mode is not 1'
	set_sysctl net.vrf.strict_mode=1
	s link del vrf100
	finds 'no VRF' 'vrf: no VRF has table 100'
	h route del fc00::46
}

ready_sids() {
	h route add fc00::9 "${E[@]}" End dev lo
	finds 'a SID on lo' 'loopback: fc00::9/128'
	h route del fc00::9
	s route add fc00::9 "${S[@]}" End dev lo
	finds 'one of the kernel on lo' 'loopback: fc00::9/128'
	s route del fc00::9
	h route add fc01::1 "${E[@]}" End dev d0
	finds 'a SID that is an address' 'address: fc01::1/128 is an address of this machine'
	h route del fc01::1
	s route add fc00::7 "${S[@]}" End dev d0
	hint 'SIDs of the kernel' "routes: 1 of 3 SIDs go by the kernel's own seg6local"
	s route del fc00::7
	set_sysctl net.ipv6.conf.d0.seg6_require_hmac=1
	hint 'HMAC' 'hmac: required on d0'
	set_sysctl net.ipv6.conf.d0.seg6_require_hmac=0
}

ready_mtu() {
	h route add fc00::b6 "${E[@]}" End.B6.Encaps srh segs fc02::1,fc02::2 \
		dev d0
	good 'End.B6.Encaps'
	check 'check: what End.B6.Encaps leaves' 1420 \
		"$(h check | sed -n 's/^ok *mtu: .*longer than //p')"
	s link set d1 mtu 1359
	finds 'a narrow device' \
		'mtu: fc00::b6/128 makes packets 80 octets longer, and d1 carries 1359'
	s link set d1 mtu 1360
	good 'just wide enough'
	h route del fc00::b6
	h route add fc00::b6 "${E[@]}" End.B6 srh segs fc02::1 hmac 7 dev d0
	s link set d1 mtu 1359
	finds 'a policy with HMAC' 'mtu: fc00::b6/128 makes packets 80 octets'
}

ready_group() {
	local i

	set_sysctl net.ipv6.conf.all.forwarding=1 \
		net.ipv4.conf.all.rp_filter=0
	for i in d0 d1 vrf100; do
		set_sysctl net.ipv4.conf.$i.rp_filter=0
	done
	ready_module
	h route add fc00::1 "${E[@]}" End dev d0
	good 'the module is loaded'
	ready_forwarding
	ready_vrf
	ready_sids
	ready_mtu
	check 'check: JSON' 'problem mtu 1' "$(h -j check | python3 -c '
import json, sys
d = json.load(sys.stdin)
bad = [c for c in d["checks"] if c["state"] != "ok"]
print(bad[0]["state"], bad[0]["check"], d["problems"])')"
	expect 'check: a wrong word' 255 \
		'Error: argument "x" is wrong: no such word here' h check x
}
