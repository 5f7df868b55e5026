#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The programs of docs/examples: their output is compared with the kernel and with the targets.

load support/helper

teardown() {
	targets_stop
}

example() {
	local name=$1
	shift
	"$PROCMEM_BUILD/tests/examples/$name" "$@"
}

@test "biggest: the first region is the one with the largest resident size in smaps" {
	target_start sample_server --fill
	run -0 example biggest "$TARGET_PID"
	[ "${#lines[@]}" -eq 5 ]
	most=$(awk '/^[0-9a-f]+-/ { range = $1 } /^Rss:/ { print $2, range }' "/proc/$TARGET_PID/smaps" | sort -rn | head -n 1)
	[ "${lines[0]%% *}" = "${most#* }" ]
	[[ ${lines[0]} = *malloc*chunks* ]]
}

@test "find_text: a marker is found at the address that the target prints, and nowhere else" {
	target_start markers
	read -r _ address text < <(grep '^marker plain ' "$TARGET_FACTS" | head -n 1 | cut -d ' ' -f 2-)
	run -0 example find_text "$TARGET_PID" "$text"
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} = 0x$address\ * ]]
	run -1 example find_text "$TARGET_PID" "no such text: $text"
	[ -z "$output" ]
}

@test "search: a marker is found at the address that the target prints" {
	target_start markers
	read -r _ address text < <(grep '^marker plain ' "$TARGET_FACTS" | head -n 1 | cut -d ' ' -f 2-)
	run -0 example search "$TARGET_PID" "\\Q$text\\E"
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} = "0x$address "*" $text" ]]
	run -1 example search "$TARGET_PID" 'no such[ ]text'
	[ -z "$output" ]
	run -2 --separate-stderr example search "$TARGET_PID" 'a('
	[[ $stderr = 'search: invalid pattern'* && -z $output ]]
}

@test "near_limit: ends when the limit is near, and names what grew" {
	target_start grower
	exec {said}< <(example near_limit "$TARGET_PID" 64M && echo 'ended with 0' || echo "ended with $?")
	read -r line <&"$said"
	[[ $line = watching* ]]
	target_tell map leak 16384
	read -r line <&"$said"
	# A sample can be taken while the last pages are touched.
	[[ $line =~ 'grew by 6'[234]'.'[0-9]M ]]
	grep -q "^${line%% *} rw-p" "/proc/$TARGET_PID/maps"
	read -r line <&"$said"
	[ "$line" = 'ended with 1' ]
}

@test "all: a missing target and wrong usage are reported on stderr with status 2" {
	for name in biggest find_text near_limit search; do
		run -2 --separate-stderr example "$name"
		[[ $stderr = usage:* && -z $output ]]
		word=()
		[ "$name" = biggest ] || word=(1G)
		run -2 --separate-stderr example "$name" no-such-process-at-all "${word[@]}"
		[[ $stderr = "$name: "* && -z $output ]]
	done
}
