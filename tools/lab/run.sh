# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Boots a kernel, runs a command in it, judges its log.

# What a kernel says when it has found a mistake. Only at the start of a
# message: what user space or a test quotes does not count.
SPLAT='^\[ *[0-9]+\.[0-9]+\] (\[[^]]*\] )?'
SPLAT+='(BUG[: ]|WARNING:|INFO: (possible|inconsistent|task|trying)|'
SPLAT+='kernel BUG at|Kernel panic|Oops|general protection fault|'
SPLAT+='rcu: INFO:|refcount_t:|ODEBUG:|list_(add|del) corruption|'
SPLAT+='unregister_netdevice: waiting|UBSAN:|watchdog: BUG|'
SPLAT+='(=+ )?\[ BUG:)|^unreferenced object'

# --- what goes into a run ---

# The guest's process 1, built anew when its source changed.
build_init() {
	local sum

	sum=$(sha256sum <"$LAB_DIR/init.c" | cut -c1-16)
	INIT=$CACHE/init/$sum
	[[ -x $INIT ]] && return
	need_packages gcc libc6-dev
	mkdir -p "$CACHE/init"
	gcc -O2 -Wall -Wextra -Werror -static -o "$INIT.$$" "$LAB_DIR/init.c"
	mv "$INIT.$$" "$INIT"
}

# /lib/modules/RELEASE of the guest: the kernel's own modules and ours.
build_modroot() {
	local kernel=$1 moddir=$2 dir=$3 rel kdir

	rel=$(<"$CACHE/kernels/$kernel/release")
	kdir=$CACHE/kernels/$kernel/tree/lib/modules/$rel
	dir=$dir/lib/modules/$rel
	mkdir -p "$dir/updates"
	ln -s "$kdir/kernel" "$dir/kernel"
	cp "$kdir"/modules.{order,builtin,builtin.modinfo} "$dir"
	ln -s "$(kernel_kdir "$kernel")" "$dir/build"
	if [[ -d $moddir ]]; then
		find "$moddir" -name '*.ko' -exec cp -t "$dir/updates" {} +
	fi
	/sbin/depmod -b "${dir%/lib/modules/*}" "$rel"
}

# The modules without which QEMU's guest cannot reach the host's root.
build_initramfs() {
	local dir=$1 rel=$2 i=100 file dest tree=$1/initramfs

	mkdir -p "$tree/lab-modules" "$tree/tmp"
	cp "$INIT" "$tree/init"
	while read -r _ file _; do
		dest=$tree/lab-modules/$((i++))-${file##*/}
		# The guest's process 1 loads what is not compressed.
		case $file in
		*.xz) xz -dc "$file" >"${dest%.xz}" ;;
		*.zst) zstd -qdc "$file" >"${dest%.zst}" ;;
		*) cp "$file" "$dest" ;;
		esac
	done < <(/sbin/modprobe -d "$dir/modules" -S "$rel" --show-depends \
		-a virtio_pci 9pnet_virtio 9p overlay | grep '^insmod')
	(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet) \
		>"$dir/initrd"
	rm -rf "$tree"
}

# --- starting a guest; its console goes to RUN/console ---

# User mode keeps the guest's memory in a file: it must be of a tmpfs, and one
# with room enough.
memory_dir() {
	local kib

	kib=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1) || true
	if ((${kib:-0} > $1 * 1024)); then
		echo /dev/shm
	else
		echo "${TMPDIR:-/tmp}"
	fi
}

uml_command() {
	local kernel=$1 dir=$2 cpus=$3 mem=$4

	GUEST=(env "TMPDIR=$(memory_dir "$mem")"
		"$CACHE/kernels/$kernel/linux" "mem=${mem}M" "ncpus=$cpus"
		seccomp=auto root=/dev/root rootfstype=hostfs rootflags=/ ro
		"init=$INIT" con=null "con0=null,fd:1" ssl=null
		"uml_dir=$dir/" "lab_run=$dir")
	((cpus > 1)) && GUEST+=(seccomp=on)
	return 0
}

# A guest with its modules, but nothing to mount, powers off at once; where
# that works, KVM works.
kvm_works() {
	local dir=$1

	grep -qwE 'vmx|svm' /proc/cpuinfo && [[ -w /dev/kvm ]] || return 1
	timeout -s KILL 20 qemu-system-x86_64 -accel kvm -cpu host -m 512 \
		-display none -nodefaults -no-reboot -serial "file:$dir/trial" \
		-kernel "$dir/vmlinux" -initrd "$dir/initrd" \
		-append "console=ttyS0 panic=-1" >/dev/null 2>&1 </dev/null &&
		grep -q 'lab init:' "$dir/trial"
}

# With -icount the guest's clock counts its instructions: the same run gives
# the same figures. QEMU can do that for one emulated processor only.
counts_instructions() {
	[[ " $QEMU_EXTRA " == *" -icount "* ]]
}

qemu_command() {
	local kernel=$1 dir=$2 cpus=$3 mem=$4 out=$5 extra=$6
	local share=security_model=none,multidevs=remap accel

	ln -s "$CACHE/kernels/$kernel/vmlinux" "$dir/vmlinux"
	build_initramfs "$dir" "$(<"$CACHE/kernels/$kernel/release")"
	if counts_instructions; then
		accel=(-accel "tcg,thread=single" -cpu max)
	elif kvm_works "$dir"; then
		accel=(-accel kvm -cpu host)
	else
		accel=(-accel "tcg,thread=multi" -cpu max)
	fi
	GUEST=(qemu-system-x86_64 "${accel[@]}" -smp "$cpus" -m "$mem"
		-display none -nodefaults -no-reboot -no-user-config
		-serial stdio -kernel "$dir/vmlinux" -initrd "$dir/initrd"
		-virtfs "local,path=/,mount_tag=lab_root,readonly=on,$share"
		-virtfs "local,path=$dir,mount_tag=lab_run,$share")
	[[ $out ]] && GUEST+=(-virtfs
		"local,path=$out,mount_tag=lab_out,$share")
	if [[ $extra ]]; then
		local words
		read -ra words <<<"$extra"
		GUEST+=("${words[@]}")
	fi
}

# --- options ---

run_options() {
	TIMEOUT=300 CPUS='' OUT='' MODDIR='' ENVS=() SPLAT_OK='' LOG=''
	QEMU_EXTRA='' CMDLINE=''
	while (($#)); do
		[[ $1 != -[tcomelak] || $# -gt 1 ]] ||
			fail "run: $1 needs a value"
		case $1 in
		-t) TIMEOUT=$2 ;;
		-c) CPUS=$2 ;;
		-o) OUT=$2 ;;
		-m) MODDIR=$2 ;;
		-e) ENVS+=("$2") ;;
		-l) LOG=$(realpath -m "$2") ;;
		-a) QEMU_EXTRA=$2 ;;
		-k) CMDLINE=$2 ;;
		--splat-ok)
			SPLAT_OK=1
			shift
			continue
			;;
		-*) fail "run: unknown option $1" ;;
		*) break ;;
		esac
		shift 2
	done
	KERNEL=${1-}
	check_kernel "$KERNEL"
	[[ ${2-} == -- && $# -ge 3 ]] || fail "run: KERNEL -- COMMAND..."
	COMMAND=("${@:3}")
	check_options
}

# Fills in what was not given.
check_options() {
	[[ $TIMEOUT =~ ^[1-9][0-9]*$ ]] || fail "run: -t $TIMEOUT: a number"
	if [[ $OUT ]]; then
		mkdir -p "$OUT"
		OUT=$(realpath "$OUT")
	fi
	# Two CPUs of a user-mode kernel start in an order that lockdep and
	# RCU's own checks refuse.
	if [[ $KERNEL == uml-kunit ]]; then
		((${CPUS:-1} == 1)) || fail "run: uml-kunit has one CPU"
		CPUS=1
	fi
	if counts_instructions; then
		[[ $KERNEL != uml-* ]] || fail "run: -icount is QEMU's"
		((${CPUS:-1} == 1)) || fail "run: -icount has one CPU"
		CPUS=1
	fi
	CPUS=${CPUS:-2}
	[[ $MODDIR ]] || MODDIR=$(modules_dir "$KERNEL")
}

# The files that init.c reads.
write_run() {
	local dir=$1 rel

	rel=$(<"$CACHE/kernels/$KERNEL/release")
	printf '%s\0' "${COMMAND[@]}" >"$dir/argv"
	printf '%s\0' HOME=/root USER=root LOGNAME=root SHELL=/bin/sh \
		TERM=dumb LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		"LAB_KERNEL=$KERNEL" ${ENVS[@]+"${ENVS[@]}"} >"$dir/env"
	{
		echo "cwd=$PWD"
		echo "modules=$dir/modules/lib/modules/$rel"
		[[ -z $OUT ]] || echo "out=$OUT"
	} >"$dir/conf"
	: >"$dir/out"
}

# --- running and judging ---

# Runs GUEST with a time limit; its group is killed for what it may leave.
# SIGTERM would make a user-mode kernel complain about itself on its way out.
# The words of the shell about a killed job are dropped. Sets TIMED_OUT.
run_guest() {
	local dir=$1 rc=0 tail_pid start=$SECONDS

	timeout -s KILL "$TIMEOUT" "${GUEST[@]}" </dev/null \
		>"$dir/console" 2>&1 &
	GUEST_PID=$!
	tail -n +1 -s 0.05 -f --pid="$GUEST_PID" "$dir/out" 2>/dev/null &
	tail_pid=$!
	{ wait "$GUEST_PID"; } 2>/dev/null || rc=$?
	kill -KILL -- "-$GUEST_PID" 2>/dev/null || true
	GUEST_PID=
	wait "$tail_pid" || true
	TIMED_OUT=
	((rc == 137 && SECONDS - start >= TIMEOUT)) && [[ ! -f $dir/status ]] &&
		TIMED_OUT=1
	return 0
}

# QEMU's console has carriage returns; a leak report belongs to the log.
write_log() {
	local dir=$1

	tr -d '\r' <"$dir/console" >"$dir/log"
	[[ ! -s $dir/kmemleak ]] || cat "$dir/kmemleak" >>"$dir/log"
}

# Prints what the kernel found, with some lines behind each; true if any.
find_splats() {
	grep -qE "$SPLAT" "$1" || return 1
	echo "lab: the kernel complains:"
	grep -E -A 20 -m 4 "$SPLAT" "$1"
}

# A log that may be asked for is kept: where -l says, else in the cache.
keep_log() {
	local dest=$LOG

	if [[ -z $dest ]]; then
		mkdir -p "$CACHE/log"
		dest=$CACHE/log/$KERNEL.$$.log
		find "$CACHE/log" -name '*.log' -mtime +2 -delete
	fi
	mkdir -p "$(dirname "$dest")"
	cp "$1/log" "$dest"
	echo "lab: kernel log: $dest" >&2
}

judge() {
	local dir=$1 status

	write_log "$dir"
	if [[ $TIMED_OUT ]]; then
		echo "lab: TIMEOUT after $TIMEOUT s"
		find_splats "$dir/log" >&2 || tail -n 5 "$dir/log" >&2
		status=124
	elif [[ -z $SPLAT_OK ]] && find_splats "$dir/log" >&2; then
		status=99
	elif [[ -f $dir/status ]]; then
		status=$(<"$dir/status")
	else
		echo "lab: the guest died without a status; its log ends:" >&2
		tail -n 25 "$dir/log" >&2
		status=98
	fi
	if ((status)) || [[ $LOG ]]; then
		keep_log "$dir"
	fi
	return "$status"
}

clean_run() {
	[[ -z ${GUEST_PID-} ]] || kill -KILL -- "-$GUEST_PID" 2>/dev/null || true
	rm -rf "$RUN_DIR"
}

# An oops ends the guest: nothing that it does afterwards is worth waiting for.
boot_words() {
	local line="panic=-1 oops=panic loglevel=7 $CMDLINE" list

	[[ $KERNEL == uml-kunit ]] &&
		line="slab_debug=F $line"
	case $KERNEL in
	uml-*)
		read -ra list <<<"$line"
		GUEST+=("${list[@]}")
		;;
	*)
		# What makes emulation slow and is of no use in it.
		[[ ${GUEST[*]} == *" kvm "* ]] ||
			line="mitigations=off cryptomgr.notests $line"
		# The processor's clock is the count; the others are devices,
		# which cost a varying number of instructions to read.
		counts_instructions &&
			line="clocksource=tsc tsc=nowatchdog $line"
		# On a loaded host the kernel's timer check fails under TCG.
		GUEST+=(-append
			"console=ttyS0 no_timer_check lab_run=$1 $line")
		;;
	esac
}

cmd_run() {
	run_options "$@"
	need_kernel "$KERNEL"
	build_init
	mkdir -p "$CACHE/run"
	RUN_DIR=$(mktemp -d "$CACHE/run/XXXXXXXX")
	GUEST_PID=
	trap clean_run EXIT
	trap 'exit 130' INT TERM HUP
	build_modroot "$KERNEL" "$MODDIR" "$RUN_DIR/modules"
	write_run "$RUN_DIR"
	case $KERNEL in
	uml-*) uml_command "$KERNEL" "$RUN_DIR" "$CPUS" 1024 ;;
	*) qemu_command "$KERNEL" "$RUN_DIR" "$CPUS" 2048 "$OUT" \
		"$QEMU_EXTRA" ;;
	esac
	boot_words "$RUN_DIR"
	run_guest "$RUN_DIR"
	judge "$RUN_DIR"
}
