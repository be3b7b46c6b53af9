#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion in bash: completion.sh BUILDDIR
set -u

here=$(cd "$(dirname "$0")" && pwd)
helper=$(readlink -f "$1")/seg6noref

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../completion/seg6noref
. "$here/../completion/seg6noref"

# offered LINE: what is offered for its last word, in order of the alphabet
offered() {
	local last=

	read -r -a COMP_WORDS <<<"$1"
	[[ $1 = *' ' ]] && COMP_WORDS+=("$last")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_seg6noref
	printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd ' '
}

# line | words
cases() {
	cat <<-'END'
		seg6noref |check convert help monitor nexthop restore route stats
		seg6noref r|restore route
		seg6noref -|--help --version -6 -Numeric -Version -batch -details -force -help -human-readable -iec -json -netns -oneline -pretty -statistics
		seg6noref -j rou|route
		seg6noref -s route f|flush
		seg6noref -n blue route re|replace
		seg6noref route add fc00::1 e|encap expires
		seg6noref route add fc00::1 encap |seg6local_noref
		seg6noref route add fc00::1 encap seg6local_noref |action
		seg6noref route add fc00::1 encap seg6local_noref action End.D|End.DT4 End.DT46 End.DT6 End.DX2 End.DX4 End.DX6
		seg6noref route add fc00::1 encap seg6local_noref action End.X n|nexthop nh6 nhid
		seg6noref route add fc00::1 encap seg6local_noref action End.DT6 v|via vrf vrftable
		seg6noref route add fc00::1 encap seg6local_noref action End fl|flavors
		seg6noref route add fc00::1 encap seg6local_noref action End flavors |next-csid psp replace-csid usd usp
		seg6noref route add fc00::1 encap seg6local_noref action End flavors psp,us|psp,usd psp,usp
		seg6noref route add fc00::1 encap seg6local_noref action End flavors psp,next-csid l|lblen
		seg6noref route add fc00::1 encap seg6local_noref action End flavors next-csid lblen 48 nf|nflen
		seg6noref route add fc00::1 encap seg6local_noref action End.B6 srh |segs
		seg6noref route add fc00::1 encap seg6local_noref action End.BPF endpoint |obj pinned
		seg6noref route add fc00::1 rt|rto_min rtt rttvar
		seg6noref route add fc00::1 via |
		seg6noref route add fc00::1 dev l|lo
		seg6noref route show t|table type
		seg6noref route show table m|main
		seg6noref route get fc00::1 fi|fibmatch
		seg6noref nexthop add id 7 enc|encap
		seg6noref nexthop show i|id
		seg6noref convert --|--dry-run --rate --to
		seg6noref convert --to |noref stock
		seg6noref monitor n|nexthop
		seg6noref check |help
	END
}

while IFS='|' read -r line words; do
	check "completion: $line" "$words" "$(offered "$line")"
done < <(cases)

# Each word that is offered has to be one.
for action in $_seg6noref_actions; do
	check "completion: action $action" '' \
		"$("$helper" route add fc00::1 encap seg6local_noref \
			action "$action" x 2>&1 | grep '"action"')"
done
for metric in $_seg6noref_metrics; do
	check "completion: metric $metric" \
		'Command line is not complete. Try option "help"' \
		"$("$helper" route add fc00::1 "$metric" 2>&1)"
done
finish
