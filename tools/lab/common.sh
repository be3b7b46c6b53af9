# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# What the parts of lab share.

say() {
	printf 'lab: [%4ds] %s\n' "$SECONDS" "$*" >&2
}

fail() {
	printf 'lab: %s\n' "$*" >&2
	exit 97
}

# Stock kernels have a name by series: see debian.sh.
check_kernel() {
	[[ " $KERNELS " == *" ${1:-none} "* ]] || is_debian_name "${1-}" ||
		fail "no such kernel: '${1-}'; there are: $KERNELS"
}

# The stamp is written last, so a kernel that has one is complete.
is_cached() {
	rename_tree "$1"
	[[ -f $CACHE/kernels/$1/stamp ]]
}

# What was unpacked used to be in a directory of another name; guests that
# run meanwhile still find it by that.
rename_tree() {
	local dir=$CACHE/kernels/$1 old=root

	[[ -d $dir/$old && ! -L $dir/$old ]] || return 0
	mv "$dir/$old" "$dir/tree" && ln -s tree "$dir/$old"
	[[ $1 == uml-* ]] || sed -i "s,$dir/$old/,$dir/tree/," \
		"$dir"/tree/usr/src/linux-headers-*/Makefile
}

need_kernel() {
	is_cached "$1" || get_kernel "$1" ""
}

kernel_kdir() {
	local dir=$CACHE/kernels/$1

	case $1 in
	uml-*) echo "$dir/build" ;;
	*) echo "$dir/tree/usr/src/linux-headers-$(<"$dir/release")" ;;
	esac
}

# Packages this host lacks; as root they are installed, else named.
need_packages() {
	local p missing=()

	for p; do
		[[ $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) == \
			*" installed" ]] || missing+=("$p")
	done
	((${#missing[@]})) || return 0
	((EUID == 0)) || fail "please install: ${missing[*]}"
	say "installing ${missing[*]}"
	apt-get -qq update >&2 || true
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
		--no-install-recommends "${missing[@]}" </dev/null >&2 ||
		fail "cannot install: ${missing[*]}"
}

# Runs a command with its output in a log; says every 20 s how far it is.
# usage: with_progress WHAT LOG COMMAND...
with_progress() {
	local what=$1 log=$2 pid rc=0 t=0

	shift 2
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.1
		((++t % 200)) ||
			say "$what: $(grep -c '^  [A-Z]' "$log" || true) steps"
	done
	wait "$pid" || rc=$?
	((rc == 0)) && return
	tail -n 25 "$log" >&2
	fail "$what failed; all of its output: $log"
}

# One lab at a time for what NAME stands for; held until the shell ends or
# unlock is called.
lock() {
	mkdir -p "$CACHE/lock"
	exec {LOCK_FD}>"$CACHE/lock/$1"
	if ! flock -n "$LOCK_FD"; then
		say "waiting for another lab ($1)"
		flock "$LOCK_FD"
	fi
}

unlock() {
	exec {LOCK_FD}>&-
}
