#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What ecosystem.md says, as root on a kernel with the module: its example for
# pyroute2 is run (Debian: python3-pyroute2).
#
#	d0 (dummy)
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
prepare_guest
# The one that Debian's modules are for.
python=/usr/bin/python3

h() { "$helper" -6 "$@"; }

example() {
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$here/../ecosystem.md" | grep -v '^```'
}

pyroute2() {
	local shown

	example python >"$dir/example.py"
	expect 'pyroute2: the example' 0 'fc00:0:1::e 1
fc00:0:1::d6 5
fcbb:0:1:: 1' "$python" "$dir/example.py"
	shown='fc00:0:1::e  encap seg6local_noref action End packets 0 bytes 0 errors 0 dev d0 proto static metric 1024 pref medium
fcbb:0:1::/48  encap seg6local_noref action End flavors next-csid lblen 32 nflen 16 dev d0 proto static metric 1024 pref medium'
	check 'pyroute2: what it added and left' "$shown" \
		"$(h -s route show root fc00::/8 table main | grep encap)"
	h route add fc00::9 encap seg6local_noref action End.X nh6 fc01::2 dev d0
	expect 'pyroute2: lists what it has no class for' 0 True \
		"$python" - <<-'END'
		import re
		import socket
		from pyroute2 import IPRoute
		with IPRoute() as ip:
		    found = {route.get_attr("RTA_DST"): route.get_attr("RTA_ENCAP")
		             for route in ip.get_routes(family=socket.AF_INET6)}
		    print(bool(re.fullmatch("[0-9a-f:]+", found["fc00::9"])))
	END
	expect 'pyroute2: deletes it' 0 '' "$python" -c '
import socket
from pyroute2 import IPRoute
with IPRoute() as ip:
    ip.route("del", dst="fc00::9/128", family=socket.AF_INET6)'
	expect 'pyroute2: it is gone' 0 '' h route show fc00::9
}

modprobe -a dummy seg6local_noref && ip link add d0 type dummy &&
	ip link set d0 up || exit
if ! "$python" -c 'import pyroute2'; then
	echo 'Bail out! no pyroute2 (Debian: python3-pyroute2)'
	exit 1
fi
pyroute2
finish
