#!/bin/sh
# SPDX-License-Identifier: MIT
# The sentences in docs/TROUBLESHOOTING.md are those of the source, and no rule that refuses access is missing there. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
page=docs/TROUBLESHOOTING.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# All text constants of the source, those of one sentence joined.
find lib cmd -name '*.c' -exec cat {} + | tr '\n\t' '  ' | sed 's/" *"//g' >"$scratch/source"

# The first column: sentences separated by ` / `, with `…` for what varies.
sed -n 's/^| \(.*[^ ]\) | .*/\1/p' "$page" | grep -v '^it says$' | sed 's/ \/ /\n/g' >"$scratch/sentences"
[ "$(wc -l <"$scratch/sentences")" -ge 20 ] || { echo "$page: where are the sentences?" && exit 1; }
sed 's/…/\n/g' "$scratch/sentences" | sed "s/^[ ';:,()]*//; s/[ ';:,()]*\$//" | grep -E '.{4}' >"$scratch/parts"
while IFS= read -r part; do
	grep -qF -- "$part" "$scratch/source" || { echo "$page: nothing in the source says '$part'" && failed=1; }
done <"$scratch/parts"

# Of each rule's format the longest part without conversions.
grep -o 'return refused(refusal, [^"]*"[^"]*"' "$scratch/source" | sed 's/^[^"]*"//; s/"$//' | sed 's/%[a-z]/\n/g; s/$/\n--/' |
	awk '/^--$/ { print longest; longest = ""; next } length > length(longest) { longest = $0 }' |
	sed "s/^[ ';:,()]*//; s/[ ';:,()]*\$//; s/; run procmem.*//" >"$scratch/rules"
[ "$(wc -l <"$scratch/rules")" -ge 10 ] || { echo 'where are the rules?' && exit 1; }
while IFS= read -r rule; do
	grep -qF -- "$rule" "$page" || { echo "$page lacks '$rule'" && failed=1; }
done <"$scratch/rules"
exit $failed
