#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem cgroup`: what fills a cgroup is compared with the files of the kernel, with du, and with what
# the target has written.

setup() {
	load support/helper
	folder=
}

teardown() {
	targets_stop
	[ -z "$folder" ] || umount "$folder"
	cgroup_remove
	json_check
}

# Mounts a tmpfs for this test, or skips the test. Sets `folder`.
tmpfs_make() {
	mkdir -p "$BATS_TEST_TMPDIR/tmpfs"
	mount -t tmpfs -o size=200m procmem_test "$BATS_TEST_TMPDIR/tmpfs" 2>/dev/null ||
		skip 'no right to mount'
	folder=$BATS_TEST_TMPDIR/tmpfs
	mkdir "$folder/spool"
}

# Prints a value of the first level of the last output.
level() {
	jq ".levels[0] | $1" <<<"$output"
}

# Prints the usage of the cgroup, from the file of the kernel.
usage() {
	cat "$GROUP_FOLDER/memory.usage_in_bytes" 2>/dev/null || cat "$GROUP_FOLDER/memory.current"
}

# How exact the numbers of the kernel are: 1 %, or 256 KiB for each CPU.
tolerance() {
	local batch=$(($(nproc --all) * 262144))
	echo $(($1 / 100 > batch ? $1 / 100 : batch))
}

# near VALUE EXPECTED [MORE]: fails unless they differ by less than the tolerance, and MORE bytes.
near() {
	local difference=$(($1 - $2)) most=$(($(tolerance "$2") + ${3:-0}))
	[ "${difference#-}" -le "$most" ] || { echo "$1 is not near $2 (tolerance $most)" && false; }
}

@test "the parts are what the target has done, and explain the usage" {
	target_start charger
	cgroup_make $((512 << 20)) "$TARGET_PID"
	tmpfs_make
	target_tell 'anon 40'
	target_tell 'shared 6'
	target_tell "file $folder/spool/data 20"
	target_tell "file $BATS_TEST_TMPDIR/cached 10"
	target_tell 'pipes 64'
	run -0 procmem cgroup --json "$TARGET_PID"
	[ "$(level .path)" = "\"$GROUP\"" ]
	[ "$(level .max)" -eq $((512 << 20)) ]
	near "$(level .current)" "$(usage)"
	near "$(level '[.parts[]] | add')" "$(level .current)"
	near "$(level .parts.anon)" $((40 << 20)) $((1 << 20))
	near "$(level .parts.shmem)" $((26 << 20))
	# Pages can be written back, but they stay in the cache. The file system may be a tmpfs.
	if [ "$(stat -f -c %T "$BATS_TEST_TMPDIR")" != tmpfs ]; then
		near "$(level '.parts | .file_inactive + .file_active + .file_pinned')" $((10 << 20)) $((1 << 20))
	fi
	# A pipe that is full has 64 KiB of memory of the kernel.
	[ "$(level '.parts | [.slab_reclaimable, .slab_unreclaimable, .page_tables, .kernel_stacks, .kernel_other] | add')" -ge \
		$(((4 << 20) - $(tolerance 0))) ]
	level .processes | jq -e --argjson pid "$TARGET_PID" 'length == 1 and .[0].pid == $pid and .[0].name == "charger"'
	# The ancestors contain the cgroup.
	jq -e '.levels | length >= 2 and .[1].parts.anon >= 41943040 and .[-1].path == "/"' <<<"$output"
}

@test "files in tmpfs, and shared memory without a path, are listed with their users" {
	target_start charger
	cgroup_make $((512 << 20)) "$TARGET_PID"
	tmpfs_make
	target_tell "file $folder/spool/data 20"
	target_tell "deleted $folder/gone 3"
	target_tell 'memfd 5'
	target_tell 'sysv 7'
	target_tell 'shared 6'
	run -0 procmem cgroup --json "$TARGET_PID"
	near "$(level .parts.shmem)" $((41 << 20))
	level .tmpfs | jq -e --arg path "$folder/spool/" 'any(.[]; .path == $path and .files == 1 and .bytes == 20971520)'
	[ "$(level ".tmpfs[] | select(.path == \"$folder/spool/\") | .bytes")" -eq $(($(du -s -B1 "$folder/spool" | cut -f1))) ]
	level .mounts | jq -e --arg path "$folder" 'any(.[]; .path == $path and .max == 209715200 and .used >= 24117248)'
	for object in 'memfd 5242880' 'deleted 3145728' 'sysv 7340032' 'shared_anon 6291456' 'file 20971520'; do
		level .shared | jq -e --argjson pid "$TARGET_PID" --arg type "${object% *}" --argjson bytes "${object#* }" \
			'any(.[]; .shared_kind == $type and .bytes == $bytes and any(.users[]; .pid == $pid))'
	done
	run -0 procmem cgroup -n 1000 "$TARGET_PID"
	[[ ${lines[0]} == "$GROUP: "*' of 512.0M ('*'); largest part: tmpfs and shared memory 41.'* ]]
	[[ $output == *"20.0M"*" $folder/spool/"* ]]
	[[ $output == *"memfd charged: charger ($TARGET_PID)"* ]]
	[[ $output == *"deleted $folder/gone: charger ($TARGET_PID)"* ]]
}

@test "the cgroup of a path is that of its processes" {
	target_start charger
	cgroup_make $((256 << 20)) "$TARGET_PID"
	target_tell 'anon 10'
	run -0 procmem cgroup --json "$GROUP_FOLDER"
	near "$(level .parts.anon)" $((10 << 20)) $((1 << 20))
	[ "$(level .tmpfs_seen_by.pid)" -eq "$TARGET_PID" ]
	jq -e 'has("pid") | not' <<<"$output"
	run -0 procmem cgroup --json "$GROUP"
	[ "$(level .path)" = "\"$GROUP\"" ]
	run -0 procmem cgroup --json
	jq -e --arg path "$GROUP" '.cgroups_total >= 1 and (.cgroups | length >= 1)' <<<"$output"
	run -0 procmem cgroup --json -n 100000
	jq -e --arg path "$GROUP" 'any(.cgroups[]; .path == $path and .max == 268435456)' <<<"$output"
}

@test "a saved tree of cgroup v2 has all its parts" {
	local shop=$BATS_TEST_TMPDIR/cgroup/shop
	mkdir -p "$shop/web"
	: >"$shop/cgroup.procs" >"$shop/cgroup.controllers"
	: >"$shop/web/cgroup.procs"
	echo 900000000 >"$shop/memory.current"
	echo 'anon 800000000' >"$shop/memory.stat"
	echo 600000000 >"$shop/web/memory.current"
	echo 640000000 >"$shop/web/memory.max"
	echo 620000000 >"$shop/web/memory.high"
	echo 630000000 >"$shop/web/memory.peak"
	echo 1000000 >"$shop/web/memory.swap.current"
	echo 2000000 >"$shop/web/memory.swap.max"
	printf 'low 0\nhigh 12\nmax 5\noom 2\noom_kill 1\n' >"$shop/web/memory.events"
	cat >"$shop/web/memory.stat" <<-'END'
		anon 100000000
		file 420000000
		kernel 60000000
		kernel_stack 1000000
		pagetables 2000000
		percpu 500000
		sock 8000000
		vmalloc 100000
		shmem 300000000
		zswap 20000000
		file_dirty 4000000
		inactive_file 70000000
		active_file 40000000
		unevictable 10000000
		slab_reclaimable 25000000
		slab_unreclaimable 10000000
	END
	run -0 procmem cgroup --json "$shop/web"
	level . | jq -e '.cgroup_version == 2 and .current == 600000000 and .max == 640000000 and .high_max == 620000000 and
		.used_peak == 630000000 and .swap == 1000000 and .swap_max == 2000000 and .events == {oom_kill: 1, max: 5, high: 12, oom: 2}'
	level .parts | jq -e '. == {anon: 100000000, shmem: 300000000, file_inactive: 70000000, file_active: 40000000, file_pinned: 10000000,
		slab_reclaimable: 25000000, slab_unreclaimable: 10000000, page_tables: 2000000, kernel_stacks: 1000000, percpu: 500000,
		vmalloc: 100000, zswap: 20000000, sockets: 8000000, kernel_other: 1400000, rest: 12000000}'
	level .limits | jq -e '(.[0] | .name == "cgroup" and .left == 150000000) and (.[1] | .name == "cgroup_high" and .left == 130000000)'
	jq -e '.levels[1] | .path == "/" and .current == 900000000 and .parts.rest == 100000000' <<<"$output"
	run -0 procmem cgroup "$shop/web"
	# The ancestor has a line, and with -v its parts.
	[[ $output == *$'\n/: 858.3M, no limit; largest part: processes (anonymous) 762.9M'* ]]
	[[ $output != *'cgroup / (v2)'* ]]
	[[ $(procmem cgroup -v "$shop/web" 2>/dev/null) == *'cgroup / (v2): 858.3M, no limit'* ]]
	[[ ${lines[0]} == '/web: 572.2M of 610.4M (94%); largest part: tmpfs and shared memory 286.1M' ]]
	[[ $output == *'high exceeded 12 times'* && $output == *'zswap'* && $output == *'not in the statistics'* ]]
	[[ $output == *"files in tmpfs are not known: the cgroup has no process that could be read"* ]]
}

@test "directories and names that are hostile or unreadable are shown and counted" {
	target_start charger
	cgroup_make $((256 << 20)) "$TARGET_PID"
	tmpfs_make
	mkdir "$folder/spool/"$'evil\e[31m\nname'
	dd if=/dev/zero of="$folder/spool/"$'evil\e[31m\nname/file' bs=64K count=64 status=none
	mkfifo "$folder/spool/fifo"
	# Other tests have files in tmpfs, too.
	run -0 procmem cgroup -n 1000 "$TARGET_PID"
	[[ $output != *$'\e'* && $output == *'evil'*'name/'* ]]
	mkdir -m 700 "$folder/private"
	run --separate-stderr as_nobody cgroup "$GROUP_FOLDER"
	[ "$status" -eq 0 ]
	[[ $output == *'could not be '* ]]
}

@test "--for has a verdict for each part, and a signal ends it early" {
	target_start charger
	cgroup_make $((160 << 20)) "$TARGET_PID"
	tmpfs_make
	target_tell "file $folder/spool/data 2"
	run -0 procmem cgroup --json --for 0.3s "$TARGET_PID"
	level .rates | jq -e 'all(.[]; .verdict == "too early") and any(.[]; .cgroup_part == "shmem")'
	level .tmpfs | jq -e --arg path "$folder/spool/" 'any(.[]; .path == $path and .rate == 0)'
	env --default-signal=INT,QUIT "$PROCMEM_BIN" cgroup --for 600s "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local watcher=$!
	# While it watches, it catches SIGQUIT, too.
	until [ $((0x$(sed -n 's/^SigCgt:[[:blank:]]*//p' "/proc/$watcher/status") & 4)) -ne 0 ]; do
		kill -0 "$watcher"
	done
	kill -INT "$watcher"
	wait "$watcher"
	grep -q 'interrupted: the results are based on the measurements so far' "$BATS_TEST_TMPDIR/err"
}

# bats test_tags=timed
@test "the directory that grows is named, with its rate and the time that is left" {
	local begin end i log=$BATS_TEST_TMPDIR/log rate
	retry_timed
	target_start charger
	cgroup_make $((160 << 20)) "$TARGET_PID"
	tmpfs_make
	# 64 KiB every 50 ms, as long as the command runs.
	procmem cgroup --json --for 12s "$TARGET_PID" >"$log" 3>&- &
	local watcher=$!
	begin=$(date +%s.%N) i=0
	while kill -0 "$watcher" 2>/dev/null; do
		target_tell "grow $folder/spool/data"
		i=$((i + 1))
		sleep 0.05
	done
	end=$(date +%s.%N)
	wait "$watcher"
	output=$(cat "$log")
	rate=$(jq -n "65536 * $i / ($end - $begin)")
	level '.rates[] | select(.cgroup_part == "shmem")' | jq -e --argjson rate "$rate" '.verdict == "steady" and
		(.rate / $rate - 1 | fabs) < 0.15'
	level .tmpfs | jq -e --arg path "$folder/spool/" --argjson rate "$rate" 'any(.[]; .path == $path and (.rate / $rate - 1 | fabs) < 0.15)'
	level . | jq -e --argjson rate "$rate" '(.seconds_left / ((.limits[0].left) / $rate) - 1 | fabs) < 0.15'
}

# bats test_tags=timed
@test "a directory that another cgroup fills is not named, but the file that the target has open" {
	local log=$BATS_TEST_TMPDIR/log
	retry_timed
	target_start charger
	cgroup_make $((160 << 20)) "$TARGET_PID"
	tmpfs_make
	target_tell 'memfd 20'
	target_tell "grow $folder/spool/data"
	procmem cgroup --for 12s "$TARGET_PID" >"$log" 3>&- &
	local watcher=$!
	# This shell, which is in another cgroup, writes four times as much.
	mkdir "$folder/other"
	while kill -0 "$watcher" 2>/dev/null; do
		target_tell "grow $folder/spool/data"
		head -c 262144 /dev/zero >>"$folder/other/data"
		sleep 0.05
	done
	wait "$watcher"
	output=$(tr '\n' ' ' <"$log" | sed 's/ cgroup .*//')
	[[ $output == *'tmpfs and shared memory '*'+'*"$folder/spool/"* ]]
	[[ $output != *"$folder/other"* ]]
}

@test "with --for, a limit that is reached all the time is in the first line, with its rate" {
	local before after log=$BATS_TEST_TMPDIR/log
	[ "$(stat -f -c %T "$BATS_TEST_TMPDIR")" != tmpfs ] || skip 'no page cache here'
	target_start charger
	cgroup_make $((32 << 20)) "$TARGET_PID"
	[ -e "$GROUP_FOLDER/memory.failcnt" ] || skip 'no memory.failcnt'
	before=$(cat "$GROUP_FOLDER/memory.failcnt")
	procmem cgroup --json --for 4s "$TARGET_PID" >"$log" 3>&- &
	local watcher=$!
	while kill -0 "$watcher" 2>/dev/null; do
		target_tell "file $BATS_TEST_TMPDIR/cached 40"
	done
	wait "$watcher"
	after=$(cat "$GROUP_FOLDER/memory.failcnt")
	output=$(cat "$log")
	# The command has watched for 4 s of the time between the readings of the file.
	level . | jq -e --argjson hits $((after - before)) '.hits_rate > 0 and .hits_rate * 3.5 <= $hits'
	procmem cgroup --for 2s "$TARGET_PID" >"$log" 3>&- &
	watcher=$!
	while kill -0 "$watcher" 2>/dev/null; do
		target_tell "file $BATS_TEST_TMPDIR/cached 40"
	done
	wait "$watcher"
	output=$(tr -s '\n ' '  ' <"$log" | sed 's/ cgroup .*//')
	[[ $output =~ 'limit reached '[0-9.]+/s.*': its processes reclaim' ]]
	[[ $(tr -s '\n ' '  ' <"$log") == *"procmem pressure $TARGET_PID"* ]]
}

@test "a name that matches several processes of one cgroup is accepted" {
	local name=nm$$cg pids
	cp "$(command -v sleep)" "$BATS_TEST_TMPDIR/$name"
	"$BATS_TEST_TMPDIR/$name" 600 3>&- &
	pids=$!
	"$BATS_TEST_TMPDIR/$name" 600 3>&- &
	pids="$pids $!"
	TARGETS+=($pids)
	for pid in $pids; do
		until [ "$(cat "/proc/$pid/comm")" = "$name" ]; do kill -0 "$pid"; done
	done
	# shellcheck disable=SC2086 # two words
	cgroup_make $((64 << 20)) $pids
	run -0 procmem cgroup --json "$name"
	[ "$(level .path)" = "\"$GROUP\"" ]
	[ "$(level '[.processes[].pid] | sort | map(tostring) | join(" ")')" = "\"$(tr ' ' '\n' <<<"$pids" | sort -n | xargs)\"" ]
	# One of them leaves the cgroup.
	echo "${pids#* }" >"$GROUP_FOLDER/../cgroup.procs"
	run -2 procmem cgroup "$name"
	[[ $output == *"matches 2 processes"* ]]
}

@test "segments of other cgroups are counted in one line, and rows that are left out" {
	target_start charger
	target_tell 'sysv 2'
	target_tell 'sysv 3'
	target_start charger
	cgroup_make $((160 << 20)) "$TARGET_PID"
	for _ in 1 2 3 4 5 6; do
		target_tell 'memfd 1'
	done
	run -0 procmem cgroup "$TARGET_PID"
	# Other tests have segments, too.
	[[ $output =~ [0-9]+' System V segments not counted: used only by other cgroups' ]]
	[[ $output != *'System V segment 0x'* ]]
	[ "$(grep -c 'memfd charged: ' <<<"$output")" -eq 4 ]
	[[ $output =~ [0-9]+' more rows (--top)' ]]
	run -0 procmem cgroup -n 1000 "$TARGET_PID"
	[ "$(grep -c 'memfd charged: ' <<<"$output")" -eq 6 ]
	[[ $output != *'(--top)'* ]]
}

@test "a memfd that holds most of the shared memory is named in the first line" {
	target_start charger
	cgroup_make $((160 << 20)) "$TARGET_PID"
	target_tell 'memfd 20'
	run -0 procmem cgroup "$TARGET_PID"
	[[ ${lines[0]} == *'; largest part: tmpfs and shared memory 20.'*", most of it in memfd charged of charger ($TARGET_PID)"* ]]
}

@test "wrong words are refused with a reason" {
	run -2 procmem cgroup /sys/fs
	[[ $output == *'/sys/fs is not a cgroup'* ]]
	run -2 procmem cgroup /no/such/cgroup
	[[ $output == *'No such file or directory'* ]]
	run -2 procmem cgroup --for 1s
	[[ $output == *'--for needs a TARGET or a PATH'* ]]
	run -2 procmem cgroup --top 0 1
	[[ $output == *'must be at least 1'* ]]
}
