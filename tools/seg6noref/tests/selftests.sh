#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands of the kernel's selftests (selftests.txt) with our encap, as root
# on a kernel with the module: each has the exit status that the stock command
# has with the kernel's own encap on Linux 7.3.  There, that is tried as well.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare_guest

# The kernel's own encap is what the statuses are of from there on.
release=$(uname -r)
stock_too=no
[ "$(printf '7.3\n%s\n' "$release" | sort -V | head -n 1)" = 7.3 ] &&
	stock_too=yes

made=' '

# namespace NAME: with VRFs that can be used
namespace() {
	[[ $made = *" $1 "* ]] && return
	"$stock" netns add "$1"
	"$stock" netns exec "$1" sysctl -qw net.vrf.strict_mode=1
	made+="$1 "
}

# device NAMESPACE NAME
device() {
	[[ $made = *" $1/$2 "* ]] && return
	if [[ $2 = vrf-* ]]; then
		"$stock" -n "$1" link add "$2" type vrf table "${2#vrf-}"
	else
		"$stock" -n "$1" link add "$2" type dummy
	fi
	"$stock" -n "$1" link set "$2" up
	made+="$1/$2 "
}

# The devices that a command names.
devices() {
	local ns=$1 word before=

	shift
	for word; do
		case $before in
		dev | oif) device "$ns" "$word" ;;
		esac
		before=$word
	done
}

# status ENCAP IP STATUS OPTION NAMESPACE WORDS...
status() {
	local encap=$1 ip=$2 want=$3 opt=$4 ns=$1-$5 got

	shift 5
	namespace "$ns"
	devices "$ns" "$@"
	set -- "${@/#seg6local/$encap}"
	"$ip" "$opt" "$ns" -6 route "$@" >"$dir/said" 2>&1
	got=$?
	check "$encap: $section: ip $opt $ns -6 route $*" "$want" "$got"
	[ "$want" = "$got" ] || sed 's/^/# said: /' "$dir/said"
}

# Deletions of what could not be added fail everywhere.
words_in() {
	"$stock" -n "$1" -6 route show table all | grep -o ' encap [^ ]*'
}

end_section() {
	local ns left=

	for ns in $made; do
		[[ $ns = seg6local_noref-* && $ns != */* ]] || continue
		left+=$(words_in "$ns" | grep 'encap seg6local')
	done
	[ -z "$section" ] || check "$section: no encap but ours" '' "$left"
	for ns in $made; do
		[[ $ns = */* ]] || "$stock" netns del "$ns"
	done
	made=' '
}

modprobe -a dummy vrf seg6local_noref || exit
count=0
section=
while read -r -a line; do
	case ${line[0]-#} in
	\#*) continue ;;
	\[*)
		end_section
		section=${line[0]}
		continue
		;;
	esac
	count=$((count + 1))
	status seg6local_noref "$dir/bin/ip" "${line[@]}"
	[ $stock_too = no ] || status seg6local "$stock" "${line[@]}"
done <"$here/selftests.txt"
end_section
check 'commands' 141 $count
finish
