# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set its variables
# What is around a process. Each section has a chapter of its own, and starts what it needs.

# within WHAT COMMAND MS MAX: prints a line with an upper bound in milliseconds.
within() {
	row "$1" '-' "$4 ms" "$2" "$3 ms" "$(ratio "$3" "$4")" 1
}

# of NAME: prints a figure of the last program that wrote $scratch/steps.
of() {
	sed -n "s/^$1 //p" "$scratch/steps"
}

# --- pressure ---

chapter 'pressure: one reading of all levels'
target_start many_regions 500 8
"$pressure_bench" "$target" >"$scratch/steps"
within "a process with 500 regions: $(of levels) levels" 'pm_pressure_read()' "$(of reading)" 5
within 'the first reading, which finds the cgroups' 'pm_pressure_open(), pm_pressure_read()' "$(of first)" 5
within 'compare, and apply the thresholds' 'pm_signs_find()' "$(of signs)" 1
[ -z "$(of log)" ] || within 'the log of the kernel' 'pm_oom_log_read()' "$(of log)" 5

target_start many_regions 60000 8
"$pressure_bench" "$target" >"$scratch/steps"
row 'a process with 60,000 regions, the first reading' '-' '-' 'pm_pressure_read()' "$(of first) ms" '-' -
within 'a process with 60,000 regions, further readings' 'pm_pressure_read()' "$(of reading)" 5
"$pressure_bench" >"$scratch/steps"
within "without a process: $(of levels) levels" 'pm_pressure_read()' "$(of reading)" 5
target_stop

# --- children ---

chapter 'around: watch of a process and 50 children, one of which grows'

# Starts 49 processes that sleep and one that grows, as children of one process. They read a FIFO, and
# end when it is closed.
target_stop
rm -f "$scratch/input"
mkfifo "$scratch/input"
bash -c 'for ((i = 0; i < 49; i++)); do sleep 600 & done
	"$1/leaker" merged 1048576 <"$2" >/dev/null & wait' - "$targets" "$scratch/input" &
target=$!
exec 4>"$scratch/input"

# The time of bash includes the program. Each second has 1000 ms; the bound is 1 % of them.
seconds=60
TIMEFORMAT='%U %S' bash -c 'time procmem watch --json -i 1 --for "$0s" --children "$1" >"$2"' \
	"$seconds" "$target" "$scratch/samples" 2>"$scratch/time"
share=$(awk -v seconds="$seconds" 'NF == 2 { printf "%.3f", ($1 + $2) / seconds * 100 }' "$scratch/time")
row '50 children, a sample each second: share of one core' 'the bound' '1 %' \
	'procmem watch --children -i 1' "$share %" "$share" 1

exec 4>&-
# shellcheck disable=SC2046 # a list of PIDs
kill $(cat "/proc/$target/task/$target/children") "$target" 2>/dev/null || true
wait "$target" 2>/dev/null || true
target=

# --- files in tmpfs ---

# The peer is `du`, which reads the same directories.
chapter 'around: files in tmpfs'

files=$(mktemp -d /dev/shm/procmem-bench.XXXXXX)
seq 100000 | split -l 1 -a 5 - "$files/"
target_start many_regions 140 16
versus 11 1.50 '100,000 files in /dev/shm' du -s "$files" -- procmem cgroup "$target"
# shellcheck disable=SC2154 # versus sets $ms
row 'time of that' '-' '500 ms' 'procmem cgroup PID' "$ms ms" "$(ratio "$ms" 500)" 1
rm -rf "$files"
target_stop
