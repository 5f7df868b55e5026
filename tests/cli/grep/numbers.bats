#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep --int`, `--float`, `--save` and `--next`, on a target that knows its numbers and
# changes them on command.

setup() {
	load ../support/helper
	target_start numbers
	range=$(target_range numbers)
	saved=$BATS_TEST_TMPDIR/hits
}

teardown() {
	targets_stop
	json_check
}

# The addresses of the numbers of the target with a value, of certain types.
addresses() {
	awk -v value="$1" -v types="^($2)\$" '$1 == "number" && $2 ~ types && $4 == value { print $3 }' "$TARGET_FACTS"
}

# Searches the mapping, and prints the addresses of the hits.
found() {
	procmem grep "$@" "$TARGET_PID" "$range" | awk '{ print $1 }'
}

# Reads the saved hits again, and prints the addresses of those that are left.
left() {
	procmem grep -s --next "$saved" "$@" | awk '{ print $1 }'
}

@test "integers are found at every address and across pages, and --aligned leaves some out" {
	[ "$(found --int 1234567)" = "$(addresses 1234567 int32)" ]
	[ "$(found --int 1234567 | wc -l)" -eq 4 ]
	[ "$(found --int 0x12d687:4)" = "$(addresses 1234567 int32)" ]
	[ "$(found --int 1234567 --aligned)" = "$(addresses 1234567 int32 | grep '[048c]$')" ]
	[ "$(found --int=-77001)" = "$(addresses -77001 int32)" ]
	[ "$(found --int=-31001:2)" = "$(addresses -31001 int16)" ]
	[ "$(found --int 1234567890123)" = "$(addresses 1234567890123 int64)" ]
	[ "$(found --int 18446744073709551000)" = "$(addresses 18446744073709551000 uint64)" ]
	# The end of this one is in a page that was never touched.
	[ "$(found --int 65000:2)" = "$(addresses 65000 uint16)" ]
	# The whole process has the same numbers, and they are not only in this mapping.
	run -0 procmem grep -s --int 1234567 "$TARGET_PID"
	[ "$(awk '{ print $1 }' <<<"$output")" = "$(addresses 1234567 int32)" ]
}

@test "floats, ranges, and several types in one search" {
	[ "$(found --float 99.5)" = "$(addresses 99.5 'float32|float64')" ]
	[ "$(found --float 99.5:4)" = "$(addresses 99.5 float32)" ]
	[ "$(found --float 99..100:8 --aligned)" = "$(addresses 99.5 float64)" ]
	[ "$(found --float=-1.3e100..-1.2e100)" = "$(addresses -1.25e100 float64)" ]
	[ "$(found --int=-77010..-77000)" = "$(addresses -77001 int32)" ]
	[ "$(found --int 1234560..1234570 --float 99.4..99.6:8 --aligned)" = \
		"$({ addresses 1234567 int32 | grep '[048c]$' && addresses 99.5 float64; } | sort)" ]
	run -0 procmem grep -o --float=-1.25e100 "$TARGET_PID" "$range"
	[ "$output" = -1.25e+100 ]
	run -0 procmem grep --int=-77001 "$TARGET_PID" "$range"
	[ "$output" = "$(addresses -77001 int32)  anon +0x2010: int32 -77001" ]
	run -0 procmem grep -c --int 1234567 "$TARGET_PID" "$range"
	[[ $output == *'4  '*-*anon* ]]
	run -1 procmem grep -s --int 7654321 "$TARGET_PID" "$range"
}

@test "JSON has the type, the value and the bytes" {
	require jq
	run -0 procmem grep --json --int 18446744073709551000 --int=-31001:2 --float 99.5:4 "$TARGET_PID" "$range"
	jq -se --arg a "0x$(addresses -31001 int16)" \
		'map([.number_type, .hex]) == [["int16", "e786"], ["uint64", "98fdffffffffffff"], ["float32", "0000c742"]]
		and .[0].number == -31001 and (.[1] | has("number") | not) and .[0].address == $a and .[2].number == 99.5 and .[2].length == 4' <<<"$output"
}

@test "--next keeps the numbers that changed, grew, shrank or stayed, round by round" {
	local -a at
	mapfile -t at < <(addresses 1234567 int32)
	run -0 procmem grep --int 1234567 --save "$saved" "$TARGET_PID"
	[ "$output" = "4 numbers saved in $saved" ]
	[ "$(stat -c %a "$saved")" = 600 ]
	[ "$(left)" = "$(addresses 1234567 int32)" ]
	run -1 procmem grep -s --next "$saved" --keep changed
	[ -z "$output" ]

	target_tell "set ${at[0]} int32 1234568"
	target_tell "set ${at[1]} int32 -5"
	target_tell "set ${at[2]} int32 1234600"
	[ "$(left --keep changed)" = "${at[0]}"$'\n'"${at[1]}"$'\n'"${at[2]}" ]
	[ "$(left --keep same)" = "${at[3]}" ]
	[ "$(left --keep grew)" = "${at[0]}"$'\n'"${at[2]}" ]
	[ "$(left --keep shrank)" = "${at[1]}" ]
	[ "$(left --int 1234568)" = "${at[0]}" ]
	[ "$(left --int 1234500..1234600:8 --keep changed)" = "${at[0]}"$'\n'"${at[2]}" ]
	[ "$(left --float 1..9999999)" = '' ]
	run -0 procmem grep -s -c --next "$saved" --keep grew "$TARGET_PID"
	[ "$output" = 2 ]
	run -0 --separate-stderr procmem grep --next "$saved" --keep shrank
	[ "$output" = "${at[1]}  anon +0x81: int32 -5, was 1234567" ]
	[ "$stderr" = 'procmem: note: 1 of 4 numbers left' ]

	run -0 --separate-stderr procmem grep --next "$saved" -m 1
	[ "${#lines[@]}" -eq 1 ]
	[ "$stderr" = 'procmem: note: 1 of the first 1 number left; the others were not read (-m)' ]

	# The next round replaces the file. Its numbers are those of this round.
	run -0 procmem grep -s --next "$saved" --keep grew --save "$saved"
	[ "$output" = "2 numbers saved in $saved" ]
	target_tell "set ${at[2]} int32 1234599"
	[ "$(left --keep shrank)" = "${at[2]}" ]
	[ "$(left --keep same)" = "${at[0]}" ]
}

@test "--next: JSON, dropped pages are zeros, unmapped memory is counted" {
	require jq
	procmem grep --int 1234567 --save "$saved" "$TARGET_PID"
	target_tell drop
	run -0 procmem grep -s --json --next "$saved"
	jq -se 'map([.number, .number_was, .hex, .hex_was, .number_type]) | length == 4 and all(. == [0, 1234567, "00000000", "87d61200", "int32"])' <<<"$output"
	# Reading them again does not make the process grow.
	[ "$(awk -v r="${range%-*}" '$1 ~ "^" r { found = 1 } found && $1 == "Rss:" { print $2; exit }' "/proc/$TARGET_PID/smaps")" -eq 0 ]
	target_tell unmap
	run -0 --separate-stderr procmem grep --next "$saved"
	[ "${#lines[@]}" -eq 3 ]
	[ "$stderr" = 'procmem: note: 3 of 4 numbers left; 1 no longer mapped' ]
}

@test "--next reads all numbers that overlap the border of two regions" {
	target_tell split
	# 128 bytes contain 121 numbers of 8 bytes and 125 of 4 bytes.
	run -0 procmem grep --int 0x0707070707070707 --int 0x07070707:4 --save "$saved" "$TARGET_PID" "$range"
	[ "$output" = "246 numbers saved in $saved" ]
	run -0 --separate-stderr procmem grep -c --next "$saved" --keep same
	[ "$output" = 246 ]
	[ "$stderr" = 'procmem: note: 246 of 246 numbers left' ]
}

@test "hits are refused for another process, after exec, and if the file is damaged" {
	procmem grep --int 1234567 --save "$saved" "$TARGET_PID"
	local first=$TARGET_PID
	target_start numbers
	run -2 procmem grep --next "$saved" "$TARGET_PID"
	[[ $output == *"the hits were found in process $first, not in process $TARGET_PID" ]]

	head -c -1 "$saved" >"$saved.short"
	run -2 procmem grep --next "$saved.short"
	[[ $output == *'is damaged: it is truncated'* ]]
	{ head -c 380 "$saved" && printf x && tail -c +382 "$saved"; } >"$saved.other"
	run -2 procmem grep --next "$saved.other"
	[[ $output == *'is damaged: '* ]]
	run -2 procmem grep --next /dev/null
	[[ $output == *'not a file of hits'* ]]
	run -2 procmem grep --next "$saved.none"
	[[ $output == *'No such file'* ]]
}

@test "hits are refused after exec" {
	procmem grep --int 1234567 --save "$saved" "$TARGET_PID"
	printf 'exec\n' >&"$TARGET_IN"
	target_await ready
	run -2 procmem grep --next "$saved"
	[[ $output == *'has called exec since the hits were found'* ]]
}

@test "options that do not fit are refused with a reason" {
	run -2 procmem grep --int 1 -e x "$TARGET_PID"
	[[ $output == *'numbers cannot be combined with patterns'* ]]
	run -2 procmem grep --save "$saved" x "$TARGET_PID"
	[[ $output == *"'--save' saves numbers"* ]]
	run -2 procmem grep --int 1 --save "$saved" --json "$TARGET_PID"
	[[ $output == *"'grep --next FILE' prints them"* ]]
	run -2 procmem grep --int 1 --keep same "$TARGET_PID"
	[[ $output == *"'--keep' needs '--next'"* ]]
	run -2 procmem grep --aligned x "$TARGET_PID"
	[[ $output == *"'--aligned' belongs to"* ]]
	run -2 procmem grep --next "$saved" --keep less
	[[ $output == *'must be changed, same, grew or shrank'* ]]
	run -2 procmem grep --int 300:1 "$TARGET_PID"
	[[ $output == *'does not fit into 1 byte'* ]]
	[ ! -e "$saved" ]
}
