#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command line of `procmem trace`, and its outputs for the target `mapper`.

setup() {
	load ../support/helper
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


@test "CSV without a header, and the files" {
	target_start mapper
	run -0 --separate-stderr procmem trace --for 0.3s --faults --all --csv --no-header \
		--svg a.svg --folded a.folded --pprof a.pb.gz "$TARGET_PID"
	[[ $output = [0-9]*,*"[mapped before the trace]"* ]]
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' a.svg
	gzip -dc a.pb.gz | grep -aq inuse_space
	[ -f a.folded ]
}
