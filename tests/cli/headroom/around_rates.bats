#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem headroom --for` on processes around a target that fill memory for some time. The truth is what the targets report at the
# start and at the end.
# bats file_tags=timed

setup() {
	load ../support/helper
	load ../support/curve
	load ../support/around
	retry_timed
	folder=$BATS_TEST_TMPDIR
	watchers=()
}

teardown() {
	targets_stop
	cgroup_remove
	tmpfs_unmount
	json_check
}

# headroom_start NAME PID: measures a process in the background, into NAME.json and NAME.text.
headroom_start() {
	"$PROCMEM_BIN" headroom --json --for 14s "$2" >"$folder/$1.json" 3>&- &
	watchers+=($!)
	"$PROCMEM_BIN" headroom --for 14s "$2" >"$folder/$1.text" 3>&- &
	watchers+=($!)
}

# headroom_end NAME WORD: waits for the measurement, logs the growth for the second time, and sets rate.
headroom_end() {
	wait "${watchers[@]}"
	log_growth "$2" "$folder/log"
	json_keep headroom "$folder/$1.json"
	rate=$(log_rate "$folder/log")
	echo "rate $rate"
	cat "$folder/$1.text"
	jq -c '.fillers[]' "$folder/$1.json"
}

# The rate, and the time left of the limit, are within 15 % of the truth.
near='(.rate / $rate - 1 | fabs) < 0.15 and (.seconds_left * $rate / $left - 1 | fabs) < 0.15'

@test "a child: rate and time left" {
	parent_start leaker merged 4194304
	cgroup_make $((900 << 20)) "$PARENT" "$TARGET_PID"
	log_growth leaked "$folder/log"
	headroom_start child "$PARENT"
	headroom_end child leaked
	jq -e --argjson rate "$rate" --argjson child "$TARGET_PID" '.first_limit.left as $left | (.first_limit | .name == "cgroup" and
		(.seconds_left * $rate / .left - 1 | fabs) < 0.15) and (.fillers[0] | .pid == $child and '"$near"')
		and (.group_growth | .unexplained == 0 and (.processes_rate / .mean_rate - 1 | fabs) < 0.15)' "$folder/child.json"
	[[ $(<"$folder/child.text") != *'is not explained'* ]]
	[[ $(sed -n 2p "$folder/child.text") == "child $TARGET_PID leaker +"*"; $PARENT itself does not grow (its RSS)" ]]
}

@test "files in tmpfs, and a shared file with its writer: rate and time left" {
	local writer queue=() ring=()
	tmpfs_mount
	mkdir "$SPOOL/queue"
	target_start filler 2097152 "$SPOOL/queue/"
	queue=("$TARGET_PID" "$TARGET_IN" "$TARGET_OUT")
	target_start filler 4194304 "$SPOOL/ring"
	ring=("$TARGET_PID" "$TARGET_IN" "$TARGET_OUT")
	until [ -s "$SPOOL/ring" ]; do sleep 0.05; done
	reader_start "$SPOOL/ring"
	cgroup_make $((900 << 20)) "$TARGET_PID" "${queue[0]}" "${ring[0]}"

	TARGET_IN=${queue[1]} TARGET_OUT=${queue[2]} log_growth written "$folder/queue.log"
	TARGET_IN=${ring[1]} TARGET_OUT=${ring[2]}
	log_growth written "$folder/log"
	headroom_start files "$TARGET_PID"
	headroom_end files written
	TARGET_IN=${queue[1]} TARGET_OUT=${queue[2]} log_growth written "$folder/queue.log"

	jq -e --argjson rate "$rate" --arg path "$SPOOL/ring" --argjson pid "${ring[0]}" '.first_limit.left as $left | .fillers[] |
		select(.type == "file") | .path == $path and .writers[0].pid == $pid and .writers[0].proven_writer and '"$near"' and
		(.own_seconds_left * $rate / (.max - .bytes) - 1 | fabs) < 0.15' "$folder/files.json"
	jq -e --argjson rate "$(log_rate "$folder/queue.log")" --arg path "$SPOOL/queue/" '.first_limit.left as $left | .fillers[] |
		select(.type == "folder") | .path == $path and '"$near" "$folder/files.json"
	jq -e '.memory.verdict == "no growth" and all(.fillers[]; .type != "process") and .group_growth.unexplained == 0 and
		.group_growth.shmem_unexplained == 0' "$folder/files.json"
}
