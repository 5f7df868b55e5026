#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/bench/run.sh [NAME]...
#
# Compares procmem with its peers in the same run, and writes docs/BENCHMARKS.md. Each file NAME.sh
# in this folder is a chapter. Without NAME it runs all chapters, and only then it writes the
# document. Exits with 1 if a bound is missed.
set -eu
began=$(date +%s)

cd "$(dirname "$0")/../.."
sh docs/setup.sh test
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
targets=$PWD/build/release/tests/targets
alternate=$PWD/build/release/tests/bench/alternate
# shellcheck disable=SC2034 # for the chapters
scan_bench=$PWD/build/release/tests/bench/scan_bench
# shellcheck disable=SC2034 # likewise
standstill=$PWD/build/release/tests/bench/standstill
# shellcheck disable=SC2034 # likewise
heap_bench=$PWD/build/release/tests/bench/heap_bench
# shellcheck disable=SC2034 # likewise
family_bench=$PWD/build/release/tests/bench/family_bench
# shellcheck disable=SC2034 # likewise
read_bench=$PWD/build/release/tests/bench/read_bench
# shellcheck disable=SC2034 # likewise
pressure_bench=$PWD/build/release/tests/bench/pressure_bench
# shellcheck disable=SC2034 # likewise
html_sample=$PWD/build/release/tests/bench/html_sample
PATH=$PWD/build/release/cmd:$PATH

scratch=$(mktemp -d)
target=
finish() {
	[ -z "$target" ] || kill "$target" 2>/dev/null || true
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
missed=0

# --- functions for the chapters ---

# target_start NAME ARGUMENT...: starts a program of tests/targets, and waits until it is ready.
# Sets $target to its PID. The lines that it prints before are in $scratch/facts.
target_start() {
	target_stop
	rm -f "$scratch/output"
	mkfifo "$scratch/output"
	name=$1
	shift
	"$targets/$name" "$@" >"$scratch/output" </dev/null &
	target=$!
	exec 3<"$scratch/output"
	: >"$scratch/facts"
	while IFS= read -r line <&3; do
		[ "$line" != ready ] || return 0
		echo "$line" >>"$scratch/facts"
	done
	echo "run.sh: $name did not start" >&2
	exit 2
}

target_stop() {
	[ -n "$target" ] || return 0
	kill "$target" 2>/dev/null || true
	wait "$target" 2>/dev/null || true
	target=
}

# chapter TITLE: starts a table.
chapter() {
	printf '\n## %s\n\n' "$1"
	echo '| what | peer | | procmem | | ratio | bound | |'
	echo '|---|---|--:|---|--:|--:|--:|---|'
}

# row WHAT PEER-COMMAND PEER-FIGURE COMMAND FIGURE RATIO BOUND: prints a line of the table. The
# ratio must not exceed the bound, unless the bound is -.
row() {
	verdict=ok
	if [ "$7" = - ]; then
		verdict=
	elif ! awk "BEGIN { exit !($6 <= $7) }"; then
		verdict='**missed**'
		missed=$((missed + 1))
	fi
	echo "| $1 | \`$2\` | $3 | \`$4\` | $5 | $6 | $7 | $verdict |"
}

# shown COMMAND...: prints a command for the table: without the paths of the run, with PID for the
# target, and without the part that accepts the status for "nothing found".
shown() {
	echo "$*" | sed "s| 2>$scratch/report||g; s|$scratch/||g; s|/proc/$target/|/proc/PID/|g; s| $target\\b| PID|g
		s/\\bsh -c //g; s/ || \\[ [^]]*]//g; s/|/\\\\|/g"
}

# versus RUNS BOUND WHAT PEER-COMMAND... -- COMMAND...: measures both in turns; ratio = ours / peer.
# Sets $peak to our peak memory (KiB).
versus() {
	runs=$1 bound=$2 what=$3
	shift 3
	"$alternate" "$runs" "$@" >"$scratch/measured" || exit 2
	# shellcheck disable=SC2034 # the peaks are for chapters
	read -r peer_ms peer_peak ms peak ratio <"$scratch/measured"
	commands=$(shown "$@")
	row "$what" "${commands%% -- *}" "$peer_ms ms" "${commands#* -- }" "$ms ms" "$ratio" "$bound"
}

# target_status KEY: prints a number of /proc/PID/status of the target, in kB.
target_status() {
	awk -v key="$1:" '$1 == key { print $2 }' "/proc/$target/status"
}

# median: prints the median of the numbers on stdin.
median() {
	sort -g | awk '{ number[NR] = $1 } END { print number[int((NR + 1) / 2)] }'
}

# milliseconds COMMAND...: runs it, and prints its wall time.
milliseconds() {
	begin=$(date +%s%N)
	"$@" >"$scratch/printed" 2>&1 || return 2
	echo $((($(date +%s%N) - begin) / 1000000))
}

# ratio A B: prints A / B.
ratio() {
	awk "BEGIN { printf \"%.3f\", $1 / $2 }"
}

# --- the document ---

header() {
	echo '# Benchmarks'
	echo
	cat <<-'END'
		Written by `sh tests/bench/run.sh`. Every line compares procmem with a peer in the same run, with the
		output to /dev/null. If there is no peer, the second column is the bound. Commands take turns. Times
		are medians; the ratio is the median over all turns of procmem / peer, so procmem is faster below 1.
		The bounds are goals: a missed one is marked, and `-` means that there is none.

	END
	echo "Linux $(uname -r), $(nproc) CPUs" \
		"($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1))," \
		"$(pmap --version), $(procmem --version | head -n 1)."
	echo "Load average at the start: $(cut -d ' ' -f 1 /proc/loadavg)." \
		'(procmem parses on one CPU while the kernel writes on another. On a'
	echo 'busy machine it waits for both, and the ratios get worse.)'
}

whole=no
if [ $# -eq 0 ]; then
	whole=yes
	set -- map read dump scan watch ps family around stale who heap trace why html
fi
header >"$scratch/document"
for name; do
	# A chapter prints its tables. It uses the functions and variables of this file.
	# shellcheck source=/dev/null
	. "tests/bench/$name.sh" >>"$scratch/document"
	target_stop
done
seconds=$(($(date +%s) - began))
printf '\nThe run took, with the build, %d min %d s.\n' $((seconds / 60)) $((seconds % 60)) >>"$scratch/document"
cat "$scratch/document"
[ $whole = no ] || cp "$scratch/document" docs/BENCHMARKS.md
if [ $missed -gt 0 ]; then
	echo "run.sh: $missed missed bounds" >&2
	exit 1
fi
