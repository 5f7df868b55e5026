#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --peek`: strings in new pages, on a target that writes known texts on command while the watcher is stopped, so that all
# pages of a command appear in one sample.

setup() {
	load ../support/helper
	look=$BATS_TEST_TMPDIR/look
}

teardown() {
	targets_stop
	! grep -qs '^{' "$look" || json_keep watch "$look"
	json_check
}

# Watches a grower with a mapping `m` of which ten pages were written before.
watch_start() {
	target_start grower
	target_tell reserve m 100000
	target_tell write m 10 what was there before
	"$PROCMEM_BIN" watch "$@" "$TARGET_PID" >"$look" 3>&- &
	watcher=$!
	TARGETS+=("$watcher")
	until [ -s "$look" ]; do sleep 0.05; done
}

# Sends commands of which the watcher sees only the result.
tell_unseen() {
	kill -STOP "$watcher"
	until grep -q '^State:.*stopped' "/proc/$watcher/status"; do sleep 0.02; done
	local command
	for command; do
		target_tell "$command"
	done
	kill -CONT "$watcher"
}

# First address of the mapping, as the kernel lists it.
address_of_m() {
	local start end
	while IFS='- ' read -r start end _; do
		((0x$end - 0x$start != 100000 * 4096)) || printf '%s\n' "$start"
	done <"/proc/$TARGET_PID/maps"
}

# Waits until the output contains a text.
await_text() {
	local i
	for ((i = 0; i < 400; i++)); do
		! grep -q -- "$1" "$look" || return 0
		sleep 0.05
	done
	cat "$look"
	return 1
}

# Prints the objects of rows that have strings, one per line.
peeked() {
	jq -c 'select(.summary | not) | .regions[] | select(.peek)' "$look"
}

@test "all strings of new pages are counted, and no others" {
	watch_start --json -i 0.2 --budget 0 --peek 3
	tell_unseen 'write m 300 application/grpc' 'write m 41 GET /orders HTTP/1.1' 'write m 7 trailers' 'write m 3 rare words'
	await_text application/grpc
	peeked | jq -se 'length == 1 and (.[0] | .appeared == 351 * 4096 and .searched == .appeared and .peek == [
		{text: "application/grpc", count: 300}, {text: "GET /orders HTTP/1.1", count: 41}, {text: "trailers", count: 7}])'
	# Only the next pages are new now.
	tell_unseen 'write m 5 second helping'
	await_text 'second helping'
	peeked | jq -se 'length == 2 and (.[1] | .appeared == 5 * 4096 and .peek == [{text: "second helping", count: 5}])'
	kill -TERM "$watcher"
	wait "$watcher"
	tail -n 1 "$look" | jq -e '.summary and ([.regions[] | select(.peek)] | length == 1 and .[0].peek[0].text == "second helping")'
}

@test "strings that differ only in numbers are counted together" {
	watch_start --json -i 0.2 --budget 0 --peek 3
	tell_unseen 'write m 4 plain text 7' 'write m 2 order 17 of 0x7f01' 'write m 1 order 4711 of 0x8' 'write m 2 order 0 of 0xffff'
	await_text plain
	peeked | jq -se 'length == 1 and (.[0].peek == [{text: "order # of 0x#", count: 5}, {text: "plain text 7", count: 4}])'
}

@test "a string that begins a longer one in the list is left out, and the next string has its place" {
	watch_start --json -i 0.2 --budget 0 --peek 3
	tell_unseen 'write m 9 GET /orders' 'write m 8 GET /orders HTTP' 'write m 7 GET /orders HTTP/1.1' 'write m 3 trailers' 'write m 2 trailer' 'write m 1 fourth'
	await_text GET
	peeked | jq -se 'length == 1 and (.[0].peek == [{text: "GET /orders HTTP/1.1", count: 7}, {text: "trailers", count: 3}, {text: "fourth", count: 1}])'
}

@test "a string that is much more frequent than the longer one stays" {
	watch_start --json -i 0.2 --budget 0 --peek 3
	tell_unseen 'write m 300 GET /orders' 'write m 2 GET /orders HTTP/1.1'
	await_text GET
	peeked | jq -se 'length == 1 and (.[0].peek == [{text: "GET /orders", count: 300}, {text: "GET /orders HTTP/1.1", count: 2}])'
}

@test "text that starts in an old page is shown whole, and nothing else of that page" {
	watch_start --json -i 0.2 --budget 0 --peek 9
	tell_unseen 'across m 7 application/grpc'
	await_text '"peek"'
	peeked | jq -se 'length == 1 and (.[0] | .appeared == 4096 and .searched == 4096 and .peek == [{text: "application/grpc", count: 1}])'
}

@test "a new mapping is new as a whole" {
	watch_start --json -i 0.2 --budget 0 --peek 2
	tell_unseen 'reserve other 50' 'write other 20 in a new mapping'
	await_text 'in a new mapping'
	peeked | jq -se 'length == 1 and (.[0] | .appeared == 20 * 4096 and .peek == [{text: "in a new mapping", count: 20}])'
}

@test "searching pages changes nothing in the process" {
	watch_start --json -i 0.2 --budget 0 --peek 2
	local before after
	tell_unseen 'write m 500 application/grpc'
	before=$(grep -E '^(VmRSS|VmPTE|VmSwap|RssAnon):' "/proc/$TARGET_PID/status")
	await_text application/grpc
	after=$(grep -E '^(VmRSS|VmPTE|VmSwap|RssAnon):' "/proc/$TARGET_PID/status")
	[ "$before" = "$after" ]
}

@test "in text each string has a line of its own below its region, escaped" {
	watch_start --plain -i 0.2 --budget 0 --peek 3
	local long
	printf -v long '%0100d' 0
	tell_unseen 'write m 1200 plain words' $'write m 5 evil\xe2\x80\xaetxt.exe' "write m 2 $long"
	await_text "×2  *$long\$"
	[ "$(grep -A 3 '^ new strings' "$look" | head -n 4)" = " new strings in $(address_of_m)…:
   ×1,200  plain words
   ×5      evil\\xe2\\x80\\xaetxt.exe
   ×2      $long" ]
	tell_unseen 'touch m 3'
	await_text "^ new pages in [0-9a-f]*…: no text\$"
}

@test "if there are too many pages, only some are searched, and that is reported" {
	watch_start --json -i 0.2 --peek 1
	tell_unseen 'write m 3000 at the begin' 'write m 3000 at the end'
	await_text 'at the '
	# Each page has one text, so that the count is that of the pages, from both halves.
	peeked | jq -se 'length == 1 and (.[0] | .appeared == 6000 * 4096 and .searched <= 8.5 * 1048576 and .searched >= 4096 and
		.peek[0].count * 4096 <= .searched * 0.8)'
}

@test "text reports how much was searched" {
	watch_start --plain -i 0.2 --peek 1
	tell_unseen 'write m 6000 application/grpc'
	await_text '^   ×[0-9,]*  application/grpc$'
	grep -q '^ new strings in [0-9a-f]*…:  (searched [0-9.]*[KM] of 23.4M)$' "$look"
}

@test "buffers of a server show HTTP/2 headers" {
	target_start sample_server --leak --rate 4194304
	run -0 procmem watch --json -i 0.5 -c 4 --budget 0 --peek 5 "$TARGET_PID"
	jq -se '[.[] | select(.summary | not) | .regions[0].peek // [] | .[] | .text] | any(startswith("application/grpc"))
		and any(startswith("localhost:50051"))' <<<"$output"
}

@test "wrong numbers are refused" {
	run -2 --separate-stderr procmem watch --peek x $$
	[[ $stderr == *'--peek'* ]]
	run -2 --separate-stderr procmem watch --peek 1001 $$
	[[ $stderr == *'maximum is 1000'* ]]
}
