# SPDX-License-Identifier: MIT
# The kernel's smaps as comma-separated values, by means that share nothing with procmem.

SMAPS_COLUMNS=start,end,size,rss,pss,dirty,shared_clean,shared_dirty,private_clean,private_dirty,anonymous,swap,referenced,lazyfree,anon_huge,hugetlb,swap_pss,locked

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
