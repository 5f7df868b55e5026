#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch` of a recording: the output must agree with that of the watch that recorded it, and with what the targets did. The
# recordings of `watch` have any rates and verdicts; those with known ones are made by support/curve.bash, and are called exact-*.

setup_file() {
	load ../support/helper
	load ../support/curve
	local ways="merged:2097152 arenas:40960 threads:2 files:40" way name watchers=()
	for way in $ways; do
		name=${way%:*}
		target_start leaker "$name" "${way#*:}"
		"$PROCMEM_BIN" watch --json -i 1 -c 15 --record "$BATS_FILE_TMPDIR/$name.pmrec" "$TARGET_PID" \
			>"$BATS_FILE_TMPDIR/$name.json" 3>&- &
		watchers+=($!)
	done
	wait "${watchers[@]}"
	for name in merged threads; do
		target_start leaker "$name" "$([ "$name" = threads ] && echo 2 || echo 2097152)" stepped
		record_seconds "$BATS_FILE_TMPDIR/exact-$name.pmrec" 14
	done
	# The processes are gone.
	targets_stop
}

setup() {
	load ../support/helper
	folder=$BATS_FILE_TMPDIR
	recording=$BATS_TEST_TMPDIR/a.pmrec
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

# Removes what only the output of a living process has, and why it ended.
live_only='del(.cost_us, .lock_us, .ended, .path)'

@test "each sample and the summary are those of the recorder: rates, verdicts, kinds, groups of regions" {
	require jq
	for name in merged arenas threads files; do
		json_keep watch "$folder/$name.json"
		run -0 --separate-stderr procmem watch --json "$folder/$name.pmrec"
		[ -z "$stderr" ]
		[ "$(wc -l <"$folder/$name.json")" -eq 16 ]
		diff <(jq -c "$live_only" <<<"$output") <(jq -c "$live_only" "$folder/$name.json")
		# Costs were not recorded, limits were.
		fails jq -e 'select(has("cost_us"))' <<<"$output"
		jq -se 'all(has("max") and has("left") and has("first_limit"))' <<<"$output"
		tail -n 1 <<<"$output" | jq -e --arg file "$folder/$name.pmrec" '.path == $file and (.ended | startswith("the recording ends: 20"))'
		# The summary does not depend on whether verdicts are printed before it.
		[ "$(procmem watch --json -q "$folder/$name.pmrec")" = "$(tail -n 1 <<<"$output")" ]
	done
}

@test "a known rate is found in the recording, and what leaks" {
	require jq
	procmem watch --json -q "$folder/exact-merged.pmrec" | jq -e '.verdict == "steady" and (.regions[0] | .kind == "anon" and .verdict == "steady"
		and (.rate - 2097152 | fabs) < 1)'
	procmem watch --json -q "$folder/exact-threads.pmrec" | jq -e '.regions[0] | .kind == "stack" and .count_verdict == "steady"
		and (.count_rate - 2 | fabs) < 0.1'
}

@test "the text is the summary, and with --plain each sample before it" {
	require jq
	run -0 procmem watch "$folder/exact-merged.pmrec"
	[[ ${lines[0]} =~ ^'leaker ('[0-9]+') for 14s, 15 samples: RSS '[0-9.]+'M, growth +28.'[0-9]'M, steady (grew by ' ]]
	[[ ${lines[0]} == *': full in '* && $output != *cost* ]]
	[[ $output == *'ended: the recording ends: 20'*Z$'\nADDRESS '*PER\ HOUR*' steady '* ]]
	local summary=$output
	run -0 procmem watch --plain "$folder/exact-merged.pmrec"
	[[ $output == *"$summary" ]]
	[ "$(grep -c '^20.*Z  RSS ' <<<"$output")" -eq 15 ]
	# There is no live screen.
	run -0 on_terminal 24 120 watch "$folder/exact-merged.pmrec"
	[[ $output == *'the recording ends'* && $output != *$'\e[?1049h'* ]]
}

@test "growth between samples of snap is what the target logged, to the byte" {
	require jq
	local command size resident logged=0
	target_start grower
	target_tell map a 100
	target_tell reserve b 4000
	procmem snap -q -o "$recording" "$TARGET_PID"
	for command in 'touch b 500' 'grow a 200' 'touch b 300' 'drop a'; do
		printf '%s\n' "$command" >&"$TARGET_IN"
		read -r _ size resident <<<"$(target_await 'change ')"
		logged=$((logged + resident))
		target_await done >/dev/null
		procmem snap -q -o "$recording" "$TARGET_PID"
	done
	run -0 procmem watch --json -q "$recording"
	jq -e --argjson logged "$logged" '.sample_count == 5 and ([.regions[] | select(.kind == "anon") | .growth] | add) == $logged
		and (.kinds[] | select(.kind == "anon") | .growth) == $logged' <<<"$output"
	# One grew by 800 pages, the other lost all that the first sample had.
	jq -e '[.regions[] | select(.kind == "anon") | .growth] == [800 * 4096, -100 * 4096]' <<<"$output"
}

@test "the recorded limit of the process is reported when the process is gone" {
	require jq
	target_start grower
	cgroup_make $((96 << 20)) "$TARGET_PID"
	target_tell map a 1000
	procmem snap -q -o "$recording" "$TARGET_PID"
	target_tell grow a 1000
	procmem watch -q -c 1 -i 1 --record "$recording" "$TARGET_PID" >/dev/null
	targets_stop
	run -0 procmem watch --json "$recording"
	# The touched pages have reduced what is left.
	jq -se 'length == 3 and all(.max == 96 * 1048576) and (.[0].left - .[1].left - 1000 * 4096 | fabs) < 1048576' <<<"$output"
	run -0 procmem watch "$recording"
	[[ ${lines[0]} == *'  limit 96.0M: '*' left'* ]]
}

@test "a recording without limits is reported without them" {
	require jq sqlite3
	cp "$folder/merged.pmrec" "$recording"
	sqlite3 "$recording" 'DROP TABLE headroom'
	local without='del(.max, .left, .seconds_left, .estimate, .at_process_rate, .first_limit)'
	run -0 procmem watch --json "$recording"
	fails jq -e 'select(has("max") or has("first_limit"))' <<<"$output"
	diff <(jq -c "$live_only | $without" <<<"$output") <(jq -c "$live_only | $without" "$folder/merged.json")
	cp "$folder/exact-merged.pmrec" "$recording"
	sqlite3 "$recording" 'DROP TABLE headroom'
	run -0 procmem watch "$recording"
	[[ ${lines[0]} == *' steady '* && ${lines[0]} != *' full in '* && ${lines[0]} != *limit* ]]
}

@test "rows are chosen and sorted as of a process" {
	require jq
	[ "$(procmem watch --json -q -k stack "$folder/threads.pmrec" | jq -c '[.regions[].kind] | unique')" = '["stack"]' ]
	[ "$(procmem watch --json -q -n 1 -s rss "$folder/arenas.pmrec" | jq '.regions | length')" = 1 ]
	local start
	start=$(procmem watch --json -q "$folder/merged.pmrec" | jq -r '.regions[0].start')
	# The region starts there since the last sample only.
	run -0 --separate-stderr procmem watch --json -q "$folder/merged.pmrec" "$start"
	[ -z "$stderr" ]
	[ "$(jq -c '[.regions[].start]' <<<"$output")" = "[\"$start\"]" ]
	run -0 --separate-stderr procmem watch "$folder/merged.pmrec" 0x1000
	[[ $stderr == 'procmem: note: nothing is mapped at 0x1000'* && ${lines[-1]} == 'no region changed' ]]
	run -0 procmem watch -k code "$folder/merged.pmrec"
	[[ ${lines[-1]} == 'no region changed' ]]
	run -0 procmem shell -c info "$folder/exact-merged.pmrec"
	[[ $output == *"a recording, for 'map', 'diff' and 'watch'"* ]]
	run -0 procmem shell -c 'watch -n 1' "$folder/exact-merged.pmrec"
	[[ $output == *'#r1'* && $output == *steady* ]]
}

@test "regions that the budget held back do not count as unchanged" {
	require jq sqlite3
	target_start grower
	target_tell map a 100
	for pages in 100 200 400; do
		procmem snap -q -o "$recording" "$TARGET_PID"
		target_tell grow a "$pages"
	done
	procmem snap -q -o "$recording" "$TARGET_PID"
	# A recorder writes totals without regions if the budget holds a measurement back.
	sqlite3 "$recording" 'UPDATE sample SET fresh = 0 WHERE number = 3'
	run -0 procmem watch --json "$recording"
	[ "$(jq -c '[.regions[0].growth // 0]' <<<"$output" | tr -d '\n')" = '[0][409600][409600][2867200][2867200]' ]
	[ "$(tail -n 1 <<<"$output" | jq .held_back)" = 1 ]
	# Its figures are those of an earlier sample: nothing is counted twice.
	[ "$(jq -c '[.fresh, .regions[0].delta // 0]' <<<"$output" | head -n 4 | tr -d '\n')" = \
		'[true,0][true,409600][false,0][true,2457600]' ]
	jq -se '.[2].age > 0 and (.[2].age - .[2].elapsed + .[1].elapsed | fabs) < 0.001 and ([.[] | select(has("age"))] | length) == 1' <<<"$output"
	run -0 procmem watch --plain "$recording"
	[ "$(grep -c 'regions as of [0-9.]*[a-z]* ago$' <<<"$output")" -eq 1 ]
	run -0 procmem watch "$recording"
	[[ $output == *'regions not measured in 1 of 4 samples (--budget)'* ]]
}

@test "a recording in the working directory needs no slash in its name" {
	cd "$folder"
	run -0 --separate-stderr procmem watch merged.pmrec
	[ -z "$stderr" ]
	[ "$output" = "$(procmem watch "$folder/merged.pmrec")" ]
	cp merged.pmrec 'no suffix'
	run -0 procmem watch 'no suffix'
}

@test "options of living processes, and a single sample, are refused" {
	local option
	for option in '-i 1' '-c 3' '--for 5s' "--record $recording" '--budget 0' '--peek 3' '--on rss>1G' '--on rss>1G --do exit'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr procmem watch $option "$folder/merged.pmrec"
		[[ $stderr == *"cannot be used with a recording: all its samples are read" ]]
	done
	run -2 --separate-stderr procmem watch -c 3 "$folder/merged.pmrec"
	[[ $stderr == 'procmem: --count cannot '* ]]
	[ ! -e "$recording" ]
	run -2 --separate-stderr procmem watch "$folder/merged.pmrec@2"
	[[ $stderr == *'merged.pmrec@2 is a recording, not a living process: '*"or 'procmem watch $folder/merged.pmrec'" ]]
}

@test "a recording with impossible values is reported as damaged" {
	require sqlite3
	local change
	for change in 'sample SET time = 0 WHERE number = 4' "sample SET time = 'never' WHERE number = 4" \
		'sample SET time = 9e99 WHERE number = 4' 'sample SET rss = -1 WHERE number = 4' 'size SET rss = -1'; do
		cp "$folder/merged.pmrec" "$recording"
		sqlite3 "$recording" "UPDATE $change"
		run -2 --separate-stderr procmem watch "$recording"
		[[ $stderr == *'a.pmrec is damaged: '* ]]
	done
	cp "$folder/merged.pmrec" "$recording"
	sqlite3 "$recording" 'DELETE FROM sample'
	run -2 --separate-stderr procmem watch "$recording"
	[[ $stderr == *'a.pmrec has no samples; '* ]]
}
