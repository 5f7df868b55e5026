#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# HTML reports in a headless Chromium: of `why` and of `diff`, of usual and of hostile processes, and of long recordings. The checks
# are those of support/browser_check.py.

setup_file() {
	load support/helper
	load support/curve
	require chromium chromedriver pdftotext pdftoppm python3 sqlite3
	python_page=$PROCMEM_SOURCE/tests/cli/support/hostile_page.py

	# A process that leaks.
	target_start leaker merged 2097152 stepped
	record_seconds "$BATS_FILE_TMPDIR/leak.pmrec" 20
	report leak why "$BATS_FILE_TMPDIR/leak.pmrec"
	report live why --for 2s "$TARGET_PID"
	report diff diff "$BATS_FILE_TMPDIR/leak.pmrec@first" "$BATS_FILE_TMPDIR/leak.pmrec"

	# One whose names are scripts.
	spawn /usr/bin/python3 "$python_page" "$BATS_FILE_TMPDIR" '--name=</script><script>hacked=1</script>' \
		"<img src=x: onerror='hacked=1'>" $'\xe2\x80\xae&quot;"\xff\xfe' "$(head -c 100000 /dev/zero | tr '\0' '<')"
	target_await ready >/dev/null
	record_seconds "$BATS_FILE_TMPDIR/hostile.pmrec" 20
	report hostile why "$BATS_FILE_TMPDIR/hostile.pmrec"
	report hostile_diff diff "$BATS_FILE_TMPDIR/hostile.pmrec@first" "$BATS_FILE_TMPDIR/hostile.pmrec"

	# One that was recorded for half a day.
	cp "$BATS_FILE_TMPDIR/leak.pmrec" "$BATS_FILE_TMPDIR/long.pmrec"
	/usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/long_recording.py" "$BATS_FILE_TMPDIR/long.pmrec" 10000 300
	report long why "$BATS_FILE_TMPDIR/long.pmrec"
	targets_stop
}

setup() {
	load support/helper
}

# report NAME COMMAND...: writes a report.
report() {
	"$PROCMEM_BIN" "$2" --html "$BATS_FILE_TMPDIR/$1.html" "${@:3}" >/dev/null || [ $? -eq 1 ]
	[ -s "$BATS_FILE_TMPDIR/$1.html" ]
}

# look FILE CHECK...: prints what a check finds.
look() {
	timeout -k 5 200 /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/browser_check.py" "$@"
}

# look_at_all CHECK...
look_at_all() {
	local name
	for name in leak live diff hostile hostile_diff long; do
		look "$BATS_FILE_TMPDIR/$name.html" "$@" || { echo "in $name.html" && false; }
	done
}

@test "each check finds the defects of a page that has them" {
	local check
	export PROCMEM_AXE
	for check in quiet policy keyboard drag contrast print plain narrow; do
		run -1 look "$PROCMEM_SOURCE/tests/cli/support/defective_report.html" "$check"
		[[ $output == "$check: "* ]]
		[[ $output != *Traceback* ]]
	done
}

@test "nothing is on the console, nothing is requested, and no text of a process is a script" {
	look_at_all quiet
}

@test "the policy refuses scripts, styles and requests that are not of the report" {
	look_at_all policy
}

@test "the timeline can be used with keys alone, and by dragging" {
	local name
	for name in leak live hostile long; do
		look "$BATS_FILE_TMPDIR/$name.html" keyboard drag
	done
}

@test "texts can be read in both themes" {
	look_at_all contrast
}

@test "on paper, no page is half empty, and nothing is missing" {
	look_at_all print
}

@test "everything is drawn without scripts" {
	look_at_all plain
}

@test "a window of 390 pixels is enough" {
	look_at_all narrow
}

@test "axe-core finds no violations in both themes" {
	export PROCMEM_AXE=$PROCMEM_SOURCE/build/npm/node_modules/axe-core/axe.min.js
	[ -e "$PROCMEM_AXE" ] || skip 'axe-core was not fetched: no npm or no network'
	look_at_all axe
	run -1 look "$PROCMEM_SOURCE/tests/cli/support/defective_report.html" axe
	[[ $output == 'axe: '* ]]
}
