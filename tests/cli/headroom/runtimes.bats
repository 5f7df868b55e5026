#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Limits inside runtimes: `procmem headroom` and `procmem watch` on a JVM whose direct buffers grow on command.

setup() {
	load ../support/helper
	load ../support/curve
	file=$BATS_TEST_TMPDIR/recording.db
}

teardown() {
	targets_stop
	json_check
}

# jvm_start OPTION... -- ARGUMENT...: starts DirectBuffers, which has 40 MiB of direct buffers at first.
jvm_start() {
	local options=()
	require java
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	spawn setpriv --pdeathsig KILL java -Xms64m -Xmx64m "${options[@]}" "$PROCMEM_SOURCE/tests/targets/DirectBuffers.java" "${@:2}"
	target_await ready >/dev/null
}

@test "direct memory is named first, with the time in which its own steps fill it" {
	jvm_start -XX:+UseSerialGC -XX:MaxDirectMemorySize=512m -- 4194304 stepped
	record_seconds "$file" 14
	sqlite3 "$file" "SELECT sample, used / 1048576.0 FROM headroom WHERE name = 'java_direct'"
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	# 40 MiB, then 4 MiB for each of 14 seconds: 104 s are left at this rate.
	jq -e '.first_limit | .name == "java_direct" and .max == 536870912 and .approximate and .estimate and
		.source == "MaxDirectMemorySize" and .effect == "OutOfMemoryError: Direct buffer memory" and
		(.seconds_left / 104 - 1 | fabs) < 0.15' <<<"$output"
	jq -c '.limits[] | select(.name == "java_direct")' <<<"$output"
	jq -e '.limits[] | select(.name == "java_direct") | .verdict == "steady" and (.rate / 4194304 - 1 | fabs) < 0.15' <<<"$output"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == "java ($TARGET_PID) "*' left of 512.0M (its direct memory), used up in about 1m '*'s at about +'*'M/s; then OutOfMemoryError: Direct buffer memory' ]]
	run -0 procmem watch --json "$file"
	tail -n 1 <<<"$output" | jq -e '.first_limit | .name == "java_direct" and (.seconds_left / 104 - 1 | fabs) < 0.15'
	run -0 procmem watch -n 1 "$file"
	[[ $output == *'  direct memory 512.0M: full in about 1m '* ]]

	# `why` knows it, too, even if the last sample lacks the limits of the runtime.
	sqlite3 "$file" "DELETE FROM headroom WHERE name LIKE 'java%' AND sample = (SELECT max(number) FROM sample)"
	run -1 procmem why --json "$file"
	jq -c '.findings[] | [.id, .limit.name, .seconds_left_min, .seconds_left_max]' <<<"$output"
	jq -e '.findings | length == 1 and (.[0] | .id == "java_direct" and .limit.name == "java_direct" and
		.seconds_left_min < 104 and .seconds_left_max > 104)' <<<"$output"
}

@test "a Java heap that is full of garbage has no time, and is not named" {
	# 4 MiB of garbage a second fill the free part of the heap again and again.
	jvm_start -XX:+UseG1GC -XX:MaxDirectMemorySize=1g -XX:MaxMetaspaceSize=96m -- 4194304 stepped
	record_seconds "$file" 12
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e '.first_limit.name != "java_heap"' <<<"$output"
	jq -e '.limits[] | select(.name == "java_heap") | .max == 67108864 and .used > 0 and .used <= .max and .approximate and
		(has("seconds_left") or has("rate") or has("verdict") | not)' <<<"$output"
	jq -e '.limits | map(.name) | contains(["java_heap", "java_metaspace", "java_class_space", "java_code", "java_direct"])' <<<"$output"
	jq -e '.limits[] | select(.name == "java_metaspace") | .max == 100663296 and .used > 0' <<<"$output"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ $output == *'java_heap '*' 64.0M '*' not known MaxHeapSize: OutOfMemoryError: Java heap space; USED includes garbage'* ]]
}

@test "without a limit of its own, direct memory has that of the heap" {
	jvm_start -XX:+UseSerialGC --
	run -0 procmem headroom --json "$TARGET_PID"
	jq -e '.limits[] | select(.name == "java_direct") | .max == 67108864 and .source == "MaxHeapSize" and
		.used >= 40 * 1048576 and .used < 44 * 1048576' <<<"$output"
	jq -e '.limits | map(.name) | index("java_metaspace") == null' <<<"$output"
}

@test "a limit of a runtime of which little is left has a line, although the kernel has memory left" {
	jvm_start -XX:+UseSerialGC -XX:MaxDirectMemorySize=42m --
	run -0 procmem headroom "$TARGET_PID"
	[[ ${lines[0]} != *'direct memory'* ]]
	grep -Eqx 'runtime: [12]\.[0-9]M left of 42\.0M \(its direct memory\); then OutOfMemoryError: Direct buffer memory' <<<"$output"
	[[ $output != *'runtime: '*'metaspace'* ]]
	[[ ${lines[0]} != *'no limit of its own;'* ]]
}

@test "a process without a runtime has no such limits" {
	target_start hog
	run -0 procmem headroom --json "$TARGET_PID"
	jq -e '[.limits[] | select(.name | test("^(java|v8|go)_"))] == []' <<<"$output"
}
