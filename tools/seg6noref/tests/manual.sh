#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The manual page and the help texts: manual.sh BUILDDIR, as root in an empty
# network namespace.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare "$1"

page=$here/../seg6noref.8

examples() {
	sed -n '/^\.SH EXAMPLES/,/^\.SH ENVIRONMENT/p' "$page"
}

# The commands of the examples, continued lines joined; those of its own name,
# in this namespace.
commands() {
	examples | sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' |
		sed -n 's/^# seg6noref //p' | sed 's/^-n [^ ]* //'
}

# A word is shown in use, not only named.
shown_in_use() {
	local word

	for word in End End.X End.T End.DX2 End.DX6 End.DX4 End.DT6 End.DT4 \
		    End.DT46 End.B6 End.B6.Encaps End.BPF; do
		check "an example of $word" yes "$(examples |
			grep -qE "action ${word//./\\.}( |\$)" && echo yes)"
	done
	for word in psp usp usd next-csid replace-csid; do
		check "an example of $word" yes "$(examples |
			grep -qE "flavors ([a-z-]+,)*$word" && echo yes)"
	done
	for word in route nexthop monitor convert restore stats check; do
		check "an example of $word" yes "$(examples |
			grep -qE "^# seg6noref (-[a-z]+ ([a-z0-9]+ )?)*$word" &&
			echo yes)"
	done
}

# The kernel's own encap plays ours here and refuses what is sent; but words
# that are wrong are found before.
understood() {
	local words=() rc

	while read -r -a words; do
		case " ${words[*]} " in
		*' -batch '* | *' monitor '* | *' restore '* | *' endpoint '*)
			continue ;;
		esac
		timeout 10 "$helper" "${words[@]}" >"$dir/said" 2>&1
		rc=$?
		[ $rc -le 2 ] && ! grep -q 'Cannot find device' "$dir/said" &&
			rc='understood'
		check "example: ${words[*]}" understood "$rc"
	done < <(commands)
}

fits() {
	local text

	text=$("$helper" "$@" 2>&1)
	check "$*: fits a screen" yes "$([ "$(wc -l <<<"$text")" -le 24 ] &&
		[ "$(wc -L <<<"$text")" -le 80 ] && echo yes)"
}

"$stock" link set lo up
for dev in eth0 eth2; do
	"$stock" link add $dev type veth peer name ${dev/eth/peer}
	"$stock" link set $dev up
done
"$stock" link add vrf100 type veth peer name eth1
"$stock" link set eth1 up
shown_in_use
understood
fits --help
fits --version
check 'the version is that of the module' \
	"$(sed -n 's/^#define SEG6NR_VERSION\t*"\(.*\)"/\1/p' \
		"$here/../../../module/uapi.h")" \
	"$("$helper" --version | sed 's/^seg6noref \([^,]*\),.*/\1/')"
if command -v man >/dev/null; then
	check 'no warnings of man' '' \
		"$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" \
			2>&1 >/dev/null)"
fi
finish
