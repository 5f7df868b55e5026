#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem heap`: totals are compared with mallinfo2(3) of the target, and chunks with what the target
# has allocated.

setup() {
	load ../support/helper
	load ../support/attack
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

# Sends a command to the target, and adds what it prints to its facts.
tell() {
	local line
	printf '%s\n' "$*" >&"$TARGET_IN"
	while IFS= read -r line <&"$TARGET_OUT"; do
		[ "$line" != "done $*" ] || return 0
		[ "${line%% *}" != unknown ] || return 1
		printf '%s\n' "$line" >>"$TARGET_FACTS"
	done
	return 1
}

# Prints the last value of a fact, such as `info arena`.
fact() {
	sed -n "s/^$* //p" "$TARGET_FACTS" | tail -n 1
}

# Prints the address of a chunk that the target has named.
address() {
	local found
	found=$(fact chunk "$1")
	echo "${found%% *}"
}

# Compares the totals of the last output with mallinfo2(3).
assert_totals() {
	jq -e --argjson arena "$(fact info arena)" --argjson fast "$(fact info fsmblks)" \
		--argjson used "$(fact info uordblks)" --argjson free "$(fact info fordblks)" \
		--argjson count "$(fact info hblks)" --argjson mapped "$(fact info hblkhd)" \
		--argjson top "$(fact info keepcost)" '
		.complete and .total.system == $arena and
		.total.free + .total.top == $free - $fast and
		.total.in_use + .total.cached - $fast + .total.overhead == $used and
		.mmapped.count == $count and .mmapped.bytes == $mapped and
		.arenas[0].kind == "heap" and .arenas[0].top == $top and
		(.arenas | map(.system) | add) == .total.system' <<<"$output"
}

@test "totals are those of mallinfo2, with 1 to 9 arenas and mapped chunks" {
	local threads
	for threads in 0 3 8; do
		target_start allocations "$threads"
		run -0 procmem heap --json "$TARGET_PID"
		assert_totals
		jq -e --argjson arenas $((threads + 1)) '(.arenas | length) == $arenas and
			.allocator.name == "glibc" and (.allocator.proof | startswith("main arena at ")) and (has("stopped_us") | not)' <<<"$output"
		tell fragment 200
		tell mapped 3
		tell info
		run -0 procmem heap --json "$TARGET_PID"
		assert_totals
		jq -e '.mmapped.count == 3' <<<"$output"
		run -0 --separate-stderr procmem heap --json --stop "$TARGET_PID"
		assert_totals
		jq -e '.stopped_us > 0' <<<"$output"
		[[ $stderr == *'the process was stopped for '* ]]
		targets_stop
	done
}

@test "chunks are counted by size and type, by text, and by arena" {
	target_start allocations 2
	tell fragment 1000
	run -0 procmem heap --json "$TARGET_PID"
	# 80 bytes and a header are a chunk of 96. Some use the larger rest of a free chunk.
	jq -e '[.classes[] | select(.size == 96 and .type == "text")] | length == 1 and
		.[0].count >= 990 and .[0].count < 1010 and .[0].text == "session user=# and more" and
		.[0].bytes == .[0].count * 96' <<<"$output"
	# 50 orders, of which one was freed.
	jq -e '[.classes[] | select(.size == 416 and .text == "order number #")] | .[0].count == 49' <<<"$output"
	# The sum of the classes is what is in use.
	jq -e '(.classes | map(.bytes) | add) == .total.in_use + .mmapped.bytes and
		(.classes | map(.count) | add) == .total.chunks + .mmapped.count' <<<"$output"
	run -0 procmem heap --json --by text "$TARGET_PID"
	jq -e 'any(.classes[]; .text == "thread #" and .count == 2 * (300 - 5))' <<<"$output"
	run -0 procmem heap --json --by arena "$TARGET_PID"
	jq -e '(.classes | length) == 3 and
		([.classes[] | {arena, bytes}] | sort) == ([.arenas[] | {arena: .address, bytes: .in_use}] | sort)' <<<"$output"
	run -0 procmem heap --json --by state,arena --state all "$TARGET_PID"
	jq -e '[.arenas[] | {arena: .address, bytes: .cached}] as $cached |
		[.classes[] | select(.state == "cached") | {arena, bytes}] as $found |
		$found - $cached == [] and ($found | length) > 0' <<<"$output"
}

# Checks that each thread of the target is listed with the arena of its chunk, in the last output.
assert_threads() {
	local tid chunk arena count=0
	while read -r tid chunk; do
		arena=$(procmem heap -q --json "$1" "$chunk" | jq -r .chunk.arena)
		jq -e --argjson tid "$tid" --arg arena "$arena" '[.arenas[] | select(any(.threads[]; .tid == $tid)).address] == [$arena]' <<<"$output" ||
			{ echo "thread $tid" && return 1; }
		count=$((count + 1))
	done < <(sed -n 's/^thread //p' "$TARGET_FACTS")
	jq -e --argjson count "$count" '(.arenas | map(.threads | length) | add) >= $count and
		all(.arenas[]; .attached == (.threads | length))' <<<"$output"
}

@test "each arena has its threads: waiting, running, stopped, and in a core file" {
	target_start allocations 3
	run -0 procmem heap --json "$TARGET_PID"
	assert_threads "$TARGET_PID"
	jq -e --argjson pid "$TARGET_PID" '.arenas[0].threads == [{tid: $pid, name: "allocations"}] and
		([.arenas[1:][].threads[].name] == ["worker", "worker", "worker"])' <<<"$output"
	run -0 procmem heap "$TARGET_PID"
	[[ $output == *$'\nmain '*" 1: $TARGET_PID allocations"$'\n'* ]]

	# A running thread has no stack pointer in /proc.
	tell churn
	run --separate-stderr procmem heap --json "$TARGET_PID"
	assert_threads "$TARGET_PID"
	jq -e '.arenas | map(.threads | length) | add == 5' <<<"$output"
	run -0 --separate-stderr procmem heap --stop --json "$TARGET_PID"
	assert_threads "$TARGET_PID"

	procmem dump -q --core --stop -o core "$TARGET_PID"
	run -0 --separate-stderr procmem heap --json core
	assert_threads core
	jq -e 'all(.arenas[].threads[]; has("name") | not)' <<<"$output"
}

@test "the threads of a static program, whose first thread has its data at the start of the heap" {
	target_start heaps_static threads=3 chunks=100
	run -0 procmem heap --json "$TARGET_PID"
	jq -e '(.arenas | length) == 4 and all(.arenas[]; .attached == 1 and (.threads | length) == 1)' <<<"$output"
	[ "$(jq '.arenas[].threads[].tid' <<<"$output" | sort -n)" = "$(printf '%s\n' "/proc/$TARGET_PID/task/"* | sed 's|.*/||' | sort -n)" ]
	jq -e --argjson pid "$TARGET_PID" '.arenas[0].threads[0].tid == $pid' <<<"$output"
}

@test "chunks are counted by thread" {
	target_start allocations 2
	tell mapped 2
	run -0 procmem heap --by thread --json "$TARGET_PID"
	jq -e '(.classes | length) == 4 and ([.classes[] | select(.threads == []) | .bytes] == [.mmapped.bytes]) and
		([.classes[] | select(.threads != []) | {arena, threads, bytes}] | sort) ==
		([.arenas[] | {arena: .address, threads, bytes: .in_use}] | sort)' <<<"$output"
	run -0 procmem heap --no-header --by thread,text -n 3 "$TARGET_PID"
	grep -Eq '"thread [01]" +[0-9]+ worker$' <<<"$output"
	run -0 procmem heap --by thread "$TARGET_PID"
	[[ $output == *' mapped separately'* && $output != *'no thread'* ]]
}

@test "a fragmented heap has a verdict, and the chunks that pin it" {
	target_start allocations 0
	run -0 procmem heap "$TARGET_PID"
	[[ ${lines[0]} == "allocations ($TARGET_PID)  glibc "*" malloc, walk complete, not stopped" ]]
	[[ $output != *FRAGMENTED* && ${lines[1]} == *' % of '*' is in use'*'; malloc_trim '* ]]
	tell fragment 2000
	run -0 procmem heap "$TARGET_PID"
	[[ ${lines[1]} == 'FRAGMENTED: 9'?' % of 15.'*'M is free; malloc_trim would give back about '*'M; pinned by '*' chunks of 96 B "session user=# and more"' ]]
	[[ ${lines[2]} == 'ARENA  '*'SYSTEM  '*'IN USE  '*'FREE  '* ]]
	run -0 procmem heap --json "$TARGET_PID"
	jq -e --arg first "$(address session)" '.fragmented | .free > 15000000 and .pins.size == 96 and
		.pins.count >= 1900 and .pins.count <= 2000 and .pins.type == "text"' <<<"$output"
	local before
	before=$(jq .total.trimmable <<<"$output")
	[ "$(jq .total.rss <<<"$output")" -ge 15000000 ]
	# malloc_trim returns about as much as was estimated. What remains are parts of pages.
	tell trim
	run -0 procmem heap --json "$TARGET_PID"
	jq -e --argjson before "$before" '.total.trimmable < $before / 20 and .total.rss < 16500000 - $before * 0.95' <<<"$output"
	run -0 procmem heap "$TARGET_PID"
	[[ ${lines[1]} == *'M resident)'* ]]
	# Free chunks without a whole page: nothing to trim, and no pins.
	target_start allocations 0
	tell sieve 200000
	run -0 procmem heap "$TARGET_PID"
	[[ ${lines[1]} == 'FRAGMENTED: '??' % of '*'M in arenas is free; malloc_trim would give back '*'; in '*' free chunks of '???' B on average'* ]]
}

@test "a heap with full fastbins: they count as free, and as what malloc_trim returns" {
	local before
	target_start heaps chunks=1000 fast=80000
	run -0 procmem heap "$TARGET_PID"
	[[ ${lines[1]} == 'FRAGMENTED: '??' % of '*'M in arenas is free, '*'M of it in fastbins; malloc_trim would give back about '*'M; '* ]]
	run -0 procmem heap --json "$TARGET_PID"
	jq -e '.total.fastbins > 2000000 and .total.cached >= .total.fastbins and
		.fragmented.free == .total.free + .total.top + .total.fastbins and
		.total.trimmable > 8000000' <<<"$output"
	before=$(jq '.total | .rss - .trimmable' <<<"$output")
	tell trim
	run -0 procmem heap --json "$TARGET_PID"
	jq -e --argjson expected "$before" '.total.fastbins == 0 and
		(.total.rss - $expected | fabs) < 500000' <<<"$output"
}

@test "the verdict is about the total of the table, with mapped chunks" {
	local mapped total
	target_start holders
	run -0 --separate-stderr procmem heap --bytes "$TARGET_PID"
	mapped=$(awk '$1 == "mapped" { print $2; exit }' <<<"$output")
	total=$(awk '$1 == "total" { print $2; exit }' <<<"$output")
	[ "$mapped" -gt 1500000 ]
	[[ ${lines[1]} == *" % of $total is in use"* ]]
	[[ ${lines[1]} == *"separately: $mapped"* ]]
}

@test "the version is that of libc, or versions among which it is" {
	local version
	target_start allocations 0
	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	version=$(ldd --version | sed -n '1s/.* 2\.//p')
	jq -e --arg version "$version" '.allocator.version | split("-") | map(ltrimstr("2.") | tonumber) |
		.[0] <= ($version | tonumber) and .[-1] >= ($version | tonumber)' <<<"$output"
}

@test "an address shows its chunk: where, how large, which state, and its neighbours" {
	local name found size
	target_start allocations 0
	for name in order cached free; do
		found=$(fact chunk "$name")
		size=$((${found##* } + 8))
		run -0 procmem heap --json "$TARGET_PID" "${found%% *}"
		jq -e --arg start "${found%% *}" --arg state "${name/order/in_use}" --argjson size $size \
			'.chunk | .start == $start and .size == $size and .state == $state and .offset == 0' <<<"$output"
		# The last usable byte and the header belong to the chunk, too.
		run -0 procmem heap --json "$TARGET_PID" "$(printf '%#x' $((${found%% *} + ${found##* } - 9)))"
		jq -e --arg start "${found%% *}" '.chunk.start == $start' <<<"$output"
		run -0 procmem heap --json "$TARGET_PID" "$(printf '%#x' $((${found%% *} - 8)))"
		jq -e --arg start "${found%% *}" '.chunk | .start == $start and (has("offset") | not)' <<<"$output"
	done
	run -0 procmem heap --json "$TARGET_PID" "$(address order)"
	jq -e '.chunk.text == "order number 10" and .before.size == 416 and .after.size == 416 and
		(.chunk.start | ltrimstr("0x")) != (.after.start | ltrimstr("0x"))' <<<"$output"
	run -0 procmem heap "$TARGET_PID" "$(address order)"
	[[ ${lines[0]} == "$(printf '%x-%x' "$(address order)" $(($(address order) + 408)))  416 B  in use  in the main arena" ]]
	[[ ${lines[1]} == '  contains "order number 10"' ]]
	run -1 procmem heap "$TARGET_PID" 0x1000
	[[ $output == *'no chunk of malloc contains 0x1000;'* ]]
	tell mapped 1
	run -0 procmem heap "$TARGET_PID" "$(address mapped)"
	[[ ${lines[0]} == *'  in use  mapped separately' ]]
}

@test "--list prints the chunks that --size, --type, --text and --state select" {
	local listed
	target_start allocations 0
	run -0 procmem heap --list --json --size 4K- --state free "$TARGET_PID"
	jq -e --arg address "$(address free)" 'any(.listed[]; .start == $address and .state == "free")' <<<"$output"
	tell fragment 100
	run -0 procmem heap --list --size 416 --text '^order number \d+$' "$TARGET_PID"
	[ "${#lines[@]}" -eq 50 ]
	[[ ${lines[0]} == 'ADDRESS '*' SIZE  STATE  ARENA  WHAT' ]]
	[[ ${lines[1]} == *' 416  in_use main   "order number '*'"' ]]
	grep -q "^$(printf '%x' "$(address order)") .*\"order number 10\"" <<<"$output"
	fails grep -q "^$(printf '%x' "$(address cached)")" <<<"$output"
	run -0 procmem heap --list --no-header -n 3 --size 416 --text '^order' "$TARGET_PID"
	[ "${#lines[@]}" -eq 3 ]
	run -0 procmem heap --list --csv --size 64-128 --type '^text$' --text session "$TARGET_PID"
	[ "${#lines[@]}" -eq 101 ]
	[ "${lines[0]}" = address,size,state,arena,type,text ]
	[[ ${lines[1]} == "$(address session),96,in_use,main,text,session user=0 and more" ]]
	run -0 procmem heap --list --json --state cached --size -1K "$TARGET_PID"
	jq -e --arg address "$(address cached)" 'any(.listed[]; .start == $address and .size == 416)' <<<"$output"
	# The same chunks while the process is stopped.
	listed=$(procmem heap --list "$TARGET_PID")
	run -0 --separate-stderr procmem heap --list --stop "$TARGET_PID"
	[ "$output" = "$listed" ]
	run -0 --separate-stderr procmem heap --list --stop --json "$TARGET_PID"
	[ "$(jq '.listed | length' <<<"$output")" -eq $(($(wc -l <<<"$listed") - 1)) ]
	run -1 procmem heap --list --size 123456 "$TARGET_PID"
}

@test "classes as CSV, with chosen columns, sorted" {
	target_start allocations 0
	tell fragment 100
	run -0 procmem heap --csv -s size -o +state "$TARGET_PID"
	[ "${lines[0]}" = size,count,bytes,share,zeros,equal,arena,state,type,text,example ]
	sed 1d <<<"$output" | cut -d , -f 1 | sort -rnc
	run -0 procmem heap --no-header -n 2 -r -o bytes,what -s bytes "$TARGET_PID"
	[ "${#lines[@]}" -eq 2 ]
	run -0 procmem heap --columns help
	[[ $output == size*example* ]]
}

@test "a core file has the same heap as the process" {
	local live
	target_start allocations 3
	tell fragment 500
	tell mapped 2
	# A core file does not say which pages were in memory: only these are trimmable. It has no names
	# of threads.
	live=$(procmem heap --json "$TARGET_PID" | jq -c '[.arenas, .mmapped, .total, .classes] | del(.. | .trimmable?, .rss?, (.threads? | arrays | .[].name))')
	procmem dump --core --stop -q -o core "$TARGET_PID"
	run -0 procmem heap --json ./core
	[ "$(jq -c '[.arenas, .mmapped, .total, .classes] | del(.. | .trimmable?, .rss?, (.threads? | arrays | .[].name))' <<<"$output")" = "$live" ]
	run -0 procmem heap ./core
	[[ ${lines[0]} == './core  core file of allocations  glibc '*' malloc, walk complete' ]]
	[[ ${lines[1]} == *' malloc mapped 2 large chunks separately: 2.0M' ]]
	run -0 procmem heap ./core "$(address order)"
	[[ ${lines[1]} == '  contains "order number 10"' ]]
	run -2 procmem heap --stop ./core
	run -2 procmem heap --growth 1s ./core
}

@test "totals of a core file of gdb, and of malloc_stats that gdb calls in another program" {
	local line system in_use
	require gdb
	target_start allocations 2
	gdb -nx -batch -p "$TARGET_PID" -ex 'gcore gcore' >/dev/null 2>&1
	run -0 --separate-stderr procmem heap --json ./gcore
	assert_totals
	targets_stop

	program_start /usr/bin/python3 -c 'import time; kept = [str(i) * 9 for i in range(50000)]; print("ready", flush=True); time.sleep(600)'
	target_await ready
	until grep -q '^State:.S' "/proc/$TARGET_PID/status"; do :; done
	run -0 procmem heap --json "$TARGET_PID"
	gdb -nx -batch -p "$TARGET_PID" -ex 'call (void)malloc_stats()' >/dev/null 2>&1
	line=$(target_await 'system bytes')
	system=${line##* }
	line=$(target_await 'in use bytes')
	in_use=${line##* }
	jq -e --argjson system "$system" --argjson used "$in_use" '.complete and .arenas[0].system == $system and
		.arenas[0].system - .arenas[0].free - .arenas[0].top <= $used + .arenas[0].cached and
		.arenas[0].system - .arenas[0].free - .arenas[0].top >= $used' <<<"$output"
}

@test "C++ classes are named, with and without symbols" {
	local kind count usable name
	for kind in objects objects_stripped; do
		target_start "$kind"
		run -0 procmem heap --json "$TARGET_PID"
		while read -r count usable _ name; do
			[ "$name" != numbers ] || continue
			jq -e --argjson count "$count" --argjson size $((usable + 8)) --arg name "$name" \
				'any(.classes[]; .type == $name and .size == $size and .count == $count)' <<<"$output" ||
				{ echo "$kind: $name" && false; }
		done < <(sed -n 's/^class //p' "$TARGET_FACTS")
		run -0 procmem heap --by type "$TARGET_PID"
		grep -Eq '^ *77 .* shop::Order$' <<<"$output"
		grep -Eq '^ *12 .* Square at offset 8$' <<<"$output"
		run -0 procmem heap --list --no-header --type '^shop::Order$' "$TARGET_PID"
		[ "${#lines[@]}" -eq 77 ]
		targets_stop
	done
}

@test "damage: the address, and the chunk before it" {
	target_start allocations 0
	tell damage
	run -1 --separate-stderr procmem heap --stop "$TARGET_PID"
	[[ ${lines[0]} == *'walk incomplete, stopped 1 thread for '* ]]
	[[ $stderr == *"the chain of chunks breaks at $(printf '%#x' $(($(address damaged) - 16))) ("*'), after the chunk at '*' of 2016 B: "written too far"'* ]]
	[[ $stderr == *"the chain of chunks broke at $(printf '%#x' $(($(address damaged) - 16))) in two stops: the heap is probably damaged there, by a write beyond the end of the chunk before"* ]]
	run -1 --separate-stderr procmem heap --json --stop "$TARGET_PID"
	jq -e --arg address "$(printf '%#x' $(($(address damaged) - 16)))" --arg before "$(printf '%#x' $(($(address before) - 16)))" \
		'(.complete | not) and any(.breaks[]; .address == $address and .previous == $before)' <<<"$output"
}

@test "a broken heap of a running process: one short note; the places with --verbose" {
	target_start allocations 0
	tell damage
	run -1 --separate-stderr procmem heap "$TARGET_PID"
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ "${#stderr}" -le 160 ]
	[[ $stderr == 'procmem: note: '*' of the heap was skipped: it changed or was not valid when read; figures are approximate (exact: --stop, places: -v)' ]]
	[[ $stderr != *damage* ]]

	run -1 --separate-stderr procmem heap --verbose "$TARGET_PID"
	[[ $stderr == *"the chain of chunks breaks at $(printf '%#x' $(($(address damaged) - 16))) ("*'; figures are approximate (exact: --stop)'* ]]
	[[ $stderr != *'damaged'* ]]

	# A counter that does not fit: nothing was skipped.
	targets_stop
	target_start allocations 0
	tell hide
	run -1 --separate-stderr procmem heap "$TARGET_PID"
	[[ $stderr == 'procmem: note: a part of the heap changed or was not valid when read; '* ]]

	# Memory of malloc that was not found is not called memory of others.
	for _ in {1..15}; do tell hide; done
	run -1 --separate-stderr procmem heap "$TARGET_PID"
	[[ $output != *'is not from malloc'* ]]
}

@test "a heap of which most is lost is not known, and nothing is said about it" {
	local words ruined
	target_start allocations 0
	tell ruin
	ruined=$(sed -n 's/^chunk ruined \(0x[0-9a-f]*\) .*/\1/p' "$TARGET_FACTS")
	for words in heap 'heap --list' 'heap --growth 100ms' "heap $TARGET_PID $ruined" 'strings --in-use' 'grep --freed text'; do
		[[ $words == *"$TARGET_PID"* || $words == grep* ]] || words+=" $TARGET_PID"
		[[ $words != grep* ]] || words+=" $TARGET_PID"
		# shellcheck disable=SC2086 # a command with its options
		run -2 --separate-stderr procmem $words
		[[ $stderr == *"the heap of "*" is not known: most of it could not be read, because it changes too fast or is damaged; 'procmem heap --stop' reads it while the process is stopped"* ]]
		[ -z "$output" ]
	done
	for words in "$ruined" "$(sed -n 's/^chunk order \(0x[0-9a-f]*\) .*/\1/p' "$TARGET_FACTS")"; do
		run -0 --separate-stderr procmem map "$TARGET_PID" "$words"
		[[ $output != *'chunk of malloc'* ]]
	done
	run -0 --separate-stderr procmem map --by arena -o +in_use "$TARGET_PID"

	# How long the stop takes is not known, either.
	run --separate-stderr procmem heap --stop --max-stop 0 "$TARGET_PID"
	[[ ${stderr_lines[0]} == "procmem: note: stopping process $TARGET_PID, to read its heap" ]]
}

@test "a stop is announced, with its predicted duration and its limit" {
	target_start allocations 0
	local announced="^procmem: note: stopping process $TARGET_PID for about [0-9.]+ m?s, to read its heap"
	run -0 --separate-stderr procmem heap --stop --max-stop 30s "$TARGET_PID"
	[[ ${stderr_lines[0]} =~ $announced'; the stop is ended after 60 s (twice --max-stop)'$ ]]
	[[ ${stderr_lines[1]} == *'stopped'* ]]
	run -0 --separate-stderr procmem heap --stop --max-stop 0 "$TARGET_PID"
	[[ ${stderr_lines[0]} =~ $announced$ ]]
	run -0 --separate-stderr procmem heap --stop --quiet "$TARGET_PID"
	[ -z "$stderr" ]
	run -0 --separate-stderr procmem heap "$TARGET_PID"
	[[ $stderr != *stopping* ]]

	# More than one stop is announced once. If a session holds the process, there is no stop to announce.
	tell damage
	run -1 --separate-stderr procmem heap --stop "$TARGET_PID"
	[ "$(grep -c 'stopping process' <<<"$stderr")" -eq 1 ]
	run --separate-stderr procmem shell -c stop -c 'heap --stop' "$TARGET_PID"
	[[ $stderr != *'to read its heap'* ]]
}

# Runs procmem with a delay after the first ptrace(2), which is part of the first stop: MICROSECONDS WORD...
delayed() {
	strace -f -qq -o calls -e trace=ptrace -e inject=ptrace:delay_exit="$1":when=1 "$PROCMEM_BIN" "${@:2}"
}

@test "a stop that would take too long is refused, and the process continues" {
	local refused='^procmem: process [0-9]+ would be stopped for about [0-9]+ ms, but only 1 ms are allowed; allow a longer stop with --max-stop, or examine a core file that gcore of gdb writes$' words
	target_start allocations 0
	tell sieve 1000000
	for words in 'heap --stop' 'heap -q --stop' 'heap --list --stop' 'heap --retained' 'heap --retained --tree nobody' leaks; do
		# shellcheck disable=SC2086 # a command with its options
		run -2 --separate-stderr procmem $words --max-stop 1ms "$TARGET_PID"
		[[ $stderr =~ $refused ]]
		assert_runs_free "$TARGET_PID"
	done
	run -2 --separate-stderr procmem refs --max-stop 1ms "$TARGET_PID" 0x1000
	[[ $stderr =~ $refused ]]
	run -0 --separate-stderr procmem heap --stop --max-stop 0 "$TARGET_PID"

	# A session that holds the process stopped has nothing to refuse.
	run --separate-stderr procmem shell -c stop -c 'heap --stop --max-stop 1ms' "$TARGET_PID"
	[[ $stderr != *'would be stopped'* ]]
}

@test "a stop that takes too long is ended, and is not repeated" {
	local words ended='^procmem: the stop was ended after [0-9]+ ms, before all memory was read: it took more than twice the 2000 ms that are allowed; allow a longer stop with --max-stop, or examine a core file that gcore of gdb writes$'
	require strace
	[ -z "$(nm "$PROCMEM_BIN" 2>/dev/null | grep -E '__(a|t)san_init')" ] || skip 'LeakSanitizer cannot be traced'
	target_start allocations 0
	tell damage
	for words in 'heap --stop' leaks; do
		# shellcheck disable=SC2086 # a command with its options
		run -2 --separate-stderr delayed 4300000 $words -q --max-stop 2s "$TARGET_PID"
		[[ $stderr =~ $ended ]]
		assert_runs_free "$TARGET_PID"
	done

	# If one stop takes more than half of the allowed time, there is no second one.
	run --separate-stderr delayed 1200000 heap --stop --max-stop 2s "$TARGET_PID"
	[[ $stderr == *'a thread was inside malloc, or the heap is damaged; '* && $stderr != *' in two stops'* ]]
	[ "$(grep -c PTRACE_SEIZE calls)" -eq 1 ]
	run --separate-stderr delayed 1 heap --stop --max-stop 0 "$TARGET_PID"
	[ "$(grep -c PTRACE_SEIZE calls)" -gt 1 ]
}

@test "a stop that takes longer than is allowed, but is not ended, is reported" {
	local allowed stopped wrong
	target_start allocations 0
	tell sieve 300000
	for allowed in 1 5 20 80 320 1280; do
		run --separate-stderr procmem heap --stop --max-stop "${allowed}ms" "$TARGET_PID"
		[ "$status" -eq 0 ] || continue
		stopped=$(sed -n 's/.*the process was stopped for \([0-9.]*\) ms .*/\1/p' <<<"$stderr")
		# Both are rounded.
		wrong=$(jq -n --argjson stopped "$stopped" --argjson allowed "$allowed" '$stopped - $allowed | if . > 0.1 then "less"
			elif . < -0.1 then "has taken longer than" else "nothing" end')
		[[ $stderr != *"${wrong//\"/}"* ]]
		[ "$wrong" != '"less"' ] ||
			[[ $stderr == *"the stop has taken longer than the "*" s that are allowed (--max-stop)" ]]
	done
}

@test "the names and IDs of threads are read when the process runs again" {
	require strace
	[ -z "$(nm "$PROCMEM_BIN" 2>/dev/null | grep -E '__(a|t)san_init')" ] || skip 'LeakSanitizer cannot be traced'
	target_start allocations 3
	strace -f -o calls -e trace=ptrace,openat "$PROCMEM_BIN" heap --stop "$TARGET_PID" >/dev/null
	awk '/PTRACE_DETACH/ { resumed = 1 } /task\/[0-9]+\/comm/ { read = 1; if (!resumed) exit 1 } END { exit !read }' calls
}

@test "what is not damage: a counter that does not fit, and a process that cannot run between two stops" {
	target_start allocations 0
	tell hide
	run -1 --separate-stderr procmem heap --stop "$TARGET_PID"
	[[ $stderr == *'fewer mapped chunks were found than malloc has counted (at 0x'*' in chunks that malloc has mapped separately, only '*' were found; the figures are approximate'* ]]
	[[ $stderr != *'damaged'* && $stderr != *'the chain of chunks'* ]]
	targets_stop

	target_start allocations 0
	tell damage
	kill -STOP "$TARGET_PID"
	until grep -q '^State:.T' "/proc/$TARGET_PID/status"; do :; done
	run -1 --separate-stderr procmem heap --stop "$TARGET_PID"
	[[ $stderr == *"the chain of chunks breaks at $(printf '%#x' $(($(address damaged) - 16))) ("*'a thread was inside malloc, or the heap is damaged; '* ]]
	[[ $stderr != *'probably damaged'* ]]
}

@test "a mapped chunk that cannot be written is found" {
	target_start allocations 0
	tell protect
	run -0 --separate-stderr procmem heap --json --stop "$TARGET_PID"
	jq -e '.complete and .mmapped.count == 1 and .mmapped.counted.count == 1 and
		.mmapped.bytes == .mmapped.counted.bytes' <<<"$output"
	[[ $stderr != *'damaged'* ]]
}

@test "a thread that did not run between two stops may still be inside malloc" {
	target_start allocations 0
	tell vfork
	tell damage
	run -1 --separate-stderr procmem heap --stop "$TARGET_PID"
	[[ $stderr == *"the chain of chunks broke at $(printf '%#x' $(($(address damaged) - 16))) in two stops, but a thread did not run in between: the heap is damaged there, or the same thread is still inside malloc; "* ]]
	[[ $stderr != *'probably damaged'* ]]
}

@test "--growth does not compare two programs" {
	local heap
	target_start allocations 0
	"$PROCMEM_BIN" heap --growth 2s "$TARGET_PID" >out 2>&1 3>&- &
	heap=$!
	TARGETS+=("$heap")
	# After the first walk, it waits in ppoll(2).
	until grep -q '^\(271\|73\) ' "/proc/$heap/syscall"; do kill -0 "$heap"; done
	printf 'exec\n' >&"$TARGET_IN"
	target_await ready
	fails wait "$heap"
	grep -Fx "procmem: process $TARGET_PID called exec: the memory it had is gone" out
	[ "$(wc -l <out)" -eq 1 ]
}

@test "memory that looks like a mapped chunk: malloc's own count is shown, too" {
	target_start allocations 0
	tell mapped 20
	run -0 --separate-stderr procmem heap --stop "$TARGET_PID"
	[[ ${lines[1]} == *'malloc mapped 20 large chunks separately: 20.1M' ]]
	tell imitate
	run -0 --separate-stderr procmem heap --stop "$TARGET_PID"
	[[ ${lines[1]} == *"malloc mapped 21 large chunks separately: "*" (20 by malloc's own count)" ]]
	run -0 --separate-stderr procmem heap --json --stop "$TARGET_PID"
	jq -e '.mmapped.count == 21 and .mmapped.counted.count == 20 and
		.mmapped.bytes - .mmapped.counted.bytes == 1048576' <<<"$output"
	run -0 --separate-stderr procmem heap "$TARGET_PID"
	[[ ${lines[1]} == 'about '*"malloc mapped 21 large chunks separately: "*" (20 by malloc's own count)" ]]

	# None of malloc's own.
	targets_stop
	target_start false_chunk
	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	jq -e '.mmapped == {count: 1, bytes: 1048576, counted: {count: 0, bytes: 0}}' <<<"$output"
}

@test "--growth shows what is allocated and not freed, not what only changes" {
	target_start allocations 0
	tell churn
	tell grow 200
	# The walk can be incomplete, because the process changes its heap.
	run --separate-stderr procmem heap --growth 2s "$TARGET_PID"
	[ "$status" -le 1 ]
	[[ ${lines[0]} =~ ^"allocations ($TARGET_PID)  3 walks, "[1-9][0-9.]*' s '(and [0-9.]+ s )?'apart, not stopped' ]]
	[[ ${lines[-1]} =~ ^'net change in '[0-9.]+' s, of all chunks in use: '[+-] ]]
	[[ ${lines[1]} == *RATE*NEW/S*SIZE*NEW*NET*WHAT ]]
	[[ ${lines[2]} == *' 272 '*'"leak number=#"' ]]
	# All rates have one unit, and -s sorts.
	[ "$(sed -n '3,/^net/s/^ *+[0-9.]*[KMGB]\(\/[a-z]*\) .*/\1/p' <<<"$output" | sort -u | wc -l)" -eq 1 ]
	run --separate-stderr procmem heap --growth 2s -a -s size "$TARGET_PID"
	[ "$status" -le 1 ]
	sed -n '3,/^net/p' <<<"$output" | awk '$1 !~ /net/ { print $3 }' | tee sizes
	sort -rnc sizes
	run --separate-stderr procmem heap --growth 2s -s size -r --json "$TARGET_PID"
	[ "$status" -le 1 ]
	jq -e '[.survivors[].size] | . == sort' <<<"$output"
	run -2 --separate-stderr procmem heap --growth 2s -s bytes "$TARGET_PID"
	[[ $stderr == *"unknown column 'bytes'; with --growth, use rate, new/s, size, new or net" ]]
	run --separate-stderr procmem heap --growth 2s --json -n 1 "$TARGET_PID"
	[ "$status" -le 1 ]
	jq -e '.seconds > 0.5 and (.survivors | length == 1) and (.survivors[0] | .size == 272 and .text == "leak number=#" and
		.count > 0 and .rate > 0 and .bytes_rate > .rate * 270) and (.certain | type) == "boolean"' <<<"$output"
}

@test "--growth: the survivors of a slow leak among chunks that change all the time" {
	local heap count=500 _
	target_start allocations 0
	for _ in 1 2 3; do tell churn; done
	"$PROCMEM_BIN" heap --growth 6s --json "$TARGET_PID" >grown 2>errors 3>&- &
	heap=$!
	TARGETS+=("$heap")

	# After the first walk, it waits in ppoll(2). The leak is between the first and the second walk.
	until grep -q '^\(271\|73\) ' "/proc/$heap/syscall"; do kill -0 "$heap"; done
	kill -STOP "$heap"
	tell seep "$count"
	kill -CONT "$heap"
	wait "$heap" || [ $? -eq 1 ] || { cat errors && false; }
	jq -c '[.survivors[] | {size, text, count}]' grown

	jq -e --argjson count "$count" '([.survivors[] | select(.size == 272 and .text == "leak number=#") | .count] | length == 1 and
		(.[0] - $count | fabs) <= $count / 10) and .survivors[0].size == 272 and
		all(.survivors[1:][]; .count <= 10) and ([.survivors[].bytes_rate] | . == (sort | reverse)) and
		.net_seconds > .seconds' grown
	json_keep heap grown
}

@test "--growth: the times between the walks are measured" {
	local heap until
	target_start allocations 0
	"$PROCMEM_BIN" heap --growth 0.4s "$TARGET_PID" >grown 2>errors 3>&- &
	heap=$!
	TARGETS+=("$heap")

	# While it waits for the second walk, it is stopped for two seconds.
	until grep -q '^\(271\|73\) ' "/proc/$heap/syscall"; do kill -0 "$heap"; done
	kill -STOP "$heap"
	until=$((SECONDS + 3))
	while [ "$SECONDS" -lt "$until" ]; do :; done
	kill -CONT "$heap"
	wait "$heap" || [ $? -eq 1 ] || { cat errors && false; }

	[[ $(head -n 1 grown) =~ '  3 walks, '([0-9]+)'.'[0-9]' s '(and [0-9.]+ s )?'apart' ]]
	[ "${BASH_REMATCH[1]}" -ge 2 ]
	[[ $(tail -n 1 grown) =~ ^'net change in '([0-9]+)'.'[0-9]' s, of all chunks in use: ' ]]
	[ "${BASH_REMATCH[1]}" -ge 2 ]
}

@test "--growth: classes without net growth come last, and are not marked" {
	target_start allocations 0
	tell renew 5000
	tell grow 50

	# The codes of the eight basic colours.
	export TERM=xterm
	unset COLORTERM
	run --separate-stderr procmem heap --growth 2s --color=always "$TARGET_PID"
	[ "$status" -le 1 ]
	[[ ${lines[2]} == *$'\e[31m'*'K/s'*' 272 '*'"leak number=#"'* ]]
	local renewed
	renewed=$(grep -F 'renewed number=' <<<"$output")
	[[ $renewed == *'no net growth: "renewed number=#"'* && $renewed == *K/s* ]]
	[[ $renewed != *$'\e[31m'* ]]
}

@test "a process that changes its heap all the time: no wrong error, and --stop is complete" {
	local _
	target_start allocations 2
	tell churn
	for _ in {1..5}; do
		run --separate-stderr procmem heap --json "$TARGET_PID"
		[ "$status" -le 1 ]
		jq -e --argjson status "$status" '.complete == ($status == 0)' <<<"$output"
		run -0 --separate-stderr procmem heap --json --stop "$TARGET_PID"
		jq -e '.complete' <<<"$output"
	done
}

@test "on a terminal of 80 columns, no line is wider, and all is within the screen" {
	target_start allocations 12
	tell fragment 2000
	run -0 on_terminal 24 80 heap --color=never "$TARGET_PID"
	[ "$(wc -l <<<"$output")" -le 24 ]
	LC_ALL=C.UTF-8 fails grep -E '^.{81}' <<<"$output"
	[[ $output == *'3 more arenas, '*' SYSTEM, '*' IN USE (all: -a)'* ]]
	[[ $output =~ 'more classes, '[0-9.]+[KMG]' (all: -a)' ]]
	run -0 on_terminal 40 80 heap --color=never --all "$TARGET_PID"
	[[ $output != *'more arenas'* ]]
}

@test "in a session, chunks are numbered" {
	target_start allocations 0
	tell fragment 10
	run -0 procmem shell -c 'heap --list --size 416 --text "order number 10"' -c 'dump --hex #1' "$TARGET_PID"
	[[ ${lines[1]} == '#1 '*'"order number 10"' ]]
	[[ $output == *$'\n'"$(printf '%x' "$(address order)") 6f 72 64 65 72 20 6e 75"* ]]
	run -0 procmem shell -c 'heap -n 3' -c 'heap #2' "$TARGET_PID"
	[[ $output == *'#2 '*'  contains '* ]]
}

@test "what cannot be: options that exclude each other, and no known allocator" {
	target_start allocations 0
	run -2 procmem heap --list "$TARGET_PID" "$(address order)"
	[[ $output == *"leave out the address; 'procmem refs' shows what holds the chunk there" ]]
	run -2 procmem heap --csv "$TARGET_PID" "$(address order)"
	[[ $output == *'with an address there is no table: use --json' ]]
	run -2 procmem heap --size 96 "$TARGET_PID" "$(address order)"
	[[ $output == *'leave out the address or these options' ]]
	# Each refusal says what helps.
	local words pattern='^procmem: (heap: )?--[a-z]+ and --[a-z]+ cannot be combined: .*(use|--csv|--json|--tree|--list|leave out)'
	for words in '--growth 1s --stop' '--growth 1s --csv' '--growth 1s --list' '--growth 1s --by type' \
		'--list --by size' '--list --sort size' '--list --reverse' '--list --columns size' \
		'--retained --stop' '--retained --list' '--retained --growth 1s' \
		'--retained --tree x --sort held' '--retained --tree x --reverse'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem heap $words "$TARGET_PID"
		[[ $stderr =~ $pattern ]]
	done
	run -2 --separate-stderr procmem heap --retained --size 96 "$TARGET_PID"
	[[ $stderr == *"'procmem refs' to show what holds one of them" ]]
	run -2 procmem heap --size 5-3 "$TARGET_PID"
	run -2 procmem heap --by colour "$TARGET_PID"
	[[ $output == *"'colour' is unknown: use size, type, text, arena, state or thread" ]]
	run -2 procmem heap --by size,type,size "$TARGET_PID"
	[[ $output == *"'size,type,size' has a word twice" ]]
	run -2 procmem heap --type '(' "$TARGET_PID"
	run -2 procmem heap --state gone "$TARGET_PID"
	run -2 procmem heap /proc/self/status
}

# Prints the bytes of groups of the target `holders`.
group_bytes() {
	local name count size sum=0
	for name; do
		read -r count size < <(sed -n "s/^group $name //p" "$TARGET_FACTS")
		sum=$((sum + count * size))
	done
	echo "$sum"
}

@test "--retained: each root holds what the target has given to it" {
	local name
	target_start holders
	run -0 --separate-stderr procmem heap --retained --json "$TARGET_PID"
	for name in list owned inside; do
		jq -e --arg name "g_$name" --argjson bytes "$(group_bytes "$name")" \
			'.roots[] | select(.name == $name) | .kind == "global" and .held == $bytes and .only == $bytes' <<<"$output"
	done
	jq -e --argjson bytes "$(group_bytes big last)" '.roots[] | select(.name == "g_big") | .held == $bytes' <<<"$output"
	jq -e --argjson bytes "$(group_bytes table)" '.roots[] | select(.name == "table") | .kind == "static" and .held == $bytes' <<<"$output"
	jq -e --argjson bytes "$(group_bytes local)" '.roots[] | select(.name == "local") | .kind == "thread_local" and .thread > 0 and .held == $bytes' <<<"$output"
	jq -e --argjson bytes "$(group_bytes one two both)" '[.roots[] | select(.name == "g_one" or .name == "g_two")] |
		(map(.held) | add) == $bytes and (map(.shared_with) | sort) == [["g_one"], ["g_two"]]' <<<"$output"
	jq -e --argjson bytes "$(group_bytes single head tail ring knot hanging self mapped)" '.lost.bytes == $bytes and
		(.roots | map(.held) | add) + .lost.bytes == .in_use and .complete' <<<"$output"
	[[ $stderr == *'the process was stopped for '* ]]

	run -0 --separate-stderr procmem heap --retained "$TARGET_PID"
	[[ ${lines[0]} == "holders ($TARGET_PID)  "*' chunks in use, '*'M; each is counted for its nearest root' ]]
	[[ ${lines[1]} == *HELD*'ONLY BY IT'*CHUNKS*ROOT ]]
	grep -Eq '^ *62\.5K +62\.5K +1000 g_list  \(global, holders\)$' <<<"$output"
	grep -Eq '^      shared or stray pointer: 6\.3K with g_(one|two); words that lead there: 40 from g_(one|two), the first at 0x' <<<"$output"
	# Without a single word, only one of two roots would hold these chunks.
	grep -A 1 ' g_chain  (global, holders)$' <<<"$output" | grep -Fx '      only by it, but for 1 word from g_stray: 4.9K'
	[ "$(grep -c 'only by it, but for' <<<"$output")" -eq 1 ]
	# The root with fewer words may be the owner, so the words of both roots are shown.
	words=$(grep -E -A 3 '^      shared or stray pointer: 4\.9K with g_stray; ' <<<"$output" | tr -s '\n ' ' ')
	[[ $words =~ 'words that lead there: 1 from g_stray, at '0x[0-9a-f]+', to '0x[0-9a-f]+'; 5 from g_chain, the first at 0x' ]]
	grep -Eq '^ *1\.1M +- +205 nothing \(possibly lost; see procmem leaks\)$' <<<"$output"
	run -0 --separate-stderr procmem heap --retained --json "$TARGET_PID"
	jq -e --argjson bytes "$(group_bytes chain)" --arg from "0x$(sed -n 's/^stray //p' "$TARGET_FACTS")" \
		--arg entry "0x$(sed -n 's/^example chain //p' "$TARGET_FACTS")" '.shared[] | select(.bytes == $bytes) |
		(.roots | sort) == ["g_chain", "g_stray"] and .chunks == 5 and (.other_roots | not) and
		(.entries | map({name, words}) | sort_by(.words)) == [{name: "g_stray", words: 1}, {name: "g_chain", words: 5}] and
		(.entries[] | select(.name == "g_stray") | .from == $from and .entry == $entry)' <<<"$output"
	jq -e --argjson bytes "$(group_bytes chain)" '[.roots[] | select(has("but_words"))] | length == 1 and
		(.[0] | .name == "g_chain" and .only == 0 and .nearly_only == $bytes and .but_words == 1)' <<<"$output"
	run -0 --separate-stderr procmem heap --retained --csv --max-stop 5s -o name,held -n 2 "$TARGET_PID"
	[ "${#lines[@]}" -eq 3 ]
	run -2 procmem heap --retained --size 64 "$TARGET_PID"
	run -2 procmem heap --retained --stop "$TARGET_PID"
}

@test "--retained: other memory that reaches what a stack holds is shown" {
	local page
	target_start trees
	page=0x$(sed -n 's/^page //p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem heap --retained --json "$TARGET_PID"
	jq -e --argjson bytes "$(group_bytes pool)" --arg from "$(printf '0x%x' $((page + 240)))" '.shared[] |
		select(.bytes == $bytes and .chunks == 3) | (.entries | length) == 2 and
		(.roots | any(startswith("stack of "))) and (.entries[] | select(.name | startswith("stack of ") | not) |
		.words == 1 and .from == $from)' <<<"$output"
	jq -e --argjson bytes "$(group_bytes pool)" '.roots[] | select(.kind == "stack") |
		.held == $bytes and .only == 0 and .chunks == 3 and (has("but_words") | not)' <<<"$output"
	jq -e 'all(.roots[]; .chunks > 0)' <<<"$output"
	run -0 --separate-stderr procmem heap --retained "$TARGET_PID"
	[[ $output =~ 'shared or stray pointer: '[0-9.]+'K with '[0-9a-f]+-[0-9a-f]+'; words that lead there: 1 from ' ]]
}

# Selects the rows of a tree in the last output that have the size of a group of the target.
tree_rows() {
	jq --argjson size "$(sed -n "s/^group $1 [0-9]* //p" "$TARGET_FACTS")" \
		'[.tree[] | select(.size == $size)]' <<<"$output"
}

@test "without a matching chunk, there is no table" {
	target_start allocations 2
	run -0 --separate-stderr procmem heap --size 5 "$TARGET_PID"
	[ "${lines[-1]}" = 'no chunk matches' ]
	[[ $output != *SHARE%* ]]
	run -0 --separate-stderr procmem heap --size 5 --csv "$TARGET_PID"
	[[ ${lines[0]} == size,count,bytes,* && ${#lines[@]} -eq 1 ]]
	run -1 procmem heap --list --size 5 "$TARGET_PID"
	[ "${lines[-1]}" = 'procmem: note: no chunk matches' ]
	[[ ${lines[-2]} == ADDRESS* ]]

	# Nothing is lost.
	target_start trees
	run -0 --separate-stderr procmem heap --retained --tree nothing "$TARGET_PID"
	[ "$output" = 'no lost chunk was found' ]
}

@test "a table has a column for the size only if chunks are counted by size" {
	local keys
	target_start allocations 2
	for keys in thread arena state arena,state type thread,type; do
		run -0 --separate-stderr procmem heap --by "$keys" "$TARGET_PID"
		grep -Eq '^ *([A-Z]+ +)*COUNT +BYTES' <<<"$output"
		! grep -Eq 'SIZE +COUNT' <<<"$output" || return 1
	done
	for keys in size size,thread size,arena arena,state,size; do
		run -0 --separate-stderr procmem heap --by "$keys" "$TARGET_PID"
		grep -Eq 'SIZE +COUNT +BYTES' <<<"$output"
	done
}

@test "a note says that --by helps if many rows have the same type" {
	program_start python3 -c 'kept = ["x" * (600 + 16 * (i % 60)) for i in range(3000)]; print("ready", flush=True); import time; time.sleep(600)'
	target_await ready
	run --separate-stderr procmem heap "$TARGET_PID"
	[ "$status" -le 1 ]
	[[ $stderr =~ ([0-9]+)' of '[0-9]+" rows have the type '"[^\']+"', and differ in size: --by type or --by text counts them together" ]]
	[ "${BASH_REMATCH[1]}" -ge 20 ]
	run --separate-stderr procmem heap --by type "$TARGET_PID"
	[[ $stderr != *'rows have the type'* ]]
	run --separate-stderr procmem heap -q "$TARGET_PID"
	[ -z "$stderr" ]
}

@test "--tree: chunks are below the chunks through which they are held" {
	local name
	target_start trees
	run -0 --separate-stderr procmem heap --retained --tree g_shop --json "$TARGET_PID"
	jq -e '.root.name == "g_shop" and .root.kind == "global" and .chunks == 2603 and
		(.tree | map(.depth)) == [0, 1, 2, 3, 1, 2, 1, 1] and .tree[0].held == .held and .complete' <<<"$output"
	for name in shop table order payload shared link knot leaf; do
		tree_rows "$name" | jq -e --argjson bytes "$(group_bytes "$name")" 'length == 1 and .[0].bytes == $bytes'
	done
	tree_rows order | jq -e --argjson held "$(group_bytes order payload)" '.[0].held == $held'
	tree_rows link | jq -e --argjson held "$(group_bytes link knot leaf)" '.[0].held == $held'

	run -0 --separate-stderr procmem heap --retained --tree g_shop "$TARGET_PID"
	[[ ${lines[0]} == 'g_shop  (global, trees) holds 573.9K in 2,603 chunks; '* ]]
	[[ ${lines[1]} =~ ^' '*HELD' '+OWN' '+COUNT' '+SIZE' 'EXAMPLE' '+WHAT$ ]]
	grep -Eq '^ *265\.6K +62\.5K +1000 +64 [0-9a-f]+   pointers$' <<<"$output"
	grep -Eq '^ *118\.8K +118\.8K +200 +608 [0-9a-f]+       zeros$' <<<"$output"
	grep -Eq '^ *- +320B +1 +- +in 1 smaller row$' <<<"$output"
	grep -Eq '^ *573\.9K +2603 +total$' <<<"$output"
	run -0 --separate-stderr procmem heap --retained --tree g_shop -a --csv "$TARGET_PID"
	[ "${#lines[@]}" -eq 9 ]
	run -0 --separate-stderr procmem heap --retained --tree g_shop -n 3 --no-header "$TARGET_PID"
	[ "${#lines[@]}" -eq 4 ]
}

@test "--tree: lost chunks are below those through which they were lost" {
	local name size
	target_start holders
	for name in nothing 'nothing (possibly lost; see procmem leaks)'; do
		run -0 --separate-stderr procmem heap --retained --tree "$name" --json "$TARGET_PID"
		jq -e '.root == { name: "nothing", kind: "lost" } and .chunks == 205 and .held == 1112144 and
			(.tree | map(.bytes) | add) == .held' <<<"$output"
	done
	tree_rows head | jq -e --argjson held "$(group_bytes head tail)" 'length == 1 and .[0].depth == 0 and .[0].held == $held'
	tree_rows tail | jq -e --argjson held "$(group_bytes tail)" 'length == 1 and .[0].depth == 1 and .[0].held == $held'
	tree_rows ring | jq -e --argjson held "$(group_bytes ring)" 'length == 1 and .[0].depth == 0 and .[0].held == $held'
	tree_rows hanging | jq -e '.[0].depth == 1'

	run -0 --separate-stderr procmem heap --retained --tree nothing "$TARGET_PID"
	[[ ${lines[0]} == 'possibly lost: 1.1M in 205 chunks; indented chunks were lost through those above' ]]
	targets_stop

	target_start trees
	run -0 --separate-stderr procmem heap --retained --tree nothing --json "$TARGET_PID"
	jq -e '.chunks == 0 and .tree == []' <<<"$output"
}

@test "--tree --by type: chunks of all sizes are in one row" {
	local words
	target_start trees
	run -0 --separate-stderr procmem heap --retained --tree g_shop --by type --json "$TARGET_PID"
	# `link` and `knot` are pointers, and `payload`, `shared` and `leaf` are held through pointers.
	jq -e '.chunks == 2603 and (.tree | map(.count) | add) == 2603 and (.tree | map(.bytes) | add) == .held and
		(.tree | map([.depth, .type]) | length == (unique | length)) and
		any(.tree[]; .type == "pointers" and (has("size") | not) and .count > 1000)' <<<"$output"

	for words in '--by text' '--by size' '--by type,text'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem heap --retained --tree g_shop $words "$TARGET_PID"
		[[ $stderr == *'with --tree, chunks are counted by size and type, or with --by type by type only'* ]]
	done
	run -2 --separate-stderr procmem heap --retained --by type "$TARGET_PID"
	[[ $stderr == *'leave out --by, or use it with --tree'* ]]
}

@test "--tree: a root is named, or an address in it is given" {
	local address name
	target_start trees
	run -0 --separate-stderr procmem refs --json "$TARGET_PID" "$(sed -n 's/^example lone //p' "$TARGET_FACTS")"
	address=$(jq -r '.path[-1].address' <<<"$output")
	run -0 --separate-stderr procmem heap --retained --tree "$address" --json "$TARGET_PID"
	jq -e '.root.name == "g_other" and .chunks == 3' <<<"$output"

	run -2 --separate-stderr procmem heap --retained --tree g_none "$TARGET_PID"
	[[ $stderr == *"no root is called 'g_none'; 'procmem heap --retained' lists "* ]]
	run -2 --separate-stderr procmem heap --tree g_shop "$TARGET_PID"
	[[ $stderr == *'--tree needs --retained'* ]]

	# ABI tags and arguments may be left out.
	target_start objects
	for name in shop::products 'shop::products[abi:cxx11]'; do
		run -0 --separate-stderr procmem heap --retained --tree "$name" --json "$TARGET_PID"
		jq -e '.root.name == "shop::products[abi:cxx11]" and .chunks == 1 and .held == 656' <<<"$output"
	done
	for name in 'shop::found(int)::kept' shop::found::kept; do
		run -0 --separate-stderr procmem heap --retained --tree "$name" --json "$TARGET_PID"
		jq -e '(.root.name | startswith("shop::found")) and .chunks == 1 and .held == 1296' <<<"$output"
	done
	run -2 procmem heap --retained --tree shop "$TARGET_PID"

	# Each thread has the thread-local variable.
	target_start holders
	target_tell churn
	run -0 --separate-stderr procmem heap --retained --json "$TARGET_PID"
	name=$(jq -r 'first(.roots[] | select(.name | startswith("slots"))).name' <<<"$output")
	run -2 --separate-stderr procmem heap --retained --tree "$name" "$TARGET_PID"
	[[ $stderr =~ '3 roots are called '.slots.*'; use the address of one of them: 0x'[0-9a-f]+,\ 0x ]]
}

@test "--retained and --tree: variables of a stripped program have addresses" {
	local name count size map address row
	target_start orders
	run -0 --separate-stderr procmem heap --retained --json "$TARGET_PID"
	jq -e '.roots | map(.name) | length == (unique | length)' <<<"$output"
	jq -e '[.roots[] | select(.kind == "module_data" or .kind == "libc")] | length > 0 and all(.address)' <<<"$output"
	cp /dev/stdin retained.json <<<"$output"
	run -0 --separate-stderr procmem heap --retained --all "$TARGET_PID"
	cp /dev/stdin retained.txt <<<"$output"

	while read -r _ name count size map; do
		# A map has the pointers to the top, the first and the last node 16 bytes after its start.
		address=$(printf '%x' $((0x$map + 16)))
		jq -e --arg name "data of orders at $address" --arg address "0x$address" --argjson bytes $((count * size)) \
			'.roots[] | select(.name == $name) | .address == $address and .held == $bytes' retained.json
		row="data of orders at $address  (3 words)"
		grep -qF " $row" retained.txt

		for root in "$row" "${row%  (*}" "$address" "0x$address" "$(printf '%x' $((0x$address + 17)))"; do
			run -0 --separate-stderr procmem heap --retained --tree "$root" --json "$TARGET_PID"
			jq -e --arg address "0x$address" --argjson count "$count" \
				'.root.address == $address and .chunks == $count' <<<"$output"
		done
	done < <(grep '^map ' "$TARGET_FACTS")

	run -2 --separate-stderr procmem heap --retained --tree 'data of orders' "$TARGET_PID"
	[[ $stderr == *"names of roots start with 'data of orders'; use one of them: data of orders at "*' (3 words), data of orders at '* ]]
}

@test "--retained: a stripped program with many variables has a limited number of roots" {
	local slots
	target_start orders 3000
	slots=$(sed -n 's/^slots //p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem heap --retained --json "$TARGET_PID"
	jq -e '[.roots[] | select(.kind == "module_data" or .kind == "libc")] | length > 1000 and length < 1100' <<<"$output"
	jq -e '[.roots[] | select(.name | startswith("data of orders at ")) | .chunks] | add == 4300' <<<"$output"
	jq -e '.roots | map(.name) | length == (unique | length)' <<<"$output"

	run -0 --separate-stderr procmem heap --retained --tree "$(printf '%x' $((0x$slots + 64 * 5)))" --json "$TARGET_PID"
	jq -e '.chunks == 1' <<<"$output"
	run -0 --separate-stderr procmem heap --retained --tree "$(printf '%x' $((0x$slots + 64 * 2999)))" --json "$TARGET_PID"
	jq -e '.chunks > 1900 and .root.kind == "module_data"' <<<"$output"
}

@test "--tree: the end of a name may be left out, and a refusal names similar ones" {
	local worker
	target_start holders
	worker=$(grep -l '^worker$' "/proc/$TARGET_PID/task/"*/comm | sed 's|.*/task/||; s|/comm||')
	for name in "stack of $worker" "stack of $worker worker"; do
		run -0 --separate-stderr procmem heap --retained --tree "$name" --json "$TARGET_PID"
		jq -e --argjson tid "$worker" '.root.kind == "stack" and .root.thread == $tid' <<<"$output"
	done
	run -0 --separate-stderr procmem heap --retained --tree 'g_list  (global, holders)' --json "$TARGET_PID"
	jq -e '.root.name == "g_list"' <<<"$output"

	run -2 --separate-stderr procmem heap --retained --tree g_lsit "$TARGET_PID"
	[[ $stderr == *"no root is called 'g_lsit'; did you mean 'g_list'?"* ]]
	run -2 --separate-stderr procmem heap --retained --tree "$worker" "$TARGET_PID"
	[[ $stderr == *"no root is called '$worker'; use one of these: "*"stack of $worker worker"* ]]
}

@test "a process that uses malloc of glibc and jemalloc" {
	GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000 target_start two_allocators 10000 1000
	[ "$(grep -c 'without jemalloc' "$TARGET_FACTS")" -eq 0 ] || skip 'libjemalloc.so.2 cannot be loaded'

	run -0 --separate-stderr procmem heap "$TARGET_PID"
	[[ ${lines[0]} == *'jemalloc 5.3 malloc, walk complete, not stopped' ]]
	grep -Eq '^ARENA +SYSTEM +ACTIVE +IN USE +FREE +CACHED +DIRTY +RETAINED +CHUNKS$' <<<"$output"
	[[ $stderr == *'the process also has '*' in use in glibc malloc, which is not shown'* ]]

	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	jq -e '.arenas | length >= 1 and all(.[]; has("address") | not)' <<<"$output"
	jq -e '.total, .arenas[] | .active + .unused_dirty + .unused_muzzy == .system and .retained >= 0 and .in_use <= .active' <<<"$output"
	jq -e '.allocator.other.name == "glibc" and .allocator.other.in_use >= 112000' <<<"$output"
	jq -e '[.classes[] | select(.size == 1024).count] | add == 10000' <<<"$output"
	# The address of an arena of jemalloc is not known.
	run -0 --separate-stderr procmem heap --json --list --size 1024 "$TARGET_PID"
	jq -e '(.listed | length) == 10000 and all(.listed[]; has("arena") | not)' <<<"$output"
}

@test "other allocators whose chunks are not known are named" {
	# Any library will do: only its name says what it is.
	cp "$(ldconfig -p | awk '$1 == "libm.so.6" && /x86-64/ { print $NF; exit }')" libtcmalloc.so.4
	LD_PRELOAD=$PWD/libtcmalloc.so.4 target_start allocations 0
	run -0 --separate-stderr procmem heap "$TARGET_PID"
	[[ $stderr == *'the process also has the allocator tcmalloc; the chunks that it has allocated are not known'* ]]
	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	jq -e '.allocator.name == "glibc" and .allocator.other == {"name": "tcmalloc"}' <<<"$output"
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.certain == false' <<<"$output"
	[[ $stderr == *'the process also has the allocator tcmalloc; '* ]]
	targets_stop

	# An allocator that is part of the program.
	target_start linked_allocator
	for option in '' --stop; do
		# shellcheck disable=SC2086 # no word if there is no option
		run -0 --separate-stderr procmem heap $option "$TARGET_PID"
		[[ $stderr == *'the process also has the allocator mimalloc; the chunks that it has allocated are not known'* ]]
	done
	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	jq -e '.allocator.other == {"name": "mimalloc"}' <<<"$output"
	run --separate-stderr procmem leaks --json "$TARGET_PID"
	jq -e '.certain == false' <<<"$output"
	targets_stop

	target_start second_libc 100
	[ "$(grep -c 'without another libc' "$TARGET_FACTS")" -eq 0 ] || skip 'libc.so.6 cannot be loaded twice'
	run -0 --separate-stderr procmem heap "$TARGET_PID"
	[[ $stderr == *'another copy of libc in the process has a malloc of its own, whose chunks are not known'* ]]
	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	jq -e '.allocator.other == {"name": "glibc"}' <<<"$output"
}

@test "a text that not all chunks of a class have" {
	target_start contents
	run -0 procmem heap "$TARGET_PID"
	grep -Eq '^ *1024 +120 .* "response #" \(mostly\)$' <<<"$output"
	grep -Eq '^ *96 +[0-9]+ .* "session user=# state=active"$' <<<"$output"
}
