#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --record`, killed at random times: each recording is intact, and can be compared.

setup() {
	load ../support/helper
}

teardown() {
	targets_stop
	json_check
}

# Records, and kills the recorder some time after some samples. @param 1 name of the recording, 2 number of samples, 3 milliseconds
record_and_kill() {
	local file=$BATS_TEST_TMPDIR/$1.pmrec line recorder i
	exec {looks}< <(exec setpriv --pdeathsig KILL "$PROCMEM_BIN" watch --json -i 0.1 --budget 0 --record "$file" "$TARGET_PID" 3>&-)
	recorder=$!
	for ((i = 0; i < $2; i++)); do
		IFS= read -r line <&"$looks"
	done
	printf '%s\n' "$line" >"$file.line"
	json_keep watch "$file.line"
	sleep "$(printf '0.%03d' "$3")"
	kill -KILL "$recorder"
	wait "$recorder" || true
	exec {looks}<&-
}

# Checks a recording that was not ended.
check() {
	local file=$BATS_TEST_TMPDIR/$1.pmrec status=0
	[ "$(sqlite3 "$file" 'PRAGMA integrity_check')" = ok ] || return 1
	procmem diff --json "$file@first" "$file@last" >"$file.diff" || status=$?
	# 1: something differs.
	[ $status -le 1 ] && jq -e --argjson status $status '.before.sample == 1 and (.regions | length > 0) == ($status == 1) and
		([.regions[].delta] | add // 0) == .total.delta' "$file.diff" >/dev/null
}

# Makes twenty-five recordings, one after the other. @param 1 number of the series
series() {
	local i
	RANDOM=$1
	for ((i = 0; i < 25; i++)); do
		record_and_kill "$1-$i" $((RANDOM % 4 + 1)) $((RANDOM % 150))
		check "$1-$i" || { echo "recording $1-$i" && return 1; }
	done
}

@test "a hundred times: the recording is intact, and diff reads it" {
	require sqlite3 jq
	target_start leaker merged 8388608
	local which pids=()
	for which in 1 2 3 4; do
		series $which 3>&- &
		pids+=($!)
	done
	wait "${pids[0]}" && wait "${pids[1]}" && wait "${pids[2]}" && wait "${pids[3]}"
	[ "$(find "$BATS_TEST_TMPDIR" -name '*.pmrec' | wc -l)" -eq 100 ]
	# Half of the recorders had printed three samples or four.
	[ "$(cat "$BATS_TEST_TMPDIR"/*.diff | jq -s '[.[] | select(.after.sample > 1)] | length')" -gt 30 ]
}
