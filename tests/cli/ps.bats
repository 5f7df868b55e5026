#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem ps`: processes by memory.

setup() {
	load support/helper
	load support/smaps
}

teardown() {
	local folder
	targets_stop
	for folder in "${FOLDERS[@]}"; do
		GROUP_FOLDER=$folder cgroup_remove
	done
	json_check
}

# Starts the target `family` with a command name that no other process has. Sets NAME, and the PIDs A,
# B, C and D of its processes.
family_start() {
	NAME=f$BATS_TEST_NUMBER-$$
	target_start family "$NAME"
	A=$(target_fact process a)
	B=$(target_fact process b)
	C=$(target_fact process c)
	D=$(target_fact process d)
	[ "$A" = "$TARGET_PID" ]
}

# Prints the sum of values of /proc/PID/status of processes, in bytes: status_sum VmRSS PID...
status_sum() {
	local key=$1 pid sum=0
	shift
	for pid; do
		sum=$((sum + $(status_bytes "$pid" "$key")))
	done
	echo "$sum"
}

# Prints the sum of values of smaps_rollup of processes, in bytes: rollup_sum 'Pss|Rss' PID...
rollup_sum() {
	local keys=$1
	shift
	awk -v keys="^($keys):$" '$1 ~ keys { sum += $2 } END { printf "%.0f", sum * 1024 }' \
		"${@/%//smaps_rollup}"
}

# near A B BYTES: checks that two sizes differ by at most BYTES.
near() {
	local difference=$(($1 - $2))
	[ "${difference#-}" -le "$3" ] || { echo "$1 and $2 differ by $difference" && false; }
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

@test "--tree: children are below their parents, the largest subtree first" {
	family_start
	[ "$(procmem ps --tree --csv --no-header -o pid,ppid,depth "$NAME")" = "$(printf '%s\n' \
		"$A,$$,0" "$C,$A,1" "$D,$C,2" "$B,$A,1" | sed "1s/,.*,/,$(ps -o ppid= -p "$A" | tr -d ' '),/")" ]
	for pid in "$A" "$B" "$C" "$D"; do
		[ "$(procmem ps --csv --no-header -o ppid "$pid")" = "$(ps -o ppid= -p "$pid" | tr -d ' ')" ]
	done
	[ "$(procmem ps --tree --csv --no-header -r -o pid "$NAME" | paste -sd' ')" = "$A $B $C $D" ]
	[ "$(procmem ps --tree --csv --no-header -s pid -o pid "$NAME" | paste -sd' ')" = \
		"$(for pid in "$A $B $C $D"; do echo "$pid"; done)" ] || [ "$B" -gt "$C" ]
	# In the table, names are indented.
	run -0 procmem ps --tree -o pid,tree_rss,name "$NAME"
	[[ ${lines[1]} =~ ^\ *$A\ .*[M]\ $NAME$ ]]
	[[ ${lines[2]} =~ ^\ *$C\ .*[M]\ \ \ $NAME$ ]]
	[[ ${lines[3]} =~ ^\ *$D\ .*[M]\ \ \ \ \ $NAME$ ]]
	[[ ${lines[4]} =~ ^\ *$B\ .*[M]\ \ \ $NAME$ ]]
}

@test "--tree: sums of subtrees are those of the kernel" {
	family_start
	tree() {
		procmem ps --tree --csv --no-header -o "pid,$1" "$NAME" | sed -n "s/^$2,//p"
	}
	same "tree tree_rss $A" "status_sum VmRSS $A $B $C $D"
	same "tree tree_rss $C" "status_sum VmRSS $C $D"
	same "tree tree_rss $D" "status_sum VmRSS $D"
	# The C library is shared with other processes, which come and go.
	near "$(tree tree_pss "$A")" "$(cd /proc && rollup_sum Pss "$A" "$B" "$C" "$D")" 1048576
	# The shared 8 MiB count once, not four times.
	near "$(tree tree_pss "$A")" $(((2 + 4 + 6 + 16 + 8) << 20)) 4194304
	[ "$(tree tree_rss "$A")" -gt $(((2 + 4 + 6 + 16 + 4 * 8) << 20)) ]
}

@test "--tree: a process whose parent does not match is at the top, with all below it" {
	family_start
	[ "$(procmem ps --tree --csv --no-header -o pid,depth "$D")" = "$D,0" ]
	[ "$(procmem ps --tree --csv --no-header -o pid,depth "$C" | paste -sd' ')" = "$C,0 $D,1" ]
	[ "$(procmem ps --tree --json "$C" | jq -c '[.processes[] | [.pid, .depth]]')" = "[[$C,0],[$D,1]]" ]
	# All processes are in the tree of all processes, and each one has its parent before it.
	procmem ps --tree --csv --no-header -o pid,ppid,depth >"$BATS_TEST_TMPDIR/tree"
	awk -F, '$3 > 0 && level[$2] != $3 - 1 { print; bad = 1 } { level[$1] = $3 } END { exit bad || NR < 5 }' \
		"$BATS_TEST_TMPDIR/tree"
	for pid in "$A" "$B" "$C" "$D"; do
		grep -q "^$pid," "$BATS_TEST_TMPDIR/tree"
	done
}

@test "USS is the private memory of smaps_rollup" {
	family_start
	for pid in "$A" "$B" "$C" "$D"; do
		near "$(procmem ps --csv --no-header -o uss "$pid")" \
			"$(cd /proc && rollup_sum 'Private_(Clean|Dirty|Hugetlb)' "$pid")" 262144
	done
	near "$(procmem ps --csv --no-header -o uss "$D")" $((16 << 20)) 1048576
	[ "$(procmem ps --csv --no-header -o rss_swap "$D")" -ge $((24 << 20)) ]
	[ "$(procmem ps --json -o uss "$D" | jq '.total.uss == .processes[0].uss')" = true ]
}

@test "the start time is that of ps" {
	target_start mapper
	ours=$(date -d "$(procmem ps --csv --no-header -o start "$TARGET_PID")" +%s)
	near "$ours" "$(date -d "$(ps -o lstart= -p "$TARGET_PID")" +%s)" 2
	[ "$(date -d "$(procmem ps --json "$TARGET_PID" | jq -r '.processes[0].started')" +%s)" = "$ours" ]
	[[ $(procmem ps -o start,name "$TARGET_PID") == *"$(date -d "@$ours" '+%Y-%m-%d %H:%M:%S')"* ]]
}

@test "--by program: shared memory counts once" {
	family_start
	all=("$A" "$B" "$C" "$D")
	json=$(procmem ps --by program --json "$NAME")
	[ "$(jq -c '[.by, (.groups | length), .groups[0].program, .groups[0].process_count, .groups[0].unread_count]' <<<"$json")" = \
		"[\"program\",1,\"$NAME\",4,0]" ]
	near "$(jq '.groups[0].memory_bytes' <<<"$json")" \
		"$(cd /proc && rollup_sum 'Pss|Private_Hugetlb' "${all[@]}")" 1048576
	near "$(jq '.groups[0].uss' <<<"$json")" \
		"$(cd /proc && rollup_sum 'Private_(Clean|Dirty|Hugetlb)' "${all[@]}")" 1048576
	near "$(jq '.groups[0].memory_bytes' <<<"$json")" $(((2 + 4 + 6 + 16 + 8) << 20)) 4194304
	near "$(jq '.groups[0].shared_bytes' <<<"$json")" $((8 << 20)) 2097152
	near "$(jq '.groups[0].rss' <<<"$json")" "$(status_sum VmRSS "${all[@]}")" 1048576
	[ "$(jq '.groups[0] | .memory_bytes == .uss + .shared_bytes' <<<"$json")" = true ]
	[ "$(jq '.groups[0].largest_process.pid' <<<"$json")" = "$D" ]
	[ "$(jq '.total.memory_bytes == .groups[0].memory_bytes' <<<"$json")" = true ]
	# -b prints the same numbers in the table; without smaps_rollup, the costly columns are absent.
	[[ $(procmem ps --by program -b -o program,rss "$NAME" | sed -n 2p) =~ ^"$NAME"\ +[0-9]+$ ]]
	[ "$(procmem ps --by program --json -o program,rss "$NAME" | jq -c '.groups[0] | keys')" = '["program","rss"]' ]
}

@test "--by user" {
	family_start
	name=$(id -un)
	procmem ps --by user --csv --no-header -o user,processes >"$BATS_TEST_TMPDIR/users"
	[ "$(sed -n "s/^$name,//p" "$BATS_TEST_TMPDIR/users")" -ge 4 ]
	[ "$(procmem ps --by user --csv --no-header -o user,processes "$NAME")" = "$name,4" ]
}

@test "--by cgroup, --by container: the groups of the kernel" {
	family_start
	cgroup_make $((1 << 30)) "$B"
	FOLDERS=("$GROUP_FOLDER")
	id=$(printf '%s' "$GROUP" | sha256sum | cut -d ' ' -f 1)
	mkdir "$GROUP_FOLDER/docker-$id.scope"
	FOLDERS=("$GROUP_FOLDER/docker-$id.scope" "$GROUP_FOLDER")
	echo "$C" >"$GROUP_FOLDER/docker-$id.scope/cgroup.procs"
	[ "$(procmem ps --csv --no-header -o cgroup "$B")" = "$GROUP" ]
	[ "$(procmem ps --csv --no-header -o cgroup,container "$C")" = "$GROUP/docker-$id.scope,$id" ]
	[ "$(procmem ps --json "$C" | jq -r '.processes[0] | .cgroup, .container' | paste -sd' ')" = \
		"$GROUP/docker-$id.scope $id" ]

	procmem ps --by cgroup --csv --no-header -o cgroup,processes,rss "$NAME" >"$BATS_TEST_TMPDIR/groups"
	near "$(sed -n "s|^$GROUP,1,||p" "$BATS_TEST_TMPDIR/groups")" "$(status_sum VmRSS "$B")" 524288
	near "$(sed -n "s|^$GROUP/docker-$id.scope,1,||p" "$BATS_TEST_TMPDIR/groups")" \
		"$(status_sum VmRSS "$C")" 524288

	[ "$(procmem ps --by container --json "$NAME" |
		jq -c '[.groups[] | [.container, .process_count, .runtime]] | sort')" = \
		"[[\"(none)\",3,null],[\"$id\",1,\"docker\"]]" ]
	# The table has the short ID.
	procmem ps --by container "$NAME" | grep -q " ${id:0:12} *$NAME ($C)$"
	# The start of a path is the same for most cgroups, so a narrow table shows the end.
	run -0 on_terminal 24 80 ps --by cgroup "$C"
	[[ $output == *" …/docker-${id:0:8}"* ]]
	# The limit is found once for all processes of the group.
	[ "$(procmem ps --csv --no-header -o limit "$B")" = $((1 << 30)) ]
	[ "$(procmem ps --csv --no-header -o limit "$C")" = $((1 << 30)) ]
}

# Starts `procmem ps --for 1h` in the background, with more arguments, and waits until it has read the
# first list and waits. Sets WAITING (its PID).
list_start() {
	local call
	"$PROCMEM_BIN" ps --for 1h "$@" >"$BATS_TEST_TMPDIR/list" 2>"$BATS_TEST_TMPDIR/notes" 3>&- &
	WAITING=$!
	# ppoll(2) of x86-64.
	until [ "${call:-}" = 271 ]; do
		read -r call _ <"/proc/$WAITING/syscall"
	done
}

# Ends the wait. SIGINT is ignored in the background.
list_end() {
	kill -TERM "$WAITING"
	wait "$WAITING"
}

@test "--for: the change of RSS, and processes that start and end" {
	family_start
	list_start --json "$NAME"
	before=$(status_sum VmRSS "$D")
	ended=$(status_sum VmRSS "$B")
	target_tell grow d 32
	target_tell end b
	target_tell start e
	E=$(pgrep -P "$A" -n)
	grown=$(($(status_sum VmRSS "$D") - before))
	list_end
	json_keep ps "$BATS_TEST_TMPDIR/list"

	[ "$(jq -c '[.processes[] | .pid] | sort' "$BATS_TEST_TMPDIR/list")" = \
		"$(jq -nc --argjson a "$A" --argjson c "$C" --argjson d "$D" --argjson e "$E" '[$a, $c, $d, $e] | sort')" ]
	[ "$(jq ".processes[] | select(.pid == $E) | .new and (has(\"rate\") | not)" "$BATS_TEST_TMPDIR/list")" = true ]
	[ "$(jq -c '[.processes_ended[] | .pid]' "$BATS_TEST_TMPDIR/list")" = "[$B]" ]
	near "$(jq '.processes_ended[0].rss' "$BATS_TEST_TMPDIR/list")" "$ended" 524288
	[ "$(jq '.processes[0].pid' "$BATS_TEST_TMPDIR/list")" = "$D" ]
	# The time of a process differs from that of the whole list by the time to read the list.
	jq -e ".processes[0].rate * .seconds / $grown | . > 0.5 and . < 2" "$BATS_TEST_TMPDIR/list"
	[ "$(jq ".processes[] | select(.pid == $C) | .rate" "$BATS_TEST_TMPDIR/list")" = 0 ]
	grep -q "1 process started and 1 ended: $NAME ($B, RSS " "$BATS_TEST_TMPDIR/notes"
}

@test "--tree --for: what grows fastest is first, with the sums of subtrees" {
	family_start
	list_start --tree --json "$NAME"
	target_tell grow b 32
	list_end
	json_keep ps "$BATS_TEST_TMPDIR/list"

	# B and C are below A, and D is below C. C and D have more memory than B.
	[ "$(jq -c '[.processes[] | .pid]' "$BATS_TEST_TMPDIR/list")" = "[$A,$B,$C,$D]" ]
	jq -e '([.processes[].rate] | add) == .processes[0].tree_rate' "$BATS_TEST_TMPDIR/list"
	jq -e '.processes[2].rate + .processes[3].rate == .processes[2].tree_rate' "$BATS_TEST_TMPDIR/list"
}

@test "--for: a process that loses its parent or its name remains in the list" {
	program_start bash -c 'sleep 1000 & echo up; read -r; exec -a other sleep 1000'
	target_await up
	local parent=$TARGET_PID child
	child=$(pgrep -P "$parent")
	TARGETS+=("$child")
	# The parent ends: its child has another parent, and is not below the process with this PID.
	list_start --tree --json "$parent"
	kill -KILL "$parent"
	until [ ! -e "/proc/$parent" ] || grep -q '^State:.*Z' "/proc/$parent/status"; do :; done
	list_end
	json_keep ps "$BATS_TEST_TMPDIR/list"
	[ "$(jq -c '[.processes[] | select(.pid == '"$child"') | has("rate")]' "$BATS_TEST_TMPDIR/list")" = '[true]' ]

	# The process calls exec.
	program_start bash -c ': '"unique-$$"'; echo up; read -r; exec sleep 1000'
	target_await up
	list_start --json "unique-$$"
	echo >&"$TARGET_IN"
	until [ "$(<"/proc/$TARGET_PID/comm")" = sleep ]; do :; done
	list_end
	json_keep ps "$BATS_TEST_TMPDIR/list"
	[ "$(jq -c '[.processes[] | select(.pid == '"$TARGET_PID"') | .name]' "$BATS_TEST_TMPDIR/list")" = '["sleep"]' ]
}

@test "a command line that does not fit is without the directory of the program" {
	local long=$BATS_TEST_TMPDIR/a-directory-with-a-name-that-leaves-no-room-for-the-arguments-at-80-columns-$$
	mkdir "$long"
	cp "$(command -v sleep)" "$long/worker"
	program_start "$long/worker" 1000
	until [ "$(<"/proc/$TARGET_PID/comm")" = worker ]; do :; done
	[[ $(COLUMNS=80 procmem ps -o pid,command "$TARGET_PID") == *" $long/worker 1000"* ]]
	run -0 on_terminal 24 80 ps -o pid,command "$TARGET_PID"
	[[ $output == *" worker 1000"* ]]
	[[ $output != *"$long"* ]]
}

@test "--for --by: the change of a group, with processes that start and end" {
	family_start
	list_start --json --by program "$NAME"
	before=$(status_sum VmRSS "$A" "$B" "$C" "$D")
	target_tell grow c 20
	target_tell end b
	target_tell start e
	E=$(pgrep -P "$A" -n)
	grown=$(($(status_sum VmRSS "$A" "$C" "$D" "$E") - before))
	list_end
	json_keep ps "$BATS_TEST_TMPDIR/list"

	[ "$(jq -c '.groups[0] | [.program, .process_count, .new_count, .ended_count]' "$BATS_TEST_TMPDIR/list")" = \
		"[\"$NAME\",4,1,1]" ]
	near "$(jq '.groups[0].rate * .seconds | round' "$BATS_TEST_TMPDIR/list")" "$grown" 1048576
}

@test "--for: a group of which all processes have ended is listed" {
	family_start
	list_start --by program "$NAME"
	kill -KILL "$A" "$B" "$C" "$D"
	wait "$A" || true
	for pid in "$B" "$C" "$D"; do
		while [ -e "/proc/$pid" ]; do :; done
	done
	list_end
	[[ $(sed -n 2p "$BATS_TEST_TMPDIR/list") =~ ^\ *0\ .*\ -[0-9.]+[KMG]/s\ +0\ +4\ $NAME$ ]]
}

@test "columns that need an option" {
	for word in rate new tree_rss tree_pss tree_rate depth; do
		run --separate-stderr -2 procmem ps -o "$word"
		[ -z "$output" ]
		[[ $stderr == *"need --for"* || $stderr == *"need --tree"* ]]
	done
	run --separate-stderr -2 procmem ps --by user -o cgroup
	[[ $stderr == *"'user' with --by user"* ]]
	run --separate-stderr -2 procmem ps --by nothing
	[[ $stderr == *"program, cgroup, user or container"* ]]
	run --separate-stderr -2 procmem ps --by user --tree
	run --separate-stderr -2 procmem ps --for never
	procmem ps --columns help | grep -q '^uss '
	procmem ps --by user --columns help | grep -q '^memory '
}

@test "processes that cannot be read are counted and named, and never 0" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	family_start
	run --separate-stderr -0 as_nobody ps --by program "$NAME"
	[[ ${lines[0]} =~ ^PROCESSES\ +UNREAD\ +MEMORY ]]
	[[ ${lines[1]} =~ ^\ *4\ +4\ +\?\ +\?\ .*$NAME$ ]]
	[[ ${lines[2]} =~ ^\ *4\ +4\ +\?\ +\?\  ]]
	[[ $stderr == *"PSS and USS of 4 processes are not known: $NAME ("* ]]
	[ "$(json_run ps as_nobody ps --by program --json "$NAME" 2>/dev/null |
		jq -c '[(.groups[0] | .unread_count, has("memory_bytes")), (.processes_unread | length)]')" = '[4,false,4]' ]
	[ "$(as_nobody ps -q --csv --no-header -o uss,pss "$D")" = , ]
	run --separate-stderr -0 as_nobody ps -q -o uss "$D"
	[ -z "$stderr" ]
	# A sum without some processes is at least that much.
	copy=$BATS_TEST_TMPDIR/$NAME
	chmod 755 "$BATS_TEST_TMPDIR"
	cp "$(command -v sleep)" "$copy"
	spawn setpriv --pdeathsig KILL --reuid=65534 --regid=65534 --clear-groups "$copy" 600
	until [ "$(cat "/proc/$TARGET_PID/comm")" = "$NAME" ]; do :; done
	[[ $(as_nobody ps -q --by program "$NAME" | sed -n 2p) =~ ^\ *5\ +4\ +\>[0-9.]+[KM]\ +\>[0-9.]+[KM]\  ]]
	[[ $(as_nobody ps -q --by program "$NAME" | sed -n 3p) =~ ^\ *5\ +4\ +\>[0-9.]+[KM]\ +\>[0-9.]+[KM]\  ]]
}

@test "a note says that hidepid hides processes" {
	[ "$(id -u)" -eq 0 ] || skip "only root can mount"
	hidden() {
		unshare -m bash -c 'mount -t proc -o hidepid=2 proc /proc || exit 77
			BATS_TEST_TMPDIR=$1
			. "$2/tests/cli/support/helper.bash"
			as_nobody ps' bash "$BATS_TEST_TMPDIR" "$PROCMEM_SOURCE"
	}
	run --separate-stderr hidden
	[ "$status" -ne 77 ] || skip "no right to mount proc"
	[[ $stderr == *"hidepid: processes of other users are hidden"* ]]
	run --separate-stderr -0 procmem ps
	[[ $stderr != *hidepid* ]]
}

@test "lists fit 80 columns on a terminal, and are whole in a pipe" {
	long=$(printf 'word%.0s' {1..50})
	program_start sh -c 'echo up; read -r line; exit 0' "$long"
	target_await up
	for words in '' '--tree' '--for 0.1s' '--tree --for 0.1s' '--by program' '--by user' '--by cgroup' \
		'--by container' '--by cgroup --for 0.1s' '-o +uss,pss,ppid,start,cgroup'; do
		# shellcheck disable=SC2086 # words
		on_terminal 24 80 ps -q $words >"$BATS_TEST_TMPDIR/screen"
		[ "$(sed 's/\x1b\[[0-9;]*m//g; s/\r$//' "$BATS_TEST_TMPDIR/screen" | LC_ALL=C.UTF-8 wc -L)" -le 80 ] ||
			{ cat "$BATS_TEST_TMPDIR/screen" && false; }
		[ "$(wc -l <"$BATS_TEST_TMPDIR/screen")" -le 24 ]
	done
	[[ $(on_terminal 24 80 ps "$TARGET_PID") != *"$long"* ]]
	[[ $(procmem ps "$TARGET_PID") == *"$long"* ]]
	[[ $(procmem ps --tree "$TARGET_PID") == *"$long"* ]]
	[[ $(procmem ps --json "$TARGET_PID" | jq -r '.processes[0].command') == *"$long" ]]
}

@test "processes that end while they are read do no harm" {
	# Starts and ends processes all the time.
	program_start bash -c 'echo up; while :; do for i in 1 2 3 4 5 6 7 8; do /bin/true & done; wait; done'
	target_await up
	for _ in 1 2 3; do
		procmem ps -q --json -o +uss,pss >/dev/null
		procmem ps -q --json --by cgroup >/dev/null
		procmem ps -q --json --tree -o +tree_pss >/dev/null
		procmem ps -q --json --by program --for 0.05s >/dev/null
	done
}
