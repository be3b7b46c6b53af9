#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# convert_load.sh [SIDS]: convert as many live SIDs, 10000 by default, to
# seg6local_noref and back under traffic, once with all traffic around the
# SID whose turn it is, waiting for it, once as fast as it goes:
#
#	tools/lab/lab run -t 600 uml-fast -- tools/seg6noref/tests/convert_load.sh
#
#	src ---- in0 nr out0 ---- dst
#
# SIDs are fc10::N (see convert_frames.c), the last 200 of them by nexthop
# objects, the 200 before these over two next hops; fc20::/16 is behind dst.
set -u

here=$(cd "$(dirname "$0")" && pwd)
helper=${SEG6NOREF:-$here/../seg6noref}
load=$here/build/convert_load
sids=${1:-10000}
objects=200
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

setup() {
	local ns

	make -s -C "$here" build/convert_load || return
	for ns in src nr dst; do
		ip netns add $ns || return
		ip -n $ns link set lo up
	done
	ip -n nr link add in0 address 02:00:00:00:00:01 type veth \
		peer name e0 address 02:00:00:00:00:02 netns src
	ip -n nr link add out0 address 02:00:00:00:00:03 type veth \
		peer name e0 address 02:00:00:00:00:04 netns dst
	ip netns exec nr sysctl -qw net.ipv6.conf.all.forwarding=1
	# Addresses that come late would make dumps differ.
	ip -n nr link set in0 addrgenmode none
	ip -n nr link set out0 addrgenmode none
	ip -n nr link set in0 up
	ip -n nr link set out0 up
	ip -n src link set e0 up
	ip -n dst link set e0 up
	ip -n nr addr add fc11::1/64 dev in0 nodad
	ip -n nr addr add fc21::1/64 dev out0 nodad
	ip -n nr neigh add fc21::2 lladdr 02:00:00:00:00:04 dev out0
	ip -n nr -6 route add fc20::/16 via fc21::2 dev out0
	ip -n nr -6 route add fc20::/16 via fc21::2 dev out0 table 100
}

# Routes of the kernel's own encap: commands for ip -batch.
sids() {
	awk -v sids="$sids" -v objects=$objects 'BEGIN {
		split("End count|End.X nh6 fc21::2|End.T table 100 count|" \
		      "End.DX6 nh6 fc21::2|End.DT6 table main", action, "|")
		for (i = 0; i < 5; i++)
			print "nexthop add id " i + 1 " via fc11::2 dev in0" \
				encap(i)
		for (i = 0; i < sids; i++) {
			printf "route add fc10::%x:%x", i / 65536, i % 65536
			if (i >= sids - objects)
				print " nhid " i % 5 + 1
			else if (i >= sids - 2 * objects)
				print " nexthop via fc11::2 dev in0" encap(i) \
				      " nexthop via fc11::3 dev in0" encap(i)
			else
				print encap(i) " dev in0"
		}
	}
	function encap(i) { return " encap seg6local action " action[i % 5 + 1] }'
}

dump() {
	ip -n nr -6 -d route show table all
	ip -n nr -6 -d nexthop show
}

# The tally of the load is added to ours.
load() {
	echo "# $*"
	"$load" "$@" >"$dir/load" || :
	grep -v '^[0-9]* passed' "$dir/load" | sed -E 's/^((not )?ok) [0-9]+/\1/'
	passed=$((passed + $(grep -c '^ok' "$dir/load")))
	failed=$((failed + $(grep -c '^not ok' "$dir/load")))
	if ! grep -q '^[0-9]* passed' "$dir/load"; then
		failed=$((failed + 1))
		echo "not ok - the load ended early"
	fi
}

if ! setup || ! sids | ip -n nr -6 -batch -; then
	echo "Bail out: cannot set up"
	exit 1
fi
before=$(dump)
check 'routes to begin with' "$sids" \
	"$(grep -c '^unicast fc10::' <<<"$before")"
load "$sids" $objects "$helper" -n nr -d convert
check 'all are converted' 0 "$(dump | grep -c 'encap seg6local ')"
load "$sids" $objects "$helper" -n nr -d convert --to stock
check 'the dump is that of the beginning' '' \
	"$(diff <(echo "$before") <(dump) | head -n 10)"
load -a "$sids" $objects "$helper" -n nr convert
check 'all are converted' 0 "$(dump | grep -c 'encap seg6local ')"
load -a "$sids" $objects "$helper" -n nr convert --to stock
check 'the dump is that of the beginning' '' \
	"$(diff <(echo "$before") <(dump) | head -n 10)"
finish
