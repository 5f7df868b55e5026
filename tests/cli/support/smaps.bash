# SPDX-License-Identifier: MIT
# The smaps of the kernel as comma-separated values, without code of procmem; and comparisons of
# values that change.

SMAPS_COLUMNS=start,end,size,rss,pss,dirty,shared_clean,shared_dirty,private_clean,private_dirty
SMAPS_COLUMNS+=,anonymous,swap,referenced,lazyfree,anon_huge,hugetlb,swap_pss,locked

# Reads smaps text on stdin; prints SMAPS_COLUMNS of each region, by address.
smaps_table() {
	awk '
	function put() {
		if (range == "")
			return
		split(range, address, "-")
		# %d of mawk ends at 2^31.
		printf "%s,%s,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n",
			plain(address[1]), plain(address[2]), b("Size"), b("Rss"), b("Pss"),
			b("Shared_Dirty") + b("Private_Dirty"), b("Shared_Clean"), b("Shared_Dirty"),
			b("Private_Clean"), b("Private_Dirty"), b("Anonymous"), b("Swap"),
			b("Referenced"), b("LazyFree"), b("AnonHugePages"),
			b("Shared_Hugetlb") + b("Private_Hugetlb"), b("SwapPss"), b("Locked")
	}
	function b(key) { return value[key] * 1024 }
	function plain(hex) { sub(/^0+/, "", hex); return hex == "" ? "0" : hex }
	/^[0-9a-f]+-[0-9a-f]+ / { put(); range = $1; delete value; next }
	{ sub(/:$/, "", $1); value[$1] = $2 }
	END { put() }'
}

# Compares the output of two commands on a living process; each command is a string for eval. The
# kernel can move pages between both, so it tries several times; a real difference occurs each time.
same() {
	for _ in 1 2 3 4 5; do
		eval "$1" >"$BATS_TEST_TMPDIR/first"
		eval "$2" >"$BATS_TEST_TMPDIR/second"
		! cmp -s "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second" || break
	done
	[ -s "$BATS_TEST_TMPDIR/first" ]
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}
