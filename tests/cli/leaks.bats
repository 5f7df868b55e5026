#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem leaks`: lost chunks are compared with what the target `holders` has printed.

setup() {
	load support/helper
	load support/attack
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

# Prints the number of chunks of a group of the target, and their size.
group() {
	sed -n "s/^group $1 //p" "$TARGET_FACTS"
}

# Checks the lost chunks of a group of the target in the last output: NAME DIRECT CYCLES.
assert_lost() {
	local count size
	read -r count size < <(group "$1")
	jq -e --argjson count "$count" --argjson size "$size" --argjson direct "$2" --argjson cycles "$3" '
		.groups[] | select(.size == $size) | .count == $count and
		.bytes == $count * $size and .direct == $direct and .cycles == $cycles and
		.direct_bytes == $direct * $size' <<<"$output"
}

@test "lost chunks are those of the target, with cycles" {
	target_start holders
	run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
	assert_lost single 100 0
	assert_lost head 30 0
	assert_lost tail 0 0
	assert_lost ring 20 20
	assert_lost knot 1 1
	assert_lost hanging 0 0
	assert_lost self 1 0
	assert_lost mapped 1 0
	jq -e '.complete and .stopped_us > 0 and .copied > 1000000 and (.groups | length) == 8 and
		.chunks == (.groups | map(.count) | add) and .bytes == (.groups | map(.bytes) | add) and
		.direct == 153 and .cycles == 21' <<<"$output"
	[[ $stderr == *'the process was stopped for '*'(2 threads)'* ]]
	[[ $stderr == *'not seen: encoded or unaligned pointers'* ]]
}

@test "thousands of lost chunks in the arenas of several live threads" {
	local lost=4000
	target_start ../bench/chunks $((100 * lost))
	run -1 --separate-stderr procmem leaks --json --all "$TARGET_PID"
	# At most one for each of 5 threads and one of 1000 is missed, and only chunks with this text are lost.
	jq -c '{chunks, others: [.groups[] | select(.text != "lost chunk")]}' <<<"$output"
	jq -e --argjson lost $lost 'all(.groups[]; .text == "lost chunk") and .complete and
		.chunks <= $lost and .chunks >= $lost - 5 - $lost / 1000 and .chunks == (.groups | map(.count) | add)' <<<"$output"
}

@test "--direct counts where a loss begins, --min-size leaves out small chunks" {
	target_start holders
	run -1 --separate-stderr procmem leaks --json --direct "$TARGET_PID"
	jq -e '(.groups | map(.count) | add) == .direct and all(.groups[]; .count == .direct)' <<<"$output"

	run -1 --separate-stderr procmem leaks --json --min-size 600 "$TARGET_PID"
	jq -e '(.groups | map(.size) | sort) == [608, 720, 1052672] and .chunks == 205' <<<"$output" || {
		# What points to the chunk that is missing.
		procmem refs --all "$TARGET_PID" "$(sed -n 's/^example mapped //p' "$TARGET_FACTS")"
		false
	}
}

@test "the table has the sums and the largest group first" {
	target_start holders
	run -1 --separate-stderr procmem leaks -b "$TARGET_PID"
	[[ ${lines[0]} == 'possibly lost: 205 chunks, 1112144   direct: 153 chunks, 1092624   cycles: 21 '* ]]
	mapfile -t rows < <(sed -n '/^ *BYTES/,$p' <<<"$output")
	[[ ${rows[0]} =~ ^' '*BYTES' '+COUNT' '+SIZE' '+DIRECT' '+TOTAL' '+EXAMPLE' '+WHAT ]]
	[[ ${rows[1]} =~ ^1052672\ +1\ +1052672\ +1\ +1052672\ [0-9a-f]+\ zeros$ ]]

	run -1 --separate-stderr procmem leaks --csv -n 1 --columns size,count "$TARGET_PID"
	[ "$output" = $'size,count\n1052672,1' ]
	run -1 --separate-stderr procmem leaks --no-header -a -b "$TARGET_PID"
	[ "${#lines[@]}" -eq 8 ]
	run -0 procmem leaks -o help
	[[ $output == *direct_bytes* ]]
}

@test "what was lost together is shown for the direct chunks" {
	local head tail ring
	target_start holders
	read -r _ head < <(group head)
	read -r _ tail < <(group tail)
	read -r _ ring < <(group ring)
	run -1 --separate-stderr procmem leaks -b "$TARGET_PID"
	grep -Eq "^lost together: 30 x \(2 chunks, $((head + tail))\) = $((30 * (head + tail))), through chunks of $head B pointers \([0-9a-f]+\)$" <<<"$output"
	grep -Eq "^lost together: 20 x \(2 chunks, $((2 * ring))\) = $((40 * ring)), through chunks of $ring B pointers " <<<"$output"
	grep -Eq '^lost together: 1 x \(3 chunks, ' <<<"$output"
	[ "$(grep -c '^lost together' <<<"$output")" -eq 3 ]

	# The sum is that of all lost chunks, and the bytes of direct chunks include what was lost through them.
	run -1 --separate-stderr procmem leaks -q -b --direct "$TARGET_PID"
	[[ $output != *'lost together'* ]]
	grep -Eq '^ *TOTAL +COUNT +SIZE EACH +EXAMPLE +WHAT$' <<<"$output"
	grep -Eq "^ *$((30 * (head + tail))) +30 +$head 2 chunks, [0-9]+B " <<<"$output"
	grep -Eq '^ *1112144 +153 +total$' <<<"$output"

	run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e --argjson head "$head" --argjson tail "$tail" '
		(.groups[] | select(.size == $head) | .indirect == 30 and .indirect_bytes == 30 * $tail) and
		(.groups[] | select(.size == $tail) | .indirect == 0) and
		.chunks == (.groups | map(.direct + .indirect) | add) and
		.bytes == (.groups | map(.direct_bytes + .indirect_bytes) | add)' <<<"$output"
}

@test "nothing is lost in a program that has lost nothing" {
	target_start many_regions 10 1
	run -0 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.chunks == 0 and .groups == [] and .certain and .unreadable == 0' <<<"$output"
	run -0 --separate-stderr procmem leaks "$TARGET_PID"
	[[ $output == 'nothing lost: '*' in use, all reachable' ]]
	[[ $stderr != *'not seen'* ]]
}

@test "nothing is certain for a core file, an incomplete walk or a second allocator" {
	target_start many_regions 10 1
	procmem dump -q --core --stop -o core "$TARGET_PID"
	run -0 --separate-stderr procmem leaks core
	[[ $output == 'no lost chunk was found: '*' in use' ]]
	targets_stop

	target_start allocations 0
	printf 'damage\n' >&"$TARGET_IN"
	target_await 'done damage'
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.certain == false and .complete == false' <<<"$output"
	[[ $stderr == *'the heap is not valid in 1 place: a thread was inside malloc, or the heap is damaged; '* ]]
	run --separate-stderr procmem leaks "$TARGET_PID"
	[[ $output == *': about '*' chunk'* ]]
	targets_stop

	target_start allocations 0
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.certain' <<<"$output"
	target_tell imitate
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.complete and .certain == false' <<<"$output"
	targets_stop

	GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000 target_start two_allocators 100 10000
	[ "$(grep -c 'without jemalloc' "$TARGET_FACTS")" -eq 0 ] || skip 'libjemalloc.so.2 cannot be loaded'
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.certain == false' <<<"$output"
}

@test "pointers in memory that the process cannot read or write are found" {
	local where
	for where in none write exec shared chunk; do
		target_start hidden "$where"
		run -0 --separate-stderr procmem leaks --json "$TARGET_PID"
		jq -e '.chunks == 0 and .certain and .unreadable == 0' <<<"$output"
		targets_stop
	done
}

@test "nothing is certain if memory could not be read" {
	local count size
	target_start hidden untouched
	read -r count size < <(group held)
	run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e --argjson count "$count" '.chunks == $count and .certain == false' <<<"$output"
	[[ $stderr == *'64.0K of shared mappings were not read, because the process has not touched them; '* ]]
	targets_stop

	target_start hidden secret
	! grep '^unsupported' "$TARGET_FACTS" || skip 'no memfd_secret(2)'
	run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.chunks > 0 and .certain == false and .unreadable == 65536' <<<"$output"
	[[ $stderr == *'64.0K could not be read; pointers there are not known'* ]]
}

@test "nothing is certain if the registers of a thread could not be read" {
	target_start hidden suspended
	! grep '^unsupported' "$TARGET_FACTS" || skip 'not on x86-64'
	# The child prints the facts; the process is about to sleep until the child ends.
	until grep -q '^State:.D' "/proc/$TARGET_PID/status"; do :; done
	run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.chunks == 1 and .complete and .certain == false and .unread_threads == 1' <<<"$output"
	[[ $stderr == *'not all registers of 1 of 1 threads were read; pointers there are not known'* ]]
}

@test "memory that looks like a mapped chunk is found with tunables" {
	local tunables=glibc.malloc.tcache_count=100:glibc.malloc.mmap_max=1000 size
	GLIBC_TUNABLES=$tunables target_start false_chunk
	read -r _ size < <(group lost)
	run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e --argjson size "$size" '.certain == false and .chunks == 1 and .bytes == $size' <<<"$output"
	[[ $stderr == *'malloc has mapped 0 chunks separately, but 1 ranges look like such chunks; '* ]]
}

@test "aligned chunks that malloc has mapped: the bytes in use are those of heap" {
	target_start heaps aligned=16
	run --separate-stderr procmem heap --stop --json "$TARGET_PID"
	jq '.total.in_use + .mmapped.bytes' <<<"$output" >expected
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq .in_use <<<"$output" | diff expected -
}

@test "a pointer in a vector register is found" {
	target_start hidden vector
	! grep '^unsupported' "$TARGET_FACTS" || skip 'not on x86-64'
	run -0 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.chunks == 0 and .certain' <<<"$output"
	run -0 --separate-stderr procmem refs "$TARGET_PID" "0x$(sed -n 's/^example held //p' "$TARGET_FACTS")"
	[[ $output == *'register vector of thread '* ]]
}

@test "memory below a stack that the program has provided is searched" {
	target_start stack_parts provided
	run -0 --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.chunks == 0 and .certain' <<<"$output"
}

@test "a low thread ID is not taken for the start of a stack" {
	unshare --pid --fork --kill-child true 2>/dev/null || skip 'no right to create a PID namespace'
	printf '#!/bin/sh\nexec unshare --pid --fork --kill-child "%s/stack_parts" provided\n' "$PROCMEM_TARGETS" >"$BATS_TEST_TMPDIR/first"
	chmod +x "$BATS_TEST_TMPDIR/first"
	PROCMEM_TARGETS=$BATS_TEST_TMPDIR target_start first
	run -0 --separate-stderr procmem leaks --json "$(pgrep -P "$TARGET_PID")"
	jq -e '.chunks == 0 and .certain' <<<"$output"
}

@test "functions below the stack pointer of a thread make the answer uncertain" {
	local which count size
	for which in signal coroutine; do
		target_start stack_parts "$which"
		read -r count size < <(group held)
		run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
		jq -e --argjson size "$size" '.chunks == 1 and .bytes == $size and .certain == false' <<<"$output"
		[[ $stderr == *'of the lost chunks, 1 chunk, 2.9K can be reached from memory below stack pointers: '* ]]
		targets_stop
	done
}

@test "a truncated core file without malloc is called truncated" {
	require gcore
	target_start many_regions 10 1
	# procmem writes the program headers at the end of a core file, gdb at its start.
	gcore -o core "$TARGET_PID" >/dev/null 2>&1
	mv "core.$TARGET_PID" core
	truncate -s 65536 core
	for command in leaks heap; do
		run -2 --separate-stderr procmem "$command" core
		[[ $stderr == *'the heap of core is not known: the core file is truncated at 65536 bytes, and lacks '*' of the memory of the process; '* ]]
	done
}

@test "the predicted stop is printed before the process is stopped, once" {
	target_start allocations 0
	printf 'damage\n' >&"$TARGET_IN"
	target_await 'done damage'
	run --separate-stderr procmem leaks "$TARGET_PID"
	[[ ${stderr_lines[0]} =~ ^"procmem: note: stopping process $TARGET_PID for about "[0-9.]+' '(ms|s)', to copy '[0-9.]+[KM]$ ]]
	[ "$(grep -c 'stopping process' <<<"$stderr")" -eq 1 ]
	run --separate-stderr procmem leaks -q "$TARGET_PID"
	[[ $stderr != *stopping* ]]
	targets_stop

	target_start allocations 64
	run --separate-stderr procmem leaks --max-stop 0 "$TARGET_PID"
	[[ ${stderr_lines[0]} =~ ^"procmem: note: stopping process $TARGET_PID for about "[0-9.]+' '(ms|s)', or longer if the CPUs are busy, to copy '[0-9.]+[KM]$ ]]
}

@test "a stop that would take too long is refused, and the process continues" {
	target_start holders
	run -2 --separate-stderr procmem leaks --max-stop 1ms "$TARGET_PID"
	[[ $stderr == *"would be stopped for about "*" ms, but only 1 ms are allowed"* ]]
	assert_runs_free "$TARGET_PID"
	run -1 procmem leaks -q --max-stop 0 "$TARGET_PID"
	run -2 procmem leaks --max-stop never "$TARGET_PID"
}

@test "the process is stopped again only if that can help" {
	require strace
	[ -z "$(nm "$PROCMEM_BIN" 2>/dev/null | grep -E '__(a|t)san_init')" ] || skip 'LeakSanitizer cannot be traced'
	stops() { strace -f -o stops -e trace=ptrace "$PROCMEM_BIN" leaks -q --max-stop 0 "$TARGET_PID" >/dev/null || true; }
	target_start allocations 0
	printf 'damage\n' >&"$TARGET_IN"
	target_await 'done damage'
	stops
	# Two, or one more if the process got no processor in between.
	[[ $(grep -c PTRACE_SEIZE stops) == [23] ]]
}

@test "core files are searched" {
	# A word on a stack can have the address of the mapped chunk by chance.
	BATS_TEST_RETRIES=2
	target_start holders
	procmem dump -q --core --stop -o core "$TARGET_PID"
	run -1 --separate-stderr procmem leaks --json core
	jq -e 'has("stopped_us") | not' <<<"$output"
	assert_lost single 100 0
	assert_lost ring 20 20
	assert_lost mapped 1 0
}

@test "memory that a core file lacks is reported" {
	local sizes
	target_start copied
	# Without the bits for shared memory.
	echo 0x31 >"/proc/$TARGET_PID/coredump_filter"
	procmem dump -q --core --stop -o all "$TARGET_PID"
	procmem dump -q --core --stop --respect-filter -o part "$TARGET_PID"
	for core in all part; do
		run --separate-stderr procmem leaks "$core"
		[[ $stderr =~ 'the core file lacks '([0-9]+)'.0M of writable memory' ]]
		sizes+=(${BASH_REMATCH[1]})
	done
	# The region `shared` of the target has 1 MiB.
	[ $((sizes[1] - sizes[0])) -eq 1 ]
}

@test "the copy and the graph together are kept within half of the memory that is left" {
	target_start holders 1000
	run -1 procmem leaks -q --json "$TARGET_PID"
	local copied chunks
	copied=$(jq .copied <<<"$output")
	run -0 procmem heap -q --json --stop "$TARGET_PID"
	chunks=$(jq '.total.chunks + .mmapped.count' <<<"$output")

	# Between what the copy alone is assumed to need and what both need.
	cgroup_make $((copied + copied / 128 * 60 + copied + chunks * 60))
	for words in "leaks $TARGET_PID" "heap --retained $TARGET_PID" "heap --retained --tree g_list $TARGET_PID" \
		"refs $TARGET_PID $(sed -n 's/^example list //p' "$TARGET_FACTS")"; do
		# shellcheck disable=SC2016 # the inner shell expands these
		run -2 --separate-stderr sh -c 'echo $$ >"$0/cgroup.procs" && exec "$PROCMEM_BIN" $1 --max-stop 0' \
			"$GROUP_FOLDER" "$words"
		[[ $stderr == *'not enough memory: a graph of '*' chunks needs '* ]]
		assert_runs_free "$TARGET_PID"
	done
}

@test "a session that holds the target stopped uses its stop" {
	target_start holders
	run -0 --separate-stderr procmem shell -c 'stop' -c 'leaks -q --json' -c 'cont' "$TARGET_PID"
	output=$(sed -n '/^{/,/}$/p' <<<"$output")
	jq -e '.chunks == 205 and (has("stopped_us") | not)' <<<"$output"
}

@test "jemalloc: a lost large chunk is found, and a note says what is not found" {
	# jemalloc can hold the address of a freed region where the chunk starts now: in the cache of a
	# thread, which is off, and about once in 70 processes in its own structures.
	local attempt
	for attempt in 1 2 3; do
		MALLOC_CONF=tcache:false LD_PRELOAD=libjemalloc.so.2 target_start holders
		grep -q libjemalloc "/proc/$TARGET_PID/maps" || skip 'libjemalloc.so.2 cannot be loaded'

		run -1 --separate-stderr procmem leaks --json "$TARGET_PID"
		[[ $stderr == *'the thread caches of jemalloc point to some hundred chunks of each size; a lost chunk among these is not found'* ]]
		jq -e .complete <<<"$output"
		if jq -e '[.groups[] | select(.size == 1048576)] | length == 1 and .[0].count == 1' <<<"$output"; then
			return
		fi
		echo "attempt $attempt: the chunk is not lost"
		targets_stop
	done
	false
}
