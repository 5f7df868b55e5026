#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why` on a heap with so many chunks that only the contents of new ones are read. The truth is what the target reports at the start
# and at the end.
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

@test "a leak in a heap of 400,000 chunks, beside a queue of chunks of the same size" {
	local resident
	cause_start large multitude 400000 500
	cause_start still multitude 400000 0
	resident=$(awk '/^VmRSS/ { print $2 }' "/proc/${cause_pid[still]}/status")
	causes_judge 10s

	first large '.id == "malloc_leak" and .chunk_size == 160 and (.count_rate | near($rate)) and (.rate | near($rate * 160)) and
		.content[0].text == "ledger entry # of a branch"'
	jq -e '.unseen | any(test("^the content of all but [0-9,]+ of [0-9,]+ chunks$"))' "$BATS_TEST_TMPDIR"/{large,still}.json
	jq -e '.cost.stopped_us == 0' "$BATS_TEST_TMPDIR"/{large,still}.json
	acquitted still
	# To read does not make pages resident: only those of the queue can be new.
	[ "$(awk '/^VmRSS/ { print $2 }' "/proc/${cause_pid[still]}/status")" -lt $((resident + 1024)) ]
}
