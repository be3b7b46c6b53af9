# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by what needs the injector: LAB and REPO are set there.

# test_modules KERNEL DIR [MODDIR]: into DIR, the injector and the module under
# test (that of this checkout, unless built in MODDIR).
test_modules() {
	local kernel=$1 to=$2 ours=${3:-} f kdir
	local work=${SEG6NR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/seg6local_noref}

	work+=/injector/$kernel
	mkdir -p "$work"
	kdir=$("$LAB" kdir "$kernel")
	[[ $ours ]] || ours=$("$LAB" modules "$kernel")
	exec {lock}>"$work.lock"
	flock "$lock"
	for f in "$REPO"/tools/fuzz/injector/{Kbuild,*.[ch]}; do
		cmp -s "$f" "$work/${f##*/}" || cp "$f" "$work"
	done
	make -s -C "$kdir" M="$work" ARCH=um W=1 modules >&2
	find "$ours" -name 'seg6local_noref.ko' -exec cp -t "$to" {} +
	cp "$work/seg6nr_inject.ko" "$to"
	exec {lock}>&-
}
