#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem map` of a sample of a recording, compared with the recorded process and its smaps.

setup() {
	load ../support/helper
	recording=$BATS_TEST_TMPDIR/a.pmrec
}

teardown() {
	targets_stop
	json_check
}

@test "a sample of snap is listed as the process was, even after its end" {
	require jq
	target_start mapper
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	# The process does not change: its smaps has the expected values.
	awk '/^Size:/ { size += $2 } /^Rss:/ { rss += $2 } /^Private_Dirty:/ { dirty += $2 }
		END { printf "%.0f %.0f %.0f\n", size * 1024, rss * 1024, dirty * 1024 }' \
		"/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/truth"
	targets_stop
	run -0 --separate-stderr procmem map --json "$recording"
	[ -z "$stderr" ]
	[ "$(jq -r '"\(.total.size) \(.total.rss) \([.regions[].private_dirty] | add)"' <<<"$output")" = "$(<"$BATS_TEST_TMPDIR/truth")" ]
	jq -e --arg file "$recording" --argjson pid "$TARGET_PID" '.path == $file and .pid == $pid and .sample == 1
		and (.command | contains("mapper"))' <<<"$output"
	run -0 procmem map "$recording"
	[[ ${lines[0]} == "mapper ($TARGET_PID), sample 1 of $recording, 20"*Z"   RSS "* ]]
	[[ ${lines[1]} == ADDRESS*PSS*MAPPING ]]
	run -0 procmem map --by kind "$recording@first"
	[[ $output == *$'\n'stack* ]]
	run -0 procmem map --pmap "$recording"
	[[ ${lines[0]} == "$TARGET_PID:   "*mapper* ]]
}

@test "a sample of snap has the kinds and proofs of the process, even of partly resident regions" {
	require jq
	local seen='.regions[] | "\(.start) \(.kind) \(.proof) \(.detail)"'
	# The process does not change.
	target_start mapper
	run -0 procmem map --json "$TARGET_PID"
	jq -e '[.regions[] | select((.kind == "malloc" or .kind == "arena") and .rss > 0 and .rss < .size)] | length >= 2' <<<"$output"
	jq -r "$seen" <<<"$output" >"$BATS_TEST_TMPDIR/live"
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	run -0 procmem map --json "$recording"
	jq -r "$seen" <<<"$output" | diff "$BATS_TEST_TMPDIR/live" -
}

@test "a sample of watch has two sizes, and the others are unknown" {
	require jq
	target_start mapper
	procmem watch -q -i 0.1 -c 2 --record "$recording" "$TARGET_PID" >/dev/null
	run -0 procmem map "$recording@1"
	[[ ${lines[0]} == *", sample 1 of $recording, "* ]]
	[[ ${lines[1]} == ADDRESS*RSS*SWAP*PERM* && ${lines[1]} != *PSS* ]]
	run -0 procmem map --json "$recording"
	jq -e '.sample == 2 and (.total | has("rss")) and ([.regions[] | has("pss")] | any | not)' <<<"$output"
	run -2 procmem map --pmap "$recording"
	[[ $output == *"recordings of 'watch'"* ]]
	run -2 procmem map -s pss "$recording"
	[[ $output == *"cannot sort by pss: recordings of 'watch' do not have this field"* ]]
	run -2 procmem map "$recording@3"
	[[ $output == *'no sample 3'* ]]
}

@test "--by for a recording by watch shows unknown columns only if they are requested" {
	target_start mapper
	procmem watch -q -i 0.1 -c 1 --record "$recording" "$TARGET_PID" >/dev/null
	for by in kind mapping perms arena thread object; do
		run -0 procmem map --by "$by" "$recording"
		[[ ${lines[1]} == *COUNT*SIZE*RSS*SWAP*LARGEST* && ${lines[1]} != *PSS* && ${lines[1]} != *DIRTY* && $output != *' ? '* ]]
	done
	run -0 procmem map --by kind --csv "$recording"
	[ "${lines[0]}" = kind,count,size,rss,swap,largest ]
	run -0 procmem map --by kind -o kind,pss,rss "$recording"
	[[ ${lines[1]} == KIND*PSS*RSS* && ${lines[2]} == *' ? '* ]]
	run -0 procmem map --by kind -o +dirty "$recording"
	[[ ${lines[1]} == *SWAP*LARGEST*DIRTY* ]]
	# A recording by snap has these columns.
	procmem snap -q -o "$recording" "$TARGET_PID"
	run -0 procmem map --by kind "$recording"
	[[ ${lines[1]} == *RSS*PSS*DIRTY*SWAP* && $output != *' ? '* ]]
}

@test "a sample is found by its printed time, and by a part of it" {
	require jq
	target_start mapper
	procmem watch -q -i 0.1 -c 3 --record "$recording" "$TARGET_PID" >/dev/null
	local printed number
	for number in 1 2 3; do
		printed=$(procmem map --json "$recording@$number" | jq -r .time)
		run -0 procmem map --json "$recording@$printed"
		[ "$(jq .sample <<<"$output")" = $number ]
	done
	run -0 procmem map --json "$recording@${printed:11:5}"
	[ "$(jq .sample <<<"$output")" = 3 ]
	run -2 --separate-stderr procmem map "$recording@1999-12-31T12:00"
	[[ $stderr == *"has no sample at or before 1999-12-31T12:00: its first sample was taken at "*"; use $recording@first" ]]
	run -0 procmem map "$(grep -o '[^ ]*@first' <<<"$stderr")"
}

@test "a recording contains no memory to read" {
	target_start mapper
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	for command in "strings $recording" "dump $recording@1 anon" "grep x $recording"; do
		# shellcheck disable=SC2086 # words
		run -2 procmem $command
		[[ $output == *"is a recording, which has sizes but no contents of memory: read it with 'procmem map'"* ]]
	done
}
