#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem strings` with --in-use, --freed and --chunks: the target says in which chunks it has written
# which text, and which of these chunks it has freed.

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

# Keeps the objects of texts that the target has named.
named() {
	jq -c 'select(.text | test("number \\d+ of remains"))'
}

@test "each string is in the chunk that the target has named, in a process and in a core file" {
	target_start remains
	expected >expected
	procmem strings --json --chunks "$TARGET_PID" | named | found | diff expected -
	procmem strings -q --json --chunks --stop "$TARGET_PID" | named | found | diff expected -
	procmem strings -q --json --in-use "$TARGET_PID" | named | found | diff <(grep in_use expected) -
	procmem strings -q --json --freed "$TARGET_PID" | named | found | diff <(grep -E 'top|free|cached' expected) -
	procmem strings -q --json --freed --in-use "$TARGET_PID" | named | found | diff <(grep ' ' expected) -
	procmem dump --core --stop -q -o core "$TARGET_PID" all || [ $? -eq 1 ]
	procmem strings -q --json --chunks core | named | found | diff expected -
}

@test "a line has the state and the size of the chunk" {
	local address
	target_start remains
	procmem strings -q --chunks -n 20 "$TARGET_PID" >lines
	address=$(target_fact at cached 3)
	grep -qx "${address% *} cached      160  cached number 3 of remains" lines
	address=$(target_fact at outside 3)
	grep -qx "${address% *} -                outside number 3 of remains" lines
	address=$(target_fact at live 3)
	grep -qx "${address% *} in use       80  live number 3 of remains" lines
	address=$(target_fact at free 3)
	grep -qx "${address% *} free       2016  free number 3 of remains" lines
	address=$(target_fact at top 0)
	grep -Eqx "${address% *} top   +[0-9]+  top number 0 of remains" lines
	# Without the options, a line is as before, and nothing is said about chunks.
	run -0 --separate-stderr procmem strings -n 20 "$TARGET_PID" heap
	[ -z "$stderr" ]
	address=$(target_fact at live 3)
	grep -qx "${address% *} live number 3 of remains" <<<"$output"
}

@test "strings are counted in the chunks of a state" {
	target_start remains
	run -0 procmem strings -q -u --similar --freed -n 20 --json "$TARGET_PID"
	jq -se '(.[] | select(.text == "fast number # of remains") | .count == 20) and
		any(.[]; .text == "live number # of remains") == false' <<<"$output"
	run -0 procmem strings -q -u --similar --in-use -n 20 --json "$TARGET_PID"
	jq -se '(.[] | select(.text == "live number # of remains") | .count == 20) and
		any(.[]; .text == "fast number # of remains") == false' <<<"$output"
}

@test "what malloc has written into freed chunks is no string" {
	local links
	target_start remains
	read -r -a links <<<"$(target_fact links)"
	# The key of the tcache can be text, by chance: it is the same in all chunks of the process.
	procmem strings -q --freed --json -n 1 "$TARGET_PID" heap | jq -r .address >addresses
	for address in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		fails grep -qx "$(printf '0x%x' $((0x${links[0]} + address)))" addresses
	done
	grep -qx "$(printf '0x%x' $((0x${links[0]} + 32)))" addresses
}

@test "the header after a text that fills its chunk does not belong to the text" {
	local words
	target_start remains
	procmem strings -q "$TARGET_PID" heap | grep -q '<in use, to the end>1$'
	for words in '--in-use' '--freed' '--in-use --freed' '--chunks' '--in-use --freed -u'; do
		# shellcheck disable=SC2086
		procmem strings -q $words "$TARGET_PID" heap | grep -o '<.*, to the end>.*' | sort >found
		{
			[[ $words != *freed* && $words != *chunks* ]] || echo '<freed, to the end>'
			[[ $words != *use* && $words != *chunks* ]] || echo '<in use, to the end>'
		} | diff - found
	done
	run -0 procmem strings -q --in-use --json -n 20 "$TARGET_PID" heap
	jq -se '.[] | select(.text == "<in use, to the end>") | .length == 20 and .chunk.state == "in_use" and
		(.chunk | has("also") | not)' <<<"$output"
	# Without the header, it is too short.
	run -0 --separate-stderr procmem strings --in-use -n 21 "$TARGET_PID" heap
	[[ $output != *'to the end'* && $stderr == *' 1 in headers and list pointers of malloc'* ]]
}

@test "a text that is too short without the header is left out: characters count, not bytes" {
	target_start remains
	# Each text would be long enough with the header, which is the character 1.
	procmem strings -q -e l "$TARGET_PID" heap | grep -q 'large1$'
	procmem strings -q "$TARGET_PID" heap | grep -q 'äöü1$'
	run -0 procmem strings -q -e u,l --in-use "$TARGET_PID" heap
	[[ $output != *large* && $output != *äöü* ]]
	run -0 procmem strings -q -e u,l --in-use -n 3 "$TARGET_PID" heap
	grep -q 'large$' <<<"$output"
	grep -q 'äöü$' <<<"$output"
}

@test "memory that looks like a mapped chunk counts as in use, and a note says so" {
	local false_chunks=glibc.malloc.tcache_count=100:glibc.malloc.mmap_max=1000 command
	GLIBC_TUNABLES=$false_chunks target_start false_chunk
	for command in 'strings --in-use' 'grep --in-use -e .'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr procmem $command "$TARGET_PID"
		[[ $stderr == *'malloc has mapped 0 chunks separately, but 1 ranges look like such chunks; all of them count as in use'* ]]
	done
}

@test "an allocator that is part of the program is named" {
	local command
	target_start linked_allocator
	for command in 'strings --in-use' 'strings --stop --in-use' 'grep --in-use -e .'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr procmem $command "$TARGET_PID"
		[[ $stderr == *'the process also uses mimalloc malloc, whose chunks are not read; '* ]]
	done

	run -0 --separate-stderr procmem map "$TARGET_PID" "0x$(awk '/\[heap\]/ { sub("-.*", ""); print; exit }' "/proc/$TARGET_PID/maps")"
	[[ $stderr == *'the process also has the allocator mimalloc; the chunks that it has allocated are not known'* ]]
}

@test "long strings" {
	target_start remains
	run -0 procmem strings -q --in-use -t n -n 200000 "$TARGET_PID"
	[ "${#lines[@]}" -eq 2 ]
	[[ ${#lines[1]} -eq 200017 && ${lines[1]} == 'in use  2002944  mmmm'*m ]]
	run -1 --separate-stderr procmem strings --freed -n 200000 "$TARGET_PID"
	[[ $stderr == *'--freed left out 2 strings: 2 in chunks in use'* ]]
}

@test "where the heap is damaged, chunks are not known, and strings can be missing" {
	target_start remains
	target_tell damage
	run -2 --separate-stderr procmem strings --in-use -n 20 "$TARGET_PID"
	fails grep -q 'live number 5 of remains' <<<"$output"
	grep -q 'live number 3 of remains' <<<"$output"
	[[ $stderr == *' 1 where chunks are not known'* ]]
	procmem strings -q --chunks -n 20 "$TARGET_PID" >lines
	grep -Eq '^[0-9a-f]+ [?] +live number 5 of remains$' lines
}

@test "without malloc of a known allocator, the options are refused" {
	target_start no_malloc
	run -2 --separate-stderr procmem strings --in-use "$TARGET_PID"
	[[ -z $output && $stderr == *"the heap of $TARGET_PID is not known"* ]]
	run -2 procmem strings --chunks -u "$TARGET_PID"
	[[ $output == *'--chunks'* ]]
}
