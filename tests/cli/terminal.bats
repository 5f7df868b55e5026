#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The output of all commands on a narrow terminal: every line fits, and no word is lost.

setup_file() {
	load support/helper
	require script
	target_start mapper
	export TARGET_PID TARGET_FACTS
	procmem snap -q -o "$BATS_FILE_TMPDIR/run.pmrec" "$TARGET_PID"
	procmem dump -q --core -o "$BATS_FILE_TMPDIR/core" "$TARGET_PID"
}

teardown_file() {
	targets_stop
}

setup() {
	load support/helper
	cd "$BATS_FILE_TMPDIR" || return 1
}

# Runs procmem with stdout and stderr on a terminal of 60 columns.
narrow() {
	on_terminal 40 60 "$@"
}

# Runs procmem on a terminal that is wide enough for all lines.
wide() {
	on_terminal 40 1000 "$@"
}

# Fails if a line of $output is wider than the terminal, unless it is a single word.
assert_fits() {
	local line
	[ "${#lines[@]}" -gt 0 ]
	for line in "${lines[@]}"; do
		# On a slow machine, a progress line precedes the output.
		line=${line##*$'\e[K'}
		[ "$(LC_ALL=C.UTF-8 wc -L <<<"$line")" -le 60 ] || [[ $line =~ ^\ *[^\ ]+$ ]] || { echo "$*: too wide: $line" && false; }
	done
}

# Compares the words of both; the caller has to remove times and sizes that change.
assert_same_words() {
	diff <(narrow "$@" | tr -s ' \n' '\n') <(wide "$@" | tr -s ' \n' '\n')
}

@test "the description of an address fits, with all words" {
	local fact words
	for fact in memfd zero_pages guarded reserve_1t posix_shm; do
		words=$(target_range "$fact")
		run -0 narrow map "$TARGET_PID" "${words%-*}"
		assert_fits "$fact"
		assert_same_words map "$TARGET_PID" "${words%-*}"
	done
	words=$(procmem map --csv --no-header -k code -o start --mapping libc "$TARGET_PID" | head -n 1)
	run -0 narrow map "$TARGET_PID" "$words"
	assert_fits libc
	[[ $output == *"file offset"* && ${lines[1]} == '    /'*libc* ]]
	assert_same_words map "$TARGET_PID" "$words"
}

@test "notes and errors fit" {
	run -0 narrow map core
	[[ ${lines[0]} == 'procmem: note: HELD is the size in the core file; '* && ${lines[1]} == '  '* ]]
	assert_fits note
	run -2 narrow map "$TARGET_PID" --perms rwxq
	assert_fits perms
	run narrow map "$TARGET_PID" 0x10
	[[ ${lines[0]} == 'procmem: '* && ${lines[1]} == '  '* ]]
	assert_fits address
	run -0 narrow grep -c . "$TARGET_PID" anon
	assert_fits grep
	run -0 narrow dump -v -o raw "$TARGET_PID" anon
	[[ $output == *'read, '* && $output != *', - '* ]]
	assert_fits dump
	# Without a terminal, each of them is one line, for programs.
	run -0 --separate-stderr procmem map core
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "headings, tables, reasons and help fit" {
	local command
	for command in 'map --why -n 5' 'map --by kind' 'strings -n 8' 'grep -l .' 'headroom' 'watch --plain -c 2 -i 0.1' 'snap -o other.pmrec'; do
		# shellcheck disable=SC2086 # words
		run -0 narrow $command "$TARGET_PID"
		# strings does not cut the text of the target.
		[ "$command" != 'strings -n 8' ] || lines=("${lines[0]}" "${lines[1]}")
		assert_fits "$command"
	done
	run narrow diff run.pmrec "$TARGET_PID"
	assert_fits diff
	run narrow diff --by kind run.pmrec "$TARGET_PID"
	assert_fits diff
	for command in map dump strings grep ps watch snap diff headroom shell; do
		run -0 narrow "$command" --help
		assert_fits "$command"
		assert_same_words "$command" --help
	done
	run -0 narrow map --columns help
	assert_fits columns
}

@test "diff reports the columns that do not fit, and shows all of them if they do" {
	target_start grower
	procmem snap -q -o grown.pmrec "$TARGET_PID"
	target_tell brk 500
	run -1 narrow diff grown.pmrec "$TARGET_PID"
	[[ $output == *$'\n… no room for SIZE-DELTA'*$'\ntotal '* ]]
	[[ $output == *' DELTA '* && $output == *'[heap]'* ]]
	assert_fits diff
	run -1 wide diff grown.pmrec "$TARGET_PID"
	[[ $output == *'BEFORE'*'AFTER'*'DELTA'*'SIZE-DELTA KIND'*'MAPPING'* && $output != *'no room'* ]]
	run -1 procmem diff grown.pmrec "$TARGET_PID"
	[[ $output == *'BEFORE'*'AFTER'*'DELTA'*'SIZE-DELTA KIND'*'MAPPING'* ]]
}

@test "the lists of a session fit" {
	run -0 narrow shell -c 'help; help x; info; grep . anon | true; hits | head -n 1; map -n 3; regions; stop; cont' "$TARGET_PID"
	assert_fits shell
	[[ $output == *'it was stopped'* ]]
}
