# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $scratch and $alternate
# What is around a process: 100,000 files in tmpfs. The peer is `du`, which reads the same directories.

chapter 'around: files in tmpfs'

files=$(mktemp -d /dev/shm/procmem-bench.XXXXXX)
seq 100000 | split -l 1 -a 5 - "$files/"
target_start many_regions 140 16
versus 11 1.50 '100,000 files in /dev/shm' du -s "$files" -- procmem cgroup "$target"
# shellcheck disable=SC2154 # versus sets $ms
row 'time of that' '-' '500 ms' 'procmem cgroup PID' "$ms ms" "$(ratio "$ms" 500)" 1
rm -rf "$files"
