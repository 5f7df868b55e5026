#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --csv`: the same values as --json, or what the target has.

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

@test "only the summary, a row for each region that changed" {
	record
	run -0 procmem watch --csv "$recording"
	[ "${lines[0]}" = start,end,kind,owner,mapping,count,rss,size,growth,size_growth,rate,verdict ]
	[ "${#lines[@]}" -gt 1 ]
	[ "$(columns start rss growth verdict <<<"$output")" = \
		"$(procmem watch --json "$recording" | jq -r 'select(.summary) | .regions[] | "\(.start[2:])|\(.rss)|\(.growth)|\(.verdict)"')" ]
	run -0 procmem watch -q --csv -c 2 -i .1 "$TARGET_PID"
	[ "${lines[0]}" = start,end,kind,owner,mapping,count,rss,size,growth,size_growth,rate,verdict ]
	run -0 procmem watch -q --csv --by owner -c 2 -i .1 "$TARGET_PID"
	[ -n "$(columns owner rss <<<"$output")" ]
}
