# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $targets and $scratch
# The cost of commands that look around a process: its children, its cgroup.

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
