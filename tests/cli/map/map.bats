#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem map`: selection, order and form of the regions. Names and sizes are compared with the
# kernel.

load ../support/mapper

setup() {
	load ../support/helper
	load ../support/smaps
}

teardown() {
	targets_stop
	json_check
}

# Prints the sums of size, RSS, dirty and anonymous bytes of lines like those of smaps_table.
sums() {
	awk -F, '{ s += $3; r += $4; d += $6; a += $11 } END { printf "%.0f %.0f %.0f %.0f\n", s, r, d, a }'
}

# Prints the sum of the lines.
total() {
	awk '{ s += $1 } END { printf "%.0f\n", s }'
}

@test "every figure of a saved smaps file is that in the file" {
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	procmem map --csv --no-header -s address -o "$SMAPS_COLUMNS" "$BATS_TEST_TMPDIR/smaps" >"$BATS_TEST_TMPDIR/ours"
	smaps_table <"$BATS_TEST_TMPDIR/smaps" >"$BATS_TEST_TMPDIR/kernels"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/ours")" -gt 50 ]
	diff "$BATS_TEST_TMPDIR/kernels" "$BATS_TEST_TMPDIR/ours"
}

@test "resident, dirty and swapped bytes of a live process are those of its smaps" {
	same 'procmem map --csv --no-header -s address -o start,end,rss,dirty,swap "$TARGET_PID"' \
		'smaps_table </proc/"$TARGET_PID"/smaps | cut -d, -f 1,2,4,6,12'
}

@test "columns that do not need smaps have the same resident bytes" {
	run --separate-stderr -0 procmem map -v --csv --no-header -s address -o start,end,rss,swap "$TARGET_PID"
	[[ $stderr == *"maps and pagemap"* ]]
	same 'procmem map --csv --no-header -s address -o start,end,rss,swap "$TARGET_PID"' \
		'smaps_table </proc/"$TARGET_PID"/smaps | cut -d, -f 1,2,4,12'
	run --separate-stderr -0 procmem map -v -o rss,pss "$TARGET_PID"
	[[ $stderr == *"smaps"* && $stderr != *"pagemap"* ]]
}

@test "permissions, offsets, devices, inodes and names are those of maps" {
	procmem map --csv --no-header -s address -o start,end,perm,offset,device,inode "$TARGET_PID" >"$BATS_TEST_TMPDIR/ours"
	while read -r range perms offset device inode _; do
		printf '%x,%x,%s,%x,%s,%s\n' "0x${range%-*}" "0x${range#*-}" "$perms" "0x$offset" "$device" "$inode"
	done <"/proc/$TARGET_PID/maps" >"$BATS_TEST_TMPDIR/kernels"
	diff "$BATS_TEST_TMPDIR/kernels" "$BATS_TEST_TMPDIR/ours"
}

@test "the largest resident region is first, ties by address; --sort and --reverse change that" {
	procmem map --csv --no-header -o rss,start "$TARGET_PID" >"$BATS_TEST_TMPDIR/default"
	while IFS=, read -r rss start; do printf '%s %d\n' "$rss" "0x${start:0:15}"; done <"$BATS_TEST_TMPDIR/default" >"$BATS_TEST_TMPDIR/decimal"
	sort -c -k1,1nr -k2,2n "$BATS_TEST_TMPDIR/decimal"
	procmem map --csv --no-header -o size -s size -r "$TARGET_PID" | sort -c -n
	procmem map --csv --no-header -o kind -s kind "$TARGET_PID" | LC_ALL=C sort -c
}

@test "--top reports the number of regions that it omits" {
	run -0 procmem map --top 3 "$TARGET_PID"
	[ "${#lines[@]}" -eq 7 ]
	count=$(wc -l <"/proc/$TARGET_PID/maps")
	[[ ${lines[5]} == "… $((count - 3)) more regions, "*" RSS" ]]
	[[ ${lines[6]} == "total $count regions "* ]]
	run --separate-stderr -0 procmem map --top 3 --csv "$TARGET_PID"
	[ "${#lines[@]}" -eq 4 ]
	[ -z "$stderr" ]
	[ "$(procmem map --top 3 --json "$TARGET_PID" | jq -c '[(.regions | length), .total.count]')" = "[3,$count]" ]
}

@test "the totals are the sums of smaps" {
	same 'procmem map -b -o address,size,rss,dirty,anonymous "$TARGET_PID" | awk "END { print \$4, \$5, \$6, \$7 }"' \
		'smaps_table </proc/"$TARGET_PID"/smaps | sums'
}

@test "REGION is an address, a range, a kind, a name or all; several are combined" {
	range=$(target_range plain)
	[ "$(procmem map --no-header -o start "$TARGET_PID" "${range%-*}")" = "${range%-*}" ]
	[ "$(procmem map --no-header -o start "$TARGET_PID" "$range")" = "${range%-*}" ]
	[ "$(procmem map --no-header -o mapping "$TARGET_PID" '[heap]')" = "$(procmem map --no-header -o mapping "$TARGET_PID" heap)" ]
	[ "$(procmem map --no-header -o start "$TARGET_PID" all | wc -l)" -eq "$(wc -l <"/proc/$TARGET_PID/maps")" ]
	[ "$(procmem map --no-header -o start "$TARGET_PID" "$range" heap | wc -l)" -gt 1 ]
}

@test "filters select regions" {
	[ "$(procmem map --no-header -o perm --perms r--p "$TARGET_PID" | sort -u)" = r--p ]
	[ "$(procmem map --no-header -o kind -k stack,heap "$TARGET_PID" | sort -u | xargs)" = "heap stack" ]
	procmem map -b --no-header -o size --min-size 1M "$TARGET_PID" | awk '$1 < 1048576 { exit 1 }'
	procmem map -b --no-header -o rss --min-rss 64K "$TARGET_PID" | awk '$1 < 65536 { exit 1 }'
	expected=$(grep -c 'memfd:off' "/proc/$TARGET_PID/maps")
	[ "$(procmem map --no-header -o start --mapping 'memfd:off h' "$TARGET_PID" | wc -l)" -eq "$expected" ]
}

@test "a REGION or a filter that matches nothing is reported with exit status 1" {
	run --separate-stderr -1 procmem map --min-rss 1T "$TARGET_PID"
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr -1 procmem map "$TARGET_PID" 0x10
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "--by sums up every byte by each criterion" {
	for by in kind mapping perms arena thread object; do
		same "procmem map --by $by --csv --no-header -o rss $TARGET_PID | total" "procmem map --csv --no-header -o rss $TARGET_PID | total"
	done
	run -0 procmem map --by perms -b "$TARGET_PID"
	expected=$(awk '$2 == "rw-p"' "/proc/$TARGET_PID/maps" | wc -l)
	[ "$(awk '$1 == "rw-p" { print $2 }' <<<"$output")" = "$expected" ]
	[[ ${lines[1]} =~ ^PERMS\ +COUNT\ +SIZE\ +RSS\ +PSS\ +DIRTY\ +SWAP\ +LARGEST$ ]]
}

@test "--columns help describes every column, and each can be shown" {
	run -0 procmem map --columns help
	for column in "${lines[@]}"; do
		procmem map -o "${column%% *}" "$TARGET_PID" >/dev/null
	done
	[ "${#lines[@]}" -gt 25 ]
	run --separate-stderr -2 procmem map -o rsss "$TARGET_PID"
	[[ $stderr == *"'rss'"* ]]
	[ "$(procmem map --csv -o +rss,arena "$TARGET_PID" | head -n 1)" = "$(procmem map --csv "$TARGET_PID" | head -n 1),arena" ]
}

@test "JSON is one object with the documented fields" {
	procmem map --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/json"
	jq -e -s 'length == 1 and (.[0] | .pid == '"$TARGET_PID"' and (.command | endswith("mapper"))
		and (.time | sub("[.][0-9]{3}Z$"; "Z") | fromdate > 0))' "$BATS_TEST_TMPDIR/json"
	documented='["anon_huge","anonymous","detail","device","dirty","end","hugetlb","inode","kind","lazyfree","locked","mapping","offset","owner","perms",
		"private_clean","private_dirty","proof","pss","referenced","rss","shared_clean","shared_dirty","size","start","swap","swap_pss"]'
	jq -e "[.regions[] | keys[]] | unique - $documented == []" "$BATS_TEST_TMPDIR/json"
	jq -e '.total.rss == ([.regions[].rss] | add) and .total.count == (.regions | length)' "$BATS_TEST_TMPDIR/json"
	jq -e '[.regions[] | .start, .end] | all(test("^0x[0-9a-f]+$"))' "$BATS_TEST_TMPDIR/json"
	same "procmem map --json $TARGET_PID | jq -r '.regions[] | \"\\(.start),\\(.rss)\"' | sort" \
		"smaps_table </proc/$TARGET_PID/smaps | awk -F, '{ print \"0x\" \$1 \",\" \$4 }' | sort"
	procmem map --json --by kind "$TARGET_PID" |
		jq -e '([.groups[].rss] | add) == .total.rss and (.groups[0] | has("kind") and has("largest"))'
}

@test "JSON with --columns has only these columns" {
	[ "$(procmem map --json -o rss,perm "$TARGET_PID" | jq -c '.regions[0] | keys')" = '["end","perms","rss","start"]' ]
}

@test "JSON with all columns, of regions and of groups" {
	local by columns
	columns=$(procmem map --columns help | awk '{ print $1 }' | paste -sd ,)
	run -0 procmem map --json -o "$columns" "$TARGET_PID"
	jq -e '[.regions[] | keys[]] | unique | contains(["arena", "dirty", "pss_dirty", "thread", "why"])' <<<"$output"
	for by in arena thread; do
		columns=$(procmem map --by "$by" --columns help | awk '{ print $1 }' | paste -sd ,)
		run -0 procmem map --json --by "$by" -o "$columns" "$TARGET_PID"
		jq -e --arg by "$by" '(.groups | map(select(has($by) | not)) | length == 1) and all(.groups[]; has($by) == has("detail"))' <<<"$output"
	done
	# A value is that of the regions.
	[ "$(procmem map --json --by arena "$TARGET_PID" | jq -c '[.groups[] | select(.detail != "main arena").arena // empty] | sort')" = \
		"$(procmem map --json -o arena "$TARGET_PID" | jq -c '[.regions[].arena // empty] | unique')" ]
	[ "$(procmem map --json --by thread "$TARGET_PID" | jq -c '[.groups[].thread // empty] | sort')" = \
		"$(procmem map --json -o thread "$TARGET_PID" | jq -c '[.regions[].thread // empty] | unique')" ]
}

@test "--by arena shows what is in use and free, and the threads" {
	require jq
	target_start allocations 3
	run -0 procmem map --json --by arena "$TARGET_PID"
	jq -e --argjson heap "$(procmem heap --json "$TARGET_PID")" '
		([.groups[] | select(has("arena")) | {arena, in_use, free, threads}] | sort) ==
		([$heap.arenas[] | {arena: .address, in_use, free: (.free + .cached + .top), threads}] | sort) and
		(.groups | map(select(has("arena") | not)) | length == 1 and (.[0] | has("in_use") or has("threads") | not))' <<<"$output"
	run -0 procmem map --by arena --no-header "$TARGET_PID"
	grep -Eq "^main arena .* $TARGET_PID allocations *$" <<<"$output"
	[ "$(grep -Ec '^arena [1-3] .* [0-9]+ worker *$' <<<"$output")" -eq 3 ]
}

@test "CSV quotes special characters" {
	target_start hostile_names
	procmem map --csv -o mapping,inode "$TARGET_PID" >"$BATS_TEST_TMPDIR/csv"
	python3 - "$BATS_TEST_TMPDIR/csv" "$TARGET_FACTS" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
names = [bytes.fromhex(line.split()[3]) for line in open(sys.argv[2]) if line.startswith("region file_")]
quoted = next(name for name in names if b'"' in name).decode()
assert quoted in [row["mapping"] for row in rows], rows
assert all(row["inode"].isdigit() for row in rows)
PYTHON
}

@test "special characters in names are escaped" {
	target_start hostile_names
	for form in "" --csv --json --why "--by mapping" "--by thread" --pmap; do
		# shellcheck disable=SC2086 # options
		procmem map $form "$TARGET_PID" >"$BATS_TEST_TMPDIR/output"
		[ -s "$BATS_TEST_TMPDIR/output" ]
		[ -z "$(tr -d '\n\040-\176' <"$BATS_TEST_TMPDIR/output" | LC_ALL=C tr -d '\200-\377')" ]
		iconv -f utf-8 -t utf-8 "$BATS_TEST_TMPDIR/output" >/dev/null
	done
	run -0 procmem map "$TARGET_PID"
	[[ $output == *'\x1b]0;title\x07'* && $output == *'two\x0alines (deleted)'* && $output == *'\xff\xfe\x80'* ]]
	# One line per region: nothing in a name starts a new line.
	[ "${#lines[@]}" -eq $(($(wc -l <"/proc/$TARGET_PID/maps") + 3)) ]
}

@test "a saved directory and a maps file can be listed; sizes that maps does not have are left out" {
	cat "/proc/$TARGET_PID/maps" >"$BATS_TEST_TMPDIR/maps"
	run -0 procmem map -q "$BATS_TEST_TMPDIR"
	[[ ${lines[0]} == *"saved maps"* ]]
	[[ ${lines[1]} =~ ^ADDRESS\ +SIZE\ PERM\ KIND\ +MAPPING$ ]]
	[ "$(procmem map --no-header -o rss "$BATS_TEST_TMPDIR" | sort -u)" = "?" ]
	[ "$(procmem map --json "$BATS_TEST_TMPDIR" | jq -c '[.path == null, (.regions[0] | has("rss")), (.total | has("rss"))]')" = \
		"[false,false,false]" ]
	run --separate-stderr -2 procmem map --min-rss 1 "$BATS_TEST_TMPDIR"
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	[[ $(procmem map "$BATS_TEST_TMPDIR" | head -n 1) == *"saved smaps"* ]]
	cd "$BATS_TEST_TMPDIR"
	[[ $(procmem map smaps | head -n 1) == "smaps "* ]]
}

@test "--bytes prints exact numbers, --no-header prints only rows" {
	[ "$(procmem map -b --no-header -o size "$TARGET_PID" "$(target_range plain)")" = 65536 ]
	[ "$(procmem map --no-header -o size "$TARGET_PID" "$(target_range plain)")" = 64.0K ]
	[ "$(procmem map --no-header "$TARGET_PID" | wc -l)" -eq "$(wc -l <"/proc/$TARGET_PID/maps")" ]
}

@test "--why prints the rule below each region" {
	run -0 procmem map --why --no-header "$TARGET_PID"
	[ "${#lines[@]}" -eq $((2 * $(wc -l <"/proc/$TARGET_PID/maps"))) ]
	[ "$(grep -cE '^    (proven|inferred|not classified): .' <<<"$output")" -eq "$(wc -l <"/proc/$TARGET_PID/maps")" ]
	procmem map --why --json "$TARGET_PID" | jq -e '[.regions[].why | length > 0] | all'
}

@test "--color=always colours only kinds" {
	run -0 procmem map --color=always "$TARGET_PID"
	[[ $output == *$'\033[2manon'* ]]
	run -0 procmem map "$TARGET_PID"
	[[ $output != *$'\033'* ]]
}

@test "/proc/PID, /proc/PID/smaps and /proc/PID/maps mean the process" {
	for path in "/proc/$TARGET_PID" "/proc/$TARGET_PID/" "/proc/$TARGET_PID/smaps" "/proc/$TARGET_PID/maps"; do
		[ "$(procmem map --json "$path" | jq .pid)" = "$TARGET_PID" ]
	done
	run --separate-stderr -2 procmem map /proc/99999999/smaps
	[[ $stderr == *"no process has PID 99999999"* ]]
}

@test "for a saved file there is one note about what needs a living process" {
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	run --separate-stderr -0 procmem map "$BATS_TEST_TMPDIR/smaps"
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "procmem: note: a saved maps or smaps file does not show which regions belong to malloc"* ]]
	run --separate-stderr -1 procmem map -k malloc "$BATS_TEST_TMPDIR/smaps"
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == *"a saved maps or smaps file does not show"* && ${stderr_lines[1]} == *"none of the"* ]]
	run --separate-stderr -0 procmem map -q "$BATS_TEST_TMPDIR/smaps"
	[ -z "$stderr" ]
}

@test "maps text cannot be sorted by RSS" {
	cat "/proc/$TARGET_PID/maps" >"$BATS_TEST_TMPDIR/maps"
	for form in "" --csv "--by kind"; do
		# shellcheck disable=SC2086 # options
		run --separate-stderr -2 procmem map -q -s rss $form "$BATS_TEST_TMPDIR/maps"
		[ -z "$output" ]
		[[ $stderr == *"cannot sort by rss: maps files do not have this field"* ]]
	done
	procmem map -q -s size "$BATS_TEST_TMPDIR/maps"
}

@test "several lists of kinds are combined" {
	[ "$(procmem map --csv -k code -k stack "$TARGET_PID" -o address)" = "$(procmem map --csv -k code,stack "$TARGET_PID" -o address)" ]
	[ "$(procmem map --csv -k stack -o kind --no-header "$TARGET_PID" -k code | sort -u)" = $'code\nstack' ]
}

@test "- means standard input" {
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/smaps"
	procmem map -q --csv "$BATS_TEST_TMPDIR/smaps" >"$BATS_TEST_TMPDIR/named"
	cat "$BATS_TEST_TMPDIR/smaps" | procmem map -q --csv - | diff "$BATS_TEST_TMPDIR/named" -
	procmem map -q --csv - <"$BATS_TEST_TMPDIR/smaps" | diff "$BATS_TEST_TMPDIR/named" -
}

@test "several processes are listed one after the other" {
	require jq
	target_copy records
	target_start "$TARGET_NAME"
	local first=$TARGET_PID
	target_start "$TARGET_NAME"
	run -0 procmem map --json "$first,$TARGET_PID"
	[ "$(jq -sc 'map(.pid)' <<<"$output")" = "[$first,$TARGET_PID,null]" ]
	# The last object has the sums.
	jq -se '.[2].process_count == 2 and .[2].total.rss == .[0].total.rss + .[1].total.rss and .[2].total.count == .[0].total.count + .[1].total.count and
		.[2].total.size == .[0].total.size + .[1].total.size' <<<"$output"
	for pid in "$first" "$TARGET_PID"; do
		[ "$(jq -s --argjson pid "$pid" '.[] | select(.pid == $pid) | .regions | length' <<<"$output")" -eq "$(wc -l <"/proc/$pid/maps")" ]
	done
	run -0 procmem map --all-processes --by kind "$TARGET_NAME"
	[ "$(grep -c "^$TARGET_NAME (" <<<"$output")" -ge 2 ]
	grep -q '^total of [0-9]* processes: [0-9]* regions, SIZE .*, RSS ' <<<"$output"
	# The last table has the sums over all processes.
	[ "$(grep -c '^total [0-9]\|^total  ' <<<"$output")" -eq "$(($(grep -c "^$TARGET_NAME (" <<<"$output") + 1))" ]
	for command in map strings; do
		run -2 --separate-stderr procmem "$command" "$TARGET_NAME"
		[[ $stderr == *"matches"*"use --all-processes for all processes with this name, or list PIDs: 1,2,3" ]]
		run -2 --separate-stderr procmem "$command" -q "$TARGET_NAME"
		[[ $stderr != *'note: use --all-processes'* ]]
	done
	# A process that is gone is an error; the other one is listed.
	kill -KILL "$first"
	until ! kill -0 "$first" 2>/dev/null || [ ! -s "/proc/$first/maps" ]; do :; done
	run -2 --separate-stderr procmem map --by kind "$first,$TARGET_PID"
	[[ $output == *"($TARGET_PID)"*total* ]]
	[[ $stderr == *"$first"* ]]
	run -2 --separate-stderr procmem map --csv "$first,$TARGET_PID"
	[[ $stderr == *'--csv lists only one process'* ]]
}

@test "a file name with the four characters that stand for a newline in maps is shown as it is" {
	require python3 jq
	program_start python3 -u -c '
import mmap, os, sys
held = []
for name in "back\\012slash", "new\nline", "both\n\\012", "gone\\012":
	path = os.path.join(sys.argv[1], name)
	with open(path, "w+b") as file:
		file.truncate(4096)
		held.append(mmap.mmap(file.fileno(), 0))
	if name.startswith("gone"):
		os.unlink(path)
print("ready")
sys.stdin.read()' "$BATS_TEST_TMPDIR"
	target_await ready
	readlink "/proc/$TARGET_PID/map_files/"* >/dev/null || skip 'map_files cannot be read here'
	run -0 --separate-stderr procmem map --json "$TARGET_PID"
	jq -e --arg folder "$BATS_TEST_TMPDIR" '[.regions[].mapping | strings | select(startswith($folder)) | ltrimstr($folder + "/")] | sort
		== (["back\\012slash", "both\n\\012", "gone\\012 (deleted)", "new\nline"] | sort)' <<<"$output"
}

@test "a deleted file, and the server of its file system does not answer: nothing is asked of it" {
	[ "$(id -u)" -eq 0 ] || skip 'mounting needs root'
	[ -c /dev/fuse ] && (exec 3<>/dev/fuse) 2>/dev/null || skip 'no FUSE'
	mkdir "$BATS_TEST_TMPDIR/dead"
	target_start dead_server "$BATS_TEST_TMPDIR/dead" deleted

	# The limit only ends the test if procmem waits forever.
	run -0 --separate-stderr timeout --signal=KILL 60 "$PROCMEM_BIN" map --json "$TARGET_PID"
	jq -e --arg name "$BATS_TEST_TMPDIR/dead/file (deleted)" \
		'any(.regions[]; .mapping == $name)' <<<"$output"
}
