#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem refs`: references are compared with the structure that the target `holders` has built.

setup() {
	load support/helper
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
	target_start holders
}

teardown() {
	targets_stop
	json_check
}

# Prints the address of a chunk of a group of the target.
example() {
	sed -n "s/^example $1 //p" "$TARGET_FACTS"
}

# Runs `procmem refs --json` on a chunk of a group.
refs() {
	run -0 --separate-stderr procmem refs --json "$TARGET_PID" "$(example "$1")"
}

@test "variables refer to chunks" {
	refs table
	jq -e '.count == 1 and (.referrers[0] | .kind == "static" and .symbol == "table" and
		.offset == 56 and (.module | endswith("/holders"))) and .chunk.state == "in_use"' <<<"$output"
	jq -e '.path == [.referrers[0] + {repeats: 1}] and .stopped_us > 0' <<<"$output"
	refs both
	jq -e '[.referrers[].symbol] | sort == ["g_one", "g_two"]' <<<"$output"
	refs inside
	jq -e '.count == 1 and .referrers[0].symbol == "g_inside"' <<<"$output"
}

@test "threads refer to chunks" {
	local worker
	worker=$(grep -l '^worker$' "/proc/$TARGET_PID/task/"*/comm | sed 's|.*/task/||; s|/comm||')
	refs local
	jq -e --argjson tid "$worker" '.count == 1 and (.referrers[0] | .kind == "thread_local" and
		.symbol == "local" and .thread == $tid)' <<<"$output"
	refs stack
	jq -e --argjson tid "$worker" '.count == 1 and (.referrers[0] | .kind == "stack" and
		.thread == $tid)' <<<"$output"
}

@test "a path leads through chunks, and lists are folded" {
	refs last
	jq -e --arg big "0x$(example big)" '(.path | length) == 2 and .path[0].chunk.start == $big and
		.path[0].offset == 524280 and .path[1].symbol == "g_big"' <<<"$output"
	refs list
	jq -e '(.path | length) == 2 and .path[0].repeats == 2 and .path[0].chunk.size == 64 and
		.path[1].symbol == "g_list"' <<<"$output"

	run -0 --separate-stderr procmem refs "$TARGET_PID" "0x$(example list)"
	[[ ${lines[0]} =~ ^0x[0-9a-f]+' is in the chunk '[0-9a-f]+-[0-9a-f]+' (64B, '.*'), in use'$ ]]
	[[ $output == *'path to the nearest root, 3 references:'*', and 1 more of this size in a list'* ]]
	[[ $output == *'<- global g_list in holders, at '* ]]
	[[ $stderr == *'the process was stopped for '* ]]
}

@test "a lost chunk has no path, and no references" {
	run -1 procmem refs -q "$TARGET_PID" "$(example single)"
	[[ $output == *'no references'*'no path from a root: the chunk is possibly lost'* ]]
	run -0 procmem refs -q "$TARGET_PID" "$(example tail)"
	[[ $output == *"1 reference:"*"  chunk $(example head) +0x0 ("*'possibly lost'* ]]
}

@test "--to shows what a chunk points to" {
	run -0 --separate-stderr procmem refs --to --json "$TARGET_PID" "$(example big)"
	jq -e --arg last "0x$(example last)" '.count == 10 and (.pointers | length) == 10 and
		.pointers[9].chunk.start == $last and .pointers[9].offset == 524280 and
		(has("path") or has("referrers") | not)' <<<"$output"
	run -1 procmem refs -q --to "$TARGET_PID" "$(example single)"
}

@test "--depth shows several levels" {
	local order
	targets_stop
	target_start trees
	order="0x$(example order)"
	run -0 --separate-stderr procmem refs --depth 3 --json "$TARGET_PID" "$(example payload)"
	# The order, the table and the next order, and what points to these.
	jq -e --arg order "$order" '.count == 1 and (.referrers | map(.depth)) == [0, 1, 2, 1, 2, 2] and
		.referrers[0].chunk.start == $order and (.referrers | map(.count)) == [2, 1, null, 2, null, null] and
		(.referrers | map(.again)) == [null, null, null, null, true, null] and .path[-1].symbol == "g_shop"' <<<"$output"
	run -0 --separate-stderr procmem refs --depth 3 "$TARGET_PID" "$(example payload)"
	[[ ${lines[1]} == '1 reference:' && ${lines[2]} == "  chunk ${order#0x} +0x8 (64B, pointers): 2 references" ]]
	[[ ${lines[3]} == '    chunk '*' +0x38 (7.8K, pointers): 1 reference' && ${lines[6]} == '      chunk '*': see above' ]]

	# All payloads and the root point to the shop.
	run -0 --separate-stderr procmem refs --depth 2 "$TARGET_PID" "$(example table)"
	[[ ${lines[2]} == *': 1,001 references, of which 5 are shown' ]]
	run -0 --separate-stderr procmem refs --depth 2 -a "$TARGET_PID" "$(example table)"
	[ "$(grep -c '^    chunk ' <<<"$output")" -eq 1000 ]

	# The second order is found below the first one, but what points to it is shown further down.
	run -0 --separate-stderr procmem refs --depth 3 "$TARGET_PID" "$(example shop)"
	local second line
	second=$(sed -n 's/^      chunk \([0-9a-f]* +0x0 .*\): see below$/\1/p' <<<"$output" | head -1)
	line=$(grep -nF "      chunk $second: see below" <<<"$output" | head -1 | cut -d: -f1)
	[[ $second && $(tail -n "+$((line + 1))" <<<"$output") == *"    chunk ${second%% *} +0x8 "*': 2 references'* ]]

	run -0 --separate-stderr procmem refs --to --depth 3 --json "$TARGET_PID" "$(example link)"
	jq -e '(.pointers | map(.depth)) == [0, 1, 2, 1] and (.pointers | map(.offset)) == [0, 0, 0, 8]' <<<"$output"
	run -2 procmem refs --depth 0 "$TARGET_PID" 0x1000
	run -2 procmem refs --depth 101 "$TARGET_PID" 0x1000
}

@test "references outside of chunks come first, and those of the same memory are one line" {
	local page
	targets_stop
	target_start trees
	page=$(sed -n 's/^page //p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem refs "$TARGET_PID" "$(example second)"
	[[ ${lines[1]} == '3 references:' ]]
	[[ ${lines[2]} =~ ^'  memory '[0-9a-f]+-[0-9a-f]+.*", at $(printf '%x' $((0x$page + 80))), and 1 more word of the same memory"$ ]]
	[[ ${lines[3]} == "  chunk $(example lone) +0x0 ("*')' ]]
	run -0 --separate-stderr procmem refs -a "$TARGET_PID" "$(example second)"
	[[ ${lines[2]} == *"at $(printf '%x' $((0x$page + 80)))" && ${lines[3]} == *"at $(printf '%x' $((0x$page + 160)))" ]]

	# 1000 payloads point to the shop.
	run -0 --separate-stderr procmem refs "$TARGET_PID" "$(example shop)"
	[[ ${lines[1]} == '1,001 references:' && ${lines[2]} == '  global g_shop '* ]]
	[[ ${lines[3]} == '  chunk '*', and 999 more at this offset in chunks of this size and type' ]]
	[[ ${lines[4]} == 'path to the nearest root'* ]]
}

@test "--to shows pointers to programs, libraries and other memory" {
	local object file page
	targets_stop
	target_start trees
	page=$(sed -n 's/^page //p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem refs --to "$TARGET_PID" "$(example second)"
	[[ ${lines[1]} == '2 pointers:' && ${lines[2]} == '  +0x0 -> chunk '* ]]
	[[ ${lines[3]} =~ ^'  +0x10 -> memory '([0-9a-f]+)-[0-9a-f]+' +0x'([0-9a-f]+)$ ]]
	[ $((0x${BASH_REMATCH[1]} + 0x${BASH_REMATCH[2]})) -eq $((0x$page + 24)) ]
	run -0 --separate-stderr procmem refs --to --json "$TARGET_PID" "$(example second)"
	jq -e --arg to "$(printf '0x%x' $((0x$page + 24)))" '.count == 2 and (.pointers[0] | has("chunk")) and
		(.pointers[1] | .offset == 16 and .outside.address == $to and (has("chunk") | not))' <<<"$output"

	# The first word of an object is the address of its virtual table.
	targets_stop
	target_start objects
	object=$(sed -n 's/^class [0-9]* [0-9]* \([0-9a-fx]*\) shop::Order$/\1/p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem refs --to "$TARGET_PID" "$object"
	[[ ${lines[2]} == '  +0x0 -> vtable for shop::Order +0x10 in objects' ]]
	run -0 --separate-stderr procmem refs --to --json "$TARGET_PID" "$object"
	jq -e '.pointers[0].outside | .symbol == "vtable for shop::Order" and .offset == 16 and
		(.mapping | endswith("/objects"))' <<<"$output"

	# Without symbols, the place in the file is shown.
	targets_stop
	target_start objects_stripped
	object=$(sed -n 's/^class [0-9]* [0-9]* \([0-9a-fx]*\) shop::Order$/\1/p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem refs --to "$TARGET_PID" "$object"
	[[ ${lines[2]} =~ ^'  +0x0 -> objects_stripped+0x'[0-9a-f]+$ ]]
}

@test "--to: of a chunk of 1 TiB, only the pages that exist are searched" {
	target_start false_chunk $((1 << 20))
	run -0 --separate-stderr procmem refs --to --json "$TARGET_PID" "$(example false)"
	jq -e --arg held "0x$(example held)" '.chunk.size == 1099511627776 and .count == 1 and
		.pointers[0].chunk.start == $held' <<<"$output"
}

@test "a chunk that is not in use may have been in use before" {
	local top
	top=$(procmem heap -q --list --state top --csv "$TARGET_PID" | sed -n 2p | cut -d, -f1)
	run -1 procmem refs -q "$TARGET_PID" "$top"
	[[ ${lines[0]} == *'), top' ]]
	[[ ${lines[1]} == 'the chunk is not in use: if an earlier output showed it in use, the program has freed it' ]]
	run procmem refs -q "$TARGET_PID" "$(example list)"
	[[ $output != *'not in use'* ]]
}

@test "the first 20 lines are shown, or all references" {
	run -0 --separate-stderr procmem refs --depth 2 "$TARGET_PID" "$(jq -r .path[0].chunk.start < <(
		procmem refs -q --json "$TARGET_PID" "$(example owned)"))"
	[[ $output == *'  … '*' more references (all: -a)'* ]]
	[ "$(grep -cE '^  (chunk|global)' <<<"$output")" -eq 20 ]
	run -0 --separate-stderr procmem refs -a -b "$TARGET_PID" "$(jq -r .path[0].chunk.start < <(
		procmem refs -q --json "$TARGET_PID" "$(example owned)"))"
	[ "$(grep -c '^  chunk .* (96 B, ' <<<"$output")" -eq 999 ]
}

@test "variables and other addresses" {
	local variable
	variable=$(procmem refs -q --json "$TARGET_PID" "$(example table)" | jq -r '.referrers[0].address')
	run -1 procmem refs -q "$TARGET_PID" "$variable"
	[[ ${lines[0]} == *' is in table in /'* ]]
	run -0 procmem refs -q --to "$TARGET_PID" "$variable"
	[[ ${lines[1]} == '100 pointers:' ]]
	run -1 procmem refs -q "$TARGET_PID" 0xdead0000beef
	[[ ${lines[0]} == *'not in a chunk of malloc, and not in a variable'* ]]
	run -2 procmem refs "$TARGET_PID" somewhere
	run -2 procmem refs --max-stop 1ms "$TARGET_PID" 0x1000
}

@test "core files are searched" {
	procmem dump -q --core --stop -o core "$TARGET_PID"
	run -0 --separate-stderr procmem refs --json core "$(example last)"
	jq -e '.count == 1 and (.path | length) == 2 and (has("stopped_us") | not)' <<<"$output"
}

@test "--to: the word at an address in a variable without a symbol" {
	local map
	target_start orders
	map=$(sed -n 's/^map orders .* //p' "$TARGET_FACTS")
	run -0 --separate-stderr procmem refs --to "$TARGET_PID" "$(printf '%x' $((0x$map + 18)))"
	[[ ${lines[0]} == *'not in a chunk of malloc, and not in a variable with a symbol'* ]]
	[[ $output == *"the pointer in the 8 bytes at $(printf '%x' $((0x$map + 16))) is shown"* ]]
	[[ $output == *'1 pointer:'*'+0x0 -> chunk '* ]]
	[[ $output != *'exactly this address'* ]]

	# The number of nodes is no pointer.
	run -1 --separate-stderr procmem refs --to "$TARGET_PID" "$(printf '%x' $((0x$map + 40)))"
	[[ $output == *'no pointers'* ]]
}
