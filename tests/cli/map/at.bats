#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem map TARGET ADDRESS`: what is at an address.

load ../support/mapper

setup() {
	load ../support/helper
}

teardown() {
	json_check
}

# Prints the first address of a region of the target.
start_of() {
	local range
	range=$(target_range "$1")
	printf '%s\n' "${range%-*}"
}

@test "the region, the offset in it, and the state of the page" {
	start=$(start_of plain)
	run -0 procmem map "$TARGET_PID" "0x$(printf %x $((0x$start + 0x1234)))"
	[[ ${lines[0]} == "$(target_range plain)  64.0K  RSS 64.0K  rw-p  anon"* ]]
	[[ ${lines[1]} == "  0x$(printf %x $((0x$start + 0x1234))) is at offset 0x1234 (4.6K) in the region; the page is present, private" ]]
	[[ ${lines[2]} =~ ^\ \ kind\ anon\ \((proven|inferred)\):\ . ]]
}

@test "states of pages: untouched, zero, guard, of a file, copied from a file" {
	[[ $(procmem map "$TARGET_PID" "$(start_of untouched)") == *"the page was never touched"* ]]
	[[ $(procmem map "$TARGET_PID" "$(start_of file_untouched)") == *"the page is not in the memory of this process"* ]]
	[[ $(procmem map "$TARGET_PID" "$(start_of file_touched)") == *"the page is present, the file's own page"* ]]
	# The target wrote to page 3 of its private mapping.
	copied=$(printf %x $((0x$(start_of file_copied) + 0x3000)))
	[[ $(procmem map "$TARGET_PID" "$(start_of file_copied)") == *"the page is present, the file's own page"* ]]
	[[ $(procmem map "$TARGET_PID" "$copied") == *"the page is present, a private copy of the file's page"* ]]
	[[ $(procmem map "$TARGET_PID" "$(start_of memfd)") == *"the page is present, shared"* ]]
	if grep -q '^region guard_pages' "$TARGET_FACTS"; then
		[[ $(procmem map "$TARGET_PID" "$(start_of guard_pages)") == *"the page is a guard page"* ]]
	fi
}

@test "the file offset is that of maps" {
	read -r range _ offset _ < <(grep ' r-xp .*libc\.so' "/proc/$TARGET_PID/maps")
	address=$(printf %x $((0x${range%-*} + 0x2345)))
	[[ $(procmem map "$TARGET_PID" "$address") == *", file offset 0x$(printf %x $((0x$offset + 0x2345)));"* ]]
	[ "$(procmem map --json "$TARGET_PID" "$address" | jq .file_offset)" -eq $((0x$offset + 0x2345)) ]
}

@test "the neighbours are those of maps, with the distance to them" {
	range=$(grep ' r-xp .*libc\.so' "/proc/$TARGET_PID/maps" | cut -d ' ' -f 1)
	before=$(grep -B 1 "^$range" "/proc/$TARGET_PID/maps" | head -n 1 | cut -d ' ' -f 1)
	after=$(grep -A 1 "^$range" "/proc/$TARGET_PID/maps" | tail -n 1 | cut -d ' ' -f 1)
	run -0 procmem map "$TARGET_PID" "${range%-*}"
	[[ $output == *"  before: $before "* ]]
	[[ $output == *"  after:  $after "* ]]
	[ "$(procmem map --json "$TARGET_PID" "${range%-*}" | jq -r '.before.start, .after.start')" = "0x${before%-*}"$'\n'"0x${after%-*}" ]
	# An island has no neighbours: the previous region is far away.
	[[ $(procmem map "$TARGET_PID" "$(start_of jit)") =~ before:.*\ away ]]
	first=$(head -n 1 "/proc/$TARGET_PID/maps" | cut -d - -f 1)
	[[ $(procmem map "$TARGET_PID" "$first") == *"before: nothing"* ]]
}

@test "the last page of the address space" {
	grep -q vsyscall "/proc/$TARGET_PID/maps" || skip "this kernel has no vsyscall page"
	run -0 procmem map "$TARGET_PID" ffffffffff600010
	[[ ${lines[0]} == ffffffffff600000-ffffffffff601000* ]]
	[[ $output == *"after:  nothing"* ]]
}

@test "an address in a hole: exit status 1, with the neighbouring regions" {
	end=$(target_range jit)
	run --separate-stderr -1 procmem map "$TARGET_PID" "${end#*-}"
	[ -z "$output" ]
	[[ $stderr == *"${end#*-}"* ]]
}

@test "in a saved file only the state of the page is missing" {
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	run -0 procmem map -q "$BATS_TEST_TMPDIR/smaps" "$(start_of plain)"
	[[ ${lines[0]} == "$(target_range plain)"* ]]
	[[ $output != *"its page"* ]]
}

@test "no distance is printed to the kernel's half of the address space" {
	grep -q '\[vsyscall\]' "/proc/$TARGET_PID/maps" || skip "this kernel shows no [vsyscall]"
	vsyscall=$(sed -n 's/-.*\[vsyscall\]$//p' "/proc/$TARGET_PID/maps")
	last=$(tail -n 2 "/proc/$TARGET_PID/maps" | head -n 1)
	for address in "$vsyscall" "${last%%-*}"; do
		[[ $(procmem map "$TARGET_PID" "$address") != *"E away"* ]]
	done
}

@test "the chunk of malloc that contains the address, of a process and of a core file" {
	local address
	target_start allocations 1
	address=$(target_fact chunk order)
	address=${address%% *}
	run -0 procmem map "$TARGET_PID" "$(printf '%#x' $((address + 24)))"
	[ "${lines[3]}" = "$(printf '  chunk of malloc: %x-%x  416 B  in use  offset 0x18  "order number 10"' "$address" $((address + 408)))" ]
	run -0 procmem map --json "$TARGET_PID" "$address"
	jq -e --arg start "$address" '.chunk | .start == $start and .size == 416 and .state == "in_use" and
		.type == "text" and .text == "order number 10" and .offset == 0' <<<"$output"
	procmem dump --core -q -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	run -0 procmem map -q --json "$BATS_TEST_TMPDIR/core" "$address"
	jq -e '.chunk.text == "order number 10"' <<<"$output"
	run -0 procmem map "$TARGET_PID" "$(printf '%#x' $((address - 8)))"
	[[ ${lines[3]} == *'  416 B  in use  in its header  "order number 10"' ]]
	# Not in other memory.
	run -0 procmem map --json "$TARGET_PID" "0x$(sed -n 's/^\([0-9a-f]*\)-.*\[stack\]$/\1/p' "/proc/$TARGET_PID/maps")"
	jq -e 'has("chunk") | not' <<<"$output"
	kill "$TARGET_PID"
}

@test "the chunk of malloc in freed memory, and in redis with jemalloc" {
	local links socket=$BATS_TEST_TMPDIR/socket address
	target_start remains
	read -r -a links <<<"$(target_fact links)"
	run -0 procmem map "$TARGET_PID" "0x${links[0]}"
	[[ ${lines[3]} == *'  160 B  freed, cached  in list pointers of malloc  '* ]]
	run -0 procmem map "$TARGET_PID" "$(printf '%#x' $((0x${links[0]} + 32)))"
	[[ ${lines[3]} == *'  160 B  freed, cached  offset 0x20  '* && ${lines[3]} != *' pointers of '* ]]

	require redis-cli
	program_start redis-server --port 0 --unixsocket "$socket" --save '' --daemonize no --enable-debug-command yes
	until redis-cli -s "$socket" ping 2>/dev/null | grep -q PONG; do kill -0 "$TARGET_PID"; done
	run -0 --separate-stderr procmem map --by arena "$TARGET_PID"
	[[ $stderr == *"the arenas of jemalloc have no regions of their own: 'procmem heap' shows them"* ]]
	redis-cli -s "$socket" set key 'value of the key' >/dev/null
	address=$(redis-cli -s "$socket" debug object key | sed -n 's/^Value at:\(0x[0-9a-f]*\) .*/\1/p')
	run -0 procmem map --json "$TARGET_PID" "$(printf '%#x' $((address + 20)))"
	jq -e --arg start "$address" '.chunk | .start == $start and .state == "in_use" and .offset == 20' <<<"$output"
}
