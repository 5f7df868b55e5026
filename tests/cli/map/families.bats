#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem map` of processes that belong together: --children, --cgroup and --all-processes.

setup() {
	load ../support/helper
	load ../support/family
	GROUP_FOLDER=
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

@test "--children: a row for each process, with the figures of the kernel" {
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
	run -1 --separate-stderr procmem map --children "$TARGET_PID" --min-size 1T
	[ "$(grep -c 'matches the filters' <<<"$stderr")" -eq 1 ]
	# A leaf is a family of one process.
	run -0 procmem map --children "${FAMILY[1]}"
	[[ ${lines[0]} == '1 process: PSS '* ]]
}

@test "--by --children: each process, and one sum in which shared memory counts once" {
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
	require jq
	start_family
	cgroup_make $((256 << 20)) "${FAMILY[0]}" "${FAMILY[2]}"
	run -0 procmem map --cgroup --csv --sort pid -o pid "$TARGET_PID"
	[ "$(tail -n +2 <<<"$output")" = "$(sort -n "$GROUP_FOLDER/cgroup.procs")" ]
	run -0 procmem map --cgroup "${FAMILY[2]}"
	[[ $output == "2 processes of cgroup "*"${GROUP##*/}: PSS"* ]]
	run -0 procmem map --cgroup --by object --json "$TARGET_PID"
	jq -se --arg group "${GROUP##*/}" 'last | .process_count == 2 and (.cgroup | endswith($group))' <<<"$output"
}

@test "a process that has ended is not listed, but a PID that the user has given must exist" {
	target_copy hog
	target_start "$TARGET_NAME"
	local first=$TARGET_PID
	target_start "$TARGET_NAME"
	kill -KILL "$first"
	wait "$first" || true
	run -0 --separate-stderr procmem map --all-processes --by kind "$TARGET_NAME"
	[ -z "$stderr" ]
	[[ $output == *"($TARGET_PID)"* ]]
	run -2 --separate-stderr procmem map --by kind "$first,$TARGET_PID"
	[[ $stderr == *"$first"* ]]
}

@test "a process that cannot be read is named and counted, and the others are read" {
	start_hidden
	run -2 --separate-stderr as_nobody map --by kind --all-processes "$NAME"
	[[ $output == *"$TARGET_PID"* ]]
	[[ $stderr == *"process $HIDDEN"*$'\n''procmem: 1 process of 2 could not be read' ]]
	run -2 --separate-stderr as_nobody map --all-processes --json "$NAME"
	[[ $stderr == *'could not be read' ]]
	run -2 --separate-stderr as_nobody map --children "$HIDDEN"
	[ -z "$output" ]
	[[ $stderr == *'procmem: 1 process of 1 could not be read' ]]
}

@test "a process that /proc hides is named and counted" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
	unshare -m true 2>/dev/null || skip 'no right to mount'
	start_hidden
	cgroup_make $((256 << 20)) "$HIDDEN" "$TARGET_PID"
	export -f as_nobody
	# shellcheck disable=SC2016 # bash expands that
	run -2 --separate-stderr unshare -m bash -c '
		mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc || exit
		as_nobody map --cgroup "$0"' "$TARGET_PID"
	[[ $output == '1 of 2 processes of cgroup '*"${GROUP##*/}: PSS "* ]]
	[[ $stderr == *"process $HIDDEN: it does not exist or is hidden"*$'\n''procmem: 1 process of 2 could not be read' ]]
}

@test "options that need one process, and options that exclude each other" {
	target_start hog
	run -2 --separate-stderr procmem map --children "$TARGET_PID,$$"
	[[ $stderr == *"'$TARGET_PID,$$': --children and --cgroup need one process"* ]]
	run -2 --separate-stderr procmem map --children "/proc/$TARGET_PID/smaps_none"
	[[ $stderr == *'/smaps_none'* ]]
	run -2 procmem map --children --cgroup "$TARGET_PID"
	run -2 procmem map --children --all-processes hog
	run -2 procmem map --cgroup 99999999
	cp "/proc/$TARGET_PID/smaps" "$BATS_TEST_TMPDIR/smaps"
	run -2 --separate-stderr procmem map --children "$BATS_TEST_TMPDIR/smaps"
	[[ $stderr == *'not a living process'* ]]
	run -2 procmem map --children --pmap "$TARGET_PID"
	run -2 procmem map --children --why "$TARGET_PID"
	start_family
	run -2 --separate-stderr procmem map --children --by kind --csv "$TARGET_PID"
	[[ $stderr == *'--csv lists only one process'* ]]
}
