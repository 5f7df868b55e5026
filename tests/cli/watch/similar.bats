#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Rows of `procmem watch` for files whose names differ only in numbers, on a target that maps files on command.

setup() {
	load ../support/helper
	file=$BATS_TEST_TMPDIR/run.pmrec
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

# Records a sample before and a sample after each command.
record() {
	local command
	procmem snap -q -o "$file" "$TARGET_PID"
	for command; do
		target_tell "$command"
		procmem snap -q -o "$file" "$TARGET_PID"
	done
}

# Prints the rows of the last object whose mapping is in the directory of the target.
rows() {
	jq -c --arg directory "$directory/" '[.regions[] | select((.mapping // "") | startswith($directory)) | .mapping |= ltrimstr($directory)]'
}

@test "files with similar names that were there at the start share a row, with exact sums" {
	tell_each 'map seg1.idx 100' 'map seg2.idx 100' 'map seg30.idx 100' 'map seg30.idx 100' 'map other.idx 100'
	record 'touch seg1.idx 10' 'touch seg2.idx 20' 'touch other.idx 5'
	run -0 procmem watch --json "$file"
	tail -n 1 <<<"$output" | rows | jq -e 'length == 2 and
		(.[0] | .mapping == "seg#.idx" and .files == 3 and .count == 4 and .size == 400 * 4096 and .rss == 30 * 4096 and .growth == 30 * 4096) and
		(.[1] | .mapping == "other.idx" and (has("files") | not) and .count == 1 and .growth == 5 * 4096)'
	run -0 procmem watch "$file"
	[[ $output == *" $directory/seg#.idx (3 files) ×4"* ]]
	# The sample in which the second file grew has the change of this sample only.
	run -0 procmem watch --json "$file"
	sed -n 3p <<<"$output" | rows | jq -e '.[0] | .delta == 20 * 4096 and .growth == 30 * 4096'
}

@test "files that appear later join the row, and the number of files is the present one" {
	target_tell 'map seg1.idx 100'
	record 'touch seg1.idx 10' 'map seg2.idx 50' 'touch seg2.idx 3' 'map seg3-0x7f.idx 10' 'unmap seg1.idx'
	run -0 procmem watch --json "$file"
	sed -n 2p <<<"$output" | rows | jq -e 'length == 1 and (.[0] | .mapping == "seg1.idx" and (has("files") | not))'
	sed -n 4p <<<"$output" | rows | jq -e 'length == 1 and (.[0] | .mapping == "seg#.idx" and .files == 2 and .count == 2 and .rss == 13 * 4096)'
	tail -n 1 <<<"$output" | rows | jq -e 'length == 2 and
		any(.[]; .mapping == "seg#.idx" and .files == 1 and .count == 1 and .rss == 3 * 4096 and .growth == 3 * 4096) and
		any(.[]; .mapping == "seg3-0x7f.idx")'
}

@test "only the numbers that differ are replaced" {
	tell_each 'map v2-1f00aa.db 10' 'map v2-2f00bb.db 10'
	record 'touch v2-1f00aa.db 1' 'touch v2-2f00bb.db 1'
	run -0 procmem watch --json "$file"
	tail -n 1 <<<"$output" | rows | jq -e 'length == 1 and (.[0] | .mapping == "v2-#.db" and .files == 2)'
}

@test "different kinds do not share a row, and a chosen file stands for itself" {
	local kinds
	tell_each 'map seg1.idx 10' 'map seg2.idx 10' 'read seg3.idx 10' 'read seg4.idx 10'
	record 'touch seg1.idx 1' 'touch seg2.idx 1' 'touch seg3.idx 1' 'touch seg4.idx 1'
	run -0 procmem watch --json "$file"
	kinds=$(procmem map --json "$TARGET_PID" | jq -c --arg directory "$directory/" '[.regions[] | select((.mapping // "") | startswith($directory)) | .kind] | unique')
	tail -n 1 <<<"$output" | rows | jq -e --argjson kinds "$kinds" '([.[].kind] | sort) == $kinds and ([.[].count] | add == 4)'
	run -0 procmem watch --json --mapping 'seg2[.]idx' "$file"
	tail -n 1 <<<"$output" | jq -e '.regions | length == 1 and (.[0] | (.mapping | endswith("/seg2.idx")) and .count == 1 and .growth == 4096 and (has("files") | not))'
}

@test "a live process has the same rows, and the strings of new pages belong to the shared row" {
	tell_each 'map seg1.idx 100' 'map seg2.idx 100'
	"$PROCMEM_BIN" watch --json -i 0.1 --budget 0 --peek 3 "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 3>&- &
	local watcher=$!
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do sleep 0.05; done
	target_tell 'touch seg2.idx 7'
	until grep -q '"files":2' "$BATS_TEST_TMPDIR/out"; do sleep 0.05; done
	kill -TERM "$watcher"
	wait "$watcher"
	tail -n 1 "$BATS_TEST_TMPDIR/out" | rows | jq -e 'length == 1 and (.[0] | .mapping == "seg#.idx" and .files == 2 and .growth == 7 * 4096 and .appeared == 7 * 4096)'
}
