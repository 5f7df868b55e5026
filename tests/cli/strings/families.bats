#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem strings` of processes that belong together: --children, --cgroup and --all-processes.

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

@test "--children and --cgroup: the process that has the text" {
	require jq
	start_family
	run -0 procmem strings --children -q "$TARGET_PID" anon
	grep -q "^${FAMILY[1]}:.*text of the first child!" <<<"$output"
	grep -q "^${FAMILY[2]}:.*text of the second child!" <<<"$output"
	run -0 procmem strings --children -q --json "$TARGET_PID" anon
	jq -se --argjson pid "${FAMILY[1]}" 'map(select(.text | startswith("text of the first child!")).pid) == [$pid]' <<<"$output"
	cgroup_make $((256 << 20)) "${FAMILY[0]}" "${FAMILY[2]}"
	run -0 procmem strings --cgroup -q "$TARGET_PID" anon
	[[ $output != *'text of the first child!'* ]]
	grep -q "^${FAMILY[2]}:.*text of the second child!" <<<"$output"
}

@test "-u of several processes: a note is printed once, with the number of processes" {
	start_family
	run -0 --separate-stderr procmem strings -u --top 0 --children "$TARGET_PID"
	[ "$(grep -c 'machine code' <<<"$stderr")" -eq 1 ]
	[[ $stderr =~ 'note: the first occurrence of '[0-9]+' of these '[0-9]+" strings of ${#FAMILY[@]} processes is in machine code" ]]
}

@test "a process that cannot be read is named and counted, and the others are read" {
	start_hidden
	run -2 --separate-stderr as_nobody strings -u --all-processes "$NAME"
	[[ $output == *"$TARGET_PID"* ]]
	[[ $stderr == *"process $HIDDEN"*$'\n''procmem: 1 process of 2 could not be read' ]]
}

@test "options that need one process, and options that exclude each other" {
	target_start hog
	run -2 --separate-stderr procmem strings --children "$TARGET_PID,$$"
	[[ $stderr == *"'$TARGET_PID,$$': --children and --cgroup need one process"* ]]
	run -2 --separate-stderr procmem strings --children "/proc/$TARGET_PID/smaps_none"
	[[ $stderr == *'/smaps_none'* ]]
	run -2 procmem strings --children --cgroup "$TARGET_PID"
	run -2 procmem strings --children --all-processes hog
	run -2 procmem strings --cgroup 99999999
}
