# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $peak, $scratch and $standstill
# The time to read all memory, and the time for which a process is stopped. gcore writes every hole:
# 4 GiB of disk space in each turn.

# Prints the time for which the last command of milliseconds() stopped its target, according to its
# output.
stopped() {
	sed -n 's/.*stopped for \([0-9.]*\) ms.*/\1/p' "$scratch/printed"
}

# still COMMAND...: runs it, and prints its wall time, and the time for which the target was
# stopped, as seen by another process.
still() {
	"$standstill" "$target" "$@" 2>"$scratch/printed" || {
		cat "$scratch/printed" >&2
		exit 2
	}
}

# compare_column N: sets $peer and $ours to the medians of a column of the output of still(), and
# $share to the median of the ratios of all turns.
compare_column() {
	peer=$(cut -d ' ' -f "$1" "$scratch/peers" | median)
	ours=$(cut -d ' ' -f "$1" "$scratch/ours" | median)
	share=$(paste -d ' ' "$scratch/peers" "$scratch/ours" |
		awk -v at="$1" '{ printf "%.3f\n", $(at + 2) / $at }' | median)
}

chapter 'dump: reading all memory'

target_start bulk 1024 0 0 0
versus 11 0.70 '1 GiB of filled memory' \
	dd if=/proc/"$target"/mem of=/dev/null bs=1M skip=33554432 count=1024 status=none -- \
	procmem dump --raw "$target" 0x200000000000
row 'peak memory of that' '-' '-' 'procmem dump' "$((peak / 1024)) MiB" "$((peak / 1024))" 16

target_start bulk 64 4096 100 20
for _ in 1 2 3; do
	still gcore -o "$scratch/peer" "$target" >>"$scratch/peers"
	rm -f "$scratch"/peer.*
	still procmem dump --core --stop -o "$scratch/core" "$target" >>"$scratch/ours"
	rm -f "$scratch/core"
done
compare_column 1
row '64 MiB, and 100 MiB scattered over 4 GiB, to a core file' 'gcore -o FILE PID' "$peer ms" \
	'procmem dump --core --stop -o FILE PID' "$ours ms" "$share" 0.1
compare_column 2
row 'the process is stopped for' 'gcore -o FILE PID' "$peer ms" \
	'procmem dump --core --stop -o FILE PID' "$ours ms" "$share" 0.1

target_start bulk 0 1048576 64 0
tables=$(target_status VmPTE)
rss=$(target_status VmRSS)
ms=$(milliseconds procmem dump -o "$scratch/bytes" "$target" 0x200000000000)
row '64 MiB scattered over 1 TiB, to a sparse file' '-' '3 s' 'procmem dump -o FILE' "$ms ms" \
	"$(ratio "$ms" 3000)" 1
blocks=$(stat -c %b "$scratch/bytes")
row 'disk space of the file' '-' '64 MiB' 'procmem dump -o FILE' "$((blocks / 2048)) MiB" \
	"$(ratio "$blocks" 131072)" 1.1
after=$(target_status VmRSS) grown=$(($(target_status VmPTE) - tables))
row 'resident memory of the target, after to before' '-' "$rss kB" 'procmem dump -o FILE' "$after kB" \
	"$(ratio "$after" "$rss")" 1
row 'page tables of the target grow by' '-' '64 kB' 'procmem dump -o FILE' "$grown kB" \
	"$(ratio "$grown" 64)" 1
rm -f "$scratch/bytes"

target_start bulk 0 0 0 2000
milliseconds procmem dump --stop -o "$scratch/bytes" "$target" '[stack]' >/dev/null
row '2,000 threads are stopped for' '-' '150 ms' 'procmem dump --stop' "$(stopped) ms" \
	"$(ratio "$(stopped)" 150)" 1

# The signal arrives during the first GiB.
target_start bulk 1024 0 0 0
ms=$(milliseconds sh -c \
	"timeout -s INT 0.05 procmem dump --raw $target 0x200000000000 >/dev/null || [ \$? -eq 124 ]")
row 'after Ctrl-C it ends within' '-' '100 ms' 'procmem dump --raw PID' "$((ms - 50)) ms" \
	"$(ratio $((ms - 50)) 100)" 1
