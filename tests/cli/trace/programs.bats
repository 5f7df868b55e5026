#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem trace` on real programs: who maps the memory that they are told to use. Page faults are
# not recorded, so that no event is lost on a slow machine.

setup() {
	load ../support/helper
	load ../support/trace
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

# Ends the trace. No event is lost, and the list of memory is that of the kernel.
end_complete() {
	trace_end
	jq -e '.final and .lost == 0 and .difference == 0' "$TRACE_OUTPUT"
}

# resident_by FUNCTION: prints the resident bytes of all sites that have a function in their stacks.
resident_by() {
	jq --arg function "$1" '[.sites[] | select(any(.stack[]; (.function // "") == $function)) |
		.resident] | add // 0' "$TRACE_OUTPUT"
}

@test "redis: 100,000 values of 1,000 bytes" {
	require redis-cli
	local socket=$BATS_TEST_TMPDIR/redis
	program_start redis-server --port 0 --unixsocket "$socket" --save '' --dir "$BATS_TEST_TMPDIR" \
		--enable-debug-command yes
	until redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; do :; done
	trace_start --json -a
	redis-cli -s "$socket" debug populate 100000 key 1000
	end_complete
	# jemalloc uses a little memory that was mapped before.
	[ "$(resident_by debugCommand)" -gt 95000000 ]
	[ "$(resident_by aeMain)" -gt 95000000 ]
}

@test "python3: 100 objects of 1 MiB" {
	program_start /usr/bin/python3 -c 'print("ready", flush=True)
input()
objects = [bytearray(b"x") * (1 << 20) for i in range(100)]
print("finished", flush=True)
input()'
	target_await ready
	trace_start --json -a
	echo >&"$TARGET_IN"
	target_await finished
	end_complete
	[ "$(resident_by _PyEval_EvalFrameDefault)" -ge $((100 << 20)) ]
	[ "$(resident_by _PyEval_EvalFrameDefault)" -lt $((110 << 20)) ]
}

@test "a JVM: direct buffers, down to Unsafe.allocateMemory" {
	# malloc can place buffers in memory that it had mapped before the trace.
	BATS_TEST_RETRIES=2
	require java
	spawn setpriv --pdeathsig KILL java -Xmx64m -XX:+UseSerialGC -XX:+PreserveFramePointer \
		-XX:MaxDirectMemorySize=4g "$PROCMEM_SOURCE/tests/targets/DirectBuffers.java" 10000000
	target_await ready
	trace_start --json -a
	local first last
	leaked first
	until leaked last && [ $((last - first)) -ge 20000000 ]; do sleep 0.1; done
	end_complete
	echo "leaked $first, then $last; resident $(resident_by Unsafe_AllocateMemory0)"
	jq -c '.sites[] | [.resident, .mapped, .calls, .stack[0:3]]' "$TRACE_OUTPUT"
	# A buffer that was mapped before the trace may have been counted after `first`.
	[ "$(resident_by Unsafe_AllocateMemory0)" -ge $((last - first - 1048576)) ]
}

# leaked NAME: sets a variable to the bytes of buffers that the JVM has leaked so far.
leaked() {
	local bytes
	echo >&"$TARGET_IN"
	read -r _ bytes _ <<<"$(target_await 'leaked ')"
	printf -v "$1" %s "$bytes"
}
