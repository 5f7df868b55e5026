#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch` on several processes: one row for each.

setup() {
	load ../support/helper
	target_start grower
	first=$TARGET_PID first_in=$TARGET_IN first_out=$TARGET_OUT
	target_start grower
	second=$TARGET_PID
	out=$BATS_TEST_TMPDIR/out
}

# Waits until a line of the output matches.
await() {
	local i
	for ((i = 0; i < 200; i++)); do
		! grep -Eq -- "$1" "$out" || return 0
		sleep 0.05
	done
	tail -n 12 "$out"
	return 1
}

teardown() {
	targets_stop
	json_check
}

@test "each process has a row with its own growth, the largest first" {
	"$PROCMEM_BIN" watch --bytes -i 0.1 "$first,$second" >"$out" 3>&- &
	local watcher=$!
	until [ -s "$out" ]; do sleep 0.05; done
	target_tell map m 2000
	TARGET_IN=$first_in TARGET_OUT=$first_out
	target_tell map m 300
	# The kernel counts the resident memory of a process in batches: allow 256 KiB.
	await "^ *$first grower .* \+1[0-4][0-9]{5} "
	await "^ *$second grower .* \+8[0-4][0-9]{5} "
	kill -TERM "$watcher"
	wait "$watcher"
	# The summary: a line about the run, and the table.
	[[ $(tail -n 4 "$out" | head -n 1) == '2 processes for '*', ended: interrupted' ]]
	[[ $(tail -n 3 "$out" | head -n 1) =~ ^\ +PID\ NAME\ +RSS\ +GROWTH\ +RATE\ VERDICT\ +LIMIT$ ]]
	[[ $(tail -n 2 "$out" | head -n 1) =~ ^\ *$second\ grower\ .*\ \+8[0-4][0-9]{5}\  ]]
	[[ $(tail -n 1 "$out") =~ ^\ *$first\ grower\ .*\ \+1[0-4][0-9]{5}\  ]]
}

@test "into a pipe only the summary is printed, and JSON has an object for each process" {
	run -0 procmem watch -i 0.1 -c 3 "$first,$second"
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == '2 processes for '*', 3 samples, ended: sample count reached' ]]
	run -0 procmem watch --plain -i 0.1 -c 3 "$first,$second"
	[ "$(grep -c '^ *PID NAME' <<<"$output")" -eq 4 ]
	run -0 procmem watch --json -i 0.1 -c 3 "$first,$second"
	jq -se --argjson first "$first" --argjson second "$second" 'length == 2 and ([.[].pid] | sort) == ([$first, $second] | sort) and all(.[]; .summary and .sample_count == 3)' <<<"$output"
}

@test "all processes of a name are watched" {
	run -0 procmem watch --json -i 0.1 -c 1 --all-processes grower
	jq -se --argjson first "$first" --argjson second "$second" '[.[].pid] | contains([$first, $second])' <<<"$output"
}

@test "a process that ends stays with its reason, and the others go on" {
	"$PROCMEM_BIN" watch -i 0.1 "$first,$second" >"$out" 3>&- &
	local watcher=$!
	until [ -s "$out" ]; do sleep 0.05; done
	kill -KILL "$first"
	await "^ *$first .* the process is gone$"
	kill -KILL "$second"
	wait "$watcher"
	[[ $(tail -n 3 "$out" | head -n 1) == *PID* && $(tail -n 4 "$out" | head -n 1) == *'ended: all processes are gone' ]]
}

@test "a process that does not exist is reported, and options of a single process are refused" {
	run -2 --separate-stderr procmem watch -i 0.1 -c 1 "$first,999999999"
	[[ $stderr == *999999999* && $output == '1 process for '*"$first grower "* ]]
	for words in '--peek 3' '--on rss>1G' "--record $BATS_TEST_TMPDIR/x" '-o size' '-k anon'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr procmem watch $words "$first,$second"
		[[ $stderr == *'needs a single process'* && -z $output ]]
	done
	[ ! -e "$BATS_TEST_TMPDIR/x" ]
}
