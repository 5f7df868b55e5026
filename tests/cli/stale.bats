#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem stale`: the target touches the part of its memory that the test says, after the marks were
# removed, and the test then ends the measurement as Ctrl-C does.

setup() {
	load support/helper
}

teardown() {
	targets_stop
	json_check
}

# stale_start OPTION...: starts a measurement of the target, and waits until the marks are removed.
stale_start() {
	STALE_OUTPUT=$BATS_TEST_TMPDIR/stale.out
	# A shell without job control can make its children ignore Ctrl-C.
	coproc STALE {
		exec env --default-signal=INT "$PROCMEM_BIN" stale -v "$@" "$TARGET_PID" 2>&1 \
			>"$STALE_OUTPUT" 3>&-
	}
	# The shell unsets its own variables when the measurement ends.
	STALE_NUMBER=$STALE_PID
	exec {STALE_NOTES}<&"${STALE[0]}"
	NOTES=
	stale_await 'note: after 0.0s:'
}

# Reads notes until one contains the text. All notes so far are in NOTES.
stale_await() {
	local line
	while IFS= read -r line <&"$STALE_NOTES"; do
		NOTES+=$line$'\n'
		[[ $line != *"$1"* ]] || return 0
	done
	return 1
}

# Waits for the end of the measurement; sets $output to its result and $status to its status.
stale_wait() {
	status=0
	wait "$STALE_NUMBER" || status=$?
	NOTES+=$(cat <&"$STALE_NOTES")
	output=$(<"$STALE_OUTPUT")
	[[ $output != '{'* ]] || json_keep stale "$STALE_OUTPUT"
}

# Ends the measurement early.
stale_end() {
	kill -INT "$STALE_NUMBER"
	stale_wait
	[ "$status" -eq 0 ]
}

# Prints a member of the region `memory` of the last result.
member() {
	jq --arg start "0x${RANGE%-*}" ".regions[] | select(.start == \$start) | .$1" <<<"$output"
}

# measure_touched PERCENT: measures while the target touches a part of its memory. The result must be
# right within 2 % of the memory.
measure_touched() {
	local wanted=$((SIZE * $1 / 100)) touched
	stale_start --json --for 1000s
	target_tell "touch $1"
	stale_end
	touched=$(member referenced)
	[ $((touched - wanted)) -le $((SIZE / 50)) ]
	[ $((wanted - touched)) -le $((SIZE / 50)) ]
	[ "$(member cold)" -eq $(($(member rss) - touched)) ]
}

# memory_start MEGABYTES WAY: starts the target. Sets SIZE and RANGE.
memory_start() {
	target_start toucher "$@"
	SIZE=$(($1 << 20))
	RANGE=$(target_range memory)
	# The code that executes commands becomes resident now.
	target_tell 'touch 0'
}

# grow_twice OPTION...: measures a target that grows between readings: those after 0.5 s, after 5 s,
# and the last one.
grow_twice() {
	stale_start --for 30s "$@"
	stale_await 'note: after '
	target_tell 'grow 1'
	stale_await 'note: after '
	target_tell 'grow 2'
	stale_end
}

resident() {
	awk '/^VmRSS:/ { print $2 }' "/proc/$TARGET_PID/status"
}

@test "0, 1, 10, 50 and 100 % of 1 GiB are reported within 2 %, and the target does not grow" {
	local megabytes=1024 before
	[ -z "$(nm "$PROCMEM_BIN" 2>/dev/null | grep -E '__(a|t)san_init')" ] || megabytes=128
	memory_start "$megabytes" plain
	before=$(resident)
	for percent in 0 1 10 50 100; do
		measure_touched "$percent"
	done
	[ "$(resident)" -eq "$before" ]
	# The whole process: its other regions are small.
	jq -e --argjson size "$SIZE" '.method == "clear_refs" and .interrupted and
		.referenced >= $size and .cold < $size / 50 and .rss == .referenced + .cold and
		.stall_us > 0 and .predicted_stall_us > 0 and .lost_marks == 0 and
		(.readings | length == 2 and .[0].seconds < .[1].seconds) and .untouched_growth == [] and
		.total.cold == .cold and .total.rss == .rss' <<<"$output"
}

@test "locked and shared memory are measured, too" {
	for way in locked shared; do
		memory_start 32 "$way"
		measure_touched 0
		measure_touched 50
		targets_stop
	done
}

@test "of huge pages, one touch counts as 2 MiB" {
	[[ $(</sys/kernel/mm/transparent_hugepage/enabled) != *'[never]'* ]] ||
		skip 'this kernel makes no transparent huge pages'
	memory_start 128 huge
	local huge
	huge=$(awk -v start="$(sed 's/^0*//' <<<"${RANGE%-*}")" '/^[0-9a-f]+-/ { found = index($1, start "-") == 1 }
		found && /^AnonHugePages:/ { print $2 * 1024 }' "/proc/$TARGET_PID/smaps")
	[ "$huge" -eq "$SIZE" ] || skip 'the kernel had no huge pages for all of the memory'
	measure_touched 50
	# One page of 4 KiB.
	stale_start --for 1000s
	target_tell 'touch 1'
	stale_end
	[[ $output == *"128.0M is in huge pages, of which one touched byte counts as 2.0M"* ]]
	[[ ${lines[0]} != *' 100%'* ]]
	stale_start --json --for 1000s
	target_tell 'touch 1'
	stale_end
	[ "$(member referenced)" -eq $((2 << 20)) ]
}

@test "the first line answers, and the stall is said before and measured" {
	memory_start 64 plain
	stale_start --for 1000s
	target_tell 'touch 25'
	stale_end
	mapfile -t lines <<<"$output"
	[[ ${lines[0]} =~ ^toucher\ \($TARGET_PID\):\ 4[0-9.]+M\ of\ 6[0-9.]+M\ \(7[0-9]%\)\ not\ touched\ in\ [0-9.]+m?s$ ]]
	[[ ${lines[1]} =~ ^'touched after '[0-9.]+m?s:\ 1[0-9.]+M$ ]]
	[[ ${lines[2]} =~ ^'stall: at most '[0-9.]+' ms (predicted: about '[0-9.]+' ms); longest reading: '[0-9.]+' ms'$ ]]
	heading=3
	[[ ${lines[heading]} != 'Less than a second was measured: '* ]] || heading=4
	[[ ${lines[heading]} == ADDRESS*RSS*COLD*COLD%*GROWN*KIND*MAPPING ]]
	[[ ${lines[heading + 1]} =~ ^"${RANGE%-*}-"[0-9a-f]+\ +64\.0M\ +48\.0M\ +75\.0\ +-\ anon$ ]]
	[[ $NOTES == *"removing the referenced marks of process $TARGET_PID stalls it for about "*' ms'*'after 0.0s:'* ]]
	[[ $NOTES == *'interrupted: the results are those of the first '* ]]
}

@test "memory that grows and whose older part is not touched is named" {
	memory_start 64 plain
	grow_twice
	grep -qxF "anon ${RANGE%-*} grows (+3.0M), and its older part is cold: of the 64.0M that it had at the start, 64.0M (100%) was not touched" <<<"$output"
	[[ $output == *'A leak that is still reachable looks like this.'* ]]
	targets_stop

	memory_start 64 plain
	grow_twice --json
	[ "$(member growing)" = '"untouched"' ]
	[ "$(member growth)" -eq $((3 << 20)) ]
	[ "$(member rss)" -eq $((67 << 20)) ]
	jq -e --arg start "0x${RANGE%-*}" '.untouched_growth | length == 1 and (.[0] |
		.start == $start and .kind == "anon" and .growth == 3145728 and .rss_before >= 67108864 and .cold >= 67000000)' <<<"$output"
	jq -e '[.readings[].rss] | . == sort and length == 4' <<<"$output"
	[ "$(member 'touched | length')" -eq 4 ]
}

@test "a mapped file that is read for the first time does not look like a leak" {
	memory_start 4 file "$BATS_TEST_TMPDIR/file"
	grow_twice --json
	[ "$(member kind)" = '"file"' ]
	[ "$(member growing)" = '"untouched"' ]
	jq -e '.untouched_growth == []' <<<"$output"
}

@test "pinned memory, and memory with several mappings: a line says that not all touches count" {
	memory_start 16 pinned
	grep -q '^VmPin:.* 16384 kB$' "/proc/$TARGET_PID/status" || skip 'the kernel refuses io_uring'
	run -0 --separate-stderr procmem stale --for 0.1s "$TARGET_PID"
	[[ $output == *'16.0M is pinned: what devices and io_uring read and write there is not counted as touched'* ]]
	run -0 --separate-stderr procmem stale --json --for 0.1s "$TARGET_PID"
	jq -e '.pinned == 16777216' <<<"$output"
	targets_stop

	memory_start 1 aliased
	run -0 --separate-stderr procmem stale --for 0.1s "$TARGET_PID"
	[[ $output == *' belongs to files and shared memory: '*'through another mapping'* ]]
}

@test "marks that something else removes during the measurement are reported" {
	memory_start 64 plain
	stale_start --for 30s
	target_tell 'touch 50'
	# The target has touched its memory before the reading after 5 s.
	stale_await 'note: after '
	stale_await 'note: after '
	echo 1 >"/proc/$TARGET_PID/clear_refs"
	stale_end
	[[ $output == *'The marks of at least 3'*'M were removed during the measurement'*'the cold sizes can be too large'* ]]
}

@test "a target that ends, is killed or calls exec: the results are those until then" {
	memory_start 16 plain
	stale_start --json --for 6s
	stale_await 'note: after '
	kill -KILL "$TARGET_PID"
	stale_wait
	[ "$status" -eq 0 ]
	[[ $NOTES == *'the results are those of the first '*"process $TARGET_PID"* ]] || [[ $output == *'"ended":'* ]]
	jq -e --argjson pid "$TARGET_PID" '.ended | contains("process " + ($pid | tostring))' <<<"$output"
	jq -e '.readings | length >= 2' <<<"$output"
	[ "$(member cold)" -gt $((15 << 20)) ]
	targets_stop

	memory_start 16 plain
	stale_start --for 6s
	stale_await 'note: after '
	echo exec >&"$TARGET_IN"
	target_await ready
	stale_end
	[[ $NOTES == *'the results are those of the first '*'exec'* ]]
	[[ ${output%%$'\n'*} == "toucher ($TARGET_PID): "*' not touched in '* ]]
	targets_stop

	memory_start 16 plain
	stale_start --for 1000s
	kill -KILL "$TARGET_PID"
	stale_wait
	[ "$status" -eq 2 ]
	[[ $NOTES == *'there is no result yet: process '*"$TARGET_PID"* ]]
	[ -z "$output" ]
}

@test "a stopped process is reported as stopped" {
	memory_start 16 plain
	kill -STOP "$TARGET_PID"
	until [[ $(sed 's/.*) \(.\).*/\1/' "/proc/$TARGET_PID/stat") == T ]]; do :; done
	run -0 --separate-stderr procmem stale --json --for 0.1s "$TARGET_PID"
	jq -e .stopped <<<"$output"
	[ "$(member referenced)" -eq 0 ]
	run -0 --separate-stderr procmem stale --for 0.1s "$TARGET_PID"
	[[ $stderr == *'a stopped process touches nothing'* ]]
	kill -CONT "$TARGET_PID"
}

@test "a process of more than 8 GiB needs --yes, and nothing is removed without it" {
	target_start toucher 84 aliased
	[ "$(resident)" -gt $((8 << 20)) ]
	run -2 --separate-stderr procmem stale --for 0.1s "$TARGET_PID"
	[[ $stderr == *"process $TARGET_PID has 8."*'G resident in '*' regions, so that removing the marks of its pages would stall it for about '*' ms: add --yes'* ]]
	[[ $stderr != *'removing the referenced marks'* ]]
	# All marks are still there.
	[ "$(awk '/^Referenced:/ { sum += $2 } END { print sum }' "/proc/$TARGET_PID/smaps_rollup")" -gt $((8 << 20)) ]
	run -0 --separate-stderr procmem stale --yes --json --for 0.1s "$TARGET_PID"
	jq -e '.cold > 8000000000 and .file_and_shmem > 8000000000' <<<"$output"
}

@test "regions, groups and columns can be chosen, and sums agree" {
	memory_start 32 plain
	run -0 --separate-stderr procmem stale --json --for 0.1s --by kind "$TARGET_PID"
	jq -e '(.groups | map(.cold) | add) == .cold and (.regions | map(.cold) | add) == .cold and
		(.groups | map(.cold) | . == (sort | reverse)) and .groups[0].kind == "anon" and
		.groups[0].cold == .groups[0].rss - .groups[0].referenced' <<<"$output"
	for by in mapping arena perms object thread; do
		run -0 --separate-stderr procmem stale --json --for 0.1s --by "$by" "$TARGET_PID"
		jq -e '(.groups | map(.cold) | add) == .cold' <<<"$output"
	done
	run -0 --separate-stderr procmem stale --for 0.1s --by kind "$TARGET_PID"
	[[ $output == *$'\nKIND '*COUNT*RSS*COLD*REFERENCED*SWAP$'\n'anon* ]]
	run -0 --separate-stderr procmem stale --for 0.1s --csv --no-header -o start,cold,growing "$TARGET_PID" "0x${RANGE%-*}"
	[ "$output" = "${RANGE%-*},$SIZE,no" ]
	run -0 --separate-stderr procmem stale -q --for 0.1s -k anon "$TARGET_PID"
	[[ ${lines[0]} == *', in '*' of '*' regions' && -z $stderr ]]
	[[ ${lines[1]} == 'whole process: touched after '* ]]
	run -0 --separate-stderr procmem stale -a --for 0.1s --mapping '^\[stack\]$' --perms rw "$TARGET_PID"
	[[ $output == *', in 1 of '*' regions'*'[stack]'* ]]
	run -0 --separate-stderr procmem stale --for 0.1s --csv --no-header --columns size --min-size 32M --perms rw "$TARGET_PID"
	[ "$output" = "$SIZE" ]
}

@test "wrong words are rejected before the target is changed" {
	memory_start 4 plain
	for words in '--for 0' '--for x' '--by weather' '-o nothing' '--sort nothing' '--json --csv' '-a -n 3'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem stale $words "$TARGET_PID"
		[ -z "$output" ]
	done
	run -1 --separate-stderr procmem stale "$TARGET_PID" jit
	[[ $stderr == *'no region is of kind jit'* ]]
	run -1 --separate-stderr procmem stale --min-rss 1T "$TARGET_PID"
	[[ $stderr == *'none of the '*' regions of process '*' matches the filters'* ]]
	run -2 --separate-stderr procmem stale
	[ "$(awk '/^Referenced:/ { print $2 }' "/proc/$TARGET_PID/smaps_rollup")" -ge 4096 ]
}

@test "a refused process is explained, and so is one without memory" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root, to become another user'
	memory_start 4 plain
	run -2 --separate-stderr as_nobody stale --for 0.1s "$TARGET_PID"
	[[ $stderr == *"cannot read the smaps of process $TARGET_PID"*'runs as root'*'sudo'* ]]
	# The right to read memory is not the right to write to clear_refs.
	folder=$(mktemp -d /tmp/procmem-nobody.XXXXXX)
	chmod 755 "$folder"
	cp "$PROCMEM_BIN" "$PROCMEM_BUILD"/lib/libprocmem.so* "$folder"
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		--inh-caps=-all,+sys_ptrace --ambient-caps=-all,+sys_ptrace -- \
		env LD_LIBRARY_PATH="$folder" "$folder/procmem" stale --for 0.1s "$TARGET_PID"
	rm -rf "$folder"
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot write to the clear_refs of process $TARGET_PID: this needs the user of the process or CAP_DAC_OVERRIDE"*'sudo'* ]]
	# In a PID namespace of its own, there are none.
	if [ "$(cat /proc/2/comm)" = kthreadd ]; then
		run -2 --separate-stderr procmem stale --for 0.1s 2
		[[ $stderr == *'is a kernel thread'* ]]
	fi
}

@test "a process whose first thread has ended can be measured" {
	target_start dead_leader
	run -0 --separate-stderr procmem stale --json --for 0.1s "$TARGET_PID"
	# Other programs of the machine mark the pages of libraries.
	jq -e '[.regions[] | select(.kind == "anon") | .cold] | add >= 1048576' <<<"$output"
}

@test "regions with less than 1% of the cold memory are summed up, unless -a is given" {
	memory_start 32 plain
	run -0 --separate-stderr procmem stale --for 0.1s "$TARGET_PID"
	[[ $output == *$'\n'"${RANGE%-*}-"* && $output == *' more regions, '*' COLD (all: -a)'* ]]
	[[ $output != *'[stack]'* ]]
	run -0 --separate-stderr procmem stale -a --for 0.1s "$TARGET_PID"
	[[ $output == *'[stack]'* && $output != *' more regions, '* ]]
	run -0 --separate-stderr procmem stale --csv --for 0.1s "$TARGET_PID"
	[[ $output == *'[stack]'* ]]
}

@test "at 80 columns the text fits" {
	memory_start 16 plain
	run -0 on_terminal 24 80 stale --for 0.1s "$TARGET_PID"
	# The line that is shown during the measurement is erased.
	[ "$(sed 's/.*\r\x1b\[K//; s/\r//g; s/\x1b\[[0-9;]*[mK]//g' <<<"$output" | wc -L)" -le 80 ]
	[[ $output == *'COLD%'* ]]
}

@test "on a narrow terminal columns are left out, but not the only region to show" {
	# Other regions have less than 1 % of it.
	memory_start 256 plain
	run -0 on_terminal 24 50 stale --for 0.1s "$TARGET_PID"
	[[ $output == *'no room for '* && $output == *' more regions, '* ]]
	[[ $output == *$'\n'"${RANGE%-*}-"* ]]
}
