#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch` of processes that belong together: --children, --cgroup, --all-processes, --follow.

setup() {
	load ../support/helper
	out=$BATS_TEST_TMPDIR/out
	watcher=
}

teardown() {
	[ -z "$watcher" ] || kill -KILL "$watcher" 2>/dev/null || true
	targets_stop
	json_check
}

# Starts a shell with a leaker that grows on command, and two further children that do not. Targets
# have a further child, which cleans up after them. Sets PARENT, CHILD, REST and OTHER. The child obeys target_tell.
start_tree() {
	spawn setpriv --pdeathsig KILL bash -c "
		sleep 1000 & sleep 1000 &
		'$PROCMEM_TARGETS/leaker' merged 1048576 stepped <&0 &
		printf 'children %d %d %d\n' \$(jobs -p)
		trap 'kill \$(jobs -p) 2>/dev/null' TERM EXIT
		wait"
	PARENT=$TARGET_PID
	local line
	line=$(target_await children)
	read -r _ REST OTHER CHILD <<<"$line"
	target_await ready >/dev/null
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

	spawn setpriv --pdeathsig KILL bash -c 'read -r; sleep 1000 & printf "started %d\n" $!; wait'
	start_watch --plain -i 0.1 --children "$TARGET_PID"
	await "^ *$TARGET_PID bash "
	printf 'go\n' >&"$TARGET_IN"
	local line
	line=$(target_await started)
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
	[[ $(head -n 1 "$out") =~ ^$CHILD\ leaker\ grows:\ .*\(ste(ady|ps)\)\;\ the\ other\ [0-9]+\ do\ not ]]
	[[ $(awk '$1 == "sum"' "$out") =~ ste(ady|ps) ]]
	grep -q "^regions of a process: procmem watch $CHILD$" "$out"
	# Each line fits a terminal of 80 columns, except the last column of the table.
	[ "$(head -n 1 "$out" | wc -L)" -le 80 ]
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
	load ../support/family
	start_hidden
	# shellcheck disable=SC2016 # bash expands that
	run -0 unshare -m bash -c '
		mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc || exit
		exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$1" watch -i 0.1 -c 1 --cgroup "$0"' \
		"$TARGET_PID" "$PROCMEM_BIN"
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
