#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why --deep`: who holds the chunks that pile up. The targets grow in real time.

setup() {
	load ../support/helper
	load ../support/python_waits
}

teardown() {
	targets_stop
	json_check
}

# bats test_tags=timed
@test "chunks that are lost are held by nothing, and the stop is reported" {
	retry_timed
	target_start leaker arenas 2000000
	run -1 --separate-stderr procmem why --deep --max-stop 0 --json --for 6s "$TARGET_PID"
	jq -e '.findings[0].id == "malloc_leak" and .cost.stopped_us > 0 and
		(.findings[0].evidence | any(startswith("held by nothing")))' <<<"$output"
	# shellcheck disable=SC2154 # set by run
	[[ $stderr = *"stopping process $TARGET_PID for about"* ]]
}

# bats test_tags=timed
@test "chunks in a list are held by the variable that has the list" {
	retry_timed
	target_start hoarder 400
	run -1 --separate-stderr procmem why --deep --max-stop 0 --for 6s "$TARGET_PID"
	[[ $output = *'held by  global hoard '*' in hoarder'* ]]
	[[ $output = *' stopped '*' ms'* ]]
}

@test "--deep is for living processes, and --max-stop for --deep" {
	target_start sample_server
	procmem snap -o "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID"
	run -2 procmem why --deep "$BATS_TEST_TMPDIR/run.pmrec"
	[[ $output = *'--deep stops a living process'* ]]
	run -2 procmem why --max-stop 1s "$TARGET_PID"
	[[ $output = *'needs --deep'* ]]
}
