#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why` on healthy programs, at rest and at work: no finding may claim a leak.

setup() {
	load ../support/helper
	socket=$BATS_TEST_TMPDIR/socket
}

teardown() {
	targets_stop
	json_check
}

# Other tests fill the memory of the machine, tmpfs and cgroups at the same time: findings about these are no claims about the target.
around='["group_process", "tmpfs", "kernel_memory", "page_cache", "swapping", "pressure", "huge_pages", "shared_counted"]'

# why_healthy [CONFIDENCE]: observes the target. No finding may be surer than CONFIDENCE, which is `none` by default.
why_healthy() {
	run procmem why --json --for "${PROCMEM_WHY_SECONDS:-6}s" "$TARGET_PID"
	[ "$status" -le 1 ]
	jq -c '.findings[] | [.id, .confidence, .harmless, .rate]' <<<"$output"
	jq -e --arg allowed "${1:-none}" --argjson around "$around" '[.findings[] | select(.harmless | not) |
		select(.confidence != $allowed) | select(.id as $id | $around | index($id) | not)] == []' <<<"$output"
}

redis_start() {
	require redis-cli redis-benchmark
	program_start redis-server --port 0 --unixsocket "$socket" --save '' --daemonize no
	until redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; do kill -0 "$TARGET_PID"; done
}

jvm_start() {
	require java
	program_start java -Xmx128m "$@" "$PROCMEM_SOURCE/tests/targets/Garbage.java"
	target_await ready
}

# load COMMAND...: runs a command until the end of the test. TARGET_PID stays.
load_start() {
	local target=$TARGET_PID
	program_start "$@"
	TARGET_PID=$target
}

# bats test_tags=timed
@test "redis at rest" {
	retry_timed
	redis_start
	why_healthy
}

# bats test_tags=timed
@test "redis that writes a fixed set of keys" {
	retry_timed
	redis_start
	redis-benchmark -s "$socket" -c 4 -r 1000 -n 50000 -d 100 -t set,get -q
	load_start redis-benchmark -s "$socket" -c 4 -r 1000 -n 1000 -d 100 -t set,get -q -l
	why_healthy
}

# bats test_tags=timed
@test "bash at rest" {
	retry_timed
	program_start bash -c 'echo ready; read -r'
	target_await ready
	why_healthy
}

# bats test_tags=timed
@test "a Python program with a full cache, whose entries are replaced" {
	retry_timed
	program_start python3 -c 'import time
cache = {}
def work():
    for key in range(20000):
        cache[key] = ("value %d" % key) * 10
        if key % 500 == 0:
            time.sleep(0.02)
work()
work()
print("ready", flush=True)
while True:
    work()'
	target_await ready
	why_healthy
}

# bats test_tags=timed
@test "node that makes garbage" {
	retry_timed
	program_start node -e 'function work() {
	const rows = [];
	for (let i = 0; i < 2000; i++)
		rows.push({ i, text: "row " + i });
	return JSON.stringify(rows).length;
}
for (let i = 0; i < 500; i++)
	work();
console.log("ready");
setInterval(work, 20);'
	target_await ready
	# V8 shows no collections.
	why_healthy possible
}

# bats test_tags=timed
@test "a JVM that makes garbage, with G1" {
	retry_timed
	jvm_start -XX:+UseG1GC
	why_healthy
}

# bats test_tags=timed
@test "a JVM that makes garbage, with the serial collector" {
	retry_timed
	jvm_start -XX:+UseSerialGC
	why_healthy
}

@test "a compiler that ends before the observation: one sentence says so" {
	require gcc
	local source=$BATS_TEST_TMPDIR/large.c compiler
	seq 800 | awk '{ print "int f" $1 "(int x) { for (int i = 0; i < x; i++) x ^= i * " $1 "; return x; }" }' >"$source"
	program_start gcc -O2 -c "$source" -o /dev/null
	until compiler=$(pgrep -P "$TARGET_PID" -x cc1); do kill -0 "$TARGET_PID"; done
	run -2 --separate-stderr procmem why -q --for 600s "$compiler"
	[ -z "$output" ]
	# shellcheck disable=SC2154 # set by run
	[[ $stderr = "procmem: process $compiler "*exited* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}
