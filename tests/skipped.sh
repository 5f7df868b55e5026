#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/skipped.sh LOG...
#
# Lists the skipped tests and the reasons, from logs of ctest
# (build/PRESET/Testing/Temporary/LastTest.log): one line per test and reason, with the presets.
# Prints nothing if no test was skipped.
#
# A line `skipped: REASON` is from a cmocka test (skip_because) or from a script. bats has a mark of
# its own.
set -eu

# Prints the skips in the logs: name of the test, reason, preset.
skips() {
	awk '
	function add(reason) {
		printf "%s\t%s\t%s\n", name, reason == "" ? "without a reason" : reason, preset
	}
	FNR == 1 { count = split(FILENAME, folders, "/"); preset = folders[count - 3] }
	/^[0-9]+\/[0-9]+ Test: / { sub(/^[^:]*: /, ""); name = $0 }
	/^([a-z.]+: )*skipped: / { sub(/^.*skipped: /, ""); add($0) }
	/^ok [0-9]+ .* in [0-9]+ ?ms # skip/ {
		test = reason = $0
		sub(/^ok [0-9]+ /, "", test)
		sub(/ in [0-9]+ ?ms # skip.*/, "", test)
		sub(/^.* in [0-9]+ ?ms # skip */, "", reason)
		add("\"" test "\": " (reason == "" ? "without a reason" : reason))
	}
	' "$@"
}

skips "$@" | sort -u | awk -F '\t' '
$1 FS $2 != before {
	if (before != "")
		print line " (" presets ")"
	before = $1 FS $2
	line = "  " $1 ": " $2
	presets = $3
	next
}
{ presets = presets ", " $3 }
END {
	if (before != "")
		print line " (" presets ")"
}'
