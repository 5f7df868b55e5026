#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The live screen of `procmem watch --children`: a row for each process, and Enter for its regions.

setup() {
	load ../support/helper
	load ../support/screen
	load ../support/family
	require tmux
	start_tree
	screen_start 80 24
	screen_type "clear; $(printf '%q ' "$PROCMEM_BIN" watch -i 0.2 --children "$PARENT")"
	screen_key Enter
	screen_await 'DETAIL'
}

teardown() {
	screen_stop
	targets_stop
}

@test "each process has a row; Enter shows the regions of one, and q goes back" {
	screen_await "$CHILD leaker"
	screen_await "$REST sleep"
	screen_await "processes of the tree of $PARENT bash"
	target_tell 'pass 8'
	# The process that grew is the first row, which is selected.
	screen_await '+8.'
	screen_key Enter
	screen_await 'ADDRESS'
	screen_await "leaker $CHILD"
	screen_await 'Esc, q:back'
	# The regions are updated.
	target_tell 'pass 8'
	screen_await 'anon'
	screen_key q
	screen_await 'DETAIL'
	screen_await "$REST sleep"
	screen_key Enter
	screen_await 'ADDRESS'
	screen_key Escape
	screen_await 'DETAIL'
	screen_key q
	screen_await 'ended: the user quit'
}

@test "keys sort, reset growth and show help; an ended process keeps its row" {
	screen_key s
	screen_await 'sort: rate'
	screen_key '?'
	screen_await 'keys and columns'
	screen_key Escape
	screen_await 'DETAIL'
	target_tell 'pass 8'
	screen_await '+8.'
	screen_key b
	screen_await 'growth counts from now on'
	screen_await_not '+8.'
	kill -KILL "$REST"
	screen_await 'exited after'
	screen_await '1 ended'
	screen_key End
	screen_key Enter
	screen_await 'cannot be read'
	# A line that is too long loses its last clauses, and is not cut within one.
	screen_await 'sort: rate  every 0.2s'
	screen_resize 60 12
	screen_await 'processes of the tree'
	screen_await_not 'every'
	[[ $(screen_lines | sed -n 2p) =~ \ \ sort:\ rate\ *$ ]]
	screen_key q
	screen_await 'user quit'
}
