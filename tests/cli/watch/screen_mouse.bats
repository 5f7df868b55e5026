#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The live screen of `procmem watch`: F-keys, the mouse, the list of sort orders, and rows of several
# regions.

setup_file() {
	load ../support/helper
	target_start leaker files 40
	export TARGET_PID TARGET_IN TARGET_OUT
}

teardown_file() {
	targets_stop
}

setup() {
	load ../support/helper
	load ../support/screen
	load ../support/watch_screen
	require tmux
}

teardown() {
	screen_stop
	targets_stop
}

# mouse BUTTON COLUMN LINE: a report of the mouse, as terminals send it; from 1.
mouse() {
	screen_type $'\e'"[<$1;$2;$3M"
	screen_type $'\e'"[<$1;$2;$3m"
}

# Prints the line of the screen, from 1, that matches a regular expression of grep.
line_of() {
	screen_lines | grep -n -m 1 -- "$1" | cut -d : -f 1
}

# Prints the column of the screen, from 1, of a text in the last line.
key_column() {
	local line
	line=$(screen_lines | tail -n 1)
	line=${line%%"$1"*}
	echo $((${#line} + 1))
}

# Waits until the row with the columns of many files is displayed.
await_files() {
	screen_await 'part.'
}

@test "F1 and ? open and close the help; F10 quits" {
	watch_start 80 24 -i 0.5
	for key in '?' F1 h; do
		screen_key "$key"
		screen_await 'keys and columns'
		screen_key "$key"
		screen_await_not 'keys and columns'
	done
	# Any of these keys closes it.
	screen_key F1
	screen_await 'keys and columns'
	screen_key '?'
	screen_await_not 'keys and columns'
	screen_key F10
	screen_await 'ended: the user quit'
}

@test "F4 filters and F3 searches, whatever the case" {
	watch_start 80 24 -i 0.5 -s rss
	screen_key F4
	screen_await 'mappings that match:'
	screen_type 'LIBC.SO'
	screen_key Enter
	screen_await 'filter: LIBC.SO ('
	rows=$(screen_lines | sed '1,/^ADDRESS/d; /^row/,$d; /^ *$/d')
	[ "$(wc -l <<<"$rows")" -gt 2 ]
	[ "$(grep -vc libc.so <<<"$rows")" -eq 0 ]
	# A pattern can still distinguish case.
	screen_key F4 C-u
	screen_type '(?-i)LIBC.SO'
	screen_key Enter
	screen_await 'matches the filter'
	screen_key F4 C-u Enter
	screen_await_not 'filter:'
	screen_key F3
	screen_type '\[STACK'
	screen_key Enter
	screen_await_not 'row 1 of'
	screen_await 'row '
}

@test "F6 and < choose the sort order from a list" {
	watch_start 80 24 -i 0.5
	screen_key F6
	screen_await 'sort by'
	screen_await 'mapping  and then address'
	screen_key Escape
	screen_await 'sort: growth'
	screen_await ADDRESS
	screen_key '<' End Up Up Enter
	screen_await 'sort: address'
	screen_await 'row 1 of'
	# All regions are shown, by ascending address.
	addresses=$(screen_lines | sed '1,/^ADDRESS/d; /^row/,$d' | grep -o '^[0-9a-f]\{12\}')
	[ "$(wc -l <<<"$addresses")" -gt 10 ]
	[ "$addresses" = "$(sort <<<"$addresses")" ]
	screen_key '>' Down Enter
	screen_await 'sort: kind'
	kinds=$(screen_lines | sed '1,/^ADDRESS/d; /^row/,$d' | awk '{ print $2 == substr($2, 1, 1) $2 ? $3 : $2 }' | grep -v '^+')
	[ "$kinds" = "$(LC_ALL=C sort <<<"$kinds")" ]
	# s continues with the first order that it has.
	screen_key s
	screen_await 'sort: growth'
}

@test "+ shows the regions of a row, which are those of the kernel; - hides them" {
	target_start leaker files 4
	watch_start 170 60 -i 0.5 -s rss --bytes
	await_files
	await_least 3 more_of_row
	screen_key /
	screen_type 'part\.'
	screen_key Enter
	screen_await_not 'row 1 of'
	screen_key p
	screen_await PAUSED
	count=$(($(more_of_row) + 1))
	[ "$(parts)" -eq 0 ]
	screen_key +
	await_least "$count" parts 
	[ "$(parts)" -eq "$count" ]
	shown=$(screen_lines | sed -n 's/^  \([0-9a-f]*-[0-9a-f]*\) .*/\1/p')
	# Each displayed range is a mapping of such a file.
	while read -r range; do
		grep -q "^$range .*part" "/proc/$TARGET_PID/maps"
	done <<<"$shown"
	# The regions of the row, and no others: the sum of their sizes is that of the row.
	row=$(first_row_of_files)
	sum=$(screen_lines | sed -n 's/^  [0-9a-f]*-.* \([0-9][0-9]*\) *$/\1/p' | awk '{ sum += $1 } END { print sum }')
	[ "$sum" -eq "$row" ]
	screen_key p
	screen_await_not PAUSED
	# A single region can be selected, and is what d writes.
	screen_key Down d
	screen_await 'write the region to: leaker.'
	address=$(screen_lines | sed -n 's/^write the region to: leaker\.\([0-9a-f]*\)\.raw.*/\1/p')
	range=$(grep "^$address-" "/proc/$TARGET_PID/maps" | cut -d ' ' -f 1)
	file=$BATS_TEST_TMPDIR/part.raw
	screen_key C-u
	screen_type "$file"
	screen_key Enter
	screen_await ' read of '
	[ "$(stat -c %s "$file")" -eq $((0x${range#*-} - 0x${range%-*})) ]
	# - hides the regions, and selects their row.
	screen_key -
	await_no_parts
	screen_key -
	screen_await 'row '
	screen_key Home F5
	screen_await 'not a row of several regions'
}

# Prints N of the +N of the row of files.
more_of_row() {
	screen_lines | sed -n 's/^[0-9a-f-]* +\([0-9]*\) .*part\..*/\1/p'
}

# Prints the resident bytes of the row of files, which come before DELTA.
first_row_of_files() {
	screen_lines | grep ' +[0-9].*part\.' | sed 's/^.*part\.[^ ]*//' | grep -o ' [0-9][0-9]* ' | head -n 1 | tr -d ' '
}

# Prints the number of displayed rows of single regions.
parts() {
	screen_lines | grep -c '^  [0-9a-f]*-' || true
}

await_no_parts() {
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[ "$(parts)" -ne 0 ] || return 0
		sleep 0.1
	done
	return 1
}

@test "the mouse selects rows, sorts by a title, expands a row and presses the keys of the last line" {
	target_start leaker files 4
	watch_start 120 40 -i 0.5 -s rss
	await_files
	titles=$(line_of '^ADDRESS')
	mouse 0 40 $((titles + 4))
	screen_await 'row 4 of'
	mouse 65 40 10
	screen_await 'row 7 of'
	mouse 64 40 10
	screen_await 'row 4 of'
	# A click on a title sorts.
	line=$(screen_lines | sed -n "${titles}p")
	line=${line%%GROWTH*}
	mouse 0 $((${#line} + 1)) "$titles"
	screen_await 'sort: growth'
	mouse 0 2 "$titles"
	screen_await 'sort: address'
	screen_key s
	screen_await 'sort: growth'
	# A click on an address with +N expands.
	mouse 0 5 "$(line_of ' +[0-9].*part\.')"
	await_least 2 parts
	mouse 0 5 "$(line_of ' +[0-9].*part\.')"
	await_no_parts
	# The last line
	mouse 0 "$(key_column '?:help')" 40
	screen_await 'keys and columns'
	mouse 65 10 20
	mouse 0 "$(key_column 'Esc:back')" 40
	screen_await_not 'keys and columns'
	screen_key F6
	screen_await 'sort by'
	mouse 0 5 "$(line_of '^  rss')"
	screen_await 'sort: rss'
	mouse 0 "$(key_column 'q:quit')" 40
	screen_await 'ended: the user quit'
}

@test "the terminal reports the mouse only while the screen is displayed" {
	screen_start 80 24
	screen_type "$PROCMEM_BIN watch -i 0.2 $TARGET_PID"
	screen_key Enter
	screen_await 'sort: growth'
	[ "$(screen_fact mouse_standard_flag)$(screen_fact mouse_sgr_flag)" = 11 ]
	screen_key m
	screen_await 'mouse off'
	[ "$(screen_fact mouse_standard_flag)$(screen_fact mouse_sgr_flag)" = 00 ]
	screen_key m
	screen_await 'mouse on'
	[ "$(screen_fact mouse_standard_flag)" = 1 ]
	# Stopped, and continued
	screen_key C-z
	screen_await Stopped
	[ "$(screen_fact mouse_standard_flag)$(screen_fact mouse_sgr_flag)" = 00 ]
	screen_type 'clear; fg'
	screen_key Enter
	screen_await 'sort: growth'
	[ "$(screen_fact mouse_standard_flag)$(screen_fact mouse_sgr_flag)" = 11 ]
	kill -TERM "$(screen_procmem)"
	screen_await 'ended: interrupted'
	[ "$(screen_fact mouse_standard_flag)$(screen_fact mouse_sgr_flag)" = 00 ]
	# A terminal that does not know the mouse
	screen_type "clear; TERM=vt100 $PROCMEM_BIN watch -i 0.2 $TARGET_PID"
	screen_key Enter
	screen_await 'sort: growth'
	[ "$(screen_fact mouse_standard_flag)" = 0 ]
	screen_key m
	screen_await 'does not report the mouse'
	screen_key q
	screen_await 'ended: the user quit'
}

@test "an escape sequence that arrives in pieces is one key" {
	watch_start 80 24 -i 0.2 -s rss
	screen_await '  cost'
	# A new sample comes between the pieces: Esc would have given a message.
	screen_type $'\e['
	time=$(screen_lines | grep -o '[0-9.]*s  cost')
	screen_await_not " $time"
	screen_await 'row 1 of'
	screen_type 'B'
	screen_await 'row 2 of'
	# The parts of a report of the mouse. The header of a paused screen keeps its lines.
	screen_key p
	screen_await PAUSED
	line=$(($(line_of '^ADDRESS') + 5))
	# tmux takes a semicolon at the end of an argument for its own.
	for piece in $'\e[' '<' '0;4' "0;$line" M; do
		screen_type "$piece"
	done
	screen_await 'row 5 of'
	screen_key Escape
	screen_await 'this key has no function'
}
