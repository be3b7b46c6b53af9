# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The cells of the matrix: a function each, called with a kernel's name, that
# prints what happens and succeeds, fails, or returns SKIP after "skip: WHY".

# shellcheck source=tools/matrix/arm64.sh
. "$HERE/arm64.sh"

# Below this one directory per kernel the modules are built.
build_dir() {
	echo "$DIR/build/$1"
}

# Only what differs is copied, for make to see what has changed.
copy_sources() {
	mkdir -p "$1"
	(cd "$REPO" && tar -cf - --exclude='*.o' --exclude='*.cmd' \
		--exclude='*.mod*' --exclude='*.ko' Kbuild module kunit) |
		tar -C "$1" --skip-old-files -xf -
	(cd "$REPO" && find Kbuild module kunit -type f \
		\( -name '*.[ch]' -o -name Kbuild \)) | while read -r f; do
		cmp -s "$REPO/$f" "$1/$f" || cp "$REPO/$f" "$1/$f"
	done
}

# make in the kernel's headers; its output goes to a log as well. The KUnit
# sources take part, over their stand-in for KUnit. Always with W=1: with
# other flags everything would be compiled again.
build() {
	local kernel=$1 dir

	shift
	dir=$(build_dir "$kernel")
	copy_sources "$dir"
	$LAB make "$kernel" M="$dir" SEG6NR_KUNIT=ktap W=1 -j"$(nproc)" "$@" \
		modules 2>&1 | tee "$dir.log"
	return "${PIPESTATUS[0]}"
}

# Says which lines of the last build match; true if none.
no_such_line() {
	! grep -E "$2" "$(build_dir "$1").log" | sed 's/^/not ok /' | grep .
}

# Modules for the cells that boot.
need_modules() {
	local dir

	dir=$(build_dir "$1")
	[[ -f $dir/kunit/seg6local_noref_ktap.ko ]] &&
		cmp -s "$CACHE/kernels/$1/stamp" "$dir.kernel" &&
		build "$1" >/dev/null && return
	rm -rf "$dir"
	build "$1" && cp "$CACHE/kernels/$1/stamp" "$dir.kernel"
}

in_guest() {
	local kernel=$1 seconds=$2

	shift 2
	need_modules "$kernel" || return
	$LAB run "${CPUS[@]}" -t "$seconds" -m "$(build_dir "$kernel")" \
		"$kernel" -- "$@"
}

# --- building ---

# From nothing, for an object of an earlier build would hide its warnings.
cell_w1() {
	local dir

	dir=$(build_dir "$1")
	rm -rf "$dir"
	build "$1" && cp "$CACHE/kernels/$1/stamp" "$dir.kernel" &&
		no_such_line "$1" 'warning:|error:'
}

# What modpost says, and that no symbol is left over which it was told to let
# pass.
cell_modpost() {
	local dir

	need_modules "$1" || return
	dir=$(build_dir "$1")
	find "$dir" \( -name '*.ko' -o -name '*.mod.c' -o -name '*.mod.o' \
		-o -name Module.symvers \) -delete
	build "$1" && no_such_line "$1" 'WARNING|ERROR|undefined!' &&
		modinfo "$dir/module/seg6local_noref.ko"
}

# Sparse takes the length of a string, which MODULE_*() of 7.3 asserts, for no
# constant; and some inline functions of the kernel's own headers earn warnings
# wherever they are included. What is said of such lines is dropped.
drop_foreign() {
	local line file at

	while IFS= read -r line; do
		[[ $line != */usr/src/linux-headers-*' warning: '* ]] ||
			continue
		if [[ $line == *'error: bad constant expression' ]]; then
			IFS=: read -r file at _ <<<"$line"
			[[ $file == /* ]] || file=$(build_dir "$1")/$file
			sed -n "${at}p" "$file" | grep -qE \
				'^(SEG6NR_)?MODULE_|^module_param' && continue
		fi
		printf '%s\n' "$line"
	done
}

# The compiled objects stay: only sparse runs. Headers of 7.3 ask a script for
# leave to run it that the package lacks (said here, it is not taken back) and
# use a word that no sparse of a Debian release knows.
cell_sparse() {
	need_modules "$1" && build "$1" C=2 KBUILD_CHECKSRC=2 \
		CHECK="sparse -D__typeof_unqual__=__typeof__" || return
	grep -q '^  CHECK' "$(build_dir "$1").log" || return
	! drop_foreign "$1" <"$(build_dir "$1").log" |
		grep -E 'warning:|error:'
}

# make install and uninstall of a checkout under the release's own DKMS, with
# the packages of the kernel's headers installed.
cell_dkms() {
	local debs

	debs=$($LAB debs "$1") || return
	$LAB in "$1" tools/matrix/dkms-inside "$debs" | tee "$DIR/dkms.$1"
	((PIPESTATUS[0] == 0)) && grep -q '^ok dkms-.*/nothing_left' \
		"$DIR/dkms.$1"
}

# --- booting ---

cell_boot() {
	in_guest "$1" 300 tools/matrix/boot-inside
}

# The in-tree code of 5.10 has so few of the actions and is so different that
# there is little to compare with; it counts nothing, which leaves out the
# cases that mix both encaps. Nor has it a limit of nested End.BPF, so that
# ours ends such packets, elsewhere than a case expects.
ONLY_OURS_510=(--encap seg6local_noref --case
	'^(?!bpf_126_copies|nested_(kernel|ours_then|decap_then|four_each))')

# Both encaps, where it is known what the kernel's own does otherwise.
cell_vectors() {
	local series=${1#debian-} args=() quirks

	series=${series%%-*}
	quirks=tools/matrix/quirks-$series.txt
	[[ ! -f $quirks ]] || args=(--kernel-quirks "$quirks")
	[[ $series != 5.10 ]] || args=("${ONLY_OURS_510[@]}")
	in_guest "$1" 3600 tools/functional/run.py "${args[@]}"
}

cell_helper() {
	in_guest "$1" 3600 tools/seg6noref/tests/guest.sh
}

# The suites say how they went in the kernel's log, and in parameters.
suite() {
	# shellcheck disable=SC2016
	set -- "$1" "$2" sh -c 'modprobe "$1"; rc=$?; dmesg
		cd /sys/module/"$1"/parameters || exit 1
		echo "$(cat passed) passed, $(cat failed) failed," \
			"$(cat skipped) skipped"
		exit $rc' sh
	in_guest "$@" seg6local_noref_ktap
}

cell_suite() {
	case $1 in
	*-arm64) arm64_suite "$1" ;;
	*) suite "$1" 3600 ;;
	esac
}

# KUnit needs a kernel that has it; Debian's have not. The lab builds one of
# the newest source.
cell_kunit() {
	local twin=uml-kunit

	if [[ $1 != debian-7.3 ]]; then
		echo "skip: no kernel with KUnit of this source is built"
		return "$SKIP"
	fi
	$LAB modules $twin >/dev/null || return
	# shellcheck disable=SC2016
	$LAB run -t 3600 $twin -- sh -c \
		'modprobe seg6local_noref_kunit; rc=$?; dmesg; exit $rc' \
		>"$DIR/kunit.raw" 2>&1 || {
		cat "$DIR/kunit.raw"
		return 1
	}
	awk -v area=kunit -f "$REPO/tools/test/tally.awk" "$DIR/kunit.raw" |
		tee "$DIR/kunit.tap"
	echo "$(grep -c '^ok' "$DIR/kunit.tap") passed," \
		"$(grep -c '^not ok' "$DIR/kunit.tap") failed"
	! grep -q '^not ok' "$DIR/kunit.tap"
}
