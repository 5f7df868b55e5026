#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem map` of an ELF core file.

setup() {
	load ../support/helper
}

teardown() {
	targets_stop
	json_check
}

@test "a core file that gdb wrote is listed like a process, and the regions of malloc are proven" {
	require gdb
	target_start sample_server --fill
	gdb -q -batch -p "$TARGET_PID" -ex "generate-core-file $BATS_TEST_TMPDIR/core" >/dev/null 2>&1
	[ -s "$BATS_TEST_TMPDIR/core" ]
	run -0 --separate-stderr procmem map --json "$BATS_TEST_TMPDIR/core"
	# Compares the buffers that the server prints with the regions of the core file.
	local buffer count=0
	while read -r _ _ buffer _; do
		jq -e --arg at "$buffer" 'any(.regions[]; .kind == "malloc" and .proof == "proven" and (.start | ltrimstr("0x")) <= $at
			and $at < (.end | ltrimstr("0x")))' <<<"$output" >/dev/null
		count=$((count + 1))
	done < <(grep '^buffer ' "$TARGET_FACTS")
	[ "$count" -eq 8 ]
}

@test "sizes that a core file does not contain are unknown" {
	target_start sample_server
	run -0 procmem dump --core -q -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	run -0 --separate-stderr procmem map --json "$BATS_TEST_TMPDIR/core"
	jq -e '.total | has("rss") and (has("pss") or has("dirty") | not)' <<<"$output"
	run -0 --separate-stderr procmem map -n 1 "$BATS_TEST_TMPDIR/core"
	[[ $stderr == *'the size in the core file'* ]]
	[[ ${lines[0]} == *'core file, '*' regions'* ]]
}

@test "the stacks of all threads contain the stack pointers that gdb finds, and have their thread IDs" {
	require gdb jq
	target_start sample_server
	local core lwp sp seen
	gdb -q -batch -p "$TARGET_PID" -ex "generate-core-file $BATS_TEST_TMPDIR/gdb" >/dev/null 2>&1
	run -0 procmem dump --core --stop -q -o "$BATS_TEST_TMPDIR/own" "$TARGET_PID"
	for core in gdb own; do
		gdb -q -batch -ex 'thread apply all print/x $sp' -c "$BATS_TEST_TMPDIR/$core" 2>/dev/null |
			sed -n 's/^Thread .*LWP \([0-9]*\).*/\1/p; s/^\$.* = \(0x[0-9a-f]*\)$/\1/p' | paste - - >"$BATS_TEST_TMPDIR/truth"
		seen=0
		while read -r lwp sp; do
			run -0 --separate-stderr procmem map --json "$BATS_TEST_TMPDIR/$core" "$sp"
			if [ "$lwp" = "$TARGET_PID" ]; then
				jq -e '.regions[0] | .kind == "stack" and .mapping == "[stack]"' <<<"$output"
			else
				jq -e --arg lwp "$lwp" '.regions[0] | .kind == "stack" and .detail == $lwp' <<<"$output"
			fi
			seen=$((seen + 1))
		done <"$BATS_TEST_TMPDIR/truth"
		[ "$seen" -eq "$(find "/proc/$TARGET_PID/task" -mindepth 1 -maxdepth 1 | wc -l)" ]
	done
}

# expect_heap PID CORE: checks that the region of the core file at [heap] is its only heap.
expect_heap() {
	local start
	start=$(sed -n 's/^0*\([0-9a-f]*\)-.*\[heap\]$/0x\1/p' "/proc/$1/maps")
	run -0 --separate-stderr procmem map --json "$2"
	jq -e --arg start "$start" '[.regions[] | select(.kind == "heap") | .start] == [$start]' <<<"$output"
}

@test "the brk heap is found by its contents, at the address in maps" {
	require gdb jq
	target_start sample_server --fill
	gdb -q -batch -p "$TARGET_PID" -ex "generate-core-file $BATS_TEST_TMPDIR/gdb" >/dev/null 2>&1
	expect_heap "$TARGET_PID" "$BATS_TEST_TMPDIR/gdb"
	run -0 procmem dump --core --stop -q -o "$BATS_TEST_TMPDIR/own" "$TARGET_PID"
	expect_heap "$TARGET_PID" "$BATS_TEST_TMPDIR/own"
}

@test "the brk heap of python is found, too" {
	require python3 jq
	spawn setpriv --pdeathsig KILL python3 -c 'import json, sys; print("ready", flush=True); sys.stdin.read()'
	target_await ready >/dev/null
	run -0 procmem dump --core --stop -q -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	expect_heap "$TARGET_PID" "$BATS_TEST_TMPDIR/core"
}

# same_regions LIVE CORE: fails unless CORE has the regions in the listing LIVE of the process, with
# the same kinds, files and offsets, and the same permissions or '?' for unknown ones. Core files do
# not have the names of the kernel, such as [heap].
same_regions() {
	local differences
	run -0 --separate-stderr procmem map --json "$2"
	differences=$(jq -c --slurpfile live "$1" '
		def known($perms): . as $live | [range(4)] | all(. as $i | $perms[$i:$i + 1] | . == "?" or . == $live[$i:$i + 1]);
		def rows: [.regions[] | select(.kind != "kernel") | { start, "end", kind, perms, mapping, offset }];
		(rows | map({ (.start): . }) | add) as $core | ($live[0] | rows | map({ (.start): . }) | add) as $wanted |
		$core + $wanted | keys[] | [$wanted[.], $core[.]] | . as [$one, $other] | select(
			$one == null or $other == null or ($one | [.end, .kind]) != ($other | [.end, .kind]) or
			($one.perms | known($other.perms) | not) or
			(($one.mapping // "")[0:1] == "/" and ($one | [.mapping, .offset]) != ($other | [.mapping, .offset])))
	' <<<"$output")
	[ -z "$differences" ] || { printf '%s\n' "$2 differs:" "$differences" && false; }
}

@test "core files of procmem, gdb and the kernel have the regions of the process, with the same kinds" {
	require gdb jq
	cd "$BATS_TEST_TMPDIR"
	target_start sample_server --fill
	procmem map --json "$TARGET_PID" >live
	procmem dump --core -q -o own "$TARGET_PID"
	same_regions live ./own
	gdb -q -batch -p "$TARGET_PID" -ex 'generate-core-file gdb' >/dev/null 2>&1
	same_regions live ./gdb
	# The ranges that gdb leaves to the mapped files are listed, without permissions and bytes.
	jq -e '[.regions[] | select(.perms == "????")] | length > 0 and all(.rss == 0 and (.mapping | startswith("/")))' <<<"$output"
	jq -e 'any(.regions[]; .kind == "code" and .perms == "????" and .proof == "inferred" and (.mapping | contains("libc")))' <<<"$output"
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip 'the kernel writes core files elsewhere (core_pattern)'
	prlimit --core=unlimited --pid "$TARGET_PID" || skip 'the hard limit of core files is too low'
	local folder
	folder=$(readlink "/proc/$TARGET_PID/cwd")
	kill -SEGV "$TARGET_PID"
	tail --pid="$TARGET_PID" -f /dev/null
	mv "$folder"/core* kernels 2>/dev/null || true
	same_regions live ./kernels
}

@test "segments of one mapping are one region, with the size that the file contains" {
	target_start markers small
	cd "$BATS_TEST_TMPDIR"
	procmem dump --core -q -o core "$TARGET_PID"
	# The file has more segments than the process has mappings.
	local start end
	while read -r start end; do
		[ "$(procmem map -q --csv --no-header --bytes -o end ./core "0x$start")" = "$end" ]
	done < <(sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) [^ ]* [^ ]* [^ ]* [^ ]* *\/.*/\1 \2/p' "/proc/$TARGET_PID/maps")
	local range size
	range=$(sed -n 's/ r-xp .*libc.*//p' "/proc/$TARGET_PID/maps")
	size=$((0x${range#*-} - 0x${range%-*}))
	[ "$(readelf -lW core | grep -c "LOAD.*0x0000${range:0:5}")" -gt 1 ]
	run -0 --separate-stderr procmem map --json ./core "0x${range%-*}"
	jq -e --argjson size "$size" '.regions[0] | .rss > 0 and .rss < $size and .size == $size' <<<"$output"
}

@test "ranges that a core file leaves to the mapped files are listed, and reading them refers to the file" {
	require gdb jq
	cd "$BATS_TEST_TMPDIR"
	target_start sample_server
	gdb -q -batch -p "$TARGET_PID" -ex 'generate-core-file core' >/dev/null 2>&1
	run -0 --separate-stderr procmem map --json ./core
	local code
	code=$(jq -r 'first(.regions[] | select(.kind == "code" and .perms == "????")) | .start' <<<"$output")
	run -0 --separate-stderr procmem map ./core "$code"
	[[ ${lines[0]} == *'  ????  code  /'* ]]
	[[ ${lines[1]} == *', file offset 0x'*'; the page is not in the core file; read it from the mapped file' ]]
	run -2 procmem shell -c "x/4xb $code" ./core
	[[ $output == *'not in the core file; the mapped file may have these bytes'* ]]
	run -1 --separate-stderr procmem dump --raw ./core "$code+16"
	[[ $stderr == *'16B is not in the core file, so zeros were written instead'* ]]
	[[ $stderr != *device* ]]
	run -1 --separate-stderr procmem dump --hex ./core "$code+16"
	[[ $stderr == *'16B is not in the core file: this memory '* && $stderr != *'zeros were written'* ]]
	# Unknown permissions do not match a filter.
	run -0 --separate-stderr procmem map --csv --no-header -o perm --perms '?--p' ./core
	[ "$(sort -u <<<"$output")" = '?--p' ]
}
