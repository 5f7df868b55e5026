#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Commands that `procmem trace` starts, by both backends.

setup() {
	load ../support/helper
	require jq
	require python3
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	[ ! -e pid ] || kill -KILL "$(cat pid)"
	targets_stop
	json_check
}

# Maps 64 MiB, writes its PID to the file `pid`, and waits to be killed.
program='
import mmap, os, time
memory = mmap.mmap(-1, 64 << 20)
memory.write(b"x" * (64 << 20))
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
time.sleep(1000)
'

# Traces the program by a backend until it has mapped its memory.
trace_program() {
	"$PROCMEM_BIN" trace --backend "$1" --json -- python3 -c "$program" >out.json 2>err 3>&- &
	until [ -e pid ]; do
		kill -0 $! || { cat err >&2 && return 1; }
		sleep 0.05
	done
	kill -TERM $!
	wait $! || { cat err >&2 && return 1; }
}

check_program() {
	jq -e --arg backend "$1" '.backend == $backend and .lost == 0 and .difference == 0 and .final' out.json
	jq -e '[.sites[] | select(.mapped == 67108864 and .resident == .mapped)] | length == 1' out.json
	jq -e '[.sites[].stack[]?.function | strings] | any(contains("mmap"))' out.json
	# It runs on, without a tracer.
	grep -q "^TracerPid:	0$" "/proc/$(cat pid)/status"
}

@test "segments of shared memory that are attached at once have their size" {
	program='
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
for pages in range(1, 31):
    segment = libc.shmget(0, pages * 4096, 0o1600)
    address = libc.shmat(segment, None, 0)
    libc.shmctl(segment, 0, None)
    ctypes.memset(address, 1, pages * 4096)
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
time.sleep(1000)
'
	trace_program ptrace
	jq -e '.lost == 0 and .difference == 0' out.json
	jq -e '[.sites[] | select(any(.stack[]; (.function // "") | contains("shmat"))) | .resident] |
		add == 465 * 4096' out.json
}

@test "perf: the memory of a command has its call site, and the command runs on" {
	"$PROCMEM_BIN" trace --backend perf --for 0.1s -- sleep 1 >/dev/null 2>err || true
	fails grep perf_event_open err || skip "$(cat err)"
	trace_program perf
	check_program perf
}

@test "ptrace: the memory of a command has its call site, and the command runs on" {
	trace_program ptrace
	check_program ptrace
	grep -q 'each system call of the command about 0.1 ms slower' err
}

@test "ptrace: a running process, with a note of the cost" {
	target_start mapper
	run -0 --separate-stderr procmem trace --backend ptrace --for 0.2s --json "$TARGET_PID"
	[[ $stderr = *"each system call of the process about 0.1 ms slower; epoll_wait"* ]]
	jq -e '.backend == "ptrace" and .difference == 0' <<<"$output"
	run -2 --separate-stderr procmem trace --backend ptrace --faults --for 1s $$
	[[ $stderr = *"ptrace cannot record page faults"* ]]
}

@test "a command that does not exist, or is no program" {
	run -2 --separate-stderr procmem trace -- no-such-program
	[[ $stderr = *"cannot start 'no-such-program': there is no such program"* ]]
	run -2 --separate-stderr procmem trace -- /etc/passwd
	[[ $stderr = *"cannot start '/etc/passwd': the file is not an executable program"* ]]
}
