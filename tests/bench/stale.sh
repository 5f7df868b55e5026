# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $targets and $scratch
# What `procmem stale` costs the target: the printed stall is compared with the longest pause that the
# target measures itself (tests/bench/pauses.c), the predicted stall with the printed one, and a
# reading with that of the kernel's text by cat.

# pauses_start MEGABYTES WAY: starts the target.
pauses_start() {
	target_stop
	rm -f "$scratch/output" "$scratch/input"
	mkfifo "$scratch/output" "$scratch/input"
	"$targets/../bench/pauses" "$@" >"$scratch/output" <"$scratch/input" &
	target=$!
	exec 3<"$scratch/output" 4>"$scratch/input"
	while read -r line <&3 && [ "$line" != ready ]; do :; done
}

# tell COMMAND: sends a command, and prints the number of its answer, in microseconds.
tell() {
	echo "$1" >&4
	while read -r word number <&3 && [ "$word" != "done" ]; do
		[ "$word" != us ] || echo "$number"
	done
}

# measure: measures once. Prints the longest pause of the target in as much time without stale, that
# during the measurement, the printed stall, its prediction, the median time of a reading, and the
# longest one.
measure() {
	tell reset
	sleep 1
	alone=$(tell report)
	tell reset
	procmem stale -q --yes --json --for 1s "$target" >"$scratch/stale.json" 3<&- 4>&-
	pause=$(tell report)
	jq -r --argjson alone "$alone" --argjson pause "$pause" '[.readings[].read_us] as $reads |
		[$alone, $pause, .stall_us, .predicted_stall_us, ($reads | sort | .[length / 2 | floor]),
		($reads | max)] | map(tostring) | join(" ")' "$scratch/stale.json"
}

# ms MICROSECONDS: prints milliseconds.
ms() {
	awk "BEGIN { printf \"%.2f ms\", $1 / 1000 }"
}

# figures NAME: measures five times. Sets the medians, in microseconds.
figures() {
	for _ in 1 2 3 4 5; do
		measure
	done >"$scratch/turns"
	alone=$(cut -d ' ' -f 1 "$scratch/turns" | median)
	pause=$(cut -d ' ' -f 2 "$scratch/turns" | median)
	stall=$(cut -d ' ' -f 3 "$scratch/turns" | median)
	predicted=$(cut -d ' ' -f 4 "$scratch/turns" | median)
	reading=$(cut -d ' ' -f 5 "$scratch/turns" | median)
	: >"$scratch/cat"
	for _ in 1 2 3 4 5; do
		begin=$(date +%s%N)
		cat "/proc/$target/smaps" >/dev/null
		echo $((($(date +%s%N) - begin) / 1000)) >>"$scratch/cat"
	done
	peer=$(median <"$scratch/cat")
}

# rows WHAT: prints the rows of a target. The longest pause can also be that of a reading, or that of
# another program which has the CPU, so it has no bound.
rows() {
	figures
	row "$1: longest pause of the target, and the stall that is printed" \
		"pause (without stale: $(ms "$alone"))" "$(ms "$pause")" 'stall' "$(ms "$stall")" \
		"$(ratio "$stall" "$pause")" -
	row "$1: predicted stall, and the stall" 'predicted' "$(ms "$predicted")" 'stall' \
		"$(ms "$stall")" "$(ratio "$stall" "$predicted")" 2
	row "$1: a reading" 'cat /proc/PID/smaps' "$(ms "$peer")" 'reading' "$(ms "$reading")" \
		"$(ratio "$reading" "$peer")" 2
	tell touch >/dev/null
	before=$(tell touch)
	procmem stale -q --yes --json --for 0.1s "$target" >"$scratch/stale.json" 3<&- 4>&-
	after=$(tell touch)
	row "$1: the target touches all of its memory" 'before' "$(ms "$before")" \
		'after the marks were removed' "$(ms "$after")" "$(ratio "$after" "$before")" -
}

chapter 'stale: what it costs the target'
pauses_start 1024 small
rows '1 GiB of small pages'
pauses_start 1024 huge
rows '1 GiB of huge pages'
pauses_start 480 60000
rows '60,000 regions'
exec 4>&-
target_stop
