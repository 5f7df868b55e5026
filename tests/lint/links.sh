#!/bin/sh
# SPDX-License-Identifier: MIT
# Every relative link in the documents refers to an existing file. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
failed=0
links=$(mktemp)
trap 'rm -f "$links"' EXIT
for page in ./*.md docs/*.md; do
	[ -f "$page" ] || continue
	grep -o '](\([^)#: ]*\)[)#]' "$page" | sed 's/^](//; s/[)#]$//' >"$links" || continue
	while read -r link; do
		[ -e "${page%/*}/$link" ] && continue
		echo "$page: $link does not exist"
		failed=1
	done <"$links"
done
exit $failed
