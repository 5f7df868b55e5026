#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sums of `map --by mapping` and `diff --by mapping` for files whose names differ only in numbers, on a target that maps files on command.

setup() {
	load ../support/helper
	target_start segments
	directory=$(target_fact directory)
}

teardown() {
	json_check
	targets_stop
}

tell_each() {
	local command
	for command; do
		target_tell "$command"
	done
}

# Prints the groups whose mapping is in the directory of the target.
groups() {
	jq -c --arg directory "$directory/" '[.groups[] | select((.mapping // "") | startswith($directory)) | .mapping |= ltrimstr($directory)]'
}

@test "files with similar names share a row, with the number of different names and of regions" {
	tell_each 'map seg1.idx 100' 'map seg2.idx 50' 'map seg30.idx 10' 'map seg30.idx 10' 'map other.idx 7' 'map lone9.idx 3'
	tell_each 'touch seg1.idx 10' 'touch seg2.idx 20' 'touch other.idx 5'
	run -0 procmem map --by mapping --json "$TARGET_PID"
	groups <<<"$output" | jq -e 'length == 3 and
		any(.[]; .mapping == "seg#.idx" and .files == 3 and .count == 4 and .size == 170 * 4096 and .rss == 30 * 4096 and .largest == 100 * 4096) and
		any(.[]; .mapping == "other.idx" and .count == 1 and (has("files") | not)) and
		any(.[]; .mapping == "lone9.idx" and .count == 1 and (has("files") | not))'
	run -0 procmem map --by mapping "$TARGET_PID"
	[[ $output == *" $directory/seg#.idx (3 files)"* ]]
	run -0 procmem map --by mapping --csv -o files,count,mapping "$TARGET_PID"
	grep -q "^3,4,$directory/seg#.idx" <<<"$output"
	# The sums still are those of all regions.
	run -0 procmem map --by mapping --json "$TARGET_PID"
	jq -e '([.groups[].size] | add) == .total.size and ([.groups[].count] | add) == .total.count' <<<"$output"
}

@test "files of different kinds do not share a row" {
	tell_each 'map seg1.idx 10' 'map seg2.idx 10'
	# The kinds of saved files come from the permissions and names only.
	sed -e '/seg2[.]idx/s/rw-s/r-xp/' "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	[ "$(procmem map --json "$BATS_TEST_TMPDIR/smaps" | jq -r '[.regions[] | select((.mapping // "") | test("seg[12]")) | .kind] | unique | length')" -eq 2 ]
	run -0 procmem map --by mapping --json "$BATS_TEST_TMPDIR/smaps"
	groups <<<"$output" | jq -e '([.[].mapping] | sort) == ["seg1.idx", "seg2.idx"]'
}

@test "diff sums them up too, with the exact change" {
	tell_each 'map seg1.idx 100' 'map seg2.idx 100' 'map other.idx 10'
	procmem snap -q -o "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID"
	tell_each 'touch seg1.idx 10' 'touch seg2.idx 20' 'map seg3.idx 5' 'touch other.idx 4'
	procmem snap -q -o "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID"
	run -1 procmem diff --by mapping --json "$BATS_TEST_TMPDIR/run.pmrec@first" "$BATS_TEST_TMPDIR/run.pmrec@last"
	groups <<<"$output" | jq -e 'length == 2 and
		(.[0] | .mapping == "seg#.idx" and .files == 3 and .count == 3 and .delta == 30 * 4096 and .size_delta == 5 * 4096 and .change == "grew") and
		(.[1] | .mapping == "other.idx" and (has("files") | not) and .delta == 4 * 4096)'
	run -1 procmem diff --by mapping "$BATS_TEST_TMPDIR/run.pmrec@first" "$BATS_TEST_TMPDIR/run.pmrec@last"
	[[ $output == *" $directory/seg#.idx (3 files)"* ]]
}

@test "diff sums up 120,000 files within seconds" {
	# 120,000 files. Their names have a number, but differ in letters.
	awk 'BEGIN {
		for (i = 0; i < 120000; i++) {
			name = ""
			for (n = i; n > 0; n = int(n / 20))
				name = name sprintf("%c", 103 + n % 20)
			printf "1%08x-1%08x r--s 00000000 08:01 %d /srv/%s-1\n", i * 8192, i * 8192 + 4096, i + 1, name
		}
	}' >"$BATS_TEST_TMPDIR/many.maps"
	head -n 1 "$BATS_TEST_TMPDIR/many.maps" >"$BATS_TEST_TMPDIR/one.maps"
	# Less than a second of CPU time is needed. A search of all rows for each row takes a minute.
	ulimit -t 30
	"$PROCMEM_BIN" diff --by mapping "$BATS_TEST_TMPDIR/one.maps" "$BATS_TEST_TMPDIR/many.maps" >"$BATS_TEST_TMPDIR/out" || [ $? -eq 1 ]
	[ "$(grep -c '/srv/' "$BATS_TEST_TMPDIR/out")" -eq 119999 ]
}
