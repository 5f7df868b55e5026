# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $peak and $scratch
# How long reading everything takes, and for how long a process stands still. gcore writes out every hole: it gets one turn, and 5 GiB of disk.

# For how long the last command that milliseconds() ran says to have stopped its target.
stopped() {
	sed -n 's/.*stopped for \([0-9.]*\) ms.*/\1/p' "$scratch/said"
}

chapter 'dump: reading all'

target_start bulk 1024 0 0 0
versus 11 0.70 '1 GiB of filled memory' dd if=/proc/"$target"/mem of=/dev/null bs=1M skip=33554432 count=1024 status=none -- \
	procmem dump --raw "$target" 0x200000000000
row 'peak memory of that' '-' '-' 'procmem dump' "$((peak / 1024)) MiB" "$((peak / 1024))" 16

target_start bulk 64 4096 100 20
gcore_ms=$(milliseconds gcore -o "$scratch/peer" "$target")
rm -f "$scratch"/peer.*
ms=$(milliseconds procmem dump --core --stop -o "$scratch/core" "$target")
row '64 MiB, and 100 MiB scattered over 4 GiB, to a core file' 'gcore PID' "$gcore_ms ms" 'procmem dump --core --stop' "$ms ms" \
	"$(ratio "$ms" "$gcore_ms")" 0.1
row 'for so long it is stopped' 'gcore PID' "$gcore_ms ms" 'procmem dump --core --stop' "$(stopped) ms" "$(ratio "$(stopped)" "$gcore_ms")" 0.1
rm -f "$scratch/core"

target_start bulk 0 1048576 64 0
tables=$(awk '/VmPTE/ { print $2 }' "/proc/$target/status")
rss=$(awk '/VmRSS/ { print $2 }' "/proc/$target/status")
ms=$(milliseconds procmem dump -o "$scratch/bytes" "$target" 0x200000000000)
row '64 MiB scattered over 1 TiB, to a sparse file' '-' '3 s' 'procmem dump -o FILE' "$ms ms" "$(ratio "$ms" 3000)" 1
blocks=$(stat -c %b "$scratch/bytes")
row 'room that the file takes' '-' '64 MiB' 'procmem dump -o FILE' "$((blocks / 2048)) MiB" "$(ratio "$blocks" 131072)" 1.1
row 'resident memory of the target, after to before' '-' "$rss kB" 'procmem dump -o FILE' "$(awk '/VmRSS/ { print $2 }' "/proc/$target/status") kB" \
	"$(ratio "$(awk '/VmRSS/ { print $2 }' "/proc/$target/status")" "$rss")" 1
row 'its page tables grow by' '-' '64 kB' 'procmem dump -o FILE' "$(($(awk '/VmPTE/ { print $2 }' "/proc/$target/status") - tables)) kB" \
	"$(ratio "$(($(awk '/VmPTE/ { print $2 }' "/proc/$target/status") - tables))" 64)" 1
rm -f "$scratch/bytes"

target_start bulk 0 0 0 2000
milliseconds procmem dump --stop -o "$scratch/bytes" "$target" '[stack]' >/dev/null
row '2,000 threads are stopped for' '-' '150 ms' 'procmem dump --stop' "$(stopped) ms" "$(ratio "$(stopped)" 150)" 1
