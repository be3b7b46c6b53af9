# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Stock Debian kernels: image and headers, unpacked into the cache.
#
# debian-SERIES is the newest version of the series that the mirror has, in
# whatever suite; debian-SERIES-oldest the oldest one of the same release.
# -rt or -cloud behind it is that flavour, -arm64 that architecture, for which
# modules are cross-built.

DEBIAN_PACKAGES="gcc libc6-dev make kmod cpio xz-utils zstd qemu-system-x86"
# The release whose kernel is the oldest of interest.
DEBIAN_FIRST=11

kernel_arch() {
	[[ $1 == *-arm64 ]] && echo arm64 || echo amd64
}

is_debian_name() {
	[[ $1 =~ ^debian-[0-9]+\.[0-9]+(-oldest)?(-rt|-cloud|-arm64)?$ ]]
}

# --- what the mirror has ---

# "URI SUITE" of all suites that may be there.
debian_suites() {
	local main security name

	main=$(find_mirror Debian)
	[[ $main ]] || fail "apt of this host has no Debian repository"
	security=$(find_mirror Debian-Security)
	awk -F, -v first="$DEBIAN_FIRST" '$1 >= first { print $3 }' \
		/usr/share/distro-info/debian.csv | while read -r name; do
		printf '%s\n' "$main $name" "$main $name-updates" \
			"$main $name-backports"
		[[ -z $security ]] || echo "$security $name-security"
	done
	echo "$main sid"
}

# Reads the lists of all suites for an architecture. Some of them do not
# exist; those that do are read. Lists of the last hour are new enough.
debian_index() {
	local name=debian-$1 suites dir=$CACHE/apt/debian-$1

	lock "apt.$name"
	if [[ -z $(find "$dir/read" -mmin -60 2>/dev/null) ]]; then
		say "reading the lists of all Debian suites ($1)"
		need_packages distro-info-data debian-archive-keyring
		mapfile -t suites < <(debian_suites)
		mkdir -p "$CACHE/apt"
		setup_apt "$name" "${suites[@]}" 2>"$dir.log" || true
		private_apt "$name" apt-cache pkgnames linux-image- |
			grep -c . >/dev/null && touch "$dir/read"
	fi
	unlock
}

# "PACKAGE VERSION URI SUITE" of packages in all suites.
debian_madison() {
	private_apt "debian-$DEB_ARCH" apt-cache madison "$@" | awk -F' *[|] *' '
		{ split($3, at, " "); sub("/.*", "", at[2])
		  gsub(" ", "", $1); gsub(" ", "", $2)
		  print $1, $2, at[1], at[2] }'
}

# The release that a suite belongs to.
suite_release() {
	sed -E 's/-(security|updates|backports)$//' <<<"$1"
}

# "PACKAGE VERSION URI SUITE" of the series' kernels, oldest first. Only
# those that still have headers count.
debian_candidates() {
	local series=$1 flavour=$2 names re

	re="^linux-headers-[0-9.]+([+][a-z0-9.]+|-[0-9a-z.]+)-${flavour}$DEB_ARCH\$"
	mapfile -t names < <(private_apt "debian-$DEB_ARCH" apt-cache pkgnames \
		linux-headers- | grep -E "$re" | sed 's/headers/image/')
	((${#names[@]})) || return 0
	debian_madison "${names[@]}" | grep -E "^[^ ]+ ${series//./[.]}[.]" |
		sort -k2,2V || true
}

# Sets DEB_ARCH, DEB_IMAGE, DEB_VERSION, DEB_URI and DEB_SUITE for a kernel's
# name; fails where the mirror has nothing of it.
find_debian() {
	local name=${1#debian-} flavour='' list release

	DEB_ARCH=$(kernel_arch "$1")
	name=${name%-arm64}
	case $name in
	*-rt | *-cloud) flavour=${name##*-}- name=${name%-*} ;;
	esac
	debian_index "$DEB_ARCH"
	list=$(debian_candidates "${name%-oldest}" "$flavour")
	[[ $list ]] || return 1
	if [[ $name == *-oldest ]]; then
		release=$(suite_release "${list##* }")
		list=$(grep -E " $release(-[a-z]+)?\$" <<<"$list" | head -n 1)
	fi
	read -r DEB_IMAGE DEB_VERSION DEB_URI DEB_SUITE \
		< <(tail -n 1 <<<"$list")
}

# The same for the version that is cached.
find_debian_version() {
	local dir=$CACHE/kernels/$1

	DEB_ARCH=$(kernel_arch "$1")
	debian_index "$DEB_ARCH"
	DEB_IMAGE=linux-image-$(<"$dir/release")
	# shellcheck disable=SC2034  # read by suite.sh
	read -r _ DEB_VERSION DEB_URI DEB_SUITE < <(
		debian_madison "$DEB_IMAGE" | awk -v want="$(<"$dir/stamp")" \
			'$2 == want' | head -n 1)
}

# Packages that PACKAGE=VERSION depends on, of those that PATTERN matches.
debian_depends() {
	private_apt "debian-$DEB_ARCH" apt-cache show "$1" |
		sed -n 's/^Depends: //p' | head -n 1 | tr ',' '\n' | tr '|' '\n' | awk '{ print $1 }' |
		grep -E "^($2)" || true
}

# PACKAGE as PACKAGE=VERSION: of this version, or else the newest one of the
# same suites.
debian_pin() {
	local release

	release=$(suite_release "$DEB_SUITE")
	debian_madison "$1" | awk -v want="$DEB_VERSION" -v rel="$release" '
		$4 == rel || index($4, rel "-") == 1 {
			if (!any || $2 == want)
				any = $2
		}
		END { if (any) print $1 "=" any }'
}

# The packages that hold a kernel's image and modules, and its headers.
debian_image_packages() {
	local p

	echo "$DEB_IMAGE=$DEB_VERSION"
	for p in $(debian_depends "$DEB_IMAGE=$DEB_VERSION" \
		'linux-(base|binary|modules)-'); do
		echo "$p=$DEB_VERSION"
	done
}

debian_header_packages() {
	local headers=${DEB_IMAGE/image/headers} p

	echo "$headers=$DEB_VERSION"
	for p in $(debian_depends "$headers=$DEB_VERSION" 'linux-headers-'); do
		debian_pin "$p"
	done
}

# The programs that kbuild runs, which are the build machine's.
debian_kbuild_package() {
	local headers=${DEB_IMAGE/image/headers} name

	name=$(debian_depends "$headers=$DEB_VERSION" 'linux-kbuild-')
	(
		# shellcheck disable=SC2030  # for this lookup only
		DEB_ARCH=amd64
		debian_index amd64
		debian_pin "$name"
	)
}

# Into the current directory.
download_headers() {
	# shellcheck disable=SC2031,SC2046  # words
	download "debian-$DEB_ARCH" $(debian_header_packages)
	# shellcheck disable=SC2046  # words
	download debian-amd64 $(debian_kbuild_package)
}

# --- into the cache ---

get_debian() {
	local kernel=$1 update=$2 dir=$CACHE/kernels/$1 tmp

	# shellcheck disable=SC2086
	need_packages $DEBIAN_PACKAGES
	if is_cached "$kernel" && [[ -z $update ]]; then
		say "$kernel: cached"
		return
	fi
	if ! find_debian "$kernel"; then
		is_cached "$kernel" || unavailable "$kernel"
		say "$kernel: gone from the mirror; the cached one stays"
		return
	fi
	if is_cached "$kernel" && [[ $(<"$dir/stamp") == "$DEB_VERSION" ]]; then
		say "$kernel: cached"
		return
	fi
	say "$kernel: $DEB_VERSION of $DEB_SUITE"
	rm -rf "$dir"
	mkdir -p "$dir/tree" "$dir/debs"
	tmp=$(mktemp -d "$CACHE/download.XXXXXX")
	# shellcheck disable=SC2031,SC2046  # words
	(cd "$tmp" && download "debian-$DEB_ARCH" $(debian_image_packages))
	(cd "$dir/debs" && download_headers)
	debian_unpack "$dir" "$tmp"/*.deb "$dir"/debs/*.deb
	rm -rf "$tmp"
	suite_release "$DEB_SUITE" >"$dir/suite"
	echo "$DEB_VERSION" >"$dir/stamp"
	say "$kernel: ready ($(<"$dir/release"), $DEB_VERSION)"
}

# The packages of a cached kernel's headers.
debian_debs() {
	local dir=$CACHE/kernels/$1/debs

	if ! compgen -G "$dir/*.deb" >/dev/null; then
		find_debian_version "$1" || unavailable "packages of $1"
		mkdir -p "$dir"
		(cd "$dir" && download_headers)
	fi
	echo "$dir"
}

unavailable() {
	say "$1: unavailable: the mirror has none and none is cached"
	exit 96
}

# The same kernel without its compression, which costs an emulated guest two
# seconds; it boots through its PVH entry.
unpack_image() {
	local magic tool at

	while read -r magic tool; do
		at=$(LC_ALL=C grep -obaP "$magic" "$1" | head -n 1 | cut -d: -f1) ||
			true
		[[ $at ]] || continue
		# What follows the stream makes the tool complain.
		tail -c "+$((at + 1))" "$1" | $tool -dc >"$2" 2>/dev/null || true
		[[ $(head -c 4 "$2" | tail -c 3) == ELF ]] && return
	done <<-'EOT'
		\xfd7zXZ\x00 xz
		\x28\xb5\x2f\xfd zstd
		\x1f\x8b\x08 gzip
	EOT
	fail "cannot unpack $1"
}

# Newer packages have everything below /usr.
debian_unpack() {
	local dir=$1 tree=$1/tree deb rel d

	say "unpacking the packages"
	for deb in "${@:2}"; do
		dpkg-deb -x "$deb" "$tree"
	done
	mkdir -p "$tree/lib/modules"
	for d in "$tree"/usr/lib/modules/*; do
		[[ -d $d ]] || continue
		cp -a "$d" "$tree/lib/modules" && rm -rf "$d"
	done
	rel=${DEB_IMAGE#linux-image-}
	echo "$rel" >"$dir/release"
	d=$(find "$tree" -name "vmlinuz*" -type f | head -n 1)
	# shellcheck disable=SC2031  # set by the caller
	if [[ $DEB_ARCH == amd64 ]]; then
		unpack_image "$d" "$dir/vmlinux"
	else
		cp "$d" "$dir/vmlinux"
	fi
	cp "$tree/usr/src/linux-headers-$rel/.config" "$dir/config"
	# The headers name their other half by its installed place.
	sed -i "s,/usr/src/,$tree/usr/src/," \
		"$tree/usr/src/linux-headers-$rel/Makefile"
}
