# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# guest_actions.sh - every action with every option that it takes: what is shown
# is as expected, is refused as equal to what is there, and gives the same when
# it is added again; sourced by guest.sh

# fixed NAME WORDS [SHOWN [DEVICE]]: words of the encap and what -s shows of it,
# the words themselves unless given
fixed() {
	local name=$1 words=$2 shown=${3:-$2} dev=${4:-d0} line

	line="fc00::77  encap seg6local_noref $shown dev $dev metric 1024 pref medium"
	check "fixed point: $name: shown" "$line" "$(h -s -batch - 2>&1 <<-END
		route add fc00::77 encap seg6local_noref $words dev $dev
		route show fc00::77
	END
	)"
	check "fixed point: $name: equal, and again" \
		"RTNETLINK answers: File exists
Command failed -:1
$line" "$(h -s -force -batch - 2>&1 <<-END
		route append $line
		route del $line
		route add $line
		route show fc00::77
		route del fc00::77
	END
	)"
}

COUNTERS='packets 0 bytes 0 errors 0'

actions() {
	fixed 'End' 'action End'
	fixed 'End count' 'action End count' "action End $COUNTERS"
	fixed 'End.X' 'action End.X nh6 fc01::2'
	fixed 'End.X ::' 'nh6 :: action End.X' 'action End.X nh6 ::'
	fixed 'End.X oif' 'action End.X oif d1 nh6 fe80::1' \
		'action End.X nh6 fe80::1 oif d1'
	fixed 'End.X oif count' 'count action End.X oif d1 nh6 fe80::1' \
		"action End.X nh6 fe80::1 oif d1 $COUNTERS"
	fixed 'End.T by name' 'action End.T table main'
	fixed 'End.T 0' 'action End.T table 0' 'action End.T table unspec'
	fixed 'End.T of the largest table' 'action End.T table 0xffffffff count' \
		"action End.T table 4294967295 $COUNTERS"
	fixed 'End.DX2' 'action End.DX2 oif d1'
	fixed 'End.DX2 on no device' 'action End.DX2 oif if7777 count' \
		"action End.DX2 oif if7777 $COUNTERS"
	fixed 'End.DX6' 'action End.DX6 nh6 fc01::2'
	fixed 'End.DX6 ::' 'action End.DX6 nh6 :: count' \
		"action End.DX6 nh6 :: $COUNTERS"
	fixed 'End.DX4' 'action End.DX4 nh4 10.1.0.2'
	fixed 'End.DX4 0.0.0.0' 'action End.DX4 nh4 0.0.0.0 count' \
		"action End.DX4 nh4 0.0.0.0 $COUNTERS"
	fixed 'End.DT6 table' 'action End.DT6 table 255' \
		'action End.DT6 table local'
	fixed 'End.DT6 vrftable' 'action End.DT6 vrftable 100 count' \
		"action End.DT6 vrftable 100 $COUNTERS" vrf100
	fixed 'End.DT4' 'action End.DT4 vrftable 100' '' vrf100
	fixed 'End.DT46' 'action End.DT46 vrftable 100 count' \
		"action End.DT46 vrftable 100 $COUNTERS" vrf100
}

# SRHs from the shortest to the longest, with and without the keyed one.
policies() {
	local list

	fixed 'End.B6' 'action End.B6 srh segs fc02::1,fc02::2' \
		'action End.B6 segs 3 [ fc02::1 fc02::2 :: ]'
	fixed 'End.B6 hmac' 'action End.B6 srh segs fc02::1 hmac 16 count' \
		"action End.B6 segs 2 [ fc02::1 :: ] hmac 10 $COUNTERS"
	fixed 'End.B6.Encaps' 'action End.B6.Encaps srh segs fc02::1' \
		'action End.B6.Encaps segs 1 [ fc02::1 ]'
	fixed 'End.B6.Encaps hmac' \
		'action End.B6.Encaps srh segs fc02::1,:: hmac 0xffffffff' \
		'action End.B6.Encaps segs 2 [ fc02::1 :: ] hmac FFFFFFFF'
	list=$(segments 126)
	fixed 'End.B6, 126 segments' "action End.B6 srh segs $list" \
		"action End.B6 segs 127 [ ${list//,/ } :: ]"
	list=$(segments 127)
	fixed 'End.B6.Encaps, 127 segments' \
		"action End.B6.Encaps srh segs $list count" \
		"action End.B6.Encaps segs 127 [ ${list//,/ } ] $COUNTERS"
	list=$(segments 125)
	fixed 'End.B6.Encaps, 125 segments and hmac' \
		"action End.B6.Encaps srh segs $list hmac 7" \
		"action End.B6.Encaps segs 125 [ ${list//,/ } ] hmac 7"
}

# flavored LIST SHOWN: on each action that takes flavors, counting on one
flavored() {
	fixed "End flavors $1" "action End flavors $1" "action End flavors $2"
	fixed "End.X flavors $1" \
		"flavors $1 action End.X oif d1 nh6 fc01::2 count" \
		"action End.X nh6 fc01::2 oif d1 $COUNTERS flavors $2"
	fixed "End.T flavors $1" "action End.T flavors $1 table 90" \
		"action End.T table 90 flavors $2"
}

# Every subset of psp, usp and usd, alone and with either kind of C-SID.
flavors() {
	local bits list

	for bits in 000 100 010 110 001 101 011 111; do
		list=
		[ ${bits:0:1} = 0 ] || list+=psp,
		[ ${bits:1:1} = 0 ] || list+=usp,
		[ ${bits:2:1} = 0 ] || list+=usd,
		[ -z "$list" ] || flavored "${list%,}" "${list%,}"
		flavored "next-csid${list:+,${list%,}}" \
			"${list}next-csid lblen 32 nflen 16"
		flavored "${list}replace-csid nflen 32" \
			"${list}replace-csid lblen 32 nflen 32"
	done
	flavored 'next-csid lblen 48' 'next-csid lblen 48 nflen 16'
	flavored 'NEXT-csid lblen 8 nflen 120' 'next-csid lblen 8 nflen 120'
	flavored replace-csid 'replace-csid lblen 32 nflen 16'
	flavored 'replace-csid lblen 104' 'replace-csid lblen 104 nflen 16'
	flavored 'replace-csid lblen 0x30 nflen 0x20' \
		'replace-csid lblen 48 nflen 32'
	expect 'JSON of replace-csid' 0 \
		'[{"dst":"fc00::77","encap":{"encap_type":"seg6local_noref","action":"End","flavors":["psp","replace-csid"],"lblen":32,"nflen":16},"dev":"d0","metric":1024,"flags":[],"pref":"medium"}]' \
		json_of 'action End flavors replace-csid,psp'
	expect 'JSON of a policy' 0 \
		'[{"dst":"fc00::77","encap":{"encap_type":"seg6local_noref","action":"End.B6","srh":{"segs":["fc02::1","::"],"hmac":"0x10"}},"dev":"d0","metric":1024,"flags":[],"pref":"medium"}]' \
		json_of 'action End.B6 srh segs fc02::1 hmac 0x10'
}

json_of() {
	# shellcheck disable=SC2086
	h route add fc00::77 encap seg6local_noref $1 dev d0
	h -j route show fc00::77
	h route del fc00::77
}

# A program can be shown by its name only: equality is by that, too.
programs() {
	local pin=/sys/fs/bpf/seg6noref shown='action End.BPF endpoint nop:[*fsobj]'
	local words

	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
	mkdir -p $pin
	if ! make -s -C "$here" BUILD="$dir" "$dir/bpf_pin" ||
	   ! "$dir/bpf_pin" 19 $pin/nop || ! "$dir/bpf_pin" 19 $pin/other ||
	   ! "$dir/bpf_pin" 3 $pin/sched; then
		check 'End.BPF: programs to run' 'loaded and pinned' no
		return
	fi
	words="encap seg6local_noref action End.BPF endpoint pinned $pin/nop"
	# shellcheck disable=SC2086
	{
	expect 'End.BPF: add' 0 '' h route add fc00::77 $words count dev d0
	expect 'End.BPF: shown' 0 \
		"fc00::77  encap seg6local_noref $shown $COUNTERS dev d0 $M" \
		h -s route show fc00::77
	expect 'End.BPF: shown in JSON' 0 \
		'[{"dst":"fc00::77","encap":{"encap_type":"seg6local_noref","action":"End.BPF","endpoint":"nop:[*fsobj]"},"dev":"d0","metric":1024,"flags":[],"pref":"medium"}]' \
		h -j route show fc00::77
	expect 'End.BPF: equal' 2 'RTNETLINK answers: File exists' \
		h route append fc00::77 dev d0 $words count
	expect 'End.BPF: another program is not equal' 0 '' \
		h route append fc00::77 dev d0 ${words%nop}other count
	expect 'End.BPF: del' 0 '' h route del fc00::77
	expect 'End.BPF: replace' 0 '' h route replace fc00::77 dev d0 $words
	expect 'End.BPF: del' 0 '' h route del fc00::77 $words
	expect 'End.BPF: program of another type' 2 \
		'Error: endpoint: not a program of type lwt_seg6local.
Offending attribute: encap endpoint' h route add fc00::77 dev d0 ${words%nop}sched
	expect 'End.BPF: surplus attribute' 2 \
		'Error: table: not used by this action.
Offending attribute: encap table' h route add fc00::77 dev d0 $words table 5
	}
	rm -r $pin
}

# object WORDS SHOWN STOCK: words behind `endpoint', what is shown, and whether
# the real ip takes the words too
object() {
	local words=$1 shown=$2 stock_too=$3

	# shellcheck disable=SC2086
	expect "End.BPF: object: $words" 0 '' h route add fc00::77 dev d0 \
		encap seg6local_noref action End.BPF endpoint $words
	expect "End.BPF: object: $words: shown" 0 \
		"fc00::77  encap seg6local_noref action End.BPF endpoint $shown dev d0 $M" \
		h route show fc00::77
	h route del fc00::77
	[ "$stock_too" = yes ] || return
	# shellcheck disable=SC2086
	"$stock" -n nr -6 route add fc00::77 dev d0 encap seg6local \
		action End.BPF endpoint $words
	expect "End.BPF: object: $words: as stock" 0 \
		"fc00::77  encap seg6local action End.BPF endpoint $shown dev d0 $M" \
		"$stock" -n nr -6 route show fc00::77
	"$stock" -n nr -6 route del fc00::77
}

objects_of_bpf() {
	local object=$dir/prog.o

	if ! clang -O2 -target bpf -c -o "$object" "$here/bpf_object.c"; then
		check 'End.BPF: an object file' compiled no
		return
	fi
	object "obj $object section seg6local/nop" \
		'prog.o:[seg6local/nop]' yes
	object "object-file $object" 'prog.o:[prog]' yes
	object "o $object sec prog" 'prog.o:[prog]' no
	object "obj $object program drop" 'prog.o:[seg6local/nop]' no
	object "obj $object program by_default section prog" 'prog.o:[prog]' no
	expect_match 'End.BPF: object: no such section' 255 \
		"Error: no program nope in $object\\." h route add fc00::77 \
		dev d0 "${E[@]}" End.BPF endpoint obj "$object" section nope
	expect_match 'End.BPF: object: refused by the verifier' 255 \
		"libbpf: .*" h route add fc00::77 \
		dev d0 "${E[@]}" End.BPF endpoint obj "$object" section bad
	expect 'End.BPF: object: refused: nothing there' 0 '' \
		h route show fc00::77
}
