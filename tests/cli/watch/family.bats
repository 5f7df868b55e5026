#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch` of processes that belong together: --children, --cgroup, --all-processes, --follow.

setup() {
	load ../support/helper
	load ../support/family
	out=$BATS_TEST_TMPDIR/out
	watcher=
}

teardown() {
	[ -z "$watcher" ] || kill -KILL "$watcher" 2>/dev/null || true
	targets_stop
	cgroup_remove
	json_check
}

# Waits until a line of the output matches.
await() {
	local i
	for ((i = 0; i < 1200; i++)); do
		! grep -Eq -- "$1" "$out" || return 0
		sleep 0.05
	done
	tail -n 12 "$out"
	return 1
}

# Starts watch in the background.
start_watch() {
	"$PROCMEM_BIN" watch "$@" >"$out" 2>"$out.errors" 3>&- &
	watcher=$!
}

stop_watch() {
	kill -TERM "$watcher"
	wait "$watcher"
	watcher=
}

# The memory of a process by the kernel's status, in bytes.
memory_of() {
	awk '$1 == "VmRSS:" || $1 == "VmSwap:" { sum += $2 } END { print sum * 1024 }' "/proc/$1/status"
}

@test "a tree: each process has its own growth, and the sum is that of all" {
	start_tree
	start_watch --json -i 0.1 --children "$PARENT"
	await '"family"'
	target_tell 'pass 8'
	local memory
	memory=$(memory_of "$CHILD")
	# The kernel counts the resident memory of a process in batches: allow 256 KiB.
	# All of the growth is there at the second sample after it at the latest.
	local samples
	samples=$(grep -c '"family"' "$out")
	until [ "$(grep -c '"family"' "$out")" -ge $((samples + 2)) ]; do sleep 0.05; done
	stop_watch
	json_keep watch "$out"
	jq -se --argjson parent "$PARENT" --argjson child "$CHILD" --argjson rest "$REST" --argjson memory "$memory" '
		(map(select(.summary and .pid == $child)) | .[0] | .rss + .swap - $memory | fabs <= 262144) and
		([.[] | select(.summary and .pid)] | map(.pid) | contains([$parent, $child, $rest])) and
		(.[-1].family | .which == "children" and .pid == $parent and .members >= 4 and .ended_count == 0
			and .growth >= 8 * 1048576 - 262144 and .growth <= 9 * 1048576) and
		(map(select(.summary and .pid == $child)) | .[0].growth | . >= 8 * 1048576 - 262144 and . <= 9 * 1048576) and
		(map(select(.summary and .pid == $rest)) | .[0].growth | . < 262144)' "$out"
}

@test "a child that starts later gets a row, and one that ends keeps its row" {
	start_tree
	start_watch --plain -i 0.1 --children "$PARENT"
	await "^ *$CHILD leaker "
	kill -KILL "$OTHER"
	await "^ *$OTHER sleep .* exited after "
	stop_watch
	[[ $(grep -c "^ *$OTHER sleep .* exited after " "$out") -ge 1 ]]
	grep -q 'in ended ones: 1' "$out"
	grep -Eq "^[0-9]+ processes of the tree of $PARENT bash for .*, ended: interrupted$" "$out"

	spawn setpriv --pdeathsig KILL bash -c 'echo ready; read -r; sleep 1000 & printf "started %d\n" $!; wait'
	target_await ready >/dev/null
	start_watch --plain -i 0.1 --children "$TARGET_PID"
	await "^ *$TARGET_PID bash "
	printf 'go\n' >&"$TARGET_IN"
	local line
	line=$(target_await started)
	TARGETS+=("${line#started }")
	await "^ *${line#started } .* new$"
	stop_watch
	grep -q 'in new ones: 1' "$out"
	kill -KILL "${line#started }"
}

# bats test_tags=timed
@test "the first line of the summary says which process grows, and the memory of an ended one does not hide it" {
	retry_timed
	start_tree
	start_watch -i 0.5 --for 16s --children "$PARENT"
	local i
	for ((i = 0; 1; i++)); do
		kill -0 "$watcher" 2>/dev/null || break
		target_tell 'pass 1'
		[ "$i" -ne 12 ] || kill -KILL "$OTHER"
		sleep 0.5
	done
	wait "$watcher"
	watcher=
	cat "$out"
	[[ $(head -n 1 "$out") =~ ^$CHILD\ leaker\ grows:\ .*\(ste(ady|ps)\)\;\ $PARENT\ itself\ and\ [0-9]+\ others\ do\ not$ ]]
	[[ $(awk '$1 == "sum"' "$out") =~ ste(ady|ps) ]]
	grep -q "^regions of a process: procmem watch $CHILD$" "$out"
	# Each line fits a terminal of 80 columns, except the last column of the table.
	[ "$(head -n 1 "$out" | wc -L)" -le 80 ]
}

@test "a process that calls exec starts again with its growth" {
	spawn setpriv --pdeathsig KILL bash -c 'echo ready; read -r; exec "$0" merged 1048576 stepped' "$PROCMEM_TARGETS/leaker"
	target_await ready >/dev/null
	start_watch --plain --bytes -i 0.1 --children "$TARGET_PID"
	await "^ *$TARGET_PID bash "
	printf 'go\n' >&"$TARGET_IN"
	target_await ready >/dev/null
	await "^ *$TARGET_PID leaker .*called exec$"
	# What the new program allocates is its growth. The kernel counts in batches: allow 256 KiB.
	target_tell 'pass 8'
	await "^ *$TARGET_PID leaker +[0-9]+ +\+8[1-9][0-9]{5} "
	stop_watch
	# The leaker starts a process that cleans up after it.
	grep -q 'in new ones: 1,' "$out"
	grep -q 'in ones that called exec: 1$' "$out"
	run ! grep 'in ended ones' "$out"
}

@test "a process that cannot be watched, and a name that no process has, are errors" {
	target_start zombie_parent
	run -2 --separate-stderr procmem watch --children -c 1 "$(target_fact zombie)"
	[[ $stderr == *'it is a zombie and has no memory; its parent '* && -z $output ]]
	run -2 --separate-stderr procmem watch --follow -i 0.1 -c 2 "pmnone$$"
	[[ $stderr == *"procmem: no process is called 'pmnone$$'" ]]
	[[ $output == "waiting for a process named pmnone$$"* ]]
}

@test "workers that are replaced: 32 ended ones keep a row, and all are counted" {
	spawn setpriv --pdeathsig KILL bash -c 'echo ready; while read -r _ number; do
		sleep 1000 & echo "worker $! $number"; read -r; kill -KILL $!; wait $! 2>/dev/null; echo "gone $number"; done'
	target_await ready >/dev/null
	start_watch --json -i 0.1 -n 99 --children "$TARGET_PID"
	await '"family"'
	local i line
	for ((i = 0; i < 36; i++)); do
		printf 'start %d\n' $i >&"$TARGET_IN"
		line=$(target_await "worker ")
		read -r _ line _ <<<"$line"
		await "\"pid\":$line,"
		printf 'end\n' >&"$TARGET_IN"
		target_await "gone $i" >/dev/null
		await "\"pid\":$line,.*\"ended\":\"exited"
	done
	stop_watch
	# The rows are those of the shell and of 32 workers; 36 have ended.
	[ "$(grep -c '"summary":true,"pid"' "$out")" -eq 33 ]
	jq -se '.[-1].family | .ended_count == 36 and .members == 1 and .released == 0' "$out"
}

@test "the limit that the processes share, and what the kernel killed there" {
	require jq
	start_tree
	cgroup_make $((64 << 20)) "$CHILD"
	start_watch --json -i 0.1 --cgroup "$CHILD"
	await '"first_limit"'
	jq -se --argjson child "$CHILD" --arg name "/${GROUP##*/}" '[.[] | select(.family)] | .[-1].family |
		(.path | endswith($name)) and .members == 1 and .first_limit.max == 67108864' <(grep '"family"' "$out")
	# It grows until the kernel kills it.
	printf 'pass 80\n' >&"$TARGET_IN"
	await "\"pid\":$CHILD,.*\"ended\":\"exited.*the kernel killed a process of the cgroup for lack of memory"
	wait "$watcher" || true
	watcher=
	json_keep watch "$out"
	[ "$(jq -rs '.[-1].ended' "$out")" = 'all processes have ended' ]
}

@test "all processes of a name, also those that start later" {
	target_copy grower
	target_start "$TARGET_NAME"
	local first=$TARGET_PID
	start_watch --json -i 0.1 --all-processes "$TARGET_NAME"
	await "\"pid\":$first,"
	target_start "$TARGET_NAME"
	await "\"pid\":$TARGET_PID,"
	kill -KILL "$first"
	await "\"pid\":$first,.*\"ended\":\"exited"
	stop_watch
	json_keep watch "$out"
	jq -se --arg name "$TARGET_NAME" '.[-1].family | .which == "all-processes" and .name == $name and .members == 1 and .ended_count == 1' "$out"
}

@test "a process is followed over a restart, and watch waits for the first one" {
	target_copy grower
	start_watch --plain -i 0.1 --follow "$TARGET_NAME"
	await "^waiting for a process named $TARGET_NAME$"
	target_start "$TARGET_NAME"
	local first=$TARGET_PID
	await "^ *$first "
	kill -KILL "$first"
	await "^PID $first exited.*; waiting for a process named $TARGET_NAME$"
	target_start "$TARGET_NAME"
	await "^restarted: PID $first exited.*, now $TARGET_PID$"
	await "^ *$TARGET_PID .*new$"
	stop_watch
	grep -q "^following $TARGET_NAME for " "$out"

	start_watch --json -i 0.1 --follow "$TARGET_NAME"
	await "\"pid\":$TARGET_PID,"
	local before=$TARGET_PID
	kill -KILL "$before"
	await '"event":"follow".*"text":"PID .*waiting for a process'
	target_start "$TARGET_NAME"
	await "\"event\":\"follow\",.*\"pid\":$TARGET_PID,\"previous_pid\":$before,\"text\":\"restarted"
	stop_watch
	json_keep watch "$out"
	jq -se '.[-1].family.lives | .ended_count == 1 and .known_count == 1 and .peak_seen > 0
		and .shortest_seconds == .longest_seconds and .longest_seconds > 0' "$out"
	jq -se '[.[] | select(.family)] | .[0].family | has("lives") | not' "$out"
}

@test "the processes of a cgroup" {
	start_tree
	run -0 procmem watch --json -i 0.1 -c 1 --cgroup "$PARENT"
	local group
	group=$(jq -rs '.[-1].family.path' <<<"$output")
	# A process can be in a cgroup below.
	local path
	path=$(awk -F: '$2 ~ /(^|,)memory(,|$)/ { print $3; found = 1 } $1 == 0 { unified = $3 } END { if (!found) print unified }' "/proc/$PARENT/cgroup")
	[ "$group" = "$path" ]
	jq -se --argjson parent "$PARENT" --argjson child "$CHILD" 'map(.pid) | index($parent) and index($child)' <<<"$output"
}

@test "a process that /proc hides is counted, and named with the reason" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
	unshare -m true 2>/dev/null || skip 'no right to mount'
	start_hidden
	export -f as_nobody
	# shellcheck disable=SC2016 # bash expands that
	run -0 unshare -m bash -c '
		mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc || exit
		as_nobody watch -i 0.1 -c 1 --cgroup "$0"' "$TARGET_PID"
	[[ $output == *'processes that cannot be read, and are not in the sum: '* ]]
	[[ $output == *"$HIDDEN"*': '* || $output == *' more'* ]]
}

@test "options of a single process are refused, and the kinds of families exclude each other" {
	start_tree
	for words in '--peek 3' '--on rss>1G' "--record $BATS_TEST_TMPDIR/x" '-o size' '-k anon' '--heap'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr procmem watch --children $words "$PARENT"
		[[ $stderr == *'needs a single process'* && -z $output ]]
	done
	run -2 procmem watch --children --cgroup "$PARENT"
	run -2 procmem watch --children -c 1 999999999
	[ ! -e "$BATS_TEST_TMPDIR/x" ]
}

# bats test_tags=timed
@test "a process names a child that grows although it does not grow itself" {
	retry_timed
	start_tree
	start_watch --json -i 0.5 --for 16s "$PARENT"
	await '"elapsed"'
	while kill -0 "$watcher" 2>/dev/null; do
		target_tell 'pass 1'
		sleep 0.5
	done
	wait "$watcher"
	watcher=
	json_keep watch "$out"
	jq -se --arg child "child $CHILD leaker" '.[-1].around | startswith($child)' "$out"
}
