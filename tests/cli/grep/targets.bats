#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep` and its targets: several, itself, processes that end, change or are refused, files; closed pipes.

setup() {
	load ../support/helper
	load ../support/hold
}

teardown() {
	targets_stop
	json_check
}

@test "memory that is not searched is reported" {
	target_start mapper
	local range
	if range=$(target_range uffd); then
		run -0 --separate-stderr procmem grep -F 'uffd page' "$TARGET_PID" "$range"
		[[ $stderr == *'60.0K was not searched: it is not provided by the userfaultfd handler yet'* ]]
		run -0 --separate-stderr procmem strings "$TARGET_PID" "$range"
		[[ $stderr == *'60.0K was not searched: it is not provided by the userfaultfd handler yet'* ]]
	fi
	targets_stop
	target_start markers
	range=$(target_range untouched_file)
	for words in "grep marker" strings; do
		# shellcheck disable=SC2086 # two words
		run -1 --separate-stderr procmem $words "$TARGET_PID" "$range"
		[[ $stderr == *'16.0K was not searched: the process has not touched these pages of mapped files or shared memory; use --whole-files'* ]]
		# shellcheck disable=SC2086
		run --separate-stderr procmem $words "$TARGET_PID"
		[[ $stderr != *'not touched'* ]]
	done
}

@test "several processes: each line has its PID, and one that cannot be searched does not end the search" {
	hold_text 'needle one'
	local first=$TARGET_PID first_range=${ranges[0]}
	printf 'needle two' >"$bytes.2"
	hold "$bytes.2"
	run -0 procmem grep -bo 'needle \w+' "$first,$TARGET_PID" shm
	[ "${lines[0]}" = "$first:$(printf '%x' "0x${first_range%-*}"):needle one" ]
	[ "${lines[1]}" = "$TARGET_PID:$(at 0):needle two" ]
	[ "${#lines[@]}" -eq 2 ]
	run -0 procmem grep --json 'needle two' "$first,$TARGET_PID" shm
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid' <<<"$output"
	run -0 procmem grep -c 'needle' "$first,$TARGET_PID" shm
	[[ ${lines[0]} == "$first:"*' 1  '* ]]
	run -2 --separate-stderr procmem grep -o 'needle \w+' "$first,99999999,$TARGET_PID" shm
	[ "${#lines[@]}" -eq 2 ]
	[[ $stderr == *'no process has PID 99999999'* ]]
	run -0 procmem grep -q needle "99999999,$TARGET_PID" shm
	run -2 procmem grep -q nodle "99999999,$TARGET_PID" shm
	run -2 procmem grep needle "$first,"
	# A copy of sleep has a name that is unique.
	cp "$(command -v sleep)" "$BATS_TEST_TMPDIR/pmgrep$$"
	spawn setpriv --pdeathsig KILL "$BATS_TEST_TMPDIR/pmgrep$$" 1000
	spawn setpriv --pdeathsig KILL "$BATS_TEST_TMPDIR/pmgrep$$" 1000
	until [ "$(procmem ps --csv --no-header -o pid "pmgrep$$" | wc -l)" -eq 2 ]; do :; done
	run -2 --separate-stderr procmem grep ELF "pmgrep$$"
	[[ $stderr == *'matches 2 processes'*'use --all-processes for all processes with this name, or list PIDs: 1,2,3'* ]]
	run -0 procmem grep --all-processes -m 1 -o ELF "pmgrep$$"
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} =~ ^[0-9]+:ELF$ ]]
}

@test "procmem never searches itself" {
	# The shell calls exec, so that its PID is that of procmem.
	run -2 bash -c 'exec "$PROCMEM_BIN" grep needle $$'
	[[ $output == *'is this procmem itself'* ]]
	hold_text 'needle'
	run -0 --separate-stderr bash -c 'exec "$PROCMEM_BIN" grep -o needle "$$,'"$TARGET_PID"'" shm'
	[ "$output" = needle ]
	[[ $stderr == *'was skipped: it is procmem itself'* ]]
}

@test "a reader that closes the pipe ends the search at once, without a message" {
	head -c 4000000 /dev/zero | tr '\0' 'x' >"$bytes"
	hold "$bytes"
	run -0 --separate-stderr bash -c 'set -o pipefail; "$PROCMEM_BIN" grep -o x '"$TARGET_PID ${ranges[0]}"' | head -n 1'
	[ "$output" = x ]
	[ -z "$stderr" ]
	run -0 bash -c '"$PROCMEM_BIN" grep x '"$TARGET_PID ${ranges[0]}"' >/dev/full; [ $? -eq 2 ]'
}

@test "a process that ends or calls exec is an error" {
	target_start slider
	local pid=$TARGET_PID
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	# Its output is not read, so that it still searches when the target ends.
	"$PROCMEM_BIN" grep -o '[\x00-\xff]' "$pid" >"$BATS_TEST_TMPDIR/fifo" 2>"$BATS_TEST_TMPDIR/errors" 3>&- &
	local status=0 search=$!
	exec {reader}<"$BATS_TEST_TMPDIR/fifo"
	head -c 1 <&"$reader" >/dev/null
	kill -KILL "$pid"
	cat <&"$reader" >/dev/null
	wait "$search" || status=$?
	[ "$status" -eq 2 ]
	[[ $(<"$BATS_TEST_TMPDIR/errors") == *'exited'* ]]
	run -2 procmem grep x "$pid"
}

@test "matches that change before they are printed are marked, unless the process is stopped" {
	require jq
	local changing=$BATS_TEST_TMPDIR/changing.py
	printf '%s\n' 'import mmap, itertools' 'held = mmap.mmap(-1, 1 << 15)' 'print("ready", flush=True)' \
		'for i in itertools.count():' '    held[:] = (b"%07d," % (i % 10000000)) * (1 << 12)' >"$changing"
	program_start python3 "$changing"
	target_await ready
	until procmem grep '\d{7},' "$TARGET_PID" shm >"$BATS_TEST_TMPDIR/lines" && grep -q '^[0-9a-f]*~ shm' "$BATS_TEST_TMPDIR/lines"; do :; done
	until procmem grep --json '\d{7},' "$TARGET_PID" shm | jq -e 'select(.changed)' >/dev/null; do :; done
	run -0 --separate-stderr procmem grep --stop --json '\d{7},' "$TARGET_PID" shm
	[ "${#lines[@]}" -eq $((1 << 12)) ]
	fails grep -q changed <<<"$output"
	[[ $stderr =~ 'stopped for '[0-9.]+' ms (1 thread)'$ ]]
	grep -q '^TracerPid:.0$' "/proc/$TARGET_PID/status"
}

@test "unreadable memory is reported" {
	target_start markers small
	local range
	range=$(target_range short)
	run -1 --separate-stderr procmem grep --whole-files no-such-text "$TARGET_PID" "$range"
	[[ $stderr == *'beyond the end of the mapped file'*'8.0K in 1 place could not be read'* ]]
	run -1 --separate-stderr procmem grep -s --whole-files no-such-text "$TARGET_PID" "$range"
	[ -z "$stderr" ]
}

@test "all texts of a target are found at their addresses, in all types of memory" {
	target_start markers small
	local region address text
	grep '^marker ' "$TARGET_FACTS" | while read -r _ region address text; do
		printf '%x:%s\n' "0x$address" "$text"
	done | sort >"$BATS_TEST_TMPDIR/placed"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/placed")" -gt 50 ]
	# The texts are also where the program prepares them: none that it placed may be missing.
	procmem grep -s -ob '<[a-z_0-9]+_[0-9]+>#+' "$TARGET_PID" | sort >"$BATS_TEST_TMPDIR/found"
	[ -z "$(comm -23 "$BATS_TEST_TMPDIR/placed" "$BATS_TEST_TMPDIR/found")" ]
}

@test "core files are searched like processes" {
	require gcore
	hold_text 'needle in the core'
	gcore -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID" >/dev/null 2>&1 || skip "gcore does not work here"
	[ "$(procmem grep -ob 'needle \w+' "$BATS_TEST_TMPDIR/core.$TARGET_PID" "${ranges[0]}")" = "$(at 0):needle in" ]
	run -2 procmem grep --stop needle "$BATS_TEST_TMPDIR/core.$TARGET_PID"
	run -2 procmem grep needle "$bytes"
	[[ $output == *'neither a process nor a core file'* || $output == *'no memory to read'* ]]
}

@test "a message explains why processes of other users are refused" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	hold_text 'needle'
	run -2 as_nobody grep needle "$TARGET_PID"
	[[ $output == *'runs as root, but you are uid 65534'* ]]
}

@test "a full search does not change the memory of the target" {
	target_start mapper
	local before after
	procmem grep -q no-such-text "$TARGET_PID" || true
	before=$(grep -E '^(VmRSS|VmPTE|RssFile|RssShmem)' "/proc/$TARGET_PID/status")
	run -1 procmem grep -s 'no such text [a-z]+@' "$TARGET_PID"
	after=$(grep -E '^(VmRSS|VmPTE|RssFile|RssShmem)' "/proc/$TARGET_PID/status")
	[ "$before" = "$after" ]
}
