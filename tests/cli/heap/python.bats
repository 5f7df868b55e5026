#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The part of `procmem heap` about CPython, compared with the statistics of pymalloc, and with the
# lists of its garbage collector. Other interpreters: PROCMEM_PYTHON=/path/to/python3.

setup() {
	load ../support/helper
	cd "$BATS_TEST_TMPDIR" || return 1
	python=${PROCMEM_PYTHON:-/usr/bin/python3}
}

teardown() {
	targets_stop
	json_check
}

# Starts a process with known objects. Usage: start_objects COUNT [NAME=VALUE]...
start_objects() {
	program_start env "${@:2}" "$python" "$PROCMEM_SOURCE/tests/cli/support/python_objects.py" \
		. "$1"
	target_await ready
	procmem heap --json "$TARGET_PID" | jq .python >heap
	# Even if this interpreter is missing, its name is not that of a test.
	[ "$(jq -r .version heap)" = "$("$python" -c 'import platform; print(platform.python_version())')" ]
}

# Prints the pools, blocks in use and free blocks of each size class.
own_classes() {
	awk 'NF == 5 && $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $4 > 0 { print $2, $3, $4, $5 }' stats
}

# Prints a number of the statistics. Usage: own TEXT
own() {
	sed -n "s/^# $1 *= *//p" stats | tr -d ,
}

# Compares the number of objects of each type of a file, within 2 %. Usage: compare_types FILE MORE
compare_types() {
	local number name found
	while read -r number name; do
		found=$(jq --arg name "$name" '.types[] | select(.type == $name) | .count' heap)
		echo "$name: $number, found ${found:-0}"
		[ "${found:-0}" -ge $((number * 98 / 100)) ]
		[ "${found:-0}" -le $((number * 102 / 100 + $2)) ]
	done <"$1"
}

@test "pools, blocks and types are those that the interpreter has" {
	start_objects 20000
	jq -e '.complete and (has("variant") or has("missing") | not)' heap
	diff <(own_classes) <(jq -r '.classes[] | "\(.size) \(.pools) \(.count) \(.free_count)"' heap)
	[ "$(jq .arena_count heap)" = "$(own 'arenas allocated current')" ]
	[ "$(jq .in_use heap)" = "$(own 'bytes in allocated blocks')" ]
	[ "$(jq .unused_pools heap)" = "$(sed -n 's/^\([0-9,]*\) unused pools .*/\1/p' stats)" ]
	local free
	free=$(($(own 'bytes in available blocks') + $(jq '.unused_pools * .pool_size' heap)))
	[ "$(jq .free heap)" -eq "$free" ]
	# A list that is being built, and those of the garbage collector itself.
	compare_types objects 20
	# The interpreter has others of its own.
	compare_types others 12000
	jq -e '([.types[].bytes] | add) + .untyped.bytes == .in_use' heap
	jq -e '([.types[].count] | add) + .untyped.count == ([.classes[].count] | add)' heap
}

@test "the process is not changed" {
	start_objects 5000
	local before after
	before=$(grep VmRSS "/proc/$TARGET_PID/status")
	procmem heap "$TARGET_PID" >/dev/null
	after=$(grep VmRSS "/proc/$TARGET_PID/status")
	[ "$before" = "$after" ]
}

@test "text" {
	start_objects 20000
	run -0 procmem heap -n 3 "$TARGET_PID"
	[[ $output == *$'\npython 3.'*'  pymalloc: in use '*' in '*' arenas of '* ]]
	[[ $output == *'COUNT '*' BYTES '*' SHARE% PYTHON TYPE'* ]]
	[[ $output == *' more types (all: -a)'* ]]
	run -0 procmem heap -a "$TARGET_PID"
	[[ $output == *' Session'* ]]
	[[ $output == *' Größe'* ]]
	run -0 procmem heap --csv "$TARGET_PID"
	[[ $output != *'PYTHON TYPE'* ]]
	run -0 procmem heap --size 32 "$TARGET_PID"
	[[ $output != *'PYTHON TYPE'* ]]
}

@test "without pymalloc" {
	program_start env PYTHONMALLOC=malloc "$python" -c 'import signal
print("ready", flush=True)
signal.pause()'
	target_await ready
	run -0 procmem heap --json "$TARGET_PID"
	jq -e '.python | .arena_count == 0 and (.types | length) == 0 and
		(.variant | contains("PYTHONMALLOC=malloc"))' <<<"$output"
	run -0 procmem heap "$TARGET_PID"
	[[ $output == *$'\npython 3.'*'objects are probably in malloc'* ]]
}

@test "with debug hooks" {
	start_objects 5000 PYTHONMALLOC=debug
	jq -e '.variant | contains("debug")' heap
	diff <(own_classes) <(jq -r '.classes[] | "\(.size) \(.pools) \(.count) \(.free_count)"' heap)
	compare_types objects 20
}

@test "a stopped process and a core file" {
	start_objects 5000
	procmem heap --stop --json "$TARGET_PID" | jq .python >stopped
	diff heap stopped
	procmem dump --core --stop -o core "$TARGET_PID"
	procmem heap --json core | jq .python >of_core
	diff <(jq '{arena_count, in_use, classes, types}' heap) <(jq '{arena_count, in_use, classes, types}' of_core)
}

@test "--growth names the class that grows" {
	program_start "$python" "$PROCMEM_SOURCE/tests/cli/support/python_grows.py" objects
	target_await ready
	run -0 --separate-stderr procmem heap --growth 2s --json "$TARGET_PID"
	jq -e '.python.types | .[:2] | any(.type == "Session" and .net_count > 0)' <<<"$output"
	run -0 --separate-stderr procmem heap --growth 2s "$TARGET_PID"
	[[ $output == *'NEW/S '*' NET PYTHON TYPE'*' Session'* ]]
}

@test "--growth acquits Python if malloc leaks" {
	program_start "$python" "$PROCMEM_SOURCE/tests/cli/support/python_grows.py" malloc
	target_await ready
	run -0 --separate-stderr procmem heap --growth 2s --json "$TARGET_PID"
	jq -e '.survivors[0] | .size == 1008 and .net_count > 0' <<<"$output"
	jq -e '.net_bytes > 100 * .python.net_bytes' <<<"$output"
	jq -e '[.python.types[].type] | index("Session") == null' <<<"$output"
}

@test "a process without Python has no such part" {
	target_start leaker arenas 0
	run -0 procmem heap --json "$TARGET_PID"
	jq -e 'has("python") | not' <<<"$output"
}
