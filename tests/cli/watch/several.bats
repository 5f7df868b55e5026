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
	for ((i = 0; i < 1200; i++)); do
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
	tail -n 4 "$out"
	# The summary: a line about the run, and the table.
	[[ $(tail -n 4 "$out" | head -n 1) == '2 processes for '*', ended: interrupted' ]]
	[[ $(tail -n 3 "$out" | head -n 1) =~ ^\ *PID\ NAME\ +RSS\ +GROWTH\ +RATE\ VERDICT\ +LIMIT$ ]]
	[[ $(tail -n 2 "$out" | head -n 1) =~ ^\ *$second\ grower\ .*\ \+8[0-4][0-9]{5}\  ]]
	[[ $(tail -n 1 "$out") =~ ^\ *$first\ grower\ .*\ \+1[0-4][0-9]{5}\  ]]
}

@test "into a pipe only the summary is printed, and JSON ends with an object for each process" {
	run -0 procmem watch -i 0.1 -c 3 "$first,$second"
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == '2 processes for '*', 3 samples, ended: sample count reached' ]]
	run -0 procmem watch --plain -i 0.1 -c 3 "$first,$second"
	[ "$(grep -c '^ *PID NAME' <<<"$output")" -eq 4 ]
	run -0 procmem watch --json -i 0.1 -c 3 "$first,$second"
	jq -se --argjson first "$first" --argjson second "$second" 'length == 8 and ([.[-2:][].pid] | sort) == ([$first, $second] | sort) and all(.[-2:][]; .summary and .sample_count == 3)' <<<"$output"
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

@test "the time, the duration and the number of samples do not depend on the first process" {
	"$PROCMEM_BIN" watch --plain -i 0.1 "$first,$second" >"$out" 3>&- &
	local watcher=$!
	await "^ *$second grower "
	kill -KILL "$first"
	await "^ *$first .* the process is gone$"
	local gone
	gone=$(grep -c '^ *PID NAME' "$out")
	until [ "$(grep -c '^ *PID NAME' "$out")" -ge $((gone + 10)) ]; do sleep 0.05; done
	kill -TERM "$watcher"
	wait "$watcher"
	# Each table has its own time, and the summary counts all tables.
	local tables times
	tables=$(grep -c '^[0-9-]*T[0-9:.]*Z$' "$out")
	times=$(grep '^[0-9-]*T[0-9:.]*Z$' "$out" | sort -u | wc -l)
	[ "$times" -eq "$tables" ]
	local summary
	summary=$(grep '^2 processes for ' "$out")
	[[ $summary == *", $tables samples, ended: interrupted" ]]
	# Ten intervals of 0.1 s passed after the first process was gone.
	[[ ! $summary =~ for\ 0\.[0-8] ]]
}

@test "the time of --for passes also while no sample is taken" {
	"$PROCMEM_BIN" watch --json -i 0.1 --for 3s "$first,$second" >"$out" 3>&- &
	local watcher=$! begin=$SECONDS
	await "\"pid\":$second"
	kill -STOP "$watcher"
	until ((SECONDS - begin > 3)); do sleep 0.05; done
	kill -CONT "$watcher"
	wait "$watcher"
	# 30 intervals passed, but watch was stopped for most of them.
	jq -se '[.[] | select(.summary)] | length == 2 and all(.[]; .ended == "time limit reached" and .sample_count < 30)' "$out"
}

@test "JSON has an object for each sample of each process, as soon as it is taken" {
	"$PROCMEM_BIN" watch --json -i 0.1 "$first,$second" >"$out" 3>&- &
	local watcher=$!
	until [ "$(grep -c "\"pid\":$first," "$out")" -ge 3 ]; do sleep 0.05; done
	kill -KILL "$first"
	await "\"pid\":$second,.*\"elapsed\"|\"elapsed\".*\"pid\":$second,"
	kill -TERM "$watcher"
	wait "$watcher"
	json_keep watch "$out"
	jq -se --argjson first "$first" --argjson second "$second" '
		(.[:-2] | all(.summary == null and (.pid == $first or .pid == $second))) and
		(.[-2:] | map(.summary) == [true, true] and map(.pid) == [$first, $second]) and
		.[-1].ended == "interrupted" and
		(.[:-2] | group_by(.pid) | map(length) | sort) == (.[-2:] | map(.sample_count) | sort)' "$out"
}

@test "an interrupt ends watch although samples of other processes are due" {
	local i pids=$first,$second last
	for ((i = 0; i < 14; i++)); do
		target_start grower
		pids+=,$TARGET_PID
	done
	# The samples fill the pipe, so that watch waits for the reader between two processes.
	start_blocked watch --json -i 0.1 "$pids"
	until grep -q pipe "/proc/$BLOCKED/wchan"; do sleep 0.05; done
	kill -TERM "$BLOCKED"
	cat <&"$READER" >"$out"
	wait "$BLOCKED"
	grep -q '"ended":"interrupted"' "$out"
	# A pipe holds 64 KiB: only the last of the samples was not complete before.
	last=$(grep -bv '"summary"' "$out" | tail -n 1)
	[ "${last%%:*}" -le 65536 ]
}
