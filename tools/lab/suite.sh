# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian releases other than the host's, as chroots: their kernels are built
# for with their compilers, and have their DKMS.

SUITE_PACKAGES="dkms gcc iproute2 libc6-dev libmnl-dev make pkg-config sparse"

# The release that a kernel is of.
kernel_suite() {
	local dir=$CACHE/kernels/$1

	if [[ -f $dir/suite ]]; then
		cat "$dir/suite"
	elif [[ $1 == debian-6.1 ]]; then
		echo bookworm
	fi
}

# The compiler's package, which has the compiler's name.
kernel_compiler() {
	local name

	name=$(grep -oE 'gcc-[0-9.]+$' "$(kernel_kdir "$1")/.kernelvariables" |
		head -n 1)
	[[ $(kernel_arch "$1") == amd64 ]] || name+=-aarch64-linux-gnu
	echo "$name"
}

# The release to build a kernel's modules in; empty where the host does.
build_suite() {
	local host

	[[ $1 == uml-* ]] && return
	if [[ $(kernel_arch "$1") == arm64 ]]; then
		kernel_suite "$1"
		return
	fi
	host=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	[[ $(kernel_suite "$1") == "$host" ]] &&
		command -v "$(kernel_compiler "$1")" >/dev/null && return
	kernel_suite "$1"
}

prepare_build() {
	[[ -z $(build_suite "$1") ]] || make_suite "$1"
}

# Runs a command in a release, over which a layer is put that is gone
# afterwards; the cache and the checkout are where they are on the host.
in_suite() {
	local base=$CACHE/suites/$1

	shift
	((EUID == 0)) || fail "needs root, for a chroot"
	# shellcheck disable=SC2016
	unshare --mount --pid --fork --kill-child bash -euc '
		base=$1 cwd=$2 root=/mnt/host
		mount -t tmpfs tmpfs /mnt
		mkdir /mnt/upper /mnt/work "$root"
		mount -t overlay overlay "$root" \
			-o "lowerdir=$base,upperdir=/mnt/upper,workdir=/mnt/work"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		for dir in "$3" "$4"; do
			mkdir -p "$root$dir"
			mount --bind "$dir" "$root$dir"
		done
		shift 4
		exec chroot "$root" env -C "$cwd" "$@"
	' bash "$base" "$REPO" "$CACHE" "$REPO" "$@"
}

# A release with what builds a kernel's modules.
make_suite() {
	local kernel=$1 suite

	suite=$(kernel_suite "$kernel")
	# In a shell of its own, which drops the lock when it ends.
	(
		lock "suite.$suite"
		bootstrap_suite "$suite"
		suite_tools "$kernel" "$suite"
	)
}

bootstrap_suite() {
	local suite=$1 dir=$CACHE/suites/$1 mirror

	[[ -f $dir/.complete ]] && return
	((EUID == 0)) || fail "needs root, for a chroot"
	need_packages debootstrap debian-archive-keyring
	mirror=$(find_mirror Debian)
	[[ $mirror ]] || fail "apt of this host has no Debian repository"
	rm -rf "$dir"
	mkdir -p "$dir"
	with_progress "debootstrap $suite" "$dir.log" debootstrap \
		--variant=minbase --include="${SUITE_PACKAGES// /,}" "$suite" \
		"$dir" "$mirror"
	rm -rf "$dir"/var/cache/apt/archives/*.deb
	echo 'Acquire::Check-Valid-Until "false";' \
		>"$dir/etc/apt/apt.conf.d/90lab"
	touch "$dir/.complete"
}

# The compiler that a kernel was built with and what its build programs need:
# of the suite that the kernel is from.
suite_tools() {
	local kernel=$1 dir=$CACHE/suites/$2 mark kbuild

	mark=$dir/.tools-$kernel
	cmp -s "$mark" "$CACHE/kernels/$kernel/stamp" && return
	find_debian_version "$kernel" ||
		unavailable "tools for $kernel"
	kbuild=$(debian_kbuild_package)
	echo "deb $DEB_URI $DEB_SUITE main" \
		>"$dir/etc/apt/sources.list.d/$DEB_SUITE.list"
	with_progress "tools for $kernel" "$dir.$kernel.log" \
		suite_install "$dir" "$(kernel_compiler "$kernel")" "$kbuild" \
		linux-base
	cp "$CACHE/kernels/$kernel/stamp" "$mark"
}

suite_install() {
	local dir=$1

	shift
	# shellcheck disable=SC2016
	unshare --mount --pid --fork --kill-child bash -euc '
		dir=$1
		shift
		mount -t proc proc "$dir/proc"
		export DEBIAN_FRONTEND=noninteractive
		cp /etc/resolv.conf "$dir/etc/resolv.conf"
		chroot "$dir" apt-get -q update
		chroot "$dir" apt-get -q -y install --no-install-recommends "$@"
		chroot "$dir" apt-get clean
	' bash "$dir" "$@" </dev/null
}
