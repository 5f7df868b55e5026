# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $targets and $scratch
# What a trace costs the target: the mean time of a system call, as the target measures it
# (tests/bench/calls.c), with and without a tracer. Peers are strace, also with stacks (-k), and
# `perf record -g` if perf is installed.

# calls_start MODE: starts the target, which measures on request.
calls_start() {
	target_stop
	rm -f "$scratch/output" "$scratch/input"
	mkfifo "$scratch/output" "$scratch/input"
	"$targets/../bench/calls" "$1" >"$scratch/output" <"$scratch/input" &
	target=$!
	exec 3<"$scratch/output" 4>"$scratch/input"
	while read -r line <&3 && [ "$line" != ready ]; do :; done
}

# mean SECONDS: prints the mean time of a call in ns.
mean() {
	echo "$1" >&4
	read -r _ number <&3
	echo "$number"
}

# traced SECONDS COMMAND...: prints the mean time of a call while a tracer is attached.
traced() {
	span=$1
	shift
	# The shell must not make the tracer ignore Ctrl-C.
	env --default-signal=INT "$@" >"$scratch/tracer" 2>&1 3<&- 4>&- &
	tracer=$!
	# No tracer of the peers says when it is attached.
	sleep 2
	mean "$span"
	kill -INT "$tracer" 2>/dev/null || true
	wait "$tracer" 2>/dev/null || true
}

# in_turns SECONDS COMMAND...: prints, as the median of three turns, the mean time without a tracer,
# with it, and the ratio of both.
in_turns() {
	for _ in 1 2 3; do
		alone=$(mean 1)
		with=$(traced "$@")
		echo "$alone $with $(ratio "$with" "$alone")"
	done | sort -g -k 3 | sed -n 2p
}

# cost WHAT BOUND SECONDS COMMAND...: prints a row.
cost() {
	what=$1 bound=$2
	shift 2
	in_turns "$@" >"$scratch/turn"
	read -r alone with slower <"$scratch/turn"
	shift
	row "$what" 'not traced' "$alone ns" "$(shown "$@")" "$with ns" "$slower" "$bound"
}

# costs WHAT BOUND: prints the rows of a mode for all tracers.
costs() {
	cost "$1" "$2" 3 procmem trace "$target"
	cost "$1" - 2 strace -f -e trace=memory -o "$scratch/strace" -p "$target"
	cost "$1" - 2 strace -f -k -e trace=memory -o "$scratch/strace" -p "$target"
	! command -v perf >/dev/null ||
		cost "$1" - 2 perf record -q -g -e 'syscalls:sys_exit_m*map' \
			-o "$scratch/perf" -p "$target"
}

chapter 'trace: time of a system call of the target'
calls_start pairs
costs 'mmap and munmap of 64 KiB, 20 calls deep' 3.5

# What the tracer needs for a stack: its CPU time by the number of its events, half of which are
# munmap and have no stack.
procmem trace --json --for 5s "$target" >"$scratch/trace.json" 3<&- 4>&- &
tracer=$!
sleep 1
mean 2 >/dev/null
wait "$tracer"
us=$(jq '.tracer_us / (.events / 2)' "$scratch/trace.json")
row 'CPU time of the tracer for a stack' '-' '12 µs' 'procmem trace' \
	"$(printf %.1f "$us") µs" "$(ratio "$us" 12)" 1
row 'events that were lost' '-' '-' 'procmem trace' "$(jq .lost "$scratch/trace.json")" 0 -

calls_start others
costs 'getppid' 1.5
# With few descriptors, two events record all system calls.
cost 'getppid, events of all system calls' 2.5 3 sh -c "ulimit -n 72; exec procmem trace $target"
exec 4>&-
target_stop
