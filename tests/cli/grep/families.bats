#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep` of processes that belong together: --children, --cgroup and --all-processes.

setup() {
	load ../support/helper
	load ../support/family
	GROUP_FOLDER=
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

@test "--children: the process that has the text" {
	require jq
	start_family
	run -0 procmem grep --children -o 'text of the \w+ child!' "$TARGET_PID" anon
	[ "$(sort -t : -k 2 <<<"$output")" = "${FAMILY[1]}:text of the first child!
${FAMILY[2]}:text of the second child!" ]
	run -0 procmem grep --children --json 'text of the second child!' "$TARGET_PID" anon
	jq -se --argjson pid "${FAMILY[2]}" 'map(.pid) == [$pid]' <<<"$output"
	# A single process has its PID, too.
	run -0 procmem grep --children -o 'text of the first child!' "${FAMILY[1]}" anon
	[ "$output" = "${FAMILY[1]}:text of the first child!" ]
	# Nothing, and no such region.
	run -1 procmem grep --children 'text of the [t]hird child!' "$TARGET_PID" anon
	run -1 --separate-stderr procmem grep --children x "$TARGET_PID" '[none]'
	[ "$stderr" = 'procmem: no region is called [none]' ]
}

@test "--cgroup: the processes of the cgroup and no others" {
	start_family
	cgroup_make $((256 << 20)) "${FAMILY[0]}" "${FAMILY[2]}"
	run -0 procmem grep --cgroup -o 'text of the \w+ child!' "$TARGET_PID" anon
	[ "$output" = "${FAMILY[2]}:text of the second child!" ]
}

@test "a process that ends before it is read is a note" {
	target_copy hog
	target_start "$TARGET_NAME"
	local one=$TARGET_PID
	target_start "$TARGET_NAME"
	local last=$((one > TARGET_PID ? one : TARGET_PID)) status=0
	# The output of the first process is not read, so that the last one ends before it is searched.
	start_blocked grep --all-processes -m 200000 -o '[\x00-\xff]' "$TARGET_NAME"
	kill -KILL "$last"
	wait "$last" || true
	cat <&"$READER" >"$BATS_TEST_TMPDIR/found"
	wait "$BLOCKED" || status=$?
	[ "$status" -eq 0 ]
	grep -qx "procmem: note: 1 process ended before all of its memory was read: $last ($TARGET_NAME)" "$BATS_TEST_TMPDIR/errors"
	# The first byte was read by start_blocked.
	[ "$(tail -n +2 "$BATS_TEST_TMPDIR/found" | grep -ao '^[0-9][0-9]*:' | sort -u)" = "$((one + TARGET_PID - last)):" ]
}

@test "a process that cannot be read is named and counted, and the others are read" {
	start_hidden
	run -2 --separate-stderr as_nobody grep -c --all-processes ELF "$NAME"
	[[ $output == *"$TARGET_PID"* ]]
	[[ $stderr == *"process $HIDDEN"*$'\n''procmem: 1 process of 2 could not be read' ]]
}

@test "options that need one process, and options that exclude each other" {
	target_start hog
	run -2 --separate-stderr procmem grep x --children "$TARGET_PID,$$"
	[[ $stderr == *"'$TARGET_PID,$$': --children and --cgroup need one process"* ]]
	run -2 --separate-stderr procmem grep x --children "/proc/$TARGET_PID/smaps_none"
	[[ $stderr == *'/smaps_none'* ]]
	run -2 procmem grep x --children --cgroup "$TARGET_PID"
	run -2 procmem grep x --children --all-processes hog
	run -2 procmem grep x --cgroup 99999999
}
