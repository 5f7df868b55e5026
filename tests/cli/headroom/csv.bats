#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem headroom --csv`: the same values as --json, or what the target has.

setup() {
	load ../support/helper
	load ../support/csv
	require jq
}

teardown() {
	targets_stop
	json_check
}

@test "a row for each limit" {
	target_start leaker merged 1048576 stepped
	run -0 procmem headroom -q --csv "$TARGET_PID"
	[ "${lines[0]}" = name,max,used,reclaimable,left,rate,verdict,seconds_left,estimate,source ]
	[ "$(columns name max source <<<"$output")" = \
		"$(procmem headroom --json "$TARGET_PID" | jq -r '.limits[] | "\(.name)|\(.max)|\(.source // "")"')" ]
	[ "$(columns name max <<<"$output" | grep '^mappings|')" = "mappings|$(cat /proc/sys/vm/max_map_count)" ]
	run -2 procmem headroom --csv --children "$TARGET_PID"
	[[ $output == *'use --json'* ]]
}
