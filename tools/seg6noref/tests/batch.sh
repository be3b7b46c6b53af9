#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Batches: batch.sh BUILDDIR, as root in an empty network namespace, with the
# kernel's own seg6local in the role of our encap (see slot_fixed.c).  It takes
# deletions that name our encap and refuses all else that has our payload.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare "$1"
cd "$dir" || exit

END='encap seg6local_noref action End'
REFUSED='RTNETLINK answers: Invalid argument'
EXISTS='RTNETLINK answers: File exists'

routes() {
	"$stock" -6 route show table 5 | sed 's/ .*//' | paste -sd ' '
}

piped() {
	wrapped "$@" < <(cat file)
}

# batch NAME STATUS OUTPUT ROUTES OPTION...: the file is standard input
batch() {
	local name=$1 status=$2 want=$3 left=$4

	shift 4
	cat >file
	expect "$name" "$status" "$want" wrapped -6 "$@" -batch file
	check "$name: routes" "$left" "$(routes)"
	"$stock" -6 route flush table 5
	expect "$name: by a pipe" "$status" "${want//file:/-:}" \
		piped -6 "$@" -b -
	check "$name: by a pipe: routes" "$left" "$(routes)"
	"$stock" -6 route flush table 5
}

# Each line needs what the line before it did.
order() {
	batch 'lines in order' 0 '' 'fc00::1 fc00::3' <<-END
		route add fc00::1 dev lo table 5
		# a comment

		route del fc00::1 table 5 $END
		route add fc00::1 dev lo table 5   # and one more
		route add fc00::2 dev lo table 5
		route \\
			del fc00::2 \\
			table 5 $END
		route add fc00::2 dev lo table 5
		route del "fc00::2" table '5' $END
		route add fc00::3 dev lo table 5
	END
	batch 'no newline at the end' 0 '' '' < <(printf \
		'route add fc00::1 dev lo table 5\nroute del fc00::1 table 5 %s' \
		"$END")
	batch 'nothing' 0 '' '' </dev/null
	batch 'comments alone' 0 '' '' < <(printf '# %s\n\n' "$END")
	batch 'stock lines alone' 0 '' fc00::1 <<-END
		route add fc00::1 dev lo table 5
	END
}

failures() {
	batch 'ours fails' 1 "$REFUSED
Command failed file:3" fc00::1 <<-END
		route add fc00::1 dev lo table 5

		route add fc00::2 dev lo table 5 $END
		route add fc00::3 dev lo table 5
	END
	batch 'ours fails, forced' 1 "$REFUSED
Command failed file:2
$REFUSED
Command failed file:4" 'fc00::1 fc00::3' -force <<-END
		route add fc00::1 dev lo table 5
		route add fc00::2 dev lo table 5 $END
		route add fc00::3 dev lo table 5
		nexthop add id 7 dev lo $END
	END
	batch 'a stock line fails' 1 "$EXISTS
Command failed file:4" fc00::2 <<-END
		route add fc00::1 dev lo table 5
		route del fc00::1 table 5 $END
		route add fc00::2 dev lo table 5
		route add fc00::2 dev lo table 5
		route del fc00::2 table 5 $END
	END
	batch 'a stock line fails, forced' 1 "$EXISTS
Command failed file:4
$EXISTS
Command failed file:7" 'fc00::1 fc00::3' -force <<-END
		route add fc00::1 dev lo table 5
		route del fc00::1 table 5 $END
		route add fc00::2 dev lo table 5
		route add fc00::2 dev lo table 5
		route del fc00::2 table 5 $END
		route add fc00::1 dev lo table 5
		route add fc00::1 dev lo table 5
		route add fc00::3 dev lo table 5
	END
	batch 'words of ours are wrong' 255 \
		'Error: argument "end" is wrong: "action" value is invalid

Command failed file:2' fc00::1 <<-END
		route add fc00::1 dev lo table 5
		route add fc00::2 dev lo encap seg6local_noref action end
		route add fc00::3 dev lo table 5
	END
	batch 'words of a stock line are wrong: it ends there, forced or not' \
		255 "$(echo 'route add fc00::1 metric x' |
			"$stock" -6 -force -batch - 2>&1)" fc00::1 \
		-force <<-END
		route add fc00::1 dev lo table 5
		route del fc00::9 table 5 metric x
		route add fc00::3 dev lo table 5
		route add fc00::2 dev lo $END
	END
}

# What the helper does by its own name.
own_name() {
	"$stock" -6 route add fc00::1 dev lo table 5
	printf 'route show table 5\nroute del fc00::1 table 5 %s\nroute show table 5\n' \
		"$END" >file
	expect 'own name' 0 'fc00::1 dev lo metric 1024 pref medium' \
		"$helper" -batch file
	printf 'link show\nroute show table 5\nroute add "fc00::1\n' >file
	expect 'own name, failing' 255 \
		'Object "link" is unknown, try "seg6noref --help".
Command failed file:1' "$helper" -batch file
	expect 'own name, forced' 1 \
		'Object "link" is unknown, try "seg6noref --help".
Command failed file:1
Unterminated quoted string
Command failed file:3' "$helper" -force -batch file
	expect 'no such file' 1 \
		'Cannot open file "nope" for reading: No such file or directory' \
		"$helper" -batch nope
	expect 'no such file, as ip' 1 \
		'Cannot open file "nope" for reading: No such file or directory' \
		wrapped -batch nope
}

# Listings stand where they are asked for, and know our encap.
listings() {
	local line='encap seg6local_noref action End dev lo metric 1024 pref medium'

	"$stock" -6 route add fc00::1 dev lo table 5 encap seg6local action End
	cat >file <<-END
		route show table 5
		route add fc00::2 dev lo table 5
		route show table 5
		route del fc00::2 table 5 $END
		route show table 5
	END
	expect 'listings' 0 "fc00::1  $line
fc00::1  $line
fc00::2 dev lo metric 1024 pref medium
fc00::1  $line" wrapped -6 -batch file
	expect 'listings, options around -batch' 0 "unicast $(
		wrapped -6 -d route show table 5 | sed 's/^unicast //')" \
		eval 'echo route show table 5 | wrapped -6 -force -batch - -d'
	"$stock" -6 route flush table 5
}

# Someone at the other end of a pipe who waits for each answer.
dialogue() {
	local line

	coproc wrapped -6 -batch - 2>&1
	echo 'route add fc00::1 dev lo table 5' >&"${COPROC[1]}"
	echo 'route add fc00::1 dev lo' >&"${COPROC[1]}"
	echo 'route get fc00::1' >&"${COPROC[1]}"
	read -r -t 10 line <&"${COPROC[0]}"
	check 'answered before the next line' 'fc00::1 from :: dev lo' \
		"${line%% src*}"
	echo "route del fc00::1 table 5 $END" >&"${COPROC[1]}"
	echo 'route show table 5' >&"${COPROC[1]}"
	echo 'route add fc00::2 dev lo table 5' >&"${COPROC[1]}"
	eval "exec ${COPROC[1]}>&-"
	wait "$COPROC_PID"
	check 'status of a dialogue' 0 $?
	check 'routes of a dialogue' fc00::2 "$(routes)"
}

# A process that a line leaves behind holds standard error open.
left_behind() {
	printf '#!/bin/sh\nsleep 60 >/dev/null &\necho $! >%s\n' "$dir/pid" \
		>daemon
	chmod +x daemon
	"$stock" netns add "seg6noref-$$"
	cat >file <<-END
		netns exec seg6noref-$$ $dir/daemon
		route del fc00::2 table 5 $END
	END
	expect 'a process left behind' 0 '' timeout 30 "$dir/bin/ip" -b file
	check 'a process left behind: the rest is done' '' "$(routes)"
	kill "$(cat pid)"
	"$stock" netns del "seg6noref-$$"
}

# Lines longer than any buffer, and many of them.
large() {
	local i

	for ((i = 1; i <= 3000; i++)); do
		printf 'route add fc01::%x dev lo table 5\n' "$i"
		((i % 500)) || printf 'route del fc01::%x table 5 %s\n' "$i" \
			"$END"
	done >file
	printf 'route add fc02::1 dev lo table 5 # %200000s\n' x >>file
	echo "route del fc02::1 table 5 $END" >>file
	expect 'thousands of lines' 0 '' wrapped -6 -batch file
	check 'thousands of lines: routes' 2994 \
		"$("$stock" -6 route show table 5 | wc -l)"
}

"$stock" link set lo up
"$stock" -6 route add default dev lo table 5
"$stock" -6 route del default table 5
order
failures
own_name
listings
dialogue
left_behind
large
finish
