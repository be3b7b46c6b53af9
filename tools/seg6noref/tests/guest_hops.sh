# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# guest_hops.sh - our encap on the next hops of multipath routes and on nexthop
# objects, and in batches; sourced by guest.sh

multipath() {
	local shown

	shown='fc00::21 metric 1024 pref medium
	nexthop  encap seg6local_noref action End packets 0 bytes 0 errors 0 via fc01::2 dev d0 weight 1 
	nexthop  encap seg6local_noref action End.T table 100 flavors psp,replace-csid lblen 32 nflen 16 via fc01::3 dev d0 weight 2 
	nexthop via fc01::4 dev d0 weight 256 '
	expect 'multipath: add' 0 '' h route add fc00::21 \
		nexthop via fc01::2 dev d0 "${E[@]}" End count \
		nexthop "${E[@]}" End.T table 100 flavors replace-csid,psp \
		weight 2 via fc01::3 dev d0 \
		nexthop via fc01::4 dev d0 weight 256
	expect 'multipath: shown' 0 "$shown" h -s route show fc00::21
	expect 'multipath: shown through ip' 0 "$shown" w -s route show fc00::21
	expect 'multipath: on one line' 0 "${shown//
/\\}" h -s -o route show fc00::21
	h route del fc00::21
	# shellcheck disable=SC2046
	expect 'multipath: added again as shown' 0 '' \
		h route add $(tr '\n' ' ' <<<"$shown")
	expect 'multipath: shown again' 0 "$shown" h -s route show fc00::21
	expect 'multipath: del by its words' 0 '' h route del fc00::21 \
		nexthop via fc01::2 dev d0 "${E[@]}" End count \
		nexthop via fc01::3 dev d0 nexthop via fc01::4 dev d0
	expect 'multipath: gone' 0 '' h route show fc00::21
	expect 'multipath: needs gateways' 2 \
		'Error: Device only routes can not be added for IPv6 using the multipath API.' \
		h route add fc00::21 nexthop dev d0 "${E[@]}" End \
		nexthop dev d1 "${E[@]}" End
}

# hops COUNT SEGMENTS: words for as many next hops with a policy each
long_hops() {
	local list i

	list=$(segments "$2")
	for ((i = 1; i <= $1; i++)); do
		echo "nexthop via fc01::$i:1 dev d0 ${E[*]} End.B6.Encaps" \
			"srh segs $list count"
	done
}

# What ip can list is bounded by the kernel's first answer; ours is not.
multipath_large() {
	local count list=

	for count in 4 8 40; do
		list=$(segments 40)
		# shellcheck disable=SC2046
		expect "$count next hops of 40 segments: add" 0 '' \
			h route add fc00::22 $(long_hops $count 40)
		check "$count next hops of 40 segments: shown" $count \
			"$(h route show fc00::22 |
				grep -cF "segs 40 [ ${list//,/ } ] via ")"
		# shellcheck disable=SC2046
		expect "$count next hops of 40 segments: equal" 2 \
			'RTNETLINK answers: File exists' \
			h route add $(h -s route show fc00::22 | tr '\n' ' ')
		[ $count = 4 ] &&
			expect "$count next hops of 40 segments: through ip" 0 \
				"$(h -s route show fc00::22)" \
				w -s route show fc00::22
		"$stock" -n nr -6 route del fc00::22
	done
	# shellcheck disable=SC2046
	expect 'more next hops than a message holds' 255 \
		'Error: the route does not fit into a message.' \
		h route add fc00::22 $(long_hops 40 126)
}

objects() {
	local shown='id 21  encap seg6local_noref action End packets 0 bytes 0 errors 0 via fc01::9 dev d0 proto static'

	expect 'nexthop object: add' 0 '' h nexthop add id 21 via fc01::9 \
		dev d0 "${E[@]}" End count proto static
	# Where ip puts the scope of an object depends on nothing but it.
	check 'nexthop object: shown' "$shown" \
		"$(h -s nexthop show id 21 | sed 's/ scope [a-z]*//; s/ $//')"
	expect 'nexthop object: added again' 2 \
		'RTNETLINK answers: File exists' h nexthop add id 21 \
		via fc01::9 dev d0 "${E[@]}" End
	h nexthop del id 21
	# shellcheck disable=SC2086
	expect 'nexthop object: added as shown' 0 '' h nexthop add $shown
	expect 'route by an object: add' 0 '' h route add fc00::23 nhid 21
	expect 'route by an object: shown' 0 \
		"fc00::23 nhid 21  encap seg6local_noref action End packets 0 bytes 0 errors 0 via fc01::9 dev d0 metric 1024 pref medium" \
		h -s route show fc00::23
	expect 'route by an object: shown through ip' 0 \
		"$(h -s route show fc00::23)" w -s route show fc00::23
	for opts in -d '-d -o'; do
		# shellcheck disable=SC2086
		check "route by an object: through ip $opts" \
			"$("$stock" -n nr -6 $opts route show fc00::23 |
			   sed "s/ encap [^ ]* / ${E[*]} End /g")" \
			"$(w $opts route show fc00::23)"
	done
	expect 'route by an object: JSON through ip -d' 0 2 \
		eval "w -d -j route show fc00::23 | grep -o '\"action\":\"End\"' | wc -l"
	expect 'nexthop object: replace' 0 '' w nexthop replace id 21 \
		via fc01::9 dev d0 "${E[@]}" End.DX6 nh6 ::
	expect 'route by an object: follows' 0 \
		"fc00::23 nhid 21  encap seg6local_noref action End.DX6 nh6 :: via fc01::9 dev d0 metric 1024 pref medium" \
		h route show fc00::23
	expect 'nexthop object: add through ip' 0 '' w nex a id 22 "${E[@]}" \
		End.T table 7 dev d0 via fc01::8
	"$stock" -n nr nexthop add id 23 group 21/22
	expect 'route by a group' 0 '' h route add fc00::24 nhid 23
	expect 'route by a group: shown' 0 'fc00::24 nhid 23 metric 1024 pref medium
	nexthop  encap seg6local_noref action End.DX6 nh6 :: via fc01::9 dev d0 weight 1 
	nexthop  encap seg6local_noref action End.T table 7 via fc01::8 dev d0 weight 1 ' \
		h route show fc00::24
	expect 'route by a group: shown through ip' 0 \
		"$(h route show fc00::24)" w route show fc00::24
	expect_match 'no such object' 2 'Error: .*[Nn]exthop id.*' \
		h route add fc00::25 nhid 99
	expect 'nexthop object: del' 0 '' h nexthop del id 21
	expect 'routes went with their object' 0 '' h route show fc00::23
	h nexthop del id 22
}

# Lines of ours and others, each building upon the one before.
batches() {
	cat >"$dir/batch" <<-END
		route add fc00::31 encap seg6local_noref action End count dev d0
		route add fc02:31::/64 via fc01::2   # not ours
		route replace fc00::31 encap seg6local_noref \\
			action End.T table 90 dev d0
		route show fc00::31
		link add d7 type dummy
		link set d7 up
		route add fc00::32 encap seg6local_noref action End.DX2 oif d7 dev d7
		nexthop add id 31 encap seg6local_noref action End via fc01::2 dev d0
		route add fc00::33 nhid 31
		route show root fc00::30/124
		link del d7
		nexthop del id 31
		route del fc00::31
		route del fc02:31::/64
	END
	expect 'batch' 0 "fc00::31  encap seg6local_noref action End.T table 90 dev d0 $M
fc00::31  encap seg6local_noref action End.T table 90 dev d0 $M
fc00::32  encap seg6local_noref action End.DX2 oif d7 dev d7 $M
fc00::33 nhid 31  encap seg6local_noref action End via fc01::2 dev d0 $M" \
		w -batch "$dir/batch"
	expect 'batch: all taken back' 0 '' h route show root fc00::30/124
	expect 'batch, failing' 1 \
		"Error: nh6: missing.
Offending attribute: encap
Command failed -:3" w -b - <<-END
		route add fc02:31::/64 via fc01::2

		route add fc00::31 encap seg6local_noref action End.X dev d0
		route del fc02:31::/64
	END
	expect 'batch, failing: what came before' 0 \
		"fc02:31::/64 via fc01::2 dev d0 $M" h route show fc02:31::/64
	expect 'batch, failing, forced' 1 \
		"Error: nh6: missing.
Offending attribute: encap
Command failed -:1" w -force -b - <<-END
		route add fc00::31 encap seg6local_noref action End.X dev d0
		route del fc02:31::/64
	END
	expect 'batch, failing, forced: what came behind' 0 '' \
		h route show fc02:31::/64
	seq 1 500 | sed "s/.*/route add fc03::& ${E[*]} End dev d0 table 91/" \
		>"$dir/batch"
	expect 'batch of 500' 0 '' h -batch "$dir/batch"
	check 'batch of 500: routes' 500 "$(h route show table 91 | wc -l)"
	"$stock" -n nr -6 route flush table 91
}
