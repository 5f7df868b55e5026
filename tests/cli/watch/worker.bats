#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Slow work of the live screen of `procmem watch`: writing a region, reading its text. The child process that does it is stopped, so that
# nothing depends on its speed.

setup() {
	load ../support/helper
	load ../support/screen
	load ../support/watch_screen
	require tmux
	folder=$BATS_TEST_TMPDIR/out
	mkdir "$folder"
	target_start hog
	target_tell 'eat 256'
	watch_start 100 30 -i 0.2 --bytes -s rss
	screen_await ' anon '
	watcher=$(screen_procmem)
}

teardown() {
	[ -z "${CATCHER:-}" ] || kill -KILL "$CATCHER" 2>/dev/null || true
	[ -z "${child:-}" ] || kill -CONT "$child" 2>/dev/null || true
	screen_stop
	targets_stop
}

# Whether a process has written something in a folder: the file has no name until it is complete, but the process has it open.
has_written() {
	local file
	for file in "/proc/$1/fd/"*; do
		[[ $(readlink "$file") != "$2"/* || ! -s $file ]] || return 0
	done
	return 1
}

# Waits in the background for the child of the watcher, and stops it; with a folder only after something was written there. Fails if the
# child ends before that. On a loaded machine, it can end before it was seen: after some seconds there is none.
catch_child() {
	local child
	(
		child=
		SECONDS=0
		until [ -n "$child" ]; do
			[ $SECONDS -lt 5 ] || exit 1
			read -r child <"/proc/$watcher/task/$watcher/children" || true
		done
		# It must not finish while its files are checked.
		until kill -STOP "$child" && { [ $# -eq 0 ] || has_written "$child" "$1"; }; do
			kill -CONT "$child" || exit 1
		done
		until grep -q '^State:.*stopped' "/proc/$child/status"; do
			grep -q '^State:.*zombie' "/proc/$child/status" && exit 1
			[ -d "/proc/$child" ] || exit 1
		done
		echo "$child" >"$BATS_TEST_TMPDIR/child"
	) 3>&- &
	CATCHER=$!
}

# Waits until the child is caught; sets child.
await_child() {
	local status=0
	wait "$CATCHER" || status=$?
	CATCHER=
	[ $status -eq 0 ] || return 1
	child=$(<"$BATS_TEST_TMPDIR/child")
}

# Starts to write the region, and catches the child. On a loaded machine, the child can have written all before that: once more.
start_writing() {
	local try
	for ((try = 0; try < 20; try++)); do
		catch_child "$folder"
		write_region
		! await_child || return 0
		until [ -e "$folder/region.raw" ]; do sleep 0.02; done
		screen_await ' read of '
		rm "$folder/region.raw"
	done
	return 1
}

# Starts to read the text of the region, and catches the child, in the same way.
start_reading() {
	local try
	for ((try = 0; try < 20; try++)); do
		catch_child
		screen_key Enter
		! await_child || return 0
		screen_await 'text in '
		screen_key Escape
		screen_await 'ADDRESS'
	done
	return 1
}

# The kernel itself wakes a stopped child whose parent was killed (SIGHUP and SIGCONT to an orphaned process group): it may be gone.
release_child() {
	kill -CONT "$child" 2>/dev/null || [ ! -d "/proc/$child" ]
	released=$child
	child=
}

# Waits for the end of a child that was released.
await_end() {
	local look
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[ -d "/proc/$released" ] || return 0
		sleep 0.1
	done
	return 1
}

# Writes the region to a file in the folder.
write_region() {
	screen_key d C-u
	screen_type "$folder/region.raw"
	screen_key Enter
}

# Checks that the screen is updated: it shows what the target allocates now.
goes_on() {
	local before
	before=$(awk '/^VmRSS:/ { print $2 * 1024 }' "/proc/$TARGET_PID/status")
	target_tell 'eat 8'
	await_least $((before + 8 * 1048576)) total_rss
}

# Prints the resident bytes of the process in the header.
total_rss() {
	screen_lines | sed -n '1s/.* RSS \([0-9]*\).*/\1/p'
}

is_empty() {
	[ -z "$(ls -A "$folder")" ]
}

@test "while a region is written the screen continues and shows the progress; the file is complete" {
	start_writing
	screen_await 'writing: '
	[[ $(screen_lines | tail -n 1) =~ ^writing:\ [0-9]+%\ of\ [0-9.]+M\ \(Esc\ or\ d:\ cancel\)\ \ to\ .*region\.raw$ ]]
	goes_on
	screen_key s
	screen_await 'sort: delta'
	screen_await 'writing: '
	# One thing at a time.
	screen_key Enter
	screen_await 'the file is still being written (Esc: cancel)'
	[ ! -e "$folder/region.raw" ]
	release_child
	screen_await ' read of '
	size=$(stat -c %s "$folder/region.raw")
	[ "$size" -ge $((256 * 1048576)) ]
	[ "$(find "$folder" -mindepth 1)" = "$folder/region.raw" ]
	range=$(screen_lines | sed -n 's/.* read of \([0-9a-f]*-[0-9a-f]*\).*/\1/p')
	[ $((0x${range#*-} - 0x${range%-*})) -eq "$size" ]
}

@test "Esc and d cancel the writing, and no file is left" {
	for key in Escape d; do
		start_writing
		has_written "$child" "$folder"
		screen_key "$key"
		screen_await '(cancelling)'
		goes_on
		release_child
		screen_await 'cancelled: '
		screen_await 'was not written'
		is_empty
	done
	# It can still be written afterwards.
	write_region
	screen_await ' read of '
	[ -e "$folder/region.raw" ]
}

@test "quitting leaves no incomplete file, and reports this" {
	start_writing
	has_written "$child" "$folder"
	screen_key q
	# The watcher waits for the child.
	until grep -q '^SigPnd:.*4...$\|^ShdPnd:.*4...$' "/proc/$child/status"; do sleep 0.02; done
	release_child
	screen_await 'ended: the user quit'
	screen_await 'region.raw was not written'
	is_empty
}

@test "the writing ends when the watcher is killed" {
	start_writing
	has_written "$child" "$folder"
	kill -KILL "$watcher"
	# The message of the shell may be broken into two lines: the cursor can be anywhere.
	while kill -0 "$watcher" 2>/dev/null; do sleep 0.02; done
	release_child
	await_end
	is_empty
}

@test "the end of the target is reported, and leaves no incomplete file" {
	start_writing
	kill -KILL "$TARGET_PID"
	screen_await 'ENDED'
	release_child
	await_end
	screen_await "process $TARGET_PID "
	is_empty
	screen_key d
	screen_await 'cannot be read any longer'
}

@test "while text is read the screen continues, Enter cancels that, and the next Enter shows the text" {
	start_reading
	screen_await 'reading text'
	goes_on
	screen_key d
	screen_await 'text is still being read (Esc: cancel)'
	screen_key x
	screen_await 'this key has no function'
	screen_key Enter
	release_child
	screen_await 'cancelled'
	screen_await 'ADDRESS'
	screen_key Enter
	screen_await 'text in '
}

@test "the death of the child is reported" {
	start_writing
	kill -KILL "$child"
	child=
	screen_await 'child process ended without a result: it was killed'
	goes_on
}

# Skips the test if the kernel refuses perf_event_open.
require_perf() {
	run procmem trace -q --for 0.1 "$TARGET_PID"
	[[ $status -eq 0 || $output != *perf_event* ]] || skip "$output"
}

@test "t shows which code maps the memory of a row, and the screen continues meanwhile" {
	require_perf
	screen_key t
	# The trace has begun.
	screen_await 'tracing: '
	[[ $(screen_lines | tail -n 1) =~ ^tracing:\ [0-9]+\ of\ 10\ s\ \(Esc\ or\ t:\ cancel\)$ ]]
	goes_on
	screen_key d
	screen_await 'the process is still being traced (Esc: cancel)'
	screen_await 'code that maps or touches '
	# The new memory belongs to the row; what the row had before has no call site.
	[[ $(screen_lines | sed '/^other memory/,$d') =~ \ 8388608\ +8388608\ \ .*command\ \<\ target_obey\ \<\ main ]]
	[[ $(screen_lines) == *'[mapped before the trace]'* ]]
	screen_key Escape
	screen_await 'ADDRESS'
}

@test "Esc and t cancel the trace, and nothing is left" {
	require_perf
	for key in Escape t; do
		screen_key t
		screen_await 'tracing: '
		screen_key "$key"
		screen_await 'cancelled'
		goes_on
	done
	[ -z "$(cat "/proc/$watcher/task/$watcher/children")" ]
}
