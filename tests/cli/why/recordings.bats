#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why FILE` on recordings and core files of the programs whose causes are known: the findings are those of the living
# program, as far as the data go. Time passes by command, so the rates are exact.

setup() {
	load ../support/helper
	load ../support/curve
	load ../support/causes
}

teardown() {
	targets_stop
	json_check
}

# judge NAME FILE: investigates a file; `first` and `acquitted` test the result.
judge() {
	"$PROCMEM_BIN" why --json "$2" >"$BATS_TEST_TMPDIR/$1.json" || [ $? -eq 1 ]
	json_keep why "$BATS_TEST_TMPDIR/$1.json"
	echo "$1:"
	jq -c '.findings[] | [.id, .confidence, .verdict, .rate, .count_rate, .limit.name]' "$BATS_TEST_TMPDIR/$1.json"
}

# is NAME FILTER: tests the first finding.
is() {
	jq -e --argjson seconds 26 "$near .findings[0] | $2" "$BATS_TEST_TMPDIR/$1.json"
}

# recorded NAME PROGRAM WORD...: records 26 s of a target.
recorded() {
	target_start "${@:2}" stepped
	record_seconds "$BATS_TEST_TMPDIR/$1.pmrec" 26
	targets_stop
	judge "$1" "$BATS_TEST_TMPDIR/$1.pmrec"
}

@test "regions that grow: a reserve, large blocks, anonymous memory, a rising floor" {
	recorded reserve leaker pool 4194304
	is reserve '.id == "reserve" and (.rate | near(4194304)) and soon(1024 - 26 * 4; 4)'
	recorded buffers causes buffers 8
	is buffers '.id == "mapped_chunks" and (.rate | near(8 * 266240))'
	recorded anonymous causes anonymous 500
	is anonymous '.id == "growth" and (.rate | near(500 * 4096))'
	recorded floor causes floor 1000
	is floor '(.id == "rising_floor" or .id == "growth") and (.rate | near(1000 * 4096))'
	recorded still leaker pool 0
	recorded flat causes floor 0
	recorded buffers_queue causes buffers-queue 8
	for name in still flat buffers_queue; do
		jq -e 'all(.findings[]; .harmless)' "$BATS_TEST_TMPDIR/$name.json"
	done
	# A recording says what it does not have.
	jq -e '[.unseen[] | select(test("malloc|tmpfs|pressure"))] | length >= 3' "$BATS_TEST_TMPDIR/buffers.json"
}

@test "numbers that pile up: mappings and threads" {
	recorded maps causes maps 40
	is maps '.id == "mappings" and (.count_rate | near(40)) and .limit.name == "mappings"'
	recorded threads leaker threads 20
	is threads '.id == "threads" and (.count_rate | near(20))'
	recorded maps_queue causes maps-queue 40
	jq -e 'all(.findings[]; .harmless)' "$BATS_TEST_TMPDIR/maps_queue.json"
}

@test "weight in a core: free memory that malloc keeps; a core does not know growth" {
	local name
	for name in retention kept; do
		target_start causes $name 64
		procmem dump -q --core -o "$BATS_TEST_TMPDIR/$name.core" "$TARGET_PID"
		targets_stop
		judge $name "$BATS_TEST_TMPDIR/$name.core"
		jq -e 'any(.unseen[]; startswith("growth")) and any(.unseen[]; test("locked"))' "$BATS_TEST_TMPDIR/$name.json"
	done
	is retention '.id == "arena_retention" and (.bytes / 1048576 | . > 56 and . < 65)'
	is kept '.id == "many_chunks" and .confidence == "possible" and (.bytes / 1048576 | . > 56 and . < 72)'
}

@test "weight in a recording: locked memory, and huge pages" {
	local name
	for name in locked unlocked huge small; do
		target_start causes $name 64
		procmem snap -q -o "$BATS_TEST_TMPDIR/$name.pmrec" "$TARGET_PID"
		targets_stop
		judge $name "$BATS_TEST_TMPDIR/$name.pmrec"
		jq -e 'any(.unseen[]; startswith("growth"))' "$BATS_TEST_TMPDIR/$name.json"
	done
	is locked '.id == "locked" and .bytes == 67108864'
	if ! grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
		is huge '.id == "huge_pages" and .bytes == 67108864'
	fi
	for name in unlocked small; do
		jq -e 'all(.findings[]; .harmless)' "$BATS_TEST_TMPDIR/$name.json"
	done
}
