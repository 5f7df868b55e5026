#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The output on a terminal: limited to its rows and columns, with a note about what is omitted.

load ../support/mapper

setup() {
	load ../support/helper
	require script
}

@test "the list fits the screen, and reports what it omits" {
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

@test "lines fit: base names instead of paths, then fewer columns, which is reported" {
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

@test "requested columns are kept" {
	run -0 on_terminal 40 60 map -o address,rss,pss,dirty,swap,mapping "$TARGET_PID"
	# The line about the process takes two lines here.
	[[ ${lines[2]} =~ ^ADDRESS\ +RSS\ +PSS\ +DIRTY\ +SWAP\ MAPPING$ ]]
}

# Prints the width of the widest line on stdin, in columns of the terminal.
widest() {
	LC_ALL=C.UTF-8 wc -L
}

@test "added columns fit, too: before the text columns, which are cut, and instead of default columns" {
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
	# Notes on processes whose PSS is not known precede the table.
	[[ "$(grep ' PID .* PSS ' <<<"$output")" == *" PSS "*"NAME"*COMMAND ]]
	run -0 on_terminal 24 80 map --by mapping -o +pss "$TARGET_PID"
	[ "$(widest <<<"$output")" -le 80 ]
	[ "$(procmem map -o +thread,mapping "$TARGET_PID" | sed -n 2p | tr -s ' ')" = "ADDRESS SIZE RSS PSS DIRTY SWAP PERM KIND THREAD MAPPING" ]
}

@test "requested text columns are cut if they do not fit" {
	run -0 on_terminal 24 60 map -o address,mapping,why,rss "$TARGET_PID"
	[ "$(widest <<<"$output")" -le 60 ]
	[[ ${lines[2]} =~ ^ADDRESS\ +MAPPING\ +WHY\ +RSS$ ]]
}

@test "colours are used on a terminal, but not with NO_COLOR or a dumb terminal" {
	TERM=xterm NO_COLOR='' run -0 on_terminal 24 160 map "$TARGET_PID"
	[[ $output == *$'\033[2m'* ]]
	TERM=xterm NO_COLOR=1 run -0 on_terminal 24 160 map "$TARGET_PID"
	[[ $output != *$'\033'* ]]
	TERM=dumb NO_COLOR='' run -0 on_terminal 24 160 map "$TARGET_PID"
	[[ $output != *$'\033'* ]]
	TERM=xterm NO_COLOR='' run -0 on_terminal 24 160 map --color=never "$TARGET_PID"
	[[ $output != *$'\033'* ]]
}

@test "the lines of ps fit, too" {
	run -0 on_terminal 12 80 ps
	[ "${#lines[@]}" -le 11 ]
	[ "$(LC_ALL=C.UTF-8 wc -L <<<"$output")" -le 80 ]
}
