# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# ops_stats.sh - what seg6noref stats shows; sourced by ops.sh

# stats_json EXPRESSION: of the object d
stats_json() {
	h -j stats | python3 -c "import json, sys
d = json.load(sys.stdin)
print($1)"
}

# A host beside the router: "ping" of a SID is a packet without an SRH.
stats_peer() {
	"$stock" netns add p
	s link add d2 type veth peer name e0 netns p
	s link set d2 up
	s addr add fc05::1/64 dev d2 nodad
	"$stock" -n p link set e0 up
	"$stock" -n p addr add fc05::2/64 dev e0 nodad
	"$stock" -n p -6 route add default via fc05::1
	ip netns exec nr sysctl -qw net.ipv6.conf.all.forwarding=1
}

stats_group() {
	local slot=/sys/module/seg6local_noref/parameters/encap_type

	unload
	expect 'stats: without the module' 0 \
		'module seg6local_noref not loaded
total sids 0 counting 0 packets 0 bytes 0 errors 0 ' h stats
	stats_peer
	h route add fc00::1 "${E[@]}" End count dev d2
	h route add fc00::2 table 90 "${E[@]}" End.T table 100 dev d2
	h route add fc00::3 table 90 nexthop via fc05::7 dev d2 "${E[@]}" End \
		count nexthop via fc05::8 dev d2 "${E[@]}" End.T table 7
	s route add fc00::4 "${S[@]}" End count dev d2
	ip netns exec p ping -6 -q -c 2 -i 0.2 -W 1 fc00::1 >/dev/null
	expect_match 'stats: module' 0 \
		"module seg6local_noref version [0-9.]+ srcversion [0-9A-F]+ abi [0-9]+ slot $(cat $slot) users [0-9]+ " \
		h stats
	check 'stats: parameter' "parameter encap_type $(cat $slot)" \
		"$(h stats | grep 'parameter encap_type')"
	check 'stats: SIDs that count' \
'sid fc00::3 table 90 metric 1024 action End packets 0 bytes 0 errors 0 
sid fc00::1 table main metric 1024 action End packets 0 bytes 0 errors 2 ' \
		"$(h stats | grep '^sid')"
	check 'stats: all of them' \
		'total sids 4 counting 2 packets 0 bytes 0 errors 2 ' \
		"$(h stats | grep '^total')"
	check 'stats: a selection' \
		'total sids 3 counting 1 packets 0 bytes 0 errors 0 ' \
		"$(h stats table 90 | grep '^total')"
	check 'stats: drops' 'drop_no_srh 2' "$(h stats | grep drop_no_srh |
		sed 's/ $//')"
	check 'stats: every line of the kernel' '' \
		"$(diff <(ip netns exec nr cat /proc/net/seg6local_noref) \
		        <(h stats | grep -E '^[a-z_0-9]+ [0-9]+ $' |
			  sed 's/ $//'))"
	check 'stats: JSON' "2 2 2 1 $(cat $slot)" \
		"$(stats_json 'd["counters"]["drop_no_srh"],
			len(d["sids"]), d["sids"][1]["errors"],
			d["module"]["abi"], d["module"]["slot"]' |
		   tr -d '(),')"
	check 'stats: JSON, parameters' "$(cat $slot)" \
		"$(stats_json 'd["module"]["parameters"]["encap_type"]')"
	"$stock" netns del p
}
