#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why FILE`: recordings, core files and saved smaps files. The truth is what the target was told to do.

setup() {
	load ../support/helper
	load ../support/python_waits
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	targets_stop
	json_check
}

@test "a recording has the chunks that were added, and names what it does not show" {
	target_start growing main
	procmem snap --heap -o "$file" "$TARGET_PID"
	target_tell 'grow 700'
	procmem snap --heap -o "$file" "$TARGET_PID"
	target_tell 'grow 700'
	procmem snap --heap -o "$file" "$TARGET_PID"
	run -1 procmem why --json "$file"
	jq -e --arg path "$file" --argjson pid "$TARGET_PID" '
		.target.path == $path and .target.pid == $pid and (has("cost") | not) and
		(.findings[0] | .id == "malloc_leak" and .chunk_size == 100016 and .confidence != "sure") and
		(.findings[0].count_rate * .seconds | . > 1399 and . < 1401) and
		(.unseen | index("pressure") != null)' <<<"$output"
	run -1 procmem why --all --no-strings "$file"
	[[ $output = *"a recording of "*": 3 samples; not seen: "* ]]
	[[ $output = *"procmem diff $file@first $file"* ]]

	# The commands can be copied into a shell, however long the path is.
	local long="$BATS_TEST_TMPDIR/it's a path with more characters than a line has columns, all of them shown.pmrec"
	mv "$file" "$long"
	run -1 procmem why --json "$long"
	jq -r '.findings[0].more[]' <<<"$output" | grep '^procmem diff ' >"$BATS_TEST_TMPDIR/command"
	run -1 bash -c "procmem() { \"$PROCMEM_BIN\" \"\$@\"; }; $(cat "$BATS_TEST_TMPDIR/command")"
	[[ $output = 'before: '* ]]
}

@test "a core file shows what malloc keeps, and that growth is not known" {
	python_start "$python_retains"
	procmem dump --core -o "$BATS_TEST_TMPDIR/core" "$PYTHON_PID" 2>/dev/null
	python_stop
	run -1 procmem why --json "$BATS_TEST_TMPDIR/core"
	jq -e '(.findings | map(select(.id == "arena_retention")) | .[0].bytes >= 11999 * 5000) and
		(.findings | all(has("rate") | not)) and (.unseen | any(startswith("growth")))' <<<"$output"
}

@test "a saved smaps file shows locked memory" {
	python_start 'import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
area = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
address = ctypes.addressof(ctypes.c_char.from_buffer(area))
libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(64 << 20))'
	cat "/proc/$PYTHON_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	cat "/proc/$PYTHON_PID/maps" >"$BATS_TEST_TMPDIR/maps"
	python_stop
	run -2 procmem why "$BATS_TEST_TMPDIR/maps"
	[[ $output = *'has no sizes'* ]]
	grep -q '^Locked: *65536 kB' "$BATS_TEST_TMPDIR/smaps" || skip 'no right to lock memory'
	run -1 procmem why --json "$BATS_TEST_TMPDIR/smaps"
	jq -e '.findings | map(select(.id == "locked")) | .[0].bytes == 67108864' <<<"$output"
}

@test "a file cannot be observed, and one sample shows no growth" {
	target_start sample_server
	procmem snap -o "$file" "$TARGET_PID"
	run -2 procmem why --for 5s "$file"
	[[ $output = *'is a file'* ]]
	run -2 procmem why "$file@1"
	[[ $output = *'leave out @1'* ]]
}
