#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why`: what it shows of the content of memory, and that it can be told not to.
# bats file_tags=timed

setup() {
	load ../support/helper
	load ../support/python_waits
	require jq python3
	retry_timed
}

teardown() {
	targets_stop
	json_check
}

# Starts a server that leaks HTTP/2 requests at 4 MiB/s.
start_server() {
	target_start sample_server --leak --rate 4194304
}

@test "texts of the memory that grows are shown, and with --no-strings they are not" {
	start_server
	run -1 --separate-stderr procmem why --json -a --for 12s "$TARGET_PID"
	jq -e 'any(.findings[]; .rate > 0 and any(.content[]; .text | test("shop.Orders|authority|grpc")))' <<<"$output"
	run -1 --separate-stderr procmem why --json -a --no-strings --for 12s "$TARGET_PID"
	jq -e '.findings != [] and all(.findings[]; .content == []) and any(.unseen[]; test("--no-strings"))' <<<"$output"
	[[ $output != *shop.Orders* && $output != *authority* && $output != *grpc-c* ]]
}

@test "--all shows all findings, otherwise the rest is counted" {
	local count
	start_server
	run -1 --separate-stderr procmem why --all --for 12s "$TARGET_PID"
	count=$(grep -c "^sample_server ($TARGET_PID): " <<<"$output")
	[ "$count" -ge 1 ]
	[[ $output != *'more finding'* ]]
	[[ $output = *'  more '*"procmem "*"$TARGET_PID"* ]]
}

@test "a heap that cannot be walked to its end is named as not seen" {
	# The size of a chunk between two others in use is false. Nobody frees these chunks.
	python_start 'import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
chunks = [libc.malloc(5000) for _ in range(3)]
ctypes.c_uint64.from_address(chunks[1] - 8).value = 0x10'
	run -0 --separate-stderr procmem why --for 1s "$PYTHON_PID"
	[[ ${output//$'\n'/ } = *'some chunks of malloc (a walk was'*'incomplete)'* ]]
	python_stop
}

@test "a recording that is too short to judge growth says so" {
	target_start texts
	procmem watch -q -c 3 -i 0.1 --record "$BATS_TEST_TMPDIR/short.pmrec" "$TARGET_PID"
	run -0 --separate-stderr procmem why --json "$BATS_TEST_TMPDIR/short.pmrec"
	jq -e '.unseen | index("growth (the recording is too short)") != null' <<<"$output"
}
