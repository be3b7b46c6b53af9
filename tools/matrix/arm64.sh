# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A stock arm64 kernel under QEMU with the suites as its only work. The host's
# programs cannot run there, so the guest's root is a static busybox and the
# modules: whatever needs more stays with amd64.

# shellcheck source=tools/lab/common.sh
. "$REPO/tools/lab/common.sh"
# shellcheck source=tools/lab/fetch.sh
. "$REPO/tools/lab/fetch.sh"
# shellcheck source=tools/lab/debian.sh
. "$REPO/tools/lab/debian.sh"

# What is loaded, besides what our modules depend on.
ARM64_MODULES="dummy veth vrf nf_conntrack tun"

arm64_busybox() {
	local dir=$DIR/arm64

	[[ -x $dir/bin/busybox ]] && return
	rm -rf "$dir"
	mkdir -p "$dir"
	debian_index arm64
	(cd "$dir" && download debian-arm64 "$(private_apt debian-arm64 \
		apt-cache madison busybox-static | awk 'NR == 1 { print $1 "=" $3 }')")
	dpkg-deb -x "$dir"/*.deb "$dir"
	[[ -x $dir/bin/busybox ]] || cp "$dir/usr/bin/busybox" "$dir/bin"
}

# Modules that something there needs, in their places, unpacked.
arm64_modules() {
	local kernel=$1 root=$2 rel tree file all=$2.all

	rel=$(<"$CACHE/kernels/$kernel/release")
	tree=$CACHE/kernels/$kernel/tree/lib/modules/$rel
	rm -rf "$all"
	mkdir -p "$all/lib/modules/$rel/updates" "$root/lib/modules/$rel"
	ln -s "$tree/kernel" "$all/lib/modules/$rel/kernel"
	cp "$tree"/modules.{order,builtin,builtin.modinfo} \
		"$all/lib/modules/$rel"
	find "$(build_dir "$kernel")" -name '*.ko' -exec cp -t \
		"$all/lib/modules/$rel/updates" {} +
	/sbin/depmod -b "$all" "$rel"
	# shellcheck disable=SC2086
	/sbin/modprobe -d "$all" -S "$rel" --show-depends -a $ARM64_MODULES \
		seg6local_noref_ktap | awk '/^insmod/ { print $2 }' |
		while read -r file; do
			arm64_place "$file" "$root${file#"$all"}"
		done
	cp "$tree"/modules.{order,builtin,builtin.modinfo} \
		"$root/lib/modules/$rel"
	/sbin/depmod -b "$root" "$rel"
	rm -rf "$all"
}

arm64_place() {
	mkdir -p "$(dirname "$2")"
	case $1 in
	*.xz) xz -dc "$1" >"${2%.xz}" ;;
	*.zst) zstd -qdc "$1" >"${2%.zst}" ;;
	*) cp "$1" "$2" ;;
	esac
}

arm64_initrd() {
	local kernel=$1 root=$DIR/arm64.$1

	rm -rf "$root"
	mkdir -p "$root"/{bin,sbin,proc,sys,dev,tmp,run,usr}
	ln -s ../bin "$root/usr/bin"
	ln -s ../sbin "$root/usr/sbin"
	cp "$DIR/arm64/bin/busybox" "$root/bin"
	ln -s busybox "$root/bin/sh"
	arm64_modules "$kernel" "$root" || return
	cat >"$root/init" <<-'EOT'
	#!/bin/sh
	export PATH=/bin:/sbin
	/bin/busybox mount -t proc proc /proc
	/bin/busybox --install -s /bin
	ln -s /bin/modprobe /sbin/modprobe
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	echo /sbin/modprobe >/proc/sys/kernel/modprobe
	ip link set lo up
	uname -a
	modprobe seg6local_noref_ktap
	echo "lab status $?"
	cd /sys/module/seg6local_noref_ktap/parameters &&
		echo "$(cat passed) passed, $(cat failed) failed," \
			"$(cat skipped) skipped"
	cd /
	modprobe -r seg6local_noref_ktap seg6local_noref
	poweroff -f
	EOT
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$root.cpio"
	rm -rf "$root"
}

# The log is all there is; a complaint in it is a failure.
arm64_suite() {
	local kernel=$1 log=$DIR/arm64.$1.log

	need_packages qemu-system-arm cpio
	need_modules "$kernel" || return
	arm64_busybox || return
	arm64_initrd "$kernel" || return
	timeout -k 10 3600 qemu-system-aarch64 -machine virt -cpu max \
		-accel tcg -smp 2 -m 1024 -display none -nodefaults \
		-serial stdio -no-reboot \
		-kernel "$CACHE/kernels/$kernel/vmlinux" \
		-initrd "$DIR/arm64.$kernel.cpio" \
		-append "console=ttyAMA0 panic=-1 oops=panic loglevel=7" \
		</dev/null | tr -d '\r' | tee "$log"
	grep -q '^lab status 0' "$log" &&
		grep -qE '^[1-9][0-9]* passed, 0 failed' "$log" &&
		! grep -E '(BUG|WARNING|Oops|INFO): |Call trace' "$log"
}
