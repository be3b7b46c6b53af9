# SPDX-License-Identifier: GPL-2.0-only
#
# The matrix as text: a line per kernel, a column per cell, of the TSV that
# the matrix writes. Counts are those of the tests in a cell.

BEGIN {
	FS = "\t"
	n = split(cells, cell, " ")
}

NR > 1 {
	if (!($1 in version))
		kernel[++kernels] = $1
	version[$1] = $2
	shown[$1, $3] = $4 == "pass" && $5 != "-" ? $5 : \
		$4 == "fail" && $5 != "-" ? "FAIL " $6 : \
		$4 == "fail" ? "FAIL" : $4
	if ($4 == "skip")
		note[++notes] = $1 " " $3 ": " $10
}

END {
	printf "%-21s %-18s", "kernel", "version"
	for (i = 1; i <= n; i++)
		printf " %-8s", cell[i]
	print ""
	for (k = 1; k <= kernels; k++) {
		printf "%-21s %-18s", kernel[k], version[kernel[k]]
		for (i = 1; i <= n; i++)
			printf " %-8s", (kernel[k], cell[i]) in shown ? \
				shown[kernel[k], cell[i]] : "."
		print ""
	}
	for (i = 1; i <= notes; i++)
		print "skipped: " note[i]
}
