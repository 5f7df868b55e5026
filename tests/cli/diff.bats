#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem snap` and `procmem diff`: a target that logs exactly what it changes, saved texts, recordings, and errors.

setup() {
	load support/helper
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	targets_stop
	json_check
}

# Sends a command to the grower and adds up the changes that it reports.
grow() {
	local line
	printf '%s\n' "$*" >&"$TARGET_IN"
	line=$(target_await 'change ')
	read -r _ size resident <<<"$line"
	changed_size=$((changed_size + size))
	changed=$((changed + resident))
	target_await done >/dev/null
}

start_grower() {
	target_start grower
	# What commands need besides is there after a first one.
	grow map warm 20
	grow grow warm 20
	grow unmap warm
	changed=0
	changed_size=0
}

# Prints the sum of a field over all rows except code and stacks, which the grower does not log.
logged() {
	jq "[.regions[] | select(.kind | IN(\"anon\", \"heap\", \"malloc\", \"bss\")) | .$1] | add // 0" "$2"
}

@test "every byte that a process mapped, grew, moved and gave back is accounted for" {
	start_grower
	grow map a 300
	grow map b 2000
	grow map c 77
	grow malloc f 100
	grow malloc g 64
	procmem snap -q -o "$file" "$TARGET_PID"
	changed=0
	changed_size=0
	grow grow a 5000
	grow cut b 1300
	grow unmap c
	grow brk 123
	grow reserve d 4000
	grow touch d 17
	grow map e 1
	grow malloc h 777
	grow unmap g
	procmem snap -q -o "$file" "$TARGET_PID"
	run -1 procmem diff --json "$file@first" "$file"
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/diff.json"
	[ "$(logged delta "$BATS_TEST_TMPDIR/diff.json")" -eq "$changed" ]
	[ "$(logged size_delta "$BATS_TEST_TMPDIR/diff.json")" -eq "$changed_size" ]
	# The rows add up to the totals.
	jq -e '([.regions[].delta] | add) == .total.delta and ([.regions[].size_delta] | add) == .total.size_delta' "$BATS_TEST_TMPDIR/diff.json"
	jq -e '[.regions[].change] | contains(["new", "gone", "shrank"])' "$BATS_TEST_TMPDIR/diff.json"
}

@test "the largest change comes first, with its type" {
	start_grower
	grow map small 10
	grow map large 1000
	procmem snap -q -o "$file" "$TARGET_PID"
	grow grow large 3000
	grow unmap small
	run -1 procmem diff "$file" "$TARGET_PID"
	[[ ${lines[2]} == CHANGE*ADDRESS*BEFORE*AFTER*DELTA*SIZE-DELTA*KIND*MAPPING* ]]
	[[ ${lines[3]} =~ ^(grew|moved)\ .*3\.9M\ +15\.6M\ +\+11\.7M\ +\+11\.7M ]]
	[[ $output == *$'\ngone '*'40.0K'*'-40.0K'* ]]
	run -1 procmem diff --top 1 "$file" "$TARGET_PID"
	[[ $output == *'more that changed'* ]]
}

@test "nothing changed: exit status 0" {
	start_grower
	procmem snap -q -o "$file" "$TARGET_PID"
	run -0 procmem diff --json "$file" "$TARGET_PID"
	jq -e '.regions == [] and .total.delta == 0 and .total.changes == 0' <<<"$output"
}

@test "saved smaps files are compared, by kind as well" {
	start_grower
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/before"
	grow map a 256
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/after"
	run -1 procmem diff --json "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	jq -e '[.regions[] | select(.change == "new" and .delta == 1048576)] | length == 1' <<<"$output"
	run -1 procmem diff --by kind "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	[[ $output == *'anon'*'+1.0M'* ]]
	count=$(sed -nE 's/^total +([0-9]+) .*/\1/p' <<<"$output")
	[ "$count" -eq "$(grep -c '^VmFlags:' "$BATS_TEST_TMPDIR/after")" ]
	for by in '' --by=kind --by=mapping; do
		# shellcheck disable=SC2086
		run -1 procmem diff --json $by "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
		jq -e --argjson count "$count" '.total.count == $count and .after.count == $count and .total.changes == 1' <<<"$output"
	done
	run -1 procmem diff --json -k anon "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	jq -e 'all(.regions[]; .kind == "anon")' <<<"$output"
}

@test "samples are found by number, first, last and time" {
	start_grower
	for pages in 1 10 100; do
		grow map "a$pages" "$pages"
		procmem snap -q -o "$file" "$TARGET_PID"
	done
	run -1 procmem diff --json "$file@1" "$file@2"
	jq -e '.before.sample == 1 and .after.sample == 2 and .total.delta == 40960' <<<"$output"
	run -1 procmem diff --json "$file@first" "$file@last"
	jq -e '.after.sample == 3 and .total.delta == 450560' <<<"$output"
	run -0 procmem diff "$file@3" "$file@2999-01-01T00:00"
	run -2 --separate-stderr procmem diff "$file@4" "$file"
	[[ $stderr == *'has no sample 4; its samples are numbered from 1 to 3'* ]]
	run -2 --separate-stderr procmem diff "$file@1999-01-01T00:00" "$file"
	run -2 --separate-stderr procmem diff "$file@yesterday" "$file"
	[[ $stderr == *'2026-01-31T12:00'* ]]
}

@test "different processes are compared only with --force" {
	start_grower
	procmem snap -q -o "$file" "$TARGET_PID"
	local first=$TARGET_PID
	start_grower
	run -2 --separate-stderr procmem diff "$file" "$TARGET_PID"
	[[ $stderr == *'different processes'*'--force'* ]]
	run -1 procmem diff --force "$file" "$TARGET_PID"
	run -2 --separate-stderr procmem snap -o "$file" "$TARGET_PID"
	[[ $stderr == *"another process (grower, PID $first)"* ]]
}

@test "recordings can be read with SQL" {
	require sqlite3
	start_grower
	grow map a 1234
	procmem snap -q -o "$file" "$TARGET_PID"
	[ "$(sqlite3 "$file" "SELECT count(*) FROM size WHERE rss = 1234 * 4096")" -eq 1 ]
	[ "$(sqlite3 "$file" "SELECT pid FROM run")" -eq "$TARGET_PID" ]
	[ "$(sqlite3 "$file" "SELECT sum(bytes) FROM smaps WHERE name = 'private_dirty'")" -ge $((1234 * 4096)) ]
	[ "$(stat -c %a "$file")" = 600 ]
}

@test "the error for other than regular files names their type" {
	target_start mapper
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	mkdir folder
	mkfifo pipe
	ln -s /dev/null link
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
	for case in '/dev/null=a device' 'folder=a directory' 'pipe=a named pipe' 'link=a device' 'socket=a socket'; do
		for words in 'snap -o' 'watch -c 1 -i 0.1 --record'; do
			# shellcheck disable=SC2086 # words
			run -2 --separate-stderr procmem $words "${case%=*}" "$TARGET_PID"
			[[ $stderr == *"${case%=*}: it is ${case#*=}, but a recording is a database and must be a regular file; use another file name" ]]
		done
	done
	for file in /dev/null /dev/fd/1; do
		run -2 --separate-stderr procmem dump --core -o "$file" "$TARGET_PID"
		[[ $stderr == *"$file: a core file must be a regular file; use another file name" ]]
	done
	run -2 --separate-stderr procmem dump -o folder "$TARGET_PID" stack
	[[ $stderr == *"folder: it is a directory; name a file in it" ]]
	run -2 --separate-stderr procmem dump -o socket "$TARGET_PID" stack
	[[ $stderr == *"socket: it is a socket; name a file or a pipe" ]]
	[ "$(find . | wc -l)" -eq 5 ]
}

@test "snap reports the sample that it added" {
	start_grower
	run -0 procmem snap -o "$file" "$TARGET_PID"
	[[ $output =~ ^'sample 1 of grower ('$TARGET_PID'): '[0-9]+' regions, RSS '[0-9.]+[KM]', in '.*run.pmrec$ ]]
	run -0 procmem snap --json -o "$file" "$TARGET_PID"
	jq -e --argjson pid "$TARGET_PID" '.sample == 2 and .pid == $pid and .rss > 0' <<<"$output"
}

@test "a recording with other tables is damaged" {
	require sqlite3
	procmem snap -q -o "$file" $$
	sqlite3 "$file" 'ALTER TABLE region RENAME COLUMN inode TO node'
	run -2 --separate-stderr procmem diff "$file" $$
	[[ $stderr == *'run.pmrec is damaged'* ]]
}

@test "a process that called exec between two samples: a note says so" {
	target_start allocations 0
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	run --separate-stderr procmem diff "$file@1" "$file@2"
	[[ $stderr != *exec* ]]

	printf 'exec\n' >&"$TARGET_IN"
	target_await ready
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	run -1 --separate-stderr procmem diff "$file@2" "$file@3"
	[ "$stderr" = "procmem: note: process $TARGET_PID called exec between the samples: the memory of two programs is compared" ]
	run -1 --separate-stderr procmem diff "$file@1" "$TARGET_PID"
	[[ $stderr == *'called exec between the samples'* ]]
	run -1 --separate-stderr procmem diff -q "$file@2" "$file@3"
	[ -z "$stderr" ]
}

# Prints the rows of a section of the report.
report_rows() {
	/usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/html_table.py" "$BATS_TEST_TMPDIR/out.html" "$@"
}

@test "--html writes a report with both samples and what changed" {
	start_grower
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	grow map '<b>&amp;' 10240
	procmem snap -q --heap -o "$file" "$TARGET_PID"
	run -1 --separate-stderr procmem diff --html "$BATS_TEST_TMPDIR/out.html" "$file@1" "$file@2"
	[[ $output == 'before: grower '* ]]
	[ -z "$stderr" ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/out.html")" = 600 ]

	# 40 MiB appeared, as the grower logs.
	[ "$changed" -ge $((40 << 20)) ]
	report_rows
	report_rows changes | tee "$BATS_TEST_TMPDIR/rows"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/rows" | cut -f 1-5)" = $'region\tkind\tbefore\tafter\tdifference' ]
	[ "$(sed -n 2p "$BATS_TEST_TMPDIR/rows" | cut -f 5,7)" = $'+40.0M\tnew' ]
	grep -F "<h1>grower ($TARGET_PID): before and after</h1>" "$BATS_TEST_TMPDIR/out.html"
	grep -F 'Memory grew by 40.' "$BATS_TEST_TMPDIR/out.html"

	# The same by kind: only the columns that sums have.
	run -1 procmem diff --by kind --html "$BATS_TEST_TMPDIR/out.html" "$file@1" "$file@2"
	report_rows changes | tee "$BATS_TEST_TMPDIR/rows"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/rows" | cut -f 1-4)" = $'kind\tbefore\tafter\tdifference' ]
	[ "$(sed -n 2p "$BATS_TEST_TMPDIR/rows" | cut -f 1,4)" = $'anon\t+40.0M' ]

	# In the other direction, it is gone.
	run -1 procmem diff --html "$BATS_TEST_TMPDIR/out.html" "$file@2" "$file@1"
	[ "$(report_rows changes | sed -n 2p | cut -f 5,7)" = $'\xe2\x88\x9240.0M\tgone' ]
	grep -F 'Memory shrank by 40.' "$BATS_TEST_TMPDIR/out.html"
	run -0 procmem diff --html "$BATS_TEST_TMPDIR/out.html" "$file@2" "$file@2"
	grep -F 'the same size in both samples' "$BATS_TEST_TMPDIR/out.html"
	[ "$(report_rows changes | wc -l)" -eq 0 ]
}

@test "--html leaves no file behind if it cannot be written" {
	start_grower
	procmem snap -q -o "$file" "$TARGET_PID"
	run -2 --separate-stderr procmem diff --html "$BATS_TEST_TMPDIR/missing/out.html" "$file@1" "$TARGET_PID"
	[[ $stderr == *"$BATS_TEST_TMPDIR/missing/"* ]]
	mkdir "$BATS_TEST_TMPDIR/folder"
	run -2 --separate-stderr procmem diff --html "$BATS_TEST_TMPDIR/folder" "$file@1" "$TARGET_PID"
	[ "$(ls -A "$BATS_TEST_TMPDIR/folder")" = '' ]
	printf 'mine\n' >"$BATS_TEST_TMPDIR/mine"
	ln -s mine "$BATS_TEST_TMPDIR/link"
	run -2 --separate-stderr procmem diff --html "$BATS_TEST_TMPDIR/link" "$file@1" "$TARGET_PID"
	[ "$(cat "$BATS_TEST_TMPDIR/mine")" = mine ]
	run -2 --separate-stderr procmem diff --html '' "$file@1" "$TARGET_PID"
	[[ $stderr == *'the name of the file is empty'* ]]
	cd "$BATS_TEST_TMPDIR"
	run -2 --separate-stderr procmem diff --html - "$file@1" "$TARGET_PID"
	[[ $stderr == *'--html needs a file'* ]]
	[ ! -e ./- ]

	# A truncated recording, and a full disk.
	head -c 20000 "$file" >cut.pmrec
	run -2 --separate-stderr procmem diff --html out.html cut.pmrec@1 "$TARGET_PID"
	[ ! -e out.html ]
	run -2 --separate-stderr procmem diff --html /dev/full "$file@1" "$TARGET_PID"
	[[ $stderr == *'No space left on device'* ]]
}

@test "wrong usage is an error" {
	run -2 --separate-stderr procmem snap $$
	[[ $stderr == *'-o FILE is missing'* ]]
	run -2 --separate-stderr procmem snap -o /nonexistent/x $$
	[[ $stderr == *'/nonexistent/x'* ]]
	echo text >"$file"
	run -2 --separate-stderr procmem snap -o "$file" $$
	[[ $stderr == *'is not a recording'* ]]
	run -2 --separate-stderr procmem diff --by colour $$ $$
	[[ $stderr == *"cannot sum up by 'colour': use kind, mapping, owner or site"* ]]
	run -2 --separate-stderr procmem diff $$
	[[ $stderr == *'diff needs an AFTER'* ]]
	run -2 --separate-stderr procmem diff
	[[ $stderr == *'diff needs a BEFORE'* ]]
	run -2 --separate-stderr procmem diff missing.pmrec@1 $$
	[[ $stderr == *"there is no such file, and no process is called 'missing.pmrec@1'"* ]]
	run -2 --separate-stderr procmem snap -o '' $$
	[[ $stderr == *'the name of the file is empty'* ]]
	cd "$BATS_TEST_TMPDIR"
	run -2 --separate-stderr procmem snap -o - $$
	[[ $stderr == *'cannot be written to a pipe'* ]]
	[ ! -e ./- ]
	cat /proc/$$/maps >"$BATS_TEST_TMPDIR/maps"
	run -2 --separate-stderr procmem diff "$BATS_TEST_TMPDIR/maps" $$
	[[ $stderr == *'is a maps file, which has no resident sizes'* ]]
}
