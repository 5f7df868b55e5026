#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem dump`: every text that a target placed is read back, in each format; unreadable memory is
# reported; no incomplete file is left.

setup() {
	load support/helper
	file=$BATS_TEST_TMPDIR/bytes
}

teardown() {
	targets_stop
	json_check
}

@test "each text that the target placed is read back at its address" {
	local region address text
	target_start markers
	while read -r _ region address text; do
		[ "$region" != reserve ] || continue
		[ "$(procmem dump "$TARGET_PID" "0x$address+40")" = "$text" ] || { echo "$region $address" && false; }
	done < <(grep '^marker ' "$TARGET_FACTS")
	# With --whole-files, untouched pages are read from the file. Only root can open a deleted
	# file (map_files).
	while read -r _ region address text; do
		[ "$region" != untouched_deleted ] || [ "$(id -u)" -eq 0 ] || continue
		[ "$(procmem dump --whole-files "$TARGET_PID" "0x$address+40")" = "$text" ] || { echo "$region $address" && false; }
		[ "$(procmem dump "$TARGET_PID" "0x$address+40" | tr -d '\0' | wc -c)" -eq 0 ]
	done < <(grep '^file_marker ' "$TARGET_FACTS")
}

@test "--hex prints the output of hexdump -C with fewer spaces and the addresses of the process" {
	require hexdump
	target_start mapper
	local start range
	range=$(target_range plain)
	start=${range%-*}
	for length in 1 16 100 4096 20000; do
		procmem dump --hex "$TARGET_PID" "0x$start+$length" >"$BATS_TEST_TMPDIR/ours"
		dd if="/proc/$TARGET_PID/mem" bs=4096 skip=$((0x$start / 4096)) count=5 status=none | head -c "$length" | hexdump -C |
			while read -r offset rest; do
				[ "$offset" = '*' ] && echo '*' || printf '%x %s\n' $((0x$start + 0x$offset)) "${rest/  |/|}"
			done | sed 's/ *$//' >"$BATS_TEST_TMPDIR/theirs"
		diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
	done
}

@test "a line fits 80 columns, and with 8 bytes a narrower terminal" {
	require script
	target_start mapper
	local range start
	range=$(target_range plain)
	start=${range%-*}
	for columns in 80 79 78 60; do
		run -0 on_terminal 24 "$columns" dump --hex "$TARGET_PID" "0x$start+24"
		((columns < 79)) && expected=3 || expected=2
		[ "$(grep -c '|$' <<<"$output")" -eq "$expected" ]
		[ "$(awk '{ print length }' <<<"$output" | sort -n | tail -n 1)" -lt "$columns" ] || [ "$columns" -eq 79 ]
		[ "$(tail -n 1 <<<"$output")" = "$(printf '%x' $((0x$start + 24)))" ]
	done
	# The bytes do not depend on the width, and zeros are folded in narrow output, too.
	on_terminal 24 60 dump --hex "$TARGET_PID" "$(target_range reserve_1t)" >"$BATS_TEST_TMPDIR/narrow"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/narrow")" -eq 3 ]
}

@test "a hole of any length is folded, and every range has its own addresses" {
	target_start mapper
	local range
	range=$(target_range reserve_1t)
	run -0 procmem dump --hex "$TARGET_PID" "$range"
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[1]}" = '*' ]
	[ "$((0x${lines[2]}))" -eq "$((0x${range#*-}))" ]
	run -0 procmem dump --hex "$TARGET_PID" "$(target_range read_only)" "$(target_range write_only)"
	[[ $output == *'|read_only page 0|'* ]]
	[[ $output == *'|write_only page '* ]]
}

@test "a file has holes and mode 0600, and its map describes the ranges" {
	require jq
	target_start markers
	local region address text offset
	run -0 procmem dump -q --json -o "$file" "$TARGET_PID" all
	[ "$(stat -c %a "$file")" = 600 ]
	[ "$(stat -c %a "$file.map")" = 600 ]
	jq -e --argjson size "$(stat -c %s "$file")" '.size == $size' <<<"$output"
	# The file is longer than a terabyte, but uses little more disk space than the bytes that
	# were read.
	[ "$(stat -c %s "$file")" -gt $((1 << 40)) ]
	[ $(($(stat -c %b "$file") * 512)) -le $(($(jq .read <<<"$output") * 11 / 10)) ]
	while read -r _ region address text; do
		offset=$(jq --arg address "$address" 'def hex: ltrimstr("0x") | explode |
				reduce .[] as $c (0; . * 16 + if $c > 96 then $c - 87 else $c - 48 end);
			($address | hex) as $at | .ranges[] | (.start | hex) as $start | select($at >= $start and $at < (.end | hex)) |
			.dump_offset + $at - $start' "$file.map")
		[ "$(tail -c +$((offset + 1)) "$file" | head -c 40)" = "$text" ] || { echo "$region $address" && false; }
	done < <(grep -E '^marker (plain|memfd|none|sysv|growsdown) ' "$TARGET_FACTS")
	json_keep dump-map "$file.map"
	jq -e '.ranges | map(select(.mapping == "[stack]")) | .[0].kind == "stack" and .[0].perms == "rw-p"' "$file.map"
}

@test "the text of the map has ranges, offsets and kinds" {
	target_start exiter
	run -0 procmem dump -o "$file" "$TARGET_PID" "$(target_range content)" stack
	[ "$(grep -c '^[0-9a-f]\{12\}-' "$file.map")" -ge 2 ]
	grep -q ' 0 rw-p anon -$' "$file.map"
	grep -q 'stack \[stack\]$' "$file.map"
	# A single range needs no map, but an existing map would describe bytes that were replaced.
	run -0 procmem dump -o "$file" "$TARGET_PID" "$(target_range content)"
	[ "$(grep -c '^[0-9a-f]\{12\}-' "$file.map")" -eq 1 ]
	grep -q '^[0-9a-f-]* 1048576 0 rw-p anon -$' "$file.map"
	rm "$file.map"
	run -0 procmem dump -o "$file" "$TARGET_PID" "$(target_range content)"
	[ ! -e "$file.map" ]
	[ "$(stat -c %s "$file")" -eq $((1 << 20)) ]
	[ "$(head -c 14 "$file")" = 'content page 0' ]
}

@test "unreadable bytes are written as zeros and reported, and the exit status is 1" {
	target_start markers
	local range
	range=$(target_range short)
	run -1 --separate-stderr procmem dump --whole-files -v -o "$file" "$TARGET_PID" "$range"
	[[ $stderr == *'beyond the end of the mapped file'* ]]
	[[ $stderr == *'8.0K could not be read'* ]]
	grep -q '^  unreadable .* beyond the end of the mapped file' "$file.map"
	[ "$(stat -c %s "$file")" -eq 16384 ]
	run -1 --separate-stderr procmem dump --whole-files --hex "$TARGET_PID" "$range"
	[[ $output == *'beyond the end of the mapped file'* ]]
	# A requested range that is partly unmapped.
	run -1 --separate-stderr procmem dump -o "$file" "$TARGET_PID" "${range%-*}-$(printf %x $((0x${range#*-} + 4096)))"
	grep -q 'unreadable .* nothing is mapped there' "$file.map"
	[ "$(stat -c %s "$file")" -eq 20480 ]
	run -1 procmem dump "$TARGET_PID" 0x1000
	[[ $output == *'nothing is mapped'* ]]
}

# left_out WORDS REGION...: the notes of a raw dump contain the words, and its exit status is 1.
left_out() {
	local words=$1 status=0
	shift
	procmem dump --raw "$TARGET_PID" "$@" >"$file" 2>"$file.notes" || status=$?
	[ "$status" -eq 1 ] && [[ $(<"$file.notes") == *"$words"* ]] || { cat "$file.notes" && false; }
}

@test "untouched pages in a requested range are reported, and the exit status is 1" {
	local name start
	target_start markers
	for name in untouched_file untouched_memfd; do
		left_out '16.0K was not read: the process has not touched these pages of mapped files or shared memory; zeros were written instead; use --whole-files' \
			"$(target_range $name)"
		[ "$(tr -d '\0' <"$file" | wc -c)" -eq 0 ]
		run -0 --separate-stderr procmem dump --raw --whole-files "$TARGET_PID" "$(target_range $name)"
		[ -z "$stderr" ]
	done
	# One word of several.
	left_out 'was not read' stack "$(target_range untouched_file)"
	run -1 --separate-stderr procmem dump -q --raw "$TARGET_PID" "$(target_range untouched_file)"
	[ -z "$stderr" ]
	# Text shows the reason itself, so no zeros are printed.
	run -1 --separate-stderr procmem dump --hex "$TARGET_PID" "$(target_range untouched_file)"
	[[ $output == *'that the process has not touched'* && $stderr != *zeros* ]]
	# Words that are not ranges request what there is.
	run -0 --separate-stderr procmem dump -o "$file" "$TARGET_PID" all
	[[ $stderr == *'was not read: the process has not touched these pages'* && $stderr != *devices* ]]
	if [ -z "$(target_fact unsupported guarded:)" ]; then
		start=$(target_range guard)
		left_out '4.0K was not read: memory of devices, of the kernel or of memfd_secret(2), or guard pages' "0x$(printf %x $((0x${start%-*} - 4096)))+8192"
	fi
}

@test "pages that a userfaultfd handler has not provided are reported" {
	local range
	target_start mapper
	range=$(target_range uffd) || skip 'no right to use userfaultfd'
	left_out '60.0K was not read: it is not provided by the userfaultfd handler yet; zeros were written instead' "$range"
	[ "$(head -c 11 "$file")" = 'uffd page 0' ]
	[ "$(stat -c %s "$file")" -eq 65536 ]
	run -0 --separate-stderr procmem dump -o "$file" "$TARGET_PID" anon
	[[ $stderr == *'60.0K was not read: it is not provided by the userfaultfd handler yet'* ]]
	run -1 --separate-stderr procmem dump -q --json -o "$file" "$TARGET_PID" "$range"
	jq -e '.pending == 61440 and .read == 4096 and .size == 65536' <<<"$output"
}

@test "memory of memfd_secret is named as such" {
	target_start secret
	[ -z "$(target_fact unsupported)" ] || skip 'this kernel has no memfd_secret'
	left_out 'memory of memfd_secret(2)' -v "$(target_range secret)"
	[[ $(<"$file.notes") == *'8.0K could not be read'*'8.0K was not read'* ]]
	left_out 'memory of memfd_secret(2)' -v --whole-files "$(target_range secret)"
	[[ $(<"$file.notes") != *'end of the mapped file'* && $(<"$file.notes") != *'cannot open'* ]]
}

@test "memory of the kernel is not read, which is reported" {
	grep -q '\[vvar\]' /proc/$$/maps || skip 'there is no [vvar] here'
	run -1 --separate-stderr procmem dump -o "$BATS_TEST_TMPDIR/vvar" $$ '[vvar]'
	[[ $stderr == *'nothing was read: all of this memory belongs to devices, the kernel or memfd_secret(2), or consists of guard pages; zeros were written instead'* ]]
	# The hexadecimal output has no zeros for bytes that were not read.
	run -1 --separate-stderr procmem dump --hex $$ '[vvar]'
	[[ $stderr == *'nothing was read: '*'guard pages'* && $stderr != *'zeros were written'* ]]
}

@test "no incomplete file is left if procmem is killed" {
	local folder=$BATS_TEST_TMPDIR/killed try dumper caught=
	target_start haystack 512
	mkdir "$folder"
	for ((try = 0; try < 50 && ${#caught} == 0; try++)); do
		rm -f "$folder"/*
		"$PROCMEM_BIN" dump -q -o "$folder/dump" "$TARGET_PID" all 3>&- &
		dumper=$!
		while kill -0 $dumper 2>/dev/null && [ -z "$caught" ]; do
			caught=$(find "/proc/$dumper/fd" -lname "$folder/*" -printf '%l\n' 2>/dev/null) || true
		done
		kill -KILL $dumper || true
		wait $dumper || true
		[ ! -e "$folder/dump" ] || caught=
	done
	[ -n "$caught" ]
	[[ $caught == *'(deleted)' ]] || skip 'this file system has no files without a name'
	[ -z "$(ls -A "$folder")" ]
}

@test "a file is written even without /proc" {
	unshare -m true 2>/dev/null || skip 'no right to mount'
	# A sanitizer reads /proc/self/maps when it starts.
	unshare -m bash -euc 'mount -t tmpfs none /proc; exec "$PROCMEM_BIN" --version' >/dev/null 2>&1 ||
		skip 'this build of the program does not start without /proc'
	local core=$BATS_TEST_TMPDIR/core folder=$BATS_TEST_TMPDIR/folder
	target_start exiter
	procmem dump -q --core -o "$core" "$TARGET_PID"
	mkdir "$folder"
	for ((i = 0; i < 2; i++)); do
		run -0 env folder="$folder" core="$core" range="$(target_range content)" unshare -m bash -euc '
			mount -t tmpfs none /proc
			"$PROCMEM_BIN" dump -q -o "$folder/bytes" "$core" "$range"'
		cmp "$folder/bytes" <(procmem dump "$core" "$(target_range content)")
		[ "$(ls -A "$folder")" = bytes ]
	done
}

# Without /proc, the file has a temporary name until it is complete, as on file systems without
# O_TMPFILE.
@test "signals that end procmem leave no temporary file" {
	unshare -m bash -euc 'mount -t tmpfs none /proc; exec "$PROCMEM_BIN" --version' >/dev/null 2>&1 ||
		skip 'no right to mount, or this build of the program does not start without /proc'
	local signal try dumper status caught core=$BATS_TEST_TMPDIR/core folder=$BATS_TEST_TMPDIR/folder
	target_start haystack 256
	procmem dump -q --core -o "$core" "$TARGET_PID"
	for signal in QUIT USR1; do
		caught=
		for ((try = 0; try < 50 && ${#caught} == 0; try++)); do
			rm -rf "$folder"
			mkdir "$folder"
			# bash ignores SIGQUIT in its background processes.
			folder=$folder core=$core env --default-signal unshare -m bash -euc '
				mount -t tmpfs none /proc
				exec "$PROCMEM_BIN" dump -q -o "$folder/bytes" "$core" all' 3>&- &
			dumper=$!
			while kill -0 $dumper 2>/dev/null && [ -z "$caught" ]; do
				caught=$(compgen -G "$folder/.bytes.*") || true
			done
			kill -$signal $dumper || true
			status=0
			wait $dumper || status=$?
			[ ! -e "$folder/bytes" ] || caught=
		done
		[ -n "$caught" ]
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		[ -z "$(ls -A "$folder")" ]
	done
}

@test "a full disk leaves no file" {
	target_start exiter
	mkdir "$BATS_TEST_TMPDIR/empty"
	run -2 bash -c 'ulimit -f 8; exec "$@"' bash \
		"$PROCMEM_BIN" dump -o "$BATS_TEST_TMPDIR/empty/bytes" "$TARGET_PID" "$(target_range content)"
	[[ $output == *'writing failed'* || $output == *'cannot write'* ]]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/empty")" ]
	run -2 procmem dump -o /dev/full "$TARGET_PID" "$(target_range content)"
	[ -c /dev/full ]
	run -2 procmem dump -o "$BATS_TEST_TMPDIR/none/bytes" "$TARGET_PID" "$(target_range content)"
	[[ $output == *'No such file or directory'* ]]
}

@test "--stop stops the process only while it is read, and reports for how long" {
	target_start busy 20
	run -0 --separate-stderr procmem dump --stop -o "$file" "$TARGET_PID" stack
	[[ $stderr =~ 'stopped for '[0-9.]+' ms ('[0-9]+' thread' ]]
	fails grep -q '^State:.*[tT] ' "/proc/$TARGET_PID/task/"*/status
	grep -q '^TracerPid:.0$' "/proc/$TARGET_PID/status"
}

@test "--stop names another process that shares the memory, which it cannot stop" {
	target_start sibling
	local sibling range
	sibling=$(target_fact sibling)
	range=$(target_range content)
	run -0 --separate-stderr procmem dump --stop -o "$file" "$TARGET_PID" "$range"
	[[ $stderr == *"process $sibling shares this memory and was not stopped: it may have changed the memory"* ]]
	# And the other way round.
	run -0 --separate-stderr procmem dump --stop -o "$file" "$sibling" "$range"
	[[ $stderr == *"process $TARGET_PID shares this memory and was not stopped"* ]]
	run -0 --separate-stderr procmem grep --stop -F 'content page 0' "$TARGET_PID" "$range"
	[[ $stderr == *"process $sibling shares this memory"* ]]
	run -0 --separate-stderr procmem shell -c stop "$TARGET_PID"
	[[ $stderr == *"process $sibling shares this memory"* ]]
	run -0 --separate-stderr procmem dump -q --stop -o "$file" "$TARGET_PID" "$range"
	[ -z "$stderr" ]
	targets_stop
	# A thread is not another process.
	target_start busy 3
	run -0 --separate-stderr procmem dump --stop -o "$file" "$TARGET_PID" stack
	[[ $stderr == *'(4 threads)'* && $stderr != *shares* ]]
}

@test "--stop reports that it is not known which processes share the memory" {
	target_start sibling
	local range
	range=$(target_range content)
	local why="cannot find out which processes share the memory of process $TARGET_PID: kcmp(2) is forbidden, as in some containers; if other processes share the memory, they were not stopped and may have changed it"
	local without=("$PROCMEM_TARGETS/without" kcmp "$PROCMEM_BIN")

	run -0 --separate-stderr "${without[@]}" dump --stop -o "$file" "$TARGET_PID" "$range"
	[[ $stderr == *"$why"* && $stderr != *'shares this memory'* ]]
	run -0 --separate-stderr "${without[@]}" grep --stop -F 'content page 0' "$TARGET_PID" "$range"
	[[ $stderr == *"$why"* ]]
	run -0 --separate-stderr "${without[@]}" shell -c stop "$TARGET_PID"
	[[ $stderr == *"$why"* ]]

	# The number of these processes is a field, which is missing if it is not known.
	run -0 --separate-stderr "${without[@]}" dump --stop --json -o "$file" "$TARGET_PID" "$range"
	jq -e 'has("stopped_us") and (has("sharing_processes") | not)' <<<"$output"
	run -0 --separate-stderr procmem dump --stop --json -o "$file" "$TARGET_PID" "$range"
	jq -e '.sharing_processes == 1' <<<"$output"
	run -0 --separate-stderr procmem dump --json -o "$file" "$TARGET_PID" "$range"
	jq -e 'has("sharing_processes") | not' <<<"$output"
}

@test "a traced process can be dumped, and --stop reports the tracer" {
	require strace
	target_start exiter
	strace -f -p "$TARGET_PID" -o /dev/null 2>"$BATS_TEST_TMPDIR/strace" 3>&- &
	local tracer=$!
	until grep -q attached "$BATS_TEST_TMPDIR/strace"; do :; done
	[ "$(procmem dump "$TARGET_PID" "$(target_range content)" | head -c 14 | tr -d '\0')" = 'content page 0' ]
	run -2 procmem dump --stop "$TARGET_PID" "$(target_range content)"
	[[ $output == *"traced by process $tracer (strace)"* ]]
	kill "$tracer"
	wait "$tracer" || true
}

@test "a process that ends during the dump is an error, also in a pipe" {
	target_start exiter
	start_blocked dump --raw "$TARGET_PID" all
	kill -KILL "$TARGET_PID"
	wait "$TARGET_PID" || true
	cat <&"$READER" >/dev/null
	local status=0
	wait "$BLOCKED" || status=$?
	[ "$status" = 2 ]
	[[ $(<"$BATS_TEST_TMPDIR/errors") == *'the output is incomplete'* ]]
}

@test "SIGTERM ends the dump, and the process continues" {
	target_start exiter
	start_blocked dump --raw "$TARGET_PID" all
	kill -TERM "$BLOCKED"
	local status=0
	wait "$BLOCKED" || status=$?
	[ "$status" -eq 2 ]
	target_tell map
}

@test "core files are dumped like processes" {
	require gcore
	target_start exiter
	gcore -o "$BATS_TEST_TMPDIR/core" "$TARGET_PID" >/dev/null 2>&1 || skip "gcore does not work here"
	local range core=$BATS_TEST_TMPDIR/core.$TARGET_PID
	range=$(target_range content)
	cmp <(procmem dump "$TARGET_PID" "$range") <(procmem dump "$core" "$range")
	procmem dump --hex "$core" "0x${range%-*}+16" | grep -qF '|content page 0..|'
	run -2 procmem dump --stop "$core" "$range"
}

@test "a debugger opens the core file of a stopped process: stacks of all threads, and memory" {
	require gdb
	target_start busy 3
	run -0 --separate-stderr procmem dump --core --stop -o "$file" "$TARGET_PID"
	[[ $stderr =~ 'stopped for '[0-9.]+' ms (4 threads)' ]]
	[ "$(stat -c %a "$file")" = 600 ]
	[ ! -e "$file.map" ]
	run -0 gdb -batch -nx -ex 'info threads' -ex 'thread apply all bt' "$PROCMEM_TARGETS/busy" "$file"
	[ "$(grep -c 'LWP' <<<"$output")" -ge 4 ]
	[[ $output == *' main ('* ]]
	targets_stop
	target_start exiter
	local range
	range=$(target_range content)
	run -0 --separate-stderr procmem dump --core -o "$file" "$TARGET_PID"
	[[ $stderr == *'--stop'* ]]
	run -0 gdb -batch -nx -ex "x/s 0x${range%-*}" "$PROCMEM_TARGETS/exiter" "$file"
	[[ $output == *'"content page 0"'* ]]
	cmp <(procmem dump "$TARGET_PID" "$range") <(procmem dump "$file" "$range")
	run -2 procmem dump --core "$TARGET_PID"
	run -2 procmem dump --respect-filter -o "$file" "$TARGET_PID" all
}

# kernel_core: ends the target, and sets CORE to the core file that the kernel writes.
kernel_core() {
	kill -ABRT "$TARGET_PID"
	wait "$TARGET_PID" || true
	CORE=$(find "$BATS_TEST_TMPDIR" -name 'core*')
	[ -n "$CORE" ]
}

kernel_core_prepare() {
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip 'the kernel passes core files to a program here'
	ulimit -c unlimited || skip 'no right to write core files'
	cd "$BATS_TEST_TMPDIR"
}

@test "--respect-filter keeps the first pages of programs and libraries, as the kernel does" {
	local start size bytes pages=0
	require eu-readelf
	kernel_core_prepare
	target_start exiter
	procmem dump -q --core --respect-filter -o ours "$TARGET_PID"
	kernel_core
	while read -r start size bytes; do
		procmem dump -q "$CORE" "$start+4096" >theirs.page
		[ "$(head -c 4 theirs.page | tr -d '\177')" = ELF ] || continue
		cmp theirs.page <(procmem dump -q ours "$start+4096")
		((bytes > 4096)) || pages=$((pages + 1))
	done < <(eu-readelf -l "$CORE" | awk '$1 == "LOAD" && $5 == "0x001000" { print $3, $5, $6 }')
	# The first mapping of the program is one page long.
	((pages > 0))
}

@test "core files describe the extended registers as the kernel does" {
	require eu-readelf readelf
	kernel_core_prepare
	target_start busy 1
	procmem dump -q --core --stop -o ours "$TARGET_PID"
	kernel_core
	for file in ours "$CORE"; do
		readelf -nW "$file" | grep -A 1 'LINUX.*(0x00000205)\|XSAVE_LAYOUT' >"$file.layout" || true
	done
	[ -s "$CORE.layout" ] || skip 'this kernel or processor has no NT_X86_XSAVE_LAYOUT'
	diff "$CORE.layout" ours.layout
}

@test "a user can dump own processes, and gets the reason for those of others" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	target_start exiter
	run -2 as_nobody dump "$TARGET_PID" "$(target_range content)"
	[[ $output == *'runs as root, but you are uid 65534'* ]]
	targets_stop
	local folder
	folder=$(mktemp -d /tmp/procmem-nobody.XXXXXX)
	cp "$PROCMEM_TARGETS/exiter" "$folder"
	chmod 755 "$folder"
	spawn setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --pdeathsig KILL -- "$folder/exiter"
	local line range
	line=$(target_await 'region content')
	target_await ready
	rm -r "$folder"
	range=${line#region content }
	run -0 as_nobody dump --hex "$TARGET_PID" "0x${range%%-*}+16"
	[[ $output == *'|content page 0..|'* ]]
	run -0 as_nobody dump --stop --hex "$TARGET_PID" "0x${range%%-*}+16"
}

@test "-o - means standard output" {
	target_start exiter
	local range
	range=$(target_range content)
	cd "$BATS_TEST_TMPDIR"
	procmem dump -o - "$TARGET_PID" "$range" >ours
	dd "if=/proc/$TARGET_PID/mem" bs=4096 iflag=skip_bytes,count_bytes "skip=$((0x${range%%-*}))" "count=$(stat -c %s ours)" of=theirs \
		status=none
	[ -s ours ]
	cmp ours theirs
	[ ! -e ./- ]
}

@test "wrong usage is an error" {
	target_start exiter
	run -2 procmem dump "$TARGET_PID"
	run -2 procmem dump --hex --raw "$TARGET_PID" all
	run -2 procmem dump --json "$TARGET_PID" all
	[[ $output == *'-o'* ]]
	run -2 procmem dump "$TARGET_PID" nonsense
	run -2 procmem dump -o '' "$TARGET_PID" all
	[[ $output == *'empty'* ]]
	run -2 procmem dump --core -o - "$TARGET_PID"
	[[ $output == *'cannot be written to a pipe'* ]]
	cp "/proc/$TARGET_PID/smaps" "$BATS_TEST_TMPDIR/smaps"
	run -2 procmem dump "$BATS_TEST_TMPDIR/smaps" all
	[[ $output == *'neither a process nor a core file'* ]]
}

@test "a named pipe without a reader: a note says what dump waits for, and an interrupt says so, too" {
	local pid
	target_start mapper
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	env --default-signal=INT "$PROCMEM_BIN" dump -o "$BATS_TEST_TMPDIR/pipe" "$TARGET_PID" stack 2>"$BATS_TEST_TMPDIR/errors" 3>&- &
	pid=$!
	until grep -q "note: waiting until another program reads the named pipe $BATS_TEST_TMPDIR/pipe" "$BATS_TEST_TMPDIR/errors"; do
		kill -0 "$pid"
		[ "$SECONDS" -lt 60 ] || { kill -KILL "$pid" && false; }
	done
	until [ "$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$pid/status")" = S ]; do
		kill -0 "$pid"
	done
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 2 ]
	tail -n 1 "$BATS_TEST_TMPDIR/errors" | grep -q 'interrupted while no program read the named pipe'
}

@test "--raw -o FILE writes the same file as -o FILE" {
	target_start values
	procmem dump -q -o "$BATS_TEST_TMPDIR/one" "$TARGET_PID" "$(target_range values)"
	procmem dump -q --raw -o "$BATS_TEST_TMPDIR/two" "$TARGET_PID" "$(target_range values)"
	cmp "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/two")" -eq 8192 ]
	run -2 procmem dump --hex -o "$BATS_TEST_TMPDIR/three" "$TARGET_PID" "$(target_range values)"
}
