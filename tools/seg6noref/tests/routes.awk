# SPDX-License-Identifier: GPL-2.0-only
#
# routes.awk - COUNT commands that add routes with our encap to table 92, over
# the whole grammar; the same ones for the same SEED, with any awk

function random(n)
{
	state = (state * 69069 + 12345) % 4294967296
	return int(state / 65536) % n
}

function pick(list,	words)
{
	return words[1 + random(split(list, words, "|"))]
}

function maybe(text)
{
	return random(2) ? " " text : ""
}

function address()
{
	return sprintf(pick("fc02::%x|fe80::%x|2001:db8:0:%x::|::%x|::ffff:1.2.3.%d"),
		       1 + random(255))
}

function segments(most,	list, n)
{
	list = address()
	for (n = random(most); n > 0; n--)
		list = list "," address()
	return list maybe("hmac " pick("1|0x10|4294967295|077"))
}

function flavors(	list, word, lengths)
{
	list = ""
	for (word = 1; word <= 3; word++)
		if (random(2))
			list = list "," pick1("psp|usp|usd", word)
	word = random(3)
	lengths = ""
	if (word == 1) {
		list = list ",next-csid"
		lengths = maybe("lblen " 8 * (1 + random(6))) \
			  maybe("nflen " 8 * (1 + random(10)))
	} else if (word == 2) {
		list = "," "replace-csid" list
		lengths = maybe("lblen " 8 * (1 + random(11))) \
			  maybe("nflen " pick("16|32"))
	}
	return list == "" ? "" : " flavors " substr(list, 2) lengths
}

function pick1(list, n,	words)
{
	split(list, words, "|")
	return words[n]
}

# The options of an action, some before the word action, some behind.
function options(action)
{
	if (action == "End")
		return flavors()
	if (action == "End.X")
		return maybe("oif " pick("d0|d1|if7777")) " nh6 " address() \
		       flavors()
	if (action == "End.T")
		return flavors() " table " pick("main|90|0|local|4294967295|0x100")
	if (action == "End.DX2")
		return " oif " pick("d0|d1|if7777")
	if (action == "End.DX6")
		return " nh6 " pick("::|" address())
	if (action == "End.DX4")
		return " nh4 " pick("0.0.0.0|10.1.0.2|255.255.255.255")
	if (action == "End.DT6")
		return pick(" table 90| table main| vrftable 100")
	if (action == "End.DT4" || action == "End.DT46")
		return " vrftable 100"
	if (action == "End.B6")
		return " srh segs " segments(random(8) ? 4 : 124)
	return " srh segs " segments(random(8) ? 4 : 125)
}

function encap(	action, text, count)
{
	action = pick("End|End.X|End.T|End.DX2|End.DX6|End.DX4|End.DT6|End.DT4|End.DT46|End.B6|End.B6.Encaps")
	text = options(action)
	count = maybe("count")
	if (random(2))
		text = " action " action text count
	else
		text = count text " action " action
	return " encap seg6local_noref" text
}

# A source must be an address of the device.
function hop()
{
	if (random(2))
		return pick(" dev d0 via fc01::9| via fc01::8| dev d0") \
		       maybe("src fc01::1")
	return pick(" dev d1| dev vrf100| dev d1 onlink via fe80::7")
}

# Words of the route, never "table": behind an encap it would belong to that.
function words()
{
	return maybe("metric " 1 + random(65535)) \
	       maybe("proto " pick("static|bgp|99|kernel")) \
	       maybe("pref " pick("low|high|medium")) \
	       maybe("mtu " pick("1400|lock 1300")) \
	       maybe("hoplimit " 1 + random(255)) maybe("advmss 1200")
}

function multipath(	n, text)
{
	text = ""
	for (n = 1 + random(3); n >= 0; n--)
		text = text " nexthop via fc01::" n + 2 " dev d0" \
		       (!n || random(4) ? encap() : "") maybe("weight " 1 + random(256))
	return text
}

BEGIN {
	state = SEED
	for (i = 1; i <= COUNT; i++) {
		text = sprintf("fc10:%x:%x::/%d", i / 256, i % 256,
			       48 + random(81))
		text = "route " pick("add|replace|append|prepend") " table 92 " text
		if (!random(6))
			print text words() multipath()
		else if (random(2))
			print text words() encap() hop()
		else
			print text encap() hop() words()
	}
}
