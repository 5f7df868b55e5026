#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why --deep`: who holds the chunks that pile up. The targets grow in real time.

setup() {
	load ../support/helper
	load ../support/python_waits
}

teardown() {
	targets_stop
	json_check
}

# bats test_tags=timed
@test "chunks that are lost are held by nothing, and the stop is reported" {
	retry_timed
	target_start leaker arenas 2000000
	run -1 --separate-stderr procmem why --deep --max-stop 0 --json --for 6s "$TARGET_PID"
	jq -e '.findings[0].id == "malloc_leak" and .cost.stopped_us > 0 and
		(.findings[0].evidence | any(startswith("held by nothing")))' <<<"$output"
	# shellcheck disable=SC2154 # set by run
	[[ $stderr = *"stopping process $TARGET_PID for about"* ]]
}

# bats test_tags=timed
@test "chunks in a list are held by the variable that has the list, with all of them; the code that allocates them is named" {
	local chunks rss
	retry_timed
	target_start hoarder 4000
	run -1 --separate-stderr procmem why --deep --max-stop 0 --json --for 6s "$TARGET_PID"
	jq -e '.findings[0] | .evidence | any(startswith("held by global hoard ")) and any(test("^(touched|mapped) by main < .* in 5s"))' <<<"$output"
	jq -e '[.findings[0].code.stack[].function] | index("main") != null' <<<"$output"
	# The hoard has all chunks: nearly the whole process. About 2 MB were added in each second of the trace.
	rss=$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$TARGET_PID/status")
	jq -e --argjson rss "$rss" '.findings[0] | .holder.held / .holder.chunks == 512 and .holder.held < $rss and .holder.held > 10e6 and
		.code.seconds >= 5 and .code.resident / .code.seconds > 1e6' <<<"$output"
	# shellcheck disable=SC2154 # set by run
	[[ $stderr = *"tracing process $TARGET_PID for 5 s, without stopping it"*"stopping process $TARGET_PID for about"* ]]

	run -1 --separate-stderr procmem why --deep --max-stop 0 --for 4s "$TARGET_PID"
	[[ $output = *'held by  global hoard '*' in hoarder, with '*' chunks'* ]]
	[[ $output = *' stopped '*' ms'* ]]
}

# bats test_tags=timed
@test "without --deep, the last line says that it finds out who allocates" {
	retry_timed
	target_start hoarder 4000
	run -1 --separate-stderr procmem why --for 4s "$TARGET_PID"
	[[ $output = *'not stopped; not seen: who allocates (--deep)'* ]]
	# A stop that would last too long is refused, and the rest is reported.
	run -1 --separate-stderr procmem why --deep --max-stop 1ms --for 4s "$TARGET_PID"
	[[ $output = *' by main < '*'not stopped; not seen: who holds the chunks ('* ]]
}

# bats test_tags=timed
@test "what --deep cannot do is named, and the finding stays" {
	retry_timed
	target_start hoarder 4000
	# The lowest number of descriptors with which the process can be observed is not sufficient for the copy, or for the trace. Those of
	# bats are closed.
	for limit in {10..20}; do
		# shellcheck disable=SC2016 # for the other shell
		run --separate-stderr bash -c 'for fd in /proc/self/fd/*; do
				[ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"
			done
			exec prlimit --nofile="$0": -- "$@"' "$limit" "$PROCMEM_BIN" why --deep --max-stop 0 --for 4s "$TARGET_PID"
		[ "$status" -eq 2 ] || break
	done
	[ "$status" -eq 1 ]
	[[ $output = *'malloc chunks pile up'* ]]
	[[ $output =~ 'not seen: '.*('who holds the chunks'|'which code allocates')' (' ]]
}

# bats test_tags=timed
@test "Ctrl-C during --deep ends the trace; what was found is reported, and the process is not stopped" {
	local status=0 pid
	retry_timed
	target_start hoarder 4000
	# In the background, the shell ignores SIGINT.
	env --default-signal=INT "$PROCMEM_BIN" why --deep --for 4s "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	until find "/proc/$pid/fd" -lname 'anon_inode:*perf_event*' 2>/dev/null | grep -q .; do
		kill -0 "$pid"
	done
	kill -INT "$pid"
	wait "$pid" || status=$?
	cat "$BATS_TEST_TMPDIR"/{out,err}
	[ "$status" -eq 1 ]
	grep -q 'malloc chunks pile up' "$BATS_TEST_TMPDIR/out"
	grep -q 'grows .*/s chunks of' "$BATS_TEST_TMPDIR/out"
	tr -s ' \n' ' ' <"$BATS_TEST_TMPDIR/out" | grep -q 'who holds the chunks (the measurement was cancelled), which code allocates (the measurement was cancelled)'
	fails grep -q 'stopping process' "$BATS_TEST_TMPDIR/err"
	fails grep -q '^State:.*stop' "/proc/$TARGET_PID/status"
	grep -q '^TracerPid:.*[[:space:]]0$' "/proc/$TARGET_PID/status"
}

@test "--deep is for living processes, and --max-stop for --deep" {
	target_start sample_server
	procmem snap -o "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID"
	run -2 procmem why --deep "$BATS_TEST_TMPDIR/run.pmrec"
	[[ $output = *'--deep stops a living process'* ]]
	run -2 procmem why --max-stop 1s "$TARGET_PID"
	[[ $output = *'needs --deep'* ]]
}
