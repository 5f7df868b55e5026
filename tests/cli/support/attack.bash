# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # status, output and stderr are set by run
# Typical runs of all commands on one target, and checks of each run, whatever the target does
# (`load support/attack`, after support/helper).

LOOKS='map dump strings grep heap leaks refs watch snap headroom cgroup ps diff stale'

# Sets the array `words` to a typical use of command $1 on process $2. Removes the files that it
# wrote before.
look_words() {
	local file=$BATS_TEST_TMPDIR/looked
	rm -f "$file" "$file.map" "$file.pmrec"
	case $1 in
	map) words=(map -a --why "$2") ;;
	dump) words=(dump -o "$file" "$2" all) ;;
	strings) words=(strings -n 8 "$2") ;;
	grep) words=(grep 'page [0-9]+' "$2") ;;
	watch) words=(watch -c 3 -i 0.1 --budget 0 --peek 3 "$2") ;;
	snap) words=(snap -o "$file.pmrec" "$2") ;;
	diff) words=(diff "$2" "$2") ;;
	# On a loaded machine, the stop can take longer than is allowed by default.
	refs) words=(refs --max-stop 0 "$2" 0x1000) ;;
	leaks) words=(leaks --max-stop 0 "$2") ;;
	stale) words=(stale --for 0.1s "$2") ;;
	headroom | cgroup | heap | ps) words=("$1" "$2") ;;
	esac
}

# Fails unless the program exits in time with a documented status, prints at most one error line,
# and prints no control characters.
assert_sound() {
	run --separate-stderr timeout -k 5 60 "$PROCMEM_BIN" "$@"
	[ "$status" -le 2 ] || { echo "$*: $status, $stderr" && false; }
	[[ $stderr != *Sanitizer* && $stderr != *'runtime error'* ]] || {
		echo "$*: $stderr"
		false
	}
	[ "$status" -ne 2 ] || [ "$(grep -vc '^procmem: note: ' <<<"$stderr")" -eq 1 ] || {
		echo "$*: $stderr"
		false
	}
	! grep -q '[[:cntrl:]]' <<<"${output//$'\t'/}$stderr" || {
		echo "$*: control characters"
		false
	}
}

# Fails if a thread of a process is stopped or traced.
assert_runs_free() {
	local state
	state=$(grep -hE '^(State|TracerPid):' "/proc/$1/task/"*/status | sort -u)
	[[ $state != *'T (stopped)'* && $state != *'t (tracing'* && $state == *"TracerPid:"*0 ]] || {
		echo "$state"
		false
	}
}
