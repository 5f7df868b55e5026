# SPDX-License-Identifier: MIT
# The kernel's smaps as comma-separated values, by means that share nothing with procmem; and comparing what moves.

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
			b("Shared_Dirty") + b("Private_Dirty"), b("Shared_Clean"), b("Shared_Dirty"), b("Private_Clean"), b("Private_Dirty"),
			b("Anonymous"), b("Swap"), b("Referenced"), b("LazyFree"), b("AnonHugePages"), b("Shared_Hugetlb") + b("Private_Hugetlb"),
			b("SwapPss"), b("Locked")
	}
	function b(key) { return value[key] * 1024 }
	function plain(hex) { sub(/^0+/, "", hex); return hex == "" ? "0" : hex }
	/^[0-9a-f]+-[0-9a-f]+ / { put(); range = $1; delete value; next }
	{ sub(/:$/, "", $1); value[$1] = $2 }
	END { put() }'
}

# Compares what two commands say of a live process, each given as words for eval. The kernel may take or write back a page between both, so
# several times; what really differs does so every time.
same() {
	for _ in 1 2 3 4 5; do
		eval "$1" >"$BATS_TEST_TMPDIR/first"
		eval "$2" >"$BATS_TEST_TMPDIR/second"
		! cmp -s "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second" || break
	done
	[ -s "$BATS_TEST_TMPDIR/first" ]
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}
