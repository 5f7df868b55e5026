#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep --csv`: the same values as --json, or what the target has.

setup() {
	load ../support/helper
	load ../support/csv
	load ../support/hold
}

teardown() {
	targets_stop
	json_check
}

@test "-c: a row for each region, or for each kind" {
	hold_text 'alpha beta alpha'
	run -0 search -c --csv alpha
	[ "${lines[0]}" = pid,count,start,end,kind,mapping ]
	[ "$(columns pid count start end kind <<<"$output")" = "|2|${ranges[0]%-*}|${ranges[0]#*-}|shm" ]
	run -0 search -c --csv --by kind alpha
	[ "$output" = $'pid,count,kind\n,2,shm' ]
	run -1 search -s -c --csv 'alpha[x]'
	[ "$output" = pid,count,start,end,kind,mapping ]
	run -2 search --csv alpha
	[[ $output == *"'--csv' needs '--count'"* ]]
}

@test "an option of grep(1) that does not exist is refused with the one that helps" {
	hold_text 'alpha'
	run -2 search -w alpha
	[[ $output == 'procmem: grep has no -w: write \b on both sides of the pattern' ]]
	run -2 search --perl-regexp alpha
	[[ $output == *'grep has no --perl-regexp: patterns are always Perl-compatible' ]]
	run -2 search -in alpha
	[[ $output == *'grep has no -n: memory has no lines'* ]]
	run -2 search --no-such alpha
	[[ $output == *'unknown option --no-such'* ]]
}
