#!/bin/sh
# SPDX-License-Identifier: MIT
# The messages that docs/TROUBLESHOOTING.md quotes are those of the source, and the page quotes
# every rule that refuses access. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
page=docs/TROUBLESHOOTING.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# All string constants of the source. Adjacent ones are joined.
find lib cmd -name '*.c' -exec cat {} + | tr '\n\t' '  ' | sed 's/" *"//g' >"$scratch/source"

# The first column: messages separated by ` / `, with `…` for the parts that vary.
sed -n 's/^| \(.*[^ ]\) | .*/\1/p' "$page" | grep -v '^Message$' | sed 's/ \/ /\n/g' \
	>"$scratch/messages"
[ "$(wc -l <"$scratch/messages")" -ge 20 ] || {
	echo "$page: fewer than 20 messages were found"
	exit 1
}
sed 's/…/\n/g' "$scratch/messages" | sed "s/^[ ';:,()]*//; s/[ ';:,()]*\$//" | grep -E '.{4}' \
	>"$scratch/parts"
while IFS= read -r part; do
	grep -qF -- "$part" "$scratch/source" || {
		echo "$page: no message of the source contains '$part'"
		failed=1
	}
done <"$scratch/parts"

# The longest part without conversions of each rule's format.
grep -o 'return refused(refusal, [^"]*"[^"]*"' "$scratch/source" |
	sed 's/^[^"]*"//; s/"$//' | sed 's/%[a-z]/\n/g; s/$/\n--/' |
	awk '/^--$/ { print longest; longest = ""; next }
		length > length(longest) { longest = $0 }' |
	sed "s/^[ ';:,()]*//; s/[ ';:,()]*\$//; s/; run procmem.*//" >"$scratch/rules"
[ "$(wc -l <"$scratch/rules")" -ge 10 ] || {
	echo 'fewer than 10 rules were found in the source'
	exit 1
}
while IFS= read -r rule; do
	grep -qF -- "$rule" "$page" || { echo "$page lacks '$rule'" && failed=1; }
done <"$scratch/rules"
exit $failed
