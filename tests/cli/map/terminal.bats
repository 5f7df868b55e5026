#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a terminal sees: as many rows and columns as it has, and what was left out.

load ../support/mapper

setup() {
	load ../support/helper
	require script
}

@test "the list ends where the screen does, and says what is left out" {
	run -0 on_terminal 24 160 map "$TARGET_PID"
	[ "${#lines[@]}" -le 23 ]
	[ "${#lines[@]}" -ge 20 ]
	count=$(wc -l <"/proc/$TARGET_PID/maps")
	left=$((count - ${#lines[@]} + 4))
	[[ ${lines[-2]} == "… $left more regions, "*" RSS (all: -a)" ]]
	run -0 on_terminal 24 160 map -a "$TARGET_PID"
	[ "${#lines[@]}" -eq $((count + 3)) ]
	[[ $output != *"more regions"* ]]
}

@test "lines fit: files by their base names, then without columns, which is said" {
	for columns in 80 100 132; do
		run -0 on_terminal 40 "$columns" map -a "$TARGET_PID"
		[ "$(LC_ALL=C.UTF-8 wc -L <<<"$output")" -le "$columns" ]
		[[ ${lines[1]} == *MAPPING* ]]
	done
	run -0 on_terminal 40 80 map "$TARGET_PID"
	[[ ${lines[-2]} == "… no room for "*"PSS"* ]]
	run -0 on_terminal 40 250 map -a "$TARGET_PID"
	[[ $output == *" /"*/libc.so* ]]
	[[ $output != *"no room"* ]]
}

@test "columns that were asked for stay" {
	run -0 on_terminal 40 60 map -o address,rss,pss,dirty,swap,mapping "$TARGET_PID"
	# The line about the process takes two here.
	[[ ${lines[2]} =~ ^ADDRESS\ +RSS\ +PSS\ +DIRTY\ +SWAP\ MAPPING$ ]]
}

# The widest of the lines on stdin, in columns of the terminal.
widest() {
	LC_ALL=C.UTF-8 wc -L
}

@test "added columns fit, too: before the words, which are cut, and instead of usual columns" {
	for added in thread,proof pss mapping,thread why detail,proof,inode; do
		for columns in 80 100; do
			run -0 on_terminal 24 "$columns" map -o "+$added" "$TARGET_PID"
			[ "$(widest <<<"$output")" -le "$columns" ]
			[[ ${lines[1]} == *MAPPING ]]
		done
	done
	run -0 on_terminal 24 80 map -o +pss,swap "$TARGET_PID"
	[[ ${lines[1]} == *" PSS "*" SWAP "* ]]
	[[ ${lines[-2]} == "… no room for DIRTY"* ]]
	run -0 on_terminal 24 80 ps -o +pss,name
	[ "$(widest <<<"$output")" -le 80 ]
	[[ ${lines[0]} == *" PSS "*"NAME"*COMMAND ]]
	run -0 on_terminal 24 80 map --by mapping -o +pss "$TARGET_PID"
	[ "$(widest <<<"$output")" -le 80 ]
	[ "$(procmem map -o +thread,mapping "$TARGET_PID" | sed -n 2p | tr -s ' ')" = "ADDRESS SIZE RSS PSS DIRTY SWAP PERM KIND THREAD MAPPING" ]
}

@test "words that were asked for are cut where they do not fit" {
	run -0 on_terminal 24 60 map -o address,mapping,why,rss "$TARGET_PID"
	[ "$(widest <<<"$output")" -le 60 ]
	[[ ${lines[2]} =~ ^ADDRESS\ +MAPPING\ +WHY\ +RSS$ ]]
}

@test "colours: on a terminal, but not with NO_COLOR or a dumb one" {
	TERM=xterm NO_COLOR='' run -0 on_terminal 24 160 map "$TARGET_PID"
	[[ $output == *$'\033[2m'* ]]
	TERM=xterm NO_COLOR=1 run -0 on_terminal 24 160 map "$TARGET_PID"
	[[ $output != *$'\033'* ]]
	TERM=dumb NO_COLOR='' run -0 on_terminal 24 160 map "$TARGET_PID"
	[[ $output != *$'\033'* ]]
	TERM=xterm NO_COLOR='' run -0 on_terminal 24 160 map --color=never "$TARGET_PID"
	[[ $output != *$'\033'* ]]
}

@test "ps fits, too" {
	run -0 on_terminal 12 80 ps
	[ "${#lines[@]}" -le 11 ]
	[ "$(LC_ALL=C.UTF-8 wc -L <<<"$output")" -le 80 ]
}
