# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# host_routes.sh - selections, metrics, get and flush, each against the real ip;
# sourced by host.sh

# as_stock OPTIONS WORDS...: same output and status as the real ip
as_stock() {
	local opts=$1 want rc

	shift
	# shellcheck disable=SC2086
	want=$("$stock" -6 $opts "$@" 2>&1)
	rc=$?
	# shellcheck disable=SC2086
	expect "as stock: -6 $opts $*" $rc "$want" "$helper" -6 $opts "$@"
}

selections() {
	local words opts

	"$stock" link add v2 type veth peer name v3
	"$stock" link set v2 up
	"$stock" link set v3 up
	"$stock" addr add fc21::1/64 dev v2 nodad
	"$stock" -6 route add fc22::/64 via fc21::2 src fc21::1 table 60
	"$stock" -6 route add fc22::/48 via fc21::3 metric 5 table 60
	"$stock" -6 route add fc23::/64 from fc24::/64 dev v2 table 60
	"$stock" -6 route add fc23::/64 from fc24::/48 dev v2 table 60
	"$stock" -6 route add prohibit fc25::/64 table 60 proto static
	for words in '' 'via fc21::2' 'via inet6 fc21::2' 'via fc21::/120' \
		     'via fc2f::1' 'src fc21::1' 'src fc21::/64' 'src fc2f::1' \
		     'from fc24::/64' 'from exact fc24::/48' \
		     'fr root fc24::/16' 'from match fc24::1' 'from r ::/0' \
		     'type unicast' 'ty prohibit' 'type 7' 'type nope' \
		     'scope global' 'sc link' 'scope all' 'scope nope' \
		     'proto all' 'proto static' 'proto nope' 'pri 5' \
		     'preference 5' 'metric x' 'root fc22::/16' 'ro fc22::/60' \
		     'm fc22::1' 'e fc22::/64' 'to e fc22::/64' 'to fc22::/64' \
		     'via x' 'dev v2 via fc21::2' \
		     'dev nope'; do
		for opts in '' -d -j; do
			# shellcheck disable=SC2086
			as_stock "$opts" route show table 60 $words
		done
	done
	as_stock '' route show table 61
	as_stock '' route show vrf v2
}

# What one adds, the other shows in the same way; and it can be typed back.
metrics() {
	local words shown n=0

	for words in 'rtt 10ms' 'rtt 1.5s' 'rtt 77' 'rtt lock 1234ms' \
		     'rttvar 3sec' 'rttvar 7' 'rto_min 40ms' 'rto_min 3' \
		     'features ecn' 'congctl reno' 'congctl lock cubic' \
		     'hoplimit 255' 'hoplimit lock 0' 'mtu 65520' 'advmss 65495' \
		     'window lock 5 cwnd 6 initcwnd 7 initrwnd 8 reordering 9' \
		     'quickack 1 fastopen_no_cookie 1 ssthresh 2' \
		     'rtt 999ms rttvar 1000ms rto_min 60s features ecn mtu 1400'; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		"$stock" -6 route add "fc30:$n::/64" dev v2 $words table 62
		"$stock" -6 nexthop replace id 62 dev v2
		# shellcheck disable=SC2086
		expect "metrics: $words: ours" 0 '' "$helper" route add \
			"fc31:$n::/64" $words nhid 62 table 62
		shown=$("$stock" -6 route show "fc31:$n::/64" table 62)
		check "metrics: $words: as stock has it" \
			"$("$stock" -6 route show "fc30:$n::/64" table 62)" \
			"$(sed 's/fc31/fc30/; s/ nhid 62//' <<<"$shown")"
		as_stock '' route show "fc31:$n::/64" table 62
		as_stock '-j -p' route show "fc31:$n::/64" table 62
		# The device comes with the object.
		# shellcheck disable=SC2086
		expect "metrics: $words: typed back" 2 \
			'RTNETLINK answers: File exists' "$helper" route add \
			table 62 ${shown/dev v2 /}
	done
	for words in 'hoplimit 256' 'rtt 5parsecs' 'features nope' \
		     'congctl nope' 'congctl' 'mtu lock'; do
		# shellcheck disable=SC2086
		expect "metrics: $words: status" \
			"$("$stock" -6 route add fc32::/64 dev v2 $words \
				2>/dev/null; echo $?)" \
			"$("$helper" -6 route add fc32::/64 nhid 62 $words 2>&1)" \
			"$helper" -6 route add fc32::/64 nhid 62 $words
	done
}

gets() {
	local words want rc

	"$stock" -6 route add fc26::/64 via fc21::2 mtu 1400 metric 7
	for words in fc21::9 'to fc21::9' 'fc21::9 from fc21::1' \
		     'fc21::9 iif v2' 'fc21::9 ii v2' 'fc26::1' 'fc26::1/64' \
		     'fc26::1 oif v3' 'fc26::1 o v2' 'dev v2 fc26::1' \
		     'fibmatch fc26::1' 'fc26::1 mark 7' 'fc26::1 uid 0' \
		     'fc26::1 ipproto tcp sport 5 dport 6' \
		     'fc26::1 ipproto 6 sp 5 dp 6' ::1 fc21::1 fc22::1 '' \
		     'fc26::1 oif nope' 'fc26::1 mark x' 'fc26::1 sport 65536' \
		     'fc26::1 vrf v2' 10.0.0.1x; do
		# shellcheck disable=SC2086
		as_stock '' route get $words
		# shellcheck disable=SC2086
		as_stock -d route get $words
	done
	as_stock -j route get fc26::1
	as_stock '-j -p' route get fc26::1
	"$stock" -6 route add fc27::1 encap seg6local action End.T table 5 dev v2
	expect 'get: our encap' 0 \
		"$("$stock" -6 route get fc27::1 | as_ours |
			sed 's/action End.T table 5 //')" \
		"$helper" -6 route get fc27::1
	expect 'get: our encap, through ip' 0 \
		"$("$helper" -6 route get fc27::1)" wrapped route get fc27::1
	expect 'get: our encap, through a batch of ip' 0 \
		"$("$helper" -6 -d route get fc27::1)" \
		eval 'echo route get fc27::1 | wrapped -d -batch -'
	for words in fc26::1 'fc26::1 oif v3' fc2f::1 'fc26::1 as x' '' x; do
		# shellcheck disable=SC2086
		want=$("$stock" -6 -d route get $words 2>&1)
		rc=$?
		# shellcheck disable=SC2086
		expect "get: another one, through ip: $words" $rc "$want" \
			wrapped -6 -d route get $words
	done
}

left_in() {
	"$stock" -6 route show table "$1" 2>&1 | sed 's/ .*//' | paste -sd ' '
}

flushes() {
	expect 'flush: nothing given' \
		"$("$stock" -6 route flush 2>/dev/null; echo $?)" \
		'"route flush" requires arguments.' "$helper" -6 route flush
	as_stock '' route flush table 61
	"$stock" -6 route add fc28::/64 table 60 \
		nexthop via fc21::2 dev v2 nexthop via fc21::3 dev v2
	"$stock" -6 route add fc28:1::/64 nhid 62 table 60
	"$stock" -6 route add fc28:2::1 encap seg6local action End dev v2 \
		table 60
	"$stock" -6 route append fc28:2::1 dev v3 table 60
	expect 'flush: by prefix' 0 '' "$helper" route flush table 60 fc22::/48
	check 'flush: by prefix: the rest' \
		'fc22::/64 fc23::/64 fc23::/64 prohibit fc28::/64 nexthop nexthop fc28:1::/64 fc28:2::1 fc28:2::1' \
		"$(left_in 60 | tr -d '\t')"
	expect 'flush: by device' 0 '' "$helper" route flush table 60 dev v3
	check 'flush: by device: the rest' \
		'fc22::/64 fc23::/64 fc23::/64 prohibit fc28::/64 nexthop nexthop fc28:1::/64 fc28:2::1' \
		"$(left_in 60 | tr -d '\t')"
	expect 'flush: reports' 0 "
*** Round 1, deleting 7 entries ***
*** Flush is complete after 1 round ***" "$helper" -s route flush table 60
	check 'flush: nothing is left' '' "$(left_in 60)"
	expect 'flush: nothing to do' 0 'Nothing to flush.' \
		"$helper" -s route flush table 60
	"$stock" -6 route add fc29::1 dev v2 table 60
	expect 'flush: reports each' 0 "fc29::1 dev v2 metric 1024 pref medium

*** Round 1, deleting 1 entries ***
*** Flush is complete after 1 round ***" "$helper" -s -s route flush table 60
	"$stock" -6 route add fc29::1 dev v2 table 60
	check 'flush: reports as stock' \
		"$("$stock" -6 -s -s route flush table 60)" \
		"$("$stock" -6 route add fc29::1 dev v2 table 60
		   "$helper" -s -s route flush table 60)"
}
