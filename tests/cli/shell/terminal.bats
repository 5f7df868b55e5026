#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem shell` on a terminal: the prompt, keys, history, and the end of the target.

setup() {
	load ../support/helper
	load ../support/screen
	require tmux
	STATE=$BATS_TEST_TMPDIR/state
}

teardown() {
	screen_stop
	targets_stop
}

# Starts a session on a terminal, with these arguments.
shell_start() {
	screen_start 120 40
	screen_type "clear; $(printf '%q ' env XDG_STATE_HOME="$STATE" INPUTRC=/dev/null "$PROCMEM_BIN" shell "$@")"
	screen_key Enter
	screen_await '>'
}

# Types a line.
enter() {
	screen_type "$1"
	screen_key Enter
}

# Types a line, and waits for a text after it.
answer() {
	enter "$1"
	screen_await "$2"
}

await_end() {
	local look
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		screen_procmem >/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# Waits until /proc/PID/status of the target contains this.
await_state() {
	local look
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		! grep -q "^State:.$1" "/proc/$TARGET_PID/status" || return 0
		sleep 0.1
	done
	grep ^State "/proc/$TARGET_PID/status"
	return 1
}

@test "the prompt shows the target, whether it is stopped, and how much was found last" {
	target_start values
	shell_start
	screen_await 'procmem>'
	answer "attach $TARGET_PID" "values $TARGET_PID>"
	answer "grep 'plain|with' anon" "values $TARGET_PID (2 hits)>"
	answer stop "values $TARGET_PID (stopped, 2 hits)>"
	await_state t
	answer 'map -n 3' "values $TARGET_PID (stopped, 3 regions)>"
	answer cont "values $TARGET_PID (3 regions)>"
	await_state S
	answer 'map -n 1' "values $TARGET_PID (1 region)>"
	enter detach
	screen_await "procmem>"
}

@test "Tab completes commands, options, kinds, mappings, numbers, processes and files" {
	target_start values
	touch "$BATS_TEST_TMPDIR/a file of commands"
	shell_start "$TARGET_PID"
	complete() {
		screen_key C-u
		screen_type "$1"
		screen_key Tab
		screen_await "$2"
	}
	complete 'headr' '> headroom'
	complete 'reg' '> regions'
	complete 'map --min-r' 'map --min-rss'
	complete 'map -o rss,pss_d' 'map -o rss,pss_dirty'
	complete 'map --by object --sort=larg' '--sort=largest'
	complete 'map -k he,mall' 'map -k he,malloc'
	complete 'map --kind=hea' 'map --kind=heap'
	complete 'strings [sta' 'strings [stack]'
	complete 'map --mapping libc' 'map --mapping libc.so.6'
	complete 'help wat' 'help watch'
	complete "source $BATS_TEST_TMPDIR/a" "commands\""
	complete "map | ca $BATS_TEST_TMPDIR/a" "commands\""
	complete "attach ${TARGET_PID%?}" "attach ${TARGET_PID%?}"
	complete 'attach valu' 'attach values'
	screen_key C-u
	answer 'map -n 12' '#r12 '
	screen_type 'dump #r1'
	screen_key Tab Tab
	screen_await '#r10  #r11  #r12'
}

@test "Ctrl-C discards the line, and ends the command but not the session; Ctrl-D ends the session" {
	target_start values
	shell_start "$TARGET_PID"
	screen_type 'quit nonsense'
	screen_key C-c
	answer 'info' 'peak RSS'
	[[ $(screen_lines) != *'leave; exit'* ]]
	# Once during the search for an older line, which must not be run.
	screen_key C-r
	screen_type inf
	screen_await 'reverse-i-search'
	screen_key C-c
	answer 'clear-the-way' "unknown command 'clear-the-way'"
	[ "$(screen_lines | grep -c 'peak RSS')" -eq 1 ]
	# The command runs when the screen shows its output.
	answer 'watch --plain -i 0.1' 'map lock'
	screen_key C-c
	screen_await 'ended: interrupted'
	enter '!sleep 1000'
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		# Before exec, the child has the signal handlers of procmem.
		! pgrep -x -P "$(screen_procmem)" 'sh|dash|sleep' >/dev/null || break
		sleep 0.1
	done
	[ "$look" -lt "$SCREEN_LOOKS" ]
	screen_key C-c
	answer 'history 2' '  history 2'
	enter 'clear'
	screen_await_not 'map lock'
	# Three times: outside of a session, the second one ends the program.
	answer 'watch --plain -i 0.1' 'map lock'
	screen_key C-c C-c C-c
	answer 'stop' '(stopped'
	screen_key C-d
	await_end
	await_state S
}

@test "the live screen of watch starts and ends" {
	target_start values
	shell_start "$TARGET_PID"
	answer 'watch' 'VERDICT'
	screen_key q
	screen_await 'ended: the user quit'
	answer 'map -n 2' '(2 regions)>'
	screen_type 'headr'
	screen_key Tab
	screen_await '> headroom'
	screen_key C-u
	answer 'watch' 'VERDICT'
	screen_key C-c
	screen_await 'ended: interrupted'
	answer 'info' 'peak RSS'
	answer 'info | less' '(END)'
	screen_key q
	answer '!stty -a' 'isig icanon iexten echo '
}

@test "a command that outlives watch is not left as a zombie of the session" {
	local command fifo=$BATS_TEST_TMPDIR/fifo
	mkfifo "$fifo"
	exec 7<>"$fifo"
	target_start values
	shell_start "$TARGET_PID"
	answer "watch --plain -i 600 --on 'rss>0' --do 'exec:read line <$fifo'" 'exec: PID'
	screen_key C-c
	screen_await 'still runs; watch'
	answer 'info' 'peak RSS'
	command=$(pgrep -P "$(screen_procmem)")
	grep -q '^State:.S' "/proc/$command/status"
	echo >&7
	# No key is pressed until it is reaped.
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[ -e "/proc/$command" ] || break
		sleep 0.1
	done
	[ ! -e "/proc/$command" ]
	answer 'map -n 1' '(1 region)>'
}

@test "a signal that ends the program during watch ends the session, and the terminal is restored" {
	target_start values
	for signal in TERM HUP; do
		screen_start 120 40
		line="clear; stty -a >$BATS_TEST_TMPDIR/before; XDG_STATE_HOME=$STATE $PROCMEM_BIN shell $TARGET_PID;"
		screen_type "$line stty -a >$BATS_TEST_TMPDIR/after; echo fin"
		screen_key Enter
		screen_await "values $TARGET_PID>"
		answer 'watch' 'VERDICT'
		kill -s $signal "$(screen_procmem)"
		await_end
		screen_await fin
		diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
		screen_stop
	done
}

@test "a stopped target continues however the session ends" {
	local signal
	target_start values
	for signal in KILL TERM HUP INT; do
		shell_start "$TARGET_PID"
		answer stop '(stopped)>'
		await_state t
		kill -s "$signal" "$(screen_procmem)"
		# SIGINT is Ctrl-C, which does not end a session.
		[ "$signal" = INT ] && screen_key C-d
		await_end
		await_state S
		screen_stop
	done
}

@test "the exit and the exec of the target are noticed while no key is pressed" {
	program_start bash -c 'read -r; exec sleep 1000'
	shell_start "$TARGET_PID"
	answer 'map -n 1' '(1 region)>'
	screen_type 'info -half typed'
	screen_await '> info -half typed'
	echo >&"$TARGET_IN"
	screen_await "note: process $TARGET_PID called exec and now runs sleep"
	screen_await "sleep $TARGET_PID> info -half typed"
	kill -KILL "$TARGET_PID"
	screen_await "process $TARGET_PID exited: nothing is attached now"
	screen_await 'procmem> info -half typed'
	screen_key C-u
	answer 'info' 'nothing is attached'
}

@test "a pager has the terminal for itself until it exits" {
	local command
	require less
	target_start mapper
	shell_start "$TARGET_PID"
	for command in 'map -a' 'strings -n 4' 'strings -n 4' headroom 'map -a'; do
		answer 'clear' "mapper $TARGET_PID"
		enter "$command | LESS= less -M"
		screen_await 'lines 1-'
		# A key that is read immediately, not after Enter.
		screen_key G
		screen_await '(END)'
		screen_key q
		screen_await_not '(END)'
		answer 'history 1' '  history 1'
		answer '!stty -a' 'isig icanon iexten echo '
	done
}

@test "the death of a stopped target is noticed" {
	target_start busy 4
	shell_start "$TARGET_PID"
	answer stop '(stopped)>'
	kill -KILL "$TARGET_PID"
	screen_await "process $TARGET_PID exited: nothing is attached now"
	answer 'info' "nothing is attached; use 'attach TARGET'"
}

@test "only the owner can read the history, and lines that start with a space are not in it" {
	target_start values
	shell_start "$TARGET_PID"
	answer 'grep -q plain' "values $TARGET_PID>"
	answer ' grep my-secret' "values $TARGET_PID>"
	enter 'info'
	enter 'info'
	answer 'history' '    2  info'
	[ "$(cat "$STATE/procmem/history")" = "$(printf 'grep -q plain\ninfo\nhistory')" ]
	[ "$(stat -c %a "$STATE/procmem/history" "$STATE/procmem" | tr '\n' ' ')" = '600 700 ' ]
	[[ $(screen_lines) != *'    2   grep'* ]]
	screen_key C-d
	screen_stop
	shell_start "$TARGET_PID"
	screen_key Up Up Up
	screen_await '> grep -q plain'
	screen_key C-u
	# A history that cannot be written is not an error.
	screen_key C-d
	screen_stop
	STATE=/dev/null
	shell_start "$TARGET_PID"
	answer info 'peak RSS'
}

@test "inputrc has a section for procmem" {
	printf '$if procmem\n"\\C-t": "inf" \n$endif\n$if other\n"\\C-t": "map" \n$endif\n' >"$BATS_TEST_TMPDIR/inputrc"
	target_start values
	screen_start 100 30
	enter "clear; $(printf '%q ' env XDG_STATE_HOME="$STATE" INPUTRC="$BATS_TEST_TMPDIR/inputrc" "$PROCMEM_BIN" shell "$TARGET_PID")"
	screen_await '>'
	screen_key C-t
	screen_type o
	screen_await '> info'
}

@test "escape sequences in names are not printed in the prompt or the list of matches" {
	target_start hostile_names
	shell_start "$TARGET_PID"
	screen_type 'attach '
	screen_key Tab Tab
	screen_await '> attach'
	[[ $(screen_tmux capture-pane -p -e | tr -d '\033' | tail -40) != *'[31m'* ]]
}

# bats test_tags=timed
@test "the cause of memory growth in a server is found, from the process to the text, in under ten lines" {
	retry_timed
	local typed=0
	line() {
		typed=$((typed + 1))
		answer "$@"
	}
	target_start sample_server --rate 8000000 --leak
	cd "$BATS_TEST_TMPDIR" || return 1
	screen_start 130 50
	enter "clear; $(printf '%q ' env XDG_STATE_HOME="$STATE" "$PROCMEM_BIN" shell)"
	screen_await 'procmem>'
	line "attach $TARGET_PID" 'sample_server ('
	line 'map -n 4 malloc' 'malloc chunk'
	[[ $(screen_lines) == *'#r1 '*' malloc '* ]]
	line 'watch -i 0.5' 'steady'
	[[ $(screen_lines) == *' malloc '* ]]
	screen_key q
	line 'strings -u --top 8 #r1' 'application/grpc'
	line "grep -m 3 'Bearer [\\w.]+' #r1" '(3 hits)>'
	line 'x/s #1' 'Bearer '
	line 'headroom --for 3s' 'LASTS'
	line 'stop; dump -o evidence.raw #r1; cont' 'it was stopped for '
	[ "$typed" -lt 10 ]
	screen_key C-d
	[ -s evidence.raw ]
	grep -q 'Bearer ' evidence.raw
}
