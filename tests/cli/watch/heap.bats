#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --heap`: which chunks of malloc grow. The target says how many chunks it has allocated.

setup() {
	load ../support/helper
	load ../support/screen
	load ../support/watch_screen
	look=$BATS_TEST_TMPDIR/look
}

teardown() {
	screen_stop
	targets_stop
	! grep -qs '^{' "$look" || json_keep watch "$look"
	json_check
}

# Starts to watch, with an object for each sample.
watch_heap() {
	"$PROCMEM_BIN" watch --heap --json -i 0.1 --budget 0 "$@" "$TARGET_PID" >"$look" 3>&- &
	watcher=$!
	TARGETS+=("$watcher")
	await_walks 1
}

# Waits until the heap was walked this number of times.
await_walks() {
	local found=0
	until [ "$found" -ge "$1" ]; do
		kill -0 "$watcher"
		sleep 0.05
		found=$(jq -s 'map(.walk_count // empty) | last // 0' <(grep '}$' "$look"))
	done
	walks=$found
}

# Stops the watcher while it waits in ppoll(2) for the next sample: not in the middle of a walk.
watcher_pause() {
	until
		kill -STOP "$watcher"
		until grep -q '^State:.T' "/proc/$watcher/status"; do kill -0 "$watcher"; done
		grep -q '^\(271\|73\) ' "/proc/$watcher/syscall"
	do
		kill -CONT "$watcher"
		sleep 0.01
	done
}

# Prints how many chunks the thread of the target has allocated.
grown() {
	local line
	printf 'grown\n' >&"$TARGET_IN"
	line=$(target_await 'grown ')
	printf '%s\n' "${line#grown }"
	target_await 'done grown' >/dev/null
}

@test "--heap counts the chunks that a process allocated and kept, exactly" {
	local _
	target_start allocations 0
	watch_heap
	for _ in 1 2 3 4; do
		watcher_pause
		target_tell fragment 50
		kill -CONT "$watcher"
		await_walks $((walks + 2))
	done
	kill -TERM "$watcher"
	wait "$watcher"
	run jq -e 'select(.summary)' "$look"
	[ "$status" -eq 0 ]
	jq -e '.complete and .walk_count >= 9 and .walk_cost_us > 0 and .seconds > 0' <<<"$output"
	jq -e '.survivors[0] | .size == 96 and .count == 200 and .text == "session user=# and more" and .type == "text" and .net_count > 0 and
		.bytes_rate > .rate * 95' <<<"$output"
	# The buffers between them were freed.
	jq -e '[.survivors[] | select(.size > 8000)] == []' <<<"$output"
	# A line has the survivors only if there was a walk for its sample.
	jq -es '[.[] | select(.summary | not) | .survivors] | length > 0' "$look"
}

@test "rates and recorded counts are those of the target, although others allocate and free all the time" {
	local before after file=$BATS_TEST_TMPDIR/run.pmrec count
	target_start allocations 0
	target_tell churn
	target_tell grow 200
	before=$(grown)
	watch_heap --record "$file"
	await_walks 12
	kill -TERM "$watcher"
	wait "$watcher"
	after=$(grown)
	run jq -e 'select(.summary)' "$look"
	# No class of the thread that allocates and frees has as many survivors.
	jq -e --argjson most $((after - before)) '.survivors[0] | .size == 272 and .text == "leak number=#" and .count > 0 and .count <= $most' <<<"$output"
	jq -e '.seconds as $seconds | .survivors[0] | (.rate * $seconds / .count - 1 | fabs) < 0.01' <<<"$output"
	count=$(jq '.survivors[0].count' <<<"$output")
	# The chunks at the first walk and at the one before the last: what was new between them survived. Some is not counted if a walk
	# missed chunks.
	run -0 sqlite3 "$file" "SELECT chunk_count.count FROM chunk_count JOIN chunk_class ON class = id
		WHERE size = 272 AND content = 'text' ORDER BY sample"
	[ "${lines[-1]}" -le "$after" ]
	[ "${lines[-1]}" -ge "$before" ]
	[ "$count" -le $((lines[-1])) ]
	[ "$count" -ge $(((lines[-2] - lines[0]) * 6 / 10 - 5)) ]
	run -1 procmem diff --json "$file@first" "$file"
	jq -e --argjson most $((after - before)) '.classes[0] | .size == 272 and .net_count > 0 and .net_count <= $most' <<<"$output"
}

@test "within a small budget there is one walk, and the summary says that this is too few" {
	target_start allocations 0
	run -0 --separate-stderr procmem watch --heap --budget 0.01 -i 0.1 -c 12 "$TARGET_PID"
	[[ $output == *'malloc: '*' chunks in use, '*'; 1 walk, '*' ms of CPU time each'* ]]
	[[ $output == *$'\ntoo few walks to find what grows: 3 are needed, and --budget allows one every '* ]]
	[[ $output != *'WHAT'* ]]
}

@test "a process that allocates nothing: no class grows" {
	target_start allocations 2
	run -0 --separate-stderr procmem watch --heap --budget 0 -i 0.1 -c 6 "$TARGET_PID"
	[[ $output == *$'\nno class of chunks grows' ]]
	[[ $output == *'malloc: '*', net change -; '*' walks, every '*' on average, '* ]]
}

@test "chunks that are replaced all the time do not grow, although there are new ones" {
	target_start allocations 0
	target_tell renew 400
	run -0 --separate-stderr procmem watch --heap --json -q --budget 0 -i 0.2 --for 16s "$TARGET_PID"
	jq -es 'last | .walk_count >= 5 and (.survivors[] | select(.size == 544) | .count > 100 and .rate > 1 and .net_count > -5 and
		.net_count < 5 and (.verdict | IN("no growth", "plateau")))' <<<"$output"
}

@test "without --heap, there is nothing about chunks" {
	target_start allocations 0
	run -0 procmem watch --json -i 0.1 -c 3 --record "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID"
	[[ $output != *survivors* && $output != *walk_count* ]]
	run -0 procmem snap -l --json "$BATS_TEST_TMPDIR/run.pmrec"
	jq -e 'all(.samples[]; .has_chunks | not)' <<<"$output"
	run -0 procmem watch -i 0.1 -c 3 "$TARGET_PID"
	[[ $output != *malloc:* ]]
}

@test "the action snap stores chunks, too" {
	local file=$BATS_TEST_TMPDIR/snap.pmrec
	target_start allocations 0
	run -1 procmem watch --heap -i 0.1 -c 50 --on 'rss>1K' --do "snap:$file" --do exit "$TARGET_PID"
	run -0 procmem snap -l --json "$file"
	jq -e '[.samples[].has_chunks] == [true]' <<<"$output"
}

@test "the screen shows the classes that grow below the rows" {
	require tmux
	target_start allocations 0
	target_tell grow 200
	watch_start 100 30 --heap -i 0.2 --budget 0
	screen_await 'chunks of malloc that are new and still there:'
	screen_await '"leak number=#"'
	[[ $(screen_lines) =~ [0-9.]+K?/s\ \ [0-9.]+\ new/s\ \ 272\ B\ \ [a-z\ ]+\ \ '"leak number=#"' ]]
	# There is no room for them.
	screen_resize 100 9
	screen_await_not '"leak number=#"'
	screen_key q
}

@test "the screen says how many walks are missing" {
	require tmux
	target_start allocations 0
	watch_start 100 30 --heap -i 0.2 --budget 0.01
	screen_await 'heap: first result after 3 walks; 1 done, one each '
	[[ $(screen_lines) =~ 'one each '[0-9hms.\ ]+' within the budget' ]]
	screen_key q
}

@test "--heap needs one living process whose allocator is known" {
	target_start no_malloc
	run -2 --separate-stderr procmem watch --heap --record "$BATS_TEST_TMPDIR/run.pmrec" -c 2 -i 0.1 "$TARGET_PID"
	[[ $stderr == *'the heap of '*' is not known: '* ]]
	[ ! -e "$BATS_TEST_TMPDIR/run.pmrec" ]
	run -2 --separate-stderr procmem watch --heap -c 2 "$TARGET_PID,$$"
	[[ $stderr == *'--heap needs a single process'* ]]
	procmem snap -q -o "$BATS_TEST_TMPDIR/run.pmrec" $$
	run -2 --separate-stderr procmem watch --heap "$BATS_TEST_TMPDIR/run.pmrec"
	[[ $stderr == *'--heap cannot be used with a recording'* ]]
}
