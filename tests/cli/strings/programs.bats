#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem strings` against GNU strings over the same bytes of programs that people run: python, redis, a JVM.

setup() {
	load ../support/helper
	load ../support/strings
}

teardown() {
	targets_stop
}

# Every range of the program's private memory with something in it, up to 8 MiB of each.
private_ranges() {
	awk '/ rw-p 00000000 00:00 0 +(\[heap\])?$/ { print $1 }' "/proc/$TARGET_PID/maps" |
		while IFS=- read -r start end; do
			[ $((0x$end - 0x$start)) -le $((8 << 20)) ] || end=$(printf %x $((0x$start + (8 << 20))))
			echo "$start-$end"
		done | head -n 6
}

# Stands still meanwhile: what the two read must be the same.
compare_program() {
	program_freeze
	local compared=0
	for range in $(private_ranges); do
		read_bytes "$range" 2>/dev/null || continue
		for encoding in s S l b L B; do
			same_as_gnu "$range" "$encoding" 6 -t x
			compared=$((compared + $(wc -l <"$BATS_TEST_TMPDIR/ours")))
		done
	done
	[ "$compared" -gt "$1" ]
}

@test "the same of python" {
	program_start python3 -c 'words = {i: "a word %d" % i for i in range(20000)}
wide = ["w\u0151rd %d" % i for i in range(20000)]
print("ready", flush=True)
input()'
	target_await ready
	compare_program 40000
}

@test "the same of redis" {
	require redis-cli
	local socket=$BATS_TEST_TMPDIR/redis
	program_start redis-server --port 0 --unixsocket "$socket" --save '' --daemonize no
	until redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; do kill -0 "$TARGET_PID"; done
	seq 20000 | sed 's/.*/SET key:& "the value of key &"/' | redis-cli -s "$socket" >/dev/null
	compare_program 20000
}

@test "the same of a JVM" {
	require java javac
	cp "$PROCMEM_SOURCE/tests/targets/DirectBuffers.java" "$BATS_TEST_TMPDIR"
	program_start java -Xmx64m -cp "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/DirectBuffers.java"
	target_await ready
	compare_program 1000
}
