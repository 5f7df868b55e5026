#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: tests/fuzz.sh [--build FOLDER] [--jobs N] DURATION [TARGET]...
#        tests/fuzz.sh [--build FOLDER] --merge [TARGET]...
#
# Fuzzes each target of tests/fuzz/ for DURATION (30s, 10m, 2h) with libFuzzer and the sanitizers,
# one target per core at a time. Starts from tests/fuzz/corpus/TARGET and from the inputs that
# earlier runs found. Prints seconds, executions, and the code coverage with the corpus alone -> at
# the end. The files are:
# - BUILD/found/TARGET: the inputs found
# - BUILD/found/TARGET.log: the output of libFuzzer
# - BUILD/found/TARGET.finding-*: an input that is a finding: a crash, an assertion, a leak, more
#   than 25 seconds or more than 2 GiB
#
# Exits with 1 if there was a finding.
#   --merge  adds found inputs to tests/fuzz/corpus: as few as are needed to reach the code that
#            the corpus does not reach
set -u

usage() {
	sed -n 's/^# usage: /usage: /p; s/^#        tests/       tests/p' "$0" >&2
	exit 2
}

cd "$(dirname "$0")/.." || exit 2
build=build/fuzz jobs=$(nproc) seconds='' merge=no targets=()
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=${2:?} && shift ;;
	--jobs) jobs=${2:?} && shift ;;
	--merge) merge=yes ;;
	[0-9]*s) seconds=${1%s} ;;
	[0-9]*m) seconds=$((${1%m} * 60)) ;;
	[0-9]*h) seconds=$((${1%h} * 3600)) ;;
	-*) usage ;;
	*) targets+=("$1") ;;
	esac
	shift
done
[ -n "$seconds" ] || [ $merge = yes ] || usage
if [ ${#targets[@]} -eq 0 ]; then
	for folder in tests/fuzz/corpus/*; do targets+=("${folder##*/}"); done
fi
for target in "${targets[@]}"; do
	[ -x "$build/tests/fuzz/fuzz_$target" ] || {
		echo "fuzz: $build/tests/fuzz/fuzz_$target does not exist" >&2
		exit 2
	}
done
found=$build/found

# Prints the coverage from the last line of the log that contains a word.
coverage() {
	sed -n "s/^#.*$1.* cov: \([0-9]*\) .*/\1/p" "$found/$target.log" | tail -n 1
}

# Fuzzes $target, and prints the result in one line.
run_one() {
	local begin=$SECONDS status executions finding
	mkdir -p "$found/$target"
	rm -f "$found/$target".finding-*
	"$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=25 \
		-rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/$target.finding-" \
		"$found/$target" "tests/fuzz/corpus/$target" >"$found/$target.log" 2>&1 </dev/null &
	# The shell runs a trap only after a foreground program has ended: hence the background.
	trap 'kill $!; exit 143' TERM
	wait $!
	status=$?
	executions=$(sed -n 's/^stat::number_of_executed_units: //p' "$found/$target.log")
	finding='no finding'
	[ $status -eq 0 ] || finding="A FINDING (status $status): $found/$target.log"
	# Slow inputs are reported, but they are not findings.
	rm -f "$found/$target".finding-slow-unit-*
	printf '%-10s %5d s %12d executions, coverage %s -> %s, %s\n' "$target" \
		$((SECONDS - begin)) "${executions:-0}" "$(coverage INITED)" "$(coverage '')" \
		"$finding"
	[ $status -eq 0 ]
}

merge_one() {
	local corpus=tests/fuzz/corpus/$target before
	before=$(find "$corpus" -type f | wc -l)
	[ -d "$found/$target" ] || return 0
	"$build/tests/fuzz/fuzz_$target" -set_cover_merge=1 -use_counters=0 "$corpus" \
		"$found/$target" >"$found/$target.log" 2>&1 || return 1
	printf '%-10s %d -> %d files, %d KiB\n' "$target" "$before" \
		"$(find "$corpus" -type f | wc -l)" "$(($(cat "$corpus"/* | wc -c) / 1024))"
}

result=0
if [ $merge = yes ]; then
	for target in "${targets[@]}"; do merge_one || result=1; done
	exit $result
fi
# Ctrl-C also reaches the fuzzers.
trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
running=0
for target in "${targets[@]}"; do
	if [ $running -ge "$jobs" ]; then
		wait -n || result=1
		running=$((running - 1))
	fi
	run_one &
	running=$((running + 1))
done
while [ $running -gt 0 ]; do
	wait -n || result=1
	running=$((running - 1))
done
exit $result
