# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Kernels: from the mirror that this host's apt uses, into the cache.

UML_SERIES=7.3
UML_SUITES="trixie-backports forky sid"
UML_PACKAGES="gcc libc6-dev make flex bison bc xz-utils kmod perl"

# Base addresses of apt repositories with this label, best first.
mirrors() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(LABEL)|$(REPO_URI)' \
		'Created-By: Packages' | sed -n "s/^$1|//p" | awk '!seen[$0]++'
}

# The host's repositories have labels once their lists are there.
find_mirror() {
	local uri

	uri=$(mirrors "$1" | sed -n 1p)
	if [[ -z $uri ]] && ((EUID == 0)); then
		say "apt-get update"
		apt-get -qq update >&2 || true
		uri=$(mirrors "$1" | sed -n 1p)
	fi
	echo "$uri"
}

# An apt of our own: its sources and lists are private, the rest (proxies,
# keys) is the host's. A suite that gets no updates any more has lists that
# have expired: that is no reason not to read them.
# usage: private_apt NAME COMMAND...
private_apt() {
	local dir=$CACHE/apt/$1 tool=$2 o=()

	shift 2
	o=(-o "Dir::Etc::sourcelist=$dir/sources.list"
		-o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferences=/dev/null
		-o Dir::Etc::preferencesparts=/dev/null
		-o "Dir::State::status=$dir/status"
		-o "Dir::State::lists=$dir/lists"
		-o "Dir::Cache=$dir/cache"
		-o Dir::Cache::pkgcache=pkgcache.bin
		-o Dir::Cache::srcpkgcache=srcpkgcache.bin
		-o Acquire::Languages=none
		-o Acquire::Check-Valid-Until=false)
	[[ $dir != *-arm64 ]] || o+=(-o APT::Architecture=arm64
		-o APT::Architectures=arm64)
	((EUID)) || o+=(-o APT::Sandbox::User=root)
	"$tool" -q "${o[@]}" "$@"
}

# usage: setup_apt NAME "URI SUITE" ...
setup_apt() {
	local dir=$CACHE/apt/$1 line by=
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg

	shift
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	[[ -f $keys ]] && by="[signed-by=$keys] "
	for line; do
		echo "deb $by$line main"
	done >"$dir/sources.list"
	private_apt "${dir##*/}" apt-get update >&2
}

newest_version() {
	private_apt "$1" apt-cache madison "$2" |
		awk '{ print $3 }' | sort -uV | tail -n 1
}

# Downloads PACKAGE=VERSION... into the current directory.
download() {
	say "download: ${*:2}"
	private_apt "$1" apt-get download "${@:2}" >&2 ||
		fail "download failed: ${*:2}"
}

# --- the source of the user-mode kernels ---

# Sets UML_VERSION, UML_SUITE; fails if no suite has the series.
find_source() {
	local mirror suite

	mirror=$(find_mirror Debian)
	[[ $mirror ]] || fail "apt of this host has no Debian repository"
	for suite in $UML_SUITES; do
		say "looking for linux-source-$UML_SERIES in $suite"
		setup_apt "$suite" "$mirror $suite" || continue
		UML_VERSION=$(newest_version "$suite" \
			"linux-source-$UML_SERIES")
		UML_SUITE=$suite
		[[ $UML_VERSION ]] && return
	done
	fail "no linux-source-$UML_SERIES in any of: $UML_SUITES"
}

# Prints the directory of the unpacked source; the newest one at hand unless
# an update is asked for.
source_dir() {
	local update=$1 dir tmp

	lock source
	mkdir -p "$CACHE/src"
	dir=$(find "$CACHE/src" -maxdepth 1 -name "linux-$UML_SERIES*" \
		! -name '*.part' | sort -V | tail -n 1)
	if [[ -z $dir || $update ]]; then
		find_source
		dir=$CACHE/src/linux-$UML_VERSION
	fi
	if [[ ! -d $dir ]]; then
		tmp=$(mktemp -d "$CACHE/download.XXXXXX")
		(cd "$tmp" && download "$UML_SUITE" \
			"linux-source-$UML_SERIES=$UML_VERSION")
		unpack_source "$tmp" "$dir"
		rm -rf "$tmp"
	fi
	unlock
	echo "$dir"
}

unpack_source() {
	local tmp=$1 dir=$2

	say "unpacking linux-source-$UML_SERIES"
	dpkg-deb -x "$tmp"/*.deb "$tmp/deb"
	rm -rf "$dir.part"
	mkdir -p "$dir.part"
	tar -C "$dir.part" --strip-components=1 -xf \
		"$tmp/deb/usr/src/linux-source-$UML_SERIES.tar.xz"
	mv "$dir.part" "$dir"
}

# --- user-mode kernels ---

uml_config() {
	cat "$LAB_DIR/config/uml.config" "$LAB_DIR/config/$1.config"
}

uml_stamp() {
	printf '%s %s\n' "$(basename "$2")" \
		"$(uml_config "$1" | sha256sum | cut -c1-16)"
}

uml_make() {
	make -C "$1" O="$2" ARCH=um "${@:3}"
}

# An option that the source does not know or cannot give is a mistake here.
check_config() {
	local line missing=

	while IFS= read -r line; do
		grep -qxF "$line" "$2" || missing+=" ${line%%=*}"
	done < <(grep '^CONFIG_' "$1")
	[[ -z $missing ]] || fail "options not in effect:$missing"
}

build_uml() {
	local kernel=$1 src=$2 dir=$CACHE/kernels/$1
	local build=$dir/build

	mkdir -p "$build"
	uml_config "$kernel" >"$dir/config"
	say "$kernel: configuring"
	with_progress "$kernel: configuration" "$dir/config.log" \
		uml_make "$src" "$build" -s KCONFIG_ALLCONFIG="$dir/config" \
		allnoconfig
	check_config "$dir/config" "$build/.config"
	say "$kernel: building (log: $dir/build.log)"
	with_progress "$kernel" "$dir/build.log" \
		uml_make "$src" "$build" -j"$(nproc)" linux modules
	say "$kernel: installing its modules"
	rm -rf "$dir/tree"
	with_progress "$kernel: modules" "$dir/install.log" \
		uml_make "$src" "$build" INSTALL_MOD_PATH="$dir/tree" \
		INSTALL_MOD_STRIP=1 DEPMOD=true modules_install
	cp "$build/linux" "$dir/linux.new"
	mv "$dir/linux.new" "$dir/linux"
	uml_make "$src" "$build" -s kernelrelease >"$dir/release"
	trim_build "$build"
}

# Modules are built against the rest. ARCH goes in, for make -C to work as it
# does with the headers of a distribution.
trim_build() {
	local build=$1

	find "$build" -path "$build/scripts" -prune -o -type f \
		\( -name '*.o' -o -name '*.a' -o -name '*.ko' -o -name '*.mod' \
		-o -name '*.mod.c' -o -name '.*.cmd' -o -name 'linux' \
		-o -name '.tmp_*' -o -name 'vmlinux.unstripped' \) \
		-exec rm -f {} +
	sed -i '1i override ARCH := um\nexport ARCH' "$build/Makefile"
}

get_uml() {
	local kernel=$1 update=$2 dir=$CACHE/kernels/$1 src stamp

	# shellcheck disable=SC2086
	need_packages $UML_PACKAGES
	src=$(source_dir "$update")
	stamp=$(uml_stamp "$kernel" "$src")
	if is_cached "$kernel" && [[ $(<"$dir/stamp") == "$stamp" ]]; then
		say "$kernel: cached"
		return
	fi
	rm -rf "$dir"
	build_uml "$kernel" "$src"
	echo "$stamp" >"$dir/stamp"
	say "$kernel: ready ($(<"$dir/release"))"
}

get_kernel() {
	local kernel=$1 update=$2

	# In a shell of its own, which drops the lock when it ends.
	(
		lock "$kernel"
		case $kernel in
		uml-*) get_uml "$kernel" "$update" ;;
		debian-*) get_debian "$kernel" "$update" ;;
		esac
	)
}
