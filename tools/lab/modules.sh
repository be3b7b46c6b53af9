# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The modules of this repository, built for a kernel in a private copy.

# One per checkout and kernel.
modules_dir() {
	echo "$CACHE/modules/$(sha256sum <<<"$REPO" | cut -c1-8)/$1"
}

list_sources() {
	(cd "$1" && find Kbuild module kunit -type f \( -name '*.[ch]' \
		-o -name Kbuild -o -name Makefile \) ! -name '*.mod.c' \
		2>/dev/null | sort)
}

# Only what differs is written, for make to see what changed.
copy_sources() {
	local from=$1 to=$2 f

	comm -13 <(list_sources "$from") <(list_sources "$to") |
		while IFS= read -r f; do
			rm -f "$to/$f"
		done
	list_sources "$from" | while IFS= read -r f; do
		cmp -s "$from/$f" "$to/$f" && continue
		mkdir -p "$to/$(dirname "$f")"
		cp "$from/$f" "$to/$f"
	done
}

# make in a kernel's build directory, with a compiler that suits the kernel.
kernel_make() {
	local kernel=$1 suite

	shift
	[[ $(kernel_arch "$kernel") == amd64 ]] ||
		set -- CROSS_COMPILE=aarch64-linux-gnu- "$@"
	set -- make -C "$(kernel_kdir "$kernel")" "$@"
	suite=$(build_suite "$kernel")
	if [[ $suite ]]; then
		in_suite "$suite" "$@"
	else
		"$@"
	fi
}

cmd_make() {
	check_kernel "${1-}"
	need_kernel "$1"
	prepare_build "$1"
	kernel_make "$@"
}

cmd_modules() {
	local kernel=${1-} dir log flavour=ktap

	check_kernel "$kernel"
	[[ -f $REPO/Kbuild ]] || fail "no Kbuild in $REPO"
	need_kernel "$kernel"
	prepare_build "$kernel"
	[[ $kernel == uml-kunit ]] && flavour=kunit
	dir=$(modules_dir "$kernel")
	log=$dir.log
	mkdir -p "$dir"
	lock "modules.$(basename "$(dirname "$dir")").$kernel"
	# Built against another kernel than the cached one: start anew.
	cmp -s "$CACHE/kernels/$kernel/stamp" "$dir/.kernel" || rm -rf "$dir"
	mkdir -p "$dir"
	copy_sources "$REPO" "$dir"
	say "$kernel: building the modules (log: $log)"
	with_progress "$kernel: modules" "$log" \
		kernel_make "$kernel" M="$dir" W=1 \
		SEG6NR_KUNIT="$flavour" -j"$(nproc)" modules
	grep -E 'warning:|^WARNING' "$log" >&2 || true
	cp "$CACHE/kernels/$kernel/stamp" "$dir/.kernel"
	echo "$dir"
}
