#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The memory that a search needs does not grow with the hits: the peak resident size of procmem
# itself, as counted by the kernel (getrusage(2)).

setup() {
	load support/helper
	require python3
	[ -z "$(nm "$PROCMEM_BIN" 2>/dev/null | grep -E '__(a|t)san_init')" ] || skip 'sanitizers take memory of their own'
}

teardown() {
	targets_stop
	json_check
}

# Runs procmem, and prints its peak resident size in KiB. Discards its output.
PEAK='
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
status, usage = os.wait4(child.pid, 0)[1:]
if status:
	sys.exit("procmem ended with %d" % status)
print(usage.ru_maxrss)
'

# Prints the peak resident size of a command in KiB.
peak() {
	python3 -c "$PEAK" "$PROCMEM_BIN" "$@" 2>/dev/null
}

# Checks that a command stays below 24 MiB.
is_small() {
	run -0 --separate-stderr python3 -c "$PEAK" "$PROCMEM_BIN" "$@"
	echo "$output KiB: $*"
	[ "$output" -lt 24576 ]
}

@test "a string of 128 MiB takes less than 24 MiB" {
	target_start one_byte 65 128
	range=$(target_range bytes)
	is_small strings "$TARGET_PID" "$range"
	is_small strings --json "$TARGET_PID" "$range"
	is_small strings -e all "$TARGET_PID" "$range"
	is_small grep -o 'A+' "$TARGET_PID" "$range"
	is_small grep 'A+' "$TARGET_PID" "$range"
	is_small grep --json 'A{60000,}' "$TARGET_PID" "$range"
}

@test "matches of bytes that JSON escapes to seven times their length take less than 24 MiB" {
	target_start one_byte 1 32
	range=$(target_range bytes)
	is_small grep --json '(?s)\x01+' "$TARGET_PID" "$range"
	is_small grep -o '(?s)\x01+' "$TARGET_PID" "$range"
	is_small grep -C 4096 '(?s)\x01+' "$TARGET_PID" "$range"
}

@test "a match of 3 MiB is one match, and is printed completely" {
	require jq
	target_start one_byte 65 3
	range=$(target_range bytes)
	search() { procmem grep -s "$@" "$TARGET_PID" "$range"; }
	[ "$(search -o 'A+' | wc -lc | xargs)" = '1 3145729' ]
	[ "$(search -ob 'A+' | tr -d A)" = "${range%-*}:" ]
	[ "$(search -m 1 -o 'A+' | wc -c)" -eq 3145729 ]
	[ "$(search -c 'A+' | awk '{ print $1 }')" = 1 ]
	[ "$(search 'A+' | wc -l)" -eq 1 ]
	[ "$(search -C 4 'A+' | tail -n 1)" = "${range#*-}" ]
	search --json 'A+' >"$BATS_TEST_TMPDIR/json"
	[ "$(jq -j .text "$BATS_TEST_TMPDIR/json" | wc -c)" -eq 3145728 ]
	jq -se 'length > 1 and (.[0] | .truncated and (has("continued") | not)) and (.[-1] | .continued and (has("truncated") | not)) and
		(map(.length) | add) == 3145728' "$BATS_TEST_TMPDIR/json"
}

@test "chunks that are listed while the process is stopped are kept in little memory" {
	target_start allocations 0
	printf 'sieve 1200000\n' >&"$TARGET_IN"
	target_await 'done sieve'
	few=$(peak heap --list --stop --max-stop 0 -n 1 "$TARGET_PID")
	[ "$("$PROCMEM_BIN" heap -q --list --stop --max-stop 0 --size 64 "$TARGET_PID" | wc -l)" -ge 390000 ]
	[ $(($(peak heap --list --stop --max-stop 0 --size 64 "$TARGET_PID") - few)) -lt 24576 ]
}

@test "all references take no more memory than the first 20 of them" {
	target_start allocations 0
	printf 'point 400000\n' >&"$TARGET_IN"
	found=$(target_await 'chunk pointed')
	target_await 'done point'
	address=$(awk '{ print $3 }' <<<"$found")
	few=$(peak refs --max-stop 0 "$TARGET_PID" "$address")
	[ $(($(peak refs --max-stop 0 --all "$TARGET_PID" "$address") - few)) -lt 24576 ]
	[ $(($(peak refs --max-stop 0 --json "$TARGET_PID" "$address") - few)) -lt 24576 ]
	run -0 --separate-stderr procmem refs -q --all "$TARGET_PID" "$address"
	[ "$(grep -c '^  chunk .*pointers)$' <<<"$output")" -ge 400000 ]
}
