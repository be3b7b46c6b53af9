#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# breaks.sh [-k KERNEL] [NAME...] - prove that the suites can fail
#
# For each line of breaks.txt (or those named): break a copy of the module,
# build it, run the suites, and see that the cases which the line names fail.
# The first run is of the module as it is, where nothing may fail.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
repo=$(dirname "$here")
cache=${SEG6NR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seg6local_noref}
work=$cache/breaks
kernel=uml-fast
passed=0
failed=0

say() {
	printf '%s\n' "$*" >&2
}

fresh_copy() {
	rm -rf "$work/module" "$work/kunit" "$work/tools" "$work/Kbuild"
	mkdir -p "$work/tools"
	cp -a "$repo/Kbuild" "$repo/module" "$repo/kunit" "$work/"
	cp -a "$repo/tools/lab" "$work/tools/"
}

# The suites that have the cases of a list.
suites_of() {
	local c

	for c in ${1//,/ }; do
		grep -lE "KUNIT_CASE(_PARAM)?\\(${c%%/*}[,)]" "$here"/*_kunit.c
	done | sed 's/_kunit.c$//; s/.*\//_/' | sort -u | paste -sd,
}

# Their rows, or the cases that have none.
rows_of() {
	local c

	for c in ${1//,/ }; do
		echo "${c##*/}"
	done | sort -u | paste -sd,
}

# What runs in the guest: the results end up in its kernel log.  KUnit proper
# has no choice of rows.
run_suites() {
	local dir flavour=ktap filter=${1-} rows=${2-}

	if [[ $kernel == uml-kunit ]]; then
		flavour=kunit
		filter='' rows=''
	fi
	dir=$("$work/tools/lab/lab" modules "$kernel" 2>"$work/build.log") ||
		return 1
	: >"$work/kernel.log"
	"$work/tools/lab/lab" run --splat-ok -t 200 -m "$dir" \
		-l "$work/kernel.log" "$kernel" -- \
		modprobe "seg6local_noref_$flavour" \
		${filter:+"filter=$filter"} ${rows:+"row=$rows"} >"$work/run.log" 2>&1 || true
}

# The failed ones as case/row, and a last line if the run got to its end.
failed_cases() {
	awk '
		{ sub(/^\[ *[0-9.]+\] /, "") }
		/# Subtest: / {
			name = $0
			sub(/.*# Subtest: /, "", name)
		}
		/^        not ok / {
			row = $0
			sub(/^ *not ok [0-9]+ /, "", row)
			print name "/" row
		}
		/^    not ok / { sub(/^ *not ok [0-9]+ /, ""); print; next }
		/^# Totals: / || /^(not )?ok [0-9]+ seg6local_noref_life/ {
			end = 1
		}
		END { if (end) print "END" }
	' "$work/kernel.log"
}

indent() {
	printf '  # %s\n' "${1//$'\n'/$'\n  # '}"
}

check() {
	local name=$1 wanted=$2 got miss='' note='' c

	got=$(failed_cases)
	for c in ${wanted//,/ }; do
		grep -qxF "$c" <<<"$got" || miss+=" $c"
	done
	if [[ $miss ]]; then
		printf 'not ok %s: not noticed by:%s\n' "$name" "$miss"
		indent "$got"
		failed=$((failed + 1))
	else
		[[ $got == *END ]] || note=', then the kernel dies'
		printf 'ok %s: %d rows fail%s\n' "$name" \
			"$(grep -cvxF END <<<"$got")" "$note"
		passed=$((passed + 1))
	fi
}

check_unbroken() {
	local got

	fresh_copy
	run_suites || {
		say "breaks: the module does not build, see $work/build.log"
		exit 1
	}
	got=$(failed_cases)
	if [[ $got == END ]]; then
		echo "ok unbroken: 0 rows fail"
		passed=$((passed + 1))
	else
		echo "not ok unbroken: the suites fail as it is"
		indent "$got"
		failed=$((failed + 1))
	fi
}

break_one() {
	local name=$1 file=$2 expression=$3 wanted=$4 kernel=${5:-$kernel}

	fresh_copy
	sed -i -E "$expression" "$work/module/$file"
	if cmp -s "$work/module/$file" "$repo/module/$file"; then
		echo "not ok $name: the expression changes nothing"
		failed=$((failed + 1))
	elif ! run_suites "$(suites_of "$wanted")" \
		"$(rows_of "$wanted")"; then
		echo "not ok $name: does not build, see $work/build.log"
		failed=$((failed + 1))
	else
		check "$name" "$wanted"
	fi
}

is_wanted() {
	(($# == 1)) || [[ " ${*:2} " == *" $1 "* ]]
}

if [[ ${1-} == -k ]]; then
	kernel=${2:?which kernel}
	shift 2
fi

mapfile -t lines < <(grep -v -e '^#' -e '^$' "$here/breaks.txt")
check_unbroken
for line in "${lines[@]}"; do
	IFS='|' read -r name file expression wanted other <<<"$line"
	is_wanted "$name" "$@" || continue
	break_one "$name" "$file" "$expression" "$wanted" "$other"
done

echo "$passed passed, $failed failed"
((failed == 0))
