# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target and $peak
# The time of a listing. Most of the cost is that of the kernel: of 439 ms of `pmap -x`, 163 ms were
# measured in pmap itself.

columns=address,size,rss,perm,kind,mapping

chapter 'map: listing regions'

target_start many_regions 60000 240
versus 11 0.55 '60,000 regions, 240 MB, all sizes' pmap -x "$target" -- procmem map "$target"
row 'peak memory of that' '-' '-' 'procmem map PID' "$((peak / 1024)) MiB" "$((peak / 1024))" 40
versus 11 0.25 '60,000 regions, no sizes that need smaps' pmap -x "$target" -- procmem map -o $columns "$target"

target_start many_regions 10000 40
versus 11 0.55 '10,000 regions, 40 MB, all sizes' pmap -x "$target" -- procmem map "$target"

target_start many_regions 140 1024
versus 31 1.00 '140 regions, 1 GB, all sizes' pmap -x "$target" -- procmem map "$target"
