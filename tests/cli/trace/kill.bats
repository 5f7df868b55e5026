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
}

# Starts a target whose threads and child processes begin and end all the time.
start_busy() {
	target_start busy 20
	target_tell churn
	counter=$(target_fact counter)
}

# Prints a number that each turn of the target increments.
turns() {
	python3 -c '
import sys
with open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
    memory.seek(int(sys.argv[2], 16))
    print(int.from_bytes(memory.read(8), "little"))
' "$TARGET_PID" "${counter#0x}"
}

# expect_free: nothing traces or stops the target, and it runs on.
expect_free() {
	local before task status
	for task in "/proc/$TARGET_PID"/task/*; do
		# A thread can exit at any time.
		status=$(cat "$task/status" 2>/dev/null) || true
		[[ -z $status || $status = *$'\nTracerPid:\t0\n'* && $status != *$'\nState:\t'[Tt]* ]]
	done
	before=$(turns)
	while [ "$(turns)" -lt $((before + 10)) ]; do sleep 0.01; done
}

# kill_traces SECONDS: starts a trace by each backend, in a session of its own, and kills procmem, and
# not its child processes, after this time. Returns when the child processes have ended, too.
kill_traces() {
	local backend pids=() pid
	for backend in perf ptrace; do
		setsid "$PROCMEM_BIN" trace --backend $backend "$TARGET_PID" >>out 2>&1 3>&- &
		pids+=($!)
	done
	sleep "$1"
	kill -KILL "${pids[@]}"
	for pid in "${pids[@]}"; do
		wait "$pid" 2>/dev/null || true
		while pgrep -s "$pid" >/dev/null; do sleep 0.01; done
	done
}

@test "SIGKILL of procmem, 50 times by perf and 50 times by ptrace, leaves nothing behind" {
	local i
	start_busy
	for i in {0..49}; do
		kill_traces "0.$(printf %03d $((i * 6)))"
		expect_free
	done
	printf 'sum\n' >&"$TARGET_IN"
	target_await 'sum 0 0'
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
	local status
	for _ in {0..4}; do
		status=0
		target_start busy 300
		printf 'exec_when_traced\n' >&"$TARGET_IN"
		target_await armed
		"$PROCMEM_BIN" trace --backend ptrace --for 0.5s "$TARGET_PID" >out 2>err 3>&- || status=$?
		[ $status = 0 ] || [ -s err ]
		cat err
		target_await finished
		[[ $(<"/proc/$TARGET_PID/status") = *$'\nTracerPid:\t0\n'* ]]
		targets_stop
	done
}
