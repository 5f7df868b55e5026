#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command line of `procmem trace`, and its outputs for targets with known memory.

setup() {
	load ../support/helper
	load ../support/trace
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

@test "operands: a TARGET, or a command after --" {
	run -2 --separate-stderr procmem trace
	[[ $stderr = *"trace needs a TARGET"* ]]
	run -2 --separate-stderr procmem trace 1 2
	[[ $stderr = *"unexpected operand '2'"*"procmem trace -- 1"* ]]
	run -2 --separate-stderr procmem trace 1 -- true
	[[ $stderr = *"got both: '1' and 'true'"* ]]
}

@test "arguments of options are checked" {
	run -2 --separate-stderr procmem trace --by size 1
	[[ $stderr = *"--by: 'size' is unknown: use stack, function, thread or object"* ]]
	run -2 --separate-stderr procmem trace --backend bpf 1
	[[ $stderr = *"--backend: 'bpf' is unknown: use auto, perf or ptrace"* ]]
	run -2 --separate-stderr procmem trace --stack 1M 1
	[[ $stderr = *"--stack: must be from 512 to 65528 bytes"* ]]
	run -2 --separate-stderr procmem trace --strings 0 1
	[[ $stderr = *"--strings: must be from 1 to 100"* ]]
	run -2 --separate-stderr procmem trace --for 0 1
	[[ $stderr = *"--for: "* ]]
	run -2 --separate-stderr procmem trace --every x 1
	[[ $stderr = *"--every: "* ]]
}

@test "an option without its file does not take the start of the command" {
	for option in --svg --folded --pprof --record; do
		run -2 --separate-stderr procmem trace "$option" -- touch started
		[[ $stderr = *"$option: the name of a file is missing before '--'"* ]]
		run -2 --separate-stderr procmem trace "$option=" -- touch started
		[[ $stderr = *"$option: the name of the file is empty"* ]]
		[ ! -e started ]
	done
	[ ! -e -- ]
}

@test "the end of the process that unwinds is reported" {
	target_start grower
	trace_start --json
	kill -KILL "$(pgrep -P "$TRACE_NUMBER")"
	target_tell map one 10
	trace_end
	jq -e '.stacks_missing | contains("was killed")' <<<"$output"
	jq -e '[.sites[] | select(.stack == [] and .mapped == 40960)] | length == 1' <<<"$output"
}

@test "a note says whether a larger copy of the stack helps" {
	local notes
	target_start grower
	trace_start --stack 512
	exec {notes}<&"${TRACE[0]}"
	target_tell map one 10
	trace_end
	[[ $(cat <&"$notes") = *"callers of 1 stack are not known; a larger --stack may find more"* ]]
	exec {notes}<&-
}

@test "a file that cannot be written is reported before the trace" {
	for option in --svg --folded --pprof; do
		run -2 --separate-stderr procmem trace "$option" none/a.svg -- touch started
		[[ $stderr = *"cannot write none/a.svg: "* ]]
		[ ! -e started ]
	done
}

@test "a process without memory is refused" {
	target_start zombie_parent
	run -2 --separate-stderr procmem trace --for 0.1s "$(pgrep -P "$TARGET_PID")"
	[[ $stderr = *"is a zombie and has no memory"* ]]
}

@test "CSV without a header, and the files" {
	target_start mapper
	run -0 --separate-stderr procmem trace --for 0.3s --faults --all --csv --no-header \
		--svg a.svg --folded a.folded --pprof a.pb.gz "$TARGET_PID"
	[[ $output = [0-9]*,*"[mapped before the trace]"* ]]
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' a.svg
	gzip -dc a.pb.gz | grep -aq inuse_space
	[ -f a.folded ]
}

# Starts a grower and a trace of it, with these options.
grower_trace() {
	target_start grower
	trace_start "$@"
}

@test "the site that maps memory has its size, in all outputs" {
	grower_trace --json -a --svg a.svg --folded a.folded --pprof a.pb.gz
	target_tell map one 300
	target_tell map other 200
	target_tell unmap other
	trace_end
	jq -e '[.sites[] | select(.earlier | not) | select(.resident == 300 * 4096)] | length == 1 and
		.[0].mapped >= 300 * 4096 and .[0].live == .[0].mapped and .[0].regions == 1 and
		([.[0].stack[].function] | contains(["make", "main"]))' <<<"$output"
	jq -e '.final and (has("exited") | not) and .lost == 0 and .difference == 0 and .backend == "perf"' <<<"$output"

	# The files have the same sum.
	local sum
	sum=$(jq '[.sites[] | select((.earlier | not) or (.stack | length > 0)) | .resident] | add' <<<"$output")
	[ "$(awk '{ sum += $NF } END { print sum }' a.folded)" = "$sum" ]
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' a.svg
	grep -q '<title>grower' a.svg
	gzip -dc a.pb.gz | grep -aq inuse_space
}

@test "after an exit, the result is the last measurement before" {
	grower_trace --json --every 1h
	kill -KILL "$TARGET_PID"
	wait "$TRACE_NUMBER"
	jq -e '.final and .exited and .before.resident > 0' "$TRACE_OUTPUT"
	json_keep trace "$TRACE_OUTPUT"
}

@test "sums by function, thread and object, and CSV" {
	grower_trace --by function --csv --no-header
	target_tell map one 300
	trace_end
	[[ $output = *"$((300 * 4096)),"* ]]
	for by in thread object; do
		targets_stop
		grower_trace --by "$by" --json
		target_tell map one 300
		trace_end
		jq -e "[(.by_thread // .objects)[] | select(.count >= 1 and .resident >= 300 * 4096)] | length >= 1" <<<"$output"
	done
}

@test "--faults shows which code touches memory that was mapped before" {
	grower_trace --faults --json
	target_tell map one 300
	trace_end
	jq -e '[.sites[].faults] | add >= 300' <<<"$output"
	targets_stop
	target_start grower
	target_tell reserve one 300
	trace_start --faults --json
	target_tell touch one 200
	trace_end
	jq -e '[.sites[] | select(.earlier and any(.stack[]; .function == "touch_more")) | .resident] |
		add == 200 * 4096' <<<"$output"
}

# Traces a grower that fills memory by MADV_POPULATE_WRITE, without page faults. The plan of the
# trace must begin with this text.
trace_populate() {
	target_start grower
	target_tell reserve one 300
	trace_start --faults --json
	target_tell populate one 200
	trace_end
	jq -e --arg plan "$1" '.plan | startswith($plan)' <<<"$output"
	jq -e '[.sites[] | select(.earlier and any(.stack[]; .function == "populate")) | .resident] |
		add == 200 * 4096' <<<"$output"
}

@test "--faults shows which code fills memory without page faults" {
	trace_populate 'one event per thread, CPU'
}

@test "--faults shows the same with few descriptors" {
	# A thread needs 13 descriptors for each CPU, or 4 with a filter of all system calls.
	ulimit -n $((64 + 8 * $(nproc --all)))
	trace_populate 'two events per thread'
}

@test "--strings shows the text in the memory of a site" {
	grower_trace --strings 2
	target_tell reserve one 300
	target_tell write one 300 a text of the test
	trace_end
	[[ $output = *"300 × a text of the test"* ]]
}

@test "--every prints changes, and the whole result at the end" {
	grower_trace --every 0.2 --json
	target_tell map one 300
	trace_end
	[ "$(jq -s 'map(select(.final)) | length' <<<"$output")" = 1 ]
	jq -es '.[-1].final and ([.[-1].sites[].resident] | max >= 300 * 4096)' <<<"$output"
	jq -es '.[:-1] | all(.final | not)' <<<"$output"
}

@test "--every into a pipe that nobody reads loses nothing, and ends when the pipe is closed" {
	local pipe number reader
	target_start grower
	mkfifo pipe
	exec {pipe}<>pipe
	# Fill the pipe with empty lines.
	yes '' | dd of=pipe oflag=nonblock bs=4096 2>dd.err || true
	"$PROCMEM_BIN" trace --every 0.01 --json "$TARGET_PID" >pipe 2>err 3>&- {pipe}>&- &
	number=$!
	# It waits in write(2), which is call 1, to standard output.
	until [[ $(<"/proc/$number/syscall") = '1 0x1 '* ]]; do
		fails grep perf_event err || skip "$(cat err)"
		sleep 0.01
	done
	target_tell map one 3000
	cat pipe >out 3>&- {pipe}>&- &
	reader=$!
	until [ -s out ]; do sleep 0.01; done
	exec {pipe}>&-
	until grep -q '12288000' out; do sleep 0.01; done
	kill -TERM $number
	wait $number
	wait $reader
	jq -es '.[-1] | .final and .lost == 0 and .difference == 0 and
		any(.sites[]; .resident == 12288000)' out

	"$PROCMEM_BIN" trace --every 0.01 "$TARGET_PID" 3>&- | head -n 1 >first
	grep -q '^grower' first
	[[ $(<"/proc/$TARGET_PID/status") = *$'\nTracerPid:\t0\n'* ]]
	target_tell map two 1
}

@test "Ctrl-C during a measurement of --every prints the result" {
	# Each measurement takes long.
	target_start many_regions 15000 60
	for delay in 0 0.04 0.08; do
		trace_start --every 0.05 --json
		until [ -s "$TRACE_OUTPUT" ]; do sleep 0.01; done
		sleep $delay
		trace_end
		jq -es '.[-1].final' <<<"$output"
	done
}

@test "a target that maps code all the time, among many regions, can be traced" {
	target_start many_regions 30000 0 code
	for backend in perf ptrace; do
		run --separate-stderr timeout -k 10 200 "$PROCMEM_BIN" trace --backend $backend --for 0.5s \
			--json "$TARGET_PID"
		[[ $stderr != *perf_event* ]] || continue
		[ "$status" = 0 ]
		jq -e '.final and .events > 0' <<<"$output"
	done
}

@test "the trace continues after exec of a set-group-ID program" {
	[ "$(id -u)" = 0 ] || skip "only root can make such a program of another group"
	target_copy sites
	chgrp nogroup "$BATS_TEST_TMPDIR/$TARGET_NAME"
	chmod g+s "$BATS_TEST_TMPDIR/$TARGET_NAME"
	target_start "$TARGET_NAME"
	trace_start --every 0.1 --json
	printf 'exec\n' >&"$TARGET_IN"
	target_await ready
	# The kernel ends the events at the exec. It takes a moment until they are opened again.
	for _ in {1..300}; do
		target_tell 'work 1'
		! grep -q site_mmap "$TRACE_OUTPUT" || break
		sleep 0.02
	done
	trace_end
	jq -es '.[-1] | .final and .execs == 1' <<<"$output"
	jq -es '.[-1] | any(.sites[]; any(.stack[]; .function == "site_mmap"))' <<<"$output"
}

@test "Ctrl-C ends the trace though the process that reads programs hangs" {
	grower_trace --json
	kill -STOP "$(pgrep -P "$TRACE_NUMBER")"
	target_tell map one 300
	# Procmem waits for its answer: poll(2), which is call 7, of one descriptor.
	until [[ $(<"/proc/$TRACE_NUMBER/syscall") = '7 0x'*' 0x1 '* ]]; do sleep 0.01; done
	trace_end
	jq -e '.final and (.stacks_missing | contains("after procmem was interrupted"))' <<<"$output"
	jq -e '[.sites[] | select(.earlier | not) | .resident] | add == 300 * 4096' <<<"$output"
}
