#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem strings --csv`: the same values as --json, or what the target has.

setup() {
	load ../support/helper
	load ../support/csv
	load ../support/hold
}

teardown() {
	targets_stop
	json_check
}

@test "a row for each text, with commas and quotes" {
	hold_text 'alpha, "beta"\0alpha, "beta"\0gamma-delta\0'
	run -0 procmem strings -a -q -u --csv "$TARGET_PID" "${ranges[0]}"
	[ "${lines[0]}" = pid,count,bytes,length,low_by,encoding,first,text ]
	[ "${lines[1]}" = ",2,26,13,0,utf-8,$(at 0),\"alpha, \"\"beta\"\"\"" ]
	[ "$(columns count text <<<"$output")" = $'2|alpha, "beta"\n1|gamma-delta' ]
	run -2 procmem strings --csv "$TARGET_PID"
	[[ $output == *'--csv requires -u'* ]]
}
