# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# ops_convert.sh - routes from seg6local to seg6local_noref and back; sourced
# by ops.sh

# The dump of everything, as the kernel gives it to stock ip.
dump() {
	s -d route show table all
	s -d nexthop show
}

# The same without the name that an encap has there.
bare() {
	sed 's/ encap seg6local_noref / encap X /; s/ encap seg6local / encap X /; s/ expires [0-9]*sec//' <<<"$1"
}

# What the kernel's own encap can hold on any kernel of the lab, and whatever
# else a route can have.
convert_routes() {
	s route add fc00::1 "${S[@]}" End dev d0
	s route add fc00::2/127 "${S[@]}" End.T table 100 dev d0 metric 7 \
		proto static mtu lock 1400 hoplimit 9 advmss 1200
	s route add fc00::4 "${S[@]}" End.DX6 nh6 :: via fc01::9 dev d0 \
		src fc01::1 pref high
	s route add fc00::5 table 90 "${S[@]}" End.DX4 nh4 0.0.0.0 via fe80::7 \
		dev d1 onlink
	s route add fc00::6 table 900 "${S[@]}" End.DT6 table main dev d0 \
		rtt 10 rto_min 40 congctl reno features ecn
	s route add fc00::7 "${S[@]}" End.DT46 vrftable 100 dev vrf100
	s route add fc00::8 "${S[@]}" End.B6 srh segs fc02::1,fc02::2 hmac 16 \
		dev d0
	s route add fc00::9 "${S[@]}" End.B6.Encaps srh segs fc02::1,fc02::2 \
		hmac 7 dev d0 expires 1000
	s route add fc00::a from fc03::/16 "${S[@]}" End.X nh6 fc01::2 dev d0
	s route add fc00::b/48 "${S[@]}" End flavors next-csid lblen 32 nflen 16 \
		dev d0
	s route add fc00::c "${S[@]}" End count dev d0 metric 1
	s route add fc00::c "${S[@]}" End.DX2 oif d1 dev d0 metric 2
	s route add local fc00::d "${S[@]}" End dev d0
	s route add fc00::e nexthop via fc01::2 dev d0 "${S[@]}" End count \
		weight 3 nexthop via fc01::3 dev d0 \
		nexthop via fc01::4 dev d0 "${S[@]}" End.T table 100 \
		nexthop via fc01::5 dev d0 encap seg6 mode encap segs fc02::5
	s nexthop add id 21 via fc01::9 dev d0 "${S[@]}" End count proto static
	s nexthop add id 22 via fc01::8 dev d0 "${S[@]}" End.DX6 nh6 ::
	"$stock" -n nr nexthop add id 23 group 21/22,3
	s route add fc00::f nhid 21
	s route add fc00::10 nhid 23
	# None of ours.
	s route add fc00::20 dev d0
	s route add fc00::21 encap seg6 mode encap segs fc02::1 dev d0
	s route add unreachable fc00::22
	s route add fc00::22 via fc01::2 metric 3
}

# A program, where the kernel lets one be pinned.
convert_program() {
	local pin=/sys/fs/bpf/ops

	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf || return
	mkdir -p $pin
	make -s -C "$here" BUILD="$dir" "$dir/bpf_pin" &&
		"$dir/bpf_pin" 19 $pin/nop || return
	# Stock ip would look for it in a /sys of its own.
	h route add fc00::11 "${E[@]}" End.BPF endpoint pinned $pin/nop \
		dev d0 && h convert --to stock fc00::11 >/dev/null || return
	note "with End.BPF"
}

convert_there_and_back() {
	local before ours after routes

	before=$(dump)
	routes=$(grep -c 'encap seg6local ' <<<"$(s route show table all |
		grep -v nhid)")
	check 'convert: routes to begin with' yes \
		"$([ "$routes" -ge 14 ] && echo yes)"
	expect 'convert: dry run' 0 \
		"14 routes and 2 nexthop objects could be converted to seg6local_noref, 0 not" \
		convert_expecting 14
	check 'convert: a dry run changes nothing' "$(bare "$before")" \
		"$(bare "$(dump)")"
	expect 'convert: to ours' 0 \
		"14 routes and 2 nexthop objects converted to seg6local_noref, 0 not" \
		convert_expecting 14 real
	check 'convert: none is left' 0 \
		"$(dump | grep -c 'encap seg6local ')"
	ours=$(h -d route show table all; h -d nexthop show)
	check 'convert: theirs are as they were' \
		"$(grep -v 'encap seg6local ' <<<"$before" | grep 'fc00::2[0-9]')" \
		"$(dump | grep 'fc00::2[0-9]')"
	check 'convert: all that ours say' "$(convert_listing "$before")" \
		"$(convert_listing "$ours")"
	expect 'convert: nothing left to do' 0 \
		'0 routes and 0 nexthop objects converted to seg6local_noref, 0 not' \
		h convert
	expect 'convert: dry run back' 0 \
		"14 routes and 2 nexthop objects could be converted to seg6local, 0 not" \
		convert_expecting 14 dry --to stock
	expect 'convert: back' 0 \
		"14 routes and 2 nexthop objects converted to seg6local, 0 not" \
		convert_expecting 14 real --to stock
	after=$(dump)
	check 'convert: as in the beginning' "$(bare "$before")" "$(bare "$after")"
	check 'convert: an expiry goes on' yes \
		"$(sed -n 's/.*fc00::9 .* expires \([0-9]*\)sec.*/\1/p' <<<"$after" |
		   awk '{ if ($1 > 900 && $1 <= 1001) print "yes" }')"
}

# convert_expecting COUNT [dry|real] [WORDS]: with a program it is one more.
convert_expecting() {
	local want=$1 mode=${2:-dry} out rc

	shift 2 2>/dev/null || shift
	[ "$mode" = dry ] && set -- --dry-run "$@"
	out=$(h convert "$@" 2>&1)
	rc=$?
	[ "$program" = yes ] && want=$((want + 1))
	echo "${out/#$want routes/14 routes}"
	return $rc
}

# Lines with an encap of either kind, what differs between the tools aside.
convert_listing() {
	grep 'encap seg6local' <<<"$1" | grep -v nh_info | sed -E '
		s/encap seg6local(_noref)? /encap X /
		s/ expires [0-9]*sec//
		s/ scope (link|global)//
		s/ +$//' | sort
}

convert_group() {
	program=no
	convert_routes
	convert_program && program=yes
	convert_there_and_back
	convert_selection
}

convert_selection() {
	local left

	expect 'convert: one table' 0 \
		'1 routes and 0 nexthop objects converted to seg6local_noref, 0 not' \
		h convert table 90
	expect 'convert: only that one' 0 \
		'fc00::5  encap seg6local_noref action End.DX4 nh4 0.0.0.0 via fe80::7 dev d1 table 90 metric 1024 onlink pref medium' \
		eval "h route show table all | grep seg6local_noref"
	expect 'convert: one prefix' 0 \
		'2 routes and 0 nexthop objects converted to seg6local_noref, 0 not' \
		h convert fc00::c
	expect 'convert: by metric' 0 \
		'1 routes and 0 nexthop objects converted to seg6local, 0 not' \
		h convert --to stock fc00::c metric 2
	expect 'convert: an object with its only route' 0 \
		'0 routes and 1 nexthop objects converted to seg6local_noref, 0 not' \
		eval 's route del fc00::10 && h convert fc00::f'
	s route add fc00::10 nhid 23
	expect 'convert: an object that others need' 2 \
		'Not converted: nexthop id 21: a route that is not selected goes by it as well
0 routes and 0 nexthop objects converted to seg6local, 1 not' \
		h convert --to stock fc00::f
	expect 'convert: the rest in JSON' 0 1 \
		eval "h -j convert | grep -c '^{\"to\":\"seg6local_noref\",\"refused\":\[\],\"routes\":[0-9]*,\"nexthops\":1}\$'"
	h convert --to stock >/dev/null
	left=$(s route show table all | grep -c 'encap ioam6\|encap rpl')
	check 'convert: all of them back' 0 "$left"
	expect 'convert: a wrong word' 255 \
		'Error: either "to" is duplicate, or "bogus" is a garbage.' \
		h convert fc00::1 bogus
	expect 'convert: to where' 255 \
		'Error: argument "x" is wrong: it is "noref" or "stock"' \
		h convert --to x
}

refusals_group() {
	local i

	h route add fc00::30 "${E[@]}" End flavors replace-csid dev d0
	h route add fc00::31 "${E[@]}" End.T table 100 flavors psp dev d0
	h route add fc00::32 "${E[@]}" End flavors usp dev d0
	h route add fc00::33 "${E[@]}" End dev d0
	expect 'convert: what seg6local cannot do' 2 \
		"Not converted: fc00::30/128 table main metric 1024: replace-csid: the kernel's seg6local has no such thing
Not converted: fc00::31/128 table main metric 1024: flavors: this kernel's seg6local takes it here and does not keep it
Not converted: fc00::32/128 table main metric 1024: Unsupported Flavor operation(s)
1 routes and 0 nexthop objects could be converted to seg6local, 3 not" \
		convert_reasons --dry-run
	expect 'convert: the rest goes' 2 \
		"1 routes and 0 nexthop objects converted to seg6local, 3 not" \
		eval "convert_reasons | tail -n 1; exit 2"
	check 'convert: what was refused is as it was' 3 \
		"$(h route show root fc00::30/124 | grep -c seg6local_noref)"
	for i in 0 1 2 3; do
		s route del fc00::3$i
	done
	s route add fc00::34 "${S[@]}" End dev d0
	s route append fc00::34 "${S[@]}" End dev d1
	s route append fc00::34 "${S[@]}" End via fc01::7 dev d0
	expect 'convert: several of one metric' 2 \
		"Not converted: fc00::34/128 table main metric 1024: of several routes of one prefix and metric, the kernel replaces only the first
2 routes and 0 nexthop objects converted to seg6local_noref, 1 not" \
		h convert
	check 'convert: several of one metric, after it' \
		"fc00::34 d0
fc00::34 d1
fc00::34 d0" \
		"$(s route show fc00::34 | sed 's/ .* dev / /; s/ metric.*//')"
	check 'convert: the second is the one left' \
		'fc00::34  encap seg6local action End dev d1 metric 1024 pref medium' \
		"$(s route show fc00::34 | grep 'seg6local ')"
}

# Kernels of the lab differ in the words, not in that they refuse.
convert_reasons() {
	h convert --to stock "$@" 2>&1 | sed 's/: flavors: this kernel.*/: &/
		s/: : flavors/: flavors/
		s/32\/128 table main metric 1024: .*/32\/128 table main metric 1024: Unsupported Flavor operation(s)/'
	return "${PIPESTATUS[0]}"
}

# A new version of the module: to stock, out, in, back.
upgrade_group() {
	local before

	h route add fc00::40 "${E[@]}" End count dev d0
	h route add fc00::41 "${E[@]}" End.T table 100 dev d0
	before=$(h route show)
	check 'upgrade: the module is in use' 1 \
		"$(rmmod seg6local_noref 2>/dev/null; echo $?)"
	h convert --to stock >/dev/null
	expect 'upgrade: the module goes' 0 '' unload
	check 'upgrade: its routes stay' 2 \
		"$(s route show | grep -c 'encap seg6local ')"
	expect 'upgrade: nothing of ours, the module is away' 0 \
		'0 routes and 0 nexthop objects converted to seg6local, 0 not' \
		h convert --to stock
	check 'upgrade: for that it is not loaded' '' \
		"$(grep ^seg6local_noref /proc/modules)"
	expect 'upgrade: back, which loads it' 0 \
		'2 routes and 0 nexthop objects converted to seg6local_noref, 0 not' \
		h convert
	check 'upgrade: as before' "$before" "$(h route show)"
}

# 4000 routes: their names fill the pipe that convert writes them to, and it
# waits there, some of them done.
many_routes() {
	seq 0 3999 | awk -v encap="${S[*]}" '{
		printf "route add fc10::%x %s End dev d0\n", $1, encap
	}' | s -batch -
}

# How many have the encap of the kernel, and ours; then all.
many_count() {
	s route show root fc10::/16 | awk '
		/encap seg6local / { stock++ }
		/encap (ioam6|rpl) / { ours++ }
		END {
			print (stock > 0 && ours > 0 ? "both" : "one"), NR,
			      stock + ours
		}'
}

interrupted_group() {
	local i line pid rest

	many_routes
	exec 3< <(exec "$helper" -n nr -d convert)
	pid=$!
	for ((i = 0; i < 100; i++)); do
		read -r -u 3 line
	done
	check 'interrupted: it has begun' 'fc10::63/128 table main metric 1024' \
		"$line"
	kill -9 $pid
	wait $pid 2>/dev/null
	exec 3<&-
	check 'interrupted: each is old or new' 'both 4000 4000' "$(many_count)"
	rest=$(s route show root fc10::/16 | grep -c 'encap seg6local ')
	expect 'interrupted: run again' 0 \
		"$rest routes and 0 nexthop objects converted to seg6local_noref, 0 not" \
		h convert
	check 'interrupted: all are new' 'one 4000 4000' "$(many_count)"
	exec 3< <(exec "$helper" -n nr -d convert --to stock 2>"$dir/said")
	read -r -u 3 line
	s route del fc10::f9f
	rest=$(cat <&3)
	exec 3<&-
	check 'removed meanwhile: said' \
		'Not converted: fc10::f9f/128 table main metric 1024: Can not replace route - no match found
3999 routes and 0 nexthop objects converted to seg6local, 1 not' \
		"$(cat "$dir/said"; tail -n 1 <<<"$rest")"
	check 'removed meanwhile: stays away' 'one 3999 3999' "$(many_count)"
}
