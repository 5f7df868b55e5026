#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem ps`: processes by memory.

setup() {
	load support/helper
	load support/smaps
}

teardown() {
	targets_stop
	json_check
}

# Prints the row of the target; other processes may have the same name.
row() {
	procmem ps --csv --no-header -o "pid,$1" | sed -n "s/^$TARGET_PID,//p"
}

# Prints a value of /proc/PID/status in bytes.
status_bytes() {
	echo $(($(sed -n "s/^$2:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$1/status") * 1024))
}

@test "the values of a process are those in its status" {
	target_start many_regions 100 20
	[ "$(row uid,threads,state)" = "$(id -u),1,S" ]
	for figure in size:VmSize rss:VmRSS swap:VmSwap peak:VmHWM; do
		same "row ${figure%:*}" "status_bytes $TARGET_PID ${figure#*:}"
	done
	[ "$(row user,name,command)" = "$(id -un),many_regions,$PROCMEM_TARGETS/many_regions 100 20" ]
}

@test "PSS is that of smaps_rollup, and is read only if it is shown" {
	target_start many_regions 100 20
	ours=$(row pss)
	kernels=$(awk '$1 == "Pss:" { print $2 * 1024 }' "/proc/$TARGET_PID/smaps_rollup")
	# Other processes start and exit, and share the C library with the target.
	[ $((ours > kernels ? ours - kernels : kernels - ours)) -lt 262144 ]
	[[ $(procmem ps | head -n 1) != *PSS* ]]
	[[ $(procmem ps -o +pss | head -n 1) == *PSS* ]]
}

@test "the largest resident process is first; --sort and --reverse change that" {
	procmem ps --csv --no-header -o rss | sort -c -nr
	procmem ps --csv --no-header -o pid -s pid | sort -c -n
	procmem ps --csv --no-header -o pid -s pid -r | sort -c -nr
	procmem ps --csv --no-header -o name -s name | LC_ALL=C sort -c
}

@test "a number is a PID, and not part of a name" {
	target_start mapper
	[ "$(procmem ps --csv --no-header -o pid,name "$TARGET_PID")" = "$TARGET_PID,mapper" ]
	run --separate-stderr -1 procmem ps 99999999
	[ -z "$output" ]
}

@test "-r reverses the order, and the error for -s -COLUMN suggests it" {
	run --separate-stderr -2 procmem ps -s -rss
	[ -z "$output" ]
	[[ $stderr == *"-s rss -r"* ]]
}

@test "names of columns are not case-sensitive" {
	[ "$(procmem ps --csv -s RSS -o PID,Rss | head -n 1)" = pid,rss ]
}

@test "every process with memory of its own is listed, but not procmem itself" {
	target_start mapper
	target_start exiter
	procmem ps --csv --no-header -o pid >"$BATS_TEST_TMPDIR/ours"
	for pid in 1 "${TARGETS[@]}" $$; do
		grep -qx "$pid" "$BATS_TEST_TMPDIR/ours"
	done
	# Other tests may run procmem at the same time, but not under this name.
	itself=$BATS_TEST_TMPDIR/itself$$
	cp "$PROCMEM_BIN" "$itself"
	run -1 "$itself" ps "itself$$"
}

@test "kernel threads are left out without --all" {
	[ "$(cat /proc/2/comm)" = kthreadd ] || skip "there are no kernel threads in this PID namespace"
	procmem ps --csv --no-header -o pid | (! grep -qx 2)
	[ "$(procmem ps -a --csv --no-header -o pid,rss,name,command | grep '^2,')" = "2,,kthreadd,[kthreadd]" ]
}

@test "NAME is a regular expression for the command name or the command line" {
	target_start mapper
	procmem ps --csv --no-header -o pid '^mapper$' | grep -qx "$TARGET_PID"
	procmem ps --csv --no-header -o pid 'targets/mapp.r$' | grep -qx "$TARGET_PID"
	procmem ps --csv --no-header -o name '^mapp' | (! grep -v '^mapp')
	run --separate-stderr -1 procmem ps no-such-program-anywhere
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr -2 procmem ps '(('
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "a process that only runs procmem does not match" {
	word=no-such-word-$$
	# A shell with another command after procmem remains, with NAME in its command line.
	run -1 sh -c '"$0" ps "$1"; exit $?' "$PROCMEM_BIN" "$word"
	run -1 timeout 60 "$PROCMEM_BIN" ps "$word"
	run -2 --separate-stderr timeout 60 "$PROCMEM_BIN" map "$word"
	[[ $stderr != *"procmem ps"* ]]
	# The same for the command name: this shell has that name too.
	shell=$BATS_TEST_TMPDIR/w$$
	cp "$(command -v sh)" "$shell"
	spawn "$shell" -c 'echo up; read -r line; exit 0'
	target_await up
	[ "$("$shell" -c '"$0" ps --csv --no-header -o pid "$1"; exit $?' "$PROCMEM_BIN" "w$$")" = "$TARGET_PID" ]
	[[ $("$shell" -c '"$0" map "$1"; exit $?' "$PROCMEM_BIN" "w$$" | head -n 1) == "w$$ ($TARGET_PID) "* ]]
}

@test "--top sums up the rest" {
	run -0 procmem ps --top 1
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[2]} =~ ^…\ [0-9]+\ more\ process(es)?,\ .*\ RSS$ ]]
	[[ ${lines[3]} =~ ^\ *total\ [0-9]+\ processes ]] || [[ ${lines[3]} == *"total "*" processes"* ]]
}

@test "JSON is one object" {
	target_start mapper
	procmem ps --json >"$BATS_TEST_TMPDIR/json"
	jq -e -s 'length == 1 and (.[0].time | sub("[.][0-9]{3}Z$"; "Z") | fromdate > 0)' "$BATS_TEST_TMPDIR/json"
	jq -e ".processes[] | select(.pid == $TARGET_PID) | .name == \"mapper\" and .rss > 0 and (has(\"pss\") | not)" "$BATS_TEST_TMPDIR/json"
	[ "$(procmem ps --json -o pss mapper | jq -c ".processes[] | select(.pid == $TARGET_PID) | keys")" = '["pid","pss"]' ]
}

@test "names are escaped in the output" {
	target_start hostile_names
	[ "$(row name)" = "ed) ge (x" ]
	program_start python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(15, b"\x1b[31mred\xff")
print("up", flush=True)
time.sleep(600)' $'arg\033[2J'
	target_await up
	[ "$(row name)" = '\x1b[31mred\xff' ]
	[ -z "$(procmem ps | tr -d '\n\040-\176' | LC_ALL=C tr -d '\200-\377')" ]
}

@test "another user can list processes, without the values that are not readable" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	target_start mapper
	[ "$(as_nobody ps --no-header -o pid,rss,pss | awk -v pid="$TARGET_PID" '$1 == pid { print ($2 != "?"), $3 }')" = "1 ?" ]
	# A value that is unknown for one process makes the total unknown.
	[[ $(as_nobody ps -o pss,command "^$PROCMEM_TARGETS/mapper" | tail -n 1) =~ ^\ *\?\ total ]]
	[ "$(json_run ps as_nobody ps --json -o pss "^$PROCMEM_TARGETS/mapper" | jq '.total | has("pss")')" = false ]
}
