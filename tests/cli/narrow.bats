#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# 32-bit targets of the 64-bit program.

setup_file() {
	load support/helper
	require gcc
	[ "$(uname -m)" = x86_64 ] || skip 'this machine has no 32-bit programs'
	# gcc-multilib, which docs/setup.sh installs
	gcc -m32 -pthread -o "$BATS_FILE_TMPDIR/narrow" "$BATS_TEST_DIRNAME/../targets/narrow.c"
	"$BATS_FILE_TMPDIR/narrow" </dev/null >/dev/null || skip 'this kernel runs no 32-bit programs'
}

setup() {
	load support/helper
	load support/attack
	load support/smaps
	spawn "$BATS_FILE_TMPDIR/narrow"
	TARGET_FACTS=$BATS_TEST_TMPDIR/facts
	local line
	while line=$(target_await '') && [ "$line" != ready ]; do
		printf '%s\n' "$line" >>"$TARGET_FACTS"
	done
	range=$(target_range content)
}

teardown() {
	targets_stop
	json_check
}

@test "the regions are those of the kernel, and heap, stacks and the arena of the thread are recognized" {
	run -0 procmem map -a --csv --no-header --columns start,end,rss "$TARGET_PID"
	awk '/^[0-9a-f]+-/ { split($1, a, "-") } /^Rss:/ { print a[1] "," a[2] "," $2 * 1024 }' "/proc/$TARGET_PID/smaps" \
		>"$BATS_TEST_TMPDIR/theirs"
	sed 's/0x//g' <<<"$output" | sed 's/^0*//; s/,0*\([0-9a-f]\)/,\1/' | sort >"$BATS_TEST_TMPDIR/ours"
	sed 's/^0*//; s/,0*\([0-9a-f]\)/,\1/' "$BATS_TEST_TMPDIR/theirs" | sort | diff "$BATS_TEST_TMPDIR/ours" -
	run -0 procmem map "$TARGET_PID" "0x$(target_fact address heap)"
	[[ $output == *' heap '* ]]
	[[ $(procmem map --json "$TARGET_PID") == *'"kind":"stack"'* || $(procmem map --json "$TARGET_PID") == *'"kind": "stack"'* ]]
}

@test "bytes, strings and patterns have the right addresses, and so does the text in the heap" {
	run -0 procmem dump -o "$BATS_TEST_TMPDIR/bytes" "$TARGET_PID" "$range"
	dd if="/proc/$TARGET_PID/mem" of="$BATS_TEST_TMPDIR/theirs" bs=4096 skip=$((0x${range%-*} / 4096)) count=64 status=none
	cmp "$BATS_TEST_TMPDIR/bytes" "$BATS_TEST_TMPDIR/theirs"
	run -0 procmem grep -c 'narrow page \d+' "$TARGET_PID" "$range"
	[[ $output == *64* ]]
	run -0 procmem grep -ob 'narrow (heap|thread) text' "$TARGET_PID"
	[[ $output == *"$(target_fact address heap)"* && $output == *"$(target_fact address thread)"* ]]
	run -0 procmem strings -n 12 "$TARGET_PID" "$range"
	[ "$(grep -c 'narrow page' <<<"$output")" -eq 64 ]
}

@test "every command and --stop work, and a core file is rejected with a reason" {
	for command in $LOOKS; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		case $command in
		heap | leaks | refs)
			[ "$status" -eq 2 ]
			[[ $stderr == *"the heap of $TARGET_PID is not known: all of its memory is below 4 GiB, as in a 32-bit process, "* ]]
			continue
			;;
		esac
		[ "$status" -le 1 ] || { echo "${words[*]}: $stderr" && false; }
	done
	assert_sound dump --stop -o "$BATS_TEST_TMPDIR/bytes" "$TARGET_PID" "$range"
	[ "$status" -eq 0 ]
	assert_runs_free "$TARGET_PID"
	run -2 procmem dump --core -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	[[ $output == *'core files can be written only for 64-bit processes'* ]]
	[ ! -e "$BATS_TEST_TMPDIR/core" ]
	assert_sound shell -c "info; x/2s 0x${range%-*}; x/4wx 0x${range%-*}; x/2a 0x$(target_fact address heap)" "$TARGET_PID"
	[ "$status" -eq 0 ]
	[[ $output == *'narrow page 0'* ]]
}

@test "the brk heap of a core file is found by its contents" {
	require gdb jq
	gdb -q -batch -p "$TARGET_PID" -ex "generate-core-file $BATS_TEST_TMPDIR/core" >/dev/null 2>&1
	run -0 --separate-stderr procmem map --json "$BATS_TEST_TMPDIR/core"
	jq -e --arg start "0x$(sed -n 's/-.*\[heap\]$//p' "/proc/$TARGET_PID/maps" | sed 's/^0*//')" \
		'[.regions[] | select(.kind == "heap") | .start] == [$start]' <<<"$output"
}

@test "trace refuses 32-bit programs, and commands before they start" {
	run -2 --separate-stderr procmem trace --for 1s "$TARGET_PID"
	[[ $stderr = *"process $TARGET_PID runs a 32-bit program, which trace does not support"* ]]
	PATH=$BATS_FILE_TMPDIR:$PATH run -2 --separate-stderr procmem trace -- narrow
	[[ $stderr = *"cannot start 'narrow': it is a 32-bit program"* ]]
	[[ -z $output ]]

	# The interpreter of a script is seen after exec. The script can run on, until its input ends, and
	# has the output of procmem: so this is not a pipe that `run` reads to the end.
	local status
	cd "$BATS_TEST_TMPDIR"
	printf '#!%s\n' "$BATS_FILE_TMPDIR/narrow" >script
	chmod 755 script
	mkfifo input
	for backend in perf ptrace; do
		exec 4<>input
		status=0
		procmem trace --backend $backend -- ./script <input >output 2>errors 4>&- || status=$?
		exec 4>&-
		cat errors
		[ "$status" -eq 2 ]
		! grep -q perf_event errors || continue
		grep -q 'runs a 32-bit program, which trace does not support' errors
	done
}
