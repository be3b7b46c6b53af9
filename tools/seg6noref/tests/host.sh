#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# seg6noref without its module: host.sh BUILDDIR, as root in an empty network
# namespace, with the kernel's own seg6local in the role of our encap (see
# slot_fixed.c).
#
#	lo: fc01::1/64 and routes of every kind that the helper prints
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare "$1"
# shellcheck source-path=SCRIPTDIR source=host_routes.sh
. "$here/host_routes.sh"

E=(encap seg6local_noref action)

plain_setup() {
	"$stock" link set lo up
	"$stock" addr add fc01::1/64 dev lo nodad
	"$stock" -6 route add fc02::/32 dev lo mtu 1400 expires 100 metric 7 \
		proto static
	"$stock" -6 route add fc03::/32 dev lo src fc01::1 mtu lock 1400 \
		hoplimit 3 rtt 10 rto_min 40 features ecn congctl reno
	"$stock" -6 route add default dev lo table 90
	"$stock" -6 route add default dev lo table 1000
	"$stock" -6 route add unreachable fc09::/32
	"$stock" -6 route add blackhole fc0a::/32 proto 99 pref high
	"$stock" -6 route add fc06::/16 from fc01::/64 dev lo
}

# The helper's own listing, to the octet, where no encap is involved.
plain_listings() {
	local args opts

	for args in '' 'table all' 'table 90' 'table 1000' 'dev lo' \
		    'root fc00::/12' 'match fc02::1' 'fc03::/32' \
		    'exact fc02::/31' 'proto kernel table all' 'metric 7' \
		    'table all root fc02::/15 proto static'; do
		for opts in '' -d -s -N -o -j '-j -p' '-d -N'; do
			# shellcheck disable=SC2086
			check "as stock: -6 $opts route show $args" \
				"$("$stock" -6 $opts route show $args)" \
				"$("$helper" -6 $opts route show $args)"
		done
	done
}

statuses() {
	expect 'namespace that does not exist' 255 \
		'Cannot open network namespace "nope": No such file or directory' \
		"$helper" -n nope route show
	expect 'family that is not ours' 255 'Error: only -6 is supported.' \
		"$helper" -4 route show
	expect 'unknown option' 255 \
		'Option "-wrong" is unknown or lacks its value, try "seg6noref --help".' \
		"$helper" -wrong route show
	expect 'unknown object' 255 \
		'Object "link" is unknown, try "seg6noref --help".' \
		"$helper" link show
	expect 'unknown verb' 255 \
		'Command "save" is unknown, try "seg6noref route help".' \
		"$helper" route save
	expect 'add without encap' 255 \
		'Error: argument "encap" is required' \
		"$helper" route add fc00::1 dev lo
	expect 'kernel says no, no text' 2 \
		'RTNETLINK answers: Invalid argument' \
		"$helper" route add fc00::1 "${E[@]}" End dev lo
	expect 'del of nothing' 2 'RTNETLINK answers: No such process' \
		"$helper" route del fc00::1 "${E[@]}" End dev lo
	expect_match version 0 'seg6noref .*, module ABI version 1' \
		"$helper" --version
	expect_match help 0 'Usage: seg6noref .*' "$helper" --help
	expect_match 'help on routes' 0 'Usage: seg6noref route .*' \
		"$helper" route help
}

# The helper's own listing of nexthop objects, to the octet.
nexthop_listings() {
	local args opts

	"$stock" link add v0 type veth peer name v1
	"$stock" link set v0 up
	"$stock" link set v1 up
	"$stock" addr add fc11::1/64 dev v0 nodad
	"$stock" nexthop add id 1 via fc11::2 dev v0 proto static
	"$stock" nexthop add id 2 via fc12::3 dev v0 onlink
	"$stock" -6 nexthop add id 4 dev v0
	"$stock" nexthop add id 7 group 1,3/2
	for args in '' 'id 1' 'dev v0'; do
		[ -n "$args" ] || "$stock" nexthop add id 3 blackhole
		for opts in '' -d -s -N -o -j '-j -p' '-d -N'; do
			[ "$args" = 'id 1' ] && [[ $opts = *-j* ]] && continue
			# shellcheck disable=SC2086
			check "as stock: $opts nexthop show $args" \
				"$("$stock" $opts nexthop show $args)" \
				"$("$helper" $opts nexthop show $args)"
		done
		[ -n "$args" ] || "$helper" nexthop del id 3
	done
	"$stock" -6 route add fc0e::/64 nhid 7
	"$stock" -6 route add fc0f::/64 nexthop via fc11::2 dev v0 weight 3 \
		nexthop via fc11::3 dev v0
	for opts in '' -o; do
		# shellcheck disable=SC2086
		check "as stock: routes by several next hops, $opts" \
			"$("$stock" -6 $opts route show)" \
			"$("$helper" -6 $opts route show)"
	done
	expect 'nexthop del' 0 '' "$helper" nexthop del id 2
	expect 'nexthop del: gone' 2 \
		"$("$stock" nexthop del id 3 2>&1)" "$helper" nexthop del id 2
	expect 'nexthop del needs an id' 255 \
		'Error: argument "id" is required' "$helper" nexthop del
	expect 'nexthop add needs an encap' 255 \
		'Error: argument "encap" is required' \
		"$helper" nexthop add id 9 dev lo
	expect 'route by an object' 0 '' \
		"$helper" -6 route add fc10::/64 nhid 4
	expect 'route by an object: shown' 0 \
		'fc10::/64 nhid 4 dev v0 metric 1024 pref medium' \
		"$helper" -6 route show fc10::/64
	"$stock" link del v0
}

# A namespace of its own name, by -n.
netns_option() {
	"$stock" netns add "seg6noref-$$"
	"$stock" -n "seg6noref-$$" link set lo up
	"$stock" -n "seg6noref-$$" -6 route add fc0b::/32 dev lo
	expect 'show in a namespace' 0 'fc0b::/32 dev lo metric 1024 pref medium' \
		"$helper" -netns "seg6noref-$$" route show
	expect 'show in a namespace, through ip' 0 \
		'fc0b::/32 dev lo metric 1024 pref medium' \
		wrapped -n "seg6noref-$$" -6 route
	"$stock" netns del "seg6noref-$$"
}

# What the real ip is called with, one argument a line.
cat >"$dir/echo" <<-'END'
	#!/bin/bash
	printf '%s|' "$@"
	exit 7
END

handing_on() {
	local args

	chmod +x "$dir/echo"
	expect 'arguments and status as they are' 7 \
		'-6|addr|show|a  b||dev|*|' \
		env SEG6NOREF_IP="$dir/echo" "$dir/bin/ip" \
		-6 addr show 'a  b' '' dev '*'
	for args in 'route add fc00::1 encap seg6local action End dev lo' \
		    'nexthop add id 1 dev lo encap seg6local action End' \
		    'nexthop show' 'ne add 1 encap seg6local_noref' \
		    'route get fc00::1' 'route flush fc00::1' \
		    '-4 route show' 'route help' '-wrong' '-V' '' \
		    'route add fc00::1 encap'; do
		# shellcheck disable=SC2086
		expect "handed on: ip $args" 7 "$(printf '%s|' $args)" \
			env SEG6NOREF_IP="$dir/echo" "$dir/bin/ip" $args
	done
	expect 'not handed on: our encap' 1 \
		'Error: inet6 address is expected rather than "x".' \
		env SEG6NOREF_IP="$dir/echo" "$dir/bin/ip" -6 r a fc00::1 \
		"${E[@]}" End.DX6 nh6 x
	expect 'not handed on: our encap in a nexthop object' 2 \
		'Error: Device attribute required for non-blackhole and non-fdb nexthops.' \
		env SEG6NOREF_IP="$dir/echo" "$dir/bin/ip" nex add id 1 \
		"${E[@]}" End
	expect 'our encap, wrong family' 255 \
		'Error: encap seg6local_noref is for IPv6 routes only.' \
		env SEG6NOREF_IP="$dir/echo" "$dir/bin/ip" -4 r a 10.0.0.0/8 \
		"${E[@]}" End
	expect 'found behind ourselves in PATH' 0 "$("$stock" -V)" wrapped -V
	expect 'found without PATH' 0 "$("$stock" -V)" \
		env PATH="$dir/bin" "$dir/bin/ip" -V
	expect_match 'not ourselves' 255 'Error: .*/bin/ip, named by SEG6NOREF_IP, is not an ip to run\.' \
		env SEG6NOREF_IP="$dir/bin/ip" "$dir/bin/ip" -V
	printf '#!/bin/sh\n"%s" "$@"\n' "$dir/bin/ip" >"$dir/loop"
	chmod +x "$dir/loop"
	expect_match 'a loop ends' 255 'Error: seg6noref, called as ip, has called itself 16 times.*' \
		env SEG6NOREF_IP="$dir/loop" "$dir/bin/ip" -V
}

as_ours() {
	sed 's/ encap seg6local / encap seg6local_noref /'
}

# The kernel's seg6local in place of ours: only the word is to change.
spliced() {
	local args opts

	"$stock" -6 route add fc05::1 dev lo encap seg6local action End count
	"$stock" -6 route add fc05::2/127 dev lo table 90 \
		encap seg6local action End.T table 5
	"$stock" -6 route add fc05::3 dev lo encap seg6 mode encap segs fc00::1
	for args in '' 'table all' 'table 90' 'dev lo' 'root fc05::/16' \
		    'type unreachable' 'proto static' 'match fc05::2 table 90'; do
		for opts in '' -d -s -N -o -c; do
			# shellcheck disable=SC2086
			check "as stock: ip -6 $opts route show $args" \
				"$("$stock" -6 $opts route show $args | as_ours)" \
				"$(wrapped -6 $opts route show $args)"
		done
	done
	for opts in '-6 ro' '-6 r l' '-6 r ls' '-f inet6 route list' '-6 r s' \
		    '--family inet6 -- route lst'; do
		# shellcheck disable=SC2086
		expect "form: ip $opts" 0 \
			"$("$stock" -6 route show | as_ours)" wrapped $opts
	done
	expect 'both families at once' 0 \
		"$("$stock" route show table all | as_ours)" \
		wrapped route show table all
	expect 'status and message of a wrong filter' 1 \
		"$("$stock" -6 route show bogus 2>&1)" \
		wrapped -6 route show bogus
	expect 'JSON' 0 \
		'[{"dst":"fc05::1","encap":{"encap_type":"seg6local_noref"},"action":"End","dev":"lo","metric":1024,"flags":[],"pref":"medium"}]' \
		wrapped -6 -j route show fc05::1
	expect 'nothing left behind by a closed pipe' 0 \
		"$("$stock" -6 route show | head -n 1)" \
		eval 'wrapped -6 route show | head -n 1'
}

# An ip in which routes come between save and show: ADDS times.
cat >"$dir/racing" <<-'END'
	#!/bin/bash
	count=$(cat "$RACE" 2>/dev/null || echo 0)
	"$STOCK" "$@"
	status=$?
	if [[ " $* " = *" save "* && $count -lt $ADDS ]]; then
		echo $((count + 1)) >"$RACE"
		"$STOCK" -6 route add "fc01::$((count + 2))/128" dev lo
	fi
	exit $status
END

raced_to_file() {
	SEG6NOREF_IP=$dir/racing wrapped -6 route >"$dir/got"
}

races() {
	chmod +x "$dir/racing"
	export STOCK=$stock RACE=$dir/race ADDS=3
	expect 'routes come three times' 0 '' raced_to_file
	check 'decoded after all' "$("$stock" -6 route show | as_ours)" \
		"$(cat "$dir/got")"
	check 'three came' 3 "$(cat "$dir/race")"
	export ADDS=1000
	expect 'routes never stop coming' 0 \
		'Warning: encap seg6local_noref is not decoded, the routes keep changing.' \
		raced_to_file
	check 'listed undecoded' "$("$stock" -6 route show)" "$(cat "$dir/got")"
	unset STOCK RACE ADDS
}

# More than any buffer holds, while others change the table.
many() {
	local i

	for ((i = 1; i <= 4000; i++)); do
		printf 'route add fc0c::%x dev lo table 77\n' "$i"
	done >"$dir/batch"
	"$stock" -6 -batch "$dir/batch"
	check 'thousands of routes' \
		"$("$stock" -6 route show table 77 | md5sum)" \
		"$("$helper" -6 route show table 77 | md5sum)"
	(for ((i = 0; i < 40; i++)); do
		"$stock" -6 route add fc0d::/64 dev lo table 78
		"$stock" -6 route del fc0d::/64 dev lo table 78
	done) &
	check 'thousands of routes, others changing' 4000 \
		"$("$helper" -6 route show table 77 | sort -u | wc -l)"
	wait
}

# module SLOT ABI: play a module that is loaded
module() {
	mkdir -p "$build/module/parameters"
	[ -z "$1" ] || echo "$1" >"$build/module/parameters/encap_type"
	[ -z "$2" ] || echo "$2" >"$build/module/parameters/abi"
}

# The real slot.c, see unit_slot.c; modprobe is played too.
slots() {
	local what other='install both from the same release.'

	rm -rf "$build/module"
	expect 'not loaded' 0 '0 0' "$build/unit_slot" loaded
	module 9 1
	for what in loaded load; do
		expect "$what: slot" 0 '0 9' "$build/unit_slot" "$what"
	done
	module 9 2
	for what in loaded load; do
		expect "$what: module of another ABI" 0 \
			"Error: the module seg6local_noref speaks ABI version 2, this seg6noref speaks version 1: $other
2 0" "$build/unit_slot" "$what"
	done
	module nine 1
	expect 'slot that is no number' 0 \
		"Error: no number in $build/module/parameters/encap_type.
2 0" "$build/unit_slot"
	rm "$build/module/parameters/abi"
	expect 'module without an ABI' 0 \
		"Error: cannot read $build/module/parameters/abi: No such file or directory.
2 0" "$build/unit_slot"
	rm -rf "$build/module"
	printf '#!/bin/sh\nexit 3\n' >"$dir/bin/modprobe"
	chmod +x "$dir/bin/modprobe"
	expect_match 'modprobe fails' 0 \
		'Error: the kernel module seg6local_noref is not loaded, and modprobe could not load it \(exit status 3\)\.' \
		env PATH="$dir/bin:$PATH" "$build/unit_slot"
	cat >"$dir/bin/modprobe" <<-END
		#!/bin/sh
		[ "\$*" = seg6local_noref ] || exit 1
		mkdir -p "$build/module/parameters"
		echo 8 >"$build/module/parameters/encap_type"
		echo 1 >"$build/module/parameters/abi"
	END
	expect 'modprobe loads it' 0 '0 8' \
		env PATH="$dir/bin:$PATH" "$build/unit_slot"
	rm -rf "$build/module"
}

plain_setup
plain_listings
statuses
nexthop_listings
netns_option
handing_on
spliced
races
many
slots
selections
metrics
gets
flushes
finish
