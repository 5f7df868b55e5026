#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem snap --csv`: the same values as --json, or what the target has.

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

@test "a row for each sample" {
	record
	run -0 procmem snap -l --csv "$recording"
	[ "${lines[0]}" = sample,time,rss,anon,file,shmem,swap,size,threads,regions,holds,has_chunks,has_sites ]
	[ "${#lines[@]}" -eq 3 ]
	[ "$(columns sample time rss threads regions holds <<<"$output")" = \
		"$(procmem snap -l --json "$recording" | jq -r '.samples[] | "\(.sample)|\(.time)|\(.rss)|\(.threads)|\(.count)|\(.holds)"')" ]
	run -2 procmem snap --csv -o "$BATS_TEST_TMPDIR/x" "$TARGET_PID"
	[[ $output == *"'--csv' needs '--list'"* ]]
}
