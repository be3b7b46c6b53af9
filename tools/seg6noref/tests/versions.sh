#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Our routes and stock ip of several releases (see stock_ip), as root on a kernel
# with the module:
#
#  - what the helper shows of them is what a newer ip shows of the same routes of
#    the kernel's own encap, but for its name
#  - every ip lists a table full of ours: with status 0, as valid JSON, with no
#    field of something else
#
#	namespaces "ours" and "its":
#	d0 (dummy)  d1 (dummy)  vrf100 (VRF, table 100)
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare_guest
trap 'umount "$dir/bpf"; rm -rf "$dir"' EXIT

h() { "$helper" -n ours -6 "$@"; }

namespace() {
	"$stock" netns add "$1" || return
	"$stock" -n "$1" -batch - <<-'END'
		link set lo up
		link add d0 type dummy
		link add d1 type dummy
		link add vrf100 type vrf table 100
		link set d0 up
		link set d1 up
		link set vrf100 up
		addr add fc01::1/64 dev d0 nodad
	END
	"$stock" netns exec "$1" sysctl -qw net.vrf.strict_mode=1
}

setup() {
	modprobe -a dummy vrf seg6local_noref || return
	namespace ours && namespace its || return
	# An ip that enters a namespace has a /sys of its own.
	mkdir "$dir/bpf" && mount -t bpf bpf "$dir/bpf" || return
	make -s -C "$here" BUILD="$dir" "$dir/bpf_pin" &&
		"$dir/bpf_pin" 19 "$dir/bpf/nop"
}

# Every action with all options that it uses in the kernel's own encap.
encaps() {
	sed "s,PINNED,$dir/bpf/nop," <<-'END'
		action End
		action End count
		action End flavors psp
		action End flavors next-csid
		action End flavors next-csid,psp lblen 48
		action End flavors next-csid nflen 24 count
		action End.X nh6 fc01::2
		action End.X nh6 fe80::1 oif d1
		action End.X nh6 :: count
		action End.X nh6 fc01::2 flavors next-csid lblen 40 nflen 8
		action End.X nh6 fc01::2 oif d1 flavors next-csid count
		action End.T table 100
		action End.T table main count
		action End.T table 4294967295
		action End.DX2 oif d1
		action End.DX2 oif if7777 count
		action End.DX6 nh6 ::
		action End.DX6 nh6 fc01::2 count
		action End.DX4 nh4 10.1.0.2
		action End.DX4 nh4 0.0.0.0 count
		action End.DT6 table 255
		action End.DT6 table 90 count
		action End.DT6 vrftable 100
		action End.DT6 vrftable 100 count
		action End.DT4 vrftable 100
		action End.DT4 vrftable 100 count
		action End.DT46 vrftable 100
		action End.DT46 vrftable 100 count
		action End.B6 srh segs fc02::1,fc02::2 count
		action End.B6 srh segs fc02::1 hmac 16
		action End.B6.Encaps srh segs fc02::1,fc02::2
		action End.B6.Encaps srh segs fc02::1 hmac 4294967295 count
		action End.BPF endpoint pinned PINNED
		action End.BPF endpoint pinned PINNED count
	END
}

# rest_of_route NUMBER: other words, so that all of them come with some encap
rest_of_route() {
	case $(($1 % 6)) in
	0) echo 'dev d0' ;;
	1) echo 'dev vrf100 metric 7 proto static' ;;
	2) echo 'via fc01::9 dev d0 mtu lock 1400 src fc01::1' ;;
	3) echo 'dev d1 via fe80::7 onlink pref high' ;;
	4) echo 'dev d0 proto bgp rtt 10ms hoplimit 9 features ecn' ;;
	5) echo 'via fc01::8 pref low expires 3000' ;;
	esac
}

# commands ENCAP: one a line
commands() {
	local encap n=0

	while IFS= read -r encap; do
		n=$((n + 1))
		echo "route add fc10:$n::/64 table 92 encap $1 $encap" \
			"$(rest_of_route $n)"
		echo "route add fc11:$n::/64 table 92" \
			"nexthop via fc01::2 dev d0 encap $1 $encap weight 3" \
			"nexthop via fc01::3 dev d0"
		echo "nexthop add id $n encap $1 $encap via fc01::2 dev d0"
		echo "route add fc12:$n::/64 table 92 nhid $n metric 5"
	done < <(encaps)
}

as_stock() {
	sed 's/seg6local_noref/seg6local/g'
}

# A second may pass between two listings.
but_seconds() {
	sed -E 's/(expires"?:? ?)[0-9]+/\1N/g'
}

# same VERSION IP OPTIONS OBJECT WORDS...
same() {
	local version=$1 ip=$2 opts=$3

	shift 3
	# shellcheck disable=SC2086
	check "as ip $version: ip $opts -6 $*" \
		"$("$ip" -n its -6 $opts "$@" 2>&1 | but_seconds)" \
		"$(h $opts "$@" 2>&1 | as_stock | but_seconds)"
}

outputs() {
	local version ip opts n

	commands seg6local_noref >"$dir/ours"
	commands seg6local >"$dir/its"
	expect 'all of ours' 0 '' h -batch "$dir/ours"
	while read -r version ip; do
		[[ $version = 5.* || $version = 6.1 ]] && continue
		"$ip" -n its -6 route flush table 92 2>/dev/null
		"$ip" -n its nexthop flush >/dev/null 2>&1
		expect "ip $version: all of its own" 0 '' \
			"$ip" -n its -6 -batch "$dir/its"
		for opts in '' -s -d -o -N '-s -d -N' '-h -s' '-iec -s' \
			    -j '-j -p' '-j -s' '-j -s -p' '-j -N'; do
			same "$version" "$ip" "$opts" route show table 92
			same "$version" "$ip" "$opts" route show table all \
				root fc10::/16
			same "$version" "$ip" "$opts" nexthop show
		done
		for n in 1 2 3; do
			same "$version" "$ip" '' nexthop show id $n
		done
	done < <("$here/stock_ip")
}

# What the kernel's own encap has among its fields, or another one's.
FIELDS='action|flavors|lblen|nflen|segs|vrftable|nh4|nh6|csum-mode|trace|mode|packets'

# listed VERSION IP COUNT: routes of ours, COUNT of them
listed() {
	local version=$1 ip=$2 count=$3 opts

	for opts in '' -s -d -o '-s -d -N'; do
		# shellcheck disable=SC2086
		"$ip" -n ours -6 $opts route show table 92 >"$dir/text" \
			2>"$dir/errors"
		check "ip $version: $opts route show: status" 0 $?
		check "ip $version: $opts route show: nothing else said" '' \
			"$(cat "$dir/errors")"
		check "ip $version: $opts route show: all of them" "$count" \
			"$(grep -c '^[^	]' "$dir/text")"
		check "ip $version: $opts route show: no garbage" '' \
			"$(grep -nwE "$FIELDS" "$dir/text"
			   LC_ALL=C grep -n '[^[:print:]	]' "$dir/text")"
		check "ip $version: $opts route show: the word" "$word" \
			"$(grep -o ' encap [^ ]*' "$dir/text" | sort -u |
				sed 's/.* //' | paste -sd ' ')"
	done
	for opts in -j '-j -p' '-j -s -d'; do
		# shellcheck disable=SC2086
		"$ip" -n ours -6 $opts route show table 92 >"$dir/json"
		check "ip $version: $opts route show: status" 0 $?
		check "ip $version: $opts route show: JSON" "$count $word" \
			"$(python3 "$here/listed.py" "$dir/json" 2>&1)"
	done
	"$ip" -n ours -6 nexthop show >"$dir/text" 2>&1
	check "ip $version: nexthop show: status" 0 $?
	check "ip $version: nexthop show: no garbage" '' \
		"$(grep -nwE "$FIELDS" "$dir/text")"
}

listings() {
	local version ip count word slot

	slot=$(cat /sys/module/seg6local_noref/parameters/encap_type)
	awk -v SEED=2 -v COUNT=500 -f "$here/routes.awk" |
		sed 's/ replace table / append table /' >"$dir/many"
	expect 'a table full of ours' 0 '' h -batch "$dir/many"
	count=$(h -o route show table 92 | wc -l)
	while read -r version ip; do
		case $slot:$version in
		9:5.*) word=unknown ;;
		9:*) word=ioam6 ;;
		8:*) word=rpl ;;
		3:*) word=ila ;;
		esac
		listed "$version" "$ip" "$count"
	done < <("$here/stock_ip")
}

if ! setup; then
	echo 'Bail out! cannot set up'
	exit 1
fi
check 'releases of ip' '5.10 6.1 6.15 7.3' \
	"$("$here/stock_ip" | sed 's/ .*//' | paste -sd ' ')"
[ "${1-}" = listings ] || outputs
listings
finish
