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

# Prints the complete lines of the watcher so far.
lines_so_far() {
	head -n "$(wc -l <"$look")" "$look"
}

# Prints how many times the heap was walked.
walks_so_far() {
	jq -s 'map(.walk_count // empty) | last // 0' <(lines_so_far)
}

# Waits until the heap was walked this number of times.
await_walks() {
	until [ "$(walks_so_far)" -ge "$1" ]; do
		kill -0 "$watcher"
		sleep 0.05
	done
}

# Waits until the last line of the watcher fulfils a condition of jq.
await_line() {
	until lines_so_far | tail -n 1 | jq -e "$1" >/dev/null; do
		kill -0 "$watcher"
		sleep 0.1
	done
}

# Stops the watcher while it waits between two samples, so not within a walk.
watcher_stop() {
	# Numbers of x86-64: poll and ppoll.
	local state='' call=''
	until [ "$call" = 271 ] || [ "$call" = 7 ]; do
		kill -CONT "$watcher"
		sleep 0.02
		kill -STOP "$watcher"
		until [ "$state" = T ]; do
			state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$watcher/status")
			[ -n "$state" ]
		done
		read -r call _ <"/proc/$watcher/syscall"
		state=
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
	local walks _
	target_start allocations 0
	watch_heap
	for _ in 1 2 3 4; do
		watcher_stop
		walks=$(walks_so_far)
		target_tell fragment 50
		kill -CONT "$watcher"
		# The first walk finds new chunks, the second one finds that they are still there.
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
	# No class of the thread that allocates and frees has as many survivors.
	await_line '.survivors[0] | .size == 272 and .count > 200 and .verdict != "no growth"'
	kill -TERM "$watcher"
	wait "$watcher"
	after=$(grown)
	run jq -e 'select(.summary)' "$look"
	jq -e --argjson most $((after - before)) '[.survivors[] | select(.size == 272 and .type == "text")] | length == 1 and (.[0] |
		.text == "leak number=#" and .count > 200 and .count <= $most)' <<<"$output"
	jq -e '.seconds as $seconds | .survivors[] | select(.size == 272 and .type == "text") | (.rate * $seconds / .count - 1 | fabs) < 0.01' <<<"$output"
	# The chunks at each walk. A walk can miss chunks, because the process changes its heap. A few chunks
	# of the other thread can have this size and look like text.
	run -0 sqlite3 "$file" "SELECT chunk_count.count FROM chunk_count JOIN chunk_class ON class = id
		WHERE size = 272 AND content = 'text' ORDER BY sample"
	for count in "${lines[@]}"; do
		[ "$count" -le $((after + 10)) ]
	done
	run -1 procmem diff --json "$file@first" "$file"
	jq -e --argjson most $((after + 10)) '.classes[] | select(.size == 272 and .text == "leak number=#") |
		.net_count <= $most' <<<"$output"
}

@test "chunks that grow within free memory: their verdict and that on the RSS differ" {
	local words='the verdicts below count chunks; that on the RSS ('
	target_start allocations 0
	# Leaves about 8 MiB of free memory.
	target_tell fragment 1000
	"$PROCMEM_BIN" watch --heap --budget 50 -i 0.5 -c 26 "$TARGET_PID" >"$BATS_TEST_TMPDIR/text" 3>&- &
	watcher=$!
	TARGETS+=("$watcher")
	while kill -0 "$watcher" 2>/dev/null; do
		target_tell fragment 3
		sleep 0.2
	done
	wait "$watcher"
	output=$(cat "$BATS_TEST_TMPDIR/text")
	# Under load, the chunks may grow unevenly.
	if [[ $output =~ ' steady '+'"session ' && $output == *'no growth seen'* ]]; then
		[[ $output == *"$words"'no growth) differs, because malloc first uses memory that is free'* ]]
	else
		[[ $output != *"$words"'no growth)'* ]]
	fi
}

@test "within a small budget there is one walk, and the summary says that this is too few" {
	target_start allocations 0
	run -0 --separate-stderr procmem watch --heap --budget 0.01 -i 0.1 -c 12 "$TARGET_PID"
	[[ $output == *'malloc: '*' chunks in use, '*'; 1 walk, '*' ms of CPU time each'* ]]
	[[ $output == *$'\ntoo few walks to find what grows: 3 are needed, and --budget allows one every '*': watch for longer, or raise --budget'* ]]
	[[ $output != *'WHAT'* ]]
}

@test "with --for and without --budget, there are enough walks to find what grows" {
	target_start allocations 0
	# A walk takes about 0.05 s of CPU time, so that the budget of 1 % allows one in 10 s.
	target_tell sieve 300000
	run -0 --separate-stderr procmem watch --heap --for 8s -i 0.2 "$TARGET_PID"
	[[ $output =~ ' chunks in use, '[^$'\n']*'; '([0-9]+)' walks, ' ]]
	[ "${BASH_REMATCH[1]}" -ge 3 ]
	[[ $output != *'too few walks'* ]]
}

@test "a process that allocates nothing: no class grows" {
	target_start allocations 2
	run -0 --separate-stderr procmem watch --heap --budget 0 -i 0.1 -c 6 "$TARGET_PID"
	[[ $output == *$'\nno class of chunks grows' ]]
	[[ $output == *'malloc: '*', net change -; '*' walks, every '*' on average, '* ]]
}

@test "walks that do not find all chunks do not show what grows" {
	target_start allocations 0
	target_tell hide
	run -0 --separate-stderr procmem watch --heap --budget 0 -i 0.1 -c 12 "$TARGET_PID"
	[[ $output == *' incomplete'$'\n''what grows is not known: the walks did not find all chunks (where: procmem heap -v)' ]]
	[[ $output != *'no class of chunks'* ]]
	procmem watch --heap --budget 0 -i 0.1 -c 12 --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/json"
	jq -es 'last | .seconds == 0 and .complete == false and .survivors == []' "$BATS_TEST_TMPDIR/json"
}

@test "chunks that are replaced all the time do not grow, although there are new ones" {
	target_start allocations 0
	target_tell renew 2000
	watch_heap
	# A verdict needs ten seconds.
	await_line '.survivors[]? | select(.size == 544) | .count > 100 and .rate > 1 and (.verdict | IN("no growth", "plateau"))'
	kill -TERM "$watcher"
	wait "$watcher"
	# All of them exist all the time, but one.
	jq -e 'select(.summary) | .survivors[] | select(.size == 544) | .net_count > -5 and .net_count < 5' "$look"
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

@test "a recording with chunks: a note says which command shows them" {
	local file=$BATS_TEST_TMPDIR/run.pmrec
	target_start allocations 0
	run -0 procmem watch --heap --budget 0 -i 0.1 -c 3 --record "$file" "$TARGET_PID"
	run -0 --separate-stderr procmem watch "$file"
	[[ $output != *malloc:* ]]
	[[ $stderr == *"the chunks of malloc in $file are not shown: "*' at 3 walks over the heap, '*"'procmem diff $file@first $file' shows what grew" ]]
	run --separate-stderr procmem diff "$file@first" "$file"
	[ "$status" -le 1 ]
	[[ $output == *hunks* ]]
	run -0 --separate-stderr procmem watch -q "$file"
	[ -z "$stderr" ]
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
	screen_await 'heap: first result after 3 walks; 1 done, and --budget allows one every '
	[[ $(screen_lines) =~ 'and --budget allows one every '[0-9hms.\ ]+ ]]
	screen_key q
}

@test "the screen continues while the heap is walked, and Ctrl-C ends a walk" {
	require tmux
	target_start allocations 0
	target_tell sieve 3000000
	target_tell grow 200
	# A walk takes longer than the time between two samples.
	watch_start 100 30 --heap -i 0.1 --budget 0
	screen_await ' done, one is running'
	screen_await 'chunks of malloc that are new and still there (a walk is running):'
	screen_key C-c
	screen_await 'ended: interrupted'
	screen_await 'malloc: '
	[[ $(screen_lines) == *' chunks in use, '*' walks, every '* ]]
}

@test "a process that ends while its heap is walked" {
	require tmux
	target_start allocations 0
	target_tell sieve 3000000
	watch_start 100 30 --heap -i 0.1 --budget 0
	screen_await ' done, one is running'
	kill -KILL "$TARGET_PID"
	screen_await '(q: quit)'
	screen_key q
	screen_await 'ended: the process is gone'
	screen_await 'malloc: '
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
