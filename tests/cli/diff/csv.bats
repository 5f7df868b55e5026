#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem diff --csv`: the same values as --json, or what the target has.

setup() {
	load ../support/helper
	load ../support/csv
	require jq
}

teardown() {
	targets_stop
	json_check
}

# Records a process before and after it has grown.
record() {
	recording=$BATS_TEST_TMPDIR/r.pmrec
	target_start leaker merged 1048576 stepped
	procmem snap -q -o "$recording" "$TARGET_PID"
	target_tell pass 3
	procmem snap -q -o "$recording" "$TARGET_PID"
}

# Compares the two samples, in CSV and in JSON.
compare() {
	procmem diff --csv "$@" "$recording@first" "$recording" >"$BATS_TEST_TMPDIR/csv" || [ $? -eq 1 ]
	procmem diff --json "$@" "$recording@first" "$recording" >"$BATS_TEST_TMPDIR/json" || [ $? -eq 1 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/csv")" -gt 1 ]
}

@test "a row for each change, and for each sum" {
	local by
	record
	compare
	diff <(columns change start end rss_before rss_after delta size_delta kind <"$BATS_TEST_TMPDIR/csv") \
		<(jq -r '.regions[] | "\(.change)|\(.start[2:])|\(.end[2:])|\(.rss_before)|\(.rss_after)|\(.delta)|\(.size_delta)|\(.kind)"' \
			"$BATS_TEST_TMPDIR/json")
	for by in kind mapping owner; do
		compare --by "$by"
		diff <(columns start count delta <"$BATS_TEST_TMPDIR/csv") \
			<(jq -r '.groups[] | "|\(.count)|\(.delta)"' "$BATS_TEST_TMPDIR/json")
	done
	run -2 procmem diff --csv --by site "$recording@first" "$recording"
	[[ $output == *'use --json'* ]]
}
