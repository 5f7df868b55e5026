#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes that belong together: --children and --cgroup of map, strings and grep, processes that end,
# and processes that cannot be read.

setup() {
	load support/helper
	GROUP_FOLDER=
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

# Starts a process with two children, which end with it. All three share 12 MiB, and each child has a
# text of its own. Sets FAMILY to their PIDs, the parent first.
start_family() {
	require python3
	program_start python3 -u -c '
import mmap, os, sys, ctypes
shared = mmap.mmap(-1, 12 << 20)
for at in range(0, len(shared), 4096):
	shared[at] = 1
pids = [os.getpid()]
for name in "first", "second":
	told, tell = os.pipe()
	pid = os.fork()
	if pid == 0:
		ctypes.CDLL(None).prctl(1, 9)
		sum(shared[at] for at in range(0, len(shared), 4096))
		own = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		own[:40] = ("text of the %s child" % name).encode().ljust(40, b"!")
		os.write(tell, b".")
		sys.stdin.read()
	os.read(told, 1)
	pids.append(pid)
print("family", *pids)
sys.stdin.read()'
	local line
	line=$(target_await family)
	read -ra FAMILY <<<"${line#family }"
	[ "${#FAMILY[@]}" -eq 3 ]
}

# The processes of a family in the order of their PIDs.
sorted_family() {
	printf '%s\n' "${FAMILY[@]}" | sort -n
}

@test "map --children: a row for each process, with the figures of the kernel" {
	start_family
	run -0 procmem map --children --csv --sort pid -o pid,rss,count,name "$TARGET_PID"
	[ "${lines[0]}" = pid,rss,count,name ]
	[ "$(tail -n +2 <<<"$output" | cut -d , -f 1)" = "$(sorted_family)" ]
	for pid in "${FAMILY[@]}"; do
		local rss
		rss=$(($(sed -n 's/^Rss: *\([0-9]*\) kB/\1/p' "/proc/$pid/smaps_rollup") * 1024))
		grep -qx "$pid,$rss,$(wc -l <"/proc/$pid/maps"),$(<"/proc/$pid/comm")" <<<"$output"
	done
	# The first line has the sum, in which the shared memory counts once.
	run -0 procmem map --children --bytes "$TARGET_PID" --mapping zero
	[[ ${lines[0]} =~ ^'3 processes: PSS '([0-9]+)' (shared pages once), of which 0 is not shared'$ ]]
	# The kernel rounds the PSS of each process down to KiB.
	[ "${BASH_REMATCH[1]}" -le $((12 << 20)) ]
	[ "${BASH_REMATCH[1]}" -ge $(((12 << 20) - 3 * 1024)) ]
	[ "$(grep -c ' 12582912 ' <<<"$output")" -eq 3 ]
	run -0 procmem map --children --top 1 "$TARGET_PID"
	[[ $output == *'2 more processes'* ]]
	run -0 procmem map --children --columns help
	[[ $output == *'no other process shares'* ]]
	# At 80 columns, the first line is the answer.
	COLUMNS=80 run -0 procmem map --children "$TARGET_PID"
	[ "${#lines[0]}" -le 80 ]
	[[ ${lines[0]} == '3 processes: PSS '* ]]
	# A leaf is a family of one process.
	run -0 procmem map --children "${FAMILY[1]}"
	[[ ${lines[0]} == '1 process: PSS '* ]]
}

@test "map --by --children: each process, and one sum in which shared memory counts once" {
	require jq
	start_family
	run -0 procmem map --children --by kind "$TARGET_PID"
	for pid in "${FAMILY[@]}"; do
		[ "$(grep -c "^$(<"/proc/$pid/comm") ($pid) " <<<"$output")" -eq 1 ]
	done
	[ "$(grep -c '^total  *[0-9]' <<<"$output")" -eq 4 ]
	grep -q '^total of 3 processes: .*RSS counts a shared page in each process' <<<"$(tr '\n' ' ' <<<"$output" | sed 's/total of/\n&/')"

	run -0 procmem map --children --by kind --json "$TARGET_PID" --mapping zero
	jq -se --argjson family "[$(sorted_family | paste -sd ,)]" '
		(map(.pid) == $family + [null]) and (last | .process_count == 3 and .ended_count == 0 and
		.unreadable_count == 0 and .left_out_count == 0 and .total.rss == 3 * 12 * 1024 * 1024 and
		(.groups | length) == 1 and .groups[0].rss == .total.rss and .groups[0].pss == .total.pss and
		(.total.pss - 12 * 1024 * 1024 | fabs) <= 3 * 1024)' <<<"$output"

	# Each group is the sum of the groups of the processes.
	run -0 procmem map --children --by perms --json "$TARGET_PID"
	jq -se '(.[:-1] | map(.groups[]) | group_by(.perms) | map({(.[0].perms): (map(.rss) | add)}) | add) ==
		(last | .groups | map({(.perms): .rss}) | add)' <<<"$output"
	run -0 procmem map --children --by mapping --json "$TARGET_PID"
	jq -se 'last | (.groups | map(.size) | add) == .total.size' <<<"$output"
	# Threads and arenas belong to one process each.
	run -0 procmem map --children --by thread --json "$TARGET_PID"
	jq -se 'last | has("groups") | not' <<<"$output"
	# A single process also has the object with the sums.
	run -0 procmem map --children --json "${FAMILY[1]}"
	jq -se 'length == 2 and last.process_count == 1' <<<"$output"
}

@test "grep and strings --children: the process that has the text" {
	require jq
	start_family
	run -0 procmem grep --children -o 'text of the \w+ child!' "$TARGET_PID" anon
	[ "$(sort -t : -k 2 <<<"$output")" = "${FAMILY[1]}:text of the first child!
${FAMILY[2]}:text of the second child!" ]
	run -0 procmem grep --children --json 'text of the second child!' "$TARGET_PID" anon
	jq -se --argjson pid "${FAMILY[2]}" 'map(.pid) == [$pid]' <<<"$output"
	run -0 procmem strings --children -q "$TARGET_PID" anon
	grep -q "^${FAMILY[1]}:.*text of the first child!" <<<"$output"
	run -0 procmem strings --children -q --json "$TARGET_PID" anon
	jq -se --argjson pid "${FAMILY[1]}" 'map(select(.text | startswith("text of the first child!")).pid) == [$pid]' <<<"$output"
	# A single process has its PID, too.
	run -0 procmem grep --children -o 'text of the first child!' "${FAMILY[1]}" anon
	[ "$output" = "${FAMILY[1]}:text of the first child!" ]
	# Nothing, and no such region.
	run -1 procmem grep --children 'text of the [t]hird child!' "$TARGET_PID" anon
	run -1 --separate-stderr procmem grep --children x "$TARGET_PID" '[none]'
	[ "$stderr" = 'procmem: no region is called [none]' ]
	run -1 --separate-stderr procmem map --children "$TARGET_PID" --min-size 1T
	[ "$(grep -c 'matches the filters' <<<"$stderr")" -eq 1 ]
}

@test "a tree has the grandchildren, and not procmem itself" {
	program_start bash -c 'echo "shell $$"; "$@" map --children --csv -o pid,name "$$"; echo "done"; read -r' \
		bash "$PROCMEM_BIN"
	local listed
	listed=$(sed '/^done/q' <&"$TARGET_OUT")
	grep -q "^$TARGET_PID,bash" <<<"$listed"
	[[ $listed != *procmem* ]]
	targets_stop
	program_start bash -c 'setpriv --pdeathsig KILL bash -c "setpriv --pdeathsig KILL sleep 1000 & echo grandchild \$!; wait" & wait'
	local line
	line=$(target_await grandchild)
	until [ "$(<"/proc/${line#grandchild }/comm")" = sleep ]; do :; done
	run -0 procmem map --children --csv -o pid,name "$TARGET_PID"
	[ "$(tail -n +2 <<<"$output" | cut -d , -f 2 | sort | tr '\n' ' ')" = 'bash bash sleep ' ]
	grep -qx "${line#grandchild },sleep" <<<"$output"
}

@test "--cgroup: the processes of the cgroup and no others" {
	start_family
	cgroup_make $((256 << 20)) "${FAMILY[0]}" "${FAMILY[2]}"
	run -0 procmem map --cgroup --csv --sort pid -o pid "$TARGET_PID"
	[ "$(tail -n +2 <<<"$output")" = "$(sort -n "$GROUP_FOLDER/cgroup.procs")" ]
	run -0 procmem map --cgroup "${FAMILY[2]}"
	[[ $output == "2 processes of cgroup "*"$(basename "$GROUP"): PSS"* ]]
	run -0 procmem map --cgroup --by object --json "$TARGET_PID"
	jq -se --arg group "$(basename "$GROUP")" 'last | .process_count == 2 and (.cgroup | endswith($group))' <<<"$output"
	run -0 procmem grep --cgroup -o 'text of the \w+ child!' "$TARGET_PID" anon
	[ "$output" = "${FAMILY[2]}:text of the second child!" ]
	run -0 procmem strings --cgroup -q "$TARGET_PID" anon
	[[ $output != *'text of the first child!'* ]]
	grep -q "^${FAMILY[2]}:.*text of the second child!" <<<"$output"
}

@test "a process that ends before it is read is a note" {
	target_copy hog
	target_start "$TARGET_NAME"
	local one=$TARGET_PID
	target_start "$TARGET_NAME"
	local last=$((one > TARGET_PID ? one : TARGET_PID)) status=0
	# The output of the first process is not read, so that the last one ends before it is searched.
	start_blocked grep --all-processes -m 200000 -o '[\x00-\xff]' "$TARGET_NAME"
	kill -KILL "$last"
	wait "$last" || true
	cat <&"$READER" >"$BATS_TEST_TMPDIR/found"
	wait "$BLOCKED" || status=$?
	[ "$status" -eq 0 ]
	grep -qx "procmem: note: 1 process ended before all of its memory was read: $last ($TARGET_NAME)" "$BATS_TEST_TMPDIR/errors"
	# The first byte was read by start_blocked.
	[ "$(tail -n +2 "$BATS_TEST_TMPDIR/found" | grep -ao '^[0-9][0-9]*:' | sort -u)" = "$((one + TARGET_PID - last)):" ]
	# A zombie is not listed, and a PID that the user has given must exist.
	run -0 --separate-stderr procmem map --all-processes --by kind "$TARGET_NAME"
	[ -z "$stderr" ]
	run -2 --separate-stderr procmem map --by kind "$last,$((one + TARGET_PID - last))"
	[[ $stderr == *"$last"* ]]
}

@test "a process that cannot be read is named and counted, and the others are read" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
	local name=pmfam$$
	spawn setpriv --pdeathsig KILL bash -c "exec -a $name sleep 1000"
	local hidden=$TARGET_PID
	spawn setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --pdeathsig KILL bash -c "exec -a $name sleep 1000"
	for pid in "$hidden" "$TARGET_PID"; do
		until [[ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" == "$name "* ]]; do :; done
	done
	for words in 'map --by kind' 'strings -u' 'grep -c'; do
		local command=${words%% *} operands=("$name")
		[ "$command" != grep ] || operands=(-e ELF "$name")
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr as_nobody $command ${words#"$command"} --all-processes "${operands[@]}"
		[[ $output == *"$TARGET_PID"* ]]
		[[ $stderr == *"process $hidden"*$'\n''procmem: 1 process of 2 could not be read' ]]
	done
	run -2 --separate-stderr as_nobody map --all-processes --json "$name"
	[[ $stderr == *'could not be read' ]]
	run -2 --separate-stderr as_nobody map --children "$hidden"
	[ -z "$output" ]
	[[ $stderr == *'procmem: 1 process of 1 could not be read' ]]
}

@test "options that need one process, and options that exclude each other" {
	target_start hog
	for command in map strings 'grep x'; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr procmem $command --children "$TARGET_PID,$$"
		[[ $stderr == *"'$TARGET_PID,$$': --children and --cgroup need one process"* ]]
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem $command --children "/proc/$TARGET_PID/smaps_none"
		[[ $stderr == *'/smaps_none'* ]]
		# shellcheck disable=SC2086
		run -2 procmem $command --children --cgroup "$TARGET_PID"
		# shellcheck disable=SC2086
		run -2 procmem $command --children --all-processes hog
		# shellcheck disable=SC2086
		run -2 procmem $command --cgroup 99999999
	done
	cp "/proc/$TARGET_PID/smaps" "$BATS_TEST_TMPDIR/smaps"
	run -2 --separate-stderr procmem map --children "$BATS_TEST_TMPDIR/smaps"
	[[ $stderr == *'not a living process'* ]]
	run -2 procmem map --children --pmap "$TARGET_PID"
	run -2 procmem map --children --why "$TARGET_PID"
	start_family
	run -2 --separate-stderr procmem map --children --by kind --csv "$TARGET_PID"
	[[ $stderr == *'--csv lists only one process'* ]]
}
