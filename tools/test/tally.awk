# SPDX-License-Identifier: GPL-2.0-only
#
# Reduces a log to its verdicts: one line "ok NAME" or "not ok NAME" each, NAME
# prefixed by the variable area.  Knows flat lines and nested KTAP, also behind
# the kernel's time stamps; of KTAP only the leaves count, for their parents
# say the same thing again.

function report(verdict, name) {
	sub(/ +# .*$/, "", name)
	print verdict, area ": " name
	seen++
}

{
	sub(/\r$/, "")
	sub(/^(<[0-9]+>)?\[ *[0-9]+\.[0-9]+\](\[[^]]*\])? /, "")
}

/^ *(not )?ok [0-9]+( -)? / {
	match($0, /^ */)
	depth = RLENGTH
	parent = deepest > depth
	deepest = depth
	if (parent || /# SKIP/)
		next
	verdict = $1 == "ok" ? "ok" : "not ok"
	sub(/^ *(not )?ok [0-9]+( -)? /, "")
	report(verdict, $0)
	next
}

/^(not )?ok [^ ]/ {
	verdict = $1 == "ok" ? "ok" : "not ok"
	sub(/^(not )?ok /, "")
	report(verdict, $0)
}

END {
	if (!seen)
		print "not ok " area ": printed no result"
}
