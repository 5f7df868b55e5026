# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target
# The time to list many processes. Both programs read stat, status and cmdline of each one. The limit
# of the cgroup is read in addition, once for each cgroup.

columns=pid,ppid,user,rss,command

chapter 'ps: listing processes'

target_start ../bench/crowd 2000
versus 11 1.60 '2,000 processes' ps -eo pid,ppid,user,rss,args -- procmem ps --csv -o $columns
versus 11 3.00 'with the limit of their cgroups' ps -eo pid,user,nlwp,rss,args -- procmem ps --csv
versus 11 1.60 'as a tree' ps -eo pid,ppid,user,rss,args --forest -- procmem ps --csv --tree -o $columns
versus 5 - 'sums of PSS, by program' ps -eo pid,rss,args -- procmem ps --csv --by program
