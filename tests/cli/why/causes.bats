#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why` on processes with one known cause: it is the first finding. Beside each is a process that nearly has the cause: there it is
# not found. The truth is what the targets report at the start and at the end.
# shellcheck disable=SC2034,SC2153,SC2154 # causes.bash declares cause_word and cause_pid, whose keys are names
# bats file_tags=timed

setup() {
	load ../support/helper
	load ../support/curve
	load ../support/around
	load ../support/causes
	retry_timed
}

teardown() {
	targets_stop
	cgroup_remove
	tmpfs_unmount
	json_check
}

@test "malloc: a leak under a sawtooth, a structure of two sizes, and a leak under noise" {
	cause_start auditor causes auditor 200
	cause_start structure causes structure 500
	cause_start noise causes noise 200
	cause_start queue causes queue 200
	cause_start noise_queue causes noise-queue 200
	cause_start structure_queue causes structure-queue 500
	causes_judge

	first auditor '.id == "malloc_leak" and proven and .chunk_size == 128 and (.count_rate | near($rate)) and
		(.rate | near($rate * 128)) and (.evidence | any(contains("auditor"))) and .kind == "arena" and
		.content[0].text == "AUDIT row=# table=invoices state=DONE" and .content[0].stride == 128 and
		any(.evidence[]; contains("/causes has this text as a constant")) and any(.not[]; startswith("[heap]: rises and falls"))'
	first structure '.id == "malloc_leak" and .chunk_size == 320 and (.rate | near($rate * 384)) and .region.mapping == "[heap]" and
		.content[0].text == "session # of a customer" and any(.evidence[]; contains("chunks of 320 B + 64 B"))'
	# malloc takes free chunks that are a little larger than needed. The noise of the arena can hide its growth: then the finding is only
	# possible.
	first noise '.id == "malloc_leak" and (.count_rate | near($rate)) and (.rate / ($rate * 128) | . > 0.9 and . < 1.15) and
		.content[0].text == "AUDIT row=# table=invoices state=DONE"'
	jq -e 'all(.findings[1:][]; .harmless)' "$BATS_TEST_TMPDIR"/{auditor,structure,noise}.json
	acquitted noise_queue
	acquitted queue
	acquitted structure_queue
}

@test "malloc: large blocks, and free memory that stays" {
	cause_start buffers causes buffers 8
	cause_start retention causes retention 100
	cause_start buffers_queue causes buffers-queue 8
	cause_start kept causes kept 100
	causes_judge

	first buffers '.id == "mapped_chunks" and .kind == "malloc" and (.count_rate | near($rate)) and (.rate | near($rate * 266240)) and
		.content[0].text == "picture of part #" and .content[0].stride == 1024'
	first retention '.id == "arena_retention" and .confidence == "sure" and (.bytes / 1048576 | . > 90 and . < 101)'
	jq -e 'all(.findings[1:][]; .harmless)' "$BATS_TEST_TMPDIR"/{buffers,retention}.json
	acquitted buffers_queue
	acquitted kept
}

@test "numbers: mappings that pile up, with their limit" {
	local left
	cause_start files leaker files 40
	cause_word[files]=leaked
	cause_start maps causes maps 40
	cause_start maps_queue causes maps-queue 40
	causes_judge

	for name in files maps; do
		left=$(($(cat /proc/sys/vm/max_map_count) - $(wc -l <"/proc/${cause_pid[$name]}/maps")))
		first $name '.id == "mappings" and (.count_rate | near($rate)) and .limit.name == "mappings" and soon('$left'; $rate)'
	done
	first files '.region.mapping | test("/part")'
	jq -e 'all(.findings[1:][]; .harmless)' "$BATS_TEST_TMPDIR"/{files,maps}.json
	acquitted maps_queue
}

@test "numbers: threads and descriptors that pile up, with their limits" {
	local left
	cause_start threads leaker threads 20
	cause_word[threads]=leaked
	cause_start descriptors causes descriptors 40
	prlimit --pid "$TARGET_PID" --nofile=4000:
	cause_start workers causes workers 20
	cause_start descriptors_queue causes descriptors-queue 40
	causes_judge

	first threads '.id == "threads" and (.count_rate | near($rate)) and (.limit.name | test("pid|threads"))'
	left=$((4000 - $(find "/proc/${cause_pid[descriptors]}/fd" -mindepth 1 | wc -l)))
	first descriptors '.id == "descriptors" and (.count_rate | near($rate)) and soon('$left'; $rate)'
	jq -e 'all(.findings[1:][]; .harmless)' "$BATS_TEST_TMPDIR"/{threads,descriptors}.json
	acquitted workers
	acquitted descriptors_queue
}

@test "regions: a reserve, a memfd, and memory that grows; page cache is harmless" {
	local left
	cause_start reserve leaker pool 4194304
	cause_word[reserve]=leaked
	cause_start anonymous causes anonymous 500
	cause_start memfd causes memfd 500
	cause_start cache causes cache 500
	cause_start still leaker pool 0
	cause_word[still]=leaked
	causes_judge

	left=$(((1 << 30) - $(awk 'END { print $2 }' "$BATS_TEST_TMPDIR/reserve.log")))
	first reserve '.id == "reserve" and (.rate | near($rate)) and soon('$left'; $rate)'
	first anonymous '.id == "growth" and .confidence != "sure" and (.rate | near($rate * 4096))'
	first memfd '.id == "nameless_file" and (.rate | near($rate * 4096)) and .owner == "shm" and any(.evidence[]; contains("/memfd:frames"))'
	first cache '.id == "page_cache" and .harmless and (.rate | near($rate * 4096))'
	jq -e 'all(.findings[1:][]; .harmless)' "$BATS_TEST_TMPDIR"/{reserve,anonymous,memfd}.json
	acquitted cache
	acquitted still
}

@test "weight: locked memory, huge pages; memory that a child shares, and warm-up, are harmless" {
	cause_start locked causes locked 64
	cause_start unlocked causes unlocked 64
	cause_start huge causes huge 64
	cause_start small causes small 64
	cause_start fork causes fork 64
	cause_start forked causes forked 64
	cause_start warm causes warm 64
	causes_judge

	first locked '.id == "locked" and .bytes / 67108864 < 1.01 and .bytes / 67108864 > 0.99'
	if ! grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
		first huge '.id == "huge_pages" and .bytes == 67108864 and .region.kind == "anon"'
	fi
	acquitted small
	first fork '.id == "shared_counted" and .harmless and .bytes / 67108864 < 1.02 and .bytes / 67108864 > 0.98'
	first warm '.id == "plateau" and .harmless'
	jq -e 'all(.findings[1:][]; .harmless)' "$BATS_TEST_TMPDIR/locked.json"
	acquitted unlocked
	acquitted forked
	jq -e 'all(.findings[]; .id != "shared_counted")' "$BATS_TEST_TMPDIR/forked.json"
}

@test "python: the class whose objects pile up; a cache of objects and a family that rests are acquitted" {
	require python3
	local way
	for way in kept cache; do
		program_start /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/python_leaks.py" $way 5000
		target_await ready >/dev/null
		cause $way
	done
	parent_start leaker merged 1 stepped
	cause still "$PARENT"
	cause_word[still]=leaked
	causes_judge

	first kept '.id == "runtime_growth" and .owner == "python/objects" and any(.evidence[]; contains("Invoice"))'
	acquitted cache
	acquitted still
}

@test "around: a child that grows, and a shared file with its writer" {
	parent_start leaker merged 4194304
	cause child "$PARENT"
	cause_word[child]=leaked
	tmpfs_mount
	target_start filler 4194304 "$SPOOL/ring"
	local writer=("$TARGET_PID" "$TARGET_IN" "$TARGET_OUT") left
	until [ -s "$SPOOL/ring" ]; do sleep 0.05; done
	reader_start "$SPOOL/ring"
	TARGET_IN=${writer[1]} TARGET_OUT=${writer[2]}
	cause ring
	cause_word[ring]=written
	reader_start "$SPOOL/ring" touch
	causes_judge

	first child '.id == "child_grows" and .pid == '"$(pgrep -P "${cause_pid[child]}" leaker | head -n 1)"' and (.rate | near($rate))'
	first ring '.id == "shared_file" and (.rate | near($rate)) and any(.evidence[]; contains("process '"${writer[0]}"' \"filler\""))'
}

@test "a spool in a tmpfs fills the cgroup: directory, rate, and time" {
	local left
	tmpfs_mount
	mkdir "$SPOOL/queue"
	target_start filler 4194304 "$SPOOL/queue/"
	cause_word[spool]=written
	cause spool
	cgroup_make $((900 << 20)) "$TARGET_PID"
	causes_judge

	left=$(((900 << 20) - $(du -s -B1 "$SPOOL/queue" | cut -f 1)))
	first spool '.id == "tmpfs" and (.rate | near($rate)) and .limit.name == "cgroup" and soon('$left'; $rate) and
		any(.evidence[]; contains("/queue"))'
}
