#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Malicious files, environments and rights, which attack the user or others through procmem.
# targets.bats tests malicious targets.

setup() {
	load ../support/helper
	load ../support/attack
	load ../support/screen
	cd "$BATS_TEST_TMPDIR"
	umask 000
	printf 'do not touch\n' >victim
	chmod 644 victim
	cp -p victim before
}

teardown() {
	screen_stop
	targets_stop
	json_check
}

# Runs the shell script on stdin in a mount namespace, with the PID of the target as TARGET and the
# region `range`. Fails unless the script reaches its end.
in_own_mounts() {
	unshare -m true 2>/dev/null || skip 'no right to mount'
	run env TARGET="$TARGET_PID" range="$range" unshare -m timeout -k 5 60 bash -eux -c "$(cat)
		echo all done"
	[ "$status" -eq 0 ] && [[ $output == *'all done' ]] || { echo "$output" && false; }
}

# Checks that the file that a link refers to is unchanged.
victim_is_whole() {
	cmp victim before
	[ "$(stat -c '%a %h' victim)" = "$(stat -c '%a %h' before)" ]
}

# Fails unless the run was rejected because of a link, and the link still exists.
assert_link_refused() {
	local link=$1
	shift
	run -2 --separate-stderr procmem "$@"
	[[ $stderr == *"cannot write $link: it is a symbolic link"* ]]
	[ -L "$link" ]
	victim_is_whole
}

@test "no command writes through a symbolic link" {
	target_start exiter
	local range target
	range=$(target_range content)
	for target in victim nowhere; do
		ln -sf "$target" link
		assert_link_refused link dump -o link "$TARGET_PID" "$range"
		assert_link_refused link dump --core -o link "$TARGET_PID"
		assert_link_refused link snap -o link "$TARGET_PID"
		assert_link_refused link watch -c 1 --record link "$TARGET_PID"
		assert_link_refused link shell -c 'map > link' "$TARGET_PID"
		assert_link_refused link shell -c 'map >> link' "$TARGET_PID"
		# The map of a dump is a file, too. Neither file is written without the other.
		ln -s "$target" bytes.map
		assert_link_refused bytes.map dump -o bytes "$TARGET_PID" "$range" stack
		[ ! -e bytes ]
		rm bytes.map
		[ ! -e nowhere ]
	done
}

@test "actions of watch do not write through links, and do not overwrite files" {
	target_start exiter
	ln -s victim link
	ln -s nowhere dangling
	mkfifo pipe
	for file in link dangling victim pipe; do
		run procmem watch -c 2 -i 0.1 --on 'rss>1K' --do "dump:$file" --do exit "$TARGET_PID"
		[ "$status" -eq 1 ] || { echo "$file: $output" && false; }
		victim_is_whole
	done
	[ -L link ] && [ -L dangling ] && [ -p pipe ] && [ ! -e nowhere ]
	run procmem watch -c 2 -i 0.1 --on 'rss>1K' --do snap:link --do exit "$TARGET_PID"
	[[ $output == *'it is a symbolic link'* ]]
	victim_is_whole
}

@test "the history of the shell is not written through a link" {
	require tmux
	target_start exiter
	mkdir -p state/procmem
	ln -s "$PWD/victim" state/procmem/history
	screen_start 80 20
	screen_type "XDG_STATE_HOME=$PWD/state '$PROCMEM_BIN' shell $TARGET_PID"
	screen_key Enter
	screen_await "exiter $TARGET_PID>"
	screen_type info
	screen_key Enter
	screen_await 'peak RSS'
	screen_key C-d
	# The prompt of bash, at the start of a line.
	screen_await $'\n$'
	[ -L state/procmem/history ]
	victim_is_whole
}

@test "an existing file is replaced by a new one: its other names and open descriptors keep the old content" {
	target_start exiter
	local range
	range=$(target_range content)
	chmod 666 victim before
	ln victim other
	ln before another
	exec {reader}<victim
	run -0 procmem dump -o victim "$TARGET_PID" "$range"
	[ "$(stat -c '%a %h %s' victim)" = '600 1 1048576' ]
	cmp other before
	cmp - before <&"$reader"
	exec {reader}<&-
	run -0 procmem dump --core -o other "$TARGET_PID"
	[ "$(stat -c '%a %h' other)" = '600 1' ]
	run -0 procmem snap -o fresh.pmrec "$TARGET_PID"
	run -0 procmem watch -c 1 --record fresher.pmrec "$TARGET_PID"
	[ "$(stat -c %a fresh.pmrec fresher.pmrec | sort -u)" = 600 ]
	# A file that is not a recording is not changed.
	run -2 procmem snap -o before "$TARGET_PID"
	run -2 procmem watch -c 1 --record before "$TARGET_PID"
	cmp before another
}

@test "named pipes of other users are rejected; own pipes and /dev/stdout are written" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can make pipes of others'
	target_start exiter
	local range
	range=$(target_range content)
	mkfifo theirs ours
	chown 65534 theirs
	# Without a reader: it is refused before it is opened, which would wait for a reader.
	run -2 timeout 60 "$PROCMEM_BIN" dump -o theirs "$TARGET_PID" "$range"
	[[ $output == *'cannot write theirs: it is a named pipe of another user'* ]]
	exec {reader}<>theirs
	run -2 procmem dump -o theirs "$TARGET_PID" "$range"
	exec {reader}>&-
	cat ours >caught 3>&- &
	run -0 procmem dump -o ours "$TARGET_PID" "$range"
	wait $!
	[ "$(stat -c %s caught)" -eq 1048576 ]
	[ "$(procmem dump -o /dev/stdout "$TARGET_PID" "$range" | wc -c)" -eq 1048576 ]
}

@test "a recording is not started in an empty file of another user" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can make files of others'
	target_start exiter
	: >theirs
	chown 65534 theirs
	run -2 procmem snap -o theirs "$TARGET_PID"
	[[ $output == *'cannot write theirs: it is an empty file of another user'* ]]
	run -2 procmem watch -c 1 --record theirs "$TARGET_PID"
	[ "$(stat -c '%s %u' theirs)" = '0 65534' ]
	# An own empty file is used, and a recording that was given to another user is continued.
	: >ours
	run -0 procmem snap -o ours "$TARGET_PID"
	chown 65534 ours
	run -0 procmem snap -o ours "$TARGET_PID"
	[[ $output == 'sample 2 of '* ]]
}

@test "malicious recordings are rejected, or read as far as they are valid" {
	require python3 sqlite3
	target_start exiter
	procmem watch -q -c 3 -i 0.1 --record good.pmrec "$TARGET_PID" >/dev/null
	assert_sound diff good.pmrec good.pmrec@1
	for seed in $(seq 24); do
		python3 "$BATS_TEST_DIRNAME/../support/damage.py" "$seed" good.pmrec bad.pmrec
		assert_sound diff bad.pmrec bad.pmrec@1
		assert_sound headroom bad.pmrec
	done
	# No SQL in a file is executed: this view is endless.
	for table in sample region run; do
		cp good.pmrec bad.pmrec
		columns=$(sqlite3 good.pmrec "SELECT group_concat('x AS ' || name) FROM pragma_table_info('$table')")
		sqlite3 bad.pmrec "DROP TABLE $table; CREATE VIEW $table AS WITH RECURSIVE endless(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM endless)
			SELECT $columns FROM endless"
		assert_sound diff bad.pmrec bad.pmrec@1
		[ "$status" -eq 2 ]
		assert_sound snap -o bad.pmrec "$TARGET_PID"
		[ "$status" -eq 2 ]
	done
	for trigger in sample region; do
		cp good.pmrec bad.pmrec
		sqlite3 bad.pmrec "CREATE TRIGGER t AFTER INSERT ON $trigger BEGIN DELETE FROM run; END"
		assert_sound snap -o bad.pmrec "$TARGET_PID"
		[ "$(sqlite3 bad.pmrec 'SELECT count(*) FROM run')" -eq 1 ]
	done
	# Values that no recorder writes.
	for change in 'region SET end_address = start_address - 1' 'region SET start_address = -1' "region SET kind = x'00ff'" \
		'sample SET time = 9e999' \
		'sample SET number = -9223372036854775808 WHERE number = 1' 'size SET rss = -9223372036854775808' "text SET value = zeroblob(1000000)" \
		'run SET pid = -1' 'sample SET rss = 9223372036854775807' "run SET comm = char(27) || ']0;owned' || char(7)"; do
		cp good.pmrec bad.pmrec
		sqlite3 bad.pmrec "UPDATE $change" 2>/dev/null || continue
		assert_sound diff bad.pmrec@1 bad.pmrec
		assert_sound headroom bad.pmrec
	done
}

@test "malicious core files are rejected, or read as far as they are valid" {
	require python3
	target_start exiter
	procmem dump -q --core -o good.core "$TARGET_PID"
	for seed in $(seq 16); do
		python3 "$BATS_TEST_DIRNAME/../support/damage.py" "$seed" good.core bad.core 4096
		assert_sound map -a bad.core
		assert_sound strings -n 30 bad.core anon
		assert_sound grep -c page bad.core
		assert_sound dump --core -o again.core bad.core
		rm -f again.core
	done
}

@test "eighteen descriptors are enough, and with fewer every command reports the reason" {
	target_start mapper
	# libproc2 leaks some bytes if it fails to start.
	export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
	for command in map ps dump strings grep watch snap headroom; do
		look_words "$command" "$TARGET_PID"
		run bash -c 'ulimit -n 18; exec timeout 60 "$@"' bash "$PROCMEM_BIN" "${words[@]}"
		[ "$status" -le 1 ] || { echo "${words[*]}: $status $output" && false; }
		for limit in 3 4 5 6 7 8; do
			# The loader needs a descriptor for the libraries: the status is 127 if it has none.
			run timeout 60 bash -c 'exec 3>&-; ulimit -n "$1"; shift; "$@"; status=$?; [ $status -ne 127 ] || status=2; exit $status' bash "$limit" \
				"$PROCMEM_BIN" "${words[@]}"
			[ "$status" -le 2 ] || { echo "$limit: ${words[*]}: $status $output" && false; }
			[ "$status" -ne 2 ] || [[ $output == *"procmem: "* ]]
		done
	done
}

@test "closed stdin, stdout and stderr: their output is not written to another file" {
	target_start exiter
	local range
	range=$(target_range content)
	dd if="/proc/$TARGET_PID/mem" of=true_bytes bs=1M iflag=skip_bytes skip=$((0x${range%-*})) count=1 status=none
	for closed in 1 2 3 4 5 6 7; do
		close='exec "$@"'
		[ $((closed & 4)) -eq 0 ] || close="exec 2>&-; $close"
		[ $((closed & 2)) -eq 0 ] || close="exec 1>&-; $close"
		[ $((closed & 1)) -eq 0 ] || close="exec 0<&-; $close"
		run bash -c "exec 3>&-; $close" bash "$PROCMEM_BIN" dump -v -o bytes "$TARGET_PID" "$range"
		[ "$status" -eq 0 ]
		cmp bytes true_bytes
		# The output cannot be written.
		run bash -c "exec 3>&-; $close" bash "$PROCMEM_BIN" dump --json -v -o bytes "$TARGET_PID" "$range"
		[ "$status" -eq $((closed & 2)) ]
		cmp bytes true_bytes
		rm -f run.pmrec
		run bash -c "exec 3>&-; $close" bash "$PROCMEM_BIN" watch -v -c 2 -i 0.1 --record run.pmrec "$TARGET_PID"
		[ "$status" -eq $((closed & 2)) ] || { echo "$closed: $status $output" && false; }
		run -0 sqlite3 run.pmrec 'PRAGMA integrity_check'
		[ "$output" = ok ]
		for words in "strings -n 30 $TARGET_PID" "grep -m 1 content $TARGET_PID" "map $TARGET_PID" "shell -c info $TARGET_PID"; do
			# shellcheck disable=SC2086
			run bash -c "exec 3>&-; $close" bash timeout 60 "$PROCMEM_BIN" $words
			[ "$status" -le 2 ]
			[ $((closed & 2)) -eq 0 ] || [ "$status" -eq 2 ] || { echo "$closed $words: $status" && false; }
		done
	done
}

@test "a /proc that is not a proc file system is reported, not a missing process" {
	# A sanitizer reads /proc/self/maps when it starts.
	unshare -m bash -euc 'mount -t tmpfs none /proc; exec "$PROCMEM_BIN" --version' >/dev/null 2>&1 ||
		skip 'no right to mount, or this build of the program does not start without /proc'
	target_start exiter
	in_own_mounts <<-'END'
		mount -t tmpfs none /proc
		for words in map "watch -c 1" headroom "strings" "snap -o run.pmrec"; do
			status=0
			"$PROCMEM_BIN" $words "$TARGET" >out 2>&1 || status=$?
			[ $status -eq 2 ]
			grep -q '/proc is not a proc file system' out
		done
	END
}

@test "a full disk: an error of every command that writes a file, and no incomplete file" {
	target_start exiter
	range=$(target_range content)
	in_own_mounts <<-'END'
		fails() {
			status=0
			"$PROCMEM_BIN" "$@" >out 2>&1 || status=$?
			[ $status -eq 2 ] && grep -q 'No space left\|disk is full\|database or disk is full' out || { echo "$*: $status"; cat out; exit 1; }
		}
		mkdir disk
		mount -t tmpfs -o size=64k none disk
		fails dump -o disk/bytes "$TARGET" "$range"
		fails dump --core -o disk/core "$TARGET"
		[ -z "$(ls -A disk)" ]
		fails shell -c "dump --raw $range > disk/bytes" "$TARGET"
		dd if=/dev/zero of=disk/filler status=none 2>/dev/null || true
		fails snap -o disk/run.pmrec "$TARGET"
		[ -z "$(find disk -name 'run.pmrec*'; grep 'earlier samples' out)" ]
		size=$(stat -c %s disk/filler)
		for free in 4096 16384 32768; do
			truncate -s $((size - free)) disk/filler
			fails snap -o disk/run.pmrec "$TARGET"
			[ -z "$(find disk -name 'run.pmrec*'; grep 'earlier samples' out)" ]
		done
		dd if=/dev/zero of=disk/filler status=none 2>/dev/null || true
		fails watch -c 2 -i 0.1 --record disk/run.pmrec "$TARGET"
		fails shell -c "map > disk/none" "$TARGET"
		for words in "map" "strings -n 20" "grep content"; do
			status=0
			"$PROCMEM_BIN" $words "$TARGET" >disk/filler2 2>out || status=$?
			[ $status -eq 2 ]
		done
	END
}

# A socket replaces the missing file: it cannot be opened either.
@test "without pagemap: lists and samples work, and reads that would make the target grow are rejected" {
	require python3
	target_start exiter
	range=$(target_range content)
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
	in_own_mounts <<-'END'
		mount --bind socket "/proc/$TARGET/pagemap"
		resident=$(awk '/^Rss:/ { sum += $2 } END { print sum }' "/proc/$TARGET/smaps")
		for words in map 'map --why' headroom 'snap -o run.pmrec' 'watch -c 2 -i 0.1'; do
			"$PROCMEM_BIN" $words "$TARGET" >list
		done
		"$PROCMEM_BIN" watch --json -c 1 "$TARGET" | head -n 1 | jq -e --argjson rss $((resident * 1024)) ".rss == \$rss"
		for words in 'dump --core -o hidden' 'strings' 'grep page' 'watch -c 2 -i 0.1 --peek 3'; do
			status=0
			"$PROCMEM_BIN" $words "$TARGET" >list 2>errors || status=$?
			[ $status -eq 2 ] && grep -q '^procmem: cannot read the pagemap of ' errors
			[ ! -s list ] && [ "$(wc -l <errors)" -eq 1 ] && [ ! -e hidden ]
		done
		[ "$(awk '/^Rss:/ { sum += $2 } END { print sum }' "/proc/$TARGET/smaps")" -eq "$resident" ]
	END
}

@test "a seccomp filter for system calls of procmem: alternatives are used, or the refusal is reported" {
	target_start exiter
	# The leak checker needs ptrace(2) itself.
	export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
	local range
	range=$(target_range content)
	run -0 procmem dump -o shown "$TARGET_PID" "$range"
	for calls in process_vm_readv scan pidfd_open process_vm_readv,scan,pidfd_open,ptrace; do
		run -0 "$PROCMEM_TARGETS/without" "$calls" "$PROCMEM_BIN" dump -o hidden "$TARGET_PID" "$range"
		cmp hidden shown
		for command in map strings grep watch snap headroom ps; do
			look_words "$command" "$TARGET_PID"
			run "$PROCMEM_TARGETS/without" "$calls" "$PROCMEM_BIN" "${words[@]}"
			[ "$status" -le 1 ] || { echo "$calls: ${words[*]}: $status $output" && false; }
		done
	done
	run -2 "$PROCMEM_TARGETS/without" ptrace "$PROCMEM_BIN" dump --stop -o hidden "$TARGET_PID" "$range"
	[[ $output == "procmem: cannot stop"* ]]
}

@test "root without capabilities gets a reason, and can read processes that have none either" {
	[ "$(id -u)" -eq 0 ] || skip 'only root has capabilities to lose'
	local poor=(setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --)
	"${poor[@]}" true 2>/dev/null || skip 'no right to lose capabilities'
	target_start exiter
	for command in map dump strings grep watch snap; do
		look_words "$command" "$TARGET_PID"
		run -2 --separate-stderr "${poor[@]}" "$PROCMEM_BIN" "${words[@]}"
		[[ $stderr == *'capabilities'* ]] || { echo "${words[*]}: $stderr" && false; }
	done
	spawn "${poor[@]}" "$PROCMEM_TARGETS/exiter"
	target_await ready
	for command in map dump strings grep watch snap headroom; do
		look_words "$command" "$TARGET_PID"
		run "${poor[@]}" "$PROCMEM_BIN" "${words[@]}"
		[ "$status" -le 1 ] || { echo "${words[*]}: $status $output" && false; }
	done
}
