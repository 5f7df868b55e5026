#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The findings that `procmem watch` writes when a condition is met, and shows with the key w.

setup() {
	load ../support/helper
	load ../support/python_waits
	load ../support/screen
}

teardown() {
	screen_stop
	targets_stop
	json_check
}

@test "why:FILE has the findings at the moment of the condition, and overwrites nothing" {
	local file=$BATS_TEST_TMPDIR/found
	python_start "$python_retains"
	echo mine >"$file"
	run -1 procmem watch --json -i 600 --on 'rss>40M' --do "why:$BATS_TEST_TMPDIR/%k.%p" --do "why:$file" --do exit "$PYTHON_PID"
	python_stop
	[ "$(cat "$file")" = mine ]
	[ "$(stat -c %a "$file.2")" = 600 ]
	grep -q "($PYTHON_PID): malloc keeps memory" "$file.2"
	grep -q 'not seen: .*pressure' "$file.2"
	jq -se --arg path "$file.2" 'map(select(.event == "condition"))[0].actions[1] |
		.action == "why" and .path == $path and .count >= 1' <<<"$output"
}

@test "the file of why: must be writable" {
	target_start sample_server
	run -2 procmem watch --on 'rss>1' --do "why:$BATS_TEST_TMPDIR/missing/x" "$TARGET_PID"
	[[ $output = *'--do why: '*'cannot be written'* ]]
	run -2 procmem watch --on 'rss>1' --do why "$TARGET_PID"
}

@test "the key w shows the findings so far, and Esc goes back" {
	require tmux
	target_start leaker merged 2097152
	screen_start 80 24
	screen_type "clear; $PROCMEM_BIN watch -i 0.5 --budget 0 $TARGET_PID"
	screen_key Enter
	screen_await steady
	screen_key w
	screen_await 'why: findings so far'
	screen_await "leaker ($TARGET_PID): "
	screen_await 'grows    '
	screen_key Escape
	screen_await 'row 1 of'
	screen_key q
	screen_await 'ended: the user quit'
}
