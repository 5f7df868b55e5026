#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem strings` compared with GNU strings on the same bytes, which the test reads from /proc/PID/mem;
# and its other features.

setup() {
	load ../support/helper
	load ../support/strings
}

teardown() {
	targets_stop
	json_check
}

@test "each encoding finds the strings of GNU strings at the same addresses" {
	target_start texts
	for region in texts long hostile counted; do
		range=$(target_range "$region")
		read_bytes "$range"
		for encoding in s S l b L B; do
			for min in 2 4 23; do
				same_as_gnu "$range" "$encoding" "$min" -t x
			done
			[ "$region" = long ] || [ -s "$BATS_TEST_TMPDIR/ours" ] || [ "$region" != texts ]
		done
		same_as_gnu "$range" s 4 -t d -w
		same_as_gnu "$range" S 4 -t o -w
	done
}

@test "addresses are those of the process" {
	target_start texts
	range=$(target_range texts)
	start=$((0x${range%-*}))
	read_bytes "$range"
	strings -n 20 -t d "$bytes" | while read -r offset text; do printf '%x %s\n' $((start + offset)) "$text"; done >"$BATS_TEST_TMPDIR/theirs"
	procmem strings -q -n 20 -e s "$TARGET_PID" "$range" | diff "$BATS_TEST_TMPDIR/theirs" -
	[ "$(procmem strings -q -n 11 -t d "$TARGET_PID" "$range" | head -n 1)" = "$start first bytes" ]
	[ "$(procmem strings -q -n 11 -t o "$TARGET_PID" "$range" | head -n 1)" = "$(printf %o "$start") first bytes" ]
	[ "$(procmem strings -q -n 11 -t n "$TARGET_PID" "$range" | head -n 1)" = "first bytes" ]
	# A printed address is a REGION for other commands.
	address=$(procmem strings -q "$TARGET_PID" "$range" | sed -n 's/ last bytes$//p')
	[ "$(procmem dump --raw "$TARGET_PID" "0x$address+10")" = 'last bytes' ]
}

# According to the Unicode Standard, table 3-7, without the control characters of Latin-1.
UTF8_STRINGS='
import re, sys
character = (rb"(?:[\t\x20-\x7e]|\xc2[\xa0-\xbf]|[\xc3-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
	rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})")
for match in re.finditer(character + rb"+", open(sys.argv[1], "rb").read()):
	if len(re.findall(character, match[0])) >= int(sys.argv[2]):
		sys.stdout.buffer.write(b"%x %s\n" % (match.start(), match[0]))
'

@test "by default it finds ASCII and valid UTF-8, nothing else" {
	require python3
	target_start texts
	range=$(target_range texts)
	read_bytes "$range"
	for min in 1 4 10; do
		python3 -c "$UTF8_STRINGS" "$bytes" "$min" >"$BATS_TEST_TMPDIR/theirs"
		procmem strings -q --raw --offset -n "$min" "$TARGET_PID" "$range" | sed "s/^[0-9a-f]*+//" | cmp "$BATS_TEST_TMPDIR/theirs" -
	done
	grep -q 'Grüße aus Köln' "$BATS_TEST_TMPDIR/theirs"
}

@test "all encodings in one pass: each string with its letter, none in both byte orders" {
	target_start texts
	range=$(target_range texts)
	procmem strings -q -e all "$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/lines"
	cut -d' ' -f2 "$BATS_TEST_TMPDIR/lines" | sort | uniq -c | sed 's/^ *//' >"$BATS_TEST_TMPDIR/counts"
	# Two texts of six characters and more, at four places each, of which half are even.
	[ "$(cut -d' ' -f2- "$BATS_TEST_TMPDIR/lines" | sort | uniq -c | grep -c '[0-9] [lb] at an odd or even place')" -eq 2 ]
	procmem strings -q "$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/alone"
	grep ' u ' "$BATS_TEST_TMPDIR/lines" | sed 's/ u / /' | diff "$BATS_TEST_TMPDIR/alone" -
	# The addresses ascend, whatever the encoding.
	cut -d' ' -f1 "$BATS_TEST_TMPDIR/lines" | sort -c
	run -0 procmem strings -q -e s,L "$TARGET_PID" "$range"
	[[ $output == *' L at an odd or even place'* && $output == *' s abcd'* ]]
}

@test "a string across units or regions is found once, as a whole" {
	target_start texts
	run -0 procmem strings -q -t n "$TARGET_PID" "$(target_range texts)"
	[ "$(grep -cx 'across a border of units' <<<"$output")" -eq 3 ]
	run -0 procmem strings -q -t n "$TARGET_PID"
	[ "$(grep -c 'across the border of regions' <<<"$output")" -eq 1 ]
	[ "$(grep -cx 'across the border of regions' <<<"$output")" -eq 1 ]
}

@test "a string of mebibytes is one line, and one string; in JSON it comes in pieces" {
	require jq
	target_start texts
	range=$(target_range long)
	read_bytes "$range"
	run -0 --separate-stderr procmem strings -v -n 100 -t n "$TARGET_PID" "$range"
	[ "$output" = "$(strings -n 100 "$bytes")" ]
	[[ $stderr == *' 1 string'* ]]
	procmem strings -q -n 100 --json "$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/json"
	[ "$(jq -j .text "$BATS_TEST_TMPDIR/json")" = "$output" ]
	jq -se 'length > 1 and (.[0] | .truncated and (has("continued") | not)) and (.[-1] | .continued and (has("truncated") | not)) and
		(map(.length) | add) == 3145728' "$BATS_TEST_TMPDIR/json"
}

@test "long strings are cut between characters" {
	require jq python3
	load ../support/hold
	local pieces=$BATS_TEST_TMPDIR/pieces
	python3 -c 'import sys; sys.stdout.buffer.write(("a" + "\u20ac" * 400000).encode() + b"\1")' >"$BATS_TEST_TMPDIR/utf8"
	hold "$BATS_TEST_TMPDIR/utf8"
	procmem strings -q --json "$TARGET_PID" "${ranges[0]}" >"$pieces"
	[ "$(jq -s length "$pieces")" -gt 1 ]
	jq -j .text "$pieces" | cmp - <(head -c -1 "$BATS_TEST_TMPDIR/utf8")
}

@test "-u counts a string of mebibytes once, by its first piece" {
	require jq
	target_start texts
	range=$(target_range long)
	run -0 --separate-stderr procmem strings -v -u -n 100 --json "$TARGET_PID" "$range"
	[ "$(jq -s 'map(.count) | add' <<<"$output")" -eq 1 ]
	[[ $stderr == *' 1 string'* ]]
	# Its pieces in both encodings are delivered in turn.
	for words in '' --similar; do
		# shellcheck disable=SC2086 # words
		procmem strings -q -u $words -e s,S -n 100 --json "$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/json"
		jq -se 'map(.length // .bytes) == [3145728, 3145728]' "$BATS_TEST_TMPDIR/json"
	done
}

@test "-u counts like sort | uniq -c" {
	require jq
	target_start texts
	range=$(target_range counted)
	read_bytes "$range"
	strings -e S "$bytes" | sort | uniq -c | sort -k1,1rn | sed 's/^ *//' >"$BATS_TEST_TMPDIR/theirs"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -eq 200 ]
	procmem strings -q -u --sort count "$TARGET_PID" "$range" | sed -e 1d -e 's/^ *\([0-9]*\) *[0-9.]*[BK] *[0-9]*  /\1 /' | diff "$BATS_TEST_TMPDIR/theirs" -
	procmem strings -q -u --sort count --json "$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/json"
	jq -r '"\(.count) \(.text)"' "$BATS_TEST_TMPDIR/json" | diff "$BATS_TEST_TMPDIR/theirs" -
	# First address, length and encoding of each.
	address=$(procmem strings -q "$TARGET_PID" "$range" | sed -n 's/ counted 57 times ü$//p' | head -n 1)
	jq -se --arg first "0x$address" 'any(.[]; .count == 57 and .first == $first and .length == 19 and .encoding == "utf-8"
		and (has("low_by") | not))' \
		"$BATS_TEST_TMPDIR/json"
	jq -se 'any(.[]; .count == 56 and .encoding == "ascii")' "$BATS_TEST_TMPDIR/json"
	# The same strings by their bytes, which is the default, and by their length.
	awk '{ count = $1; $1 = ""; print count * (length($0) - 1), count substr($0, 1) }' <(LC_ALL=C sed 's/ü/XX/' "$BATS_TEST_TMPDIR/theirs") |
		sort -s -k1,1rn | cut -d' ' -f1 >"$BATS_TEST_TMPDIR/bytes"
	procmem strings -q -u --json "$TARGET_PID" "$range" | jq .bytes | diff "$BATS_TEST_TMPDIR/bytes" -
	run -0 procmem strings -q -u --sort length --json "$TARGET_PID" "$range"
	jq -se 'map(.length) | . == (sort | reverse) and .[0] == 20' <<<"$output"
	[ "$(procmem strings -q -u --top 3 "$TARGET_PID" "$range" | tail -n 1)" = '… 197 more (all: --top 0)' ]
}

@test "--similar counts strings together that differ only in numbers" {
	require jq
	program_start python3 -c '
import ctypes, random
random.seed(7)
b = bytearray()
for i in range(5000):
	b += b"order %d of %016x\0" % (i * 37, random.getrandbits(64) | 1 << 60)
for i in range(40):
	b += b"retry 3 times\0"
b += "überall 5\0überall 17\0".encode()
b += b"x" * 300000 + b"\0"
start = ctypes.addressof(ctypes.c_char.from_buffer(b))
print("at %x-%x ready" % (start, start + len(b)), flush=True)
input()'
	local at
	at=$(target_await ready)
	at=${at#at }
	at=${at% ready}
	read_bytes "$at"
	run -0 procmem strings -q -u --similar --sort count --json "$TARGET_PID" "$at"
	jq -s . <<<"$output" >"$BATS_TEST_TMPDIR/json"
	# Bytes, as in the output of GNU strings.
	sum=$(strings -n 4 "$bytes" | grep '^order' | awk '{ bytes += length($0) } END { print bytes }')
	jq -e --argjson sum "$sum" '.[0] | .count == 5000 and .text == "order # of #" and .bytes == $sum and
		(.example | startswith("order 0 of "))' "$BATS_TEST_TMPDIR/json"
	# A string without similar ones is unchanged.
	jq -e 'any(.[]; .count == 40 and .text == "retry 3 times" and .bytes == 520 and (has("example") | not))' "$BATS_TEST_TMPDIR/json"
	jq -e 'any(.[]; .count == 2 and .text == "überall #" and .encoding == "utf-8")' "$BATS_TEST_TMPDIR/json"
	# All pieces of a long string.
	jq -e 'any(.[]; .bytes == 300000 and .count == 1)' "$BATS_TEST_TMPDIR/json"
	run -0 procmem strings -q -u -n 1000 "$TARGET_PID" "$at"
	[[ ${lines[1]} == *' 1  293.0K  300,000  xxxx… (131,072 × x) …' ]]
	run -0 procmem strings -q -u --similar --sort count --top 2 "$TARGET_PID" "$at"
	[[ ${lines[1]} == " 5,000 "*"K  order # of #" ]]
	[[ ${lines[2]} == *' e.g. "order 0 of '* ]]
	[[ ${lines[3]} == *'  40    520B  retry 3 times' ]]
}

@test "--similar shows the size of records, an example, and the format in the module that wrote them" {
	require jq
	target_start records
	local range bytes
	range=$(target_range records)
	# The filler has different lengths, and the program has the format.
	run -0 procmem strings -q -u --similar --json "$TARGET_PID" "$range"
	jq -se --arg target "$PROCMEM_TARGETS/records" '.[0] | .text == "B…" and .count == 5000 and .stride == 208 and .stride_count == 4999' <<<"$output"
	jq -se --arg target "$PROCMEM_TARGETS/records" --arg first "0x${range%-*}" '.[1] | .text == "item/#" and .count == 5000 and
		.stride == 208 and .example == "item/00000000" and .first == $first and
		.format.text == "item/%08u" and .format.mapping == $target' <<<"$output"
	# The format is at the address that is printed.
	bytes=$(jq -sr '.[1].format.address' <<<"$output")
	[ "$(procmem dump --raw "$TARGET_PID" "$bytes+9")" = 'item/%08u' ]
	run -0 procmem strings -q -u --similar "$TARGET_PID" "$range"
	[[ ${lines[4]} == *' e.g. "item/00000000"; 208 bytes apart ×4,999; fits "item/%08u" in '*/records ]]
	# Every string is shown when it is not counted with similar ones.
	run -0 procmem strings -q -u --json "$TARGET_PID" "$range"
	jq -se 'map(select(.text | startswith("item/"))) | length == 5000 and all(.[]; .count == 1 and (has("format") | not))' <<<"$output"
}

@test "-u cuts rows to 200 columns in a pipe, but not with --raw or --json" {
	target_start texts
	range=$(target_range long)
	run -0 procmem strings -q -u -n 100 "$TARGET_PID" "$range"
	[ "$(LC_ALL=C.UTF-8 wc -L <<<"${lines[1]}")" -eq 200 ]
	read_bytes "$range"
	[ "$(procmem strings -q -u -n 100 --raw "$TARGET_PID" "$range" | sed -n 's/^.*,728  //p')" = "$(strings -n 100 "$bytes" | head -c 131072)" ]
	[ "$(procmem strings -q -u -n 100 --json "$TARGET_PID" "$range" | jq -j .text | wc -c)" -eq 131072 ]
}

@test "-u reports how to exclude machine code if strings are found there first" {
	target_start texts
	run -0 --separate-stderr procmem strings -u --sort count -n 4 --top 20 "$TARGET_PID"
	[[ $stderr =~ 'note: the first occurrence of '[0-9]+' of these 20 strings is in machine code; many strings in machine code have no meaning: use --perms rw to exclude machine code' ]]
	for words in '--perms rw' '-q' '--json'; do
		run -0 --separate-stderr procmem strings -u --sort count -n 4 --top 20 $words "$TARGET_PID"
		[[ $stderr != *'machine code'* ]]
	done
}

@test "the same text in two encodings is counted twice" {
	target_start texts
	run -0 procmem strings -q -u -e l,b,L -n 10 "$TARGET_PID" "$(target_range texts)"
	[ "$(grep -c 'at an odd or even place' <<<"$output")" -eq 3 ]
	[[ $output == *'  46  l at an odd or even place'* ]]
	[[ $output == *'  92  L at an odd or even place'* ]]
}

@test "a small budget drops rare strings, reports that, and the bounds hold" {
	require jq
	program_start python3 -c '
b = bytearray()
for i in range(200000):
	b += b"rare %d\0" % i
	if i % 20 == 0:
		b += b"frequent\0"
	if i % 1000 == 0:
		b += b"sometimes\0"
import ctypes
start = ctypes.addressof(ctypes.c_char.from_buffer(b))
print("at %x-%x ready" % (start, start + len(b)), flush=True)
input()'
	local at
	at=$(target_await ready)
	at=${at#at }
	run -0 --separate-stderr procmem strings -u --budget 64K --json "$TARGET_PID" "${at% ready}"
	[[ $stderr =~ 'rare strings were dropped ('[0-9,]+' times): only strings that occur at most '([0-9,]+)' times can be missing' ]]
	local bound=${BASH_REMATCH[1]//,/}
	[ "$bound" -lt 10000 ]
	[ "$(jq -r .text <<<"${lines[0]}")" = frequent ]
	jq -se 'any(.[]; .text == "frequent" and .count <= 10000 and .count + (.low_by // 0) >= 10000)' <<<"$output"
	jq -se --argjson bound "$bound" 'all(.[]; (.low_by // 0) <= $bound)' <<<"$output"
	run -0 --separate-stderr procmem strings -u --budget 64K "$TARGET_PID" "${at% ready}"
	[[ $output == *'+ '*'  rare '* ]]
	run -0 --separate-stderr procmem strings -u --top 1 "$TARGET_PID" "${at% ready}"
	[ "$stderr" = '' ]
	[[ ${lines[1]} == '10,000 '*'  frequent' ]]
}

@test "JSON is one object per line, with the region and valid text" {
	require jq
	target_start texts
	range=$(target_range hostile)
	procmem strings -q --json -e S "$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/json"
	jq -se --arg range "$range" 'length > 6 and all(.[]; .region.start + "-" + .region.end == "0x" + ($range | sub("-"; "-0x")) and
		.region.kind == "anon" and .encoding == "8-bit" and (.address | startswith("0x")))' "$BATS_TEST_TMPDIR/json"
	[ "$(tr -d '\n\40-\176' <"$BATS_TEST_TMPDIR/json" | wc -c)" -eq 0 ]
	run -0 procmem strings -q --json "$TARGET_PID" "$(target_range texts)"
	[[ $output == *'"text":"back\\slash \"quoted\""'* ]]
	run -0 procmem strings -q --json "$TARGET_PID" stack
	jq -se 'all(.[]; .region.mapping == "[stack]" and .region.kind == "stack")' <<<"$output"
}

@test "JSON has tabs and newlines as the escapes of JSON, other controls as hexadecimal" {
	require jq
	load ../support/hold
	hold_text 'first\tsecond\n\rthird line\001\0'
	run -0 procmem strings -q --json -w "$TARGET_PID" "${ranges[0]}"
	jq -e '.text == "first\tsecond\n\\x0dthird line" and .length == 24' <<<"$output"
	for similar in '' --similar; do
		# shellcheck disable=SC2086
		run -0 procmem strings -q --json -w -u $similar "$TARGET_PID" "${ranges[0]}"
		jq -e '.text == "first\tsecond\n\\x0dthird line"' <<<"$output"
	done
	# Text output is not affected.
	[[ $(procmem strings -q -w "$TARGET_PID" "${ranges[0]}") == *'first'$'\t''second\x0a\x0dthird line' ]]
}

@test "control characters do not reach a terminal" {
	require script
	target_start texts
	for words in '-e S' '-e u -w' '-e S -u' '-e S --json -w'; do
		# shellcheck disable=SC2086
		script -qec "stty -onlcr; TERM=dumb '$PROCMEM_BIN' strings -n 2 $words $TARGET_PID $(target_range hostile)" /dev/null </dev/null \
			>"$BATS_TEST_TMPDIR/seen"
		grep -q red "$BATS_TEST_TMPDIR/seen"
		[ "$(tr -d '\n\t\40-\176\200-\377' <"$BATS_TEST_TMPDIR/seen" | wc -c)" -eq 0 ]
		fails grep -qaP '\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' "$BATS_TEST_TMPDIR/seen"
	done
	run script -qec "'$PROCMEM_BIN' strings --raw $TARGET_PID" /dev/null </dev/null
	[[ $output == *'--raw is refused on a terminal'* ]]
}

@test "a terminal shows the region of strings, and -u fits its size" {
	require script
	target_start texts
	export TERM=dumb
	run -0 on_terminal 24 60 strings "$TARGET_PID" "$(target_range counted)"
	[ "${lines[0]}" = "$(target_range counted)  rw-p  anon" ]
	[[ ${lines[1]} == *' counted 1 times ü' ]]
	[[ ${lines[-1]} == *'20,100 strings'* ]]
	run -0 on_terminal 24 60 strings -u --sort count -n 4 "$TARGET_PID" "$(target_range counted)" "$(target_range long)"
	[ "${#lines[@]}" -le 23 ]
	[[ ${lines[1]} == '   200 '*'  counted 200 times' ]]
	run -0 on_terminal 24 60 strings -u -n 4 "$TARGET_PID" "$(target_range long)"
	[[ ${lines[1]} == *'AAAA… (4,096 × A) BBB'*'…' ]]
	[ "$(LC_ALL=C.UTF-8 wc -L <<<"${lines[1]}")" -le 60 ]
}

@test "a note counts the strings that occur once, whatever the order of the list" {
	require script
	load ../support/hold
	local i order
	export TERM=dumb
	# The string with the fewest bytes, which is the last one of the list, occurs twice.
	{
		for ((i = 1000; i < 2200; i++)); do printf 'single string %d\0' "$i"; done
		printf 'two\0two\0'
	} >"$bytes"
	hold "$bytes"
	for order in bytes count length; do
		run -0 on_terminal 24 80 strings -u -n 3 --sort "$order" "$TARGET_PID" "${ranges[0]}"
		[[ $output == *'1,200 of the 1,201 distinct strings occur once: use --similar'* ]]
	done
}

@test "strings that the process changes during the search are marked" {
	require jq
	target_start texts
	printf 'flicker\n' >&"$TARGET_IN"
	local line range seen=
	line=$(target_await 'region flickering')
	range=${line#region flickering }
	range=${range%% *}
	# Each search has a good chance to meet a change.
	for ((i = 0; i < 500; i++)); do
		seen=$(procmem strings -q "$TARGET_PID" "$range")
		[[ $seen != "${range%-*}~ flickering as "* ]] || break
	done
	[[ $seen == "${range%-*}~ flickering as "* ]]
	for ((i = 0; i < 500; i++)); do
		procmem strings -q --json "$TARGET_PID" "$range" | jq -e '.changed != true' >/dev/null || break
	done
	[ "$i" -lt 500 ]
	for ((i = 0; i < 20; i++)); do
		seen=$(procmem strings -q --stop "$TARGET_PID" "$range")
		[[ $seen == "${range%-*} flickering as "* ]]
	done
}

@test "the process is unchanged: no page becomes resident, no page tables are allocated" {
	target_start markers
	before=$(grep -E '^Vm(RSS|PTE|Swap|Size)' "/proc/$TARGET_PID/status")
	procmem strings -e all "$TARGET_PID" >/dev/null
	procmem strings --whole-files "$TARGET_PID" >/dev/null
	[ "$(grep -E '^Vm(RSS|PTE|Swap|Size)' "/proc/$TARGET_PID/status")" = "$before" ]
}

@test "all texts of a target are found; those in untouched pages of files only with --whole-files" {
	local address text
	target_start markers
	procmem strings -q -n 40 "$TARGET_PID" >"$BATS_TEST_TMPDIR/lines"
	procmem strings -q -n 40 --whole-files "$TARGET_PID" >"$BATS_TEST_TMPDIR/whole"
	while read -r _ _ address text; do
		grep -q "^$address .*$text" "$BATS_TEST_TMPDIR/lines" || grep -qF "$text" "$BATS_TEST_TMPDIR/lines" || { echo "$text" && false; }
	done < <(grep '^marker ' "$TARGET_FACTS")
	while read -r _ _ address text; do
		grep -qF "$text" "$BATS_TEST_TMPDIR/whole" || { echo "$text" && false; }
		# The text may also be where it was copied from.
		fails grep -q "^$address " "$BATS_TEST_TMPDIR/lines"
	done < <(grep '^file_marker ' "$TARGET_FACTS")
	run -0 --separate-stderr procmem strings -v "$TARGET_PID"
	[[ $stderr == *' of file pages that the process has not touched were skipped (--whole-files includes them)'* ]]
}

@test "unreadable ranges are listed, with their sum" {
	target_start markers
	range=$(target_range short)
	run --separate-stderr procmem strings --whole-files "$TARGET_PID" "$range"
	[[ $stderr == *'unreadable: '*'beyond the end of the mapped file'* ]]
	[[ $stderr == *'8.0K in 1 place could not be read' ]]
	run --separate-stderr procmem strings -q --whole-files "$TARGET_PID" "$range"
	[ "$stderr" = '' ]
	run --separate-stderr procmem strings "$TARGET_PID" 0x1000+4096
	[[ $stderr == *'nothing is mapped'* ]]
}

@test "a core file is searched like its process" {
	require jq
	target_start texts
	procmem dump --core -q -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID"
	for region in texts counted; do
		range=$(target_range "$region")
		cmp <(procmem strings -q -e all "$TARGET_PID" "$range") <(procmem strings -q -e all "$BATS_TEST_TMPDIR/core" "$range")
	done
	run -2 procmem strings --stop "$BATS_TEST_TMPDIR/core"
	run -2 procmem strings "$TARGET_FACTS"
	[[ $output == *'neither a process nor a core file'* ]]
}

@test "--stop stops the process during the search, and reports for how long" {
	target_start busy 20
	run -0 --separate-stderr procmem strings --stop "$TARGET_PID" stack
	[[ $stderr =~ 'stopped for '[0-9.]+' ms ('[0-9]+' thread' ]]
	grep -q '^TracerPid:.0$' "/proc/$TARGET_PID/status"
}

@test "a reader that closes the pipe ends the search without a message" {
	target_start texts
	set -o pipefail
	procmem strings "$TARGET_PID" 2>"$BATS_TEST_TMPDIR/errors" | head -n 1
	[ ! -s "$BATS_TEST_TMPDIR/errors" ]
	# Also if no string is found that could be written: the pipe is closed from the start.
	run -0 --separate-stderr bash -c 'set -o pipefail; { "$@"; } | true' bash "$PROCMEM_BIN" strings "$TARGET_PID"
	[ "$stderr" = '' ]
}

@test "a full disk is an error" {
	target_start texts
	run -2 bash -c '"$@" >/dev/full' bash "$PROCMEM_BIN" strings "$TARGET_PID"
	[[ $output == *'cannot write the output: No space left on device'* ]]
	run -2 bash -c '"$@" >/dev/full' bash "$PROCMEM_BIN" strings -u "$TARGET_PID"
}

@test "a process that ends during the search is an error" {
	target_start texts
	start_blocked strings -n 1 -e S "$TARGET_PID"
	kill -KILL "$TARGET_PID"
	wait "$TARGET_PID" || true
	cat <&"$READER" >/dev/null
	local status=0
	wait "$BLOCKED" || status=$?
	[ "$status" -eq 2 ]
	grep -q "^procmem: process $TARGET_PID " "$BATS_TEST_TMPDIR/errors"
}

@test "Ctrl-C ends the search, and the process continues" {
	target_start texts
	start_blocked strings -v -n 1 -e S "$TARGET_PID"
	kill -TERM "$BLOCKED"
	cat <&"$READER" >/dev/null &
	local status=0
	wait "$BLOCKED" || status=$?
	[ "$status" -eq 2 ]
	grep -q 'cancelled' "$BATS_TEST_TMPDIR/errors"
	fails grep 'searched in' "$BATS_TEST_TMPDIR/errors"
	kill -0 "$TARGET_PID"
}

@test "processes of other users and the own process are refused" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	target_start texts
	run -2 as_nobody strings "$TARGET_PID"
	[[ $output == *'runs as root, but you are uid 65534'* ]]
	run -2 bash -c 'exec "$@" $$' bash "$PROCMEM_BIN" strings
	[[ $output == *'is this procmem itself'* ]]
}

@test "exit status 1 if nothing is found, and invalid arguments are refused" {
	target_start texts
	run -1 procmem strings -n 5000000 "$TARGET_PID"
	run -1 procmem strings "$TARGET_PID" huge
	[[ $output == *'none of the '*' regions'* || $output == *huge* ]]
	run -2 procmem strings
	run -2 procmem strings -n 0 "$TARGET_PID"
	run -2 procmem strings -e x "$TARGET_PID"
	[[ $output == *"'x' is not an encoding: use u, s, S, l, b, L, B or all"* ]]
	run -2 procmem strings -t h "$TARGET_PID"
	run -2 procmem strings --top 3 "$TARGET_PID"
	run -2 --separate-stderr procmem strings --similar "$TARGET_PID"
	[[ $stderr == *'--similar requires -u'* ]]
	run -2 --separate-stderr procmem strings --sort count "$TARGET_PID"
	[[ $stderr == *'--sort requires -u'* ]]
	run -2 --separate-stderr procmem strings -u --sort size "$TARGET_PID"
	[[ $stderr == *"'size' is not a key: use bytes, count or length"* ]]
	run -2 procmem strings --budget 1M "$TARGET_PID"
	run -2 procmem strings -u --budget 1K "$TARGET_PID"
	run -2 procmem strings --json --raw "$TARGET_PID"
	run -2 procmem strings --offset -t n "$TARGET_PID"
	run -2 procmem strings "$TARGET_PID" nonsense
}

@test "several processes: each string has its PID, and -u counts each process by itself" {
	require jq
	target_copy records
	target_start "$TARGET_NAME"
	local first=$TARGET_PID
	target_start "$TARGET_NAME"
	run -0 procmem strings -q "$first,$TARGET_PID" anon
	for pid in "$first" "$TARGET_PID"; do
		[ "$(grep -c "^$pid:.* item/" <<<"$output")" -eq 5000 ]
	done
	run -0 procmem strings -q --json "$first,$TARGET_PID" anon
	jq -se --argjson pid "$first" 'map(select(.pid == $pid and (.text | startswith("item/")))) | length == 5000' <<<"$output"
	run -0 procmem strings -q -u --similar --all-processes --json "$TARGET_NAME" anon
	jq -se --argjson one "$first" --argjson other "$TARGET_PID" 'map(select(.text == "item/#" and (.pid | IN($one, $other))) | .count) == [5000, 5000]' <<<"$output"
	run -0 procmem strings -q -u --similar "$first,$TARGET_PID" anon
	[ "$(grep -cx "$first:\|$TARGET_PID:" <<<"$output")" -eq 2 ]
}

@test "a kind that the process does not have is a note, if there are others" {
	target_start texts
	range=$(target_range texts)
	run -0 --separate-stderr procmem strings "$TARGET_PID" "$range" huge '[none]'
	[ "$output" = "$(procmem strings -q "$TARGET_PID" "$range")" ]
	[ "$stderr" = $'procmem: note: no region is of kind huge\nprocmem: note: no region is called [none]' ]
	run -0 --separate-stderr procmem strings -q "$TARGET_PID" huge "$range"
	[ -z "$stderr" ]
	run -1 --separate-stderr procmem strings "$TARGET_PID" huge '[none]'
	[ "$stderr" = 'procmem: no region is called [none]' ]
	# An address is not a guess.
	run -1 --separate-stderr procmem strings "$TARGET_PID" "$range" 10
	[[ $stderr == *'nothing is mapped at 0x10'* ]]
}

@test "a search without a hit reports what was searched" {
	target_start texts
	range=$(target_range texts)
	run -1 --separate-stderr procmem strings -n 5000000 "$TARGET_PID" "$range"
	[ -z "$output" ]
	[[ $stderr =~ ^'procmem: note: no string; '[0-9.]+[KM]' searched in ' ]]
	run -1 --separate-stderr procmem strings -q -n 5000000 "$TARGET_PID" "$range"
	[ -z "$stderr" ]
	run -0 --separate-stderr procmem strings "$TARGET_PID" "$range"
	[ -z "$stderr" ]
}

@test "--whole-files does not read the holes of sparse files, and finds the text between them" {
	require python3
	# A terabyte, with text at the start, in the middle, before a hole, and in the last page.
	program_start python3 -u -c '
import mmap, sys
size = 1 << 40
with open(sys.argv[1], "w+b") as file:
	file.truncate(size - 100)
	for at in 0, size // 2, size // 2 + 8192 - 14, size - 200:
		file.seek(at)
		file.write(b"text at " + str(at % 9973).encode())
	memory = mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
print("ready")
sys.stdin.read()' "$BATS_TEST_TMPDIR/sparse"
	target_await ready
	local range size=$((1 << 40))
	range=$(sed -n 's/^\([0-9a-f]*-[0-9a-f]*\) .*\/sparse$/\1/p' "/proc/$TARGET_PID/maps")
	run -0 --separate-stderr procmem strings --whole-files -v "$TARGET_PID" "$range"
	[ "${#lines[@]}" -eq 4 ]
	local at
	for at in 0 $((size / 2)) $((size / 2 + 8192 - 14)) $((size - 200)); do
		[[ $output == *"$(printf '%x' $((0x${range%-*} + at)))"*"text at $((at % 9973))"* ]]
	done
	[[ $stderr =~ '4 strings; '[0-9.]+'K searched' ]]
	# The text continues in the zeros of a hole.
	run -0 --separate-stderr procmem grep --whole-files -o 'text at [0-9]+(?=\x00{100})' "$TARGET_PID" "$range"
	[ "${#lines[@]}" -eq 4 ]
	run -0 --separate-stderr procmem dump --whole-files --raw "$TARGET_PID" "0x${range%-*}+8192"
	[ "$(head -c 8192 "$BATS_TEST_TMPDIR/sparse" | sha256sum)" = "$(procmem dump --whole-files --raw "$TARGET_PID" "0x${range%-*}+8192" | sha256sum)" ]
}
