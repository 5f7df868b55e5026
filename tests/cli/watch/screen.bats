#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The live screen of `procmem watch`, on a terminal.

setup_file() {
	load ../support/helper
	target_start leaker merged 2097152
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

# Prints the number of bytes that the target has leaked.
leaked() {
	local line
	printf 'tell\n' >&"$TARGET_IN"
	line=$(target_await leaked)
	echo "${line#leaked }"
}

# Prints the number of the selected row, which the footer has before "of".
selected() {
	screen_lines | sed -n 's/^row \([0-9]*\) of .*/\1/p'
}

await_selected() {
	screen_await "row $1 of"
}

@test "the region that leaks is shown with the size that the target reports" {
	watch_start 120 30 -i 0.5 --bytes
	before=$(leaked)
	await_least $((before + 1)) first_row RSS
	shown=$(first_row RSS)
	[ "$shown" -le $(($(leaked) + 1048576)) ]
	screen_await "leaker $TARGET_PID"
	[[ $(screen_lines) =~ ADDRESS\ +KIND\ +MAPPING\ +RSS\ +DELTA\ +GROWTH\ +RATE\ +VERDICT\ +HISTORY ]]
	[[ $(screen_lines) =~ too\ early ]]
	screen_await 'cost '
}

# bats test_tags=timed
@test "the region that leaks has a verdict and a history" {
	retry_timed
	watch_start 120 30 -i 0.5 --bytes
	before=$(leaked)
	screen_await steady
	# The verdict on the process may come some samples before that on the row.
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		row=$(screen_lines | grep -A 1 '^ADDRESS' | tail -n 1)
		[[ $row != *' anon '*steady*▁*█* ]] || break
		sleep 0.1
	done
	[[ $row == *' anon '*steady*▁*█* ]]
	# The kernel knows that region.
	grep -q "^${row%%-*}" "/proc/$TARGET_PID/maps" || [ "$(leaked)" -gt "$before" ]
}

# bats test_tags=timed
@test "the header names what grows beneath a process that does not grow" {
	retry_timed
	target_start leaker arenas 40960
	watch_start 80 24 -i 0.5 --budget 0
	screen_await 'beneath it arena'
	# It fits, and a paused screen keeps it.
	[[ $(screen_lines) =~ 'beneath it arena '[0-9]+' grows steadily, +'[0-9.]+'K/s' ]]
	[[ $(screen_lines) == *' overall  sawtooth of '* ]]
	# The floor is shown after two falls.
	screen_await '  floor '
	screen_key p
	screen_await PAUSED
	[[ $(screen_lines) == *'beneath it arena'* ]]
}

@test "q ends it with a summary, and the terminal is as before" {
	screen_start 100 30
	local line="clear; stty -a >$BATS_TEST_TMPDIR/before; $PROCMEM_BIN watch -i 0.2 $TARGET_PID; echo status \$?;"
	screen_type "$line stty -a >$BATS_TEST_TMPDIR/after; echo fin"
	screen_key Enter
	screen_await ' RSS '
	[ "$(screen_fact alternate_on)" = 1 ]
	[ "$(screen_fact cursor_flag)" = 0 ]
	screen_key q
	screen_await 'ended: the user quit'
	screen_await 'status 0'
	screen_await fin
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	[ "$(screen_fact alternate_on)" = 0 ]
	[ "$(screen_fact cursor_flag)" = 1 ]
}

@test "60 columns: the keys, the help and the summary fit" {
	screen_start 60 50
	screen_type "clear; $PROCMEM_BIN watch -i 0.2 $TARGET_PID"
	screen_key Enter
	screen_await 'row 1 of'
	# Only whole words.
	[[ $(screen_lines | tail -n 1) =~ (sort|filter|search|text|dump|base)$ ]]
	screen_key '?'
	screen_await 'Select text'
	screen_key End
	screen_await 'A narrow screen has fewer columns.'
	screen_await '(+0.1/s): growth of their number'
	[[ $(screen_lines) == *'the address is of the region that grew last'* ]]
	screen_key Escape q
	screen_await 'ended: the user quit'
	screen_await VERDICT
	# The titles are one line, and so is the row below.
	screen_lines | grep -A 1 '^ADDRESS .*GROWTH.*VERDICT.*MAPPING$' | tail -n 1 |
		grep -E '^[0-9a-f]{12}-[0-9a-f]{12} .* (too early|steady|steps|burst|uneven|plateau|no growth)'
}

@test "the summary has the current width of the terminal" {
	watch_start 120 30 -i 0.2
	await_least 1 first_row GROWTH
	screen_resize 60 30
	screen_await_not ' DELTA '
	screen_key q
	screen_await 'ended: the user quit'
	screen_await VERDICT
	screen_lines | grep -A 1 '^ADDRESS .*GROWTH.*VERDICT.*MAPPING$' | tail -n 1 |
		grep -E '^[0-9a-f]{12}-[0-9a-f]{12} .* (too early|steady|steps|burst|uneven|plateau|no growth)'
	# Text measures the terminal at each sample.
	screen_type "clear; $PROCMEM_BIN watch --plain -i 0.2 $TARGET_PID"
	screen_key Enter
	screen_await ' VERDICT '
	[[ $(screen_lines) != *' DELTA '* ]]
	screen_resize 120 30
	screen_await ' DELTA '
	screen_key C-c
	screen_await 'ended: interrupted'
}

@test "at 80 columns there is room for the mapping, but not for the history" {
	target_start leaker files 40
	watch_start 80 24 -i 0.5
	screen_await 'part.'
	[[ $(screen_lines) == *' MAPPING '* && $(screen_lines) != *HISTORY* ]]
	screen_resize 120 24
	screen_await HISTORY
	[[ $(screen_lines) == *'part.'* ]]
}

@test "Ctrl-C, Ctrl-\\, SIGTERM and SIGHUP end it with a summary, and the terminal is as before" {
	for way in C-c 'C-\' TERM HUP; do
		screen_start 100 30
		screen_type "clear; stty -a >$BATS_TEST_TMPDIR/before; $PROCMEM_BIN watch -i 30 $TARGET_PID; stty -a >$BATS_TEST_TMPDIR/after; echo fin"
		screen_key Enter
		screen_await ' RSS '
		if [[ $way == C-* ]]; then
			screen_key "$way"
		else
			kill -s $way "$(screen_procmem)"
		fi
		screen_await 'ended: interrupted'
		screen_await fin
		diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
		[ "$(screen_fact alternate_on)" = 0 ]
		[ "$(screen_fact cursor_flag)" = 1 ]
		screen_stop
	done
}

@test "a terminal that disappears ends it" {
	watch_start 80 24 -i 30
	local watcher
	watcher=$(screen_procmem)
	[ -n "$watcher" ]
	screen_stop
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[ -d "/proc/$watcher" ] || return 0
		sleep 0.1
	done
	return 1
}

@test "Ctrl-Z stops it on a sane terminal, fg shows the screen again" {
	screen_start 80 24
	screen_type "stty -a >$BATS_TEST_TMPDIR/before; $PROCMEM_BIN watch -i 0.2 $TARGET_PID"
	screen_key Enter
	screen_await 'sort: growth'
	screen_key C-z
	screen_await 'Stopped'
	[ "$(screen_fact alternate_on)" = 0 ]
	[ "$(screen_fact cursor_flag)" = 1 ]
	screen_type "clear; stty -a >$BATS_TEST_TMPDIR/stopped; echo wrot''e"
	screen_key Enter
	screen_await wrote
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/stopped"
	screen_type fg
	screen_key Enter
	screen_await 'sort: growth'
	[ "$(screen_fact alternate_on)" = 1 ]
	screen_key q
	screen_await 'ended: the user quit'
}

@test "s changes the order; by rss all regions are shown" {
	watch_start 80 24 -i 0.5
	for order in rate rss delta growth; do
		screen_key s
		screen_await "sort: $order"
		[ $order != rss ] || screen_await ' libc.so.6'
	done
	screen_await_not libc.so.6
}

@test "arrows, pages, Home and End select rows; the selected row stays visible" {
	watch_start 80 24 -i 0.5 -s rss
	count=$(screen_lines | sed -n 's/^row 1 of \([0-9]*\) .*/\1/p')
	[ "$count" -gt 20 ]
	screen_key Down Down j
	await_selected 4
	screen_key Up k
	await_selected 2
	screen_key End
	screen_await "row $count of $count"
	# The first rows are not visible now.
	screen_await_not ' code    libc'
	screen_key PPage
	await_selected $((count - 12))
	screen_key NPage
	await_selected "$count"
	screen_key Home
	await_selected 1
	screen_await ' code    libc'
}

@test "f shows only rows that match, and their number" {
	watch_start 80 24 -i 0.5 -s rss
	screen_key f
	screen_await 'mappings that match:'
	screen_type 'libd'
	screen_key BSpace
	screen_type 'c'
	screen_key Enter
	screen_await 'filter: libc ('
	rows=$(screen_lines | sed '1,/^ADDRESS/d; /^row/,$d; /^ *$/d')
	[ "$(wc -l <<<"$rows")" -gt 2 ]
	[ "$(grep -vc libc.so <<<"$rows")" -eq 0 ]
	screen_key f C-u
	screen_type 'no such mapping'
	screen_key Enter
	screen_await 'matches the filter'
	screen_key f C-u
	screen_type '('
	screen_key Enter
	screen_await 'invalid pattern at'
	screen_key f C-u Enter
	screen_await_not 'filter:'
	screen_await ' anon    '
}

@test "/ searches, n searches again; the region that is found is that of the kernel" {
	watch_start 80 24 -i 0.5 -s rss
	screen_key /
	screen_type '\[stack'
	screen_key Enter
	screen_await_not 'row 1 of'
	# d asks for a file, and its name starts with the address of the selected row.
	screen_key d
	screen_await 'write the region to: leaker.'
	address=$(screen_lines | sed -n 's/^write the region to: leaker\.\([0-9a-f]*\)\.raw.*/\1/p')
	grep -q "^$address-.*\[stack\]" "/proc/$TARGET_PID/maps"
	screen_key Escape
	screen_await 'row '
	screen_key / x y z Enter
	screen_await "no row matches 'xyz'"
	screen_key / l i b c Enter
	screen_await 'row '
	first=$(selected)
	screen_key n
	screen_await_not "row $first of"
}

@test "p pauses the screen, which can still be sorted, grouped and scrolled; p resumes it" {
	# No budget: the test must see new samples even on a slow machine.
	watch_start 120 30 -i 0.2 --budget 0 --bytes
	# More than any other row has.
	await_least 4194304 first_row RSS
	screen_key p
	screen_await PAUSED
	shown=$(first_row RSS)
	header=$(screen_lines | head -n 2)
	# The target grows, what is displayed does not.
	await_least $((shown + 4 * 1048576)) leaked
	[ "$(first_row RSS)" -eq "$shown" ]
	screen_key s s
	screen_await 'sort: rss'
	screen_await ' libc.so.6'
	[ "$(first_row RSS)" -eq "$shown" ]
	screen_key g
	screen_await 'by kind'
	screen_key g
	screen_await 'by owner'
	screen_key g End
	screen_await_not 'row 1 of'
	screen_key Home
	screen_await 'row 1 of'
	[ "$(first_row RSS)" -eq "$shown" ]
	[ "$(screen_lines | head -n 2)" = "$header" ]
	# The current bytes of the selected row are written, as far as the last sample had them.
	file=$BATS_TEST_TMPDIR/now.raw
	screen_key d C-u
	screen_type "$file"
	screen_key Enter
	screen_await ' read of '
	[ "$(stat -c %s "$file")" -gt $((shown + 1048576)) ]
	screen_key Space
	screen_await_not PAUSED
	screen_await 'sort: rss'
	await_least $((shown + 4 * 1048576)) first_row RSS
}

@test "while the screen is paused, recording and conditions continue" {
	require sqlite3
	local file=$BATS_TEST_TMPDIR/paused.pmrec samples
	target_start hog
	watch_start 120 30 -i 0.2 --bytes --record "$file" --on 'rss>40M' --do "exec:touch $BATS_TEST_TMPDIR/acted"
	screen_key p
	screen_await PAUSED
	shown=$(screen_lines | head -n 1)
	samples=$(sqlite3 "$file" 'SELECT count(*) FROM sample')
	target_tell 'eat 50'
	screen_await 'e: rss>40M'
	await_least $((samples + 3)) sqlite3 "$file" 'SELECT count(*) FROM sample'
	await_least 1 sqlite3 "$file" 'SELECT rss > 41943040 FROM sample ORDER BY number DESC LIMIT 1'
	[ "$(screen_lines | head -n 1)" = "$shown" ]
	screen_await PAUSED
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[ ! -e "$BATS_TEST_TMPDIR/acted" ] || break
		sleep 0.1
	done
	[ -e "$BATS_TEST_TMPDIR/acted" ]
	# A new baseline needs a new snapshot.
	screen_key b
	screen_await 'growth counts from now on'
	screen_await PAUSED
	fails grep -qxF "$shown" <<<"$(screen_lines | head -n 1)"
	# The end is reported, and the snapshot stays.
	kill -KILL "$TARGET_PID"
	screen_await 'ENDED'
	screen_await PAUSED
	screen_key p
	screen_await_not PAUSED
	screen_key q
	screen_await 'ended: the process is gone'
	# The conditions that were met are printed at the end, too.
	[[ $(screen_lines) == *'rss>40M'* ]]
}

@test "b makes growth count from now on, also in the summary" {
	watch_start 120 30 -i 0.2 --bytes
	await_least 8388608 first_row GROWTH
	screen_key b p
	screen_await PAUSED
	screen_await 'baseline '
	[ "$(first_row GROWTH | tr -dc 0-9)" -lt 4194304 ]
	screen_key p
	await_least 4194304 first_row GROWTH
	screen_key q
	screen_await ' in the last '
}

@test "g sums up by kind, with the numbers of the kernel" {
	watch_start 120 30 -i 0.2 --bytes -s rss
	screen_key g
	screen_await 'by kind'
	screen_key p
	screen_await PAUSED
	[[ $(screen_lines) =~ KIND\ +COUNT\ +RSS ]]
	shown=$(screen_lines | awk '$1 == "stack" { print $3 }')
	[ "$shown" -gt 0 ]
	# The stack of the main thread does not change; the other one is a mapping right above a guard of 4 KiB.
	counted=$(awk '/^[0-9a-f]+-/ { stack = /\[stack\]/ || guard; guard = /---p/ }
		stack && $1 == "Rss:" { sum += $2 } END { print sum * 1024 }' \
		"/proc/$TARGET_PID/smaps")
	[ "$shown" -eq "$counted" ]
	screen_key d
	screen_await 'this row is a sum; press g'
	screen_key g
	screen_await 'by owner'
	[[ $(screen_lines) =~ OWNER\ +COUNT\ +RSS ]]
	[ "$(screen_lines | awk '$1 == "stack" { print $3 }')" -eq "$counted" ]
	screen_key g
	screen_await ADDRESS
}

@test "d writes the selected region to a new file of mode 0600, and never overwrites a file" {
	file=$BATS_TEST_TMPDIR/region.raw
	watch_start 120 30 -i 0.2
	screen_await ' anon    '
	screen_key d
	screen_await 'write the region to:'
	screen_key C-u
	screen_type "$file"
	screen_key Enter
	screen_await ' read of '
	[ "$(stat -c %a "$file")" = 600 ]
	[ "$(stat -c %s "$file")" -gt 1048576 ]
	# The target fills what it leaks with one byte.
	head -c 1048576 "$file" | tr -d '\001' | wc -c | grep -qx 0
	before=$(cksum <"$file")
	screen_key d C-u
	screen_type "$file"
	screen_key Enter
	screen_await 'exists already'
	[ "$(cksum <"$file")" = "$before" ]
	screen_key d Escape
	screen_await 'row 1 of'
}

@test "Enter shows the text of the newest pages" {
	target_start sample_server --leak --rate 4000000
	watch_start 100 30 -i 0.5
	screen_await ' malloc '
	await_least 1 first_row GROWTH
	screen_key Enter
	screen_await 'text in '
	screen_await 'application/grpc'
	screen_await 'localhost:50051'
	# The header is updated; the text stays.
	screen_key Escape
	screen_await ADDRESS
	screen_await_not 'text in '
}

@test "Enter shows no text of regions that replaced the newest pages, nor of a region that is gone" {
	target_start grower
	target_tell reserve m 1000
	target_tell write m 900 what was there before
	watch_start 100 30 -i 0.2 -b -s rss --on 'rss>12M' --do exec:true
	await_least 3686400 first_row RSS
	target_tell write m 100 what came later
	await_least 4096000 first_row RSS
	screen_key Enter
	screen_await 'in the newest pages of '
	screen_await '100  what came later'
	screen_key Escape
	target_tell give m 100 of somebody else
	# Another size makes the next sample read the list of regions again.
	target_tell brk 1
	screen_await ' shm '
	screen_key Enter
	screen_await 'in all pages of '
	screen_await '900  what was there before'
	[[ $(screen_lines) != *'somebody else'* ]]
	screen_key Escape
	screen_await ADDRESS
	# In a snapshot it still has its row.
	screen_key p
	screen_await PAUSED
	target_tell unmap m
	target_tell brk 3000
	screen_await 'rss>12M'
	screen_key Enter
	screen_await 'the region is gone'
}

@test "? shows the keys, and can be scrolled" {
	watch_start 60 12 -i 0.5
	screen_key '?'
	screen_await 'select a row'
	screen_key End
	screen_await 'A narrow screen'
	screen_key Escape
	screen_await ADDRESS
	screen_key x
	screen_await 'this key has no function'
}

@test "sizes: at 40x10 the leak is visible, a wide screen has all columns, tiny ones are survived" {
	watch_start 80 24 -i 0.5
	screen_await ' anon    '
	screen_resize 40 10
	screen_await_not HISTORY
	screen_await 'ADDRESS      KIND      GROWTH VERDICT'
	screen_await "leaker $TARGET_PID  RSS"
	[[ $(screen_lines) == *' anon    '* ]]
	[ "$(screen_lines | wc -l)" -eq 10 ]
	screen_resize 150 40
	screen_await ' DELTA '
	screen_await HISTORY
	[[ $(screen_lines) =~ [0-9a-f]{12}-[0-9a-f]{12} ]]
	for size in '20 5' '10 3' '1 1' '200 2' '2 60'; do
		# shellcheck disable=SC2086 # two words
		screen_resize $size
	done
	screen_resize 80 24
	screen_await 'sort: growth'
	screen_key q
	screen_await 'ended: the user quit'
}

@test "a target that exits leaves the screen unchanged, and is reported" {
	target_start leaker merged 8388608
	watch_start 100 30 -i 0.2
	screen_await ' anon    '
	kill -KILL "$TARGET_PID"
	screen_await "process $TARGET_PID "
	screen_await '(q: quit)'
	screen_await ENDED
	[[ $(screen_lines) == *' anon    '* ]]
	# Its rows can still be sorted and scrolled, but not read.
	screen_key s
	screen_await 'sort: rate'
	screen_key Enter
	screen_await 'cannot be read any longer'
	screen_key q
	screen_await 'ended: the process is gone'
}

@test "the time of --for or -c ends the screen also if the process has ended before" {
	local option
	for option in '--for 10s' '-c 50'; do
		target_start leaker merged 8388608
		# shellcheck disable=SC2086 # two words
		watch_start 100 30 -i 0.2 $option
		screen_await ' anon    '
		kill -KILL "$TARGET_PID"
		screen_await ENDED
		# No key is pressed.
		screen_await 'ended: the process is gone'
		screen_stop
	done
}

@test "--count ends it" {
	watch_start 100 30 -i 0.2 -c 3
	screen_await 'ended: sample count reached'
	[[ $(screen_lines) == *', 3 samples'* ]]
}

@test "a condition that is met is reported in the last line, and can end the run" {
	watch_start 100 20 -i 0.2 --on 'rss>1K' --do 'exec:echo garbage; echo garbage >&2; exit 3'
	screen_await ' ended with status 3'
	# The output of the command must not appear on the screen.
	run ! grep '^garbage' <<<"$(screen_lines)"
	screen_key q
	screen_await 'ended: the user quit'
	screen_type "clear; $PROCMEM_BIN watch -i 0.2 --on 'rss>1K' $TARGET_PID; echo status=\$?"
	screen_key Enter
	screen_await 'status=1'
	screen_await 'ended: a condition was met'
}

@test "conditions that are met are reported, listed by e, and printed before the summary" {
	watch_start 100 30 -i 0.2 --on 'rss>1M' --on 'region>100K' --do exec:true
	screen_await 'e: region>100K'
	screen_key e
	screen_await 'conditions that were met'
	screen_await 'rss>1M'
	[[ $(screen_lines) =~ [0-9]{2}:[0-9]{2}:[0-9]{2}Z\ \ rss\>1M:\  ]]
	screen_await 'exec:'
	screen_await 'region>100K'
	screen_key Escape
	screen_await ADDRESS
	screen_key q
	screen_await 'ended: the user quit'
	[[ $(screen_lines) == *'rss>1M'*'ended: the user quit'* ]]
}

@test "a terminal without cursor movement gets text, and a note with the reason" {
	screen_start 150 30
	for name in dumb no-such-terminal; do
		screen_type "clear; TERM=$name $PROCMEM_BIN watch -i 0.1 -c 2 $TARGET_PID 2>$BATS_TEST_TMPDIR/note; echo fi''n $name"
		screen_key Enter
		screen_await "fin $name"
		screen_await 'ended: sample count reached'
		grep -q "note: text is printed instead of a live screen: the terminal '$name'" "$BATS_TEST_TMPDIR/note"
	done
	screen_type "clear; $PROCMEM_BIN watch --plain -i 0.1 -c 2 $TARGET_PID; echo fi''n plain"
	screen_key Enter
	screen_await 'fin plain'
	[ "$(screen_lines | grep -c 'map lock')" -eq 2 ]
}

@test "keys are read from the terminal if standard input is not one" {
	screen_start 100 30
	screen_type "clear; $PROCMEM_BIN watch -i 0.2 $TARGET_PID </dev/null"
	screen_key Enter
	screen_await 'sort: growth'
	screen_key s
	screen_await 'sort: rate'
	screen_key q
	screen_await 'ended: the user quit'
}

@test "growth is red, and NO_COLOR disables colours" {
	watch_start 100 30 -i 0.5
	screen_await ' anon    '
	await_least 1 first_row GROWTH
	# Growth is red, also in the selected row.
	[[ $(screen_styled) =~ $'\033'\[[0-9\;]*(31|38\;5\;196)m ]]
	screen_stop
	watch_start 100 30 NO_COLOR=1 -i 0.5
	screen_await ' anon    '
	await_least 1 first_row GROWTH
	fails grep -Eq $'\033''\[[0-9;]*(3[0-7]|38;5;[0-9]+)m' <<<"$(screen_styled)"
}

@test "without UTF-8 all is ASCII" {
	watch_start 150 30 LC_ALL=C -i 0.2 -s rss
	await_least 1 first_row GROWTH
	screen_await 'map lock <= '
	screen_await '########'
	fails env LC_ALL=C grep -q '[^ -~]' <<<"$(screen_lines)"
}

@test "only what changed is sent" {
	watch_start 80 24 -i 0.2
	await_least 1 first_row GROWTH
	screen_tmux pipe-pane -o "cat >$BATS_TEST_TMPDIR/sent"
	await_least $(($(first_row GROWTH) + 8388608)) first_row GROWTH
	screen_tmux pipe-pane
	[ -s "$BATS_TEST_TMPDIR/sent" ]
	# Nothing is cleared, and titles are not written again.
	fails grep -q -e $'\033\[2J' -e $'\033\[J' -e ADDRESS -e VERDICT "$BATS_TEST_TMPDIR/sent"
}

@test "names with escape sequences are escaped" {
	target_start hostile_names
	watch_start 150 40 -i 0.5 -s rss
	screen_await '\x1b'
	screen_await 'sort: rss'
	[[ $(screen_fact pane_title) != *title* ]]
	screen_key q
	screen_await 'ended: the user quit'
}
