#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sums by owner: `procmem map --by owner`, --owner, the owner of an address, recordings and diff. The
# truth is the kernel's smaps, and what the target reports.

setup() {
	load ../support/helper
	load ../support/smaps
	recording=$BATS_TEST_TMPDIR/a.pmrec
}

teardown() {
	targets_stop
	json_check
}

# Prints the resident bytes of an owner in JSON.
rss_of() {
	jq --arg owner "$1" '[.groups[] | select(.owner == $owner) | .rss] | add // 0'
}

@test "the owners have all memory of the process" {
	target_start mapper
	same 'procmem map --by owner --json "$TARGET_PID" | jq -r "[([.groups[].size] | add), ([.groups[].rss] | add)] | @tsv"' \
		'awk "/^Size:/ { size += \$2 } /^Rss:/ { rss += \$2 } END { printf \"%.0f\t%.0f\n\", size * 1024, rss * 1024 }" /proc/"$TARGET_PID"/smaps'
}

@test "memory of malloc, files and stacks counts for its owner, to the byte" {
	target_start grower
	procmem map --by owner --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/before"
	target_tell malloc block 300
	procmem map --by owner --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/after"
	local was is
	was=$(rss_of malloc <"$BATS_TEST_TMPDIR/before")
	is=$(rss_of malloc <"$BATS_TEST_TMPDIR/after")
	# The header of a block can need one more page.
	[ $((is - was)) -ge $((300 * 4096)) ]
	[ $((is - was)) -le $((302 * 4096)) ]

	# The stack of the only thread.
	[ "$(rss_of stack <"$BATS_TEST_TMPDIR/after")" = "$(awk '/\[stack\]/ { at = 1 } at && /^Rss:/ { print $2 * 1024; exit }' "/proc/$TARGET_PID/smaps")" ]
	# Mapped files, without zero-initialised data that has no file.
	local files
	files=$(awk '/^[0-9a-f]+-/ { at = $6 ~ /^\// } at && /^Rss:/ { rss += $2 } END { printf "%.0f\n", rss * 1024 }' "/proc/$TARGET_PID/smaps")
	is=$(rss_of file <"$BATS_TEST_TMPDIR/after")
	[ "$is" -ge "$files" ]
	[ $((is - files)) -le $((64 * 4096)) ]
}

@test "memory that no rule knows is named, with its size" {
	target_start grower
	target_tell map pool 700
	run -0 procmem map --by owner --bytes "$TARGET_PID"
	[[ ${lines[1]} == "RSS "*" = "*" + not known "* ]]
	local unknown=${lines[1]##*not known }
	[ "$unknown" -ge $((700 * 4096)) ]
	[[ $output == *$'\n(not known) '*" largest part $((700 * 4096)) "* || $output == *$'\n(not known) '*"largest part 2.7M at "* ]]
	run -0 procmem map --by owner --json "$TARGET_PID"
	[ "$(jq '.groups[] | select(.owner == null) | .rss' <<<"$output")" = "$unknown" ]
}

@test "the terms of the first line sum up to RSS" {
	target_start mapper
	run -0 procmem map --by owner --bytes "$TARGET_PID"
	local line
	line=$(awk '/^RSS/ { on = 1 } /^OWNER/ { on = 0 } on' <<<"$output" | tr '\n' ' ')
	[[ $line =~ ^"RSS "([0-9]+)" = "(.*)$ ]]
	[ "$(grep -oE '[0-9]+' <<<"${BASH_REMATCH[2]}" | awk '{ sum += $1 } END { printf "%.0f", sum }')" = "${BASH_REMATCH[1]}" ]
}

@test "a Python process: its objects by type, and malloc is external" {
	require python3
	spawn python3 -c '
import os, sys, time
class Ledger:
    def __init__(self, i):
        self.i = i
kept = [Ledger(i) for i in range(20000)]
print(sys.version.split()[0], flush=True)
time.sleep(1000)'
	local version pid=$TARGET_PID
	IFS= read -r version <&"$TARGET_OUT"
	run -0 procmem map --by owner "$pid"
	[[ $output == *"RSS "*" = Python's own "*"native malloc "*" (External)"* ]]
	[[ $output == *$'\npython '"$version"* ]]
	[[ $output == *"Ledger ×20,000 "* ]]
	run -0 procmem map --by owner --json "$pid"
	jq -e --arg version "$version" \
		'.runtimes[] | select(.family == "python") | .version == $version' <<<"$output"
	[ "$(rss_of python/objects <<<"$output")" -gt $((20000 * 48)) ]
}

@test "--owner selects regions, by owner or by family" {
	target_start mapper
	run -0 procmem map --json --owner malloc "$TARGET_PID"
	jq -e '(.regions | length > 1) and all(.regions[]; .owner == "malloc")' <<<"$output"
	run -0 procmem map --json "$TARGET_PID"
	local all
	all=$(jq '[.regions[] | select(.owner == "malloc" or .owner == "stack")] | length' <<<"$output")
	run -0 procmem map --json --owner malloc --owner stack "$TARGET_PID"
	[ "$(jq '.regions | length' <<<"$output")" = "$all" ]
	run -1 procmem map --owner java "$TARGET_PID"
	run -2 procmem map --owner maloc "$TARGET_PID"
	[[ $output == *"'maloc' is not an owner; did you mean 'malloc'?"* ]]
	run -2 procmem map --owner ,stack "$TARGET_PID"
	[[ $output == *"an owner in the list is empty"* ]]
	run -2 procmem map --owner zzzzzz "$TARGET_PID"
	[[ $output == *"'zzzzzz' is not an owner: use names of the column owner"* ]]
}

@test "--owner works in all commands that select regions" {
	target_start texts
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	run -0 procmem dump --owner malloc -o "$BATS_TEST_TMPDIR/dump" "$TARGET_PID" all
	run -0 procmem dump --owner file --json -q -o "$BATS_TEST_TMPDIR/files" "$TARGET_PID" all
	run -0 procmem strings -q --json --owner file "$TARGET_PID"
	jq -es 'length > 0 and all(.[]; .region.owner == "file")' <<<"$output"
	run -0 procmem grep -q --owner file ELF "$TARGET_PID"
	run -1 procmem grep -q --owner kernel 'no such text in the memory of the kernel' "$TARGET_PID"
	run -0 procmem watch --owner malloc -i 0.1 -c 2 --plain "$TARGET_PID"
	run -0 procmem diff --owner malloc "$recording" "$recording"
	run -0 procmem stale --for 0.1s --yes --owner malloc --json "$TARGET_PID"
	jq -e 'all(.regions[]; .owner == "malloc")' <<<"$output"
}

@test "the column owner, and the owner of an address" {
	target_start mapper
	run -0 procmem map --csv -o kind,owner "$TARGET_PID"
	[[ $output == *$'\nheap,malloc\n'* && $output == *$'\nstack,stack\n'* && $output == *$'\ncode,file\n'* ]]
	local heap
	heap=$(awk '$6 == "[heap]" { split($1, at, "-"); print at[1]; exit }' "/proc/$TARGET_PID/maps")
	run -0 procmem map "$TARGET_PID" "$heap"
	[[ $output == *"owner malloc (native malloc, proven)"* ]]
	run -0 procmem map --json "$TARGET_PID" "$heap"
	jq -e '.owner_range.owner == "malloc" and .owner_range.start == .regions[0].start' <<<"$output"
}

@test "a recording has the owners of the process, and old recordings those of the kinds" {
	require sqlite3
	local owners='.groups[] | "\(.owner) \(.rss) \(.size) \(.count) \(.inferred)"'
	target_start mapper
	procmem map --by owner --json "$TARGET_PID" | jq -r "$owners" >"$BATS_TEST_TMPDIR/live"
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	procmem map --by owner --json "$recording" | jq -r "$owners" | diff "$BATS_TEST_TMPDIR/live" -
	procmem map --json "$TARGET_PID" | jq -r '.regions[] | "\(.start) \(.owner)"' >"$BATS_TEST_TMPDIR/regions"
	procmem map --json "$recording" | jq -r '.regions[] | "\(.start) \(.owner)"' | diff "$BATS_TEST_TMPDIR/regions" -

	# As written by a version without owners.
	sqlite3 "$recording" 'DROP TABLE owner; DROP TABLE region_owner'
	procmem map --by owner --json "$recording" | jq -r "$owners" | diff "$BATS_TEST_TMPDIR/live" -
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	procmem map --by owner --json "$recording" | jq -r "$owners" | diff "$BATS_TEST_TMPDIR/live" -
}

@test "a recording with owners that this version does not know is read" {
	require sqlite3
	target_start mapper
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	run -0 procmem map --by owner --json "$recording"
	local malloc
	malloc=$(rss_of malloc <<<"$output")
	sqlite3 "$recording" "UPDATE owner SET owner = 'later' WHERE owner = 'malloc'; UPDATE region_owner SET owner = 'later', proof = 99 WHERE owner = 'malloc'"
	run -0 procmem map --by owner --json "$recording"
	[ "$(rss_of malloc <<<"$output")" = 0 ]
	[ "$(jq '[.groups[] | select(.owner == null) | .rss] | add' <<<"$output")" -ge "$malloc" ]
}

@test "diff --by owner names the owner that grew, by as much as the target reports" {
	target_start grower
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	target_tell malloc block 500
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	run -1 procmem diff --by owner --json "$recording@first" "$recording"
	local delta
	delta=$(jq '.groups[0] | select(.owner == "malloc" and .change == "grew") | .delta' <<<"$output")
	[ "$delta" -ge $((500 * 4096)) ]
	[ "$delta" -le $((502 * 4096)) ]
	# The difference between all owners is that of the process.
	jq -e '([.groups[].delta] | add) == .total.delta' <<<"$output"
	run -1 procmem diff --by owner "$recording@first" "$recording"
	[[ $output == *$'\nOWNER '* && $output == *$'\nmalloc '* ]]
	run -2 procmem diff --by ovner "$recording@first" "$recording"
	[[ $output == *"use kind, mapping, owner or site"* ]]
}

@test "several processes: owners are summed up" {
	target_start mapper
	local first=$TARGET_PID
	target_start grower
	run -0 procmem map --by owner --json "$first,$TARGET_PID"
	jq -es '.[2] as $sum | [.[0, 1].groups[] | select(.owner == "malloc") | .rss] | add == ($sum.groups[] | select(.owner == "malloc") | .rss)' <<<"$output"
}

@test "a saved smaps file has owners, and a maps file has their sizes" {
	target_start mapper
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	cat "/proc/$TARGET_PID/maps" >"$BATS_TEST_TMPDIR/maps"
	run -0 procmem map --by owner "$BATS_TEST_TMPDIR/smaps"
	[[ $output == *"RSS "*" = "* ]]
	run -0 procmem map --by owner "$BATS_TEST_TMPDIR/maps"
	[[ $output == *"address space "*" = "* ]]
}
