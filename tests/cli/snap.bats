#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem snap -l`: the samples of a recording, compared with the output of the commands that added them. diff.bats tests the rest of `snap`.

setup() {
	load support/helper
	recording=$BATS_TEST_TMPDIR/a.pmrec
	target_start grower
}

teardown() {
	targets_stop
	json_check
}

@test "-l lists each sample with totals and with what is recorded of its regions" {
	require jq
	procmem snap -q -o "$recording" "$TARGET_PID"
	# One more region, and one watched region that does not change between the two samples.
	target_tell 'map extra 300'
	procmem watch --json -i 0.1 -c 2 --record "$recording" "$TARGET_PID" >"$BATS_TEST_TMPDIR/seen"
	target_tell 'unmap extra'
	run -0 procmem snap --json -o "$recording" "$TARGET_PID"
	local last=$output
	run -0 --separate-stderr procmem snap --list --json "$recording"
	[ -z "$stderr" ]
	jq -e --arg file "$recording" --argjson pid "$TARGET_PID" '.path == $file and .pid == $pid and (.command | contains("grower"))
		and [.samples[].sample] == [1, 2, 3, 4] and [.samples[].holds] == ["all", "rss", "totals", "all"]' <<<"$output"
	# The list has the values that watch and snap printed.
	local figures='[.time, .rss, .count]'
	[ "$(jq -c ".samples[1:3][] | $figures" <<<"$output")" = "$(jq -c "select(.summary | not) | $figures" "$BATS_TEST_TMPDIR/seen")" ]
	[ "$(jq -c ".samples[3] | $figures" <<<"$output")" = "$(jq -c "$figures" <<<"$last")" ]
	jq -e '.samples[1].count == .samples[0].count + 1 and .samples[3].count == .samples[0].count' <<<"$output"
	local number
	for number in 1 2 3 4; do
		run -0 procmem map --json "$recording@$number"
		[ "$(jq '.regions | length' <<<"$output")" = "$(procmem snap -l --json "$recording" | jq ".samples[$number - 1].count")" ]
	done
}

@test "-l prints a table with times that diff accepts" {
	procmem watch -q -i 0.1 -c 2 --record "$recording" "$TARGET_PID" >/dev/null
	procmem snap -q -o "$recording" "$TARGET_PID"
	# The sample in the argument does not matter: all are listed.
	run -0 procmem snap -lb "$recording@2"
	[[ ${lines[0]} == "grower ($TARGET_PID) on host "*", $recording, 3 samples over 0."*'s   '*grower* ]]
	[[ ${lines[1]} =~ ^SAMPLE\ TIME\ +RSS\ +SWAP\ +THREADS\ +REGIONS\ HOLDS$ ]]
	[[ ${lines[2]} =~ ^\ +1\ 20[0-9T:.-]+Z\ +[0-9]{6,}\ .*\ RSS\ and\ swap$ ]]
	[[ ${lines[3]} == *' totals only' && ${lines[4]} == *' all sizes' && ${lines[5]} == *'total 3 samples' ]]
	read -r _ time _ <<<"${lines[4]}"
	run -0 procmem map "$recording@$time"
	[[ $output == *", sample 3 of $recording, $time "* ]]
}

@test "-l requires a recording" {
	run -2 --separate-stderr procmem snap -l "$BATS_TEST_TMPDIR/none"
	[[ $stderr == *'No such file'* ]]
	echo 'no database at all' >"$recording"
	run -2 --separate-stderr procmem snap -l "$recording"
	[[ $stderr == *'is not a recording of procmem' ]]
	run -2 --separate-stderr procmem snap -l -o "$recording" "$TARGET_PID"
	[[ $stderr == *'--list and --output cannot be combined: -l reads a recording, and -o writes one' ]]
	run -2 --separate-stderr procmem snap "$TARGET_PID"
	[[ $stderr == *'-o FILE is missing'* ]]
}

@test "a recording can be read while it is written, after its writer was killed, and without the log" {
	local writer i words copy=$BATS_TEST_TMPDIR/copy/run.pmrec
	target_start leaker merged 1048576
	"$PROCMEM_BIN" watch -q -i 0.1 --record "$recording" "$TARGET_PID" >"$BATS_TEST_TMPDIR/summary" 3>&- &
	writer=$!
	for ((i = 0; i < 200 && $(procmem snap -l "$recording" 2>/dev/null | wc -l) < 6; i++)); do
		sleep 0.05
	done
	for words in "map --by kind $recording" "diff $recording@first $recording" "watch $recording" "shell -c map $recording"; do
		# 1: diff found a difference, if the target has grown already.
		run --separate-stderr procmem $words
		[[ $status -le 1 && $output == *'leaker'* ]]
	done
	# A reader can delay the checkpoint of the log into the file for a while.
	mkdir "$BATS_TEST_TMPDIR/copy"
	for ((i = 0; i < 200; i++)); do
		cp "$recording" "$copy"
		! procmem map "$copy@first" >/dev/null 2>&1 || break
		sleep 0.05
	done
	run -0 procmem map "$copy@first"
	[[ $output == *'sample 1 '* ]]
	kill -KILL "$writer"
	wait "$writer" || true
	[ -e "$recording-wal" ]
	run -0 procmem watch "$recording"
	[[ $output == *'leaker'* ]]
}

@test "a recording without read permission is not taken for a process" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	local folder words
	folder=$(mktemp -d /tmp/procmem-nobody.XXXXXX)
	chmod 755 "$folder"
	procmem snap -q -o "$folder/closed" "$TARGET_PID"
	for words in watch map 'snap -l'; do
		run -2 --separate-stderr as_nobody $words "$folder/closed"
		echo "$stderr"
		[[ $stderr == *"cannot open $folder/closed: Permission denied"* ]] || { rm -r "$folder" && false; }
	done
	rm -r "$folder"
}

# Prints the commands that write a file, one per line, with $1 as the file.
writers() {
	printf '%s\n' "snap -o $1 $TARGET_PID" "watch -q -c 2 -i 0.1 --record $1 $TARGET_PID" \
		"dump -o $1 $TARGET_PID all" "dump --core -o $1 $TARGET_PID"
}

@test "a limit on the size of files is an error that names it, and leaves no file" {
	local words blocks
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	for blocks in 1 8 32; do
		while IFS= read -r words; do
			# shellcheck disable=SC2016,SC2086 # words
			run -2 --separate-stderr bash -c 'ulimit -f "$1"; shift; exec "$@"' bash "$blocks" "$PROCMEM_BIN" $words
			[[ $stderr == *"files of up to $((blocks * 1024)) bytes"*'ulimit -f'* && $stderr != *'earlier samples'* ]]
			[ -z "$(ls -A)" ]
		done < <(writers new)
		# shellcheck disable=SC2016
		run -2 --separate-stderr bash -c 'ulimit -f "$1"; exec "$2" shell -c "snap -o new" "$3"' bash "$blocks" "$PROCMEM_BIN" "$TARGET_PID"
		[[ $stderr == *'ulimit -f'* ]]
		[ -z "$(ls -A)" ]
	done
}

@test "a limit on the size of files keeps the samples that a recording has" {
	local added=1
	procmem snap -q -o "$recording" "$TARGET_PID"
	ulimit -f $(($(stat -c %s "$recording") / 1024 + 8))
	while procmem snap -q -o "$recording" "$TARGET_PID" 2>"$BATS_TEST_TMPDIR/why"; do
		added=$((added + 1))
		[ "$added" -lt 1000 ]
	done
	[[ $(cat "$BATS_TEST_TMPDIR/why") == *'earlier samples remain readable' ]]
	run -0 procmem snap -l "$recording"
	[[ $output == *"total $added sample"* ]]
}

@test "a recording whose last write was interrupted is described, and can be restored" {
	procmem snap -q -o "$recording" "$TARGET_PID"
	/usr/bin/python3 - "$recording" "$BATS_TEST_TMPDIR/cut.pmrec" <<-'END'
		import shutil, sqlite3, sys
		source, copy = sys.argv[1:]
		database = sqlite3.connect(source, isolation_level=None)
		database.execute("PRAGMA cache_size = 1")
		database.execute("BEGIN IMMEDIATE")
		for i in range(500):
		    database.execute("INSERT INTO text (value) VALUES (?)", (str(i) * 500,))
		shutil.copy(source, copy)
		shutil.copy(source + "-journal", copy + "-journal")
	END
	for words in 'map' 'snap -l' 'watch'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem $words "$BATS_TEST_TMPDIR/cut.pmrec"
		[[ $stderr == *"cut.pmrec: its last write was interrupted;"*"'sqlite3 $BATS_TEST_TMPDIR/cut.pmrec .tables'"* ]]
	done
	sqlite3 "$BATS_TEST_TMPDIR/cut.pmrec" .tables
	run -0 procmem snap -l "$BATS_TEST_TMPDIR/cut.pmrec"
	[[ $output == *'total 1 sample' ]]
}

@test "a small file that is not a recording is not changed" {
	local size
	for size in 1 2 14 15 99 511; do
		head -c "$size" /dev/zero | tr '\0' x >"$recording"
		for words in "snap -o $recording" "watch -c 1 -i 0.1 --record $recording" "headroom --from $recording"; do
			# shellcheck disable=SC2086
			run -2 --separate-stderr procmem $words "$TARGET_PID"
			[[ $stderr == *'is not a recording of procmem' ]]
		done
		[ "$(tr -d x <"$recording" | wc -c)" -eq 0 ]
		[ "$(stat -c %s "$recording")" -eq "$size" ]
	done
	: >"$recording"
	run -2 --separate-stderr procmem headroom --from "$recording" "$TARGET_PID"
	[[ $stderr == *'is not a recording of procmem' ]]
}

@test "a word that names a file which is not a recording is reported so" {
	cd "$BATS_TEST_TMPDIR"
	: >t.pmrec
	echo foreign >other
	for file in t.pmrec other; do
		for command in watch headroom; do
			run -2 --separate-stderr procmem "$command" "$file"
			[[ $stderr == *"$file is a file, not a living process, and is neither a recording nor a core file: "* ]]
		done
	done
}

@test "each command says whether a process without memory is a zombie or a kernel thread" {
	local words
	target_start zombie_parent
	for words in "snap -o $recording" headroom 'watch -c 1' map; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem $words "$(target_fact zombie)"
		[[ $stderr == *'it is a zombie and has no memory; its parent '* ]]
		[ "$(cat /proc/2/comm)" = kthreadd ] || continue
		# shellcheck disable=SC2086
		run -2 --separate-stderr procmem $words 2
		[[ $stderr == *'it is a kernel thread and has no memory'* ]]
	done
}
