#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The root of a user namespace can use the encap in its own network namespace
# and nowhere else: run as root on a kernel with the module, e.g.
#
#	tools/lab/lab run uml-fast -- tools/seg6noref/tests/userns.sh
#
#	namespace "un" of the real root:  d0 (dummy)
#	namespace of user 65534:          v0 (veth), which becomes its root
set -u

here=$(cd "$(dirname "$0")" && pwd)
helper=${SEG6NOREF:-$here/../seg6noref}

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

# What a user may do who is root in a namespace of its own.
user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups unshare -Ur "$@"
}

own_netns() {
	user -n sh -c "$1"
}

E='encap seg6local_noref action'
SETUP='ip link set lo up && ip link add v0 type veth peer name v1 &&
	ip link set v0 up && ip link set v1 up && ip addr add fc01::1/64 dev v0 nodad'

setup() {
	modprobe seg6local_noref && modprobe dummy && modprobe veth || return
	ip netns add un || return
	ip -n un link add d0 type dummy
	ip -n un link set d0 up
	[ "$(user id -u)" = 0 ]
}

inside() {
	expect 'own netns: add and show' 0 \
		'fc00::1  encap seg6local_noref action End dev v0 metric 1024 pref medium' \
		own_netns "$SETUP && $helper -6 route add fc00::1 $E End count dev v0 &&
			$helper -6 route show fc00::1"
	expect 'own netns: a policy, a flavor, a nexthop object' 0 \
		'fc00::1  encap seg6local_noref action End.B6.Encaps segs 1 [ fc02::1 ] dev v0 metric 1024 pref medium
fc00::2  encap seg6local_noref action End.X nh6 fc01::2 flavors psp,replace-csid lblen 32 nflen 16 dev v0 metric 1024 pref medium
fc00::3 nhid 1  encap seg6local_noref action End via fc01::2 dev v0 metric 1024 pref medium' \
		own_netns "$SETUP && $helper -6 -batch - <<-END &&
			route add fc00::1 $E End.B6.Encaps srh segs fc02::1 dev v0
			route add fc00::2 $E End.X nh6 fc01::2 flavors psp,replace-csid dev v0
			nexthop add id 1 $E End via fc01::2 dev v0
			route add fc00::3 nhid 1
		END
			$helper -6 route show root fc00::/64"
	expect 'own netns: replace and del' 0 '' \
		own_netns "$SETUP && $helper -6 route add fc00::1 $E End dev v0 &&
			$helper -6 route replace fc00::1 $E End.T table 7 dev v0 &&
			$helper -6 route del fc00::1 $E End.T table 7 &&
			$helper -6 route show fc00::1"
	expect 'own netns: refused in the same words' 2 'Error: nh6: missing.
Offending attribute: encap' \
		own_netns "$SETUP && $helper -6 route add fc00::1 $E End.X dev v0"
}

outside() {
	expect 'netns of the real root: add' 2 \
		'RTNETLINK answers: Operation not permitted' \
		user "$helper" -6 route add fc00::1 encap seg6local_noref \
		action End dev lo
	expect 'netns of the real root: nexthop object' 2 \
		'RTNETLINK answers: Operation not permitted' \
		user "$helper" -6 nexthop add id 1 encap seg6local_noref \
		action End dev lo
	expect 'named netns: cannot be entered' 255 \
		'setting the network namespace "un" failed: Operation not permitted' \
		user "$helper" -n un -6 route add fc00::1 \
		encap seg6local_noref action End dev d0
	expect 'named netns, entered before: add' 2 \
		'RTNETLINK answers: Operation not permitted' \
		nsenter --net=/run/netns/un setpriv --reuid=65534 \
		--regid=65534 --clear-groups unshare -Ur "$helper" -6 \
		route add fc00::1 encap seg6local_noref action End dev d0
	"$helper" -n un -6 route add fc00::2 encap seg6local_noref action End \
		dev d0
	expect 'named netns, entered before: del' 2 \
		'RTNETLINK answers: Operation not permitted' \
		nsenter --net=/run/netns/un setpriv --reuid=65534 \
		--regid=65534 --clear-groups unshare -Ur "$helper" -6 \
		route del fc00::2
	expect 'named netns: as it was' 0 \
		'fc00::2  encap seg6local_noref action End dev d0 metric 1024 pref medium' \
		"$helper" -n un -6 route show root fc00::/64
	expect 'no user namespace: add' 2 \
		'RTNETLINK answers: Operation not permitted' \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$helper" \
		-6 route add fc00::1 encap seg6local_noref action End dev lo
}

# What a namespace held is gone with it: then the module can go.
gone() {
	ip netns del un
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(cat /sys/module/seg6local_noref/refcnt)" = 0 ] && break
		sleep 1
	done
	expect 'nothing is left' 0 0 cat /sys/module/seg6local_noref/refcnt
}

if ! setup; then
	echo 'Bail out! cannot set up'
	echo 'not ok userns: setup'
	exit 1
fi
inside
outside
gone
finish
