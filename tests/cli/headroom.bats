#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem headroom`: limits are compared with those of the kernel and the shell.

setup() {
	load support/helper
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
	[ "$(limit system max)" -eq "$(awk '/^(MemTotal|SwapTotal):/ { sum += $2 } END { printf "%.0f", sum * 1024 }' /proc/meminfo)" ]
	jq -e '.kinds[] | select(.kind == "anon") | .rss >= 8388608 and .count >= 500' <<<"$output"
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
	jq -e 'all(.limits[]; .name != "address_space" and .name != "data" and .name != "stack")' <<<"$output"
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
	[[ $output == *"in $GROUP: hog ($TARGET_PID) 2"*", hog "*"; page cache "* ]]
}

@test "--for estimates when a limit is reached" {
	target_start leaker merged 4194304
	prlimit --pid "$TARGET_PID" --as=100000000000:
	run -0 procmem headroom --json --for 12s "$TARGET_PID"
	jq -e '.limits[] | select(.name == "address_space") | .verdict == "steady" and .rate > 4194304 * 0.85 and .rate < 4194304 * 1.15 and
		(.seconds_left - .left / .rate | fabs) < 1' <<<"$output"
	jq -e '.limits[] | select(.name == "threads") | .verdict == "plateau" and (has("seconds_left") | not)' <<<"$output"
}

@test "the first line names the limit that is reached first, and so does watch" {
	target_start leaker merged 4194304
	local used
	used=$(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024))
	prlimit --pid "$TARGET_PID" --as=$((used + (1 << 30))):
	run -0 procmem headroom "$TARGET_PID"
	[[ ${lines[0]} == "leaker ($TARGET_PID) "*' left of 1.0G (its address space, RLIMIT_AS)' ]]
	procmem headroom --for 12s "$TARGET_PID" >"$BATS_TEST_TMPDIR/headroom" 3>&- &
	local headroom=$!
	run -0 procmem watch --json -i 1 --for 12s "$TARGET_PID"
	wait "$headroom"
	[[ $(head -n 1 "$BATS_TEST_TMPDIR/headroom") == *' left of 1.0G (its address space, RLIMIT_AS), used up in '*'/s' ]]
	tail -n 1 <<<"$output" | jq -e --argjson max $((used + (1 << 30))) '.first_limit | .name == "address_space" and .max == $max and
		.left < 1073741824 and .seconds_left < 600'
	run -0 procmem watch -c 1 "$TARGET_PID"
	[[ ${lines[0]} == *'  RLIMIT_AS 1.0G: '*'M left'* ]]
	# If memory runs out first, the output does not change.
	prlimit --pid "$TARGET_PID" --as=1000000000000000:
	run -0 procmem headroom "$TARGET_PID"
	[[ ${lines[0]} != *RLIMIT* && ${lines[0]} == *' left of '* ]]
	run -0 procmem watch -c 1 "$TARGET_PID"
	[[ $output != *RLIMIT* ]]
}

@test "address space that grows in steps is reported" {
	local file=$BATS_TEST_TMPDIR/steps.pmrec limit
	target_start hog
	limit=$(($(awk '/^VmSize:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024 + (200 << 20)))
	prlimit --pid "$TARGET_PID" --as="$limit":
	procmem snap -q -o "$file" "$TARGET_PID"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[1]} == 'address_space: 200.0M left, which is less than the memory left, but address space is not growing now' ]]
	prlimit --pid "$TARGET_PID" --as=1000000000000000:
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ $output != *'address_space '*'left, less'* ]]
	prlimit --pid "$TARGET_PID" --as="$limit":
	run -0 procmem headroom "$TARGET_PID"
	[[ $output != *'does not grow now'* ]]
	target_tell 'eat 64'
	procmem snap -q -o "$file" "$TARGET_PID"
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ ${lines[1]} == 'address_space grew by 64.0M; no rate is known, because the growth is irregular or the time was too short: watch for a longer time' ]]
	prlimit --pid "$TARGET_PID" --as=unlimited:
	run -0 procmem headroom --from "$file" "$TARGET_PID"
	[[ $output != *address_space* ]]
}

@test "a signal ends --for early, and the results so far are printed" {
	target_start many_regions 10 1
	"$PROCMEM_BIN" headroom --json --for 600s "$TARGET_PID" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local pid=$! caught=0 status=0
	# Waits until it catches SIGTERM: bit 14 of SigCgt (proc_pid_status(5)).
	for _ in $(seq 600); do
		caught=$((0x$(awk '/^SigCgt:/ { print $2 }' "/proc/$pid/status") >> 14 & 1))
		[ "$caught" -eq 0 ] || break
		sleep 0.05
	done
	[ "$caught" -eq 1 ]
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 0 ]
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid and (.limits | length > 0)' "$BATS_TEST_TMPDIR/out"
	json_keep headroom "$BATS_TEST_TMPDIR/out"
	grep -q 'note: interrupted: the results are based on the measurements so far' "$BATS_TEST_TMPDIR/err"
}

@test "--from estimates it from a recording" {
	target_start leaker merged 4194304
	procmem watch -q -i 1 --for 12s --record "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID" >/dev/null
	run -0 procmem headroom --from "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID"
	[[ ${lines[0]} == *'left of '*'used up in '*'/s'* ]]
	[[ $output == *'LIMIT'*'MAX'*'USED'*'LEFT'*'LASTS'*'KIND'*'OF LIMIT'*'total'* ]]
	procmem snap -q -o "$BATS_TEST_TMPDIR/one.pmrec" "$TARGET_PID"
	run -0 procmem headroom --from "$BATS_TEST_TMPDIR/one.pmrec" "$TARGET_PID"
	[[ ${lines[0]} == *'; usage of the process: too early (seen for 0.0s in 1 sample; needs 10s and 5 samples)' ]]
	run -2 --separate-stderr procmem headroom --from "$BATS_TEST_TMPDIR/run.pmrec" $$
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
