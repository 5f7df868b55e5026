#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The HTML report of `procmem why`: of a live process, of recordings, and of `watch`. Its rows are compared with what the target logs.
# cli/browser checks reports in a browser.

setup() {
	load ../support/helper
	load ../support/curve
	page=$BATS_TEST_TMPDIR/out.html
	file=$BATS_TEST_TMPDIR/run.pmrec
}

teardown() {
	targets_stop
	cgroup_remove
	json_check
}

# report_rows [SECTION]: prints the rows of a section, or the names of the sections.
report_rows() {
	/usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/html_table.py" "$page" "$@"
}

@test "a report of a recording names cause, rate, limit and time" {
	target_start leaker merged 2097152 stepped
	record_seconds "$file" 20
	run -1 --separate-stderr procmem why --html "$page" "$file"
	[[ $output == "leaker ($TARGET_PID): "* ]]
	[ -z "$stderr" ]
	[ "$(stat -c %a "$page")" = 600 ]
	report_rows
	[[ $(report_rows) == findings*timeline*share*regions*changes*commands*unseen* ]]
	grep -F "<h1>leaker ($TARGET_PID)</h1>" "$page"
	# 2 MiB in each of 20 seconds.
	report_rows regions
	[[ $(report_rows regions | sed -n 2p) == *$'\t+40.0M\tsteady\t'* ]]
	[[ $(report_rows changes | sed -n 2p) == *$'\t+40.0M\t'* ]]
	grep -F 'steady' "$page"
	grep -E '(used up in|lasts) ' "$page"
	# The policy has hashes of the style and of the script.
	grep -E "Content-Security-Policy.*default-src 'none'" "$page"
	[ "$(grep -c "'sha256-" "$page")" -eq 1 ]
}

@test "a report of a living process, without the texts in its memory" {
	target_start leaker steps 8388608
	run --separate-stderr procmem why --for 2s --no-strings --html "$page" "$TARGET_PID"
	[ "$status" -le 1 ]
	report_rows regions | grep anon
	grep -F -e '--no-strings' "$page"
}

@test "one sample, and files of one moment, have no timeline" {
	target_start leaker merged 2097152 stepped
	procmem snap -q -o "$file" "$TARGET_PID"
	run --separate-stderr procmem why --html "$page" "$file"
	[ "$status" -le 1 ]
	report_rows regions | grep -q anon
	fails grep -q 'id="timeline"' "$page"
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	run --separate-stderr procmem why --html "$page" "$BATS_TEST_TMPDIR/smaps"
	[ "$status" -le 1 ]
	report_rows share
}

@test "names and texts of the process are text" {
	spawn /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/hostile_page.py" "$BATS_TEST_TMPDIR" \
		'</script><script>hacked=1</script>' "<img src=x: onerror='hacked=1'>" $'\xe2\x80\xae&quot;"\xff\xfe' \
		"$(head -c 100000 /dev/zero | tr '\0' '<')"
	target_await ready >/dev/null
	record_seconds "$file" 3
	run --separate-stderr procmem why --html "$page" "$file"
	[ "$status" -le 1 ]
	report_rows
	report_rows regions | grep -F 'script><script>hacked'
	fails grep -q '<script>hacked' "$page"
	fails grep -q '<img' "$page"
	fails grep -q $'\xe2\x80\xae' "$page"
	iconv -f UTF-8 -t UTF-8 "$page" >/dev/null
}

@test "the report is whole or absent, and replaces nothing but a file" {
	target_start leaker merged 2097152 stepped
	procmem snap -q -o "$file" "$TARGET_PID"
	cd "$BATS_TEST_TMPDIR"
	run -2 --separate-stderr procmem why --html missing/out.html "$file"
	[[ $stderr == *'missing/'* ]]
	mkdir folder
	run -2 --separate-stderr procmem why --html folder "$file"
	printf 'mine\n' >mine
	ln -s mine link
	run -2 --separate-stderr procmem why --html link "$file"
	[ "$(cat mine)" = mine ]
	run -2 --separate-stderr procmem why --html - "$file"
	[[ $stderr == *'--html needs a file'* ]]
	[ ! -e ./- ]
	local damage
	head -c 20000 "$file" >cut.pmrec
	run -2 --separate-stderr procmem why --html cut.html cut.pmrec
	[ ! -e cut.html ]
	for damage in 'time = 1e308 * number' 'time = 9e999' 'time = -1' 'rss = -1'; do
		cp "$file" cut.pmrec
		sqlite3 cut.pmrec "UPDATE sample SET $damage"
		run -2 --separate-stderr procmem why --html cut.html cut.pmrec
		[[ $stderr == *'is damaged: '* ]]
		[ ! -e cut.html ]
	done
	run -2 --separate-stderr procmem why --html /dev/full "$file"
	# A process that ends leaves no report.
	target_start exiter
	run -2 --separate-stderr procmem why --for 600s --html gone.html "$TARGET_PID" < <(printf 'exit\n' >&"$TARGET_IN")
	[ ! -e gone.html ]
	# A file that exists is replaced.
	printf 'old\n' >old.html
	chmod 644 old.html
	run --separate-stderr procmem why --html old.html "$file"
	[ "$status" -le 1 ]
	[ "$(stat -c %a old.html)" = 600 ]
	[[ $(head -c 15 old.html) == '<!DOCTYPE html>' || $(head -c 15 old.html) == '<!doctype html>' ]]
}

@test "watch --do why:FILE.html writes a report at the moment of the condition, and overwrites nothing" {
	target_start leaker merged 4194304
	echo mine >"$page"
	run -1 procmem watch --json -i 0.2 --budget 0 --on 'grow>4M/60s' --do "why:$page" --do exit "$TARGET_PID"
	[ "$(cat "$page")" = mine ]
	[ "$(stat -c %a "${page%.html}.2.html")" = 600 ]
	page=${page%.html}.2.html
	report_rows
	[[ $(report_rows) == *timeline*regions* ]]
	report_rows regions | sed -n 2p | grep anon
	jq -se --arg path "$page" 'map(select(.event == "condition"))[0].actions[0] | .action == "why" and .path == $path' <<<"$output"
}

@test "watch --do why:FILE.html writes the report before the kernel kills the process" {
	target_start hog
	cgroup_make $((160 << 20)) "$TARGET_PID"
	target_tell 'eat 10'
	"$PROCMEM_BIN" watch -q -i 0.2 --budget 0 --on 'headroom<50%' --do "why:$page" --do exit "$TARGET_PID" \
		>"$BATS_TEST_TMPDIR/watched" 3>&- &
	local watcher=$! status=0
	TARGETS+=("$watcher")
	target_tell 'eat 110'
	wait "$watcher" || status=$?
	[ "$status" -eq 1 ]
	kill -0 "$TARGET_PID"
	# The kernel has killed nothing, and knows the limit that the report names.
	fails grep -qs '^oom_kill [1-9]' "$GROUP_FOLDER"/memory.{oom_control,events}
	[ "$(stat -c %a "$page")" = 600 ]
	tr '\n' ' ' <"$page" | grep -q '>160\.0M<.*>the limit of its cgroup: [0-9.]*M left<'
	[ "$(report_rows regions | sed -n 2p | cut -f 2)" = anon ]
}

@test "-q prints nothing, and shows no content of the memory" {
	target_start leaker merged 2097152 stepped
	record_seconds "$file" 6
	run --separate-stderr procmem why -q --html "$page" "$file"
	[ "$status" -le 1 ]
	[ -z "$output$stderr" ]
	report_rows regions | sed -n 2p | grep -F '+12.0M'
}

@test "--no-strings hides the arguments, and commands quote names" {
	local name="$BATS_TEST_TMPDIR/a 'b' \$(c).pmrec"
	spawn /usr/bin/python3 -c 'import sys; print("ready", flush=True); sys.stdin.read()' --password=hunter2
	target_await ready >/dev/null
	procmem snap -q -o "$name" "$TARGET_PID"
	run --separate-stderr procmem why --html "$page" "$name"
	[ "$status" -le 1 ]
	grep -F -e '--password=hunter2' "$page"
	run --separate-stderr procmem why --no-strings --html "$page" "$name"
	[ "$status" -le 1 ]
	fails grep -F hunter2 "$page"
	# A shell reads the name of the file in the command as one word.
	local command
	command=$(sed -n 's/.*<code>\(procmem why --html report.html[^<]*\)<.*/\1/p' "$page" | head -n 1 |
		/usr/bin/python3 -c 'import html, sys; print(html.unescape(sys.stdin.read()), end="")')
	eval "set -- $command"
	[ "${*: -1}" = "$name" ]
}

@test "on a disk that is full, the report is absent and the old one remains" {
	[ "$EUID" -eq 0 ] || skip 'a small disk needs root'
	target_start leaker merged 2097152 stepped
	procmem snap -q -o "$file" "$TARGET_PID"
	mkdir "$BATS_TEST_TMPDIR/disk"
	run -2 --separate-stderr unshare -m sh -c 'mount -t tmpfs -o size=16k none "$1" || exit 77
		echo old >"$1/out.html"
		"$2" why --html "$1/out.html" "$3"
		status=$?
		ls -A "$1" >&3
		cat "$1/out.html" >&3
		exit $status' sh "$BATS_TEST_TMPDIR/disk" "$PROCMEM_BIN" "$file" 3>"$BATS_TEST_TMPDIR/left"
	[[ $stderr == *'No space left on device'* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/left")" = $'out.html\nold' ]
}
