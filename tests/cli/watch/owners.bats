#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --by owner`: which owner grows. The truth is what the target reports.

setup() {
	load ../support/helper
	load ../support/curve
	recording=$BATS_TEST_TMPDIR/a.pmrec
}

teardown() {
	targets_stop
	json_check
}

@test "the owner that grows is named with its rate, the others do not grow" {
	local rate=2097152
	target_start leaker merged "$rate" stepped
	record_seconds "$recording" 26
	run -0 procmem watch --by owner "$recording"
	[[ $output == *$'\nby owner: (not known) +'*' steady'* ]]
	[[ $output == *$'\nOWNER '*VERDICT*WHAT* ]]
	[[ $output == *$'\n(not known) '*' steady '* ]]
	[[ $output == *$'\nstack '*' no growth '* ]]

	procmem watch --json "$recording" >"$BATS_TEST_TMPDIR/json"
	json_keep watch "$BATS_TEST_TMPDIR/json"
	tail -n 1 "$BATS_TEST_TMPDIR/json" | jq -e --argjson rate "$rate" '.owners[] | select(.owner == null)
		| .verdict == "steady" and .rate > $rate * 0.9 and .rate < $rate * 1.1 and .growth > $rate * 23'
	# Each sample has the change since the one before.
	head -n 5 "$BATS_TEST_TMPDIR/json" | tail -n 1 | jq -e '.owners[] | select(.owner == null) | .delta > 0'
}

@test "live: the sums of all owners are the sizes of all regions, and are recorded" {
	target_start grower
	procmem watch -q --json --budget 0 -i 0.1 -c 3 --by owner --record "$recording" "$TARGET_PID" >"$BATS_TEST_TMPDIR/json"
	json_keep watch "$BATS_TEST_TMPDIR/json"
	local sum
	sum=$(tail -n 1 "$BATS_TEST_TMPDIR/json" | jq '[.owners[].rss] | add')
	[ "$sum" = "$(awk '/^Rss:/ { rss += $2 } /^Swap:/ { rss += $2 } END { printf "%.0f\n", rss * 1024 }' "/proc/$TARGET_PID/smaps")" ]
	run -0 procmem map --by owner --json "$recording@1"
	[ "$(jq '[.groups[] | .rss + .swap] | add' <<<"$output")" = "$sum" ]
}

@test "a recording without owners has no rows" {
	require sqlite3
	target_start grower
	procmem snap -q -o "$recording" "$TARGET_PID"
	procmem snap -q -o "$recording" "$TARGET_PID"
	sqlite3 "$recording" 'DROP TABLE owner'
	run -0 procmem watch --by owner "$recording"
	[[ $output == *"the owners of the memory are not known"* ]]
}

@test "wrong uses are refused" {
	target_start grower
	run -2 procmem watch --by kind "$TARGET_PID"
	[[ $output == *"'kind' is unknown: use owner"* ]]
	run -2 procmem watch --by owner -o +rate "$TARGET_PID"
	[[ $output == *"--by"*"--columns"* ]]
	run -2 procmem watch --by owner --children "$TARGET_PID"
	[[ $output == *"--by needs a single process"* ]]
}
