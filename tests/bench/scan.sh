# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # run.sh reads this file and has set $target, $peak, $scratch and $scan_bench
# The speed of searches in 1 GiB of alternating log lines and numbers (tests/targets/haystack.c): by
# the library and by the commands, as multiples of the time of memcpy into a buffer that fits into
# the cache; and by the commands, compared with other tools. Tools that read files get the bytes as a
# file in the page cache; the time to create it does not count.

hay=0x200000000000
gibibyte=1073741824
needle=NEEDLE_ALPHA_password=
item='session=[0-9a-f]{16} GET /api/v1/items/42[0-9]{3} '
email='[\w.]+@[\w.]+'

# of NAME COLUMN: prints a figure of scan_bench; column 2 is milliseconds, 3 the ratio to memcpy.
of() {
	awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$scratch/engine"
}

# engine NAME BOUND WHAT [COMMAND]: prints a line that compares with memcpy.
engine() {
	row "$3" 'memcpy of 1 GiB' "$(of memcpy 2) ms" "${4:-pm_scan_run()}" "$(of "$1" 2) ms" \
		"$(of "$1" 3)" "$2"
}

# faster BOUND WHAT NAME: prints a line that compares two workers with one.
faster() {
	row "$2" '1 worker' "$(of "${3}1" 2) ms" '2 workers' "$(of "${3}2" 2) ms" \
		"$(ratio "$(of "${3}2" 2)" "$(of "${3}1" 2)")" "$1"
}

target_start haystack 1024
"$scan_bench" 9 "$target" $hay $gibibyte >"$scratch/engine" <<END
literal1 1 grep $needle
literal2 2 grep $needle
item1 1 grep $item
item2 2 grep $item
email1 1 grep $email
email2 2 grep $email
strings8-1 1 strings 8
strings8-2 2 strings 8
strings300-1 1 strings 300
strings300-2 2 strings 300
literal-command 0 run procmem grep -c $needle $target $hay
item-command 0 run procmem grep -c '$item' $target $hay
END

chapter 'scan: searching 1 GiB, the library alone'
engine literal2 3 'a text that is found 100 times'
engine item2 6 'a pattern whose start is in every line'
row 'a pattern for e-mail addresses: 1.2 GiB/s' '-' '833 ms' 'pm_scan_run()' "$(of email2 2) ms" \
	"$(ratio "$(of email2 2)" 833)" 1
faster 0.625 'a text: two workers' literal
faster 0.625 'an e-mail pattern: two workers' email
faster 0.625 'strings of 8 characters: two workers' strings8-
faster 0.625 'strings of 300 characters: two workers' strings300-

chapter 'strings, grep: searching 1 GiB of a process'
# GNU grep stops at the first match if it writes to /dev/null: hence cat.
skip=$((hay / 1048576))
engine literal-command 3 'a text that is found 100 times' "procmem grep -c $needle PID $hay"
engine item-command 6 'a pattern whose start is in every line' "procmem grep -c '$item' PID $hay"
versus 7 1 'a text that is found 100 times' \
	sh -c "dd if=/proc/$target/mem bs=1M skip=$skip count=1024 status=none | grep -a -c $needle | cat" -- \
	procmem grep -c "$needle" "$target" $hay
row 'peak memory of that' '-' '-' 'procmem grep' "$((peak / 1024)) MiB" "$((peak / 1024))" 24
versus 5 1 'a text that is found 100 times' \
	sh -c "dd if=/proc/$target/mem bs=1M skip=$skip count=1024 status=none | rg -a -c $needle" -- \
	procmem grep -c "$needle" "$target" $hay
# Both of these tools search the whole process.
echo "rule needle { strings: \$text = \"$needle\" condition: \$text }" >"$scratch/needle.yar"
versus 3 0.05 'a text that is found 100 times' yara "$scratch/needle.yar" "$target" -- \
	procmem grep -c "$needle" "$target"
versus 1 0.033 'a text that is found 100 times' \
	scanmem -p "$target" -c "option scan_data_type string;\" $needle;exit" -- \
	procmem grep -c "$needle" "$target"
dd if="/proc/$target/mem" of="$scratch/hay" bs=1M skip=$skip count=1024 status=none
versus 5 1 'a pattern whose start is in every line' \
	sh -c "grep -a -c -P '$item' $scratch/hay | cat" -- \
	procmem grep -c "$item" "$target" $hay
versus 5 1 'a pattern whose start is in every line' rg -a -c "$item" "$scratch/hay" -- \
	procmem grep -c "$item" "$target" $hay
versus 5 1 'e-mail addresses' rg -a -c "$email" "$scratch/hay" -- \
	procmem grep -c "$email" "$target" $hay
# If the memory is already a file, the pattern is a plain text, and one processor is enough, procmem
# has no advantage.
versus 5 2 'a text that is found 100 times' rg -a -c "$needle" "$scratch/hay" -- \
	procmem grep -c "$needle" "$target" $hay
versus 3 0.167 '0.6 GB of strings' strings -n 8 -t x "$scratch/hay" -- \
	procmem strings -n 8 -t x "$target" $hay
row 'peak memory of that' '-' '-' 'procmem strings' "$((peak / 1024)) MiB" "$((peak / 1024))" 24
versus 3 0.05 'no string is found' sh -c "strings -n 300 $scratch/hay" -- \
	sh -c "procmem strings -n 300 $target $hay || [ \$? -eq 1 ]"
rm -f "$scratch/hay"

chapter 'strings, grep: absent memory costs nothing'
target_start bulk 0 65536 100 0
rss=$(target_status VmRSS) tables=$(target_status VmPTE)
versus 5 0.5 '100 MiB scattered over 64 GiB; at most 0.5 s' sleep 1 -- \
	sh -c "procmem grep -c $needle $target || [ \$? -eq 1 ]"
after=$(target_status VmRSS) grown=$(($(target_status VmPTE) - tables))
row 'resident memory of the target, after to before' '-' "$rss kB" 'procmem grep' "$after kB" \
	"$(ratio "$after" "$rss")" 1
row 'page tables of the target grow by' '-' '64 kB' 'procmem grep' "$grown kB" \
	"$(ratio "$grown" 64)" 1
