#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=who
# `procmem who`: targets that map and hold files in known ways. The truth is what the targets print,
# smaps, lsof and stat.

setup() {
	load support/helper
	require jq
	FILE=$BATS_TEST_TMPDIR/'the file'
	truncate -s 256K "$FILE"
}

teardown() {
	targets_stop
	json_check
}

# Prints a value of the user $2 in the JSON of file $1: `of FILE PID .perms`.
of() {
	jq -r --argjson pid "$2" ".users[] | select(.pid == \$pid) | $3" "$1"
}

# The sum of a field of smaps over the mappings of a file, in bytes.
smaps_sum() {
	awk -v name="$3" -v key="$2:" '
		/^[0-9a-f]+-/ { here = index($0, name) > 0 }
		here && $1 == key { sum += $2 }
		END { print sum * 1024 }' "/proc/$1/smaps"
}

start_usual() {
	target_start sharer "write:$FILE" && WRITER=$TARGET_PID
	target_start sharer "read:$FILE" && READER=$TARGET_PID
	target_start sharer "log:$FILE" "hold:$FILE" && LOGGER=$TARGET_PID
	LOGGER_IN=$TARGET_IN LOGGER_OUT=$TARGET_OUT LOGGER_FACTS=$TARGET_FACTS
	target_start sharer "hold:$FILE" && HOLDER=$TARGET_PID
}

@test "a file: permissions, descriptors, PSS; writers first" {
	start_usual
	procmem who --json "$FILE" >"$BATS_TEST_TMPDIR/json"
	json=$BATS_TEST_TMPDIR/json

	[ "$(jq -r .file.path "$json")" = "$FILE" ]
	[ "$(jq .file.inode "$json")" = "$(stat -c %i "$FILE")" ]
	[ "$(jq .file.length "$json")" = "$(stat -c %s "$FILE")" ]
	[ "$(jq .file.allocated "$json")" = $(($(stat -c %b "$FILE") * 512)) ]
	[ "$(jq '.users | length' "$json")" -eq 4 ]
	[ "$(jq -c '[.users[].writer]' "$json")" = '[true,true,false,false]' ]
	[ "$(jq -c '[.users[].pid] | .[0]' "$json")" = "$WRITER" ]

	[ "$(of "$json" "$WRITER" .perms)" = rw-s ]
	[ "$(of "$json" "$READER" .perms)" = r--s ]
	[ "$(of "$json" "$WRITER" .pss)" = "$(smaps_sum "$WRITER" Pss "$FILE")" ]
	[ "$(of "$json" "$READER" .rss)" = "$(smaps_sum "$READER" Rss "$FILE")" ]
	[ "$(of "$json" "$READER" .pss)" = 131072 ]
	[ "$(of "$json" "$LOGGER" '.writable_fds | @csv')" = \
		"$(sed -n 's/^fd log //p' "$LOGGER_FACTS")" ]
	[ "$(of "$json" "$LOGGER" .fd_count)" = 2 ]
	[ "$(of "$json" "$HOLDER" .perms)" = null ]
	[ "$(of "$json" "$HOLDER" '.fds | @csv')" = "$(target_fact fd hold)" ]
}

@test "the users are those of lsof" {
	require lsof
	start_usual
	procmem who --json "$FILE" | jq '.users[].pid' | sort >"$BATS_TEST_TMPDIR/ours"
	lsof -t -- "$FILE" | sort -u >"$BATS_TEST_TMPDIR/theirs"
	diff "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/theirs"
}

@test "the text answers in its first line, and fits into 80 columns" {
	start_usual
	run -0 --separate-stderr procmem who "$FILE"
	[[ ${lines[0]} = "4 processes use $FILE; may write: $WRITER sharer, $LOGGER sharer" ]] ||
		[[ ${lines[0]} = "4 processes use $FILE; may write: $LOGGER sharer, $WRITER sharer" ]]
	[[ ${lines[1]} = 'file, length 256.0K, allocated '* ]]
	grep -Eq "^ *$WRITER rw-s +128.0K +256.0K +- +may " <<<"$output"
	fds="$(sed -n 's/^fd log //p' "$LOGGER_FACTS")w,$(sed -n 's/^fd hold //p' "$LOGGER_FACTS")"
	grep -Eq "^ *$LOGGER - .* $fds +may " <<<"$output"
	output=$(on_terminal 24 80 who "$FILE")
	[ "$(LC_ALL=C.UTF-8 wc -L <<<"${output//$'\r'/}")" -le 80 ] || { echo "$output" && false; }
}

@test "a file that nobody uses: status 1; no file: status 2" {
	run -1 procmem who "$FILE"
	# Where a process cannot be read even by root, the answer does not deny that it uses the file.
	[[ ${lines[0]} = "no process uses $FILE" ||
		${lines[0]} = "no process that could be examined uses $FILE; "[0-9]*' could not' ]]
	run -2 procmem who "$FILE-missing"
	[[ $output = *'No such file'* ]]
	run -2 procmem who "$BATS_TEST_TMPDIR/"
	[[ $output = *'is a directory'* ]]
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	run -2 procmem who "$BATS_TEST_TMPDIR/pipe"
	[[ $output = *'is a pipe'* ]]
	cd "$BATS_TEST_TMPDIR"
	run -2 procmem who 'the file'
	[[ $output = *'procmem who ./the file'* ]]
}

@test "--for: the growth, and who writes through a descriptor" {
	start_usual
	procmem who --json --for 4s "$FILE" >"$BATS_TEST_TMPDIR/json" &
	pid=$!
	# Each reading of the users takes a moment: write from the start to the end of the watch.
	while kill -0 $pid 2>/dev/null; do
		TARGET_IN=$LOGGER_IN TARGET_OUT=$LOGGER_OUT target_tell 'append 50000'
	done
	wait $pid
	json=$BATS_TEST_TMPDIR/json

	[ "$(of "$json" "$LOGGER" .likely_writer)" = true ]
	[ "$(of "$json" "$READER" .likely_writer)" = false ]
	[ "$(of "$json" "$HOLDER" .likely_writer)" = false ]
	[ "$(jq '.watched.length_change > 0 and .watched.length_change % 50000 == 0' "$json")" = true ]
	[ "$(jq '.watched.rate * .watched.seconds - .watched.length_change | fabs < 1' "$json")" = true ]
}

@test "--for: a program that opens the file only for moments is found by what it wrote" {
	target_start sharer "hold:$FILE"
	# Each write opens and closes the file. The size is unusual, so that no other process wrote as
	# much by chance.
	python3 -c 'import sys, time
open(sys.argv[2], "w").close()
for _ in range(600):
    with open(sys.argv[1], "ab", buffering=0) as file:
        file.write(b"x" * 77777)
    time.sleep(0.1)' "$FILE" "$BATS_TEST_TMPDIR/started" 3>&- &
	writer=$!
	until [ -e "$BATS_TEST_TMPDIR/started" ]; do sleep 0.05; done
	run -0 --separate-stderr procmem who --for 3s "$FILE"
	text=${lines[*]:0:2}
	echo "$text"
	run -0 --separate-stderr procmem who --json --for 3s "$FILE"
	kill "$writer"
	# The file can be open just when descriptors are read. Then its offset shows the writer, too.
	# Another process of the machine can have written as much.
	[[ $text = *"likely written by "*"$writer python3"* ]]
	jq -e --argjson pid "$writer" '(.watched.passing_writers // [] | any(.pid == $pid)) or
		(.users | any(.pid == $pid and .likely_writer))' <<<"$output"
}

@test "--for: the first line has the rate" {
	target_start sharer "log:$FILE"
	procmem who --for 2s "$FILE" >"$BATS_TEST_TMPDIR/text" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		target_tell 'append 50000'
	done
	wait $pid
	[[ $(head -1 "$BATS_TEST_TMPDIR/text") = \
		"1 process uses $FILE (+"*"/s); likely written by $TARGET_PID sharer" ]]
}

@test "a relative path, and a link in /proc: the real name is reported" {
	target_start sharer memfd:65536 "hold:$FILE"
	cd "$BATS_TEST_TMPDIR"
	[ "$(procmem who --json './the file' | jq -r .file.path)" = "$FILE" ]
	link=/proc/$TARGET_PID/fd/$(sed -n 's/^fd memfd //p' "$TARGET_FACTS")
	run -0 procmem who "$link"
	[[ ${lines[0]} = "1 process uses $link, $(readlink "$link"); "* ]]
}

@test "--for: shared memory that is filled through a mapping" {
	truncate -s 64M "$FILE"
	target_start sharer "read:$FILE" && reader=$TARGET_PID
	target_start sharer "sparse:$FILE"
	procmem who --json --for 2s "$FILE" >"$BATS_TEST_TMPDIR/json" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		target_tell 'touch 8192'
	done
	wait $pid

	[ "$(of "$BATS_TEST_TMPDIR/json" "$TARGET_PID" .likely_writer)" = true ]
	[ "$(of "$BATS_TEST_TMPDIR/json" "$reader" .likely_writer)" = false ]
	[ "$(jq .watched.length_change "$BATS_TEST_TMPDIR/json")" = 0 ]
	[ "$(jq '.watched.allocated_change > 0' "$BATS_TEST_TMPDIR/json")" = true ]
}

@test "--for: a file that does not grow, and one that is replaced" {
	start_usual
	run -0 procmem who --for 0.5s "$FILE"
	[[ $output = *'it did not grow in '* ]]
	procmem who --for 3s "$FILE" >"$BATS_TEST_TMPDIR/text" &
	pid=$!
	# The first reading is over when the command waits.
	while kill -0 $pid 2>/dev/null; do
		: >"$FILE.new"
		mv "$FILE.new" "$FILE"
	done
	wait $pid || [ $? -eq 1 ]
	grep -q 'was removed or replaced' "$BATS_TEST_TMPDIR/text"
}

@test "--for: a signal ends the measurement, and the result is printed" {
	start_usual
	"$PROCMEM_BIN" who --for 1h --json "$FILE" >"$BATS_TEST_TMPDIR/json" 3>&- &
	pid=$!
	# The signals are caught before the wait in ppoll(2).
	until [ "$(cut -d ' ' -f 1 "/proc/$pid/syscall")" = 271 ] ||
		[[ $(cat "/proc/$pid/wchan") = *poll* ]]; do
		kill -0 $pid
	done
	kill -TERM $pid
	wait $pid
	[ "$(jq '.watched.seconds < 3600' "$BATS_TEST_TMPDIR/json")" = true ]
	[ "$(jq '.users | length' "$BATS_TEST_TMPDIR/json")" -eq 4 ]
}

@test "an ADDRESS: memory without a file, and the short form of map" {
	local use
	for use in memfd sysv posix anonymous; do
		target_start sharer $use:65536 child rename:worker
		child=$(target_fact child)
		range=$(target_range $use)
		procmem who --json "$TARGET_PID" "${range%-*}" >"$BATS_TEST_TMPDIR/json"
		[ "$(jq -c '[.users[].pid] | sort' "$BATS_TEST_TMPDIR/json")" = \
			"$(printf '%s\n' "$TARGET_PID" "$child" | jq -sc sort)" ]
		[ "$(of "$BATS_TEST_TMPDIR/json" "$TARGET_PID" .name)" = worker ]
		[ "$(jq .file.length "$BATS_TEST_TMPDIR/json")" = 65536 ]

		run -0 --separate-stderr procmem map "$TARGET_PID" "${range%-*}"
		[[ $output = *"also used by: $child sharer (rw-s"*"procmem who $TARGET_PID 0x${range%-*}"* ]]
		[ "$(procmem map --json "$TARGET_PID" "${range%-*}" | jq '.users[0].pid')" = "$child" ]
		kill -KILL "$TARGET_PID"
	done
}

@test "an ADDRESS: private memory and nothing are refused" {
	target_start sharer memfd:4096
	heap=$(awk '$6 == "[stack]" { sub(/-.*/, "", $1); print $1 }' "/proc/$TARGET_PID/maps")
	run -2 procmem who "$TARGET_PID" "$heap"
	[[ $output = *'is private to process '* ]]
	run -2 procmem who "$TARGET_PID" 0x1000
	[[ $output = *'nothing is mapped at 0x1000'* ]]
}

@test "a deleted file, by its address and by the link of its descriptor" {
	target_start sharer "read:$FILE" "hold:$FILE"
	rm "$FILE"
	range=$(target_range read)
	run -0 procmem who "$TARGET_PID" "${range%-*}"
	[[ ${lines[0]} = "1 process uses $FILE; none of them can write to it" ]]
	[[ ${lines[1]} = *', deleted' ]]
	run -0 procmem who "/proc/$TARGET_PID/fd/$(target_fact fd hold)"
	grep -Eq "^ *$TARGET_PID r--s " <<<"$output"
}

@test "a deleted file, by the path that it had" {
	target_start sharer "hold:$FILE" && holder=$TARGET_PID fd=$(target_fact fd hold)
	target_start sharer "read:$FILE"
	rm "$FILE"
	run -0 --separate-stderr procmem who "$FILE"
	link=/proc/$holder/fd/$fd
	[[ ${lines[0]} = "2 processes use $link, $FILE (deleted); none of them can write to it" ]]
	grep -Eq "^ *$TARGET_PID r--s " <<<"$output"
}

@test "a deleted file that is only mapped; several of one path; none" {
	target_start sharer "read:$FILE"
	rm "$FILE"
	run -0 --separate-stderr procmem who "$FILE"
	[[ ${lines[0]} = "1 process uses $FILE; none of them can write to it" ]]
	[[ ${lines[1]} = 'file, length 256.0K, '*', deleted' ]]

	head -c 1M /dev/zero >"$FILE"
	target_start sharer "hold:$FILE"
	rm "$FILE"
	run -0 --separate-stderr procmem who "$FILE"
	[[ ${lines[1]} = 'file, length 1.0M, allocated 1.0M, deleted' ]]
	[[ $stderr = *'processes hold 1 more deleted file of this path'* ]]

	run -2 procmem who "$FILE-missing"
	[[ $output = *'No such file or directory, and no process holds a deleted file of that path'* ]]
}

@test "a file that exists and whose name ends with (deleted) is not taken for a deleted one" {
	mv "$FILE" "$FILE (deleted)"
	target_start sharer "hold:$FILE (deleted)"
	run -2 procmem who "$FILE"
	[[ $output = *'no process holds a deleted file of that path'* ]]
}

@test "a process in another mount namespace, where the file has another name" {
	[ "$(id -u)" -eq 0 ] || skip 'mounting needs root'
	mkdir "$BATS_TEST_TMPDIR/other"
	spawn unshare -m sh -c 'mount --bind "$1" "$2" && exec "$3" "write:$2/the file"' sh \
		"$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/other" "$PROCMEM_TARGETS/sharer"
	target_await ready
	run -0 procmem who "$FILE"
	grep -Eq "^ *$TARGET_PID rw-s " <<<"$output"
}

@test "the server of a file system does not answer: nothing is asked of it" {
	[ "$(id -u)" -eq 0 ] || skip 'mounting needs root'
	mkdir "$BATS_TEST_TMPDIR/dead"
	[ -c /dev/fuse ] && (exec 3<>/dev/fuse) 2>/dev/null || skip 'no FUSE'
	target_start dead_server "$BATS_TEST_TMPDIR/dead"
	range=$(target_range file)

	# The limit only ends the test if procmem waits forever.
	never_waits() {
		run -0 --separate-stderr timeout --signal=KILL 60 "$PROCMEM_BIN" "$@"
	}
	never_waits who "$TARGET_PID" "${range%-*}"
	[[ ${lines[0]} = "1 process uses $BATS_TEST_TMPDIR/dead/file; none of them can write to it" ]]
	[[ ${lines[1]} = 'file, length 8.0K'* ]]
	never_waits map "$TARGET_PID" "${range%-*}"
	never_waits who -a "$TARGET_PID"
	never_waits who "/proc/$TARGET_PID/map_files/$range"
}

@test "another user: the processes that cannot be read are counted and named" {
	[ "$(id -u)" -eq 0 ] || skip 'becoming another user needs root'
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR"
	target_start sharer "write:/etc/../$FILE"
	run -1 as_nobody who /proc/version
	[[ $output = *' could not be examined, so they may use it, too: '* ]]
	[[ $output = *'sudo'* ]]
	[[ ${lines[0]} = 'no process that could be examined uses /proc/version; '[0-9]*' could not' ]]
	[ "$(as_nobody who --json /proc/version | jq '.unreadable > 0')" = true ]
}

@test "another user: a writer that cannot be read is not denied" {
	[ "$(id -u)" -eq 0 ] || skip 'becoming another user needs root'
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR"
	chmod 644 "$FILE"
	target_start sharer "log:$FILE"
	as_nobody who --for 2s "$FILE" >"$BATS_TEST_TMPDIR/text" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		target_tell 'append 50000'
	done
	run wait $pid
	tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/text" >"$BATS_TEST_TMPDIR/line"
	grep -q 'no process that could be examined seems to write it' "$BATS_TEST_TMPDIR/line"
	grep -q ' that could not, or open it only for a moment' "$BATS_TEST_TMPDIR/line"
}

@test "a TARGET: what it shares with others, largest first" {
	truncate -s 512K "$BATS_TEST_TMPDIR/other"
	target_start sharer "read:$BATS_TEST_TMPDIR/other" "log:$FILE" && other=$TARGET_PID
	target_start sharer memfd:65536 "write:$BATS_TEST_TMPDIR/other" "hold:$FILE"
	procmem who --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/json"

	ours() { jq "$1" "$BATS_TEST_TMPDIR/json"; }
	[ "$(ours '[.common_files[].file.path] | length')" -ge 2 ]
	[ "$(ours '.common_files[0].file.path')" = "\"$BATS_TEST_TMPDIR/other\"" ]
	[ "$(ours '.common_files[0].rss')" = 524288 ]
	[ "$(ours '.common_files[0].users | length')" = 1 ]
	[ "$(ours '.common_files[0].users[0].pid')" = "$other" ]
	[ "$(ours ".common_files[] | select(.file.path == \"$FILE\") | .users[0].writer")" = true ]
	# The memfd has no other user.
	[ "$(ours '[.common_files[] | select(.file.file_type == "memfd")] | length')" = 0 ]

	run -0 procmem who "$TARGET_PID"
	[[ ${lines[0]} = "$TARGET_PID sharer has "* ]]
	[[ $output != *'/libc'* ]]
	run -0 procmem who -a "$TARGET_PID"
	[[ $output = *'/libc'* ]]
	run -2 procmem who --for 1s "$TARGET_PID"
	[[ $output = *'--for needs a FILE'* ]]
}

@test "a TARGET: the memory without a name that only it uses" {
	head -c 1M /dev/zero >"$FILE"
	truncate -s 4K "$BATS_TEST_TMPDIR/named"
	target_start sharer memfd:8388608 "hold:$FILE" "hold:$BATS_TEST_TMPDIR/named"
	rm "$FILE"
	procmem who --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/json"

	ours() { jq -r ".unnamed_files[] | select(.file.$1) | $2" "$BATS_TEST_TMPDIR/json"; }
	blocks=$(stat -Lc %b "/proc/$TARGET_PID/fd/$(sed -n 's/^fd memfd //p' "$TARGET_FACTS")")
	[ "$(ours 'file_type == "memfd"' .file.allocated)" = $((blocks * 512)) ]
	blocks=$(stat -Lc %b "/proc/$TARGET_PID/fd/$(sed -n 's/^fd hold //p;T;q' "$TARGET_FACTS")")
	[ "$(ours "path == \"$FILE (deleted)\"" .file.allocated)" = $((blocks * 512)) ]
	[ "$(ours "path == \"$BATS_TEST_TMPDIR/named\"" .file.allocated)" = '' ]
	[ "$(ours 'file_type == "memfd"' '.users | length')" = 0 ]

	run -0 procmem who "$TARGET_PID"
	[[ "${lines[*]:0:2}" = *' in 2 deleted files or memfd that only it uses'* ]]
	grep -Eq '^ *8.0M .* memfd|^ *8.0M .*/memfd:sharer' <<<"$output"
	grep -Eq "^ *1.0M .* 0 +0 $FILE \(deleted\)" <<<"$output"
}

@test "control characters in names are escaped" {
	local name=$BATS_TEST_TMPDIR/$'evil\e[31m\nname'
	truncate -s 4K "$name"
	target_start sharer "read:$name" $'rename:\e[31m'
	run -0 procmem who "$name"
	[[ $output != *$'\e'* ]]
	range=$(target_range read)
	run -0 procmem who "$TARGET_PID" "${range%-*}"
	[[ $output != *$'\e'* ]]
	procmem who --json "$name" >/dev/null
}

@test "in a session: a FILE, and an ADDRESS of the target" {
	target_start sharer "read:$FILE"
	range=$(target_range read)
	run -0 procmem shell -c "who $BATS_TEST_TMPDIR/the\ file; who ${range%-*}" "$TARGET_PID"
	[ "$(grep -c '^1 process uses ' <<<"$output")" -eq 2 ]
}
