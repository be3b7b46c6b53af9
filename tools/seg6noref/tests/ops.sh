#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands of seg6noref for operating a machine, against the real module:
#
#	tools/lab/lab run uml-fast -- tools/seg6noref/tests/ops.sh [GROUP...]
#
# GROUP is one of those at the end; all of them by default.
# Configuration only, no packet flows; convert_load.sh has traffic.
#
#	namespace "nr":  d0 (dummy)  d1 (dummy)  vrf100 (VRF, table 100)
set -u

here=$(cd "$(dirname "$0")" && pwd)
helper=${SEG6NOREF:-$here/../seg6noref}
stock=$(command -v ip)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
# shellcheck source-path=SCRIPTDIR source=ops_convert.sh
. "$here/ops_convert.sh"
# shellcheck source-path=SCRIPTDIR source=ops_monitor.sh
. "$here/ops_monitor.sh"
# shellcheck source-path=SCRIPTDIR source=ops_ready.sh
. "$here/ops_ready.sh"
# shellcheck source-path=SCRIPTDIR source=ops_restore.sh
. "$here/ops_restore.sh"
# shellcheck source-path=SCRIPTDIR source=ops_stats.sh
. "$here/ops_stats.sh"

h() { "$helper" -n nr "$@"; }
s() { "$stock" -n nr -6 "$@"; }

# shellcheck disable=SC2034 # used by the files above
E=(encap seg6local_noref action)
# shellcheck disable=SC2034
S=(encap seg6local action)

setup() {
	modprobe dummy && modprobe vrf || return
	"$stock" netns add nr || return
	s link set lo up
	s link add d0 type dummy
	s link add d1 type dummy
	s link add vrf100 type vrf table 100
	s link set d0 up
	s link set d1 up
	s link set vrf100 up
	s addr add fc01::1/64 dev d0 nodad
	ip netns exec nr sysctl -qw net.vrf.strict_mode=1
}

# Namespaces and states of routes go some time after their deletion.
unload() {
	local i

	for ((i = 0; i < 100; i++)); do
		[ -d /sys/module/seg6local_noref ] || return 0
		rmmod seg6local_noref 2>/dev/null && return
		sleep 0.2
	done
	rmmod seg6local_noref
}

run() {
	if ! setup; then
		echo "Bail out: cannot set up"
		exit 1
	fi
	"$1"
	"$stock" netns del nr
}

[ $# -gt 0 ] || set -- convert refusals interrupted upgrade monitor stats ready restore
for group; do
	run "${group}_group"
done
finish
