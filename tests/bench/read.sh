# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $scratch and $read_bench
# The cost of reading another process without processing the bytes: 1 GiB of filled memory, as
# multiples of the time of memcpy in our own memory. There is no bound: this is the lower limit of
# all other times.

"$read_bench" 7 >"$scratch/read"

# reading NAME WHAT BY: prints a line of read_bench: its milliseconds, and the ratio to memcpy.
reading() {
	# shellcheck disable=SC2046 # two words
	set -- "$1" "$2" "$3" $(awk -v name="$1" '
		$1 == "memcpy" { peer = $2 }
		$1 == name { print peer, $2, $4 }' "$scratch/read")
	row "$2" 'memcpy of 1 GiB' "$4 ms" "$3" "$5 ms" "$6" -
}

chapter 'reading: the library alone'
reading units1 '1 GiB, one thread' 'pm_plan_next(), pm_unit_read()'
reading units2 '1 GiB, two threads that take turns' 'pm_plan_next(), pm_unit_read()'
reading mem '1 GiB by /proc/PID/mem, 1 MiB per call' 'pread()'
reading nothing '1 GiB, only the plan, without reading' 'pm_plan_next()'
reading sparse '25,600 pages scattered over 64 GiB' 'pm_plan_next(), pm_unit_read()'
