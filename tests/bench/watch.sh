# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $targets and $scratch
# The cost of watch: CPU time (user and system) unless stated otherwise. Wall time does not matter,
# because watch runs concurrently with the target.

# cpu_ms FILE COMMAND...: prints the CPU time of a command, as counted by the kernel. The output of
# the command goes to FILE.
cpu_ms() {
	# `time` of bash includes the children.
	# shellcheck disable=SC2016 # bash expands that
	bash -c 'TIMEFORMAT="%U %S"; time "$@" >"$0"' "$@" 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}

# pmap_ms: prints CPU times of pmap -x on the target.
pmap_ms() {
	for _ in 1 2 3; do
		cpu_ms /dev/null pmap -x "$target"
	done
}

# sample_ms COUNT INTERVAL: watches the target, and prints the mean CPU time of a sample in ms: that
# of the whole program without the printed cost of the first three samples, which classify the
# regions.
sample_ms() {
	all=$(cpu_ms "$scratch/samples" procmem watch --json -i "$2" -c "$1" --budget 0 "$target")
	jq -s --argjson all "$all" 'map(select(.summary | not)) |
		($all - ([.[:3][].cost_us] | add / 1000)) / (length - 3)' "$scratch/samples"
}

# row_of_sample WHAT BOUND COUNT INTERVAL: prints a row that compares a sample with pmap -x, which
# is run before and after.
row_of_sample() {
	pmap_ms >"$scratch/pmap"
	ms=$(sample_ms "$3" "$4")
	pmap_ms >>"$scratch/pmap"
	pmap=$(median <"$scratch/pmap")
	row "$1" 'pmap -x PID' "$(printf %.1f "$pmap") ms" \
		"procmem watch -i $4" "$(printf %.2f "$ms") ms" \
		"$(awk "BEGIN { printf \"%.4f\", $ms / $pmap }")" "$2"
}

chapter 'watch: CPU time of a sample'

target_start many_regions 60000 240
row_of_sample '60,000 regions, unchanged: mean over two minutes, including full measurements' \
	0.02 60 2
target_start many_regions 60000 240 touch
row_of_sample '60,000 regions, ten more pages for each sample' 0.2 15 1
target_start many_regions 60000 240 map
row_of_sample '60,000 regions, ten more mappings for each sample' 0.2 15 1

chapter 'watch: effect on the target, and accuracy of the printed cost'

# Prints how often the target has mapped, touched and unmapped memory so far.
churned() {
	echo tell >&4
	while read -r word count <&3; do
		[ "$word" != leaked ] || { echo "$count" && return; }
	done
}

# churns: prints the number of turns in four seconds.
churns() {
	begin=$(churned)
	sleep 4
	echo $(($(churned) - begin))
}

# target_start() does not open stdin.
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
row 'number of turns of mmap, touch, munmap in 4 s' 'unwatched' \
	"$(cut -d ' ' -f 1 "$scratch/churns" | median)" 'procmem watch -i 1' \
	"$(cut -d ' ' -f 2 "$scratch/churns" | median)" \
	"$(cut -d ' ' -f 3 "$scratch/churns" | median)" 1.1

# accuracy WHAT WORD...: prints a row that compares the printed cost with the CPU time of the whole
# program, as counted by the kernel.
accuracy() {
	what=$1
	shift
	took=$(cpu_ms "$scratch/samples" procmem watch --json "$@" "$target")
	printed=$(jq 'select(.summary) | .cost_us / 1000' "$scratch/samples")
	row "$what" 'getrusage' "$(printf %.0f "$took") ms" \
		"procmem watch $*" "$(printf %.0f "$printed") ms" \
		"$(awk "BEGIN { a = $printed; b = $took; printf \"%.2f\", (a > b ? a / b : b / a) }")" 2
}

target_start many_regions 60000 240 map
accuracy 'printed cost, 60,000 regions that change (larger value / smaller value)' \
	-i 1 -c 10 --budget 0
target_start sample_server --leak --rate 2097152
accuracy 'printed cost, a server that grows by 2 MB/s, with --peek' -i 0.5 -c 40 --peek 5
share=$(jq 'select(.summary) | .cost_us / 1e6 / .elapsed * 100' "$scratch/samples")
row 'CPU time of that, as a share of a core' '-' 'budget 1 %' \
	'procmem watch -i 0.5 --peek 5' "$(printf %.2f "$share") %" "$(printf %.2f "$share")" 1

chapter 'watch: recordings'

# The test that simulates a day is not part of a release build.
cmake --preset dev >/dev/null
cmake --build --preset dev --target recording_recording_test -- --quiet >/dev/null
bytes=$(PROCMEM_WHOLE_DAY=1 build/dev/tests/recording_recording_test 2>&1 |
	sed -n 's/^43200 samples: \([0-9]*\) bytes$/\1/p')
row '24 hours at 2 s, 250 regions, of which some change in each sample (simulated)' '-' '50 MB' \
	'procmem watch --record' "$(awk "BEGIN { printf \"%.1f\", $bytes / 1e6 }") MB" \
	"$(awk "BEGIN { printf \"%.2f\", $bytes / 50e6 }")" 1
