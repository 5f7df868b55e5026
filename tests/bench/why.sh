# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $scratch and $standstill
# What `procmem why` costs. There is no peer: the bounds are 35 s of time, and 0.3 s of CPU time and 1.5 s more per GiB of malloc memory.
# The cases: $WHY_CHUNKS chunks (tests/bench/chunks.c), 16 million by default, which are about 1.2 GiB; and half as many, of which a thousand
# are replaced in each tenth of a second, and 500 are added per second (tests/targets/multitude.c).

# why_case NAME: measures the target.
why_case() {
	gibibytes=$(awk "BEGIN { printf \"%.2f\", $(target_status VmRSS) / 1048576 }")
	rss=$(target_status VmRSS)
	why_began=$(date +%s%N)
	stopped=$("$standstill" "$target" sh -c "procmem why --json --for 30s $target >$scratch/why || [ \$? -eq 1 ]" \
		2>"$scratch/report" | cut -d ' ' -f 2)
	ms=$((($(date +%s%N) - why_began) / 1000000))
	cpu=$(jq '.cost.cpu_percent * .seconds * 10 | round' "$scratch/why")
	bound=$(awk "BEGIN { printf \"%d\", 300 + 1500 * $gibibytes }")
	grown=$(($(target_status VmRSS) - rss))
	row "$1: time, $gibibytes GiB" '-' '35000 ms' 'procmem why --for 30s PID' "$ms ms" "$(ratio "$ms" 35000)" 1
	row "$1: CPU time" '-' "$bound ms" 'procmem why --for 30s PID' "$cpu ms" "$(ratio "$cpu" "$bound")" 1
	row "$1: time for which the process is stopped" '-' 0 'procmem why --for 30s PID' "$stopped ms" "$stopped" 0
}

# why_still: the target does not change, so all that it gains is because of procmem.
why_still() {
	row "$1: memory that the process gained" '-' '64 KiB' 'procmem why --for 30s PID' "$grown KiB" "$(ratio "$grown" 64)" 1
}

chapter 'why: 30 seconds on a large process'
target_start ../bench/chunks "${WHY_CHUNKS:-16000000}"
why_case 'idle chunks'
why_still 'idle chunks'
target_stop
target_start multitude "$((${WHY_CHUNKS:-16000000} / 2))" 500
why_case 'busy chunks'
