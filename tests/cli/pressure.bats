#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem pressure`: the truth is in the files of the kernel. Other tests run on the same machine and
# can load it, so only the row of an own group is judged.

setup() {
	load support/helper
}

teardown() {
	targets_stop
	[ -z "${pages:-}" ] || rm -f "$pages"
	cgroup_remove
	json_check
}

# row JQ: prints something of the row of the own group in the last output.
row() {
	jq --arg group "$GROUP" ".levels[] | select(.name == \$group) | $1" <<<"$output"
}

# measure PID: runs the command. The exit status depends on the whole machine, but is never 2.
measure() {
	run --separate-stderr procmem pressure --json "$@"
	[ "$status" -le 1 ]
	[ "$status" -eq "$(jq 'if .calm then 0 else 1 end' <<<"$output")" ]
}

# Prints a number of a file of the own group.
group_number() {
	cat "$GROUP_FOLDER/$1"
}

# The number of kills in the own group.
group_kills() {
	cat "$GROUP_FOLDER/memory.oom_control" "$GROUP_FOLDER/memory.events" 2>/dev/null |
		sed -n 's/^oom_kill //p'
}

# command_waits PID: waits until the command has taken the first reading: it catches SIGTERM while it waits
# (proc_pid_status(5)).
command_waits() {
	local caught=0
	for _ in $(seq 600); do
		caught=$((0x$(awk '/^SigCgt:/ { print $2 }' "/proc/$1/status") >> 14 & 1))
		[ "$caught" -eq 0 ] || break
		sleep 0.05
	done
	[ "$caught" -eq 1 ]
}

@test "an idle group is calm, and its values are those of the kernel" {
	target_start hog
	cgroup_make $((64 << 20)) "$TARGET_PID"
	target_tell 'eat 20'
	measure "$TARGET_PID"
	[ "$(row '.notes | length')" -eq 0 ]
	[ "$(row .errors.oom_kill)" -eq 0 ]
	[ "$(row '.saturation.max_hits == 0')" = true ]
	[ "$(row .utilisation.max)" -eq $((64 << 20)) ]
	[ "$(row .utilisation.anon)" -ge $((20 << 20)) ]
	jq -e --argjson pid "$TARGET_PID" '.target.pid == $pid and .target.name == "hog" and .levels[0].scope == "process" and .seconds >= 1' <<<"$output"
	[ "$(jq '.levels[0].utilisation.rss' <<<"$output")" -eq $(($(awk '/^VmRSS:/ { print $2 }' "/proc/$TARGET_PID/status") * 1024)) ]
	[ "$(jq '.levels[] | select(.scope == "host") | .utilisation.max' <<<"$output")" -eq $(($(awk '/^MemTotal:/ { print $2 }' /proc/meminfo) * 1024)) ]
	# No process of the group runs: the first line and the row are about the group.
	run --separate-stderr procmem pressure "$TARGET_PID"
	[[ ${lines[0]} == "hog ($TARGET_PID)   "* && ${lines[0]} != *"$GROUP"* ]]
	[[ $output == *"$GROUP "*"of 64.0M "*"none"* ]]
}

@test "a group under reclaim shows saturation before the kill, and the error after it" {
	local before after pid
	target_start hog
	pid=$TARGET_PID
	# The second process fills the group with page cache again and again. tmpfs has no page cache.
	pages=$PROCMEM_BUILD/pressure-$$.pages
	[ "$(stat -f -c %T "$PROCMEM_BUILD")" != tmpfs ] || skip 'the build is in tmpfs'
	spawn bash -c 'read -r _; head -c 160M /dev/zero >"$1"; while cat "$1" >/dev/null; do :; done' reader "$pages"
	cgroup_make $((64 << 20)) "$pid" "$TARGET_PID"
	echo go >&"$TARGET_IN"
	if [ -e "$GROUP_FOLDER/memory.failcnt" ]; then
		# Waits until the kernel reclaims.
		for _ in $(seq 600); do
			[ "$(group_number memory.failcnt)" -lt 10 ] || break
			sleep 0.05
		done
		before=$(group_number memory.failcnt)
	fi

	measure --for 2s "$pid"
	[ "$status" -eq 1 ]
	row '.notes | map(.rule)' | jq -e 'index("max_hits")'
	row '.notes[] | select(.rule == "max_hits") | .basis' | grep -q 'kernel documentation'
	[ "$(row .errors.oom_kill)" -eq 0 ]
	[ "$(row '.saturation.max_hits > 0')" = true ]
	if [ -n "${before:-}" ]; then
		after=$(group_number memory.failcnt)
		jq -ne --argjson rate "$(row .saturation.max_hits)" --argjson all $((after - before)) --argjson seconds "$(jq .seconds <<<"$output")" \
			'$rate * $seconds <= $all + 1'
	fi
	run --separate-stderr procmem pressure "$pid"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == "hog ($pid)   waits: $GROUP: "* ]]
	[[ $output == *"! $GROUP: "*"(more than 0/s: kernel documentation)"* ]]

	# Now one process of the group is killed; the other one is the target.
	kill "$TARGET_PID"
	target_start hog
	echo 1000 >"/proc/$TARGET_PID/oom_score_adj"
	echo "$TARGET_PID" >"$GROUP_FOLDER/cgroup.procs"
	"$PROCMEM_BIN" pressure --json --for 600s "$pid" >"$BATS_TEST_TMPDIR/out" 2>/dev/null 3>&- &
	local command=$!
	command_waits "$command"
	echo 'eat 200' >&"$TARGET_IN"
	for _ in $(seq 600); do
		[ "$(group_kills)" -eq 0 ] || break
		sleep 0.05
	done
	kill -TERM "$command"
	status=0
	wait "$command" || status=$?
	[ "$status" -eq 1 ]
	json_keep pressure "$BATS_TEST_TMPDIR/out"
	output=$(cat "$BATS_TEST_TMPDIR/out")
	[ "$(row .errors.oom_kill)" -eq "$(group_kills)" ]
	[ "$(row .errors.oom_kill_new)" -eq "$(group_kills)" ]
	[ "$(row '.notes[0].rule')" = '"oom_kill"' ]
	if jq -e 'has("oom_kills")' <<<"$output"; then
		jq -e --argjson pid "$TARGET_PID" '.oom_kills[] | select(.pid == $pid) | .name == "hog" and .constraint == "cgroup" and .anon > 10000000' <<<"$output"
	fi
	# The kill is an error also for somebody who comes later, if the log can be read.
	run --separate-stderr procmem pressure "$pid"
	if [[ $output != *'OOM kills are not known'* ]]; then
		[ "$status" -eq 1 ]
		[[ ${lines[0]} == "hog ($pid)   "*"OOM kill"* ]]
		[[ $output == *"! $GROUP: "*"OOM kill"*"hog ($TARGET_PID)"* ]]
		[[ $output == *"OOM KILL "*" ago "*"hog ($TARGET_PID) "*"limit of $GROUP"* ]]
		# It is not one of the host, whose counter contains it.
		fails grep -q '^! host: .*OOM kill.*'"hog ($TARGET_PID)" <<<"$output"
	fi
	[[ $output == *"$GROUP "*"$(group_kills) killed"* ]]
}

@test "a target that is OOM-killed during the measurement" {
	target_start hog
	local pid=$TARGET_PID
	cgroup_make $((64 << 20)) "$pid"
	"$PROCMEM_BIN" pressure --for 600s "$pid" >"$BATS_TEST_TMPDIR/out" 2>/dev/null 3>&- &
	local command=$!
	command_waits "$command"
	echo 'eat 200' >&"$TARGET_IN"
	for _ in $(seq 600); do
		[ "$(group_kills)" -eq 0 ] || break
		sleep 0.05
	done
	while [ -e "/proc/$pid" ]; do
		sleep 0.05
	done
	kill -TERM "$command"
	status=0
	wait "$command" || status=$?
	[ "$status" -eq 1 ]
	grep -q "^! $GROUP: 1 OOM kill " "$BATS_TEST_TMPDIR/out"
	# Without the log, it is only known that the process has ended and that one of its group was killed.
	head -n 1 "$BATS_TEST_TMPDIR/out" | grep -q "^hog ($pid)   \(OOM-killed .* ago: limit of $GROUP\|ended; fails: $GROUP: 1 OOM kill \)"
	# Somebody who comes later is told so, if the log can be read.
	run -2 procmem pressure "$pid"
	[[ $output == *"no process has PID $pid"* ]]
	grep -q 'OOM kills are not known' "$BATS_TEST_TMPDIR/out" ||
		[[ $output == *"note: hog ($pid) was OOM-killed "*" ago: limit of $GROUP; all kills: procmem pressure"* ]]
}

@test "without a target: the machine, the nodes and the groups below the root" {
	measure
	jq -e 'has("target") | not' <<<"$output"
	[ "$(jq -r '.levels[0].name' <<<"$output")" = host ]
	[ "$(jq '[.levels[] | select(.scope == "node")] | length' <<<"$output")" -eq "$(find /sys/devices/system/node/ -maxdepth 1 -name 'node[0-9]*' | wc -l)" ]
	jq -e 'all(.levels[]; .scope != "process" and (.scope != "cgroup" or (.name | test("^/[^/]+$"))))' <<<"$output"
	run --separate-stderr procmem pressure
	[[ $output == *'LEVEL '*' UTILISATION '*' SATURATION '*'ERRORS'* && $output == *'rates over '* ]]
}

@test "without the right to read the log, the reason and a remedy are printed" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root to give up a capability'
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" -eq 1 ] || skip 'kernel.dmesg_restrict is 0'
	[ -c /dev/kmsg ] || skip '/dev/kmsg does not exist, as in most containers'
	target_start hog
	run --separate-stderr setpriv --bounding-set=-syslog --inh-caps=-syslog "$PROCMEM_BIN" pressure --for 0.1s "$TARGET_PID"
	[ "$status" -le 1 ]
	[[ $output == *'OOM kills are not known: /dev/kmsg needs the capability CAP_SYSLOG while kernel.dmesg_restrict is 1: use sudo'* ]]
	[[ $output != *'in the log'* ]]
	run --separate-stderr json_run pressure setpriv --bounding-set=-syslog --inh-caps=-syslog "$PROCMEM_BIN" pressure --json --for 0.1s "$TARGET_PID"
	jq -e '(has("oom_kills") | not) and (.log_unreadable | test("CAP_SYSLOG"))' <<<"$output"
}

@test "on a terminal of 80 columns, no line is longer, and the first one is the answer" {
	target_start hog
	cgroup_make $((64 << 20)) "$TARGET_PID"
	run on_terminal 60 80 pressure -q "$TARGET_PID"
	[ -z "$output" ]
	run on_terminal 60 80 pressure --for 0.1s "$TARGET_PID"
	[[ $output == 'reading again in 0.1s (Ctrl-C ends this early)'$'\r\e[K'"hog ($TARGET_PID)   "* ]]
	awk -v RS='\r?\n' 'NR > 1 && length($0) > 80 + gsub(/…/, "…") * 2 { print; long = 1 } END { exit long }' <<<"$output"
}

@test "a name is escaped, and bad input is refused" {
	local name=$BATS_TEST_TMPDIR/$'a\xff\e[1m\nb'
	cp "$(command -v sleep)" "$name"
	program_start "$name" 600
	# The name is that of setpriv until it has started the program.
	until [ "$(tr -d '\n' <"/proc/$TARGET_PID/comm")" = $'a\xff\e[1mb' ]; do
		kill -0 "$TARGET_PID"
	done
	run --separate-stderr procmem pressure --for 0.1s "$TARGET_PID"
	[ "$status" -le 1 ]
	[[ ${lines[0]} == 'a\xff\x1b[1m\x0ab ('* ]]
	[[ $output != *$'\e'* ]]
	run -2 procmem pressure --for 0 "$TARGET_PID"
	run -2 procmem pressure 4194305
	[[ $output == *'4194305'* ]]
	run -2 procmem pressure 1 2
	run -2 procmem pressure /no-such-group
	[[ $output == *"'/no-such-group' is not a process"*'procmem cgroup /no-such-group'* ]]
	run -2 procmem pressure /etc/passwd
	[[ $output == *'/etc/passwd is a file'* ]]
}
