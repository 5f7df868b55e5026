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
