#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/lint/tidy.sh [paths]
# clang-tidy reports nothing about the library and the program. Its local checks take seconds.
# `paths` adds the checks that follow every path through a function, which take minutes;
# tests/analyse.sh uses this. .clang-tidy lists the checks. Run by ctest.
set -eu
for tool in clang-tidy jq; do
	command -v $tool >/dev/null || {
		echo "$tool is not installed: sh docs/setup.sh test installs it"
		exit 1
	}
done
cd "$PROCMEM_SOURCE"
files=$(mktemp)
log=$(mktemp)
trap 'rm -f "$files" "$log"' EXIT
jq -r --arg root "$PROCMEM_SOURCE" '
	.[].file | select(startswith($root + "/lib/") or startswith($root + "/cmd/"))
' "$PROCMEM_BUILD/compile_commands.json" | sort -u >"$files"
[ -s "$files" ] || { echo "$PROCMEM_BUILD builds nothing of lib or cmd" && exit 1; }
checks="-clang-analyzer-*"
[ "${1:-}" != paths ] || checks=
failed=0
xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$PROCMEM_BUILD" --checks="$checks" \
	<"$files" >"$log" 2>&1 || failed=1
# The number of suppressed warnings in system headers is of no interest.
grep -v ' warnings* generated\.$' "$log" || :
exit $failed
