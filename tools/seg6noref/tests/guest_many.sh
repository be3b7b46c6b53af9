# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# guest_many.sh - thousands of routes over the whole grammar: what is shown of
# them deletes them, and adds them again; sourced by guest.sh

# What is shown in the place of a command, one route a line.
as_commands() {
	h -s -o route show table 92 | sed "s/^/route $1 table 92 /; s/\\\\/ /g"
}

many() {
	local count=2000 seed=${SEED:-1}

	# An emulated processor is too slow for so many.
	grep -q 'QEMU Virtual\|TCG' /proc/cpuinfo && count=500
	note "$count routes of routes.awk with seed $seed"
	awk -v SEED="$seed" -v COUNT=$count -f "$here/routes.awk" >"$dir/many"
	expect 'thousands of routes: add' 0 '' h -batch "$dir/many"
	h -s route show table 92 >"$dir/first"
	check 'thousands of routes: all are there' $count \
		"$(h -o route show table 92 | wc -l)"
	check 'thousands of routes: no encap but ours' 0 \
		"$(grep -E 'ioam6|invalid|unknown' -c "$dir/first")"
	h -s -j route show table 92 >"$dir/first.json"
	check 'thousands of routes: through ip' "$(md5sum <"$dir/first")" \
		"$(w -s route show table 92 | md5sum)"
	check 'thousands of routes: JSON through ip' \
		"$(md5sum <"$dir/first.json")" \
		"$(w -s -j route show table 92 | md5sum)"
	as_commands del >"$dir/del"
	as_commands add >"$dir/add"
	expect 'thousands of routes: del as shown' 0 '' h -batch "$dir/del"
	expect 'thousands of routes: none is left' 0 '' \
		h route show table 92
	expect 'thousands of routes: add as shown' 0 '' h -batch "$dir/add"
	h -s route show table 92 >"$dir/second"
	expect 'thousands of routes: shown as before' 0 '' \
		diff "$dir/first" "$dir/second"
	h -s -j route show table 92 >"$dir/second.json"
	expect 'thousands of routes: JSON as before' 0 '' \
		cmp "$dir/first.json" "$dir/second.json"
	sed 's/^route add/route append/' "$dir/add" >"$dir/append"
	check 'thousands of routes: each is equal to what is there' $count \
		"$(h -force -batch "$dir/append" 2>&1 |
			grep -c 'RTNETLINK answers: File exists')"
	same_as_stock $count
	h -batch "$dir/del"
}

# Commands for the kernel's own encap: not what it has not, nor what it takes
# and ignores (flavors on End.T), nor what this ip stumbles over (long lists, an
# encap at the end of the line, a protocol by number, which it takes for the name
# that a line before had).
stock_commands() {
	grep -vE 'replace-csid|End\.T.*flavors|flavors.*End\.T|.{600}' |
		grep -E 'weight [0-9]+$|table 92 [^ ]* .* (dev|via|src|mtu|lock|pref|metric|hoplimit|advmss) [^ ]+$' |
		grep -vE 'nexthop.*[^0-9]$|nexthop.*(lblen|nflen|nh4|table|vrftable|hmac) [^ ]*$' |
		sed 's/seg6local_noref/seg6local/g; s/ table 92 / table 93 /
			s/ proto 99 / proto openr /'
}

# Text as the real ip prints the same routes of the kernel's own encap, where
# that is as far as ours, of COUNT that were tried.
same_as_stock() {
	"$stock" -n nr -6 route add fc00::1 dev d0 encap seg6local \
		action End.X nh6 :: oif d1
	if "$stock" -n nr -6 route show fc00::1 | grep -q ' oif d1 '; then
		stock_commands <"$dir/many" >"$dir/stock"
		"$stock" -n nr -6 -force -batch "$dir/stock" 2>/dev/null
		"$stock" -n nr -6 -s -o route show table 93 |
			sed 's/ seg6local / seg6local_noref /g' |
			sort >"$dir/stock.shown"
		check 'thousands of routes: many are possible in stock' yes \
			"$([ "$(wc -l <"$dir/stock.shown")" -ge $(($1 / 3)) ] &&
				echo yes)"
		expect 'thousands of routes: text as that of ip' 0 '' \
			comm -23 "$dir/stock.shown" \
			<(h -s -o route show table 92 | sort)
		"$stock" -n nr -6 route flush table 93
	fi
	"$stock" -n nr -6 route del fc00::1
}
