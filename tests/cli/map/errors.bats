#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Targets that cannot be listed: one line on stderr, exit status 2, nothing on stdout.

setup() {
	load ../support/helper
}

teardown() {
	targets_stop
	json_check
}

# Runs a command that must be refused, in all forms of output.
assert_refused() {
	for form in "" --json --csv --pmap "--by kind" "-o size"; do
		# shellcheck disable=SC2086 # options
		run --separate-stderr "$@" $form
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ ${stderr_lines[0]} == "procmem: "* ]]
	done
}

@test "one region is not called regions" {
	printf '1000-2000 rw-p 00000000 00:00 0 \n' >"$BATS_TEST_TMPDIR/one.maps"
	run -0 --separate-stderr procmem map "$BATS_TEST_TMPDIR/one.maps"
	[[ $output == *'saved maps, 1 region'* && $output != *regions* ]]
	run -1 procmem map --perms x "$BATS_TEST_TMPDIR/one.maps"
	[[ $output == *'none of the 1 region of '* ]]
	run -0 procmem map -v "$BATS_TEST_TMPDIR/one.maps"
	[[ $output == *'read 1 region from '* ]]
}

@test "a zombie" {
	target_start zombie_parent
	assert_refused procmem map "$(target_fact zombie)"
	[[ $stderr == *zombie* ]]
}

@test "a kernel thread" {
	[ "$(cat /proc/2/comm)" = kthreadd ] || skip "there are no kernel threads in this PID namespace"
	assert_refused procmem map 2
	[[ $stderr == *"kernel thread"* ]]
}

@test "a process of another user" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	target_start mapper
	assert_refused as_nobody map "$TARGET_PID"
	[[ $stderr == *sudo* ]]
}

@test "a process that is not dumpable" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	spawn setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --pdeathsig KILL "$PROCMEM_TARGETS/undumpable"
	target_await ready
	assert_refused as_nobody map "$TARGET_PID"
	[[ $stderr == *dumpable* ]]
}

@test "a process that ended" {
	target_start exiter
	target_tell exit || true
	while kill -0 "$TARGET_PID" 2>/dev/null && [ "$(sed 's/.*) //' "/proc/$TARGET_PID/stat" | cut -c 1)" != Z ]; do :; done
	assert_refused procmem map "$TARGET_PID"
}

@test "a process that ends during the listing: the complete list or none" {
	whole=0 none=0
	for delay in 0 0.01 0.02 0.04 0.08 0.3; do
		target_start many_regions 20000 20
		"$PROCMEM_BIN" map "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
		listing=$!
		# The end can come at any point of the listing. One of two results is right.
		sleep "$delay"
		targets_stop
		if wait "$listing"; then
			[[ $(tail -n 1 "$BATS_TEST_TMPDIR/out") == "total "* ]]
			[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -gt 20000 ]
			whole=$((whole + 1))
		else
			[ ! -s "$BATS_TEST_TMPDIR/out" ]
			[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
			none=$((none + 1))
		fi
	done
	echo "# $whole whole, $none none" >&3
}

@test "numbers that are not PIDs" {
	assert_refused procmem map 0
	assert_refused procmem map -1
	[[ $stderr == *-1* ]]
	assert_refused procmem map 99999999
	assert_refused procmem map 99999999999999999999999
	assert_refused procmem map 12abc
	[[ $stderr == *12abc* ]]
	assert_refused procmem map ""
}

@test "a name that matches no process, and one that matches two" {
	assert_refused procmem map no-such-program
	target_start mapper
	first=$TARGET_PID
	target_start mapper
	assert_refused procmem map -q mapper
	[[ $stderr == *"$first"* && $stderr == *"$TARGET_PID"* ]]
}

@test "files that are not smaps: truncated, binary, empty, missing, a directory without smaps" {
	target_start mapper
	smaps=$BATS_TEST_TMPDIR/smaps
	cat "/proc/$TARGET_PID/smaps" >"$smaps"
	for bytes in 10 100 1000 12345; do
		head -c "$bytes" "$smaps" >"$BATS_TEST_TMPDIR/cut"
		assert_refused procmem map "$BATS_TEST_TMPDIR/cut"
		[[ $stderr == *"$BATS_TEST_TMPDIR/cut"* ]]
	done
	assert_refused procmem map "$PROCMEM_BIN"
	assert_refused procmem map /dev/null
	assert_refused procmem map "$BATS_TEST_TMPDIR/missing"
	mkdir "$BATS_TEST_TMPDIR/empty"
	assert_refused procmem map "$BATS_TEST_TMPDIR/empty"
	{ head -n 30 "$smaps" && echo "what is this" && tail -n +31 "$smaps"; } >"$BATS_TEST_TMPDIR/odd"
	assert_refused procmem map "$BATS_TEST_TMPDIR/odd"
}

@test "a process whose first thread has ended is listed" {
	target_start dead_leader
	run -0 procmem map "$TARGET_PID"
	[ "${#lines[@]}" -gt 10 ]
}

@test "words that are not regions" {
	target_start mapper
	assert_refused procmem map "$TARGET_PID" heep
	[[ $stderr == *heap* ]]
	assert_refused procmem map "$TARGET_PID" 7f00-6f00
	assert_refused procmem map "$TARGET_PID" --kind nonsense
	assert_refused procmem map "$TARGET_PID" --mapping '('
}

@test "a second PID or the name of a file as REGION: the message suggests what to do" {
	target_start mapper
	first=$TARGET_PID
	target_start mapper
	run --separate-stderr -1 procmem map "$first" "$TARGET_PID"
	[ -z "$output" ]
	[[ $stderr == *"hexadecimal"*"by commas"*"at 0x$TARGET_PID;"* ]]
	assert_refused procmem map "$first" libjvm.so
	[[ $stderr == *--mapping* ]]
	assert_refused procmem map -q mapper
	[[ $stderr == *"'procmem ps mapper' lists them"* ]]
	assert_refused procmem map targets/mapp
	assert_refused procmem map mappe
	[[ $stderr == *"'procmem ps mappe' lists "* ]]
}

@test "filters that exclude each other are rejected" {
	target_start mapper
	assert_refused procmem map --mapping a --mapping b "$TARGET_PID"
	[[ $stderr == *once* ]]
	assert_refused procmem map --perms r --perms w "$TARGET_PID"
	[[ $stderr == *once* ]]
}

@test "saved files that were converted are rejected" {
	target_start mapper
	for file in smaps maps; do
		cat "/proc/$TARGET_PID/$file" >"$BATS_TEST_TMPDIR/$file"
		sed 's/$/\r/' "$BATS_TEST_TMPDIR/$file" >"$BATS_TEST_TMPDIR/windows"
		assert_refused procmem map "$BATS_TEST_TMPDIR/windows"
		[[ $stderr == *"CR LF"* ]]
	done
}

@test "saved files that gzip has compressed are read, and damaged ones are rejected" {
	local file folder=$BATS_TEST_TMPDIR
	target_start mapper
	for file in smaps maps; do
		cat "/proc/$TARGET_PID/$file" >"$folder/$file"
		procmem map -q --csv "$folder/$file" >"$folder/plain"
		gzip <"$folder/$file" >"$folder/$file.gz"
		procmem map -q --csv "$folder/$file.gz" >"$folder/read"
		cmp "$folder/plain" "$folder/read"
		# Several members are one file, as for gunzip(1).
		{ head -c 3000 "$folder/$file" | gzip && tail -c +3001 "$folder/$file" | gzip; } >"$folder/two.gz"
		procmem map -q --csv "$folder/two.gz" >"$folder/read"
		cmp "$folder/plain" "$folder/read"
		run -0 procmem diff "$folder/$file" "$folder/$file.gz"

		mkdir "$folder/mailed"
		mv "$folder/$file.gz" "$folder/mailed"
		procmem map -q --csv "$folder/mailed" >"$folder/read"
		cmp "$folder/plain" "$folder/read"

		head -c -10 "$folder/mailed/$file.gz" >"$folder/short.gz"
		assert_refused procmem map "$folder/short.gz"
		[[ $stderr == *'short.gz: it is truncated'* ]]
		{ head -c 40 "$folder/mailed/$file.gz" && head -c 400 /dev/zero; } >"$folder/damaged.gz"
		assert_refused procmem map "$folder/damaged.gz"
		[[ $stderr == *'damaged.gz: it is damaged'* ]]
		rm -r "$folder/mailed"
	done
	# 600 MiB in half a megabyte
	head -c 600M /dev/zero | gzip -1 >"$folder/bomb.gz"
	assert_refused procmem map "$folder/bomb.gz"
	[[ $stderr == *'too large when it is decompressed'* ]]
}

@test "files in other compressed formats are rejected with the command that helps" {
	printf '\x28\xb5\x2f\xfd....' >"$BATS_TEST_TMPDIR/core.zst"
	assert_refused procmem map "$BATS_TEST_TMPDIR/core.zst"
	[[ $stderr == *'zstd -d'*coredumpctl* ]]
	run -2 --separate-stderr procmem strings "$BATS_TEST_TMPDIR/core.zst"
	[[ $stderr == *'is compressed: decompress it first, with '*'zstd -d'*'coredumpctl dump -o core PID'* ]]
	printf '\x1f\x8b....' >"$BATS_TEST_TMPDIR/core.gz"
	run -2 --separate-stderr procmem grep x "$BATS_TEST_TMPDIR/core.gz"
	[[ $stderr == *'gzip -d'* ]]
}

@test "a saved file that comes through a pipe is read once and completely" {
	require jq
	local pipe writer reader file
	target_start mapper
	for file in smaps maps; do
		cat "/proc/$TARGET_PID/$file" >"$BATS_TEST_TMPDIR/$file"
		# The pipe contains the start of the file before procmem opens it.
		mkfifo "$BATS_TEST_TMPDIR/filled"
		exec {pipe}<>"$BATS_TEST_TMPDIR/filled"
		head -c 4096 "$BATS_TEST_TMPDIR/$file" >"$BATS_TEST_TMPDIR/filled"
		tail -c +4097 "$BATS_TEST_TMPDIR/$file" >"$BATS_TEST_TMPDIR/filled" {pipe}>&- 3>&- &
		writer=$!
		exec {reader}<"$BATS_TEST_TMPDIR/filled" {pipe}>&-
		procmem map -q --csv "/dev/fd/$reader" >"$BATS_TEST_TMPDIR/piped"
		wait "$writer"
		exec {reader}<&-
		rm "$BATS_TEST_TMPDIR/filled"
		procmem map -q --csv "$BATS_TEST_TMPDIR/$file" >"$BATS_TEST_TMPDIR/whole"
		cmp "$BATS_TEST_TMPDIR/piped" "$BATS_TEST_TMPDIR/whole"
	done
	run -0 procmem diff --json <(cat "$BATS_TEST_TMPDIR/smaps") <(cat "$BATS_TEST_TMPDIR/smaps")
	jq -e '.before.count == .after.count' <<<"$output"
}

@test "a named pipe is read when its writer has come" {
	local late
	target_start mapper
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	mkfifo "$BATS_TEST_TMPDIR/late"
	"$PROCMEM_BIN" map -q --csv "$BATS_TEST_TMPDIR/late" >"$BATS_TEST_TMPDIR/piped" 3>&- &
	late=$!
	until [ -e "/proc/$late/fd" ] && ls -l "/proc/$late/fd" | grep -q late; do
		kill -0 "$late"
	done
	timeout 20 cp "$BATS_TEST_TMPDIR/smaps" "$BATS_TEST_TMPDIR/late"
	wait "$late"
	procmem map -q --csv "$BATS_TEST_TMPDIR/smaps" | cmp - "$BATS_TEST_TMPDIR/piped"
}
