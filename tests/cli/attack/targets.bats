#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Targets that change all the time, have hostile names, or have extreme numbers of something.

setup() {
	load ../support/helper
	load ../support/attack
}

teardown() {
	targets_stop
	json_check
}

@test "hostile names of processes, threads, files and regions are escaped in all output" {
	target_start hostile_names
	for command in $LOOKS; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		[ "$status" -le 1 ]
	done
	fails grep -q '[[:cntrl:]]' "$BATS_TEST_TMPDIR/looked.map" 2>/dev/null
	assert_sound shell -c 'info; map; grep -m 3 owned; regions; hits; x/s #1' "$TARGET_PID"
	for command in map strings grep watch snap headroom ps diff; do
		look_words "$command" "$TARGET_PID"
		run --separate-stderr procmem "${words[@]}" --json
		[ "$status" -le 1 ]
		jq -e . <<<"$output" >/dev/null
		fails grep -q '[[:cntrl:]]' <<<"$output"
	done
}

@test "a mapped path of 4 KiB of newlines and escape characters is one line" {
	require python3
	program_start python3 -c '
import mmap, os, sys
os.chdir(sys.argv[1])
for _ in range(16):
    name = "\033]0;owned\a\n" * 22
    os.mkdir(name), os.chdir(name)
with open("end\n", "w+b") as file:
    file.truncate(4096)
    kept = mmap.mmap(file.fileno(), 4096)
    kept[0] = 65
print("ready", flush=True)
sys.stdin.read()' "$BATS_TEST_TMPDIR"
	target_await ready
	for command in $LOOKS; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		[ "$status" -le 1 ]
	done
	run -0 procmem map -a --mapping owned "$TARGET_PID" --no-header
	[ "$(grep -c owned <<<"$output")" -eq 1 ]
	[ "$(procmem map -a --csv --no-header "$TARGET_PID" | wc -l)" -eq "$(wc -l <"/proc/$TARGET_PID/maps")" ]
}

@test "a target that unmaps, remaps and protects memory while it is read" {
	target_start restless remap
	for round in 1 2 3; do
		for command in $LOOKS; do
			look_words "$command" "$TARGET_PID"
			assert_sound "${words[@]}"
			[ "$status" -le 1 ] || { echo "$round: ${words[*]}: $stderr" && false; }
		done
		# What is found is what was there.
		assert_sound grep -o 'restless page [0-9]+' "$TARGET_PID" "$(target_range moving)"
		[ -z "$(grep -v 'restless page [0-9]' <<<"$output")" ]
	done
	assert_sound dump --stop -o "$BATS_TEST_TMPDIR/stopped" "$TARGET_PID" all
	assert_sound dump --core --stop -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	[ "$status" -eq 0 ]
	readelf -lW "$BATS_TEST_TMPDIR/core" >"$BATS_TEST_TMPDIR/headers" 2>&1
	grep -q LOAD "$BATS_TEST_TMPDIR/headers"
	fails grep -qi 'warning\|error' "$BATS_TEST_TMPDIR/headers"
	assert_runs_free "$TARGET_PID"
}

@test "a target that forks all the time" {
	target_start restless fork
	for command in $LOOKS; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		[ "$status" -le 1 ] || { echo "${words[*]}: $stderr" && false; }
	done
	# Children start and exit between the reading of their names and the reading of their
	# status.
	for _ in 1 2 3 4 5; do
		assert_sound ps
		[ "$status" -eq 0 ]
	done
	assert_sound dump --stop -o "$BATS_TEST_TMPDIR/stopped" "$TARGET_PID" all
	[ "$status" -le 1 ]
	assert_runs_free "$TARGET_PID"
}

@test "a target that calls exec all the time" {
	target_start restless exec
	for _ in 1 2 3; do
		for command in $LOOKS; do
			look_words "$command" "$TARGET_PID"
			assert_sound "${words[@]}"
		done
		assert_sound dump --stop -o "$BATS_TEST_TMPDIR/stopped" "$TARGET_PID" all
		assert_sound dump --core --stop -o "$BATS_TEST_TMPDIR/stopped" "$TARGET_PID"
		assert_sound shell -k -c 'map -n 1; stop; map -n 1; cont; grep -q x; info' "$TARGET_PID"
	done
	kill -0 "$TARGET_PID"
	assert_runs_free "$TARGET_PID"
}

# In a PID namespace of its own, the next PID can be chosen. The shell reads its commands one by
# one; watch is stopped while the PID is reused.
@test "another process with the same PID is not taken for the target" {
	unshare -pf --mount-proc true 2>/dev/null || skip 'no right to make a PID namespace'
	run timeout -k 5 60 unshare -pf --mount-proc bash -eu -c '
		start() {
			echo 299 >/proc/sys/kernel/ns_last_pid
			"$PROCMEM_TARGETS/$1" <&5 >"$2" 5>&- 6>&- & pid=$!
			[ $pid -eq 300 ] || exit 77
			until grep -q "^ready" "$2"; do sleep 0.05; done
		}
		cd "$1"
		mkfifo hold lines
		exec 5<>hold
		start exiter old
		"$PROCMEM_BIN" shell -k <lines >shell.out 2>&1 300 & shell=$!
		exec 6>lines
		echo "info" >&6
		until grep -q "process.*300 exiter" shell.out; do sleep 0.05; done
		"$PROCMEM_BIN" watch -i 0.1 --record run.pmrec 300 >watch.out 2>&1 & watch=$!
		until grep -q RSS watch.out; do sleep 0.05; done
		kill -STOP $watch
		kill -KILL 300
		wait 300 || true
		start values new
		kill -CONT $watch
		wait $watch || echo "watch: $?"
		echo "map -n 1" >&6
		echo "grep -q plain" >&6
		echo "strings" >&6
		exec 6>&-
		wait $shell || echo "shell: $?"
		"$PROCMEM_BIN" snap -o run.pmrec 300 || echo "snap: $?"
		cat watch.out shell.out' bash "$BATS_TEST_TMPDIR"
	[ "$status" -ne 77 ] || skip 'the next PID cannot be chosen here'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'the process is gone'* && $output == *'shell: 2'* && $output == *'snap: 2'* ]]
	[[ $output != *values* || $output == *'is a recording of another process'* ]]
	[ "$(grep -c 'nothing is attached; ' <<<"$output")" -eq 3 ]
}

@test "ten thousand threads, or as many as the limits permit" {
	local count=10000 room
	room=$(($(cat /proc/sys/kernel/threads-max) - $(find /proc/[0-9]*/task -maxdepth 1 -mindepth 1 2>/dev/null | wc -l) - 1000))
	[ "$room" -ge "$count" ] || count=$room
	[ "$count" -gt 100 ] || skip 'no room for threads'
	target_start busy "$count" || skip "this machine does not allow $count threads"
	run -0 procmem map -a --json "$TARGET_PID"
	[ "$(jq '[.regions[] | select(.kind == "stack")] | length' <<<"$output")" -ge "$count" ]
	[ "$(procmem ps --json "$TARGET_PID" | jq '.processes[0].threads')" -gt "$count" ]
	for command in dump strings grep snap headroom; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		[ "$status" -le 1 ] || { echo "${words[*]}: $stderr" && false; }
	done
	assert_sound dump --core --stop -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	[ "$status" -eq 0 ] || { echo "$stderr" && false; }
	rm "$BATS_TEST_TMPDIR/core"
	assert_runs_free "$TARGET_PID"
}

@test "an untouched terabyte costs nothing, and is not written" {
	target_start markers
	local range
	range=$(target_range reserve)
	[ $(((0x${range#*-} - 0x${range%-*}) >> 40)) -ge 1 ]
	run -0 procmem map -a "$TARGET_PID" "$range"
	[[ $output == *1.0T* ]]
	before=$(grep -E '^Vm(RSS|PTE|Swap):' "/proc/$TARGET_PID/status")
	for command in strings grep watch snap headroom diff; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		[ "$status" -le 1 ]
	done
	run -0 procmem dump -o "$BATS_TEST_TMPDIR/huge" "$TARGET_PID" "$range"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/huge")" -ge $((1 << 40)) ]
	[ "$(stat -c %b "$BATS_TEST_TMPDIR/huge")" -le 65536 ]
	run -0 --separate-stderr bash -c 'set -o pipefail; timeout 60 "$@" | head -c 4096 | wc -c; [ ${PIPESTATUS[0]} -le 2 ]' bash \
		"$PROCMEM_BIN" dump --raw "$TARGET_PID" "$range"
	[ "${lines[0]}" -eq 4096 ]
	[ "$(grep -E '^Vm(RSS|PTE|Swap):' "/proc/$TARGET_PID/status")" = "$before" ]
}

@test "two thousand threads: their heap is read, and all of them run afterwards" {
	target_start busy 2000 || skip 'this machine does not allow 2000 threads'
	for command in heap leaks refs; do
		look_words "$command" "$TARGET_PID"
		assert_sound "${words[@]}"
		[ "$status" -le 1 ] || { echo "${words[*]}: $stderr" && false; }
		assert_runs_free "$TARGET_PID"
	done
	for words in '--stop' '--retained'; do
		assert_sound heap $words --max-stop 0 --json "$TARGET_PID"
		[ "$status" -eq 0 ] || { echo "$words: $stderr" && false; }
		jq -e '.complete and .stopped_us > 0' <<<"$output"
		assert_runs_free "$TARGET_PID"
	done
	# Within the default limit, the stop can be refused.
	for command in 'heap --stop' 'leaks' 'heap --retained'; do
		# shellcheck disable=SC2086
		assert_sound $command "$TARGET_PID"
		[ "$status" -ne 2 ] || [[ $stderr == *--max-stop* ]] || { echo "$command: $stderr" && false; }
		assert_runs_free "$TARGET_PID"
	done
	target_tell ping
}

# Waits until procmem, which runs as process $1, has stopped the target. Fails if it ends before.
await_stop() {
	local traced=
	while [ -z "$traced" ] && kill -0 "$1" 2>/dev/null; do
		# A thread of procmem traces the target.
		traced=$(sed -n 's/^TracerPid:[[:blank:]]*\([1-9]\)/\1/p' "/proc/$TARGET_PID/status")
	done
	[ -n "$traced" ]
}

# Runs procmem, and kills it when it has stopped the target. Fails if it ends earlier, several times.
kill_within_stop() {
	local pid seen try
	for try in {1..20}; do
		"$PROCMEM_BIN" "$@" >/dev/null 2>&1 3>&- &
		pid=$!
		seen=0
		await_stop "$pid" || seen=$?
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		[ "$seen" -ne 0 ] || return 0
		echo "try $try: the target was not seen stopped"
	done
	return 1
}

# Runs procmem, and kills the target when procmem has stopped it. Fails if procmem ends earlier,
# several times, or if its end is not sound.
end_within_stop() {
	local pid seen status try
	for try in {1..20}; do
		"$PROCMEM_BIN" "$@" >out 2>errors 3>&- &
		pid=$!
		seen=0 status=0
		await_stop "$pid" || seen=$?
		[ "$seen" -ne 0 ] || kill -KILL "$TARGET_PID"
		wait "$pid" || status=$?
		[ "$seen" -ne 0 ] || {
			assert_end "$status" "$*"
			return
		}
		echo "try $try: the target was not seen stopped"
	done
	return 1
}

# Fails unless a run with the status $1 gave an answer, or says in one line that the target has ended,
# or that there is none: it can have ended before the command opened it.
assert_end() {
	local ended="process $TARGET_PID exited" none="no process has PID $TARGET_PID"
	[ "$1" -le 1 ] && [ -s out ] && return
	[ "$1" -eq 2 ] && [[ "$(grep -v '^procmem: note: ' errors)" =~ ^procmem:\ (([^$'\n']*:\ )?$ended|$none)$ ]] && return
	echo "$2: $1, $(cat errors)"
	return 1
}

# Starts a target with a heap that takes some time to read.
sieve_start() {
	targets_stop
	target_start allocations 4
	target_tell sieve 200000
}

@test "a target that is killed while procmem reads its heap" {
	local pid status
	cd "$BATS_TEST_TMPDIR"
	for command in 'heap --stop' 'leaks'; do
		sieve_start
		# shellcheck disable=SC2086
		end_within_stop $command --max-stop 0 "$TARGET_PID"
	done
	sieve_start
	end_within_stop refs --max-stop 0 "$TARGET_PID" 0x1000

	# Not stopped: before or within the walk, and between two walks.
	for command in 'heap' 'heap --growth 1s' 'watch --heap -i 0.1' 'grep --in-use order'; do
		sieve_start
		rm -f out
		# shellcheck disable=SC2086
		"$PROCMEM_BIN" $command "$TARGET_PID" >out 2>errors 3>&- &
		pid=$! status=0
		until [ -s out ] || [ -n "$(find "/proc/$pid/fd" -lname "/proc/$TARGET_PID/*" 2>/dev/null)" ]; do
			kill -0 "$pid" 2>/dev/null || break
		done
		kill -KILL "$TARGET_PID"
		wait "$pid" || status=$?
		assert_end "$status" "$command"
	done
}

@test "a target that calls exec all the time: its heap is that of one program" {
	target_start restless exec
	for command in 'heap --stop' 'heap --retained' 'heap --list' 'heap --growth 0.2s' 'watch --heap -c 3 -i 0.1' 'grep --freed x'; do
		# shellcheck disable=SC2086
		assert_sound $command "$TARGET_PID"
	done
	assert_runs_free "$TARGET_PID"
}

@test "a command that is killed while the target is stopped leaves nothing stopped" {
	target_start allocations 4
	target_tell sieve 400000
	for round in 1 2 3; do
		for command in 'heap --stop' 'heap --list --stop' 'heap --retained' 'leaks'; do
			# shellcheck disable=SC2086
			kill_within_stop $command --max-stop 0 "$TARGET_PID"
			assert_runs_free "$TARGET_PID"
		done
		kill_within_stop refs --max-stop 0 "$TARGET_PID" 0x1000
		assert_runs_free "$TARGET_PID"
		target_tell trim || { echo "round $round" && false; }
	done
	run -0 --separate-stderr procmem heap --stop --json "$TARGET_PID"
	jq -e '.complete' <<<"$output"
}

@test "without rights, the heap is refused with the reason" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
	target_start allocations 0
	for command in heap 'heap --stop' 'heap --list' 'heap --retained' 'heap --growth 1s' leaks 'watch --heap -c 2' \
		"snap --heap -o $BATS_TEST_TMPDIR/run.pmrec" 'grep --freed x' 'strings --in-use'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr as_nobody $command "$TARGET_PID"
		[[ -z $output && $stderr == *'runs as root, but you are uid 65534'* ]] || { echo "$command: $stderr" && false; }
		[ "$(grep -vc '^procmem: note: ' <<<"$stderr")" -eq 1 ] || { echo "$command: $stderr" && false; }
	done
	run -2 --separate-stderr as_nobody refs "$TARGET_PID" 0x1000
	[[ -z $output && $stderr == *'runs as root, but you are uid 65534'* ]]
	assert_runs_free "$TARGET_PID"
}
