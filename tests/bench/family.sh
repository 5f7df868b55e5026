# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $scratch and $family_bench
# The cost of keeping a family of processes up to date: CPU time of an update. An update each second
# must take less than 1 % of a CPU, which is 10 ms.

"$family_bench" 50 >"$scratch/family"
everything=$(awk '$1 == "list" { print $2 }' "$scratch/family")

# updating NAME WHAT BOUND: prints a line of family_bench, compared with the status of all processes.
updating() {
	ms=$(awk -v name="$1" '$1 == name { print $2 }' "$scratch/family")
	row "$2" 'status and command lines of all processes' "$everything ms" 'pm_family_update()' \
		"$ms ms" "$(ratio "$ms" "$everything")" "$3"
}

chapter 'families: CPU time of an update'
updating children 'a process and 50 children' 0.5
updating pids 'the same processes as a list: sizes alone' 0.5
updating follow 'a name that no process has: search by name' 0.5
ms=$(awk '$1 == "children" { print $2 }' "$scratch/family")
row '51 processes each second: share of a CPU' 'the bound of 1 %' '10 ms' 'pm_family_update()' \
	"$ms ms" "$(ratio "$ms" 10)" 1
