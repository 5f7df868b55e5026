#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why` on programs of a JVM, of node and of Python with one known cause: it is the first finding. Beside each is a program that
# nearly has the cause. The truth is what the programs report at the start and at the end.
# shellcheck disable=SC2034,SC2153,SC2154 # causes.bash declares cause_word and cause_pid, whose keys are names
# bats file_tags=timed

setup_file() {
	load ../support/helper
	require java javac node python3
	javac -nowarn -XDignore.symbol.file -d "$BATS_FILE_TMPDIR" "$PROCMEM_SOURCE/tests/targets/Leaks.java"
}

setup() {
	load ../support/helper
	load ../support/curve
	load ../support/causes
	retry_timed
}

teardown() {
	targets_stop
	json_check
}

# java_start NAME WAY NUMBER OPTION...: starts a JVM. They start at the same time: await all of them with java_await.
java_start() {
	program_start java -Xmx96m -XX:TieredStopAtLevel=1 "${@:4}" -cp "$BATS_FILE_TMPDIR" Leaks "$2" "$3"
	cause "$1"
}

java_await() {
	local name
	for name in "${!cause_pid[@]}"; do
		TARGET_OUT=${cause_out[$name]} target_await ready >/dev/null
	done
}

@test "java: objects fill the heap; a heap that is full" {
	java_start heap heap 80 -XX:+UseG1GC
	java_start cache cache 80 -XX:+UseG1GC
	java_start full full 88 -XX:+UseSerialGC
	java_start half full 40 -XX:+UseSerialGC
	java_await
	causes_judge

	first heap '.id == "runtime_growth" and .confidence == "likely" and .owner == "java/heap" and .limit.name == "java_heap" and
		(.rate / ($rate * 16400) | . > 0.8 and . < 1.2)'
	first full '.id == "runtime_heap" and .confidence == "likely" and .owner == "java/heap" and .limit.name == "java_heap"'
	unclaimed cache runtime_growth
	unclaimed half runtime_heap
}

@test "java: classes pile up in the metaspace; a code cache that is full" {
	java_start classes classes 300 -XX:MaxMetaspaceSize=256m
	java_start loaders loaders 300 -XX:MaxMetaspaceSize=256m
	java_start code cache 10 -XX:ReservedCodeCacheSize=2500k
	java_start large cache 10 -XX:ReservedCodeCacheSize=32m
	java_await
	causes_judge

	# A class with its loader has 4 KiB.
	first classes '.id == "java_metaspace" and .confidence == "likely" and .owner == "java/metaspace" and .limit.name == "java_metaspace" and
		(.rate | near($rate * 4096))'
	first code '.id == "java_code" and .limit.name == "java_code"'
	unclaimed loaders java_metaspace
	unclaimed large java_code
}

@test "java: direct buffers reach their limit; blocks of native code are not told apart" {
	java_start direct direct 16 -XX:MaxDirectMemorySize=512m
	java_start native native 16 -XX:MaxDirectMemorySize=512m
	java_start reused reused 16 -XX:MaxDirectMemorySize=512m
	java_await
	causes_judge

	local left
	left=$(awk 'END { print 512 - $2 / 4 }' "$BATS_TEST_TMPDIR/direct.log")
	first direct '.id == "java_direct" and .confidence == "possible" and (.rate | near($rate * 262144)) and .limit.name == "java_direct" and
		soon('$left'; $rate / 4)'
	first native '.confidence == "possible" and (.rate | near($rate * 262144))'
	unclaimed reused java_direct
}

@test "node and python: buffers outside of the heap of the runtime, and objects in it" {
	local way script=$PROCMEM_SOURCE/tests/cli/support
	program_start node "$script/node_leaks.js" buffers 16
	target_await ready >/dev/null
	cause node_buffers
	# V8 collects the buffers once they have some 64 MiB.
	program_start node "$script/node_leaks.js" ring 100
	target_await ready >/dev/null
	cause node_ring
	program_start node --max-old-space-size=256 "$script/node_leaks.js" kept 3000
	target_await ready >/dev/null
	cause node_kept
	program_start node "$script/node_leaks.js" cache 1000
	target_await ready >/dev/null
	cause node_cache
	for way in blocks ring; do
		program_start /usr/bin/python3 "$script/python_leaks.py" $way 8
		target_await ready >/dev/null
		cause python_$way
	done
	causes_judge

	# Some seconds after the start, malloc maps each buffer separately.
	first node_buffers '(.id == "outside_runtime" or .id == "mapped_chunks") and (.rate | near($rate * 266240)) and
		(.title | contains("outside of the"))'
	first node_kept '.id == "runtime_growth" and .owner == "v8/heap" and .limit.name == "v8_old_space"'
	first python_blocks '.id == "malloc_leak" and (.count_rate | near($rate))'
	unclaimed node_ring runtime_growth
	unclaimed node_cache runtime_growth
	acquitted python_ring
}
