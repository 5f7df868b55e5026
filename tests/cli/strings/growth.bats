#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem strings -u --growth`: a process gets texts between the two moments, when the first count is
# complete.

setup() {
	load ../support/helper
	require python3
}

teardown() {
	targets_stop
	json_check
}

# A program that adds ten records each time that something else reads its memory: it watches for
# that by nothing but time, so it adds records all the time, and their number grows in any interval.
start_growing() {
	cat >"$BATS_TEST_TMPDIR/growing.py" <<'PYTHON'
import time
kept = ["constant text of the test %d" % i for i in range(50)]
print("ready", flush=True)
for i in range(10 ** 9):
    kept.append("growing record %d of the test" % i)
    time.sleep(0.001)
PYTHON
	program_start python3 "$BATS_TEST_TMPDIR/growing.py"
	target_await ready
}

@test "texts that grew are printed with their growth, and others are not" {
	require jq
	start_growing
	run -0 procmem strings -q -u --similar --growth 1s --json "$TARGET_PID"
	jq -se 'map(select(.text == "growing record # of the test")) | length == 1 and .[0].count_growth > 0
		and .[0].count >= .[0].count_growth and .[0].bytes_growth >= 26 * .[0].count_growth' <<<"$output"
	jq -se 'all(.[]; .text != "constant text of the test #")' <<<"$output"
	run -0 procmem strings -q -u --similar --growth 1s --top 1 "$TARGET_PID"
	[[ ${lines[0]} =~ ^[0-9,]+' '(distinct strings|string)' grew in '[0-9.]+'s, by ' ]]
	[[ $output == *'growing record # of the test'* ]]
	run -0 procmem strings -q -u --similar --growth 1s --csv "$TARGET_PID"
	[ "${lines[0]}" = count,count_growth,bytes,bytes_growth,encoding,first,text ]
	[[ $output == *,'growing record # of the test'* ]]
}

@test "a process that does not grow, and one that ends" {
	target_start one_byte 0 1
	run -1 procmem strings -q -u --growth 0.2s "$TARGET_PID" "$(target_range bytes)"
	run -2 procmem strings --growth 1s "$TARGET_PID"
	[[ $output == *'--growth requires -u'* ]]
	start_growing
	procmem strings -u --growth 1h "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>&1 &
	local searcher=$!
	kill -KILL "$TARGET_PID"
	local status=0
	wait "$searcher" || status=$?
	[ "$status" -eq 2 ]
}
