#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Chunks of malloc in recordings: `snap --heap`, `diff`, and `watch --heap --record`. The target says what the chunks are.

setup() {
	load ../support/helper
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	targets_stop
	json_check
}

# Sends a command to the target and waits until it is done.
tell() {
	target_tell "$@"
}

@test "diff shows the classes of chunks that a process allocated between two samples" {
	target_start allocations 0
	run -0 procmem snap --heap -o "$file" "$TARGET_PID"
	[[ $output =~ ', '[0-9,]+' chunks in use, '[0-9.]+[KM]', in ' ]]
	tell fragment 100
	tell mapped 2
	run -0 procmem snap --heap --json -o "$file" "$TARGET_PID"
	jq -e '.complete and .chunks > 100 and .in_use > 2 * 1048576' <<<"$output"
	run -1 procmem diff --json "$file@1" "$file@2"
	# 80 bytes and the header are 96, and 1 MiB and the header fill whole pages.
	jq -e '[.classes[] | [.size, .net_count, .net_bytes]] == [[1052672, 2, 2105344], [96, 100, 9600]]' <<<"$output"
	jq -e '.classes[1] | .type == "text" and .text == "session user=# and more" and .count_before == 0 and .count_after == 100' <<<"$output"
	jq -e '.malloc | .after.in_use - .before.in_use == 2105344 + 9600 and .after.chunks - .before.chunks == 102' <<<"$output"
	run -1 procmem diff "$file@1" "$file@2"
	[[ $output == *$'\nDELTA  CHUNKS     SIZE  BEFORE  AFTER WHAT\n+2.0M      +2  1052672       0      2 "mmm'* ]]
	[[ $output == *$'\n+9.4K    +100       96       0    100 "session user=# and more"'* ]]
	run -1 procmem diff --top 1 "$file@1" "$file@2"
	[[ $output == *'1 more classes changed'* || $output == *'1 more class changed'* ]]
	# The other direction.
	run -1 procmem diff --json "$file@2" "$file@1"
	jq -e '[.classes[] | .net_count] == [-2, -100] and .classes[0].count_after == 0' <<<"$output"
}

@test "diff counts the chunks of a living process if the recording has chunks" {
	target_start allocations 0
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	run procmem diff --json "$file" "$TARGET_PID"
	jq -e '.classes == []' <<<"$output"
	tell sieve 300
	run -1 procmem diff --json "$file" "$TARGET_PID"
	# Every third chunk of 56 bytes is in use, as the target says; some of the freed ones are still cached.
	jq -e '[.classes[] | select(.size == 64) | .net_count] | add > 0' <<<"$output"
	run -1 procmem diff --json "$TARGET_PID" "$file"
	jq -e '[.classes[] | select(.size == 64) | .net_count] | add < 0' <<<"$output"
}

@test "chunks are compared only if both samples have them, and no regions are selected" {
	target_start allocations 0
	procmem snap -q -o "$file" "$TARGET_PID"
	tell fragment 10
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	run -1 --separate-stderr procmem diff "$file@1" "$file@2"
	[[ $output != *malloc\ before* ]]
	[ -z "$stderr" ]
	run -0 procmem diff "$file@2" "$TARGET_PID"
	[[ $output == *$'\nno class of chunks changed' ]]
	run -0 procmem diff -k stack "$file@2" "$TARGET_PID"
	[[ $output != *malloc\ before* ]]
	# A later sample without chunks has those of the sample before it.
	tell fragment 10
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	procmem snap -q -o "$file" "$TARGET_PID"
	run -1 procmem diff "$file@2" "$file@4"
	[[ $output == *'malloc after:  '*', counted at sample 3'* ]]
	run -1 procmem diff --json "$file@2" "$file@4"
	jq -e '.malloc.after.sample == 3 and (.malloc.before | has("sample") | not)' <<<"$output"
	run procmem diff "$file@3" "$file@4"
	[[ $output != *malloc\ before* ]]
	run -0 procmem snap -l "$file"
	[[ ${lines[2]} == *' all sizes' && ${lines[3]} == *' all sizes, chunks' ]]
	run -0 procmem snap -l --json "$file"
	jq -e '[.samples[].has_chunks] == [false, true, true, false]' <<<"$output"
}

@test "a process whose chunks are not known: no sample is written" {
	target_start no_malloc
	run -2 --separate-stderr procmem snap --heap -o "$file" "$TARGET_PID"
	[[ $stderr == *'the heap of '*' is not known: '* ]]
	[ ! -e "$file" ]
	run -2 --separate-stderr procmem snap --heap -l "$file"
	[[ $stderr == *'--heap and --list cannot be combined: -l shows which samples have chunks' ]]
}

@test "if the chunks of the living process cannot be counted, diff says why" {
	target_start allocations 0
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	target_start no_malloc
	run --separate-stderr procmem diff --force "$file" "$TARGET_PID"
	[ "$status" -eq 1 ]
	[[ $stderr == *'the chunks of malloc are not compared: the heap of '*' is not known: '* ]]
}
