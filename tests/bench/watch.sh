# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $targets and $scratch
# What watching costs: CPU time (user and system) where nothing else is said, not wall time, for a look is taken beside the target's own
# work.

# cpu_ms FILE COMMAND...: CPU time that a command takes, as the kernel counts it; its output goes to a file.
cpu_ms() {
	# The shell's `time` knows the time of children, other than sh's.
	# shellcheck disable=SC2016 # bash expands that
	bash -c 'TIMEFORMAT="%U %S"; time "$@" >"$0"' "$@" 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}

# pmap_ms: CPU times of pmap -x on the target.
pmap_ms() {
	for _ in 1 2 3; do
		cpu_ms /dev/null pmap -x "$target"
	done
}

# looks COUNT INTERVAL: watches the target; prints the mean CPU time of a look in ms: that of the whole program, without what it says that
# the first three looks took, which find out what the regions are.
looks() {
	all=$(cpu_ms "$scratch/looks" procmem watch --json -i "$2" -c "$1" --budget 0 "$target")
	jq -s --argjson all "$all" 'map(select(.summary | not)) | ($all - ([.[:3][].cost_us] | add / 1000)) / (length - 3)' "$scratch/looks"
}

# a_look WHAT BOUND COUNT INTERVAL: a row that compares a look with pmap -x, which is run before and after.
a_look() {
	pmap_ms >"$scratch/pmap"
	ms=$(looks "$3" "$4")
	pmap_ms >>"$scratch/pmap"
	pmap=$(median <"$scratch/pmap")
	row "$1" 'pmap -x PID' "$(printf %.1f "$pmap") ms" "procmem watch -i $4" "$(printf %.2f "$ms") ms" \
		"$(awk "BEGIN { printf \"%.4f\", $ms / $pmap }")" "$2"
}

chapter 'watch: CPU time of a look'

target_start many_regions 60000 240
a_look '60,000 regions, unchanged: mean over two minutes, looks at all included' 0.02 60 2
target_start many_regions 60000 240 touch
a_look '60,000 regions, ten pages more for each look' 0.2 15 1
target_start many_regions 60000 240 map
a_look '60,000 regions, ten mappings more for each look' 0.2 15 1

chapter 'watch: what the target and the reader notice'

# How often it mapped, touched and unmapped so far.
churned() {
	echo tell >&4
	while read -r word count <&3; do
		[ "$word" != leaked ] || { echo "$count" && return; }
	done
}

# churns: how often in four seconds.
churns() {
	begin=$(churned)
	sleep 4
	echo $(($(churned) - begin))
}

# target_start() gives no stdin.
target_stop
rm -f "$scratch/output" "$scratch/input"
mkfifo "$scratch/output" "$scratch/input"
"$targets/leaker" churn 1 >"$scratch/output" <"$scratch/input" &
target=$!
exec 3<"$scratch/output" 4>"$scratch/input"
while read -r line <&3 && [ "$line" != ready ]; do :; done
for _ in 1 2 3 4 5; do
	alone=$(churns)
	procmem watch -i 1 --for 1h -q "$target" >/dev/null &
	watcher=$!
	watched=$(churns)
	kill "$watcher"
	wait "$watcher" || true
	echo "$alone $watched $(awk "BEGIN { print $alone / $watched }")"
done >"$scratch/churns"
exec 4>&-
row 'mmap, touch, munmap in a loop, so often in 4 s' 'unwatched' "$(cut -d ' ' -f 1 "$scratch/churns" | median)" 'procmem watch -i 1' \
	"$(cut -d ' ' -f 2 "$scratch/churns" | median)" "$(cut -d ' ' -f 3 "$scratch/churns" | median)" 1.1

# honest WHAT WORD...: a row that compares the printed cost with what the kernel says the whole program took.
honest() {
	what=$1
	shift
	took=$(cpu_ms "$scratch/looks" procmem watch --json "$@" "$target")
	told=$(jq 'select(.summary) | .cost_us / 1000' "$scratch/looks")
	row "$what" 'getrusage' "$(printf %.0f "$took") ms" "procmem watch $*" "$(printf %.0f "$told") ms" \
		"$(awk "BEGIN { a = $told; b = $took; printf \"%.2f\", (a > b ? a / b : b / a) }")" 2
}

target_start many_regions 60000 240 map
honest 'printed cost, 60,000 regions that change (the larger figure by the smaller)' -i 1 -c 10 --budget 0
target_start sample_server --leak --rate 2097152
honest 'the same, of a server that grows by 2 MB/s, with --peek' -i 0.5 -c 40 --peek 5
share=$(jq 'select(.summary) | .cost_us / 1e6 / .elapsed * 100' "$scratch/looks")
row 'CPU time of that, as a share of a core' '-' 'budget 1 %' 'procmem watch -i 0.5 --peek 5' "$(printf %.2f "$share") %" \
	"$(printf %.2f "$share")" 1

chapter 'watch: recordings'

# The test that makes up a day is not part of a release.
cmake --preset dev >/dev/null
cmake --build --preset dev --target recording_test -- --quiet >/dev/null
bytes=$(PROCMEM_WHOLE_DAY=1 build/dev/tests/recording_test 2>&1 | sed -n 's/^43200 samples: \([0-9]*\) bytes$/\1/p')
row '24 hours at 2 s, 250 regions of which some change each time (simulated)' '-' '50 MB' 'procmem watch --record' \
	"$(awk "BEGIN { printf \"%.1f\", $bytes / 1e6 }") MB" \
	"$(awk "BEGIN { printf \"%.2f\", $bytes / 50e6 }")" 1
