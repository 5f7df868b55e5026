#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem map --pmap` compared with `pmap -x`, byte by byte.

setup() {
	load ../support/helper
	require pmap
}

teardown() {
	targets_stop
}

# Stops a process, and waits until all its threads have stopped, so that both programs see the same.
freeze() {
	local state
	kill -STOP "$1"
	for _ in $(seq 1000); do
		state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' /proc/"$1"/task/*/status | sort -u)
		[ "$state" != T ] || return 0
	done
	return 1
}

assert_same_as_pmap() {
	freeze "$1"
	for locale in C C.UTF-8; do
		# The kernel can write back a dirty page of a file in between; this does not happen
		# three times.
		for _ in 1 2 3; do
			LC_ALL=$locale pmap -x "$1" >"$BATS_TEST_TMPDIR/theirs"
			LC_ALL=$locale procmem map --pmap "$1" >"$BATS_TEST_TMPDIR/ours"
			! cmp -s "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours" || break
		done
		[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -gt 10 ]
		diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
	done
}

@test "a process with one of everything" {
	target_start mapper
	assert_same_as_pmap "$TARGET_PID"
}

@test "hostile names" {
	target_start hostile_names
	assert_same_as_pmap "$TARGET_PID"
}

@test "many regions" {
	target_start many_regions 5000 20
	assert_same_as_pmap "$TARGET_PID"
}

@test "a command line with every byte" {
	require python3
	program_start python3 -c "import time; print('up', flush=True); time.sleep(600)" \
		"$(printf '\303\251 \001 \177 \t new\nline \342\202\254')" "" x "" "$(printf 'bad \377 \303\251 \001')" ""
	target_await up
	assert_same_as_pmap "$TARGET_PID"
}

@test "redis-server" {
	program_start redis-server --port 0 --unixsocket "$BATS_TEST_TMPDIR/socket" --save "" --appendonly no
	target_await "ready to accept connections"
	assert_same_as_pmap "$TARGET_PID"
}

@test "a JVM" {
	require java
	cat >"$BATS_TEST_TMPDIR/Idle.java" <<-'JAVA'
		public class Idle {
			public static void main(String[] words) throws Exception {
				var blocks = new java.util.ArrayList<java.nio.ByteBuffer>();
				for (int i = 0; i < 20; i++)
					blocks.add(java.nio.ByteBuffer.allocateDirect(1 << 20));
				System.out.println("up");
				Thread.sleep(600_000);
			}
		}
	JAVA
	program_start java -Xmx64m "$BATS_TEST_TMPDIR/Idle.java"
	target_await up
	assert_same_as_pmap "$TARGET_PID"
}

@test "python3" {
	require python3
	program_start python3 -c "import time, json; blocks = [bytes(1000) for i in range(50000)]; print('up', flush=True); time.sleep(600)"
	target_await up
	assert_same_as_pmap "$TARGET_PID"
}

@test "--no-header omits the first and the last lines, and filters omit others" {
	target_start mapper
	freeze "$TARGET_PID"
	diff <(pmap -x "$TARGET_PID" | grep '^[0-9a-f]\{16\} ') <(procmem map --pmap --no-header "$TARGET_PID")
	diff <(pmap -x "$TARGET_PID" | grep '^[0-9a-f]\{16\} .* r-x-- ') <(procmem map --pmap --no-header --perms r-xp "$TARGET_PID")
}
