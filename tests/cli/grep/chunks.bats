#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep` with --in-use, --freed and --chunks: the target says in which chunks it has
# written which text, and which of these chunks it has freed.

setup() {
	load ../support/helper
	load ../support/remains
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

@test "each text is in the chunk that the target has named, in a process and in a core file" {
	target_start remains
	expected >expected
	[ "$(wc -l <expected)" -eq 104 ]
	procmem grep --json --chunks "$REMAINS_PATTERN" "$TARGET_PID" | found | diff expected -
	procmem grep --json --chunks --stop "$REMAINS_PATTERN" "$TARGET_PID" | found | diff expected -
	procmem dump --core --stop -q -o core "$TARGET_PID" all || [ $? -eq 1 ]
	procmem grep --json --chunks "$REMAINS_PATTERN" core | found | diff expected -
	procmem grep --json --freed "$REMAINS_PATTERN" core | found | diff <(grep -E 'top|free|cached' expected) -
}

@test "--in-use and --freed keep the hits of their state, and count the others on stderr" {
	target_start remains
	expected >expected
	run -0 --separate-stderr procmem grep --json --in-use "$REMAINS_PATTERN" "$TARGET_PID"
	found <<<"$output" | diff <(grep in_use expected) -
	[ "$(left_out)" = '--in-use left out 83 matches: 63 in freed chunks, 20 in no chunk of malloc' ]
	run -0 --separate-stderr procmem grep --json --freed "$REMAINS_PATTERN" "$TARGET_PID"
	found <<<"$output" | diff <(grep -E 'top|free|cached' expected) -
	[ "$(left_out)" = '--freed left out 41 matches: 21 in chunks in use, 20 in no chunk of malloc' ]
	run -0 --separate-stderr procmem grep --json --freed --in-use "$REMAINS_PATTERN" "$TARGET_PID"
	found <<<"$output" | diff <(grep ' ' expected) -
	[ "$(left_out)" = '--in-use and --freed left out 20 matches: 20 in no chunk of malloc' ]
	run -0 --separate-stderr procmem grep -s --freed "$REMAINS_PATTERN" "$TARGET_PID"
	[ -z "$stderr" ]
	# Without the options, nothing is said about chunks.
	run -0 --separate-stderr procmem grep --json "$REMAINS_PATTERN" "$TARGET_PID"
	[ -z "$stderr" ]
	jq -se 'length == 104 and all(.[]; has("chunk") | not)' <<<"$output"
}

@test "counts, distinct matches, -m and the exit status are those of the hits that are kept" {
	target_start remains
	[ "$(procmem grep -s -c --by kind --freed "$REMAINS_PATTERN" "$TARGET_PID")" = '      63  heap' ]
	run -0 procmem grep -s --unique --freed '(\w+)(?= number \d+ of remains)' "$TARGET_PID"
	[ "$output" = $'      22  free\n      20  cached\n      20  fast\n       1  top' ]
	run -1 --separate-stderr procmem grep --in-use 'top number 0 of remains' "$TARGET_PID"
	[ -z "$output" ]
	[[ $stderr == *'--in-use left out 1 match: 1 in freed chunks'* ]]
	run -1 procmem grep -q --freed 'live number 0 of remains' "$TARGET_PID"
	run -0 procmem grep -q --in-use 'live number 0 of remains' "$TARGET_PID"
	run -0 procmem grep -s -o -m 2 --freed 'fast number \d+' "$TARGET_PID"
	[ "$output" = $'fast number 0\nfast number 1' ]
}

@test "a line of text has the chunk" {
	local start address
	target_start remains
	address=$(target_fact at free 3)
	run -0 procmem grep -s --freed 'free number 3 of' "$TARGET_PID"
	[[ $output == "${address% *}  heap [heap]+0x"*', free chunk of 2016 B: free number 3 of remains' ]]
	run -0 procmem grep -s --chunks 'cached number 3 of|live number 3 of' "$TARGET_PID"
	[[ ${lines[0]} == *', chunk of 80 B in use: live number 3 of remains' ]]
	[[ ${lines[1]} == *', freed, cached chunk of 160 B: cached number 3 of remains' ]]
	run -0 procmem grep -s --chunks 'outside number 3 of' "$TARGET_PID"
	fails grep -q chunk <<<"$output"
	run -0 procmem grep -s --chunks 'top number 0 of' "$TARGET_PID"
	[[ $output == *', free top chunk of '*' B: top number 0 of remains' ]]
}

@test "a hit in a header or in list pointers is no content, also with --freed" {
	local pair links pattern
	target_start remains
	# Directly after the last byte of a chunk in use: the size in the header of the free chunk.
	run -0 procmem grep --json --chunks '(?s)(?<=border).{8}' "$TARGET_PID" heap
	pair=$(target_fact at free 20)
	jq -e --arg start "0x$(printf %x $((0x${pair% *} - 32)))" '.chunk == {start: $start, size: 2016,
		state: "free", part: "header"}' <<<"$output"
	run -0 procmem grep -s --chunks '(?s)(?<=border).{8}' "$TARGET_PID" heap
	[[ $output == *', header of a free chunk of 2016 B: '* ]]
	run -1 --separate-stderr procmem grep --freed --in-use '(?s)(?<=border).{8}' "$TARGET_PID" heap
	[[ $stderr == *'left out 1 match: 1 in headers and list pointers of malloc'* ]]
	run -1 procmem grep -s --freed '(?s)border.{8}' "$TARGET_PID" heap

	# Since glibc 2.32, a pointer is stored with the address of its page.
	read -r -a links <<<"$(target_fact links)"
	pattern=$(printf '%016x\n%016x\n' $((0x${links[1]} ^ 0x${links[0]} >> 12)) 0x"${links[1]}" |
		sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/')
	run -0 procmem grep --json --chunks --hex "$pattern" "$TARGET_PID"
	jq -se --arg start "0x${links[0]}" 'any(.[]; .address == $start and .chunk == {start: $start,
		size: 160, state: "cached", part: "links"})' <<<"$output"
	run --separate-stderr procmem grep --json --freed --hex "$pattern" "$TARGET_PID"
	fails grep -q "0x${links[0]}" <<<"$output"
}

@test "a hit in several chunks is kept if one of them has the state, and says so" {
	local pattern='(?s)border.{8}.{32}free number 20' start
	target_start remains
	start=$(target_fact pair 20)
	run -0 procmem grep --json --in-use "$pattern" "$TARGET_PID"
	jq -e --arg start "0x${start% *}" '.chunk == {start: $start, size: 2016, state: "in_use",
		also: ["free", "links", "header"]}' <<<"$output"
	run -0 procmem grep -s --freed "$pattern" "$TARGET_PID"
	[[ $output == *', chunk of 2016 B in use, and in a free chunk, list pointers, a header: border'* ]]
	# A long hit is delivered in pieces. The first 128 KiB are in a chunk in use.
	run -0 --separate-stderr procmem grep --json --freed '(?s)LONG(.{40200}){5}' "$TARGET_PID" heap
	start=$(target_fact pair 21)
	jq -se --arg start "0x${start% *}" 'length == 1 and (.[0] | .chunk.start == $start and
		.chunk.also[0] == "free" and (has("continued") | not) and .length == 69932)' <<<"$output"
	[ -z "$stderr" ]
	run -0 --separate-stderr procmem grep -o --freed '(?s)LONG(.{40200}){5}' "$TARGET_PID" heap
	[[ $output == *'end'* && $output != LONG* ]]
}

# texts NAME COUNT: prints the addresses of the values of redis with the keys NAME:1 to NAME:COUNT. A
# short value is in one chunk with its object, after two headers of 16 and 3 bytes.
texts() {
	local address
	seq "$2" | sed "s/.*/DEBUG OBJECT $1:&/" | redis-cli -s "$socket" |
		sed -n 's/^Value at:\(0x[0-9a-f]*\) .*/\1/p' |
		while read -r address; do printf '0x%x\n' $((address + 19)); done | sort
}

@test "where the heap is damaged, chunks are not known, and matches can be missing" {
	target_start remains
	printf 'damage\n' >&"$TARGET_IN"
	target_await 'done damage'
	run -2 --separate-stderr procmem grep --in-use 'live number [35] of remains' "$TARGET_PID"
	[[ $output == *': live number 3 of remains' ]]
	[[ ${stderr_lines[0]} == *'--in-use left out 1 match: 1 where chunks are not known' ]]
	[[ ${stderr_lines[1]} == *'not all chunks are known, because the process changed its heap while it was read, or the heap is damaged'* ]]
	run -0 procmem grep -s --chunks 'live number 5 of remains' "$TARGET_PID"
	[[ $output == *', chunk not known: live number 5 of remains' ]]
	run -2 procmem grep -s --stop --freed 'live number 5 of remains' "$TARGET_PID"
}

@test "with --stop, the process is stopped again if its heap is not valid, and if that can help" {
	require strace
	[ -z "$(nm "$PROCMEM_BIN" 2>/dev/null | grep -E '__(a|t)san_init')" ] || skip 'LeakSanitizer cannot be traced'
	stops() {
		strace -f -o stops -e trace=ptrace "$PROCMEM_BIN" "$@" "$TARGET_PID" >/dev/null || [ $? -le 2 ]
		grep -c PTRACE_SEIZE stops
	}
	target_start allocations 0
	[ "$(stops grep -q --stop --in-use 'order number 7')" -eq 1 ]
	printf 'damage\n' >&"$TARGET_IN"
	target_await 'done damage'
	# Two, or one more if the process got no processor in between.
	[[ $(stops grep -q --stop --in-use 'order number 7') == [23] ]]
	[[ $(stops strings -q --stop --freed) == [23] ]]
	[ "$(stops grep -q --stop 'order number 7')" -eq 1 ]
}

@test "the chunks of a stopped process that allocates and frees all the time" {
	target_start contents
	target_tell busy
	target_tell turn
	# Three threads keep 2000 chunks each. Each thread can be stopped between free and malloc.
	run -0 procmem grep -s -c --by kind --stop --in-use 'job \d+ of' "$TARGET_PID"
	[[ $output == *arena && $((${output%arena})) -ge 5994 && $((${output%arena})) -le 6000 ]]
	# Without --stop, chunks change while they are searched.
	for _ in {1..5}; do
		run procmem grep -s -c --by kind --in-use --freed 'job \d+ of' "$TARGET_PID"
		[[ $status -eq 0 || $status -eq 2 ]]
	done
}

@test "redis with jemalloc: values that were deleted are freed, others are in use" {
	require redis-cli
	local socket=$BATS_TEST_TMPDIR/socket
	# By default, jemalloc returns freed pages to the kernel within seconds.
	MALLOC_CONF=dirty_decay_ms:-1 program_start redis-server --port 0 --unixsocket "$socket" --save '' --daemonize no --enable-debug-command yes
	until redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; do kill -0 "$TARGET_PID"; done
	seq 6000 | sed 's/.*/SET dead:& "dead value number &"/' | redis-cli -s "$socket" >/dev/null
	seq 100 | sed 's/.*/SET live:& "live value number &"/' | redis-cli -s "$socket" >/dev/null
	seq 20 | sed "s/.*/SET big:& \"big value $(printf '%060000d' 0)\"/" | redis-cli -s "$socket" >/dev/null
	texts live 100 >live
	texts dead 6000 >dead
	[ "$(wc -l <live)" -eq 100 ] && [ "$(wc -l <dead)" -eq 6000 ]

	run -0 procmem grep -s --json --in-use 'live value number \d+' "$TARGET_PID"
	jq -e 'select(.chunk.state != "in_use")' <<<"$output" && return 1
	jq -r .address <<<"$output" | sort | comm -12 - live | diff live -
	run -0 procmem grep -s --json --in-use 'dead value number \d+' "$TARGET_PID"
	jq -r .address <<<"$output" | sort | comm -12 - dead | diff dead -

	# Some of the freed chunks are used again, or are in the cache of a thread. The buffers of the long
	# command could use the memory of the large values again, so these are deleted by another one.
	seq 6000 | sed 's/.*/dead:&/' | xargs redis-cli -s "$socket" DEL >/dev/null
	seq 20 | sed 's/.*/big:&/' | xargs redis-cli -s "$socket" DEL >/dev/null
	run -0 procmem grep -s --json --freed 'dead value number \d+|big value 0{50000}' "$TARGET_PID"
	jq -r .address <<<"$output" | sort | comm -12 - dead >freed
	[ "$(wc -l <freed)" -ge 5000 ]
	jq -se 'any(.[]; .text | startswith("big value"))' <<<"$output"
	run -0 procmem grep -s --json --in-use 'live value number \d+' "$TARGET_PID"
	jq -r .address <<<"$output" | sort | comm -12 - live | diff live -
}

@test "chunks of another allocator are not known, and a note says so" {
	GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000 target_start two_allocators 10 1000
	! grep -q 'without jemalloc' "$TARGET_FACTS" || skip 'libjemalloc.so.2 cannot be loaded'
	run -1 --separate-stderr procmem grep --freed 'no such text' "$TARGET_PID"
	[[ $stderr == *'the process also uses jemalloc malloc, whose chunks are not read; matches there count as outside of chunks'* ]]
}

@test "without malloc of a known allocator, the options are refused" {
	target_start no_malloc
	run -2 --separate-stderr procmem grep --freed x "$TARGET_PID"
	[[ -z $output && $stderr == *"the heap of $TARGET_PID is not known"* ]]
	run -2 procmem grep --chunks -c x "$TARGET_PID"
	[[ $output == *'--chunks'* ]]
}

@test "--timeout ends the search while the heap is read, and the process runs on" {
	local how
	target_start allocations 0
	target_tell sieve 1000000
	for how in --in-use '--in-use --stop'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem grep $how --timeout 0.001 number "$TARGET_PID"
		[ -z "$output" ]
		[[ $stderr == *"procmem: the time limit has ended the search while the heap of $TARGET_PID was read: nothing was searched; allow more time with --timeout" ]]
	done
	target_tell trim
	run -1 --separate-stderr procmem grep --in-use --timeout 1h 'not in the heap[.]' "$TARGET_PID"
}
