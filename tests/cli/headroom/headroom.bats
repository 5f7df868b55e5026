#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem headroom`: limits are compared with those of the kernel and the shell.

setup() {
	load ../support/helper
	load ../support/curve
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

# Prints a field of a limit in the last output.
limit() {
	jq ".limits[] | select(.name == \"$1\") | .$2" <<<"$output"
}

@test "limits and use are those of the kernel" {
	target_start many_regions 500 8
	run -0 procmem headroom --json "$TARGET_PID"
	[ "$(limit mappings max)" -eq "$(cat /proc/sys/vm/max_map_count)" ]
	[ "$(limit mappings used)" -eq "$(grep -vc vsyscall "/proc/$TARGET_PID/maps")" ]
	[ "$(limit threads max)" -eq "$(cat /proc/sys/kernel/threads-max)" ]
	[ "$(limit pid_max max)" -eq "$(cat /proc/sys/kernel/pid_max)" ]
	[ "$(limit system max)" -eq "$(awk '/^(MemTotal|SwapTotal):/ { sum += $2 } END { printf "%.0f", sum * 1024 }' /proc/meminfo)" ]
	jq -e '.kinds[] | select(.kind == "anon") | .rss >= 8388608 and .count >= 500' <<<"$output"
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid and .name == "many_regions" and
		(.command | endswith("many_regions 500 8"))' <<<"$output"
}

@test "resource limits are shown if they are set" {
	target_start many_regions 10 1
	prlimit --pid "$TARGET_PID" --as=1000000000: --data=500000000: --stack=4000000:
	run -0 procmem headroom --json "$TARGET_PID"
	[ "$(limit address_space max)" -eq 1000000000 ]
	[ "$(limit data max)" -eq 500000000 ]
	[ "$(limit stack max)" -eq 4000000 ]
	[ "$(limit address_space used)" -eq $(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024)) ]
	prlimit --pid "$TARGET_PID" --as=unlimited: --data=unlimited: --stack=unlimited:
	run -0 procmem headroom --json "$TARGET_PID"
	jq -e 'all(.limits[].name; . != "address_space" and . != "data" and . != "stack")' <<<"$output"
}

@test "the processes that share the limit of the cgroup are listed" {
	target_start hog
	local first=$TARGET_PID
	target_start hog
	cgroup_make $((96 << 20)) "$first" "$TARGET_PID"
	target_tell 'eat 20'
	run -0 procmem headroom --json "$first"
	[ "$(limit cgroup max)" -eq $((96 << 20)) ]
	jq -e --arg group "$GROUP" --argjson first "$first" --argjson second "$TARGET_PID" '.group | .path == $group and .others == 0 and
		(.processes | length == 2 and .[0].pid == $second and .[0].rss >= 20971520 and .[1].pid == $first and .[1].name == "hog")' <<<"$output"
	run -0 procmem headroom "$first"
	[[ $output == *"in $GROUP: hog ($TARGET_PID) 2"*", hog "*"; cached files "* ]]
}

@test "--from estimates when a limit is reached" {
	target_start leaker merged 4194304 stepped
	prlimit --pid "$TARGET_PID" --as=100000000000:
	record_seconds "$file" 12
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e '.limits[] | select(.name == "address_space") | .verdict == "steady" and (.rate - 4194304 | fabs) < 1 and
		(.seconds_left - .left / .rate | fabs) < 1' <<<"$output"
	jq -e '.limits[] | select(.name == "stack") | .verdict == "no growth" and (has("seconds_left") or has("rate") | not)' <<<"$output"
	# The growth of the process is that of the machine only as an estimate.
	jq -e '.limits[] | select(.name == "system") | .process | .verdict == "steady" and .estimate == false and .seconds_left > 0' <<<"$output"
	jq -e '.first_limit.name == "address_space" or .first_limit.name == "system"' <<<"$output"
}

@test "the first line names the limit that is reached first, and so does watch" {
	local used max
	target_start leaker merged 4194304 stepped
	used=$(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024))
	max=$((used + (1 << 30)))
	prlimit --pid "$TARGET_PID" --as=$max:
	run -0 procmem headroom "$TARGET_PID"
	[[ ${lines[0]} == "leaker ($TARGET_PID) "*' left of 1.0G (its address space, RLIMIT_AS)' ]]
	record_seconds "$file" 12
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == *' left of 1.0G (its address space, RLIMIT_AS), used up in 4m 4s at +4.0M/s' ]]
	run -0 procmem watch --json "$file"
	tail -n 1 <<<"$output" | jq -e --argjson max $max '.first_limit | .name == "address_space" and .max == $max and
		.left <= 1073741824 - 12 * 4194304 and (.seconds_left - .left / 4194304 | fabs) < 1'
	run -0 procmem watch -c 1 "$TARGET_PID"
	[[ ${lines[0]} == *'  RLIMIT_AS 1.0G: '*'M left'* ]]
	# If memory runs out first, the output does not change.
	prlimit --pid "$TARGET_PID" --as=1000000000000000:
	run -0 procmem headroom "$TARGET_PID"
	[[ ${lines[0]} != *RLIMIT* && ${lines[0]} == *' left of '* ]]
	run -0 procmem watch -c 1 "$TARGET_PID"
	[[ $output != *RLIMIT* ]]
}

@test "address space of which less is left than memory is reported" {
	local limit
	target_start hog
	limit=$(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024 + (200 << 20)))
	prlimit --pid "$TARGET_PID" --as="$limit":
	procmem snap -q -o "$file" "$TARGET_PID"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == *'200.0M left of '*' (its address space, RLIMIT_AS); usage: too early (seen for 0.0s in 1 sample; needs 10s and 5 samples)' ]]
	run -0 procmem headroom "$TARGET_PID"
	[[ ${lines[0]} == *'200.0M left of '*' (its address space, RLIMIT_AS)' ]]
	prlimit --pid "$TARGET_PID" --as=1000000000000000:
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ $output != *'address_space: '* ]]
}

@test "the memory that grows beneath a sawtooth is named, with its rate" {
	# A leak of 40 KB/s below a sawtooth of 20 MB.
	target_start leaker arenas 40960 stepped
	record_seconds "$file" 26
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ $output == *"this process: "*" overall (sawtooth of "*"M, floor "*"); beneath it arena "*" grows steadily, +40."*"K/s"* ]]
	grep -q '^threads: [0-9]* left of [0-9]* (.*, the smallest of [0-9] limits)$' <<<"$output"
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e '.memory | .verdict == "plateau" and .sawtooth > 19000000 and .beneath.kind == "arena" and .beneath.verdict == "steady"
		and .beneath.rate > 40960 * 0.95 and .beneath.rate < 40960 * 1.05' <<<"$output"
}

@test "address space that grows in steps is used up at about their rate" {
	# Steps of 4 MiB every 8 s.
	target_start leaker steps 524288 stepped
	prlimit --pid "$TARGET_PID" --as=$(((100 << 20) + $(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024)):
	record_seconds "$file" 26
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == *' left of '*'M (its address space, RLIMIT_AS), used up in about '*' at about +512.0K/s' ]]
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e '.limits[] | select(.name == "address_space") | .estimate == true and .verdict == "steps" and (has("rate") | not)
		and (.seconds_left - .left / 524288 | fabs) < .left / 524288 / 20' <<<"$output"
	jq -e '.first_limit | .name == "address_space" and .estimate == true' <<<"$output"
}

@test "memory that grows within its address space has a time left, and so has the reserve" {
	target_start leaker pool 4194304 stepped
	target_tell 'pass 1'
	[ "$(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status")" -gt 1048576 ]
	prlimit --pid "$TARGET_PID" --as=$(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024 + (200 << 20))):
	record_seconds "$file" 25
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	# 1 GiB is reserved, and the limit leaves 200 MiB more.
	[[ ${lines[0]} == *" 200.0M left of 1.2G (its address space, RLIMIT_AS), used up in about "*" at this process's rate of about +4.0M/s; usage: no growth seen in "* ]]
	grep -Eq '^the region at [0-9a-f]+ grows into a reserve of 1\.0G \(10 % used\): full in 3m 50s$' <<<"$output"
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e '.first_limit | .name == "address_space" and .estimate and .seconds_left > 200 and .seconds_left < 300' <<<"$output"
	jq -e '.reserve | .type == "inaccessible" and .max == 1073741824 and .estimate == false and .left == 920 * 1048576 and
		(.rate - 4194304 | fabs) < 1 and (.seconds_left - .left / .rate | fabs) < 1' <<<"$output"
}

@test "the limit on the threads of a user has their growth; root is exempt" {
	[ "$(id -u)" -eq 0 ] || skip 'only root starts processes of another user'
	require setpriv
	local folder
	folder=$(mktemp -d /tmp/procmem-headroom.XXXXXX)
	chmod 755 "$folder"
	cp "$PROCMEM_TARGETS/leaker" "$folder"
	# A user without privileges, which no other run of this test has.
	spawn prlimit --nproc=200:200 setpriv --reuid=$((100000 + $$)) --regid=54321 --clear-groups "$folder/leaker" threads 2 stepped
	target_await ready >/dev/null
	rm -r "$folder"
	record_seconds "$file" 26
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	echo "$output"
	# It is "about" that rate in a PID namespace: other processes of the user are perhaps not visible.
	[[ ${lines[0]} == *' left of 200 (the threads of its user, RLIMIT_NPROC), used up in '*' at '*'+2.0/s' ]]
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e --argjson used "$(ps -L -o tid= -u $((100000 + $$)) | wc -l)" '.limits[] | select(.name == "user_threads") | .max == 200 and .used == $used and .verdict == "steady"' <<<"$output"
	target_start hog
	run -0 procmem headroom "$TARGET_PID"
	grep -q '^user_threads .* RLIMIT_NPROC (does not apply to root)$' <<<"$output"
	run -0 procmem headroom --json "$TARGET_PID"
	jq -e '.limits[] | select(.name == "user_threads") | .exempt and (has("left") | not)' <<<"$output"
}

@test "a cgroup that tmpfs fills is reached at the rate of its usage" {
	target_start filler 8388608 stepped
	# Its code is resident before the first sample.
	target_tell 'pass 1'
	cgroup_make $((900 << 20)) "$TARGET_PID"
	record_seconds "$file" 16
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	grep -Eq "^filler .* left of 900\.0M \(the limit of its cgroup\), used up in .* at \+8\.0M/s" <<<"$output"
	# The line of the cgroup names what fills it.
	grep -Eq '; tmpfs and shared memory [0-9.]+M$' <<<"$output"
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	for name in cgroup cgroup_working_set; do
		jq -e --arg name "$name" '.limits[] | select(.name == $name) | .verdict == "steady" and .estimate == false
			and (.rate / 8388608 | . > 0.98 and . < 1.02) and (.seconds_left - .left / .rate | fabs) < 2' <<<"$output"
	done
	# The memory of the process itself does not grow.
	jq -e '.memory.verdict == "no growth" and .first_limit.name == "cgroup"' <<<"$output"
	jq -e '.group.shmem >= 16 * 8388608 and .group.shmem <= .group.cache' <<<"$output"
	# Written files are in the page cache, but not reclaimable.
	jq -e '.limits[] | select(.name == "cgroup") | .used >= 16 * 8388608 and .reclaimable < 20000000' <<<"$output"
}

@test "pages of a mapped file are page cache: they do not use up a limit of memory" {
	[ "$(stat -f -c %T "$BATS_TEST_TMPDIR")" != tmpfs ] || skip 'the temporary folder is in a tmpfs, whose files are memory'
	TMPDIR=$BATS_TEST_TMPDIR target_start leaker mapped 4194304 stepped
	cgroup_make $((900 << 20)) "$TARGET_PID"
	record_seconds "$file" 16
	# The RSS of the process grows.
	[ "$(awk '/^RssFile:/ { print $2 }' "/proc/$TARGET_PID/status")" -ge $((16 * 4096)) ]
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e '.memory | .verdict == "steady" and (.rate / 4194304 - 1 | fabs) < 0.05' <<<"$output"
	jq -e 'all(.limits[] | select(.name == "system" or .name == "cgroup"); has("process") or has("at_process_rate") | not)' <<<"$output"
}

@test "a process that leaks beside another one in its cgroup reaches the limit of the cgroup first" {
	target_start leaker arenas 40960 stepped
	local other=$TARGET_PID pipes=$TARGET_IN:$TARGET_OUT
	target_start leaker merged 524288 stepped
	cgroup_make $((400 << 20)) "$other" "$TARGET_PID"
	record_seconds "$file" 24 "$pipes"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == *' left of 400.0M (the limit of its cgroup), used up in '* ]]
	# The other process rises and falls by 20 MB, so the rate of the cgroup can be unknown.
	local check='.first_limit | .name == "cgroup" and (.seconds_left - .left / 524288 | fabs) < .left / 524288 / 4 and
		(.at_process_rate | not) == (.estimate | not)'
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e "$check" <<<"$output"
	jq -e '(.group | has("inactive") and (has("reclaimable") | not)) and all(.kinds[]; has("swap"))' <<<"$output"
	# The other process alone does not grow.
	jq -e 'all(.limits[]; (.at_process_rate and (.estimate | not)) | not)' <<<"$output"
	procmem watch --json "$file" | tail -n 1 | jq -e "$check"
}

@test "a sawtooth over a leak has an estimate: its peaks reach the limit at the rate of the leak" {
	target_start leaker arenas 65536 stepped
	cgroup_make $((200 << 20)) "$TARGET_PID"
	record_seconds "$file" 26
	# The process has peaks of about 20 MB, and grows by 64 KiB a second.
	local check='.first_limit | .name == "cgroup" and .estimate and .at_beneath_rate and (has("at_process_rate") | not) and
		.seconds_left > (209715200 - 30000000) / 65536 / 1.1 and .seconds_left < (209715200 - 18000000) / 65536 * 1.1'
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	jq -e "$check" <<<"$output"
	jq -e '.limits[] | select(.name == "cgroup") | .verdict != "steady" and .at_beneath_rate' <<<"$output"
	procmem watch --json "$file" | tail -n 1 | jq -e "$check"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	grep -Eq ' left of 200\.0M \(the limit of its cgroup\), used up in about [0-9].* at arena [0-9]+.s rate of \+' <<<"$output"
	grep -Eq '^cgroup .* ~[0-9]+m [0-9]+s .*; at the rate of arena [0-9]+$' <<<"$output"
}

@test "a child grows: the limit of the cgroup has the rate of the child, and the child is named" {
	program_start bash -c 'exec 4<&0; "$1" merged 4194304 stepped <&4 & echo "started $!"; wait' bash "$PROCMEM_TARGETS/leaker"
	# The two lines are of two processes, so either can be the first.
	local child='' ready='' line
	until [ -n "$child" ] && [ -n "$ready" ]; do
		IFS= read -r line <&"$TARGET_OUT"
		case $line in
		'started '*) child=${line#started } ;;
		ready) ready=yes ;;
		esac
	done
	cgroup_make $((600 << 20)) "$TARGET_PID" "$child"
	record_seconds "$file" 16
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	# The parent is flat; its limit is used up by the child: left/rate.
	jq -e '.memory.verdict == "no growth" and .first_limit.name == "cgroup" and (.first_limit |
		(.seconds_left - .left / 4194304 | fabs) < .left / 4194304 * 0.03)' <<<"$output"
	jq -e --argjson child "$child" '.group.processes[0] | .pid == $child and .name == "leaker"' <<<"$output"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == 'bash '*' left of 600.0M (the limit of its cgroup), used up in '*' at +4.'[01]'M/s' ]]
	[[ $output == *"leaker ($child)"* ]]
}

@test "pids.max is reached first" {
	local group=/sys/fs/cgroup/pids/procmem-cli-$$-$BATS_TEST_NUMBER
	mkdir "$group" 2>/dev/null || skip 'no right to create a pids cgroup of v1'
	target_start leaker threads 2 stepped
	echo "$TARGET_PID" >"$group/cgroup.procs"
	echo 150 >"$group/pids.max"
	record_seconds "$file" 14
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	targets_stop
	for _ in $(seq 600); do
		! rmdir "$group" 2>/dev/null || break
		sleep 0.05
	done
	[[ ${lines[0]} == *' left of 150 (the processes and threads of its cgroup), used up in '*' at +2.0/s' ]]
	[[ $output == *"pids "*"150 "*"/procmem-cli-"*"/pids.max"* ]]
}

@test "a limit on numbers of which nothing is left is the answer" {
	local group=/sys/fs/cgroup/pids/procmem-cli-$$-$BATS_TEST_NUMBER
	mkdir "$group" 2>/dev/null || skip 'no right to create a pids cgroup of v1'
	target_start leaker threads 2 stepped
	echo "$TARGET_PID" >"$group/cgroup.procs"
	cat "$group/pids.current" >"$group/pids.max"
	local max
	max=$(<"$group/pids.max")
	run -0 procmem headroom "$TARGET_PID"
	local text=${lines[0]}
	run -0 --separate-stderr procmem headroom --json "$TARGET_PID"
	local json=$output
	run -0 procmem watch --plain -c 1 "$TARGET_PID"
	targets_stop
	for _ in $(seq 600); do
		! rmdir "$group" 2>/dev/null || break
		sleep 0.05
	done
	[[ $text == *"   nothing left of $max (the processes and threads of its cgroup): fork and clone fail with EAGAIN" ]]
	jq -e '.first_limit.name == "pids" or .first_limit == "pids"' <<<"$json"
	[[ $output == *"pids.max $max: nothing left"* ]]
}

@test "a cgroup that is not visible is reported" {
	unshare --cgroup --mount true 2>/dev/null || skip 'no right to create a cgroup namespace'
	target_start hog
	[ -e /sys/fs/cgroup/memory/cgroup.procs ] || skip 'cgroups of v1 are not mounted'
	cgroup_make $((96 << 20)) "$TARGET_PID"
	local other=$GROUP_FOLDER.other
	mkdir "$other"
	# The host's cgroups are mounted, so the names above the namespace are found. Then only those of the namespace are mounted.
	run -0 bash -c '
		echo $BASHPID >"$1/cgroup.procs"
		exec unshare --cgroup --mount bash -c "
			\"$PROCMEM_BIN\" headroom --json \"\$1\" >\"\$3\"
			umount /sys/fs/cgroup/memory && mkdir -p \"\$2\" && mount -t cgroup -o memory none \"\$2\"
			\"$PROCMEM_BIN\" headroom --json \"\$1\" >>\"\$3\"
			\"$PROCMEM_BIN\" headroom \"\$1\"
			\"$PROCMEM_BIN\" headroom \$\$" bash "$2" "$3" "$4"' bash "$other" "$TARGET_PID" "$BATS_TEST_TMPDIR/mount" "$BATS_TEST_TMPDIR/json"
	for _ in $(seq 600); do
		! rmdir "$other" 2>/dev/null || break
		sleep 0.05
	done
	jq -es --argjson max $((96 << 20)) 'length == 2 and (.[0] | .limits[] | select(.name == "cgroup") | .max == $max) and
		(.[0] | has("unseen") | not) and .[1].unseen == ["cgroup"] and .[1].first_limit.name == "system"' "$BATS_TEST_TMPDIR/json"
	[[ $output == *'limits of its cgroup are not known: the cgroup is not visible from here'* ]]
	[[ $output == *'no limit of its own is visible; '* ]]
	[[ $output == *'limits of outer cgroups are not known: '* ]]
}

@test "a signal ends --for early, and the results so far are printed" {
	target_start many_regions 10 1
	"$PROCMEM_BIN" headroom --json --for 600s "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local pid=$! caught=0 status=0
	# Waits until it catches SIGTERM: bit 14 of SigCgt (proc_pid_status(5)). Before it is procmem, it is a bash.
	for _ in $(seq 600); do
		[ "$(cat "/proc/$pid/comm")" != procmem ] || caught=$((0x$(awk '/^SigCgt:/ { print $2 }' "/proc/$pid/status") >> 14 & 1))
		[ "$caught" -eq 0 ] || break
		sleep 0.05
	done
	[ "$caught" -eq 1 ]
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 0 ]
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid and (.limits | length > 0)' "$BATS_TEST_TMPDIR/out"
	grep -q 'note: interrupted: the results are based on the measurements so far' "$BATS_TEST_TMPDIR/err"
}

@test "on a terminal, the results fit on the screen, and the answer is visible" {
	target_start leaker merged 4194304
	run -0 procmem headroom "$TARGET_PID"
	local whole=$output
	local count=${#lines[@]} size
	for size in 24 12 6; do
		run -0 on_terminal "$size" 200 headroom "$TARGET_PID"
		[[ $(wc -l <<<"$output") -lt $size ]]
		# The figures change from run to run.
		[[ ${lines[0]} == "leaker ($TARGET_PID)  "* ]]
		((size > count)) || [[ ${lines[-1]} == *'no room for '*'events; a pager shows all: | less'* ]]
	done
	run -0 on_terminal 200 200 headroom "$TARGET_PID"
	[[ $output != *'no room for '* && $output == *'total'* && $whole == *'total'* ]]
	# The shares of the kinds are those of the limit that the heading names.
	[[ $whole == *'OF MACHINE'* || $whole == *'OF CGROUP LIMIT'* ]]
}

@test "on a terminal, --for says that it watches, and erases that" {
	target_start leaker merged 4194304
	run -0 on_terminal 24 80 headroom --for 1s "$TARGET_PID"
	[[ $output == 'watching for 1.0s (Ctrl-C ends this early)'$'\r\e[K'*' left of '* || $output == 'watching for 1.0s (Ctrl-C ends this early)'$'\r\e[K'*'the machine'* ]]
	run -0 on_terminal 24 80 headroom -q --for 1s "$TARGET_PID"
	[[ $output != *watching* ]]
}

@test "--from estimates it from a recording" {
	target_start leaker merged 4194304 stepped
	record_seconds "$file" 12
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[0]} == *"  no limit of its own; the machine's "*' would last '*" at this process's rate of +4."* ||
		${lines[0]} == *' left of '*'used up in '*'/s'* ]]
	[[ $output == *'LIMIT'*'MAX'*'USED'*'LEFT'*'LASTS'*'KIND'*'OF '*'total'* ]]
	# The age of the rates is that of the last sample.
	[[ $output == *'rates as of '*' ago, the end of the recording'* ]]
	run -0 procmem headroom --json --from "$file" "$TARGET_PID"
	local last
	last=$(procmem snap -l --json "$file" | jq -r '[.. | .time? // empty] | last | sub("\\.[0-9]+Z$"; "Z") | fromdate')
	jq -e --argjson last "$last" '(.time | sub("\\.[0-9]+Z$"; "Z") | fromdate) - $last - .rates_age | fabs < 2' <<<"$output"
	procmem snap -q -o "$BATS_TEST_TMPDIR/one.pmrec" "$TARGET_PID"
	run -0 procmem headroom --from "$BATS_TEST_TMPDIR/one.pmrec" "$TARGET_PID"
	[[ ${lines[0]} == *': too early (seen for 0.0s in 1 sample; needs 10s and 5 samples)' ]]
	run -2 --separate-stderr procmem headroom --from "$file" $$
	[[ $stderr == *'another process'* ]]
}

@test "the exit status is 1 if less than --min is left" {
	target_start many_regions 10 1
	run -1 procmem headroom -q --min 1000000G "$TARGET_PID"
	[ -z "$output" ]
	run -1 --separate-stderr procmem headroom --min 1000000G "$TARGET_PID"
	[[ $stderr == *' left, less than '*' (--min)'* ]]
	run -1 --separate-stderr procmem headroom --min 100% "$TARGET_PID"
	[[ $stderr == *' left, less than 100% of '*' (--min)'* ]]
	run -0 procmem headroom -q --min 4K "$TARGET_PID"
	run -0 procmem headroom --min 0% "$TARGET_PID"
	run -1 procmem headroom -q --min 100% "$TARGET_PID"
}

@test "wrong usage is an error" {
	run -2 --separate-stderr procmem headroom --min much $$
	run -2 --separate-stderr procmem headroom --min 101% $$
	run -2 --separate-stderr procmem headroom --min 15 $$
	[[ $stderr == *"--min: '15' is less than a page of memory; did you mean 15% or 15M?"* ]]
	run -2 --separate-stderr procmem headroom --min 1K $$
	[[ $stderr == *"'1K' is less than a page of memory; did you mean 1M?"* ]]
	run -0 procmem headroom -q --min 4096 $$
	run -2 --separate-stderr procmem headroom --for 1s --from x $$
	run -2 --separate-stderr procmem headroom --from /nonexistent $$
	[[ $stderr == *'/nonexistent'* ]]
	run -2 --separate-stderr procmem headroom 999999999
}
