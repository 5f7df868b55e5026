#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem watch --on --do`: what happens when conditions hold. Targets grow on command, so that nothing depends on time.

setup() {
	load ../support/helper
	out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
	: >"$out" >"$err"
}

teardown() {
	[ -z "${WATCHER:-}" ] || kill -KILL "$WATCHER" 2>/dev/null || true
	targets_stop
	cgroup_remove
	[ ! -e "$out" ] || json_keep watch "$out"
	json_check
}

# Watches the target in the background, as JSON, and waits for the first sample.
watch_start() {
	"$PROCMEM_BIN" watch --json -i 0.1 --budget 0 "$@" "$TARGET_PID" >"$out" 2>"$err" 3>&- &
	WATCHER=$!
	await_sample 1
}

# Waits until a filter of jq is true for the objects so far.
await() {
	for _ in $(seq 600); do
		! jq -se "$1" "$out" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	echo "never: $1" && cut -c1-300 "$out" && cat "$err"
	return 1
}

await_sample() {
	await "[.[] | select(has(\"regions\"))] | length >= $1"
}

# Waits for that many more samples.
await_more_samples() {
	await_sample $(($(jq -s '[.[] | select(has("regions"))] | length' "$out") + $1))
}

events() {
	jq -sc '.[] | select(.event == "condition")' "$out"
}

# Lets the target allocate memory between two samples.
eat() {
	kill -STOP "$WATCHER"
	target_tell "eat $1"
	kill -CONT "$WATCHER"
}

# Waits for the end of the watch, and checks its status.
watch_end() {
	local status=0
	wait "$WATCHER" || status=$?
	WATCHER=
	[ "$status" -eq "$1" ]
}

@test "a condition ends it with status 1" {
	target_start hog
	target_tell 'eat 10'
	watch_start --on 'rss>40M'
	await_more_samples 3
	eat 50
	watch_end 1
	events | jq -e '.condition == "rss>40M" and .value > 62914560 and .threshold == 41943040 and .region.kind == "anon" and
		.region.rss >= 52428800 and
		.actions == [{"action": "exit"}]'
	tail -n 1 "$out" | jq -e '.summary and .ended == "a condition was met: rss>40M"'
	[ "$(events | wc -l)" -eq 1 ]
}

@test "a condition that holds at the start is met at once, one that never holds is not met" {
	target_start hog
	run -1 procmem watch -i 600 --on 'rss>1K' "$TARGET_PID"
	[[ $output == *'  rss>1K: '* ]]
	run -0 procmem watch -i 0.1 -c 3 --on 'rss>1000G' --on 'headroom<1K' --on 'threads>5000' "$TARGET_PID"
	[[ $output != *'rss>1000G'* ]]
	run -1 --separate-stderr procmem watch -q -i 600 --on 'regions<100000' "$TARGET_PID"
	[[ $output != *'  regions<'* && $output == *'ended: a condition was met: regions<100000'* ]]
}

@test "each value of a list is acted on once" {
	target_start hog
	watch_start --on 'rss>20M,60M,100M' --do 'exec:true'
	eat 30
	await '[.[] | select(.event == "condition")] | length == 1'
	await_more_samples 3
	# Two values are passed between two samples: one event.
	eat 80
	await '[.[] | select(.event == "condition")] | length == 2'
	await_more_samples 3
	kill -TERM "$WATCHER"
	watch_end 0
	[ "$(events | jq -r .condition)" = $'rss>20M\nrss>100M' ]
}

@test "growth, kinds and single regions are compared" {
	target_start hog
	watch_start --on 'grow>20M/60s' --on 'kind:anon,malloc>20M' --on 'region>20M' --on 'region>500M' --do 'exec:true'
	await_more_samples 2
	[ -z "$(events)" ]
	eat 30
	await '[.[] | select(.event == "condition")] | length == 3'
	kill -TERM "$WATCHER"
	watch_end 0
	# By the kernel: the address of the largest region.
	local start
	start=$(awk '/^[0-9a-f]+-[0-9a-f]+ / { region = $1 } /^Rss:/ && $2 > most { most = $2; at = region }
		END { sub(/-.*/, "", at); print at }' \
		"/proc/$TARGET_PID/smaps")
	events | jq -se --arg start "0x$start" '([.[].condition] | sort) == ["grow>20M/60s", "kind:anon,malloc>20M", "region>20M"] and
		all(.[]; .region.start == $start and .value >= 31457280)'
}

@test "with --again a threshold is acted on after each cool-down" {
	target_start hog
	watch_start --on 'rss>1K' --do 'exec:true' --again --cool-down 0.2s
	await '[.[] | select(.event == "condition")] | length >= 3'
	kill -TERM "$WATCHER"
	watch_end 0
	jq -se '[.[] | select(.event == "condition") | .elapsed] | . as $t | all(range(1; length); $t[.] - $t[. - 1] >= 0.2)' "$out"
}

@test "a command receives variables, and has none of our descriptors" {
	local facts=$BATS_TEST_TMPDIR/facts
	target_start hog
	target_tell 'eat 30'
	# shellcheck disable=SC2016 # for the command's shell
	run -1 --separate-stderr procmem watch -q -i 600 --on 'rss>20M' \
		--do "exec:env | grep ^PROCMEM_ >$facts; ls /proc/self/fd >$facts.fd; echo told" \
		--do 'exec:exit 3' --do 'exec:kill -9 $$' --do exit "$TARGET_PID"
	grep -qx "PROCMEM_PID=$TARGET_PID" "$facts"
	grep -qx 'PROCMEM_NAME=hog' "$facts"
	grep -qx 'PROCMEM_CONDITION=rss>20M' "$facts"
	grep -qx 'PROCMEM_KIND=anon' "$facts"
	grep -qE '^PROCMEM_TIME=20[0-9]{2}-.*Z$' "$facts"
	grep -qE '^PROCMEM_REGION=0x[0-9a-f]+-0x[0-9a-f]+$' "$facts"
	[ "$(sed -n 's/^PROCMEM_VALUE=//p' "$facts")" -gt 31457280 ]
	# The last one was opened by ls.
	[ "$(cat "$facts.fd")" = $'0\n1\n2\n3' ]
	[[ $stderr == *told* && $output != *told* ]]
	[[ $stderr == *"exec: 'exit 3' (PID "*') ended with status 3'* ]]
	[[ $stderr == *') was killed by signal 9'* ]]
}

@test "watching continues while a command runs" {
	target_start hog
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	watch_start --on 'rss>1K' --do "exec:read line <$BATS_TEST_TMPDIR/fifo"
	await '[.[] | select(.event == "condition")] | length == 1'
	await_more_samples 5
	jq -se '[.[] | select(.event == "command")] | length == 0' "$out"
	echo go >"$BATS_TEST_TMPDIR/fifo"
	await '[.[] | select(.event == "command" and .status == 0)] | length == 1'
	kill -TERM "$WATCHER"
	watch_end 0
}

@test "an interrupt leaves a command running, and reports this" {
	target_start hog
	watch_start --on 'rss>1K' --do 'exec:exec sleep 1000'
	await '[.[] | select(.event == "condition")] | length == 1'
	local pid
	pid=$(events | jq '.actions[0].pid')
	kill -TERM "$WATCHER"
	watch_end 0
	grep -q "(PID $pid) still runs" "$err"
	[ "$(cat "/proc/$pid/comm")" = sleep ]
	kill -KILL "$pid"
}

@test "with -q there is no note about a command that is left running or a condition that cannot hold" {
	local pid
	require python3
	target_start hog
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	watch_start -q --on 'rss>1K' --do "exec:echo \$\$ >$BATS_TEST_TMPDIR/fifo; exec sleep 1000 2>/dev/null"
	read -r pid <"$BATS_TEST_TMPDIR/fifo"
	kill -TERM "$WATCHER"
	watch_end 0
	kill -KILL "$pid"
	[ ! -s "$err" ]
	run --separate-stderr -0 procmem watch -q -c 1 --on 'headroom<1' "$TARGET_PID"
	[ -z "$stderr" ]
}

@test "the status of commands is known even if SIGCHLD was ignored by the parent" {
	target_start hog
	require python3
	run -1 --separate-stderr json_run watch python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' \
		"$PROCMEM_BIN" watch --json -i 600 --on 'rss>1K' --do 'exec:exit 3' --do exit "$TARGET_PID"
	jq -se 'map(select(.event == "command")) | length == 1 and .[0].status == 3' <<<"$output"
	run -0 python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' \
		"$PROCMEM_BIN" shell -c '!true' "$TARGET_PID"
}

@test "samples go into one recording" {
	local file=$BATS_TEST_TMPDIR/of.$$.pmrec
	target_start hog
	watch_start --on 'rss>20M,60M' --do "snap:$file"
	eat 30
	await '[.[] | select(.event == "condition")] | length == 1'
	eat 50
	await '[.[] | select(.event == "condition")] | length == 2'
	kill -TERM "$WATCHER"
	watch_end 0
	[ "$(events | jq -c '.actions[0] | [.action, .sample]')" = $'["snap",1]\n["snap",2]' ]
	run -1 procmem diff --json "$file@1" "$file@2"
	jq -e '.total.delta >= 52428800 and .total.delta < 60000000' <<<"$output"
}

@test "a sample can go into the file that --record writes, and has the number that is printed" {
	local file=$BATS_TEST_TMPDIR/of.pmrec
	target_start hog
	watch_start --record "$file" --on 'rss>20M,60M' --do "snap:$file"
	eat 30
	await '[.[] | select(.event == "condition")] | length == 1'
	eat 50
	await '[.[] | select(.event == "condition")] | length == 2'
	# A sample of `watch` follows.
	await 'last | has("event") | not'
	kill -TERM "$WATCHER"
	watch_end 0
	local list
	list=$(procmem snap -l --json "$file")
	# Only the samples of `snap` have all sizes of smaps.
	[ "$(events | jq -s '[.[].actions[0].sample]')" = "$(jq '[.samples[] | select(.holds == "all") | .sample]' <<<"$list")" ]
	jq -e '[.samples[].holds] | index("all") > 0 and .[-1] != "all"' <<<"$list"
	# Samples of `watch` after those of `snap` have regions.
	run -1 --separate-stderr procmem diff --json "$file@1" "$file@$(jq '[.samples[] | select(.holds == "rss") | .sample] | last' <<<"$list")"
	jq -e '.total.delta >= 83886080 and .total.delta < 100000000' <<<"$output"
}

@test "the region to blame is dumped, and nothing is overwritten" {
	local name=$BATS_TEST_TMPDIR/of.%p.%k
	target_start hog
	watch_start --on 'region>20M,60M' --do "dump:$name"
	eat 30
	await '[.[] | select(.event == "condition")] | length == 1'
	eat 70
	await '[.[] | select(.event == "condition")] | length == 2'
	kill -TERM "$WATCHER"
	watch_end 0
	local first=$BATS_TEST_TMPDIR/of.$TARGET_PID.anon event start end file
	[ -f "$first" ] && [ -f "$first.2" ]
	[ "$(stat -c %a "$first")" = 600 ]
	while IFS= read -r event; do
		start=$(jq -r '.region.start' <<<"$event") end=$(jq -r '.region.end' <<<"$event") file=$(jq -r '.actions[0].path' <<<"$event")
		[ "$(jq '.actions[0].bytes' <<<"$event")" -eq $((end - start)) ]
		dd if="/proc/$TARGET_PID/mem" bs=4096 skip=$((start / 4096)) count=$(((end - start) / 4096)) status=none | cmp - "$file"
	done < <(events)
}

# The first heap of the arena is full: another one grows.
@test "of several heaps of an arena, the one that grew is blamed, and all are dumped" {
	local file=$BATS_TEST_TMPDIR/arena facts=$BATS_TEST_TMPDIR/facts
	target_start leaker arenas 41943040
	# shellcheck disable=SC2016 # for the command's shell
	run -1 --separate-stderr procmem watch --json -i 0.2 --budget 0 -k arena --on 'rss>150M' --do "dump:$file" \
		--do "exec:env | grep ^PROCMEM_REGION >$facts; \"$PROCMEM_BIN\" dump \$PROCMEM_PID \$PROCMEM_REGIONS | wc -c >$facts.bytes" \
		--do exit "$TARGET_PID"
	local event
	event=$(jq -c 'select(.event == "condition")' <<<"$output")
	jq -e '.region | .kind == "arena" and .count > 1 and .own_rss < .rss and .rss > 100000000' <<<"$event"
	jq -se '[.[] | select(has("regions"))] | last | .regions[0] | .count > 1 and .own_rss < .rss and .rss > 100000000' <<<"$output"
	# shellcheck disable=SC1090 # its lines are assignments
	( . <(sed "s/=\(.*\)/='\1'/" "$facts")
		jq -e --arg start "${PROCMEM_REGION%-*}" --argjson own "$PROCMEM_REGION_RSS" --argjson all "$PROCMEM_REGIONS_RSS" \
			--argjson count "$PROCMEM_REGIONS_COUNT" \
			'.region | .start == $start and .own_rss == $own and .rss == $all and .count == $count' <<<"$event"
		# The kernel has merged neighbouring heaps, and only these.
		[ "$(wc -w <<<"$PROCMEM_REGIONS")" -eq "$PROCMEM_REGIONS_COUNT" ]
		[[ " $PROCMEM_REGIONS " == *" $PROCMEM_REGION "* ]]
		length=0
		for region in $PROCMEM_REGIONS; do length=$((length + ${region#*-} - ${region%-*})); done
		[ "$(cat "$facts.bytes")" -eq "$length" ]
		[ "$(stat -c %s "$file")" -eq "$length" ] )
	[ "$(jq '.actions[0].bytes' <<<"$event")" -gt 100000000 ]
	grep -q ' arena' "$file.map"
}

# A mapping that replaces another one of the same size changes no total: regions would not be measured for half a minute.
@test "the region that is blamed exists, even if no total has changed" {
	target_start grower
	target_tell 'map warm 25600'
	target_tell 'unmap warm'
	target_tell 'map old 25600'
	watch_start --on 'region>50M' --do exec:true --again --cool-down 0.2s
	await '[.[] | select(.event == "condition")] | length >= 2'
	kill -STOP "$WATCHER"
	until grep -q '^State:.*stopped' "/proc/$WATCHER/status"; do sleep 0.02; done
	local before
	before=$(events | wc -l)
	target_tell 'unmap old'
	target_tell 'map new 25600'
	kill -CONT "$WATCHER"
	# One of them may have started before.
	await "[.[] | select(.event == \"condition\")] | length >= $((before + 3))"
	kill -TERM "$WATCHER"
	watch_end 0
	local start
	start=$(awk '/^[0-9a-f]+-[0-9a-f]+ / { region = $1 } /^Rss:/ && $2 > most { most = $2; at = region }
		END { sub(/-.*/, "", at); print at }' \
		"/proc/$TARGET_PID/smaps")
	events | tail -n +$((before + 2)) | jq -se --arg start "0x$start" 'length > 1 and all(.[]; .region.start == $start)'
	# Before, the other one was blamed.
	events | head -n 1 | jq -e --arg start "0x$start" '.region.start != $start'
}

@test "the region to blame is measured even if the budget holds measurements back" {
	target_start hog
	watch_start --budget 0.000001 --on 'rss>60M' --do "dump:$BATS_TEST_TMPDIR/blamed"
	# The budget allows one more sample.
	eat 20
	await 'any(.[]; .regions[0].rss >= 20971520)'
	eat 60
	await '[.[] | select(.event == "condition")] | length == 1'
	kill -TERM "$WATCHER"
	watch_end 0
	events | jq -e '.region.own_rss >= 62914560 and .region.rss >= .region.own_rss and .actions[0].bytes >= .region.own_rss'
}

@test "a failed action is reported, and does not end the run" {
	target_start hog
	local folder=$BATS_TEST_TMPDIR/vanished
	mkdir "$folder"
	watch_start --on 'rss>40M' --do "dump:$folder/x" --do "snap:$folder/x"
	rmdir "$folder"
	eat 50
	await 'any(.[]; .event == "condition")'
	await_more_samples 3
	kill -TERM "$WATCHER"
	watch_end 0
	grep -q '^procmem: dump: .*/vanished/x' "$err"
	grep -q '^procmem: snap: .*/vanished/x' "$err"
	events | jq -e '[.actions[].error | length > 0] == [true, true]'
}

# The interval is so long that only events of the kernel can cause samples.
@test "events of the cgroup wake it long before the next sample is due" {
	[ -e /sys/fs/cgroup/memory/cgroup.event_control ] || skip 'only cgroup v1 tells sizes'
	target_start hog
	cgroup_make $((64 << 20)) "$TARGET_PID"
	watch_start -i 6000 --on 'rss>20M' --on 'headroom<50%' --do 'exec:true'
	target_tell 'eat 22'
	await '[.[] | select(.event == "condition" and .condition == "rss>20M")] | length == 1'
	target_tell 'eat 15'
	await '[.[] | select(.event == "condition" and .condition == "headroom<50%")] | length == 1'
	jq -se --arg file "$GROUP_FOLDER/memory.usage_in_bytes" '[.[] | select(.event == "wakeup" and .cause == "usage"
		and .path == $file)] | length > 0' "$out"
	kill -0 "$TARGET_PID"
	kill -TERM "$WATCHER"
	watch_end 0
}

@test "OOM kills are reported" {
	target_start hog
	cgroup_make $((64 << 20)) "$TARGET_PID"
	watch_start --on 'rss>1000G'
	printf 'eat 400\n' >&"$TARGET_IN"
	watch_end 0
	jq -se '[.[] | select(.event == "oom_kill") | .count] | add == 1' "$out"
	tail -n 1 "$out" | jq -c '{summary, ended}'
	tail -n 1 "$out" | jq -e --arg group "$GROUP" '.summary and .ended == "killed by the kernel: memory limit of \($group)"'
	grep -q 'the kernel killed 1 process of the cgroup' "$err"
}

@test "without conditions the end is reported as an OOM kill, too" {
	target_start hog
	cgroup_make $((64 << 20)) "$TARGET_PID"
	watch_start
	printf 'eat 400\n' >&"$TARGET_IN"
	watch_end 0
	tail -n 1 "$out" | jq -e --arg group "$GROUP" '.ended == "killed by the kernel: memory limit of \($group)"'
}

@test "a recording contains the reason why the process ended" {
	local recording=$BATS_TEST_TMPDIR/hog.pmrec
	target_start hog
	cgroup_make $((64 << 20)) "$TARGET_PID"
	watch_start --record "$recording"
	printf 'eat 400\n' >&"$TARGET_IN"
	watch_end 0
	run -0 --separate-stderr "$PROCMEM_BIN" watch "$recording"
	[[ $output == *'ended: the recording ends: '20*"Z, killed by the kernel: memory limit of $GROUP"* ]]
}

@test "RSS above the limit is explained: it is charged to another cgroup" {
	target_start hog
	target_tell 'eat 100'
	cgroup_make $((64 << 20)) "$TARGET_PID"
	run -0 procmem watch -c 1 "$TARGET_PID"
	[[ ${lines[0]} == *'limit 64.0M ('*' used; the rest of the RSS is charged to other cgroups): '* ]]
}

@test "the summary lists the conditions that were met, with time and actions" {
	local folder=$BATS_TEST_TMPDIR/folder
	target_start hog
	target_tell 'eat 30'
	run -1 --separate-stderr procmem watch -q -i 600 --on 'rss>20M' --do "dump:$folder" --do 'exec:exit 3' --do exit "$TARGET_PID"
	[ "$(grep -c '^met ' <<<"$output")" -eq 1 ]
	local line="^met 20[0-9-]+T[0-9:.]+Z: rss>20M: 3[0-9.]+M; [0-9a-f]+-[0-9a-f]+ anon 3[0-9.]+M.*"
	grep -Eq "$line; dump: 3[0-9.]+M in $folder; exec: PID [0-9]+; exit\$" <<<"$output"
	run -1 --separate-stderr procmem watch -q -i 600 --on 'rss>20M' --do "dump:/proc/%p/x" --do exit "$TARGET_PID"
	grep -q '^met .*rss>20M: .*; dump: .*/proc/.*; exit$' <<<"$output"
	run -0 procmem watch -q -c 1 --on 'rss>1000G' "$TARGET_PID"
	[[ $output != *met* ]]
}

@test "files that actions cannot write are refused at the start" {
	local file=$BATS_TEST_TMPDIR/file folder=$BATS_TEST_TMPDIR/folder
	mkdir "$folder"
	echo text >"$file"
	for action in snap dump; do
		run -2 --separate-stderr procmem watch --on 'rss>1K' --do "$action:/nonexistent/x" $$
		[[ $stderr == *"--do $action: /nonexistent/x cannot be written: /nonexistent: "* ]]
		run -2 --separate-stderr procmem watch --on 'rss>1K' --do "$action:$file/x" $$
		[[ $stderr == *"--do $action: $file/x cannot be written: "* ]]
	done
	run -2 --separate-stderr procmem watch --on 'rss>1K' --do "snap:$file" $$
	[[ $stderr == *"--do snap: $file exists already, and is not a recording"* ]]
	run -2 --separate-stderr procmem watch --on 'rss>1K' --do "snap:$folder" $$
	[[ $stderr == *"not a recording"* ]]
	[ "$(cat "$file")" = text ]
	# Existing recordings and files that get another name are accepted.
	target_start hog
	procmem snap -q -o "$folder/run" "$TARGET_PID"
	run -1 procmem watch -q -i 600 --on 'rss>1K' --do "snap:$folder/run" --do "dump:$file" --do exit "$TARGET_PID"
	[ -s "$file.2" ]
	run -0 procmem watch -q -c 1 --on 'rss>1000G' --do 'dump:/nonexistent%p/x' "$TARGET_PID"
	# A recording of another process is refused.
	local first=$TARGET_PID
	target_start hog
	cp "$folder/run" "$folder/of.$TARGET_PID"
	for name in "$folder/run" "$folder/of.%p"; do
		run -2 --separate-stderr procmem watch -c 1 --on 'rss>1000G' --do "snap:$name" "$TARGET_PID"
		[[ $stderr == *"--do snap: ${name/\%p/$TARGET_PID} is a recording of another process (hog, PID $first): choose another file" ]]
		[ -z "$output" ]
	done
	run -0 procmem watch -q -c 1 --on 'rss>1000G' --do "snap:$folder/%n.run" --do "dump:$folder/run" "$TARGET_PID"
}

@test "there is a note about a size without a unit" {
	target_start hog
	run -1 --separate-stderr procmem watch -i 600 --on 'rss>60' "$TARGET_PID"
	[[ $stderr == *"'rss>60' means 60 bytes; for megabytes, write 60M"* ]]
	run -0 --separate-stderr procmem watch -c 1 --on 'rss>1000G' --on 'threads>1000' --on 'headroom<0%' --on 'swap>1000G' "$TARGET_PID"
	[[ $stderr != *bytes* ]]
}

@test "wrong use is refused" {
	run -2 --separate-stderr procmem watch --on 'rss=2G' $$
	[[ $stderr == *'--on: '*'contains neither < nor >'* ]]
	run -2 --separate-stderr procmem watch --on 'ram>2G' $$
	[[ $stderr == *"'ram' cannot be compared"* ]]
	run -2 --separate-stderr procmem watch --do exit $$
	[[ $stderr == *'need a condition'* ]]
	run -2 --separate-stderr procmem watch --on 'rss>2G' --do halt $$
	[[ $stderr == *"unknown action 'halt'"* ]]
	run -2 --separate-stderr procmem watch --on 'rss>2G' --cool-down 5s $$
	[[ $stderr == *'--cool-down needs --again'* ]]
	run -2 --separate-stderr procmem watch --on 'rss>2G' --do 'dump:%x' $$
	[[ $stderr == *"unknown placeholder '%x'"* ]]
	for words in '--by kind' '--by=kind'; do
		# shellcheck disable=SC2086 # two words
		run -2 --separate-stderr procmem watch $words $$
		[[ $stderr == "procmem: --by: 'kind' is unknown: use owner"* ]]
	done
}
