#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem trace --record` and `procmem diff` of its samples: targets whose memory is known.

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

# Prints the changes of resident bytes of sites that map memory in the function make() of the grower.
made() {
	jq -c '[.sites[] | select(.earlier | not) | select(any(.stack[]; .function == "make")) | .delta]' \
		<<<"$output"
}

@test "samples of one trace are compared by call site" {
	target_start grower
	trace_start --record run.pmrec
	target_tell map one 300
	target_tell map two 200
	target_tell unmap two
	trace_end
	run -0 --separate-stderr procmem snap -l --json run.pmrec
	jq -e '[.samples[].has_sites] == [true, true]' <<<"$output"
	run -0 procmem snap -l run.pmrec
	[[ $output = *"RSS and swap, call sites"* ]]

	run -1 --separate-stderr procmem diff --json run.pmrec@first run.pmrec
	[ "$(made)" = "[$((300 * 4096))]" ]
	jq -e '.trace.same_trace and .trace.before.seconds < .trace.after.seconds and .total' <<<"$output"
	run -1 --separate-stderr procmem diff --by site --json run.pmrec@first run.pmrec
	[ "$(made)" = "[$((300 * 4096))]" ]
	jq -e '(has("total") or has("regions")) | not' <<<"$output"

	run -1 --separate-stderr procmem diff run.pmrec@first run.pmrec
	[[ $output = *"+1.2M"*"total"*"call sites after:  traced for "*"+1.2M "*" make < "* ]]
	[[ $stderr != *"two traces"* ]]
	run -1 --separate-stderr procmem diff --by site -n 1 run.pmrec@first run.pmrec
	[[ $output != *"total"* && $output = *"+1.2M "*" make < "* ]]
	run -0 --separate-stderr procmem diff --by site run.pmrec run.pmrec
	[[ $output = *"no call site changed"* ]]

	# The report has the table of call sites, and none of regions.
	run -1 --separate-stderr procmem diff --by site --html out.html run.pmrec@first run.pmrec
	[ "$(grep -c 'id="sites"' out.html)" -ge 1 ]
	run -1 grep 'id="changes"' out.html
}

@test "--every adds a sample for each table, and a later trace continues the recording" {
	target_start grower
	run -0 --separate-stderr procmem trace --record run.pmrec --every 0.1 --for 0.25 --json "$TARGET_PID"
	# The first sample is that of the start.
	jq -es '[.[].sample] == [range(2; length + 2)] and length >= 2' <<<"$output"
	last=$(jq -s '.[-1].sample' <<<"$output")
	trace_start --record ./run.pmrec
	target_tell map one 300
	trace_end
	run -1 --separate-stderr procmem diff --by site --json "run.pmrec@$last" run.pmrec
	jq -e '.trace.same_trace | not' <<<"$output"
	[ "$(made)" = "[$((300 * 4096))]" ]
	[[ $stderr = *"the call sites are of two traces"* ]]
	# Two names of one file.
	run -1 --separate-stderr procmem diff --by site --json "./run.pmrec@$((last + 1))" "$PWD/run.pmrec"
	jq -e '.trace.same_trace' <<<"$output"
}

@test "traces of two runs of a program are compared by function" {
	for run in 300 500; do
		target_start grower
		trace_start --record "$run.pmrec"
		target_tell map one "$run"
		trace_end
		targets_stop
	done
	run -2 --separate-stderr procmem diff --by site 300.pmrec 500.pmrec
	[[ $stderr = *"are different processes"* ]]
	run -1 --separate-stderr procmem diff --force --by site --json 300.pmrec 500.pmrec
	[ "$(made)" = "[$((200 * 4096))]" ]
}

@test "the end of the process is recorded" {
	target_start grower
	trace_start --record run.pmrec
	targets_stop
	wait "$TRACE_NUMBER"
	run -0 --separate-stderr procmem snap -l --json run.pmrec
	jq -e '[.samples[].has_sites] == [true, true] and .samples[1].holds == "totals"' <<<"$output"
	[ "$(sqlite3 run.pmrec 'SELECT count(*) FROM ending WHERE sample = 2')" = 1 ]
}

@test "the query of docs/RECORDING.md lists the call sites" {
	target_start grower
	trace_start --record run.pmrec
	target_tell map one 300
	trace_end
	query=$(sed -n '/^The call sites of the last sample/,/;$/s/^    //p' "$PROCMEM_SOURCE/docs/RECORDING.md")
	run -0 sqlite3 run.pmrec "$query"
	[[ $output = *"$((300 * 4096))|"*" < make < "*" < main < "* ]]
}

@test "what cannot be recorded or compared is refused with the reason" {
	target_start grower
	run -2 --separate-stderr procmem trace --record - 1
	[[ $stderr = *"--record: a recording is a database and cannot be written to a pipe: name a file"* ]]
	procmem snap -q -o run.pmrec "$TARGET_PID"
	run -2 --separate-stderr procmem diff --by site run.pmrec "$TARGET_PID"
	[[ $stderr = *"run.pmrec has no call sites: 'procmem trace --record FILE' adds them to a recording"* ]]
	procmem trace -q --record run.pmrec --for 0.1 "$TARGET_PID" >all
	run -2 --separate-stderr procmem diff --by site run.pmrec "$TARGET_PID"
	[[ $stderr = *"$TARGET_PID has no call sites"* ]]
	run -2 --separate-stderr procmem diff --by site -k anon run.pmrec@2 run.pmrec
	[[ $stderr = *"options that select regions cannot be used with it"* ]]
	procmem snap -q -o run.pmrec "$TARGET_PID"
	run -2 --separate-stderr procmem diff --by site run.pmrec@3 run.pmrec
	[[ $stderr = *"both samples have the call sites of sample 3"* ]]

	targets_stop
	target_start grower
	run -2 --separate-stderr procmem trace --record run.pmrec --for 0.1 "$TARGET_PID"
	[[ $stderr = *"run.pmrec"*"another process"* ]]
}

@test "a command is not started if its recording cannot be created" {
	target_start grower
	run -0 procmem trace -q --for 0.1s --record run.pmrec "$TARGET_PID"
	run -2 --separate-stderr procmem trace --record run.pmrec -- touch started
	[[ $stderr = *"run.pmrec exists already: the recording of a command needs a new file"* ]]
	run -2 --separate-stderr procmem trace --record missing/run.pmrec -- touch started
	[[ $stderr = *"cannot write missing/run.pmrec: No such file or directory"* ]]
	[[ ! -e started ]]
}

@test "the recording continues after exec" {
	target_start exiter
	trace_start --record run.pmrec
	echo exec >&"$TARGET_IN"
	target_await ready
	trace_end
	run -0 --separate-stderr procmem snap -l --json run.pmrec
	jq -e '[.samples[].has_sites] == [true, true] and all(.samples[]; .holds == "rss")' <<<"$output"
	[ "$(sqlite3 run.pmrec 'SELECT count(*) FROM ending')" = 0 ]
}
