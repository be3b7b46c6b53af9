# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# lib.sh - numbered results in TAP, for the scripts of this directory

passed=0
failed=0

# where PROGRAM: what all scripts have in common
where() {
	here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
	helper=$(readlink -f "$1")
	stock=$(command -v ip)
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	mkdir "$dir/bin"
	ln -s "$helper" "$dir/bin/ip"
}

# prepare BUILDDIR: without the module, in an empty network namespace
prepare() {
	build=$(readlink -f "$1")
	where "$build/seg6noref"
	if [ "$("$stock" -6 route show table all | wc -l)" != 0 ]; then
		echo 'Bail out! This needs an empty network namespace: unshare -n'
		exit 1
	fi
}

# With the module, where the helper is built or SEG6NOREF says.
prepare_guest() {
	where "${SEG6NOREF:-$(dirname "${BASH_SOURCE[0]}")/../seg6noref}"
}

# The helper by its other name.
wrapped() {
	PATH=$dir/bin:$PATH ip "$@"
}

note() {
	echo "# $*"
}

# check NAME WANT GOT
check() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $1"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $((passed + failed)) - $1"
	printf '%s\n' "$2" | sed 's/^/# want: /'
	printf '%s\n' "$3" | sed 's/^/# got:  /'
}

# expect NAME STATUS OUTPUT COMMAND...: stdout and stderr together
expect() {
	local name=$1 status=$2 want=$3 got

	shift 3
	got=$("$@" 2>&1)
	check "$name" "$want (status $status)" "$got (status $?)"
}

# The same, but OUTPUT is an extended regular expression for its first line.
expect_match() {
	local name=$1 status=$2 want=$3 got rc

	shift 3
	got=$("$@" 2>&1)
	rc=$?
	if [ $rc = "$status" ] && head -n 1 <<<"$got" | grep -qxE "$want"; then
		check "$name" "$want" "$want"
	else
		check "$name" "$want (status $status)" "$got (status $rc)"
	fi
}

# segments COUNT: as many addresses, with commas between
segments() {
	local i

	for ((i = 1; i <= $1; i++)); do
		printf 'fc00::%x' "$i"
		[ "$i" = "$1" ] || printf ','
	done
}

finish() {
	echo "1..$((passed + failed))"
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
