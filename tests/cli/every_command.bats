#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Options that several commands have do the same in each of them. A new command needs a line in usual().

setup() {
	load support/helper
	COMMANDS=$(procmem --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ -n "$COMMANDS" ]
}

teardown() {
	targets_stop
	json_check
}

# Checks whether a command has an option.
has() {
	procmem "$1" --help | grep -Eq "^  (-., |    )$2\\b"
}

# Sets the array `words` to a typical command line.
usual() {
	case $1 in
	map | headroom | cgroup | heap | leaks) words=("$1" "$TARGET_PID") ;;
	stale) words=(stale --for 0.1s "$TARGET_PID") ;;
	why) words=(why --for 0.5s "$TARGET_PID") ;;
	trace) words=(trace --for 0.5s "$TARGET_PID") ;;
	pressure) words=(pressure --for 0.1s "$TARGET_PID") ;;
	who) words=(who "$TARGET_PID") ;;
	refs) words=(refs "$TARGET_PID" 0x1000) ;;
	ps) words=(ps -n 3) ;;
	dump) words=(dump -o "$BATS_TEST_TMPDIR/bytes" "$TARGET_PID" '[stack]') ;;
	watch) words=(watch -c 2 -i 0.1 "$TARGET_PID") ;;
	snap) words=(snap -o "$BATS_TEST_TMPDIR/run.pmrec" "$TARGET_PID") ;;
	diff) words=(diff "$TARGET_PID" "$TARGET_PID") ;;
	strings) words=(strings "$TARGET_PID" '[stack]') ;;
	grep) words=(grep page "$TARGET_PID" anon) ;;
	shell) words=(shell -c 'map -n 1' "$TARGET_PID") ;;
	*) echo "add $1 to usual()" && return 1 ;;
	esac
}

# Fails unless the last run exited with 0 or 1, which means that nothing was found, or something differs.
done_well() {
	[ "$status" -le 1 ] || { echo "${words[*]}: $status, $stderr" && false; }
}

@test "--help, -h and --version, -V" {
	for command in $COMMANDS; do
		[[ $(procmem "$command" --help) = "Usage: procmem $command"* ]]
		[ "$(procmem "$command" -h)" = "$(procmem "$command" --help)" ]
		[ "$(procmem "$command" --version)" = "$(procmem --version)" ]
		[ "$(procmem "$command" -V)" = "$(procmem --version)" ]
	done
}

@test "--color: never prints no escape sequences, and an unknown value is rejected" {
	target_start mapper
	for command in $COMMANDS; do
		has "$command" --color || continue
		usual "$command"
		run --separate-stderr procmem "${words[@]}" --color=never
		done_well
		[[ $output$stderr != *$'\e'* ]]
		run --separate-stderr procmem "${words[@]}" --color=always
		done_well
		run --separate-stderr procmem "${words[@]}" --color=sometimes
		[ "$status" -eq 2 ]
	done
	[[ $(procmem map --color=always "$TARGET_PID") = *$'\e['* ]]
}

@test "--json: every line of stdout is JSON" {
	require jq
	target_start mapper
	for command in $COMMANDS; do
		has "$command" --json || continue
		usual "$command"
		run --separate-stderr procmem "${words[@]}" --json
		done_well
		[ "$status" -eq 1 ] || [ -n "$output" ]
		jq -e . <<<"$output" >/dev/null || [ -z "$output" ] || { echo "$output" && false; }
	done
}

@test "hostile names: the JSON of all commands fits its schema, and has the names" {
	local name=$'\xff"\\two\nlines' file=$BATS_TEST_TMPDIR/run.pmrec
	require jq
	ln -s /bin/sleep "$BATS_TEST_TMPDIR/$name"
	program_start "$BATS_TEST_TMPDIR/$name" 600
	until [ "$(tr '\n' ' ' <"/proc/$TARGET_PID/comm")" = "${name//$'\n'/ } " ]; do :; done
	for command in map snap headroom ps watch diff; do
		usual "$command"
		[ "$command" != ps ] || words=(ps "$TARGET_PID")
		run --separate-stderr procmem "${words[@]}" --json
		done_well
		jq -se 'last | (.processes[0]? // .after // .) | .name == "\\xff\"\\two\nlines" and
			(.command | endswith("/\\xff\"\\two\nlines 600"))' <<<"$output"
	done
	run -0 procmem snap -l --json "$file"
	jq -e '.name == "\\xff\"\\two\nlines"' <<<"$output"
	run -0 procmem map --json "$file"
	jq -e '.name == "\\xff\"\\two\nlines"' <<<"$output"
	targets_stop
	# Mappings and threads, of a process and of a file.
	target_start hostile_names
	for command in $COMMANDS; do
		has "$command" --json || continue
		usual "$command"
		[ "$command" != snap ] || words=(snap -o "$file.2" "$TARGET_PID")
		run --separate-stderr procmem "${words[@]}" --json
		done_well
	done
	for by in kind mapping perms arena thread object; do
		run -0 procmem map --json --by "$by" "$TARGET_PID"
	done
	[ "$by" = object ]
	jq -e 'any(.groups[]; .object | endswith("/two\nlines (deleted)"))' <<<"$output"
	run -0 procmem map --json "$TARGET_PID"
	jq -e 'any(.regions[]; (.mapping // "") | endswith("/\\xff\\xfe\\x80"))' <<<"$output"
	jq -e 'any(.regions[]; (.mapping // "") | endswith("/\\x1b]0;title\\x07"))' <<<"$output"
	jq -e 'any(.regions[]; (.detail // "") | contains("tab\tbell\\x07"))' <<<"$output"
}

@test "--bytes, -b: no size has a unit" {
	target_start mapper
	for command in $COMMANDS; do
		# In strings it is the minimum length, as in strings(1).
		procmem "$command" --help | grep -q '^  -b, --bytes' || continue
		usual "$command"
		for option in -b --bytes; do
			run --separate-stderr procmem "${words[@]}" "$option"
			done_well
			# The description of malloc's blocks contains human-readable sizes.
			fails grep -E '(^|[[:space:]])[0-9.]+[KMGT]\b' <<<"$(sed 's/ malloc chunks.*//' <<<"$output")"
		done
	done
	procmem map "$TARGET_PID" | grep -Eq '[0-9]K\b'
}

@test "--quiet, -q prints errors only; --verbose, -v prints more" {
	target_start mapper
	for command in $COMMANDS; do
		has "$command" --quiet || continue
		usual "$command"
		for option in -q --quiet; do
			run --separate-stderr procmem "${words[@]}" "$option"
			done_well
			[ -z "$stderr" ] || { echo "$command: $stderr" && false; }
		done
		has "$command" --verbose || continue
		for option in -v --verbose; do
			run --separate-stderr procmem "${words[@]}" "$option"
			done_well
			[ -n "$stderr" ] || { echo "$command $option prints nothing" && false; }
		done
	done
}

# Prints the bytes of the regions in smaps that match an awk condition on size, rss (KiB), perms and name.
sum_of() {
	awk "
	function add() { if (size && ($1)) sum += size }
	/^[0-9a-f]+-[0-9a-f]+ / { add(); perms = \$2; name = \$6; size = rss = 0 }
	/^Size:/ { size = \$2 }
	/^Rss:/ { rss = \$2 }
	END { add(); printf \"%.0f\", sum * 1024 }" "/proc/$TARGET_PID/smaps"
}

# Prints the number of bytes that dump writes with some options.
dumped() {
	procmem dump -q -o "$BATS_TEST_TMPDIR/bytes" "$TARGET_PID" all "$@" || [ $? -eq 1 ]
	stat -c %s "$BATS_TEST_TMPDIR/bytes"
}

@test "filters of dump leave the regions that match in smaps" {
	target_start mapper
	[ "$(dumped --perms=-w-p)" = "$(sum_of 'perms == "-w-p"')" ]
	[ "$(dumped --mapping='off heap')" = "$(sum_of 'name == "/memfd:off"')" ]
	[ "$(dumped --min-size=1T)" = "$(sum_of 'size >= 1073741824')" ]
	[ "$(dumped --min-rss=3M)" = "$(sum_of 'rss >= 3072')" ]
	[ "$(dumped --kind=heap)" = "$(sum_of 'name == "[heap]"')" ]
	[ "$(dumped -k heap,kernel --mapping=heap)" = "$(sum_of 'name == "[heap]"')" ]
}

# Prints the names of the target's regions whose lines match a condition.
named() {
	sed -n 's/^region //p' "$TARGET_FACTS" | awk "$1 { print \$1 }" | sort | tr '\n' ' '
}

# Prints the names of the regions whose first text grep finds with some options.
grepped() {
	procmem grep -o '\w+ page 0\b' "$TARGET_PID" all "$@" | sed 's/ page 0//' | sort -u | tr '\n' ' '
}

@test "filters of grep leave the matching regions" {
	target_start mapper
	[ "$(grepped --perms=-w-p)" = 'write_only ' ]
	[ "$(grepped --mapping='off heap')" = 'memfd ' ]
	[ "$(grepped --min-size 5M --perms rw)" = 'thp ' ]
	[ "$(grepped --min-rss 5M)" = 'thp ' ]
	[ "$(grepped --kind jit)" = "$(named '/kind=jit/')" ]
}

# Prints the names of the regions whose first text strings prints with some options.
stringed() {
	procmem strings -q -t n "$TARGET_PID" "$@" | sed -n 's/^\([a-z_]*\) page 0$/\1/p' | sort -u | tr '\n' ' '
}

@test "filters of strings leave the matching regions" {
	target_start mapper
	[ "$(stringed --perms=-w-p)" = 'write_only ' ]
	[ "$(stringed --mapping='off heap')" = 'memfd ' ]
	[ "$(stringed --min-size 5M --perms rw)" = 'thp ' ]
	[ "$(stringed --min-rss 5M)" = 'thp ' ]
	[ "$(stringed --kind jit)" = "$(named '/kind=jit/')" ]
}

@test "a region has the same members in the JSON of all commands" {
	local members='{start, "end", kind, mapping, detail, owner} | with_entries(select(.value != null))' file=$BATS_TEST_TMPDIR/file
	require jq
	target_start mapper
	for which in arena data; do
		procmem map --json -q -k "$which" "$TARGET_PID" | jq -c ".regions[] | select(.detail and .rss > 0) | $members" >"$file.some"
		[ -s "$file.some" ]
		procmem grep --json -m 1 -k "$which" '[ -~]{3}' "$TARGET_PID" | jq -c .region >"$file.regions"
		procmem grep --json -l -k "$which" '[ -~]{3}' "$TARGET_PID" | jq -c .region >>"$file.regions"
		procmem strings --json -n 3 -k "$which" "$TARGET_PID" | jq -c .region | sort -u >>"$file.regions"
		rm -f "$file" && procmem dump -q --json -o "$file" "$TARGET_PID" $which >/dev/null
		json_keep dump-map "$file.map"
		jq -c '.ranges[] | {start, "end", kind, mapping, detail, owner} | with_entries(select(.value != null))' "$file.map" | sort >"$file.dumped"
		[ "$(wc -l <"$file.regions")" -ge 3 ]
		procmem map --json -q -k "$which" "$TARGET_PID" | jq -c ".regions[] | $members" >"$file.all"
		fails grep -vxFf "$file.all" "$file.regions"
		grep -q '"detail"' "$file.regions"
		diff "$file.dumped" <(sort "$file.all")
	done
}

# Prints the growth in pages of the regions that diff reports with some options.
differing() {
	(cd "$BATS_TEST_TMPDIR" && procmem diff --json ./before ./after "$@") |
		jq -r '[.regions[] | select(.delta > 1000000) | .delta / 4096] | sort | join(" ")'
}

@test "filters of diff leave the matching regions" {
	require jq
	target_start grower
	target_tell brk 10
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/before"
	target_tell map small 300
	target_tell map big 2000
	target_tell brk 500
	cat "/proc/$TARGET_PID/smaps" >"$BATS_TEST_TMPDIR/after"
	[ "$(differing)" = '300 500 2000' ]
	[ "$(differing --mapping='^\[heap\]')" = 500 ]
	[ "$(differing --kind heap)" = 500 ]
	[ "$(differing --min-size 4M)" = 2000 ]
	[ "$(differing --min-rss 1.5M)" = '500 2000' ]
	[ "$(differing --perms x)" = '' ]
	[ "$(differing --perms rw-p)" = '300 500 2000' ]
}

# Watches with some options while three regions grow; prints the growth in pages of those that it reports.
watched() {
	local line first watcher watch
	exec {watch}< <(exec "$PROCMEM_BIN" watch --json -q -i 0.1 --budget 0 -c 300 "$@" "$TARGET_PID" 3>&-)
	watcher=$!
	read -r line <&"$watch"
	first=$(jq .rss <<<"$line")
	target_tell map small 300
	target_tell map big 2000
	target_tell brk 500
	# When the totals contain the growth, so do the regions of that sample.
	until [ "$(jq .rss <<<"$line")" -ge $((first + 2800 * 4096)) ]; do
		read -r line <&"$watch"
	done
	kill "$watcher"
	printf '%s\n' "$line" >"$BATS_TEST_TMPDIR/line"
	json_keep watch "$BATS_TEST_TMPDIR/line"
	jq -r '[.regions[] | select(.growth > 1000000) | .growth / 4096] | sort | join(" ")' <<<"$line"
	target_tell unmap small
	target_tell unmap big
}

@test "filters of watch leave the matching regions" {
	require jq
	target_start grower
	target_tell brk 10
	# The heap grows in each run; in the first ones, the bounds lie between it and the larger mapping.
	[ "$(watched --min-size 7M)" = 2000 ]
	[ "$(watched --min-rss 7M)" = 2000 ]
	[ "$(watched)" = '300 500 2000' ]
	[ "$(watched --mapping '^\[heap\]')" = 500 ]
	[ "$(watched --kind heap)" = 500 ]
	[ "$(watched --perms x)" = '' ]
	[ "$(watched --perms rw-p)" = '300 500 2000' ]
}

@test "--owner works in all commands that select regions" {
	local recording=$BATS_TEST_TMPDIR/a.pmrec
	target_start texts
	run -0 procmem snap -q -o "$recording" "$TARGET_PID"
	run -0 procmem dump --owner malloc -o "$BATS_TEST_TMPDIR/dump" "$TARGET_PID" all
	run -0 procmem dump --owner file --json -q -o "$BATS_TEST_TMPDIR/files" "$TARGET_PID" all
	run -0 procmem strings -q --json --owner file "$TARGET_PID"
	jq -es 'length > 0 and all(.[]; .region.owner == "file")' <<<"$output"
	run -0 procmem grep -q --owner file ELF "$TARGET_PID"
	run -1 procmem grep -q --owner kernel 'no such text in the memory of the kernel' "$TARGET_PID"
	run -0 procmem watch --owner malloc -i 0.1 -c 2 --plain "$TARGET_PID"
	run -0 procmem diff --owner malloc "$recording" "$recording"
	run --separate-stderr -0 procmem stale --for 0.1s --yes --owner malloc --json "$TARGET_PID"
	jq -e 'all(.regions[]; .owner == "malloc")' <<<"$output"
}
