# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# guest_refusals.sh - what is refused, in which words and with which status;
# sourced by guest.sh

# refused STATUS WORDS MESSAGE: words of the encap, a part of the message
refused() {
	local got rc

	# shellcheck disable=SC2086
	got=$(h route add fc00::77 dev d0 encap seg6local_noref $2 2>&1)
	rc=$?
	if [ $rc = "$1" ] && [[ $got = *"$3"* ]]; then
		check "refused: $2" "$3" "$3"
	else
		check "refused: $2" "... $3 ... (status $1)" "$got (status $rc)"
	fi
}

# STATUS; WORDS; MESSAGE
refusal_table() {
	cat <<-'END'
		2; action End.X; nh6: missing.
		2; action End.X oif d1; nh6: missing.
		2; action End.T; table: missing.
		2; action End.T count; table: missing.
		2; action End.DX2; oif: missing.
		2; action End.DX6; nh6: missing.
		2; action End.DX4; nh4: missing.
		2; action End.DX4 nh6 fc01::2; nh4: missing.
		2; action End.DT6; table, vrftable: one of them must be given.
		2; action End.DT6 table 5 vrftable 100; table, vrftable: one of them must be given.
		2; action End.DT4; vrftable: missing.
		2; action End.DT4 table 5; table: not used by this action.
		2; action End.DT46; vrftable: missing.
		2; action End.B6; srh: missing.
		2; action End.B6.Encaps count; srh: missing.
		2; action End.BPF; endpoint: missing.
		2; action End nh4 10.1.0.2; nh4: not used by this action.
		2; action End nh6 fc01::2; nh6: not used by this action.
		2; action End table 5; table: not used by this action.
		2; action End vrftable 100; vrftable: not used by this action.
		2; action End iif d1; iif: not used by this action.
		2; action End oif d1; oif: not used by this action.
		2; action End srh segs fc02::1; srh: not used by this action.
		2; action End.X nh6 fc01::2 table 5; table: not used by this action.
		2; action End.X nh6 fc01::2 nh4 10.1.0.2; nh4: not used by this action.
		2; action End.X nh6 fc01::2 iif d1; iif: not used by this action.
		2; action End.T table 5 vrftable 100; vrftable: not used by this action.
		2; action End.T table 5 nh6 fc01::2; nh6: not used by this action.
		2; action End.T table 5 oif d1; oif: not used by this action.
		2; action End.DX2 oif d1 nh6 fc01::2; nh6: not used by this action.
		2; action End.DX2 oif d1 flavors psp; flavors: not used by this action.
		2; action End.DX6 nh6 fc01::2 oif d1; oif: not used by this action.
		2; action End.DX6 nh6 fc01::2 flavors usd; flavors: not used by this action.
		2; action End.DX6 nh6 :: flavors replace-csid; flavors replace-csid: not used by this action.
		2; action End.DX4 nh4 10.1.0.2 nh6 fc01::2; nh6: not used by this action.
		2; action End.DX4 nh4 10.1.0.2 table 5; table: not used by this action.
		2; action End.DT6 table 5 nh6 fc01::2; nh6: not used by this action.
		2; action End.DT6 table 5 flavors psp; flavors: not used by this action.
		2; action End.DT6 table 5 oif d1; oif: not used by this action.
		2; action End.DT4 vrftable 100 flavors next-csid; flavors: not used by this action.
		2; action End.DT46 vrftable 100 table 5; table: not used by this action.
		2; action End.DT46 vrftable 100 nh4 10.1.0.2; nh4: not used by this action.
		2; action End.B6 srh segs fc02::1 flavors psp; flavors: not used by this action.
		2; action End.B6 srh segs fc02::1 table 5; table: not used by this action.
		2; action End.B6.Encaps srh segs fc02::1 nh6 fc01::2; nh6: not used by this action.
		2; action End.B6.Encaps srh segs fc02::1 oif d1; oif: not used by this action.
		2; action End.DT4 vrftable 77; vrftable: table has no associated VRF device.
		2; action End.DT6 vrftable main; vrftable: table has no associated VRF device.
		2; action End.DT46 vrftable 0; vrftable: table has no associated VRF device.
		2; action End.BM; action: unknown.
		2; action End.S; action: unknown.
		2; action End.AS nh6 fc01::2; action: unknown.
		2; action End.AM; action: unknown.
		2; action End flavors next-csid lblen 17; lblen and nflen must be multiples of 8
		2; action End flavors next-csid lblen 120 nflen 16; that fit the address.
		2; action End flavors next-csid lblen 130 nflen 0; that fit the address.
		2; action End flavors next-csid lblen 0 nflen 0; that fit the address.
		2; action End flavors next-csid nflen 0; that fit the address.
		2; action End flavors next-csid nflen 12; lblen and nflen must be multiples of 8
		2; action End.X nh6 :: flavors psp,next-csid lblen 128; that fit the address.
		2; action End.T table 5 flavors next-csid lblen 255 nflen 255; that fit the address.
		2; action End flavors next-csid,replace-csid; next-csid and replace-csid exclude each other.
		2; action End.X nh6 :: flavors psp,replace-csid,next-csid lblen 48; exclude each other.
		2; action End flavors replace-csid nflen 24; replace-csid wants an nflen of 16 or 32.
		2; action End.T table 5 flavors usp,replace-csid nflen 8; replace-csid wants an nflen of 16 or 32.
		2; action End flavors replace-csid lblen 96 nflen 32; that fit the address.
		2; action End flavors replace-csid lblen 17; lblen and nflen must be multiples of 8
		2; action End flavors replace-csid lblen 0; lblen and nflen must be multiples of 8
		255; action End.DX2 oif nope; Cannot find device "nope"
		255; action End flavors psp lblen 32; "lblen" is a garbage.
		255; action End flavors psp,usp,psp; invalid "flavors" attribute
		255; action End.BM.X; "action" value is invalid
		255; table 5; Missing action type
		1; action End.X nh6 10.1.0.2; inet6 address is expected rather than "10.1.0.2".
		1; action End.DX4 nh4 fc01::2; inet address is expected rather than "fc01::2".
	END
}

refusal_rows() {
	local status words message

	while IFS=';' read -r status words message; do
		refused "$status" "${words# }" "${message# }"
	done < <(refusal_table)
	expect 'refused: segment lists that do not fit' 255 \
		'Error: 127 segments do not fit into an SRH with the one that is added.' \
		h route add fc00::77 "${E[@]}" End.B6 srh segs "$(segments 127)" dev d0
	ip netns exec nr sysctl -qw net.vrf.strict_mode=0
	refused 2 'action End.DT46 vrftable 100' \
		'vrftable: strict mode for VRF is disabled (sysctl net.vrf.strict_mode).'
	ip netns exec nr sysctl -qw net.vrf.strict_mode=1
	expect 'refused: nothing was added' 0 '' h route show fc00::77
}

# The second line names the attribute, wherever it is.
offenders() {
	expect 'offending attribute' 2 \
		'Error: table: not used by this action.
Offending attribute: encap table' h route add fc00::9 "${E[@]}" End table 5 dev d0
	expect 'offending attribute: the encap where one is missing' 2 \
		'Error: nh6: missing.
Offending attribute: encap' h route add fc00::9 "${E[@]}" End.X dev d0
	expect 'offending attribute: flavors of our own' 2 \
		'Error: flavors: replace-csid wants an nflen of 16 or 32.
Offending attribute: encap flavors' \
		h route add fc00::9 "${E[@]}" End flavors replace-csid nflen 64 dev d0
	expect 'offending attribute: in a nexthop' 2 \
		'Error: nh4: not used by this action.
Offending attribute: nexthop encap nh4' h route add fc00::9 \
		nexthop via fc01::2 dev d0 "${E[@]}" End \
		nexthop via fc01::3 "${E[@]}" End nh4 10.1.0.2 dev d0
	expect 'offending attribute: in a nexthop object' 2 \
		'Error: oif: not used by this action.
Offending attribute: encap oif' \
		h nexthop add id 9 "${E[@]}" End oif d1 via fc01::2 dev d0
}

refusals() {
	refusal_rows
	offenders
}
