#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep` on real programs: exactly the hits of Python in the same memory (support/search.py).

setup() {
	load ../support/helper
	require python3 jq
}

teardown() {
	targets_stop
	json_check
}

# Compares both searches. A signal stops the target, so that it does not change between them.
same_hits() {
	local pattern
	program_freeze
	for pattern; do
		procmem grep -s --json "$pattern" "$TARGET_PID" | jq -r '"\(.address[2:]) \(.length)"' >"$BATS_TEST_TMPDIR/ours"
		python3 "$BATS_TEST_DIRNAME/../support/search.py" "$TARGET_PID" "$pattern" >"$BATS_TEST_TMPDIR/theirs"
		[ -s "$BATS_TEST_TMPDIR/theirs" ]
		diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
	done
	kill -CONT "$TARGET_PID"
}

@test "redis: each of 200,000 keys, and the same hits as Python" {
	require redis-cli
	local socket=$BATS_TEST_TMPDIR/redis
	program_start redis-server --port 0 --unixsocket "$socket" --save '' --dir "$BATS_TEST_TMPDIR"
	until redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; do :; done
	redis-cli -s "$socket" eval 'for i = 1, 200000 do redis.call("set", "procmem-key:" .. i .. ":", "value-" .. i) end' 0
	same_hits 'procmem-key:[0-9]+:' 'value-[0-9]{6}' '(?<=procmem-key:)19999[0-9]'
	[ "$(procmem grep -s -o 'procmem-key:\d+:' "$TARGET_PID" | sort -u | wc -l)" -eq 200000 ]
	# Memory contains more than what Redis stores: the count is a minimum.
	[ "$(procmem grep -s -c 'procmem-key:\d+:' "$TARGET_PID" | awk '{ sum += $1 } END { print sum }')" -ge 200000 ]
}

@test "a JVM" {
	require java
	spawn setpriv --pdeathsig KILL java -Xmx64m -XX:+UseSerialGC "$PROCMEM_SOURCE/tests/targets/DirectBuffers.java"
	target_await ready
	same_hits 'java/lang/[A-Za-z]+;' '[a-z]+@[a-z.]+' '\bDirect[A-Z]\w+' '(\w{4})\1'
}

@test "python3" {
	local source=$BATS_TEST_TMPDIR/users.py
	printf '%s\n' 'users = [f"user-{i}@example.org" for i in range(50000)]' 'print("ready", flush=True)' 'input()' >"$source"
	program_start python3 "$source"
	target_await ready
	same_hits 'user-[0-9]+@example' '[A-Z][a-z]+Error' 'def \w+\(' '\x00\x00\x00[a-z]{8}\x00'
	[ "$(procmem grep -s -o 'user-\d+@example\.org' "$TARGET_PID" | sort -u | wc -l)" -eq 50000 ]
}
