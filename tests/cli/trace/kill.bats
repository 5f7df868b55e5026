#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the end of `procmem trace` by SIGKILL, and exec of the target, do to the target.

setup() {
	load ../support/helper
	require python3
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

@test "SIGKILL of procmem by both backends leaves nothing behind" {
	local rounds=5
	# tests/full.sh sets this.
	[ -z "${PROCMEM_KILLS:-}" ] || rounds=$PROCMEM_KILLS
	target_start busy 20
	target_tell churn
	python3 "$PROCMEM_SOURCE/tests/cli/support/kill_traces.py" "$TARGET_PID" \
		"$(target_fact counter)" "$rounds" 3>&-
	printf 'sum\n' >&"$TARGET_IN"
	target_await 'sum 0 0'
}

@test "2,000 threads are attached by both backends, and nothing is left behind" {
	local backend
	target_start busy 2000
	target_tell churn
	for backend in perf ptrace; do
		run --separate-stderr procmem trace --backend $backend --for 0.5s --json "$TARGET_PID"
		[[ $stderr != *perf_event* ]] || continue
		jq -e '.threads > 2000 and .final' <<<"$output"
	done
	python3 "$PROCMEM_SOURCE/tests/cli/support/kill_traces.py" "$TARGET_PID" \
		"$(target_fact counter)" 2 3>&-
}

@test "a target that executes programs while ptrace attaches runs on" {
	local status=0
	target_start busy 20
	printf 'exec\n' >&"$TARGET_IN"
	for _ in {0..19}; do
		status=0
		"$PROCMEM_BIN" trace --backend ptrace --for 0.05s "$TARGET_PID" >out 2>err 3>&- || status=$?
		# The trace works, or says why it does not.
		[ $status = 0 ] || [ -s err ]
	done
	target_await finished
	[[ $(<"/proc/$TARGET_PID/status") = *$'\nTracerPid:\t0\n'* ]]
}

@test "exec of a thread while ptrace attaches to the others does not block the target" {
	for _ in {0..4}; do
		target_start busy 300
		printf 'exec_when_traced\n' >&"$TARGET_IN"
		target_await armed
		"$PROCMEM_BIN" trace --backend ptrace --json "$TARGET_PID" >out 3>&- &
		# The new program prints it.
		target_await finished
		kill -TERM $!
		wait $!
		jq -e '.final and .execs == 1 and .difference == 0' out
		[[ $(<"/proc/$TARGET_PID/status") = *$'\nTracerPid:\t0\n'* ]]
		targets_stop
	done
}
