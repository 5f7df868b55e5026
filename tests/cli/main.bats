#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The program around its commands: help, wrong usage, and failures of the output.

setup() {
	load support/helper
}

teardown() {
	targets_stop
	json_check
}

# Fails unless the last `run --separate-stderr` printed just one line on stderr and exited with 2.
assert_refused() {
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ ${stderr_lines[0]} == "procmem: "* ]]
}

@test "a missing or unknown command is reported in one line that suggests what to do" {
	run --separate-stderr procmem
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "$stderr" = "$(procmem --help)" ]
	run --separate-stderr procmem mpa 1
	assert_refused
	[[ $stderr == *"'map'"* ]]
	run --separate-stderr procmem --all map 1
	assert_refused
}

@test "help names every command, and each command's help ends with two examples" {
	local commands
	run -0 procmem --help
	commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$output")
	[[ $commands == *map* && $commands == *ps* ]]
	for command in $commands; do
		run -0 procmem "$command" --help
		[ "${lines[0]%% [*}" = "Usage: procmem $command" ]
		[ "$(sed -n '/^Examples:/,$p' <<<"$output" | grep -c "^  procmem $command")" -eq 2 ]
		[ "$output" = "$(procmem help "$command")" ]
		[ -z "$(awk 'length > 80' <<<"$output")" ]
	done
}

@test "the version is the same everywhere" {
	run -0 procmem --version
	[[ $output =~ ^procmem\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[ "$output" = "$(procmem map -V)" ]
}

@test "an unknown or ambiguous option is reported, and a similar one is suggested" {
	run --separate-stderr procmem map --josn 1
	assert_refused
	[[ $stderr == *"--josn"*"--json"* ]]
	run --separate-stderr procmem map -Z 1
	assert_refused
	[[ $stderr == *"-Z"* ]]
	run --separate-stderr procmem map --min 1 1
	assert_refused
	[[ $stderr == *"--min "*"several"* ]]
}

@test "for an option joined with its value, the separate form is suggested" {
	for word in --bykind --by-kind --bymapping; do
		run --separate-stderr procmem map "$word" 1
		assert_refused
		value=${word#--by}
		[[ $stderr == *"unknown option $word; did you mean --by ${value#-}?" ]]
	done
	# Only valid values are suggested.
	run --separate-stderr procmem watch --sort-by 1
	assert_refused
	[[ $stderr != *"did you mean"* ]]
	for word in --bykind --by-kind; do
		run --separate-stderr procmem watch "$word" 1
		assert_refused
		[[ $stderr == *"watch has no --by: "* ]]
	done
}

@test "missing, unexpected and invalid arguments of options are reported, and options that cannot be combined" {
	run --separate-stderr procmem map 1 --top
	assert_refused
	[[ $stderr == *"--top"* ]]
	run --separate-stderr procmem map --all=3 1
	assert_refused
	run --separate-stderr procmem map --json --csv 1
	assert_refused
	[[ $stderr == *"--json"*"--csv"* ]]
	run --separate-stderr procmem map --min-rss 12q 1
	assert_refused
	[[ $stderr == *"--min-rss: "*"12q"* ]]
	run --separate-stderr procmem map --color=maybe 1
	assert_refused
	run --separate-stderr procmem ps a b
	assert_refused
}

@test "options can follow the operands, and -- ends them" {
	target_start mapper
	run -0 procmem map "$TARGET_PID" stack --no-header -o kind
	[ "$(sort -u <<<"$output")" = stack ]
	run --separate-stderr procmem map -- -1
	assert_refused
}

@test "a full disk is an error" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	run --separate-stderr bash -c '"$PROCMEM_BIN" --help >/dev/full'
	assert_refused
	[[ $stderr == *"No space left"* ]]
}

@test "a closed standard output is an error" {
	run --separate-stderr bash -c '"$PROCMEM_BIN" --version >&-'
	assert_refused
}

@test "a reader that closes its pipe ends the output without an error" {
	target_start many_regions 2000 1
	run --separate-stderr bash -c '"$PROCMEM_BIN" map --csv "$1" | head -n 1; echo "${PIPESTATUS[0]}"' bash "$TARGET_PID"
	[ "${lines[0]}" = address,size,rss,pss,dirty,swap,perm,kind,mapping,detail ]
	[ "${lines[1]}" = 0 ]
	[ -z "$stderr" ]
}
