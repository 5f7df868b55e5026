#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why` without --for ends early if the growth is sure. Processes that are older than the observation lasts; it takes a minute.
# shellcheck disable=SC2034,SC2153,SC2154 # causes.bash declares cause_word and cause_pid, whose keys are names
# bats file_tags=timed

setup() {
	load ../support/helper
	load ../support/curve
	load ../support/causes
	retry_timed
}

teardown() {
	targets_stop
	json_check
}

# await_age SECONDS: waits until all processes are that old.
await_age() {
	local name
	for name in "${!cause_pid[@]}"; do
		until [ "$(ps -o etimes= -p "${cause_pid[$name]}")" -gt "$1" ]; do
			kill -0 "${cause_pid[$name]}"
			sleep 1 # there is no event for the age of a process
		done
	done
}

@test "steady growth ends early; a sawtooth, an idle process and a young one are observed for the whole time" {
	cause_start steady causes anonymous 500
	cause_start sawtooth causes auditor 200
	cause_start idle causes kept 20
	await_age 31
	cause_start young causes anonymous 500
	causes_judge usual

	for name in sawtooth idle young; do
		jq -e '.seconds > 29 and .seconds < 35' "$BATS_TEST_TMPDIR/$name.json"
	done
	first steady '.id == "growth" and (.rate | near($rate * 4096))'
	jq -e '.seconds > 17 and .seconds < 28' "$BATS_TEST_TMPDIR/steady.json"
	first sawtooth '.id == "malloc_leak" and .confidence != "possible" and .chunk_size == 128 and (.count_rate | near($rate))'
	acquitted idle
}

@test "a time that the user gives is kept" {
	cause_start steady causes anonymous 500
	await_age 26
	causes_judge 25s
	jq -e '.seconds > 24.4' "$BATS_TEST_TMPDIR/steady.json"
}
