#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem grep`: every option on known bytes, and the same hits as GNU grep on these bytes.

setup() {
	load ../support/helper
	load ../support/hold
}

teardown() {
	targets_stop
	json_check
}

# The hits of GNU grep in the file, as of -ob with absolute addresses. Arguments as for GNU grep.
gnu() {
	local base=$((0x${ranges[0]%-*}))
	grep -aob "$@" "$bytes" | while IFS=: read -r offset match; do
		printf '%x:%s\n' $((base + offset)) "$match"
	done
}

@test "a line is the address, the region, the offset, and the match in the text around it" {
	hold_text 'first\0a name=one value\0rest\nnext name=two'
	run -0 search 'name=\w+'
	[ "${lines[0]}" = "$(at 8)  shm zero (deleted)+0x8: a name=one value" ]
	[ "${lines[1]}" = "$(at 33)  shm zero (deleted)+0x21: next name=two" ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "the hits are those of GNU grep, for all types of patterns" {
	local i
	for i in $(seq 700 1300); do
		printf 'user-%d@example.org,password=%d;\0\xff\xfeKey%d\n%s' "$i" $((i * 7919 % 1000)) $((i % 50)) "${i//1/abc}"
	done >"$bytes"
	hold "$bytes"
	diff <(gnu -F 'password=') <(search -ob -F 'password=')
	diff <(gnu -F 'example.org') <(search -ob -F 'example.org')
	diff <(gnu -i -F 'KEY1') <(search -ob -i -F 'KEY1')
	local pattern
	for pattern in 'user-\d+' '[\w.-]+@[\w.]+' 'password=(?!1)\d{3}' '(?<=password=)\d+' '(\w)\1(\w)\2' 'password=\K7\d*' '(?:abc){2,}' \
		'Key[1-3]?9' \
		'[a-c]+[0-9][a-c]+'; do
		diff <(gnu -P "$pattern") <(search -ob "$pattern")
		[ "$(search -c "$pattern" | awk '{ print $1 }')" -eq "$(gnu -P "$pattern" | wc -l)" ]
	done
	diff <(gnu -E -e 'user-1+@' -e 'Key4') <(search -ob -e 'user-1+@' -e 'Key4')
}

@test "-e, -f and newlines give several patterns, and the first that matches at an address counts" {
	hold_text 'alpha beta gamma alphabet'
	run -0 search -o -e alpha -e gamma
	[ "$output" = $'alpha\ngamma\nalpha' ]
	run -0 search -o -e alpha -e alphabet
	[ "$output" = $'alpha\nalpha' ]
	run -0 search -o -e alphabet -e alpha
	[ "$output" = $'alpha\nalphabet' ]
	run -0 search -o $'beta\ngamma'
	[ "$output" = $'beta\ngamma' ]
	printf 'beta\ngamma\n' >"$BATS_TEST_TMPDIR/patterns"
	run -0 search -o -f "$BATS_TEST_TMPDIR/patterns" -e 'alph\w+'
	[ "$output" = $'alpha\nbeta\ngamma\nalphabet' ]
	run -0 search -o -f - <<<'beta'
	[ "$output" = beta ]
	run -1 search -f /dev/null
	[ -z "$output" ]
	run -2 search -e alpha -e ''
	[[ $output == *'an empty pattern'* ]]
	run -2 search -f "$BATS_TEST_TMPDIR/none"
	[[ $output == *'none: No such file'* ]]
}

@test "-F has no special characters, -i ignores case" {
	hold_text 'a.c abc A.C (x'
	[ "$(search -o -F a.c)" = a.c ]
	[ "$(search -o -iF a.c)" = $'a.c\nA.C' ]
	[ "$(search -oF '(x')" = '(x' ]
	[ "$(search -oi 'A\WC')" = $'a.c\nA.C' ]
}

@test "-u matches characters instead of bytes, and all letters" {
	hold_text 'm\303\274ller M\303\234LLER \303 x'
	[ "$(search -o 'm.ller')" = '' ] || false
	[ "$(search -ou 'm.ller')" = $'m\303\274ller' ]
	[ "$(search -oui 'm\w+')" = $'m\303\274ller\nM\303\234LLER' ]
	run -1 search -i 'm..llEr\b.M\x{dc}'
	# A byte that is not a character never matches.
	run -1 search -u '. . x'
	run -0 search -o '. . x'
	run -2 search 'a\x{100}'
}

@test "--wide finds UTF-16 of either byte order, and shows it as text" {
	require iconv jq
	{
		printf 'key=8bit  '
		printf 'say key=little!' | iconv -t utf-16le
		printf 'say key=big!' | iconv -t utf-16be
		printf 'key=\303\274' | iconv -f utf-8 -t utf-16le
	} >"$bytes"
	hold "$bytes"
	[ "$(search -o 'key=\w+')" = key=8bit ]
	run -0 search --wide 'key=\w+'
	[[ ${lines[0]} == *'+0x0: key=8bit  s' ]]
	[[ ${lines[1]} == *'+0x12 utf-16le: say key=little!' ]]
	[[ ${lines[2]} == *' utf-16be: say key=big!'* ]]
	run -0 search --json --wide 'key=\w\w\w'
	[ "$(jq -r '.encoding + " " + .text' <<<"$output")" = $'8-bit key=8bi\nutf-16le key=lit\nutf-16be key=big' ]
	run -0 search --json --wide 'key=little'
	[ "$(jq -r .hex <<<"$output")" = "$(printf 'key=little' | iconv -t utf-16le | od -An -v -tx1 | tr -d ' \n')" ]
	[ "$(jq .length <<<"$output")" -eq 20 ]
}

@test "--hex finds bytes, ? is any digit" {
	hold_text '\336\255\001\357 \336\255\377\357 \336\255'
	[ "$(search -b -o --hex 'de ad ?? ef')" = "$(at 0):"$'\336\255\\x01\\xef\n'"$(at 5):"$'\336\255\\xff\\xef' ]
	[ "$(search -o --hex 'DEADF?EF')" = $'\336\255\\xff\\xef' ]
	run -2 search --hex 'de a'
	run -2 search --hex 'de xx'
	run -2 search --hex -i 'de'
	[[ $output == *'cannot be combined'* ]]
}

@test "^ and \$ match at regions, with -M at lines" {
	hold_text 'one\ntwo\nthree'
	run -0 search -bo '^\w+'
	[ "$output" = "$(at 0):one" ]
	run -1 --separate-stderr search '^two'
	[[ $stderr == *'-M'* ]]
	run -1 --separate-stderr search -s '^two'
	[ -z "$stderr" ]
	run -0 search -boM '^t\w+'
	[ "$output" = "$(at 4):two"$'\n'"$(at 8):three" ]
	[ "$(search -oM 'o$')" = o ]
	[ "$(search -o 'one\ntwo')" = 'one\x0atwo' ]
	run -1 search 'one.two'
	[ "$(search -o '(?s)one.two')" = 'one\x0atwo' ]
}

@test "-c and -l print each region with matches, -m ends the search, -q prints nothing" {
	printf 'x1 x2 x3' >"$bytes"
	printf 'none' >"$bytes.2"
	printf 'x4' >"$bytes.3"
	hold "$bytes" "$bytes.2" "$bytes.3"
	run -0 procmem grep -c 'x\d' "$TARGET_PID" "${ranges[@]}"
	[ "$(awk '{ print $1 }' <<<"$output" | sort)" = $'1\n3' ]
	grep -q "^ *3  ${ranges[0]%-*}-${ranges[0]#*-}  shm  zero (deleted)" <<<"$output"
	run -0 procmem grep -l 'x\d' "$TARGET_PID" "${ranges[@]}"
	[ "${#lines[@]}" -eq 2 ]
	[[ $output == *"${ranges[2]%-*}-"*"${ranges[2]#*-}  shm  zero (deleted)"* ]]
	run -1 --separate-stderr procmem grep -c y "$TARGET_PID" "${ranges[@]}"
	[ -z "$output" ]
	[[ $stderr == 'procmem: note: no match; '*' searched in '* ]]
	[ "$(search -o -m 2 'x\d')" = $'x1\nx2' ]
	[ "$(search -c -m 2 'x\d' | awk '{ print $1 }')" -eq 2 ]
	run -1 search -m 0 'x\d'
	[ -z "$output" ]
	run -0 search -q 'x\d'
	[ -z "$output" ]
	run -1 search -q y
	[ -z "$output" ]
}

@test "-A, -B and -C show bytes as hexdump -C does" {
	require hexdump
	printf '0123456789 name=one abcdefghijklmnop' >"$bytes"
	hold "$bytes"
	run -0 search -B 3 -A 5 'name=one'
	[ "${lines[0]}" = "$(at 11)  shm zero (deleted)+0xb: 0123456789 name=one abcdefghijklmnop" ]
	[ "${lines[1]}" = "$(at 8) 38 39 20 6e 61 6d 65 3d  6f 6e 65 20 61 62 63 64|89 name=one abcd|" ]
	[ "${lines[2]}" = "$(at 24)" ]
	run -0 search -C 64 'name=one'
	# The rest of the page are zeros.
	[ "$(sed -n '2,$p' <<<"$output")" = "$(head -c 83 <(cat "$bytes" /dev/zero) | hexdump -C | while read -r offset rest; do
		[ "$offset" = '*' ] && echo '*' || printf '%x%s\n' $((0x${ranges[0]%-*} + 0x$offset)) "${rest:+ ${rest/  |/|}}"
	done)" ]
	run -2 search -C 4097 'name=one'
	run -2 search -C x 'name=one'
}

@test "JSON is one object per line, with the exact bytes" {
	require jq
	hold_text 'before na\001me\377 after\0'
	run -0 search --json 'na.me.'
	[ "${#lines[@]}" -eq 1 ]
	jq -e --arg address "0x${ranges[0]%-*}" --arg after "0x${ranges[0]#*-}" '.region.start == $address and (.region | .["end"]) == $after and
		.region.kind == "shm" and (.region.mapping | startswith("/dev/zero")) and .offset == 7 and .length == 6 and .hex == "6e61016d65ff" and
		.text == "na\\x01me\\xff" and .before == "before " and .after == " after" and (has("pid") or has("changed") | not)' <<<"$output"
	run -0 search --json -B 2 -A 1 'na.me.'
	jq -e '.before == "e " and .after == " " and .hex_before == "6520" and .hex_after == "20"' <<<"$output"
	run -0 search --json -c -e na -e me
	jq -e '.count == 2 and .region.kind == "shm" and (has("address") | not)' <<<"$output"
	run -0 search --json -e zz -e me
	jq -e '.pattern == 2' <<<"$output"
	run -0 search --json -l na
	jq -e 'keys == ["region"]' <<<"$output"
	hold_text 'one\ttwo\nthree\rw\0i\0d\0e\0\t\0t\0e\0x\0t\0'
	run -0 search --json '(?s)one.two.three'
	jq -e '.text == "one\ttwo\nthree" and .after == ""' <<<"$output"
	run -0 search --json --wide 'wide.te'
	jq -e '.encoding == "utf-16le" and .text == "wide\tte" and .after == "xt"' <<<"$output"
}

@test "control characters do not reach a terminal" {
	require script
	hold_text 'name=\033]0;title\007\302\2331m\nname=\033[31mred \342\200\256rtl \rend'
	for options in '' -o '-C 32' --json; do
		# shellcheck disable=SC2086
		run -0 script -qec "stty -onlcr; $PROCMEM_BIN grep --color=never $options 'name=[^\\n]*' $TARGET_PID ${ranges[0]}" /dev/null </dev/null
		[[ $output == *name=* ]]
		! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' <<<"$output" || { echo "options: $options" && false; }
	done
}

@test "on a terminal lines have its width, matches are bold, and a summary follows" {
	require script
	head -c 4000 /dev/zero | tr '\0' 'x' >"$bytes"
	printf 'NAME' >>"$bytes"
	head -c 4000 /dev/zero | tr '\0' 'y' >>"$bytes"
	hold "$bytes"
	for columns in 60 100 200; do
		TERM=xterm NO_COLOR='' run -0 on_terminal 24 "$columns" grep NAME "$TARGET_PID" "${ranges[0]}"
		[[ ${lines[0]} == *$'\033[1mNAME\033[0m'* ]]
		# The dots are one column each.
		plain=$(sed 's/\x1b\[[0-9]*m//g; s/…/./g' <<<"${lines[0]}")
		[ "${#plain}" -eq "$columns" ]
		[[ $plain == *': .xxx'*'yyy.' ]]
		# The note continues in a second line if the first is full.
		[[ "${lines[*]:1}" == *'1 match in 1 shm region; '*' searched in '* ]]
		# A match that is too long is cut, so that the line fits.
		run -0 on_terminal 24 "$columns" grep --color=never 'NAMEy+' "$TARGET_PID" "${ranges[0]}"
		plain=${lines[0]//…/.}
		[ "${#plain}" -le "$columns" ]
		[[ $plain == *'NAMEyyyyyyyy'*'y.' ]]
	done
	# -o prints all of a match, and there are no notes without -v.
	run -0 --separate-stderr search -o 'NAMEy+'
	[ "$output" = "NAME$(head -c 4000 /dev/zero | tr '\0' y)" ]
	[ "$(search 'NAMEy+' | wc -c)" -lt 1300 ]
	[ -z "$stderr" ]
	run -0 --separate-stderr search -v 'NAMEy+'
	[[ $stderr == *'1 match in 1 shm region; '* ]]
}

@test "an invalid pattern is shown with the position of the error" {
	hold_text 'x'
	run -2 search 'abc(def'
	[[ $output == *"'abc(def' and ''"*'missing closing parenthesis'* ]]
	run -2 search -e good -e '[z-a]'
	[[ $output == *'pattern 2: '*"'[z-' and 'a]'"* ]]
	# The message is the same for all uses of patterns.
	wrong="invalid pattern at offset 2, between 'a(' and '': missing closing parenthesis"
	for words in "grep a( $TARGET_PID" "grep --mapping a( x $TARGET_PID" "map --mapping a( $TARGET_PID" 'ps a('; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr procmem $words
		[[ $stderr == *"$wrong" ]]
	done
	# A long pattern is cut, so that the reason is visible.
	long=$(printf 'x%.0s' {1..2000})
	for words in "grep $long( $TARGET_PID" "map --mapping $long( $TARGET_PID" "ps $long("; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr procmem $words
		[[ $stderr == *"'${long:0:59}(' and '': missing closing parenthesis" ]]
	done
	run -2 search --hex '41 4x'
	[[ $output == *"at offset 3, between '41 ' and '4x': "* ]]
	run -2 search 'a\Gb'
	run -2 search ''
	run -2 procmem grep x
	[[ $output == *'grep needs a TARGET'* ]]
	run -2 procmem grep -e x
	[[ $output == *'grep needs a TARGET'* ]]
	run -2 procmem grep
}

@test "matching attempts that take too long are given up and counted, and hide no other matches" {
	printf '%s' "$(head -c 20000 /dev/zero | tr '\0' a)" "$(head -c 100000 /dev/zero | tr '\0' ' ')" ' aaab' >"$bytes"
	hold "$bytes"
	# A match is printed, but others can be missing.
	run -2 --separate-stderr search -o '(?:a|a)+(?=b)'
	[ "$output" = aaa ]
	[[ $stderr =~ ^'procmem: matching was aborted at '[0-9,]+' address' ]]
	run -2 --separate-stderr search -o -s '(?:a|a)+(?=c)'
	[ -z "$output" ]
	[[ $stderr =~ ^'procmem: matching was aborted at '[0-9,]+' address' ]]
	run -2 search -q '(?:a|a)+(?=c)'
	run -0 search -q '(?:a|a)+(?=b)'
	[ -z "$output" ]
}

@test "-o cannot show the bytes around a match" {
	hold_text 'some text'
	local option
	for option in -A -B -C; do
		run -2 search -o "$option" 4 text
		[[ $output == *'--only-matching and --'*'context cannot be combined'* ]]
		run -2 search "$option" 4 --json -o text
	done
}

@test "a pattern with (*SKIP) finds what one pass over all memory finds" {
	# Quotes of up to 300 KB cross the borders at which procmem divides memory.
	python3 - "$bytes" >"$BATS_TEST_TMPDIR/wanted" <<-'END'
		import random, re, sys
		numbers = random.Random(5)
		text = "".join(
		    '"' + numbers.choice(["foo ", "x foo, "]) * numbers.randrange(40000) + '"' + " foo" * numbers.randrange(9)
		    for i in range(60))
		open(sys.argv[1], "w").write(text)
		for match in re.finditer('"[^"\n]*"|(foo)', text):
		    if match[1]:
		        print(match.start())
	END
	hold "$bytes"
	[ "$(stat -c %s "$bytes")" -gt 4000000 ]
	local base=$((0x${ranges[0]%-*}))
	diff "$BATS_TEST_TMPDIR/wanted" <(search -ob '"[^"\n]*"(*SKIP)(*F)|foo' | while IFS=: read -r address _; do
		echo $((0x$address - base))
	done)
	run -2 search 'x(*COMMIT)y'
	[[ $output == *'(*COMMIT) is not supported'* ]]
}

@test "a range is searched as if nothing was around it" {
	hold_text 'one two\nthree four'
	local base=$((0x${ranges[0]%-*})) number=0 from to pattern
	# Writes a line FROM TO PATTERN for each case, and the matches that are expected in a file.
	python3 - "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/cases" <<-'END'
		import re, sys
		patterns = [r"^\w+", r"\A\w", r"(?<=o)n?e", r"(?<!o)ne", r"\bne", r"\Bne", r"\w+$", r"\w+\z", r"tw\b", r"tw(?!o)",
		            r"two(?=\s)", r"(?<!.)\w", r"(?<=\n)t", r"(?m)^\w", r"(?m)\w$"]
		ranges = [(start, end) for start in (0, 1, 4, 5, 8) for end in (6, 7, 8, 12) if start < end]
		for number, (start, end, pattern) in enumerate((*r, p) for r in ranges for p in patterns):
		    print(start, end, pattern)
		    data = b"one two\nthree four"[start:end]
		    with open(f"{sys.argv[1]}/wanted.{number}", "w") as wanted:
		        for match in re.finditer(pattern.replace(r"\z", r"\Z").encode(), data):
		            print(start + match.start(), match[0].decode(), file=wanted)
	END
	[ "$(wc -l <"$BATS_TEST_TMPDIR/cases")" -eq 255 ]
	while read -r from to pattern; do
		procmem grep -s -ob "$pattern" "$TARGET_PID" "$(printf '%x-%x' $((base + from)) $((base + to)))" |
			while IFS=: read -r address match; do echo "$((0x$address - base)) $match"; done |
			diff "$BATS_TEST_TMPDIR/wanted.$number" - || {
			echo "$from $to $pattern"
			return 1
		}
		number=$((number + 1))
	done <"$BATS_TEST_TMPDIR/cases"
	# Two ranges that touch are one.
	[ "$(procmem grep -ob '^\w+' "$TARGET_PID" "$(at 0)+1" "$(at 1)+2")" = "$(at 0):one" ]
}

# Text in which this pattern reads far ahead at each line, but never too far.
slow='^(\D*)(?=\d)'
hold_slow() {
	{
		printf 'first%1500000s\n' ''
		yes 'a line without digits' | head -c 2500000
	} >"$bytes"
	hold "$bytes"
}

@test "--timeout ends a search, and the status says that it is not complete" {
	hold_slow
	run -2 --separate-stderr search -s -M --timeout 0.5s "$slow"
	[ -z "$output" ]
	[[ $stderr =~ ^'procmem: the time limit has ended the search: '[0-9.KM]+' of about 3.8M searched in '[0-9.]+' s' ]]
	run -2 --separate-stderr search -M --timeout 0.5 -q "$slow"
	# Matches in memory that was searched are printed. A search that is complete is not affected.
	run -2 --separate-stderr search -s -o -M --timeout 2 -e '\Afirst' -e "$slow"
	[ "$output" = first ]
	run -0 --separate-stderr search -o --timeout 1h '\Afirst'
	[ "$output" = first ]
	[ -z "$stderr" ]
	run -0 search -q --timeout 1h line
	local first=$TARGET_PID
	hold_slow
	run -2 --separate-stderr procmem grep -s -M --timeout 0.5 "$slow" "$first,$TARGET_PID" shm
	[[ $stderr == *'the time limit has ended the search: 1 of 2 processes were not searched'* ]]
	run -2 search --timeout 0 x
	run -2 search --timeout x x
}

@test "a note says that a pattern is slow, and a signal ends the search" {
	hold_slow
	mkfifo "$BATS_TEST_TMPDIR/notes"
	"$PROCMEM_BIN" grep -M "$slow" "$TARGET_PID" "${ranges[0]}" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/notes" 3>&- &
	local status=0 search=$! note
	exec {notes}<"$BATS_TEST_TMPDIR/notes"
	read -r note <&"$notes"
	[[ $note == 'procmem: note: '*' of about 3.8M searched in '*': this pattern is slow'*'--timeout'* ]]
	kill -TERM "$search"
	wait "$search" || status=$?
	[ "$status" -eq 2 ]
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
}

@test "-c --by kind sums up, and --unique counts distinct matches" {
	require jq
	hold_text 'k=1 k=2 k=1 k=\x01 k=1 k=\x01'
	local counts
	counts=$(procmem grep -s -c python "$TARGET_PID")
	[ "$(wc -l <<<"$counts")" -gt 2 ]
	run -0 procmem grep -c --by kind -s python "$TARGET_PID"
	diff <(awk '{ sum[$3] += $1 } END { for (kind in sum) print kind, sum[kind] }' <<<"$counts" | sort) \
		<(awk '{ print $2, $1 }' <<<"$output" | sort)
	diff <(procmem grep -s -c --by kind --json python "$TARGET_PID" | jq -r '"\(.count) \(.kind)"') <(awk '{ print $1, $2 }' <<<"$output")
	run -2 procmem grep --by kind x "$TARGET_PID"
	[[ $output == *"'--by' needs '--count'"* ]]
	run -2 procmem grep -c --by size x "$TARGET_PID"
	run -0 search --unique -s 'k=.'
	[ "$output" = $'       3  k=1\n       2  k=\\x01\n       1  k=2' ]
	run -0 search --unique --json -s 'k=.'
	[ "$(jq -c '[.count, .length, .hex, .first]' <<<"${lines[1]}")" = "[2,3,\"6b3d01\",\"0x$(at 12)\"]" ]
	run -1 search --unique -s 'no such'
	[ -z "$output" ]
	run -2 search --unique -o 'k=.'
	search --unique -v 'k=.' 2>&1 >/dev/null | grep -q '6 matches (3 distinct)'
}

@test "--unique marks long matches of which only the start was compared" {
	require jq
	local long
	long=$(head -c 200000 /dev/zero | tr '\0' A)
	# Two long matches that differ only at the end, and a short one.
	printf '<%s1> <%s22> <A> ' "$long" "$long" >"$bytes"
	hold "$bytes"
	search --unique --json '<A+[0-9]*>' >"$BATS_TEST_TMPDIR/out"
	jq -se --argjson size 200003.5 '
		(map(select(.truncated)) | length > 0 and (map(.count) | add) == 2 and
			((map(.count * .length) | add) - 2 * $size | fabs) <= 1) and
		(map(select(.truncated | not)) | length == 1 and .[0].hex == "3c413e" and .[0].count == 1)' "$BATS_TEST_TMPDIR/out"
	search --unique '<A+[0-9]*>' >"$BATS_TEST_TMPDIR/out"
	grep -q '^ *[12]  <AAAA.*…$' "$BATS_TEST_TMPDIR/out"
	grep -qx ' *1  <A>' "$BATS_TEST_TMPDIR/out"
}

@test "a line in the stack of a thread names the thread" {
	target_start stacks
	local tid line
	run -0 procmem grep -s -o -m 1 '.' "$TARGET_PID" stack
	line=$(procmem grep -s -m 1 '[^\x00]' "$TARGET_PID" '[stack]')
	[[ $line =~ ^[0-9a-f]+'  stack [stack], '"$TARGET_PID"' ' ]]
	tid=$(find "/proc/$TARGET_PID/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -n 1)
	[ "$tid" -ne "$TARGET_PID" ]
	procmem grep -s '[^\x00]{2}' "$TARGET_PID" stack >"$BATS_TEST_TMPDIR/lines"
	grep -Eq "^[0-9a-f]+~?  stack, $tid .* \\+0x" "$BATS_TEST_TMPDIR/lines"
}

@test "after a thousand lines on a terminal, a note says how to narrow the search" {
	printf 'x%.0s' {1..1001} >"$bytes"
	hold "$bytes"
	run -0 script -qec "$PROCMEM_BIN grep x $TARGET_PID ${ranges[0]}" /dev/null </dev/null
	[[ $output == *'more than 1000 matches were printed'*'--unique'* ]]
	run -0 script -qec "$PROCMEM_BIN grep -m 1000 x $TARGET_PID ${ranges[0]}" /dev/null </dev/null
	[[ $output != *'matches were printed'* ]]
	run -0 --separate-stderr search x
	[[ $stderr != *'matches were printed'* ]]
}
