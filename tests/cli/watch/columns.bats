#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --columns`, and the growth of the address space, on a target that says by how much each command changes it.

setup() {
	load ../support/helper
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	json_check
	targets_stop
}

# Records a sample before and a sample after each command.
record() {
	local command
	procmem snap -q -o "$file" "$TARGET_PID"
	for command; do
		target_tell "$command"
		procmem snap -q -o "$file" "$TARGET_PID"
	done
}

@test "a region that grows only in the address space has a row, and a column says by how much" {
	target_start grower
	target_tell reserve m 1000
	record 'stretch m 3000' 'touch m 10' 'stretch m 2000'
	run -0 procmem watch --json "$file"
	jq -se '.[-1].regions | length == 1 and (.[0] | .size == 6000 * 4096 and .size_growth == 5000 * 4096 and .growth == 10 * 4096)' <<<"$output"
	run -0 procmem watch --bytes "$file"
	[[ $output == *'GROWTH  SIZE-GROWTH '* && $output == *" +40960 "*" +20480000 "* ]]
}

@test "the column is not there by default if memory grows as much" {
	target_start grower
	target_tell reserve m 1000
	record 'grow m 3000'
	run -0 procmem watch "$file"
	[[ $output == *' GROWTH '* && $output != *SIZE-GROWTH* ]]
	# It can be asked for.
	run -0 procmem watch --bytes -o size,size-growth,growth "$file"
	[ "$(grep -c '^ *16384000  *+12288000  *+12288000$' <<<"$output")" -eq 1 ]
	grep -q '^ *SIZE  *SIZE-GROWTH  *GROWTH$' <<<"$output"
	run -0 procmem watch -o +size "$file"
	grep -q '^ADDRESS .* KIND  *SIZE MAPPING$' <<<"$output"
}

@test "a region that loses address space has a row if its memory changed, with the loss" {
	target_start grower
	target_tell reserve m 1000
	record 'touch m 10' 'cut m 500'
	run -0 procmem watch --json "$file"
	jq -se '.[-1].regions | length == 1 and (.[0] | .size == 500 * 4096 and .size_growth == -500 * 4096)' <<<"$output"
}

@test "chosen columns are not left out on a narrow terminal" {
	require script
	target_start grower
	record 'map m 1000'
	run -0 script -qec "stty cols 60; '$PROCMEM_BIN' watch -o +day,size $file" /dev/null
	[[ $output == *'PER DAY'*'SIZE'*MAPPING* && $output == *'no room for PER HOUR'* ]]
}

@test "columns have names, and wrong ones are refused" {
	run -0 procmem watch --columns help
	[[ $output == *'size-growth '* && $output == *'mapping '* ]]
	run -2 --separate-stderr procmem watch --columns siz $$
	[[ $stderr == *"did you mean 'size'?"* ]]
	run -2 --separate-stderr procmem watch --columns '' $$
	[[ $stderr == *"'--columns help' lists the columns"* ]]
	run -2 --separate-stderr procmem watch --json --columns size $$
	[[ $stderr == *'cannot be combined'* ]]
}
