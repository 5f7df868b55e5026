# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $targets, $alternate, $scratch, $standstill and $heap_bench
# The heap commands on 10 million chunks, or $CHUNKS, in four arenas (tests/bench/chunks.c), 100,000 of which are
# lost. Peers are the check of LeakSanitizer in the same program, which runs inside the process and
# needs another build, and gcore, which an analysis of a core file needs first. chap, which
# could do this analysis, is not in Debian.

count=${CHUNKS:-10000000}
million=$((count / 1000000))

# of NAME: prints a figure of heap_bench.
of() {
	sed -n "s/^$1 //p" "$scratch/steps"
}

# within WHAT COMMAND MS MAX: prints a line with an upper bound in milliseconds.
within() {
	row "$1" '-' "$4 ms" "$2" "$3 ms" "$(ratio "$3" "$4")" 1
}

# peak_of COMMAND...: prints the peak memory of a command in KiB.
peak_of() {
	"$alternate" 1 true -- "$@" 2>"$scratch/report" | cut -d ' ' -f 4
}

# memory WHAT BOUND BYTES COMMAND...: prints a line with the memory of a command for each chunk,
# without BYTES.
memory() {
	what=$1 bound=$2 less=$3
	shift 3
	per_chunk=$((($(peak_of "$@") * 1024 - less) / $(of chunks)))
	row "$what" '-' "$bound B" "$(shown "$@")" "$per_chunk B" "$(ratio $per_chunk "$bound")" 1
}


chapter "heap, leaks, refs: $million million chunks, the library alone"
target_start ../bench/chunks "$count"
"$heap_bench" "$target" "$(sed -n 's/^example //p' "$scratch/facts")" >"$scratch/steps"
gibibytes=$(awk '/^copied / { print $2 / 1073741824 }' "$scratch/steps")
within 'find all chunks, without a stop' 'pm_heap_open()' "$(of walk)" 1000
within "copy $(awk "BEGIN { printf \"%.0f MiB\", $gibibytes * 1024 }"): the process is stopped for (0.45 s for 1 GiB)" \
	'pm_copy_take()' "$(of stopped)" "$(awk "BEGIN { printf \"%.0f\", 450 * $gibibytes }")"
row 'find the chunks of the copy, and the roots' '-' '-' 'pm_heap_open(), pm_graph_open()' \
	"$(of graph) ms" '-' -
within 'references to a chunk (0.3 s for 1 GiB)' 'pm_refs_find()' "$(of direct)" \
	"$(awk "BEGIN { printf \"%.0f\", 300 * $gibibytes }")"
within "path from a root: $(of length) references" 'pm_refs_path()' "$(of path)" 3000
within 'who holds each chunk' 'pm_retained_find()' "$(of retained)" 8000

chapter "heap, leaks: $million million chunks, the commands"
versus 3 - 'all chunks by size and type' \
	sh -c "gcore -o $scratch/peer $target 2>$scratch/report && rm $scratch/peer.*" -- procmem heap "$target"
row 'peak memory of that' '-' '-' 'procmem heap' "$((peak / 1024)) MiB" "$((peak / 1024))" 64
peer=$("$standstill" "$target" gcore -o "$scratch/peer" "$target" 2>"$scratch/report" | cut -d ' ' -f 2)
rm -f "$scratch"/peer.*
ours=$("$standstill" "$target" sh -c "procmem leaks --max-stop 0 $target || [ \$? -eq 1 ]" \
	2>"$scratch/report" | cut -d ' ' -f 2)
row 'the process is stopped for' 'gcore -o FILE PID' "$peer ms" 'procmem leaks --max-stop 0 PID' \
	"$ours ms" "$(ratio "$ours" "$peer")" 1
# The check at the end would be the second one.
checked=$(printf 'check\nquit\n' | LSAN_OPTIONS=leak_check_at_exit=0 \
	"$targets/../bench/chunks_lsan" "$count" 2>"$scratch/report" | sed -n 's/^checked //p')
ms=$(milliseconds sh -c "procmem leaks --max-stop 0 $target || [ \$? -eq 1 ]")
row "$((count / 100000))000 lost chunks" 'LeakSanitizer, inside the process' "$checked ms" \
	"procmem leaks --max-stop 0 PID" "$ms ms" "$(ratio "$ms" "$checked")" 5
# Only lost chunks contain this text.
lost=$((count / 100))
peer=$(sed -n 's/^SUMMARY: .* leaked in \([0-9]*\) allocation.*/\1/p' "$scratch/report")
procmem leaks -q --all --json --max-stop 0 "$target" >"$scratch/leaks" || [ $? -eq 1 ]
found=$(jq '[.groups[] | select(.text == "lost chunk").count] | add // 1' "$scratch/leaks")
others=$(jq '[.groups[] | select(.text != "lost chunk").count] | add // 0' "$scratch/leaks")
row "of these $lost: found" 'LeakSanitizer' "$peer" 'procmem leaks' "$found" \
	"$(awk "BEGIN { printf \"%.5f\", $lost / $found }")" 1.001
row 'chunks that are found, but not lost' '-' 0 'procmem leaks' "$others" "$others" 0
copied=$(of copied)
memory 'memory for each chunk, without the copy' 60 "$copied" \
	sh -c "procmem leaks --max-stop 0 $target || [ \$? -eq 1 ]"
memory 'memory for each chunk, without the copy' 60 "$copied" \
	procmem heap --retained --max-stop 0 "$target"
memory 'memory for each chunk, without the copy' 110 "$copied" \
	procmem heap --retained --tree lists --max-stop 0 "$target"
memory 'memory for each chunk, three walks' 72 0 procmem heap --growth 2s "$target"
