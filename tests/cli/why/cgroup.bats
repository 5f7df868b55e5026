#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why --cgroup PATH`: the parts are those of the kernel, and the cause is what the target was told to do.

setup() {
	load ../support/helper
	load ../support/curve
	load ../support/around
	load ../support/causes
	folder= SPOOL=
}

teardown() {
	targets_stop
	[ -z "$folder" ] || umount "$folder"
	tmpfs_unmount
	cgroup_remove
	json_check
}

# Prints a value of memory.stat: its name with v1, and with v2.
stat_of() {
	awk -v one="$1" -v two="$2" '$1 == one || $1 == two { print $2; exit }' "$GROUP_FOLDER/memory.stat"
}

# Prints the bytes of a part of the last output.
part() {
	jq --arg part "$1" '.group.parts[] | select(.cgroup_part == $part).bytes' <<<"$output"
}

@test "it names the largest parts, and investigates the largest process" {
	target_start charger
	local small=$TARGET_PID
	target_start charger
	cgroup_make $((512 << 20)) "$small" "$TARGET_PID"
	target_tell 'anon 40'
	target_tell 'memfd 20'
	run --separate-stderr procmem why --json --for 1s --cgroup "$GROUP"
	[ "$status" -le 1 ]
	jq -e --arg path "$GROUP" --argjson pid "$TARGET_PID" \
		'.group.path == $path and .group.max == 536870912 and .target.pid == $pid' <<<"$output"
	[ "$(part anon)" -ge $((40 << 20)) ]
	[ "$(part shmem)" -ge $((20 << 20)) ]
	local tolerance=$((2 << 20)) anon
	anon=$(stat_of total_rss anon)
	[ "$(part anon)" -ge $((anon - tolerance)) ] && [ "$(part anon)" -le $((anon + tolerance)) ]
	run procmem why --for 1s --cgroup "$GROUP_FOLDER"
	[[ $output = "cgroup $GROUP: "*' of 512.0M; processes (anonymous) 4'*', tmpfs and shared memory 20.'* ]]
}

@test "files in a tmpfs that grow are the cause" {
	target_start charger
	cgroup_make $((512 << 20)) "$TARGET_PID"
	mkdir "$BATS_TEST_TMPDIR/tmpfs"
	mount -t tmpfs -o size=200m procmem_test "$BATS_TEST_TMPDIR/tmpfs" 2>/dev/null ||
		skip 'no right to mount'
	folder=$BATS_TEST_TMPDIR/tmpfs
	mkdir "$folder/spool"
	"$PROCMEM_BIN" why --json --for 6s --cgroup "$GROUP" >"$BATS_TEST_TMPDIR/out" 3>&- &
	local why=$!
	while kill -0 "$why" 2>/dev/null; do
		target_tell "grow $folder/spool/data"
		target_tell "grow $folder/spool/data"
		sleep 0.1
	done
	wait "$why" || true
	json_keep why "$BATS_TEST_TMPDIR/out"
	jq -e --arg path "$folder/spool" '.findings[0] | .id == "tmpfs" and .rate > 65536 and
		(.evidence | any(contains($path)))' "$BATS_TEST_TMPDIR/out"
}

# bats test_tags=timed
@test "another process of the cgroup grows; one outside of it does not matter" {
	retry_timed
	local still grower left
	target_start charger
	still=$TARGET_PID
	target_start leaker merged 4194304
	grower=$TARGET_PID
	cause_word[member]=leaked
	cause member "$still"
	cause_start outside causes small 8
	cgroup_make $((900 << 20)) "$still" "$grower"
	causes_judge

	left=$(((900 << 20) - $(stat_of total_rss anon)))
	first member '.id == "group_process" and .pid == '"$grower"' and (.rate | near($rate)) and .limit.name == "cgroup" and soon('$left'; $rate)'
	acquitted outside
}

# bats test_tags=timed
@test "memory of the kernel grows: page tables; memory of the process is not that of the kernel" {
	retry_timed
	cause_start tables causes tables 500
	cause_start anonymous causes anonymous 500
	cgroup_make $((900 << 20)) "${cause_pid[tables]}"
	causes_judge

	first tables '.id == "kernel_memory" and (.rate | near($rate * 4096)) and .limit.name == "cgroup"'
	jq -e 'all(.findings[]; .id != "kernel_memory")' "$BATS_TEST_TMPDIR/anonymous.json"
}

# bats test_tags=timed
@test "files of a process that is not in the cgroup do not fill it" {
	retry_timed
	tmpfs_mount
	mkdir "$SPOOL/queue"
	target_start filler 4194304 "$SPOOL/queue/"
	cause_start still causes small 8
	cgroup_make $((900 << 20)) "$TARGET_PID"
	causes_judge

	jq -e 'all(.findings[]; .id != "tmpfs")' "$BATS_TEST_TMPDIR/still.json"
}

@test "a cgroup without processes, and wrong words, are errors" {
	cgroup_make $((64 << 20))
	run -2 procmem why --cgroup "$GROUP"
	[[ $output = *'has no process to investigate'* ]]
	run -2 procmem why --cgroup "$GROUP" 1
	run -2 procmem why --cgroup /no/such/cgroup
	run -2 procmem why
	[[ $output = *'TARGET'* ]]
}
