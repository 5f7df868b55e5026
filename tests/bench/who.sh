# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154,SC2016 # run.sh reads this file and has set $scratch
# The time to find all users of a file. lsof reads the descriptors and maps of all processes, but not
# smaps, which who reads of those that map the file. Both exit with 1 if nothing uses the file.

chapter 'who: users of a file'

truncate -s 1M "$scratch/shared"
target_start sharer "read:$scratch/shared" children:199
versus 11 1.50 'a file that 200 processes map' lsof -t "$scratch/shared" -- procmem who "$scratch/shared"
versus 11 1.00 'a file that none of 200 processes uses' sh -c 'lsof -t /etc/hostname || [ $? -eq 1 ]' -- \
	sh -c 'procmem who /etc/hostname || [ $? -eq 1 ]'
