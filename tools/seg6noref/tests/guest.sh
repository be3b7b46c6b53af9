#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# seg6noref against the real module: run as root on a kernel that has it, e.g.
#
#	tools/lab/lab run debian-6.1 -- tools/seg6noref/tests/guest.sh
#
# One router, configured only; no packet flows.
#
#	namespace "nr":  d0 (dummy)  d1 (dummy)  vrf100 (VRF, table 100)
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare_guest

# shellcheck source-path=SCRIPTDIR source=guest_actions.sh
. "$here/guest_actions.sh"
# shellcheck source-path=SCRIPTDIR source=guest_refusals.sh
. "$here/guest_refusals.sh"
# shellcheck source-path=SCRIPTDIR source=guest_hops.sh
. "$here/guest_hops.sh"
# shellcheck source-path=SCRIPTDIR source=guest_many.sh
. "$here/guest_many.sh"

# The helper under its other name, and the name of the encap in stock words.
h() { "$helper" -n nr -6 "$@"; }
w() { wrapped -n nr -6 "$@"; }

setup() {
	modprobe dummy && modprobe vrf || return
	"$stock" netns add nr || return
	"$stock" -n nr link set lo up
	"$stock" -n nr link add d0 type dummy
	"$stock" -n nr link add d1 type dummy
	"$stock" -n nr link add vrf100 type vrf table 100
	"$stock" -n nr link set d0 up
	"$stock" -n nr link set d1 up
	"$stock" -n nr link set vrf100 up
	"$stock" -n nr addr add fc01::1/64 dev d0 nodad
	ip netns exec nr sysctl -qw net.vrf.strict_mode=1
}

# NAME, words behind the prefix, what show prints there, words to select it.
roundtrip() {
	local name=$1 words=$2 shown=$3 where=${4:-} prefix=fc00::77

	# shellcheck disable=SC2086
	expect "$name: add" 0 '' h route add $prefix $words
	# shellcheck disable=SC2086
	expect "$name: show" 0 "$prefix  encap seg6local_noref $shown" \
		h route show $prefix $where
	# shellcheck disable=SC2086
	expect "$name: show through ip" 0 \
		"$prefix  encap seg6local_noref $shown" \
		w route show $prefix $where
	# shellcheck disable=SC2086
	expect "$name: del" 0 '' h route del $prefix $words
	# shellcheck disable=SC2086
	expect "$name: gone" 0 '' h route show $prefix $where
}

E=(encap seg6local_noref action)
M='metric 1024 pref medium'

roundtrips() {
	roundtrip End "${E[*]} End dev d0" "action End dev d0 $M"
	roundtrip 'End, dev first' "dev d0 ${E[*]} End" "action End dev d0 $M"
	roundtrip 'End count' "${E[*]} End count dev d0" "action End dev d0 $M"
	roundtrip 'options before action' \
		"encap seg6local_noref count table 7 action End.T dev d0" \
		"action End.T table 7 dev d0 $M"
	roundtrip End.X "${E[*]} End.X nh6 fc01::2 dev d0" \
		"action End.X nh6 fc01::2 dev d0 $M"
	roundtrip 'End.X oif' "${E[*]} End.X nh6 fe80::1 oif d1 dev d0" \
		"action End.X nh6 fe80::1 oif d1 dev d0 $M"
	roundtrip End.T "${E[*]} End.T table main dev d0" \
		"action End.T table main dev d0 $M"
	roundtrip End.DX6 "${E[*]} End.DX6 nh6 :: dev d0" \
		"action End.DX6 nh6 :: dev d0 $M"
	roundtrip End.DX4 "${E[*]} End.DX4 nh4 0.0.0.0 dev d0" \
		"action End.DX4 nh4 0.0.0.0 dev d0 $M"
	roundtrip End.DT6 "${E[*]} End.DT6 table 255 dev d0" \
		"action End.DT6 table local dev d0 $M"
	roundtrip End.DT4 "${E[*]} End.DT4 vrftable 100 dev vrf100" \
		"action End.DT4 vrftable 100 dev vrf100 $M"
	roundtrip 'metric proto via mtu' \
		"metric 9 proto static via fc01::9 ${E[*]} End mtu 1400 dev d0" \
		"action End via fc01::9 dev d0 proto static metric 9 mtu 1400 pref medium"
	roundtrip 'vrf NAME' "vrf vrf100 ${E[*]} End dev d0" \
		"action End dev d0 $M" 'vrf vrf100'
	roundtrip 'pref onlink' "${E[*]} End via fe80::7 dev d1 onlink pref high" \
		"action End via fe80::7 dev d1 metric 1024 onlink pref high"
}

verbs() {
	expect 'replace creates' 0 '' h route replace fc00::8 "${E[@]}" End dev d0
	expect 'add refuses a duplicate' 2 \
		'RTNETLINK answers: File exists' h route add fc00::8 "${E[@]}" End dev d0
	expect 'replace replaces' 0 '' \
		h route replace fc00::8 "${E[@]}" End.T table 5 dev d0
	expect 'one route after replace' 0 \
		"fc00::8  encap seg6local_noref action End.T table 5 dev d0 $M" \
		h route show fc00::8
	expect 'test of what is there' \
		"$("$stock" -n nr -6 route add fc00::8 dev d0 table 77 \
			encap seg6local action End
		   "$stock" -n nr -6 route test fc00::8 dev d0 table 77 \
			encap seg6local action End 2>/dev/null; echo $?)" \
		'RTNETLINK answers: File exists' \
		h route test fc00::8 "${E[@]}" End.T table 5 dev d0
	"$stock" -n nr -6 route flush table 77
	expect 'change' 0 '' h route change fc00::8 "${E[@]}" End dev d0
	expect 'append' 0 '' h route append fc00::8 "${E[@]}" End dev d1
	expect 'two routes after append' 0 \
		"fc00::8  encap seg6local_noref action End dev d0 $M
fc00::8  encap seg6local_noref action End dev d1 $M" h route show fc00::8
	expect 'del by device' 0 '' h route del fc00::8 "${E[@]}" End dev d1
	expect 'del without encap' 0 '' h route del fc00::8
	expect 'del of nothing' 2 'RTNETLINK answers: No such process' \
		h route del fc00::8 "${E[@]}" End dev d0
	expect 'change of nothing' 2 \
		'Error: Can not replace route - no match found.' \
		h route change fc00::8 "${E[@]}" End dev d0
}

counters() {
	h route add fc00::a "${E[@]}" End count dev d0
	expect 'counters with -s' 0 \
		"fc00::a  encap seg6local_noref action End packets 0 bytes 0 errors 0 dev d0 $M" \
		h -s route show fc00::a
	expect 'counters with -s through ip' 0 \
		"fc00::a  encap seg6local_noref action End packets 0 bytes 0 errors 0 dev d0 $M" \
		w -s route show fc00::a
	expect 'JSON' 0 \
		'[{"dst":"fc00::a","encap":{"encap_type":"seg6local_noref","action":"End","stats64":{"packets":0,"bytes":0,"errors":0}},"dev":"d0","metric":1024,"flags":[],"pref":"medium"}]' \
		h -s -j route show fc00::a
	expect 'JSON through ip' 0 "$(h -s -j route show fc00::a)" \
		w -s -j route show fc00::a
	expect 'pretty JSON through ip' 0 "$(h -s -j -p route show fc00::a)" \
		w -s -j -p route show fc00::a
	h route del fc00::a
}

# Our routes among others: as stock ip lists them, our encap put in.
listing() {
	local slot word args

	slot=$(cat /sys/module/seg6local_noref/parameters/encap_type)
	h route add fc00::b "${E[@]}" End dev d0
	h route add fc00::c/126 "${E[@]}" End.T table 9 dev d0 table 90
	h route add fc00::d via fc01::2 metric 5 "${E[@]}" End.DT6 table main
	"$stock" -n nr -6 route add fc00::b/127 dev d1
	"$stock" -n nr -6 route add fc02::/64 via fc01::5 proto static
	"$stock" -n nr -6 route add fc03::1 encap seg6 mode encap segs fc00::1 dev d0
	"$stock" -n nr -6 route add unreachable fc04::/64
	word=$("$stock" -n nr -6 route show fc00::b | sed 's/.*encap //; s/ .*//')
	expect 'stock ip shows a harmless word' 0 \
		"fc00::b  encap $word dev d0 $M" \
		"$stock" -n nr -6 route show fc00::b
	note "slot $slot, in stock words: $word"
	for args in '' 'table all' 'table 90' 'dev d0' 'via fc01::2' \
		    'root fc00::/16' 'match fc00::c table 90' 'proto static' \
		    'table all type local' 'metric 5'; do
		for opts in '' -d -o -N -s -c; do
			# shellcheck disable=SC2086
			same_but_encap "$word" "$opts" $args
		done
	done
	expect 'without -6, table all' 0 \
		"fc00::b  encap seg6local_noref action End dev d0 $M" \
		wrapped -n nr route show table all fc00::b
	expect 'other families are the real one'\''s' 0 '' wrapped -n nr -4 route
	expect 'exit status of the real ip' 1 \
		"$("$stock" -n nr -6 route show bogus fc00::1 2>&1)" \
		w route show bogus fc00::1
	expect 'through ip, add' 0 '' w route add fc00::e/128 "${E[@]}" End count dev d0
	expect 'through ip, bare' 0 "$(h route show table main | plain_others)" \
		w route
	expect 'through ip, get' 0 "$(h route get fc00::d)" w route get fc00::d
	check 'through ip, get: decoded' 1 \
		"$(w route get fc00::d | grep -c 'action End.DT6 table main')"
	expect 'stock del' 0 '' "$stock" -n nr -6 route del fc00::e
	expect 'stock flush' 0 '' "$stock" -n nr -6 route flush fc00::b
}

# The helper's own listing knows no other encap's fields; stock does.
plain_others() {
	sed 's/encap seg6 dev/encap seg6 mode encap segs 1 [ fc00::1 ] dev/'
}

same_but_encap() {
	local word=$1 opts=$2 want got

	shift 2
	# shellcheck disable=SC2086
	want=$("$stock" -n nr -6 $opts route show "$@")
	# shellcheck disable=SC2086
	got=$(w $opts route show "$@" |
	      sed "s/ encap seg6local_noref action [^ ]* \(table [^ ]* \)\?/ encap $word /")
	check "as stock but for the encap: ip $opts route show $*" \
		"$want" "$got"
}

if ! setup; then
	echo "Bail out: cannot set up"
	exit 1
fi
expect 'show without the module' 0 "$("$stock" -n nr -6 route show)" \
	h route show
expect 'module is loaded on demand' 0 '' h route add fc00::1 "${E[@]}" End dev d0
expect 'and removed' 0 '' h route del fc00::1
roundtrips
verbs
counters
actions
policies
flavors
programs
objects_of_bpf
refusals
multipath
multipath_large
objects
batches
many
listing
"$stock" netns del nr
"$here/userns.sh" || failed=$((failed + 1))
finish
