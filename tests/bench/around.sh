# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $targets, $target, $scratch and $pressure_bench
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
