#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/skipped.sh LOG...
#
# Lists the tests that were skipped, and why, from logs of ctest (build/PRESET/Testing/Temporary/LastTest.log):
# a line for each test and reason, with the presets in which that was so. Nothing if there are none.
# A test of bats or cmocka and a whole script may be skipped.
set -eu

# What a log says of skips: name of the test, reason, preset.
skips() {
	awk '
	function add(reason) {
		printf "%s\t%s\t%s\n", name, reason, preset
		told = 1
	}
	FNR == 1 { count = split(FILENAME, folders, "/"); preset = folders[count - 3] }
	/^[0-9]+\/[0-9]+ Test: / { sub(/^[^:]*: /, ""); name = $0; told = 0; inside = last = "" }
	/^Output:$/ { inside = 1; next }
	/^<end of output>$/ { inside = "" }
	inside && sub(/^skipped: /, "") { add($0) }
	inside && /^ok [0-9]+ .*# skip/ { sub(/.*# skip */, ""); add($0) }
	inside && !/^-*$/ { last = $0 }
	/^Test (time|Passed|Failed)/ { next }
	/^Test Skipped|^Test Not Run/ && !told { add(last == "" ? "without a reason" : last) }
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
