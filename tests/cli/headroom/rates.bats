#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem headroom --for` on living processes that grow for some time. The truth is what the targets report at the start and at the end.
# bats file_tags=timed

setup() {
	load ../support/helper
	load ../support/curve
	retry_timed
	folder=$BATS_TEST_TMPDIR
	watchers=()
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

# headroom_start NAME: measures TARGET_PID in the background, into NAME.json and NAME.text.
headroom_start() {
	"$PROCMEM_BIN" headroom --json --for 14s "$TARGET_PID" >"$folder/$1.json" 3>&- &
	watchers+=($!)
	"$PROCMEM_BIN" headroom --for 14s "$TARGET_PID" >"$folder/$1.text" 3>&- &
	watchers+=($!)
}

@test "the rate of a limit and the time left are those of the growth of the process, as in watch" {
	local used rate max check
	target_start leaker merged 4194304
	used=$(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024))
	max=$((used + (1 << 30)))
	prlimit --pid "$TARGET_PID" --as=$max:
	log_growth leaked "$folder/log"
	headroom_start limit
	run -0 procmem watch --json -i 1 --for 14s "$TARGET_PID"
	wait "${watchers[@]}"
	log_growth leaked "$folder/log"
	json_keep headroom "$folder/limit.json"
	rate=$(log_rate "$folder/log")
	echo "rate $rate"
	cat "$folder/limit.text"

	check='(.seconds_left * $rate / .left - 1 | fabs) < 0.15'
	jq -e --argjson rate "$rate" '.limits[] | select(.name == "address_space") | .verdict == "steady" and (.rate / $rate - 1 | fabs) < 0.15
		and '"$check" "$folder/limit.json"
	tail -n 1 <<<"$output" | jq -e --argjson rate "$rate" --argjson max $max '.first_limit | .name == "address_space" and .max == $max and '"$check"
	[[ $(head -n 1 "$folder/limit.text") == *' left of 1.0G (its address space, RLIMIT_AS), used up in '*'/s' ]]
}

@test "the limit of a cgroup and the number of threads have the rates of their usage" {
	local rate threads=() name
	target_start leaker threads 20
	log_growth leaked "$folder/threads.log"
	headroom_start threads
	threads=("$TARGET_IN" "$TARGET_OUT")
	target_start filler 8388608
	cgroup_make $((900 << 20)) "$TARGET_PID"
	log_growth written "$folder/group.log"
	headroom_start group
	wait "${watchers[@]}"
	log_growth written "$folder/group.log"
	TARGET_IN=${threads[0]} TARGET_OUT=${threads[1]} log_growth leaked "$folder/threads.log"
	json_keep headroom "$folder"/{threads,group}.json
	cat "$folder"/*.log "$folder"/*.text

	rate=$(log_rate "$folder/group.log")
	for name in cgroup cgroup_working_set; do
		jq -e --arg name "$name" --argjson rate "$rate" '.limits[] | select(.name == $name) | .verdict == "steady" and .estimate == false
			and (.rate / $rate - 1 | fabs) < 0.15' "$folder/group.json"
	done
	jq -e '.memory.verdict == "no growth" and .first_limit.name == "cgroup"' "$folder/group.json"
	[[ $(head -n 1 "$folder/group.text") == 'filler '*' left of 900.0M (the limit of its cgroup), used up in '*'M/s' ]]
	# A thread has a stack, and a guard page in front of it.
	jq -e --argjson rate "$(log_rate "$folder/threads.log")" '.limits[] | select(.name == "mappings") | .verdict == "steady"
		and (.rate / $rate / 2 - 1 | fabs) < 0.15' "$folder/threads.json"
}

@test "a JVM whose direct buffers leak: the time left is that of its own log" {
	local rate left used
	require java
	spawn setpriv --pdeathsig KILL java -Xms64m -Xmx64m -XX:+UseSerialGC -XX:MaxDirectMemorySize=1g \
		"$PROCMEM_SOURCE/tests/targets/DirectBuffers.java" 4194304
	target_await ready >/dev/null
	printf 'tell\n' >&"$TARGET_IN"
	target_await leaked >"$folder/log"
	headroom_start jvm
	wait "${watchers[@]}"
	printf 'tell\n' >&"$TARGET_IN"
	target_await leaked >>"$folder/log"
	json_keep headroom "$folder/jvm.json"
	cat "$folder/jvm.text"

	rate=$(awk 'NR == 1 { bytes = $2; ms = $3 } END { printf "%d", ($2 - bytes) / ($3 - ms) * 1000 }' "$folder/log")
	used=$((40 * 1048576 + $(awk 'END { print $2 }' "$folder/log")))
	left=$(((1 << 30) - used))
	jq -c --argjson rate "$rate" --argjson left "$left" '[$rate, $left, .first_limit]' "$folder/jvm.json"
	jq -e --argjson rate "$rate" --argjson left "$left" '.first_limit | .name == "java_direct" and (.seconds_left / ($left / $rate) - 1 | fabs) < 0.15' "$folder/jvm.json"
	[[ $(head -n 1 "$folder/jvm.text") == *' left of 1.0G (its direct memory), used up in about '*'; then OutOfMemoryError: Direct buffer memory' ]]
}
