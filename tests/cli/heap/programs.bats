#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem heap` on real programs: the figures of malloc_info(3), to the byte.

setup() {
	load ../support/helper
	load ../support/malloc_info
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

# Waits until all threads of the target sleep.
await_sleep() {
	until [ "$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$TARGET_PID/task/"*/status |
		sort -u)" = S ]; do kill -0 "$TARGET_PID"; done
}

@test "python" {
	# Small objects are in arenas of Python. A part of the texts is freed.
	program_start python3 -c 'import random
random.seed(1)
texts = ["x" * random.randrange(600, 60000) for i in range(5000)]
for i in range(4000): texts[random.randrange(len(texts))] = None
print("ready", flush=True)
input()'
	target_await ready
	await_sleep
	run -0 malloc_info_compare "$TARGET_PID"
	[[ $output == '1 arenas with '* ]]
	[ "$(cut -d ' ' -f 4 <<<"$output")" -gt 20000000 ]
}

@test "a JVM" {
	require java javac
	cp "$PROCMEM_SOURCE/tests/targets/DirectBuffers.java" .
	program_start java -Xmx64m DirectBuffers.java
	target_await ready
	await_sleep
	run -0 malloc_info_compare "$TARGET_PID"
	[ "${output%% *}" -gt 4 ]
	# 40 direct buffers of 1 MiB, in arenas or mapped.
	[ "$(awk '{ print $4 + $11 }' <<<"$output")" -gt $((40 << 20)) ]
}

@test "1 to 16 arenas, also in a static program" {
	local threads program
	for threads in {0..15}; do
		program=heaps
		[ $((threads % 5)) -ne 0 ] || program=heaps_static
		target_start $program threads=$threads chunks=3000 large=20 mapped=$threads holes=1
		run -0 malloc_info_compare_facts
		[[ $output == "$((threads + 1)) arenas with "*", and $threads mapped chunks with "* ]]
		targets_stop
	done
}
