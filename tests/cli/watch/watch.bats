#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch` on targets that grow in known ways. Verdicts and rates need some time, so they are checked with recordings: support/curve.bash.
# rates.bats watches living processes for that long.

setup_file() {
	load ../support/helper
	load ../support/curve
	local ways="merged:2097152 arenas:40960 threads:20 files:100 steps:524288 pool:4194304" way
	for way in $ways; do
		target_start leaker "${way%:*}" "${way#*:}" stepped
		# What it does only once is not part of its growth.
		[ "$way" = steps:524288 ] || target_tell 'pass 1'
		record_seconds "$BATS_FILE_TMPDIR/${way%:*}.pmrec" 26
		procmem watch --json "$BATS_FILE_TMPDIR/${way%:*}.pmrec" >"$BATS_FILE_TMPDIR/${way%:*}.json"
		procmem watch "$BATS_FILE_TMPDIR/${way%:*}.pmrec" >"$BATS_FILE_TMPDIR/${way%:*}.text"
		if [ "$way" = threads:20 ] || [ "$way" = files:100 ]; then
			procmem headroom --json --from "$BATS_FILE_TMPDIR/${way%:*}.pmrec" "$TARGET_PID" >"$BATS_FILE_TMPDIR/${way%:*}.limits"
		fi
		targets_stop
	done
}

teardown_file() {
	targets_stop
	json_check
}

setup() {
	load ../support/helper
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	targets_stop
	json_check
}

# Prints the last object of a file: the summary.
summary() {
	tail -n 1 "$BATS_FILE_TMPDIR/$1.json"
}

@test "a lot of memory that does not grow: the summary names stale" {
	spawn python3 -c 'import sys
memory = b"x" * (300 << 20)
print("ready", flush=True)
sys.stdin.read()'
	read -r line <&"$TARGET_OUT"
	[ "$line" = ready ]
	run -0 --separate-stderr procmem watch -i 1 -c 14 "$TARGET_PID"
	[[ $output = *$'\n'"not growing: procmem stale --for 60s $TARGET_PID shows how much of it is not used"* ]]
	run -0 --separate-stderr procmem watch -i 1 -c 2 "$TARGET_PID"
	[[ $output != *'not growing'* ]]
}

@test "blocks that merge into one region are one steady leak at the right rate" {
	summary merged | jq -e '.summary and .verdict == "steady"'
	summary merged | jq -e '.regions[0] | .verdict == "steady" and (.rate - 2097152 | fabs) < 1 and .count == 1'
	summary merged | jq -e '[.regions[] | select(.verdict == "steady")] | length == 1'
	summary merged | jq -e '.seconds_left > 0'
}

@test "headroom reports limits on numbers that grow, with the time left" {
	local max
	max=$(cat /proc/sys/vm/max_map_count)
	jq -e --argjson max "$max" '.limits[] | select(.name == "mappings") | .max == $max and .used > 500 and .verdict == "steady"
		and (.rate - 100 | fabs) < 1 and (.seconds_left - .left / .rate | fabs) < 1' "$BATS_FILE_TMPDIR/files.limits"
	jq -e --argjson max "$max" '.limits[] | select(.name == "mappings") | .max == $max and .verdict == "steady"' \
		"$BATS_FILE_TMPDIR/threads.limits"
	jq -e --argjson max "$(cat /proc/sys/kernel/threads-max)" '.limits[] | select(.name == "threads") | .max == $max' \
		"$BATS_FILE_TMPDIR/threads.limits"
}

@test "the limit on a number is reported first if it is reached first" {
	local max
	max=$(cat /proc/sys/vm/max_map_count)
	summary files | jq -e --argjson max "$max" '.first_limit | .name == "mappings" and .max == $max
		and (.seconds_left - .left / 100 | fabs) < .left / 4000'
	# Until its rate is known, memory comes first.
	jq -se 'first.first_limit.name != "mappings"' "$BATS_FILE_TMPDIR/files.json"
	tr -d , <"$BATS_FILE_TMPDIR/files.text" | grep -Eq "^leaker .* vm\\.max_map_count $max: full in "
	# A thread has a stack, and a guard page in front of it: mappings, or a limit on threads that is lower.
	summary threads | jq -e '.first_limit | (.name | IN("mappings", "pids", "user_threads", "threads", "pid_max")) and .seconds_left > 0'
	grep -Eq '^leaker .* (vm\.max_map_count|pids\.max|RLIMIT_NPROC|threads-max|pid_max) [0-9,]+: full in ' "$BATS_FILE_TMPDIR/threads.text"
}

@test "an arena that leaks slowly is distinguished from one that rises and falls" {
	summary arenas | jq -e '[.regions[] | select(.verdict == "steady")] | length == 1 and
		(.[0] | .kind == "arena" and .rate > 40960 * 0.95 and .rate < 40960 * 1.05)'
	# The other one did rise and fall.
	jq -se '[.[].regions[] | select(.kind == "arena" and .rss > 19000000)] | length > 0' "$BATS_FILE_TMPDIR/arenas.json"
}

@test "the headline of a sawtooth names what grows beneath it" {
	summary arenas | jq -e '.verdict == "plateau" and .sawtooth > 19000000 and .sawtooth < 22000000 and .floor < 10000000 and (has("rate") | not)'
	summary arenas | jq -e '.beneath | .kind == "arena" and .verdict == "steady" and .rate > 40960 * 0.95 and .rate < 40960 * 1.05'
	head -n 1 "$BATS_FILE_TMPDIR/arenas.text" |
		grep -E ', plateau overall \(sawtooth of (19|20)\.[0-9]M, floor [0-9.]+M\); beneath it arena [0-9]+ grows steadily, \+[34][0-9.]+K/s'
	# Nothing grows beneath a process that grows itself.
	summary merged | jq -e 'has("beneath") | not'
}

@test "a few steps have an estimate instead of a rate" {
	summary steps | jq -c 'del(.kinds)'
	summary steps | jq -e '.verdict == "steps" and .estimate == true and (has("rate") | not) and .step == 4194304
		and (.estimated_rate / 524288 - 1 | fabs) < 0.05 and .seconds_left > 0'
	summary steps | jq -e '.regions[0] | .verdict == "steps" and .estimated_rate > 0 and (has("rate") | not) and .step == 4194304'
	jq -se 'all(.[]; .verdict != "steady" and all(.regions[]; .verdict != "steady"))' "$BATS_FILE_TMPDIR/steps.json"
	# A time that rests on an estimate is marked, too.
	summary steps | jq -e '.first_limit | .seconds_left > 0 and .estimate'
	grep -Eq '^leaker .*, grows in steps of 4\.0M, about [456][0-9.]+K/s .*: full in about ' "$BATS_FILE_TMPDIR/steps.text"
	grep -Eq ' ~\+[456][0-9.]+K/s +~\+[0-9.]+G +~\+[0-9.]+G +steps ' "$BATS_FILE_TMPDIR/steps.text"
	summary merged | jq -e '.verdict == "steady" and (has("estimated_rate") | not)'
}

@test "growth into a reserve says how much is used, and when it is full" {
	summary pool | jq -e '.reserve | .type == "inaccessible" and .max == 1073741824 and .used == 27 * 4194304 and .used + .left == .max and
		.verdict == "steady" and (.seconds_left - .left / 4194304 | fabs) < 1'
	summary pool | jq -e '.reserve == .regions[0].reserve and .reserve.start == .regions[0].start'
	grep -Eq '^leaker .*  grows into a reserve of 1\.0G \(11 % used\): full in 3m 49s$' "$BATS_FILE_TMPDIR/pool.text"
	grep -Eq ' steady .*grows into a reserve of 1\.0G \(11 % used\): full in 3m 49s$' "$BATS_FILE_TMPDIR/pool.text"
	summary merged | jq -e 'has("reserve") | not'
	# malloc continues in another heap. The inaccessible rest of a heap has no row.
	summary arenas | jq -e 'has("reserve") | not'
	jq -se 'all(.[].regions[]; .kind != "reserve")' "$BATS_FILE_TMPDIR/arenas.json"
}

@test "a growing number of threads is one group with a rate" {
	summary threads | jq -e '.regions[0] | .kind == "stack" and .count == 520 and .count_verdict == "steady" and (.count_rate - 20 | fabs) < 1
		and (.detail | contains("pile-"))'
}

@test "small mappings of many files are one growing group" {
	summary files | jq -e '[.regions[] | select(.count_verdict == "steady")] | length == 1 and
		(.[0] | .count == 2700 and (.count_rate - 100 | fabs) < 1 and (.mapping | contains("/part.")))'
}

@test "each sample is one object in one line" {
	target_start leaker merged 8388608
	run -0 procmem watch --json -i 0.2 -c 4 "$TARGET_PID"
	[ "$(jq -c . <<<"$output" | wc -l)" -eq "${#lines[@]}" ]
	jq -se 'length == 5 and all(.[]; .time and .rss and (.cost_us >= 0) and (.regions | type == "array"))' <<<"$output"
	jq -se '[.[].elapsed] | . == sort' <<<"$output"
}

@test "text has a block for each sample, and a summary" {
	target_start leaker merged 8388608
	run -0 procmem watch --plain -i 0.2 -c 4 "$TARGET_PID"
	# The first sample has no cost yet.
	[ "$(grep -c 'map lock' <<<"$output")" -eq 4 ]
	[[ ${lines[0]} == *' RSS '* && ${lines[0]} != *cost* ]]
	[[ $output == *'ADDRESS'*'RSS'*'DELTA'*'GROWTH'*'RATE'*'VERDICT'*'KIND'*'MAPPING'* ]]
	[[ $output == *'leaker ('$TARGET_PID') for '*'4 samples'*'PER HOUR'*'PER DAY'* ]]
	[[ $output == *'too early'* ]]
	run -0 procmem watch -q -i 0.1 -c 2 "$TARGET_PID"
	[ "$(grep -c 'map lock' <<<"$output")" -eq 1 ]
}

@test "into a pipe, a run of known length prints only the summary, unless each sample is asked for" {
	local words
	target_start leaker merged 8388608
	for words in '-c 3' '--for 0.5s' '-q -c 3'; do
		# shellcheck disable=SC2086 # words
		run -0 procmem watch -i 0.2 $words "$TARGET_PID"
		# On a loaded machine, there is time for one sample only.
		[[ ${lines[0]} == 'leaker ('$TARGET_PID') for '*' sample'*': RSS '* ]]
		[ "$(grep -c '^ADDRESS' <<<"$output")" -eq 1 ]
	done
	run -0 procmem watch --plain -i 0.2 -c 3 "$TARGET_PID"
	[ "$(grep -c '^20..-..-..T.*  RSS ' <<<"$output")" -eq 3 ]
	run -0 procmem watch --json -i 0.2 -c 3 "$TARGET_PID"
	[ "${#lines[@]}" -eq 4 ]
	# Without an end of its own, each sample is printed when it was taken.
	"$PROCMEM_BIN" watch -i 0.1 "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 3>&- &
	until [ "$(grep -c '  RSS ' "$BATS_TEST_TMPDIR/out")" -ge 2 ]; do sleep 0.05; done
	kill -TERM $!
	wait $!
}

@test "a reason that several rows share is printed once" {
	target_start mapper
	# By size there is a row for each region. It is too early for all of them: the first line has the reason.
	run -0 procmem watch -q -i 0.1 -c 3 -s rss --budget 0 "$TARGET_PID"
	[ "$(grep -c ' too early ' <<<"$output")" -gt 3 ]
	[ "$(grep -c 'needs 10s and 5 samples' <<<"$output")" -eq 1 ]
	[[ $output == *"(seen for "*" in 3 samples; needs 10s and 5 samples)"* ]]
	# Rows with the same reason share a line, and each row is in one.
	local rows
	rows=$(sed -n '/^ADDRESS/,$p' "$BATS_FILE_TMPDIR/files.text" | grep -oE '^[0-9a-f]+-' | tr -d - | sort)
	[ "$(sed -n 's/^\([0-9a-f, ]*\): .*/\1/p' "$BATS_FILE_TMPDIR/files.text" | tr -d ' ' | tr , '\n' | sort)" = "$rows" ]
}

@test "a count of 0 means no limit" {
	local words seconds
	target_start leaker merged 8388608
	for words in '-c 0' '--count=0' ''; do
		# A loaded machine needs more time for a second sample.
		for seconds in 0.5 5 30; do
			# shellcheck disable=SC2086 # words
			run -0 procmem watch --json -i 0.1 --budget 0 --for $seconds $words "$TARGET_PID"
			[ "${#lines[@]}" -le 2 ] || break
		done
		tail -n 1 <<<"$output" | jq -e '.summary and .sample_count > 1 and .ended == "time limit reached"'
	done
}

@test "the current number of blocks that merged into one region is shown" {
	target_start sample_server --leak --rate 40000000
	run -0 procmem watch --json -i 0.5 -c 8 --budget 0 -k malloc "$TARGET_PID"
	# A block is 16 MiB and a page; the kernel merges those that are neighbours.
	jq -se 'def hex: ltrimstr("0x") | explode | reduce .[] as $digit (0; . * 16 + $digit - (if $digit > 96 then 87 else 48 end));
		[.[].regions[] | select(.detail | test("^[0-9]+ malloc chunks? of 16.0M$")) |
			{ chunks: .detail | split(" ")[0] | tonumber, size: ((.end | hex) - (.start | hex)) }] |
		(length > 3) and all(.[]; .chunks * 16781312 == .size) and ([.[].chunks] | unique | length > 1)' <<<"$output"
}

@test "a recording can be compared" {
	target_start leaker merged 20971520 stepped
	procmem watch -q -i 0.1 -c 3 --record "$file" "$TARGET_PID" >/dev/null
	target_tell 'pass 1'
	procmem watch -q -i 0.1 -c 3 --record "$file" "$TARGET_PID" >/dev/null
	run -1 procmem diff --json "$file@first" "$file@last"
	jq -e '.after.sample == 6 and .total.delta >= 20971520 and (.regions[0].change | IN("grew", "new"))' <<<"$output"
}

@test "no recording is created if there is no sample" {
	target_start zombie_parent
	run -2 --separate-stderr procmem watch -c 1 --record "$file" "$(target_fact zombie)"
	[[ $stderr == *'it is a zombie and has no memory; its parent '* ]]
	[ ! -e "$file" ]
}

@test "filters and regions choose the rows" {
	run -0 procmem watch --json -k arena "$BATS_FILE_TMPDIR/arenas.pmrec"
	tail -n 1 <<<"$output" | jq -e '(.regions | length > 0) and all(.regions[]; .kind == "arena")'
	target_start leaker arenas 1048576
	run -0 procmem watch --json -i 0.2 -c 3 -s rss -n 3 "$TARGET_PID"
	tail -n 1 <<<"$output" | jq -e '(.regions | length == 3) and ([.regions[].rss] | . == (sort | reverse))'
}

@test "the end of the target ends it with a summary" {
	target_start leaker merged 1048576
	"$PROCMEM_BIN" watch --json -i 0.1 "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local watcher=$!
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do sleep 0.05; done
	kill -KILL "$TARGET_PID"
	wait "$watcher"
	tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -e '.summary and .ended == "the process is gone"'
	json_keep watch "$BATS_TEST_TMPDIR/out"
	[ -s "$BATS_TEST_TMPDIR/err" ]
}

@test "an exec of the target is reported as such in the summary and the recording" {
	local form watcher line
	for form in --json --plain; do
		target_start exiter
		rm -f "$BATS_TEST_TMPDIR/run.pmrec" "$BATS_TEST_TMPDIR/out"
		"$PROCMEM_BIN" watch $form -i 0.1 --record "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID" \
			>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
		watcher=$!
		until [ -s "$BATS_TEST_TMPDIR/out" ]; do sleep 0.05; done
		printf 'exec\n' >&"$TARGET_IN"
		wait "$watcher"
		grep -q 'called exec' "$BATS_TEST_TMPDIR/err"
		kill -0 "$TARGET_PID"
		run -0 procmem watch "$BATS_TEST_TMPDIR/run.pmrec"
		[[ $output == *', the process called exec'* ]]
		[ "$form" = --plain ] || json_keep watch "$BATS_TEST_TMPDIR/out"
		[ "$form" = --plain ] || tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -e '.ended == "the process called exec"'
	done
	grep -qx 'ended: the process called exec' "$BATS_TEST_TMPDIR/out"
}

@test "an interrupt ends it with a summary" {
	target_start leaker merged 1048576
	# A background job of a shell ignores SIGINT; SIGTERM is treated alike.
	"$PROCMEM_BIN" watch --json -i 60 "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 3>&- &
	local watcher=$!
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do sleep 0.05; done
	kill -TERM "$watcher"
	wait "$watcher"
	tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -e '.summary and .ended == "interrupted"'
	json_keep watch "$BATS_TEST_TMPDIR/out"
}

@test "above its budget it measures less often, and reports this" {
	target_start leaker merged 20971520
	run -0 procmem watch -i 0.1 -c 10 --budget 0.001 "$TARGET_PID"
	[[ $output == *'regions not measured in '* ]]
	run -0 procmem watch -i 0.1 -c 10 --budget 0 "$TARGET_PID"
	[[ $output != *'regions not measured in '* ]]
}

@test "a region that does not exist is not an error, but there is a note" {
	target_start many_regions 10 1
	run -0 --separate-stderr procmem watch -i 0.1 -c 3 "$TARGET_PID" 0x1000
	[[ $stderr == 'procmem: note: nothing is mapped at 0x1000'* && ${lines[-1]} == 'no region changed' ]]
	run -0 --separate-stderr procmem watch -q -i 0.1 -c 3 "$TARGET_PID" 0x1000
	[ -z "$stderr" ]
}

@test "wrong use is refused" {
	run -2 --separate-stderr procmem watch -i 0.01 $$
	[[ $stderr == *'too short'* ]]
	run -2 --separate-stderr procmem watch --for 5x $$
	[[ $stderr == *"'5x' is not a duration"* ]]
	run -2 --separate-stderr procmem watch -s size $$
	[[ $stderr == *'growth, rate, rss or delta'* ]]
	run -2 --separate-stderr procmem watch --budget 200 $$
	[[ $stderr == *'not a percentage'* ]]
	run -2 --separate-stderr procmem watch 999999999
	run -2 --separate-stderr procmem watch -c 1 --record /nonexistent/x $$
	[[ $stderr == *'/nonexistent/x'* ]]
}

@test "a narrow terminal keeps the rate, and the summary lists the columns without room" {
	local width summary
	require script
	target_start leaker merged 16777216
	for width in 80 160; do
		run -0 script -qec "stty cols $width; '$PROCMEM_BIN' watch --plain --budget 0 -i 0.3 -c 4 $TARGET_PID" /dev/null
		summary=${output##*ended: }
		[[ $summary == *ADDRESS*GROWTH*RATE*VERDICT*MAPPING* ]]
		if [ "$width" -eq 80 ]; then
			[[ $summary == *'… no room for PER DAY'* ]]
		else
			[[ $output == *'PER HOUR'*'PER DAY'* && $output != *'no room for'* ]]
		fi
	done
}

@test "a small stack is sufficient" {
	# The sanitizers enlarge all frames.
	grep -q __asan_init "$PROCMEM_BIN" && skip
	grep -q __tsan_init "$PROCMEM_BIN" && skip
	target_start mapper
	run -0 bash -c "ulimit -s 200 && exec '$PROCMEM_BIN' watch -c 2 -i 0.1 $TARGET_PID"
}

@test "the summary says that a signal had stopped the process" {
	target_start leaker merged 1048576
	kill -STOP "$TARGET_PID"
	until grep -q '^State:.*T (stopped)' "/proc/$TARGET_PID/status"; do kill -0 "$TARGET_PID"; done
	run -0 --separate-stderr procmem watch -c 3 -i 0.1 "$TARGET_PID"
	[[ $output == *'stopped: a signal or a debugger had stopped the process at 3 of 3 samples'* ]]
	run -0 --separate-stderr procmem watch --json -c 3 -i 0.1 "$TARGET_PID"
	tail -n 1 <<<"$output" | jq -e '.stopped_count == 3'
	run -0 --separate-stderr procmem headroom --for 1s "$TARGET_PID"
	[[ $stderr == *'note: a signal or a debugger had stopped the process at '* ]]
	kill -CONT "$TARGET_PID"
	run -0 --separate-stderr procmem watch --json -c 3 -i 0.1 "$TARGET_PID"
	tail -n 1 <<<"$output" | jq -e 'has("stopped_count") | not'
}
