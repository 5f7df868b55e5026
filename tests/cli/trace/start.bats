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
	run -2 --separate-stderr procmem trace -- "$PWD"
	[[ $stderr = *"cannot start '$PWD': the file is not an executable program"* ]]
	printf '#!%s/none\n' "$PWD" >no-interpreter
	chmod +x no-interpreter
	for command in ./no-interpreter no-interpreter; do
		PATH=$PWD:$PATH run -2 --separate-stderr procmem trace --svg a.svg -- $command
		[[ $stderr = *"cannot start '$command': the interpreter in its first line"*"does not exist"* ]]
		[ ! -e a.svg ]
	done
}

# Checks the result of a trace of true(1) in `out`. The program may end before a measurement: then
# resident sizes are absent everywhere, and a note says so.
check_short() {
	jq -e --arg backend "$1" '.final and .exited and .backend == $backend and .lost == 0 and
		.difference == 0 and .name == "true" and .command == "/bin/true" and .pid > 0 and
		.events > 0 and (.sites | length > 0)' out
	jq -e '.before as $before | all(.sites[]; has("resident") == ($before | has("resident")))' out
	if jq -e '.before == {}' out; then
		grep 'exited before its memory could be measured' err
		fails grep 'generated code' err
	fi
	json_keep trace out
}

@test "a command that ends at once has a result in all outputs" {
	local backend faults sum
	for backend in perf ptrace; do
		faults=
		[ $backend = ptrace ] || faults=--faults
		# shellcheck disable=SC2086 # no option, or one
		run -0 --separate-stderr procmem trace --backend $backend $faults --svg a.svg \
			--folded a.folded --pprof a.pb.gz --json -- /bin/true
		printf '%s\n' "$output" >out
		printf '%s\n' "$stderr" >err
		check_short $backend

		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' a.svg
		gzip -dc a.pb.gz | grep -aq mapped_space
		sum=$(jq '[.sites[] | select((.earlier | not) or (.stack | length > 0)) | .resident // .mapped] |
			add // 0' out)
		[ "$(awk '{ sum += $NF } END { print sum + 0 }' a.folded)" = "$sum" ]
		run -0 --separate-stderr procmem trace --backend $backend -- /bin/true
		[[ $output = 'true ('*") "*"traced for "*" by $backend"* ]]
	done
}

@test "what the kernel loads for a command is not of code without a name" {
	"$PROCMEM_BIN" trace --faults --for 0.1s -- sleep 1 >/dev/null 2>err || true
	fails grep perf_event_open err || skip "$(cat err)"
	"$PROCMEM_BIN" trace --faults --json --for 1s -- sleep 1000 >out 2>err 3>&-
	kill "$(jq .pid out)"
	# The start of .bss is filled with zeros when the program is loaded: before its first instruction.
	jq -e '[.sites[] | select(.earlier and (.stack | length == 1) and (.stack[0] | has("module") | not))] ==
		[]' out
	jq -e '.before.resident_start > 0 and .before.resident_start <= .before.resident' out
	json_keep trace out
}

@test "a command that ends before the first sample is not recorded, but has a result" {
	local status=0
	"$PROCMEM_BIN" trace --backend ptrace --record a.pmrec -- /bin/true >out 2>err || status=$?
	grep -q '^true (' out
	# A slow machine may take a sample.
	if [ $status = 2 ]; then
		grep 'nothing was recorded in a.pmrec: ' err
		[ ! -e a.pmrec ]
	else
		[ $status = 0 ] && [ -s a.pmrec ]
	fi
}

# Seizes a child by ptrace(2), prints its PID, and ends when standard input ends.
tracer='
import ctypes, os, signal, sys
child = os.fork()
if child == 0:
    while True:
        signal.pause()
SEIZE = 0x4206
if ctypes.CDLL(None).ptrace(SEIZE, child, None, None) != 0:
    sys.exit(1)
print(child, flush=True)
sys.stdin.read()
os.kill(child, signal.SIGKILL)
'

@test "a process that another process traces" {
	local in out child
	coproc TRACER { exec python3 -c "$tracer" 3>&-; }
	out=${TRACER[0]} in=${TRACER[1]}
	read -r child <&"$out"
	run --separate-stderr procmem trace --backend perf --for 0.1s --json "$child"
	[[ $status = 0 || $stderr = *perf_event_open* ]]
	run -2 --separate-stderr procmem trace --backend ptrace --for 0.1s "$child"
	[[ $stderr = *"is already traced by process "*"detach that tracer"* ]]
	grep -q "^TracerPid:	$TRACER_PID$" "/proc/$child/status"
	exec {in}>&-
	wait "$TRACER_PID"
}
