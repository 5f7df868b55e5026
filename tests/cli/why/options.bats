#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why`: its options, bad input, refusals, and targets that end. What it finds is tested in other files.

setup() {
	load ../support/helper
	require jq script
	watchers=()
}

teardown() {
	[ ${#watchers[@]} -eq 0 ] || kill "${watchers[@]}" 2>/dev/null || true
	targets_stop
	json_check
}

# why_start OPTION...: runs why on TARGET_PID in the background, and waits until it has opened the process.
why_start() {
	# In the background, the shell ignores SIGINT.
	env --default-signal=INT "$PROCMEM_BIN" why "$@" "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	watchers=($!)
	until find "/proc/${watchers[0]}/fd" -lname "/proc/$TARGET_PID/maps" 2>/dev/null | grep -q .; do
		kill -0 "${watchers[0]}"
	done
}

@test "nothing found: exit status 0, with the cost and how long it was observed" {
	target_start texts
	run -0 --separate-stderr procmem why --for 0.5s "$TARGET_PID"
	[[ ${lines[0]} = "texts ($TARGET_PID): nothing was found"* ]]
	[[ ${lines[-1]} = 'looked '*', cost '*'% of a core, not stopped'* ]]
	run -0 --separate-stderr procmem why -q --for 0.5s "$TARGET_PID"
	[ -z "$stderr" ]
	[[ $output = "texts ($TARGET_PID): nothing was found"* ]]
}

@test "on a terminal, a line shows how far the observation is, and is cleared" {
	target_start texts
	run -0 script -qec "$PROCMEM_BIN why --for 1s $TARGET_PID" /dev/null </dev/null
	[[ $output = *$'\r\e[Kwatching: '*' of 1.0s, '*' resident and swapped (Ctrl-C ends this)'*$'\r\e[K'*'nothing was found'* ]]
	run -0 script -qec "$PROCMEM_BIN why -q --for 1s $TARGET_PID" /dev/null </dev/null
	[[ $output != *watching* ]]
}

@test "--json has the target, the cost, and an exact rss" {
	local rss
	target_start texts
	run -0 --separate-stderr procmem why --json --for 0.5s "$TARGET_PID"
	rss=$(awk '/^VmRSS:/ { print $2 * 1024 }' "/proc/$TARGET_PID/status")
	jq -e --argjson pid "$TARGET_PID" --argjson rss "$rss" '.target.pid == $pid and .target.name == "texts"
		and (.target.command | endswith("texts")) and (.target.rss / $rss - 1 | fabs) < 0.1
		and .seconds > 0 and .findings == [] and .cost.cpu_percent > 0 and .cost.stopped_us == 0' <<<"$output"
}

@test "the target is not stopped, and its resident memory does not change" {
	local before after
	target_start texts
	before=$(awk '/^VmRSS:/ { print $2 }' "/proc/$TARGET_PID/status")
	run -0 --separate-stderr procmem why --for 1s "$TARGET_PID"
	after=$(awk '/^VmRSS:/ { print $2 }' "/proc/$TARGET_PID/status")
	[ "$before" = "$after" ]
}

@test "locked memory is a finding: exit status 1, its size and a command that shows it" {
	local locked more
	# Threads of sleep have no memory of their own; python3 locks 64 MiB, which is more than all its other memory.
	program_start python3 -c '
import ctypes, mmap, sys, time
block = mmap.mmap(-1, 64 << 20)
block.write(b"x" * (64 << 20))
libc = ctypes.CDLL(None, use_errno=True)
address = ctypes.addressof(ctypes.c_char.from_buffer(block))
print(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(64 << 20)), flush=True)
time.sleep(1000)'
	until locked=$(awk '/^VmLck:/ { print $2 * 1024 }' "/proc/$TARGET_PID/status") && [ "$locked" -ge $((64 << 20)) ]; do
		kill -0 "$TARGET_PID"
	done
	run -1 --separate-stderr procmem why --json --for 0.5s "$TARGET_PID"
	jq -e --argjson locked "$locked" '.findings[] | select(.id == "locked") | .bytes == $locked and .confidence == "sure"
		and .harmless == false and .evidence != []' <<<"$output"
	more=$(jq -r '.findings[] | select(.id == "locked") | .more[0]' <<<"$output")
	[[ $more = 'procmem map -o '*" $TARGET_PID" ]]
	# shellcheck disable=SC2086 # the words of the command
	run -0 --separate-stderr procmem ${more#procmem }
	[[ $output = *64.0M* ]]

	run -1 --separate-stderr procmem why --for 0.5s "$TARGET_PID"
	[[ $output = *": locked memory: the kernel cannot reclaim it "*' sure'$'\n'* ]]
	[[ $output = *' 64.0M'* ]]
	run -1 --separate-stderr procmem why -b --for 0.5s "$TARGET_PID"
	[[ $output = *" $locked"* ]]
	[[ $output != *64.0M* ]]
}

@test "on a terminal of 80 columns, no line is wider" {
	local wide
	target_start leaker threads 20
	on_terminal 24 80 why -q --for 1s "$TARGET_PID" >"$BATS_TEST_TMPDIR/screen" || [ $? -eq 1 ]
	wide=$(sed 's/\r//g; s/\x1b\[[0-9;?]*[A-Za-z]//g' "$BATS_TEST_TMPDIR/screen" | LC_ALL=C.UTF-8 awk 'length($0) > 80')
	[ -z "$wide" ] || { echo "$wide" && false; }
	grep -q "^leaker ($TARGET_PID): " "$BATS_TEST_TMPDIR/screen"
}

@test "bad options, operands and targets: one sentence, exit status 2" {
	target_start texts
	run -2 --separate-stderr procmem why
	[[ $stderr = 'procmem: why needs '* ]]
	for duration in 0 -1s x ''; do
		run -2 --separate-stderr procmem why --for="$duration" "$TARGET_PID"
		[[ $stderr = 'procmem: --for: '* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -z "$output" ]
	done
	run -2 --separate-stderr procmem why --no-such-option "$TARGET_PID"
	run -2 --separate-stderr procmem why "$TARGET_PID" more words
	run -2 --separate-stderr procmem why no-such-process-here
	[[ $stderr = *no-such-process-here* ]]
}

@test "a process of another user is refused with a reason" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root, to be another user'
	target_start texts
	run -2 --separate-stderr as_nobody why --for 0.5s "$TARGET_PID"
	[ -z "$output" ]
	[[ $stderr = *"process $TARGET_PID (texts)"*'uid 65534'*sudo* ]]
}

@test "a target that exits: a sentence says so, exit status 2" {
	local status=0
	target_start texts
	why_start --for 600s
	kill -KILL "$TARGET_PID"
	wait "${watchers[0]}" || status=$?
	watchers=()
	[ "$status" -eq 2 ]
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	grep -q "^procmem: .*process $TARGET_PID .*exited" "$BATS_TEST_TMPDIR/err"
}

@test "a target that calls exec: a sentence says so, exit status 2" {
	local status=0
	target_start exiter
	why_start --for 600s
	echo exec >&"$TARGET_IN"
	wait "${watchers[0]}" || status=$?
	watchers=()
	[ "$status" -eq 2 ]
	grep -q "^procmem: .*process $TARGET_PID .*exec" "$BATS_TEST_TMPDIR/err"
}

@test "a process that a signal or a debugger has stopped cannot grow, and is not called healthy" {
	target_start leaker merged 1048576
	kill -STOP "$TARGET_PID"
	until grep -q '^State:.*T (stopped)' "/proc/$TARGET_PID/status"; do kill -0 "$TARGET_PID"; done
	run -0 --separate-stderr procmem why --for 1s --html "$BATS_TEST_TMPDIR/stopped.html" "$TARGET_PID"
	[[ ${lines[0]} = *": nothing was found, but the process was stopped all the time: "* ]]
	[[ $output = *'growth while it runs (it was stopped at '* ]]
	grep -q 'Nothing was found, but the process was stopped all the time' "$BATS_TEST_TMPDIR/stopped.html"
	kill -CONT "$TARGET_PID"

	# The session stops it as a debugger does.
	run -0 procmem shell -c stop -c "!grep ^State /proc/$TARGET_PID/status" -c "!'$PROCMEM_BIN' why --for 1s $TARGET_PID" "$TARGET_PID"
	[[ $output = *'t (tracing stop)'* ]]
	[[ $output = *': nothing was found, but the process was stopped all the time: '* ]]
}

@test "Ctrl-C ends the observation, and what was seen is reported" {
	local status=0
	target_start texts
	why_start --for 600s
	# Signal 2 is caught.
	until ((0x$(awk '/^SigCgt:/ { print $2 }' "/proc/${watchers[0]}/status") & 2)); do
		kill -0 "${watchers[0]}"
	done
	kill -INT "${watchers[0]}"
	wait "${watchers[0]}" || status=$?
	watchers=()
	cat "$BATS_TEST_TMPDIR"/{out,err}
	[ "$status" -eq 0 ]
	grep -q '(interrupted)' "$BATS_TEST_TMPDIR/out"
}
