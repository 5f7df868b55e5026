# SPDX-License-Identifier: MIT
# Loaded by tests of `procmem trace` that need to know when the trace begins: the target then does
# something, and the trace ends after that.

# trace_start OPTION...: starts a trace of the target, and waits until it records.
trace_start() {
	local line
	TRACE_OUTPUT=$BATS_TEST_TMPDIR/trace.out
	# A shell without job control can make its children ignore Ctrl-C.
	coproc TRACE {
		exec env --default-signal=INT "$PROCMEM_BIN" trace -v "$@" "$TARGET_PID" \
			2>&1 >"$TRACE_OUTPUT" 3>&-
	}
	# The shell unsets its own variables when the trace ends.
	TRACE_NUMBER=$TRACE_PID
	while IFS= read -r line <&"${TRACE[0]}"; do
		[[ $line != *"attached to "*" by perf in "* ]] || return 0
		echo "$line"
		[[ $line != *perf_event* ]] || skip "$line"
	done
	return 1
}

# trace_end: ends the trace as Ctrl-C does, waits for its end, and sets $output to its result, which
# json_check checks. Not for `run`, in whose shell the trace is not a child.
trace_end() {
	kill -INT "$TRACE_NUMBER"
	wait "$TRACE_NUMBER"
	# shellcheck disable=SC2034 # for the test
	output=$(<"$TRACE_OUTPUT")
	[[ $output != '{'* ]] || json_keep trace "$TRACE_OUTPUT"
}
