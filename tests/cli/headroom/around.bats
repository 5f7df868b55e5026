#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem headroom` names what fills memory around a process. The targets grow on command until the measurement is over, so that
# no test depends on time; rates are checked in around_rates.bats.

setup() {
	load ../support/helper
	load ../support/around
	file=$BATS_TEST_TMPDIR/out
}

teardown() {
	targets_stop
	cgroup_remove
	tmpfs_unmount
	json_check
}

# measured_await PID TARGET: waits until the command PID, which runs in the background, measures TARGET: it has its maps open. It
# catches signals earlier, before it has chosen the process.
measured_await() {
	until readlink "/proc/$1/fd/"* 2>/dev/null | grep -qx "/proc/$2/maps"; do
		kill -0 "$1"
		sleep 0.05
	done
}

# grow_during ARGUMENT...: runs `procmem headroom --for 2s ARGUMENT...` as JSON and as text, while the target grows. Sets output.
grow_during() {
	local pids=() pid
	"$PROCMEM_BIN" headroom --json --for 2s "$@" >"$file.json" 2>"$file.err" 3>&- &
	pids+=($!)
	"$PROCMEM_BIN" headroom --for 2s "$@" >"$file.text" 2>>"$file.err" 3>&- &
	pids+=($!)
	while kill -0 "${pids[0]}" 2>/dev/null || kill -0 "${pids[1]}" 2>/dev/null; do
		target_tell 'pass 1'
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	cat "$file.err" "$file.text"
	json_keep headroom "$file.json"
	output=$(<"$file.json")
	text=$(<"$file.text")
}

@test "a child that grows is named, and the parent that does not grow" {
	parent_start leaker merged 1048576 stepped
	cgroup_make $((3 << 30)) "$PARENT" "$TARGET_PID"
	grow_during "$PARENT"
	grep -Eq "^child $TARGET_PID leaker (about )?\+[0-9.]+[MG]/s; $PARENT itself does not grow \(its RSS\)" <<<"$text"
	jq -e --argjson child "$TARGET_PID" '.fillers[0] | .type == "process" and .pid == $child and .name == "leaker" and .relation == "child"
		and .rate > 0 and .seconds_left > 0' <<<"$output"
	# The processes explain the growth of the cgroup. On a busy machine, time passes between two files of the same sample.
	jq -e '.group_growth | .unexplained < .mean_rate / 2 and .processes_rate > .mean_rate / 2' <<<"$output"
	# The command itself never is.
	jq -e 'all(.fillers[]; .name != "procmem")' <<<"$output"
}

@test "a child in another cgroup does not use up the limit" {
	parent_start leaker merged 1048576 stepped
	# The child stays in the cgroup of the test.
	cgroup_make $((3 << 30)) "$PARENT"
	grow_during --children "$PARENT"
	text=$(tr -s '\n ' ' ' <<<"$text")
	[[ $text == *"child $TARGET_PID leaker "*"; $TARGET_PID is in another cgroup and does not use up this limit"* ]]
	[[ $text != *'would last'* ]]
	jq -e --argjson child "$TARGET_PID" '.fillers[0] | .pid == $child and .rate > 0 and (has("seconds_left") | not)' <<<"$output"
}

@test "another process of the cgroup that grows is named" {
	target_start hog
	local other=$TARGET_PID
	target_start leaker merged 1048576 stepped
	cgroup_make $((3 << 30)) "$other" "$TARGET_PID"
	grow_during "$other"
	grep -Eq "^process $TARGET_PID leaker (about )?\+[0-9.]+[MG]/s; $other itself does not grow \(its RSS\)" <<<"$text"
	jq -e --argjson pid "$TARGET_PID" '.fillers | length == 1 and .[0].pid == $pid and .[0].relation == "cgroup"' <<<"$output"
}

@test "a process that grows alone needs no other name" {
	target_start leaker merged 1048576 stepped
	cgroup_make $((3 << 30)) "$TARGET_PID"
	grow_during "$TARGET_PID"
	[[ $text != *' itself'* ]]
	jq -e --argjson pid "$TARGET_PID" '.fillers[0] | .pid == $pid and .relation == "target"' <<<"$output"
}

@test "files in tmpfs that fill the cgroup are named by their directory" {
	tmpfs_mount
	mkdir "$SPOOL/queue"
	target_start hog
	local other=$TARGET_PID
	target_start filler 1048576 stepped "$SPOOL/queue/"
	cgroup_make $((3 << 30)) "$other" "$TARGET_PID"
	grow_during "$other"
	# The line may be wrapped.
	text=$(tr -s '\n ' ' ' <<<"$text")
	[[ $text == *"tmpfs $SPOOL/queue/ "*' files, '*'/s'*'; no process grows'* ]]
	jq -e --arg path "$SPOOL/queue/" '.fillers[0] | .type == "folder" and .path == $path and .file_count > 1 and .bytes > 1048576 and
		.own_seconds_left > 0' <<<"$output"
	jq -e 'all(.fillers[]; .type != "process")' <<<"$output"
	jq -e '.group_growth | .shmem_unexplained < .mean_rate / 2 and .unexplained < .mean_rate / 2' <<<"$output"
}

@test "a memfd that fills the cgroup is named, with the process that has it open" {
	target_start hog
	local other=$TARGET_PID
	target_start filler 1048576 stepped
	cgroup_make $((3 << 30)) "$other" "$TARGET_PID"
	grow_during "$other"
	grep -Eq "^memfd filler [0-9.]+[MG], \+[0-9.]+[MG]/s; used by $TARGET_PID filler; no process grows" <<<"$text"
	jq -e --argjson pid "$TARGET_PID" '.fillers[0] | .type == "object" and .shared_kind == "memfd" and .users[0].pid == $pid' <<<"$output"
}

@test "a deleted file in tmpfs that grows is named, with the process that has it open" {
	tmpfs_mount
	target_start hog
	local other=$TARGET_PID
	target_start filler 1048576 stepped "$SPOOL/gone"
	target_tell 'pass 1'
	rm "$SPOOL/gone"
	cgroup_make $((3 << 30)) "$other" "$TARGET_PID"
	grow_during "$other"
	text=$(tr -s '\n ' ' ' <<<"$text")
	[[ $text == *"deleted $SPOOL/gone "*', +'*"/s; used by $TARGET_PID filler; no process grows"* ]]
	jq -e --argjson pid "$TARGET_PID" --arg path "$SPOOL/gone" '.fillers[0] | .type == "object" and .shared_kind == "deleted" and
		.path == $path and .users[0].pid == $pid and .seconds_left > 0' <<<"$output"
	jq -e '.fillers | length == 1' <<<"$output"
}

@test "a file that the process maps and another one writes is named, with the writer" {
	tmpfs_mount
	target_start filler 1048576 stepped "$SPOOL/ring"
	local writer=$TARGET_PID pipes=("$TARGET_IN" "$TARGET_OUT")
	target_tell 'pass 1'
	reader_start "$SPOOL/ring"
	local reader=$TARGET_PID
	cgroup_make $((3 << 30)) "$reader" "$writer"
	TARGET_IN=${pipes[0]} TARGET_OUT=${pipes[1]}
	grow_during "$reader"
	text=$(tr -s '\n ' ' ' <<<"$text")
	[[ $text == *"shared file $SPOOL/ring "*' of 1.0G mapped, +'*"written by $writer filler"* ]]
	jq -e --arg path "$SPOOL/ring" --argjson pid "$writer" '.fillers[0] | .type == "file" and .path == $path and .max == 1073741824 and
		.writers[0].pid == $pid and .writers[0].proven_writer and .own_seconds_left > 0' <<<"$output"
	jq -c '.fillers[]' <<<"$output"
	# The directory does not name it a second time.
	jq -e '.fillers | length == 1' <<<"$output"
}

@test "shared memory that another cgroup is charged for has no time left" {
	tmpfs_mount
	target_start filler 1048576 stepped "$SPOOL/ring"
	local writer=$TARGET_PID pipes=("$TARGET_IN" "$TARGET_OUT")
	target_tell 'pass 1'
	reader_start "$SPOOL/ring" touch
	local reader=$TARGET_PID
	# The writer stays in the cgroup of the test.
	cgroup_make $((1 << 30)) "$reader"
	TARGET_IN=${pipes[0]} TARGET_OUT=${pipes[1]}
	grow_during --cgroup "$reader"
	jq -e --argjson pid "$reader" '.fillers[] | select(.type == "process") | .pid == $pid and .rate > 1048576 and
		(has("seconds_left") | not)' <<<"$output"
	jq -e '.first_limit | has("at_process_rate") | not' <<<"$output"
	jq -e --argjson pid "$reader" '.processes[] | select(.pid == $pid) | has("seconds_left") | not' <<<"$output"
	[[ $text != *"at this process's rate"* && $text != *'would last'* ]]
}

@test "memory of the kernel that grows is named" {
	[ "$(id -u)" -eq 0 ] || skip 'only root may have many large pipes (pipe(7))'
	program_start /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/fill_pipes.py"
	target_await ready >/dev/null
	cgroup_make $((3 << 30)) "$TARGET_PID"
	grow_during "$TARGET_PID"
	grep -Eq "^memory of the kernel for this group \+[0-9.]+[MG]/s, such as pipes, " <<<"$text"
	jq -e '.group_growth | .kernel_rate > 1048576 and .kernel_rate > .mean_rate / 2 and .unexplained < .mean_rate / 2' <<<"$output"
	jq -e '.fillers == []' <<<"$output"
}

@test "files without content that fill the cgroup with memory of the kernel are named by their directory" {
	tmpfs_mount
	mkdir "$SPOOL/empty"
	program_start /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/fill_files.py" "$SPOOL/empty"
	target_await ready >/dev/null
	cgroup_make $((3 << 30)) "$TARGET_PID"
	grow_during "$TARGET_PID"
	text=$(tr -s '\n ' ' ' <<<"$text")
	[[ $text == *"memory of the kernel for this group +"*"; perhaps the files of $SPOOL/empty/: "* ]]
	# The number is that of the directory at the end of the measurement.
	local files
	files=$(sed 's|.*/empty/: \([0-9,]*\), +.*|\1|; s/,//g' <<<"$text")
	[ "$files" -gt 2000 ]
	[ "$files" -le "$(find "$SPOOL/empty" -type f | wc -l)" ]
}

@test "--children, --cgroup and --all-processes have a row for each process, and their sum" {
	local pid rows
	parent_start hog
	local child=$TARGET_PID
	target_copy leaker
	target_start "$TARGET_NAME" merged 1048576 stepped
	local other=$TARGET_PID
	cgroup_make $((900 << 20)) "$PARENT" "$child" "$other"

	run -0 procmem headroom --json --children "$PARENT"
	jq -e --argjson pids "[$PARENT, $child]" '[.processes[].pid] | sort == ($pids | sort)' <<<"$output"
	jq -e '.processes_total | .count == 2 and .counted_twice and .unread_processes == 0' <<<"$output"
	run -0 procmem headroom --json --cgroup "$PARENT"
	jq -e --argjson pids "[$PARENT, $child, $other]" '[.processes[].pid] | sort == ($pids | sort)' <<<"$output"
	# The sizes are those of status.
	for pid in $PARENT $child $other; do
		rows=$(awk '/^RssAnon:/ { print $2 * 1024 }' "/proc/$pid/status")
		jq -e --argjson pid "$pid" --argjson anon "$rows" '.processes[] | select(.pid == $pid) | .anon == $anon' <<<"$output"
	done
	jq -e '.processes_total.bytes == ([.processes[] | .anon + .shmem + .swap] | add)' <<<"$output"

	run -0 procmem headroom --json --all-processes "$TARGET_NAME"
	jq -e --argjson pid "$other" '.pid == $pid and (.processes | length == 1 and .[0].pid == $pid)' <<<"$output"
	run -0 procmem headroom --cgroup "$PARENT"
	[[ $output == *' PID NAME '*' MEMORY'*' sum '*'~'* ]]

	# With rates.
	grow_during --cgroup "$PARENT"
	[[ $text == *'RATE'*'LASTS'*'VERDICT'*' sum '* ]]
	jq -e --argjson pid "$other" '.processes[0] | .pid == $pid and .seconds_left > 0 and has("verdict")' <<<"$output"
	run -2 --separate-stderr procmem headroom --children --cgroup "$PARENT"
	run -2 --separate-stderr procmem headroom --children --from x "$PARENT"
	[[ $stderr == *'a recording has one process only'* ]]
}

@test "--follow continues with the next process of the name" {
	target_copy leaker
	target_start "$TARGET_NAME" merged 1048576 stepped
	local first=$TARGET_PID pid status=0
	"$PROCMEM_BIN" headroom --follow --json --for 600s "$TARGET_NAME" >"$file" 2>"$file.err" 3>&- &
	pid=$!
	measured_await "$pid" "$first"
	kill -KILL "$first"
	until grep -q "note: waiting for a process called $TARGET_NAME" "$file.err"; do
		kill -0 "$pid"
		sleep 0.05
	done
	grep -q "note: process $first ended; it was measured for " "$file.err"
	target_start "$TARGET_NAME" merged 1048576 stepped
	until grep -q "note: process $TARGET_PID has the name now" "$file.err"; do
		kill -0 "$pid"
		sleep 0.05
	done
	kill -TERM "$pid"
	wait "$pid" || status=$?
	cat "$file.err"
	[ "$status" -eq 0 ]
	json_keep headroom "$file"
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid' "$file"

	# Nobody has the name at the end.
	targets_stop
	run -2 --separate-stderr procmem headroom --follow --for 0.5s "$TARGET_NAME"
	[[ $stderr == *"no process is called '$TARGET_NAME'"* ]]
}

@test "--all-processes goes on with the others if the largest process ends" {
	target_copy leaker
	target_start "$TARGET_NAME" merged 1048576 stepped
	local other=$TARGET_PID pid status=0
	target_start "$TARGET_NAME" merged 1048576 stepped
	local largest=$TARGET_PID
	target_tell 'pass 16'
	"$PROCMEM_BIN" headroom --all-processes --json --for 600s "$TARGET_NAME" >"$file" 2>"$file.err" 3>&- &
	pid=$!
	measured_await "$pid" "$largest"
	kill -KILL "$largest"
	until grep -q "note: process $largest ended" "$file.err"; do
		kill -0 "$pid"
		sleep 0.05
	done
	kill -TERM "$pid"
	wait "$pid" || status=$?
	cat "$file.err"
	[ "$status" -eq 0 ]
	json_keep headroom "$file"
	jq -e --argjson pid "$other" '.pid == $pid and [.processes[].pid] == [$pid]' "$file"
}

# sampled_await PID: waits until the command PID has taken a sample, and waits for the next one.
sampled_await() {
	until grep -q poll "/proc/$1/wchan"; do
		kill -0 "$1"
		sleep 0.05
	done
}

# start_sampled OPTION: starts a copy of leaker, and a measurement of its name; sets `pid`.
start_sampled() {
	# The process that started this one waits for it.
	grep -q '[a-z]' "/proc/$PPID/wchan" || skip 'the kernel does not tell where a process waits'
	target_copy leaker
	target_start "$TARGET_NAME" merged 1048576 stepped
	"$PROCMEM_BIN" headroom "$1" --json --for 600s "$TARGET_NAME" >"$file" 2>"$file.err" 3>&- &
	pid=$!
	measured_await "$pid" "$TARGET_PID"
	sampled_await "$pid"
}

@test "--follow reports the last sample if no process has the name at the end" {
	local pid status=0
	start_sampled --follow
	kill -KILL "$TARGET_PID"
	until grep -q "note: waiting for a process called $TARGET_NAME" "$file.err"; do
		kill -0 "$pid"
		sleep 0.05
	done
	kill -TERM "$pid"
	wait "$pid" || status=$?
	cat "$file.err"
	[ "$status" -eq 2 ]
	json_keep headroom "$file"
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid and (.ended | startswith("exited after ")) and .rss > 0' "$file"
	grep -q "note: no process is called '$TARGET_NAME' any more; the results are those of process $TARGET_PID$" "$file.err"
	grep -q "^procmem: process $TARGET_PID exited after " "$file.err"
}

@test "--all-processes reports the last sample if the last process ends" {
	local pid status=0
	start_sampled --all-processes
	kill -KILL "$TARGET_PID"
	wait "$pid" || status=$?
	cat "$file.err"
	[ "$status" -eq 2 ]
	json_keep headroom "$file"
	jq -e --argjson pid "$TARGET_PID" '.pid == $pid and (.ended | startswith("exited after "))' "$file"
	grep -q "note: no process is called '$TARGET_NAME' any more; the results are those of process $TARGET_PID$" "$file.err"
}

@test "if the process ends during the measurement, the samples so far are reported, with the reason" {
	local pid status=0 again
	# The process that started this one waits for it.
	grep -q '[a-z]' "/proc/$PPID/wchan" || skip 'the kernel does not tell where a process waits'
	target_start leaker merged 1048576 stepped
	"$PROCMEM_BIN" headroom --for 600s "$TARGET_PID" >"$file" 2>"$file.err" 3>&- &
	pid=$!
	measured_await "$pid" "$TARGET_PID"
	sampled_await "$pid"
	kill -KILL "$TARGET_PID"
	wait "$pid" || status=$?
	cat "$file" "$file.err"
	[ "$status" -eq 2 ]
	[[ $(head -n 1 "$file") == "leaker ($TARGET_PID)   exited after "*'s; the rest is as of the last sample' ]]
	grep -q '^LIMIT ' "$file"
	grep -Eq "^procmem: process $TARGET_PID exited after [0-9.]+s" "$file.err"

	# The kernel kills it.
	target_start hog
	again=$TARGET_PID status=0
	cgroup_make $((64 << 20)) "$again"
	"$PROCMEM_BIN" headroom --json --for 600s "$again" >"$file" 2>"$file.err" 3>&- &
	pid=$!
	measured_await "$pid" "$again"
	sampled_await "$pid"
	printf 'eat 400\n' >&"$TARGET_IN"
	wait "$pid" || status=$?
	cat "$file.err"
	[ "$status" -eq 2 ]
	json_keep headroom "$file"
	jq -e --argjson pid "$again" --arg group "$GROUP" '.pid == $pid and
		(.ended | startswith("killed by the kernel: memory limit of \($group), after "))' "$file"
	jq -e '.limits[] | select(.name == "cgroup") | .max == 67108864' "$file"
}

@test "a group that reclaims at its limit is reported, with the pressure of the machine if cgroups have none" {
	program_start bash -c 'while dd if=/dev/zero of="$1" bs=1M count=96; do :; done 2>/dev/null' bash "$BATS_TEST_TMPDIR/cache"
	cgroup_make $((48 << 20)) "$TARGET_PID"
	run -0 procmem headroom --json --for 4s "$TARGET_PID"
	jq -e '.events.max_rate > 0 and .events.max_rate <= .events.max / 3' <<<"$output"
	run -0 procmem headroom --for 4s "$TARGET_PID"
	grep -Eq "^the group reclaims at its limit: \+[0-9.]+/s; procmem pressure $TARGET_PID$" <<<"$output"
	if [ -e "$GROUP_FOLDER/memory.pressure" ]; then
		[[ $output != *'(PSI) of the machine'* ]]
	elif [ -e /proc/pressure/memory ]; then
		grep -q '^memory pressure (PSI) of the machine: last 10 s: some' <<<"$output"
	fi
}

@test "a process that reads a shared file is not named as its writer" {
	tmpfs_mount
	program_start /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/positioned.py" write "$SPOOL/ring"
	local writer=$TARGET_PID pipes=("$TARGET_IN" "$TARGET_OUT")
	target_await ready >/dev/null
	program_start /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/positioned.py" read "$SPOOL/ring"
	target_await ready >/dev/null
	local reader=$TARGET_PID
	cgroup_make $((3 << 30)) "$reader" "$writer"
	TARGET_IN=${pipes[0]} TARGET_OUT=${pipes[1]}
	grow_during "$reader"
	text=$(tr -s '\n ' ' ' <<<"$text")
	[[ $text == *"shared file $SPOOL/ring "* && $text != *"written by $reader"* ]]
	jq -e --argjson reader "$reader" --argjson writer "$writer" '.fillers[] | select(.type == "file") | .writers |
		any(.pid == $writer) and all(.pid != $reader or (.proven_writer | not))' <<<"$output"
}

@test "a process that cannot be read is counted and named" {
	[ "$(id -u)" -eq 0 ] || skip 'only root hides processes of other users'
	unshare --mount true 2>/dev/null || skip 'no right to create a mount namespace'
	local folder nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
	target_start hog
	local hidden=$TARGET_PID
	program_start "${nobody[@]}" sleep 600
	# It has the rights of the user when it runs the program.
	until [ "$(cat "/proc/$TARGET_PID/comm")" = sleep ]; do sleep 0.05; done
	cgroup_make $((900 << 20)) "$hidden" "$TARGET_PID"
	folder=$(mktemp -d /tmp/procmem-headroom.XXXXXX)
	chmod 755 "$folder"
	cp "$PROCMEM_BIN" "$PROCMEM_BUILD"/lib/libprocmem.so* "$folder"

	# With hidepid=2, a user does not see the processes of others (proc(5)), but cgroup.procs lists them.
	run -0 unshare --mount bash -c 'mount -t proc -o hidepid=2 none /proc && export LD_LIBRARY_PATH=$1 &&
		"${@:3}" "$1/procmem" headroom --cgroup --json "$2" && "${@:3}" "$1/procmem" headroom --cgroup "$2"' \
		bash "$folder" "$TARGET_PID" "${nobody[@]}"
	rm -r "$folder"
	echo "$output"
	grep -q "\"unread_processes\":1" <<<"$output"
	grep -q "^$hidden could not be read$" <<<"$output"
}
