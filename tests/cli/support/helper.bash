# SPDX-License-Identifier: MIT
# Loaded by every command test (`load support/helper`): runs the built program and its targets.
#
#   target_start mapper     starts tests/targets/mapper and waits until it is ready; sets TARGET_PID
#                           and TARGET_FACTS (a file with its output)
#   target_fact region memfd
#                           prints the rest of the line that starts with "region memfd "
#   target_range memfd      prints the "start-end" of a region
#   target_tell grow        sends a command line and waits until it is done
#   target_await TEXT       reads output lines until one contains TEXT
#   program_start redis-server …
#                           starts any program; the test fails if it is not installed
#   program_freeze          stops a program of program_start by a signal, once it waits
#   on_terminal 24 80 map PID
#                           runs procmem on a terminal of 24 lines and 80 columns
#   start_blocked dump PID all
#                           runs procmem, waits for its first byte of output, and does not read the
#                           rest; sets BLOCKED (its PID) and READER
#   targets_stop            call it in teardown, or in teardown_file for targets of setup_file
#   target_copy records     makes a copy of a target program with a name that no other test has, in
#                           TARGET_NAME, and lets target_start find it
#   json_check              checks the output of each `procmem COMMAND --json` of the test against
#                           docs/schema; call it at the end of teardown
#   json_keep watch FILE    lets json_check check a file, too
#   retry_timed             lets bats repeat the test if it fails
#
# Targets die with the test, however it ends: ours request this from the kernel (PR_SET_PDEATHSIG),
# other programs through setpriv.

bats_require_minimum_version 1.5.0

# Call it in each test that has the tag `timed`: a measurement over real seconds can be disturbed by
# other programs of the machine, so a failed one is repeated, twice at most. bats reads the variable
# at the end of the test.
retry_timed() {
	# shellcheck disable=SC2034
	BATS_TEST_RETRIES=2
	[ "$BATS_TEST_TRY_NUMBER" -eq 1 ] || echo "# try $BATS_TEST_TRY_NUMBER" >&3
}

# Checks that a command fails. In the middle of a test, bats ignores the result of `! COMMAND`.
fails() {
	if "$@"; then
		return 1
	fi
}

# Runs the program. The output of --json is kept, for json_check. On a loaded machine, a stop can take
# longer than the second that is allowed by default, so these commands get no limit.
procmem() {
	local word
	case ${1:-} in
	heap | leaks | refs)
		[[ " $* " == *' --max-stop'* ]] || set -- "$1" --max-stop 0 "${@:2}"
		;;
	esac

	for word; do
		if [ "$word" = --json ]; then
			json_run "$1" "$PROCMEM_BIN" "$@"
			return
		fi
	done
	"$PROCMEM_BIN" "$@"
}

# json_run COMMAND PROGRAM...: runs a program and keeps what it prints, unless it fails or the
# reader of the output ends early.
json_run() {
	local file statuses
	file=$(json_file "$1")
	shift
	if "$@" | tee "$file"; then
		statuses=("${PIPESTATUS[@]}")
	else
		statuses=("${PIPESTATUS[@]}")
	fi
	if [ "${statuses[0]}" -gt 1 ] || [ "${statuses[1]}" -ne 0 ]; then
		rm "$file"
	fi
	return "${statuses[0]}"
}

# json_keep SCHEMA FILE...: keeps the complete lines of files that a test has written itself. The
# last line of a command that was killed can be incomplete.
json_keep() {
	local schema=$1 file
	shift
	for file; do
		head -n "$(wc -l <"$file")" "$file" >"$(json_file "$schema")"
	done
}

# Prints the name of a new file for output in JSON.
json_file() {
	local folder=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/json-kept
	mkdir -p "$folder"
	mktemp "$folder/$1.XXXXXX"
}

json_check() {
	local file name words=()
	for file in "${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}"/json-kept/*; do
		[ -s "$file" ] || continue
		name=${file##*/}
		words+=("${name%.*}=$file")
	done
	[ "${#words[@]}" -eq 0 ] && return
	# The python3 of Debian has the modules of Debian.
	/usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/schema.py" "${words[@]}"
}

on_terminal() {
	local lines=$1 columns=$2
	shift 2
	script -qec "stty rows $lines cols $columns -onlcr; $(printf '%q ' "$PROCMEM_BIN" "$@")" \
		/dev/null </dev/null
}

start_blocked() {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	"$PROCMEM_BIN" "$@" >"$BATS_TEST_TMPDIR/fifo" 2>"$BATS_TEST_TMPDIR/errors" 3>&- &
	BLOCKED=$!
	exec {READER}<"$BATS_TEST_TMPDIR/fifo"
	head -c 1 <&"$READER" >/dev/null
}

# Starts a command with pipes to its stdin and stdout, as a direct child of this shell.
spawn() {
	local pipe
	pipe=$(mktemp -u "${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/stdin.XXXXXX")
	mkfifo "$pipe"
	exec {TARGET_IN}<>"$pipe"
	rm "$pipe"
	# bats waits for all processes that have its descriptor 3 open.
	exec {TARGET_OUT}< <(exec "$@" 2>&1 <&"$TARGET_IN" 3>&-)
	TARGET_PID=$!
	TARGETS+=("$TARGET_PID")
}

target_start() {
	local line name=$1
	shift
	spawn "$PROCMEM_TARGETS/$name" "$@"
	TARGET_FACTS=$(mktemp "${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/facts.XXXXXX")
	while IFS= read -r line <&"$TARGET_OUT"; do
		[ "$line" = ready ] && return 0
		printf '%s\n' "$line" >>"$TARGET_FACTS"
	done
	echo "$name ended before it was ready: $(tail -1 "$TARGET_FACTS")" >&2
	return 1
}

# Other tests that run at the same time have targets of the same name.
target_copy() {
	TARGET_NAME=$1$$
	cp "$PROCMEM_TARGETS/$1" "$BATS_TEST_TMPDIR/$TARGET_NAME"
	PROCMEM_TARGETS=$BATS_TEST_TMPDIR
}

program_start() {
	require "$1"
	spawn setpriv --pdeathsig KILL "$@"
}

# Fails the test if a program is missing: docs/setup.sh installs all that tests call.
require() {
	local program
	for program; do
		command -v "$program" >/dev/null && continue
		echo "$program is not installed: sh docs/setup.sh test installs it" >&2
		return 1
	done
}

# Stops a program by a signal, and waits until all its threads have stopped. Before that it waits
# until the main thread sleeps: a program that has printed that it is ready is still running.
program_freeze() {
	local state
	until [ "$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$TARGET_PID/status")" = S ]; do
		kill -0 "$TARGET_PID"
	done
	kill -STOP "$TARGET_PID"
	until [ "$state" = T ]; do
		state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$TARGET_PID/task/"*/status |
			sort -u)
		kill -0 "$TARGET_PID"
	done
}

target_fact() {
	sed -n "s/^$* //p" "$TARGET_FACTS" | head -n 1
}

target_range() {
	local fact
	fact=$(target_fact region "$1")
	[ -n "$fact" ] || return 1
	printf '%s\n' "${fact%% *}"
}

target_await() {
	local line
	while IFS= read -r line <&"$TARGET_OUT"; do
		case $line in *"$1"*) printf '%s\n' "$line" && return 0 ;; esac
	done
	return 1
}

target_tell() {
	printf '%s\n' "$*" >&"$TARGET_IN"
	[ "$(target_await "$*")" = "done $*" ]
}

targets_stop() {
	local pid
	for pid in "${TARGETS[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	TARGETS=()
}

# as_nobody map PID: runs procmem as a user without rights. Runs a copy if the build is in a folder
# that this user cannot enter.
as_nobody() {
	local folder status=0
	local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --)
	if "${nobody[@]}" test -x "$PROCMEM_BIN"; then
		"${nobody[@]}" "$PROCMEM_BIN" "$@"
		return
	fi
	folder=$(mktemp -d /tmp/procmem-nobody.XXXXXX)
	chmod 755 "$folder"
	cp "$PROCMEM_BIN" "$PROCMEM_BUILD"/lib/libprocmem.so* "$folder"
	"${nobody[@]}" env LD_LIBRARY_PATH="$folder" "$folder/procmem" "$@" || status=$?
	rm -rf "$folder"
	return $status
}

# cgroup_make BYTES PID...: creates a memory cgroup with a limit for targets, or skips the test.
# Sets GROUP (its name) and GROUP_FOLDER. Call cgroup_remove in teardown, after targets_stop.
cgroup_make() {
	local limit=$1 pid path top=/sys/fs/cgroup
	shift
	if [ -e $top/memory/cgroup.procs ]; then
		path=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*://p' /proc/self/cgroup)
		top=$top/memory
	else
		path=$(sed -n 's/^0:://p' /proc/self/cgroup)
	fi
	GROUP=${path%/}/procmem-cli-$$-$BATS_TEST_NUMBER
	GROUP_FOLDER=$top$GROUP
	mkdir "$GROUP_FOLDER" 2>/dev/null || {
		GROUP_FOLDER=
		skip 'no right to create a cgroup'
	}
	if [ -e "$GROUP_FOLDER/memory.limit_in_bytes" ]; then
		echo "$limit" >"$GROUP_FOLDER/memory.limit_in_bytes"
	elif [ -e "$GROUP_FOLDER/memory.max" ]; then
		echo "$limit" >"$GROUP_FOLDER/memory.max"
	else
		skip 'the memory controller is not enabled in new cgroups'
	fi
	for pid; do
		echo "$pid" >"$GROUP_FOLDER/cgroup.procs" ||
			skip 'no right to move a process into a cgroup'
		echo 1000 >"/proc/$pid/oom_score_adj"
	done
}

cgroup_remove() {
	[ -n "${GROUP_FOLDER:-}" ] || return 0
	# The kernel releases a dead process a moment later.
	for _ in $(seq 600); do
		! rmdir "$GROUP_FOLDER" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}
