# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# ops_monitor.sh - events of routes and nexthop objects; sourced by ops.sh

# watch NAME COMMAND...: its output goes to a file until unwatch; it listens
# from when it has shown an event that is made for that.  COMMAND is a program, so
# that it can be killed.
watch() {
	local name=$1 i

	shift
	"$@" >"$dir/$name" 2>&1 &
	watched+=($!)
	for ((i = 0; i < 100; i++)); do
		s route add fc00:ffff::1 dev d0
		s route del fc00:ffff::1
		grep -q fc00:ffff::1 "$dir/$name" && return
		sleep 0.1
	done
}

# End all after a last event that each has shown.
unwatch() {
	local name i

	s route add fc00:fffe::1 dev d0
	s route del fc00:fffe::1
	for name; do
		for ((i = 0; i < 100; i++)); do
			[ "$(grep -c fc00:fffe::1 "$dir/$name")" = 2 ] && break
			sleep 0.1
		done
		sed -i '/fc00:fff[ef]::1/d' "$dir/$name"
	done
	kill "${watched[@]}"
	wait "${watched[@]}" 2>/dev/null
	watched=()
}

# What happens, some of it ours.
monitor_events() {
	h route add fc00::1 "${E[@]}" End.T table 100 dev d0
	h route replace fc00::1 "${E[@]}" End flavors psp dev d0 metric 1024
	h route add fc00::2 table 90 nexthop via fc01::2 dev d0 "${E[@]}" End \
		nexthop via fc01::3 dev d0
	h route del fc00::1
	s route add fc02::/64 via fc01::9 proto static metric 5
	s route del fc02::/64
	s route add unreachable fc03::/64
	h nexthop add id 7 "${E[@]}" End.DX6 nh6 :: via fc01::2 dev d0
	s nexthop add id 8 via fc01::3 dev d0
	"$stock" -n nr nexthop add id 9 group 7/8
	s nexthop del id 8
	h nexthop del id 7
}

monitor_group() {
	watched=()
	watch all "$helper" -n nr monitor
	watch routes "$helper" -n nr monitor route
	watch labels "$helper" -n nr monitor route label
	watch json "$helper" -n nr -j monitor route
	watch stock "$stock" -n nr -6 monitor route
	watch time "$helper" -n nr -ts monitor route
	monitor_events
	unwatch all routes labels json stock time
	check 'monitor: routes and objects' \
"fc00::1  encap seg6local_noref action End.T table 100 dev d0 metric 1024 pref medium
fc00::1  encap seg6local_noref action End flavors psp dev d0 metric 1024 pref medium
fc00::2 table 90 metric 1024 pref medium
	nexthop  encap seg6local_noref action End via fc01::2 dev d0 weight 1 
	nexthop via fc01::3 dev d0 weight 1 
Deleted fc00::1  encap seg6local_noref action End flavors psp dev d0 metric 1024 pref medium
fc02::/64 via fc01::9 dev d0 proto static metric 5 pref medium
Deleted fc02::/64 via fc01::9 dev d0 proto static metric 5 pref medium
unreachable fc03::/64 dev lo metric 1024 pref medium
id 7  encap seg6local_noref action End.DX6 nh6 :: via fc01::2 dev d0
id 8 via fc01::3 dev d0
id 9 group 7/8
Deleted id 8 via fc01::3 dev d0
Deleted id 7  encap seg6local_noref action End.DX6 nh6 :: via fc01::2 dev d0" \
		"$(sed -E 's/^((Deleted )?id .*) scope link *$/\1/; /^(Deleted )?id/s/ +$//' \
			"$dir/all" | monitor_groups)"
	check 'monitor: as stock but for our encap' \
		"$(sed -E 's/ encap (ioam6|rpl) / encap X /' "$dir/stock")" \
		"$(sed -E 's/ encap seg6local_noref action [^ ]* (table [^ ]* |flavors [^ ]* )?/ encap X /' \
			"$dir/routes")"
	check 'monitor: label' 7 "$(grep -c '^\[ROUTE\]' "$dir/labels")"
	check 'monitor: JSON, a line each' 7 "$(wc -l <"$dir/json")"
	check 'monitor: JSON, all of them' 7 "$(monitor_json 'd["dst"]' | wc -l)"
	check 'monitor: JSON, deleted' 'fc00::1
fc02::/64' "$(monitor_json 'd["dst"] if d.get("deleted") else ""' | grep .)"
	check 'monitor: time' 7 \
		"$(grep -cE '^\[[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}\] ' "$dir/time")"
	expect 'monitor: a wrong word' 255 \
		'Error: argument "link" is wrong: not an object to monitor' \
		h monitor link
}

monitor_json() {
	python3 -c "
import json, sys
for line in sys.stdin:
    d = json.loads(line)
    print($1)" <"$dir/json"
}

# A group loses its members one by one, which kernels tell in their own ways.
monitor_groups() {
	awk '/^id 9/ && seen++ { next } /^Deleted id 9/ { next } { print }'
}
