# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# ops_restore.sh - SIDs at the start of a machine, with the module and without;
# sourced by ops.sh

restore_file() {
	cat >"$dir/sids" <<-EOF
	# SIDs of this machine
	route add fc00::1/128 ${E[*]} End count dev d0

	route add fc00::2 table 90 dev d0 metric 7 ${E[*]} End flavors next-csid
	route add fc00::3 nexthop via fc01::2 dev d0 ${E[*]} End.T table 100 \\
		nexthop via fc01::3 dev d0 weight 2
	route add fc00::4 ${E[*]} End flavors replace-csid dev d0
	route add fc00::5 ${E[*]} End.T table 100 flavors psp dev d0
	nexthop add id 7 ${E[*]} End.DX6 nh6 :: via fc01::2 dev d0
	route add fc00::6 nhid 7
	route add fc00::7 ${E[*]} End.DX6 dev d0
	route add fc00::8 ${E[*]} End.B6.Encaps srh segs fc02::1,fc02::2 hmac 7 dev d0
	EOF
}

restore_with_module() {
	expect 'restore: with the module' 1 \
		"Error: nh6: missing.
Offending attribute: encap
Command failed $dir/sids:11" h restore "$dir/sids"
	check 'restore: all but the wrong one' 7 \
		"$(h route show table all | grep -c '^fc00::[1-8] ')"
	check 'restore: none by the kernel' 0 \
		"$(s route show table all | grep -c 'encap seg6local ')"
}

restore_without_module() {
	unload
	PATH=$dir/none:$PATH h restore "$dir/sids" >"$dir/out" 2>&1
	check 'restore: without the module, status' 1 $?
	check 'restore: without the module, said first' \
		'Error: the kernel module seg6local_noref is not loaded, and modprobe could not load it (exit status 1).' \
		"$(head -n 1 "$dir/out")"
	check 'restore: without the module, said what is done' \
		"Warning: without the module, the routes of $dir/sids are installed with encap seg6local of the kernel." \
		"$(grep ^Warning "$dir/out")"
	check 'restore: without the module, said what is to be done' \
		"The routes of $dir/sids have encap seg6local of the kernel, not seg6local_noref.  Once the module is there: seg6noref convert" \
		"$(tail -n 1 "$dir/out")"
	check 'restore: what the kernel cannot do, and where' \
		"Error: replace-csid: the kernel's seg6local has no such thing.
Command failed $dir/sids:7
Error: flavors: this kernel's seg6local takes it here and does not keep it.
Command failed $dir/sids:8
Command failed $dir/sids:11" \
		"$(grep -E '^Error: (replace|flavors)|^Command' "$dir/out")"
	check 'restore: the others are there' \
		'fc00::2  encap seg6local action End flavors next-csid lblen 32 nflen 16 dev d0 table 90 metric 7 pref medium
fc00::1  encap seg6local action End dev d0 metric 1024 pref medium
fc00::3 metric 1024 pref medium
	nexthop  encap seg6local action End.T table 100 via fc01::2 dev d0 weight 1
	nexthop via fc01::3 dev d0 weight 2
fc00::6 nhid 7  encap seg6local action End.DX6 nh6 :: via fc01::2 dev d0 metric 1024 pref medium
fc00::8  encap seg6local action End.B6.Encaps segs 2 [ fc02::1 fc02::2 ] hmac 7 dev d0 metric 1024 pref medium' \
		"$(s route show table all | grep -A2 '^fc00::' |
			grep '^fc00\|nexthop' | sed 's/ *$//')"
	check 'restore: without the module, there is none' '' \
		"$(grep ^seg6local_noref /proc/modules)"
	expect 'restore: later, converted' 0 \
		'4 routes and 1 nexthop objects converted to seg6local_noref, 0 not' \
		h convert
}

restore_words() {
	expect 'restore: no such file' 1 \
		"Cannot open file \"$dir/nope\" for reading: No such file or directory" \
		h restore "$dir/nope"
	expect 'restore: no file' 255 \
		'Command line is not complete. Try option "help"' h restore
	echo "restore $dir/self" >"$dir/self"
	expect 'restore: a file that names itself' 255 \
		"Error: a file of commands cannot name another one.
Command failed $dir/self:1" h -batch "$dir/self"
	expect 'restore: two files' 255 \
		'Error: argument "b" is wrong: there is one file' h restore a b
}

# What a unit of systemd runs, for device d0 if it is one for devices.
unit_command() {
	sed -n 's/^ExecStart=//p' "$1" | sed 's/%i/d0/'
}

# What is installed for the start runs what is tested above.
restore_boot() {
	local unit=$dir/tree/usr/lib/systemd/system/seg6noref-restore.service
	local hook=$dir/tree/etc/network/if-up.d/seg6noref

	mkdir -p "$dir/tree/etc/network/if-up.d" /etc/seg6noref
	check 'boot: installed' 0 "$(make -s -C "$here/.." install-boot \
		DESTDIR="$dir/tree" PREFIX=/usr SBINDIR="$dir/bin" >&2; echo $?)"
	mkdir "$dir/bin"
	# In the namespace of the test, with a modprobe that fails.
	cat >"$dir/bin/seg6noref" <<-EOF
	#!/bin/sh
	PATH=$dir/none:\$PATH exec $helper -n nr "\$@"
	EOF
	chmod +x "$dir/bin/seg6noref"
	echo "route add fc00::31 ${E[*]} End dev d0" >/etc/seg6noref/sids
	echo "route add fc00::32 ${E[*]} End dev d0" >/etc/seg6noref/d0.sids
	check 'boot: the unit succeeds' 0 \
		"$(eval "$(unit_command "$unit")" 2>/dev/null; echo $?)"
	check 'boot: the unit of a device succeeds' 0 \
		"$(eval "$(unit_command "${unit%.service}@.service")" \
			2>/dev/null; echo $?)"
	check 'boot: their routes' 2 \
		"$(s route show | grep -c 'fc00::3[12]  encap seg6local ')"
	s route del fc00::32
	check 'boot: the hook succeeds' 0 \
		"$(IFACE=d0 MODE=start ADDRFAM=inet6 "$hook" 2>/dev/null
		   echo $?)"
	check 'boot: its route' 1 \
		"$(s route show | grep -c 'fc00::32  encap seg6local ')"
	check 'boot: the hook speaks up' 1 \
		"$(IFACE=d0 "$hook" 2>&1 | grep -c '^Warning: without the module')"
	check 'boot: the hook leaves other devices alone' '' \
		"$(IFACE=d1 "$hook" 2>&1)"
	check 'boot: the hook leaves other families alone' '' \
		"$(IFACE=d0 ADDRFAM=inet "$hook" 2>&1)"
	check 'boot: removed' '' "$(make -s -C "$here/.." uninstall-boot \
		DESTDIR="$dir/tree" PREFIX=/usr >&2
		find "$dir/tree" -name 'seg6noref*')"
}

restore_group() {
	mkdir -p "$dir/none"
	printf '#!/bin/sh\nexit 1\n' >"$dir/none/modprobe"
	chmod +x "$dir/none/modprobe"
	restore_file
	restore_with_module
	"$stock" netns del nr
	setup
	restore_without_module
	restore_words
	"$stock" netns del nr
	setup
	unload
	restore_boot
}
