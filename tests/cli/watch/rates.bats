#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch` on living processes that grow for some time. The truth is what the targets report at the start and at the end.
# bats file_tags=timed

setup() {
	load ../support/helper
	load ../support/curve
	retry_timed
	folder=$BATS_TEST_TMPDIR
}

teardown() {
	targets_stop
	json_check
}

# watch_start NAME DURATION: watches TARGET_PID in the background, into NAME.json.
watch_start() {
	"$PROCMEM_BIN" watch --json -i 1 --for "$2" "$TARGET_PID" >"$folder/$1.json" 3>&- &
	watchers+=($!)
}

# Prints the last object of a file: the summary.
summary() {
	tail -n 1 "$folder/$1.json"
}

@test "the rate and the time left of a living process are those of its own growth" {
	local way rate watchers=() pipes=()
	for way in merged:2097152 pool:4194304 mapped:4194304; do
		target_start leaker "${way%:*}" "${way#*:}"
		pipes+=("${way%:*} $TARGET_IN $TARGET_OUT")
		log_growth leaked "$folder/${way%:*}.log"
		watch_start "${way%:*}" 16s
	done
	wait "${watchers[@]}"
	for way in "${pipes[@]}"; do
		read -r way TARGET_IN TARGET_OUT <<<"$way"
		log_growth leaked "$folder/$way.log"
		json_keep watch "$folder/$way.json"
	done

	for way in merged pool mapped; do
		rate=$(log_rate "$folder/$way.log")
		[ "$rate" -gt 1000000 ]
		summary "$way" | jq -c --argjson rate "$rate" '[$rate, .verdict, .regions[0].rate]'
		summary "$way" | jq -e --argjson rate "$rate" '.verdict == "steady" and .seconds_left > 0 and
			(.regions[0] | .verdict == "steady" and (.rate / $rate - 1 | fabs) < 0.15)'
		[ $way != merged ] || continue
		summary "$way" | jq -e --argjson rate "$rate" '.reserve == .regions[0].reserve and .reserve.start == .regions[0].start and
			(.reserve | .max == 1073741824 and .used + .left == .max and .verdict == "steady"
			and (.seconds_left * $rate / .left - 1 | fabs) < 0.15)'
	done
	summary merged | jq -e 'has("reserve") | not'
	summary pool | jq -e '.reserve.type == "inaccessible"'
	summary mapped | jq -e '.reserve.type == "file"'
}

@test "a JVM that leaks off its heap: that region, at the rate of its own log, and not the heap" {
	require java
	local rate watchers=()
	# Direct buffers of 1 MiB, each with a mapping of its own. The heap changes, too.
	spawn setpriv --pdeathsig KILL env MALLOC_MMAP_THRESHOLD_=131072 java -Xms64m -Xmx64m -XX:+UseSerialGC -XX:MaxDirectMemorySize=1g \
		"$PROCMEM_SOURCE/tests/targets/DirectBuffers.java" 2097152
	target_await ready >/dev/null
	printf 'tell\n' >&"$TARGET_IN"
	target_await leaked >"$folder/log"
	watch_start jvm 24s
	wait "${watchers[@]}"
	json_keep watch "$folder/jvm.json"
	printf 'tell\n' >&"$TARGET_IN"
	target_await leaked >>"$folder/log"

	rate=$(awk 'NR == 1 { bytes = $2; ms = $3 } END { printf "%d", ($2 - bytes) / ($3 - ms) * 1000 }' "$folder/log")
	[ "$rate" -gt 1000000 ]
	summary jvm | jq -c --argjson rate "$rate" '[$rate, .kinds[0]], .regions[]'
	# The blocks may fill a gap between other regions first, so only the sum of all regions of malloc surely grows from the start.
	summary jvm | jq -e --argjson rate "$rate" '.kinds[0] | .kind == "malloc" and .verdict == "steady" and (.rate / $rate - 1 | fabs) < 0.15'
	summary jvm | jq -e '.regions[0].kind == "malloc" and all(.regions[]; .kind == "malloc" or .verdict != "steady")'
	summary jvm | jq -e 'all(.regions[] | select(.detail == "Java heap"); .verdict != "steady")'
}
