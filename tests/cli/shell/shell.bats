#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem shell` without a terminal: the syntax, commands without a TARGET, numbers, and x compared with gdb.

setup_file() {
	load ../support/helper
	target_start values
	export TARGET_PID TARGET_FACTS
}

teardown_file() {
	targets_stop
}

setup() {
	load ../support/helper
	START=0x$(target_range values)
	START=${START%-*}
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

# Prints an address within the target's known memory: `at pointers 8`.
at() {
	printf '0x%x\n' "$((START + $(target_fact offset "$1") + ${2:-0}))"
}

shell() {
	procmem shell "$@" "$TARGET_PID"
}

# Prints the output of gdb for some of its commands.
in_gdb() {
	local command words=()
	require gdb
	for command; do
		words+=(-ex "$command")
	done
	LC_ALL=C gdb -nx -batch -p "$TARGET_PID" "${words[@]}" 2>/dev/null | grep '^0x[0-9a-f]*\( <[^>]*>\)\{0,1\}:' || true
}

@test "commands need no TARGET, and print the same as outside of a session, except for the numbers" {
	shell -c 'map --csv -s address -o start,end,size,perm,kind' >both
	procmem map --csv -s address -o start,end,size,perm,kind "$TARGET_PID" >alone
	diff alone both
	run -0 shell -c 'map -n 3 -s size -o address,size,perm,kind,mapping'
	[[ ${lines[1]} =~ ^ID\ +ADDRESS ]]
	[[ ${lines[2]} == "#r1 "* && ${lines[4]} == "#r3 "* ]]
	procmem map -n 3 -s size -o address,size,perm,kind,mapping "$TARGET_PID" | sed -n 2,5p >alone
	shell -c 'map -n 3 -s size -o address,size,perm,kind,mapping' | sed -n '2,5s/^.\{4\}//p' >both
	diff alone both
}

@test "-c, -f and standard input run the same commands" {
	printf 'map -n 1 -q --csv -s size -o start,size\n# nothing\ndump --hex %s+16; x/2xg %s' "$START" "$START" >script
	shell -f script >one
	shell <script >two
	shell -c "$(cat script)" >three
	shell -c 'map -n 1 -q --csv -s size -o start,size' -c "dump --hex $START+16" -c "x/2xg $START" >four
	[ "$(wc -l <one)" -eq 5 ]
	diff one two
	diff one three
	diff one four
	run -0 procmem shell -c 'source script' "$TARGET_PID"
	[ "$output" = "$(cat one)" ]
}

@test "the first error ends the session without -k; the exit status is that of the last command" {
	run --separate-stderr -2 shell -c 'info; nonsense; info'
	[ "$(grep -c '^process' <<<"$output")" -eq 1 ]
	[[ $stderr == *"unknown command 'nonsense'"* ]]
	run --separate-stderr -0 shell -k -c 'info; nonsense; info'
	[ "$(grep -c '^process' <<<"$output")" -eq 2 ]
	run -2 shell --keep-going -c 'info; mapp'
	[[ $output == *"did you mean 'map'"* ]]
	# Finding nothing is not an error.
	run -1 shell -c 'grep no-such-text-anywhere anon'
	run -0 shell -c 'grep no-such-text-anywhere anon; info'
	run -1 shell -c 'info; !exit 1'
	run -2 shell -c '!exit 7'
	printf 'info\nnonsense\ninfo\n' >script
	run --separate-stderr -2 shell -f script
	[[ $stderr == *"stopped at "*"script, line 2"* ]]
	run -2 shell -f no-such-file
	[[ $output == *"cannot read no-such-file"* ]]
	run -2 procmem shell -c info no-such-process-at-all
	run -0 shell -c 'info; quit; nonsense'
}

@test "words are quoted as in sh, and unsupported characters are rejected" {
	run -0 shell -c "grep -c 'plain|with' anon; grep -c \"plain text\" 'anon' ; grep -c plain\\ text an'o'\"n\" # a comment | >"
	[[ ${lines[0]} == *" 2  "* && ${lines[1]} == *" 1  "* && ${lines[2]} == *" 1  "* ]]
	run -2 shell -c "grep 'plain"
	[[ $output == *"the closing quote (') is missing"* ]]
	for line in 'map < x' 'map & info' 'map |' 'map >' '| less' 'map 2>x' 'map > a b' '!'; do
		run -2 shell -c "$line"
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "procmem: "* ]]
	done
}

@test "a number sign starts a comment before a space and where a command is expected, otherwise a word" {
	run -1 --separate-stderr shell -c $'#!/a/script\n#nonsense\n # nonsense\ninfo >/dev/null #\ngrep -s #no-such-text anon # nonsense'
	[ -z "$stderr" ]
	run -0 shell -c '!echo one; echo two #3' -c 'info >/dev/null #'
	[ "$output" = $'one\ntwo' ]
}

@test "a command of sh does not read the rest of the session" {
	run -0 shell <<<$'!cat\n!echo still'
	[ "$output" = still ]
	run -0 procmem shell -c '!cat' "$TARGET_PID" <<<'for cat'
	[ "$output" = 'for cat' ]
}

@test "output goes to a pipe or a file, which only its owner can read" {
	umask 000
	shell -c 'map --csv -n 2 > out; map --csv -n 1 | sed "s/^/;/" | cat -n; map --csv --no-header -n 1 >>out; !echo "to sh; as is"' >here
	[ "$(wc -l <out)" -eq 4 ]
	[ "$(stat -c %a out)" = 600 ]
	[[ $(sed -n 1p here) == *"1"*";address"* ]]
	[ "$(tail -1 here)" = "to sh; as is" ]
	ln -s out link
	run -2 shell -c 'map > link'
	[[ $output == *"it is a symbolic link"* ]]
	run -2 shell -c 'map > no/such/folder'
	# A reader that closes the pipe is not an error, and does not end the session.
	run -0 shell -c 'map -a | head -n 1; map -a | true; info'
	[[ $output == *"process    $TARGET_PID"* ]]
}

@test "hits and regions have numbers, which later commands accept" {
	run -0 shell -c "grep 'plain|with' anon; hits; dump --hex #2; dump --hex #2+2; x/s #1; x/1xg #1-0x200; x/s #1+11; grep -c text #1"
	[ "${lines[0]%% *}" = '#1' ]
	[[ ${lines[1]} == "#2 "*"$(printf %x "$(at texts 11)") "* ]]
	[[ ${lines[3]} == "#2 "*"4B  with" ]]
	[[ ${lines[4]} == *"77 69 74 68   "*"|with|" ]]
	[[ ${lines[6]} == *"77 69   "*"|wi|" ]]
	[ "${lines[8]}" = "$START:"$'\t''0x0000000000000000' ] || [ "${lines[8]}" = "$(at texts):"$'\t''"plain text"' ]
	[[ $output == *$'\t''"with \"quotes\", a tab\x09 and a newline\x0a"'* ]]
	[[ ${lines[-1]} == *" 1  "*anon* ]]
	run -0 shell -c 'map -n 3 -q; regions; map #r2; dump --raw #r1+4 | wc -c; dump --raw #r3+0x10 | wc -c'
	second=$(sed -n '4s/^#r2 \([0-9a-f-]*\).*/\1/p' <<<"$output")
	[[ $output == *$'\n'"#r2 $second  "*"RSS"* ]]
	[[ ${lines[-2]} -eq 4 && ${lines[-1]} -eq 16 ]]
	for words in 'dump #1' 'grep x #r9999' 'dump #99999999999999999999'; do
		run -2 shell -c "$words"
		[[ $output == *"there is no #"* ]]
	done
	# A quoted number is a pattern.
	run -1 shell -c "grep '#3456' anon"
	run -2 --separate-stderr procmem shell -c 'map -n 1; headroom #r1' "$TARGET_PID"
	[ "$stderr" = 'procmem: headroom cannot use #r1: this command takes no regions' ]
}

@test "a pipe receives the bytes of a dump, and with --hex the text" {
	[ "$(shell -c "grep plain anon >/dev/null; dump #1 | cat")" = plain ]
	run -0 shell -c "grep plain anon >/dev/null; dump --hex #1 | cat"
	[[ $output == *" 70 6c 61 69 6e "*"|plain|"* ]]
}

@test "an offset and a length can follow a number" {
	find="grep 'plain|with' anon >/dev/null"
	expect() {
		[ "$(shell -c "$find; dump --raw $1" | tr '\0' .)" = "$2" ]
	}
	expect '#2-11' 'plain text.with'
	expect '#2-0xb' 'plain text.with'
	expect '#2-11+5' plain
	expect '#1+0xb+4' with
	expect '#1+4' plai
	expect '#1-#2' 'plain text.with'
	run -0 shell -c "$find; x/s #2-11; x/s #2-12+1; map #2-11+64"
	[[ ${lines[0]} == *'"plain text"' && ${lines[1]} == "${lines[0]}" ]]
	# The other number is an address, as in listings.
	expect "#1-$(printf %x "$(at texts 4)")" plai
	for words in 'dump #1+1+2+3' 'dump #1+4-2' 'dump #1-#2+3' 'dump #1+0xffffffffffffffff+1'; do
		run -2 shell -c "$find; $words"
		[[ $output == *"${words#dump }' has too many terms: "* || $output == *"is outside of the address space"* ]]
	done
	for words in 10-20+30 10+20-30 10+20+30; do
		run -2 shell -c "dump $words"
		[[ $output == *"'$words' is not a REGION: "*ADDR+LEN* ]]
	done
}

@test "regions that grep counts or lists have numbers, too" {
	run -0 shell -c "grep -c 'plain|with' anon; map #r1; grep -l plain; dump --hex #r1+16; regions; grep -c --json plain anon | head -n 1"
	[[ ${lines[0]} =~ ^'#r1          2  '(0x)?${START#0x}- ]]
	[[ ${lines[1]} == "#r1 ${START#0x}-"* ]]
	[ "$(grep -cE "^#r1 +${START#0x}-" <<<"$output")" -eq 3 ]
	[[ $output == *"${START#0x} "*'00 00 00 00'* ]]
	jq -e '.count == 1' <<<"${lines[-1]}"
	# Outside of a session the output has no numbers.
	run -0 procmem grep -c 'plain|with' "$TARGET_PID" anon
	[[ ${lines[0]} == "       2  ${START#0x}-"* ]]
}

@test "a region has the same number in the next listing" {
	run -0 shell -c 'map -s address --no-header -a; map -s size --no-header -n 3'
	while read -r number range _; do
		[ "$(grep -c "^$number  *$range " <<<"$output")" -eq 2 ]
	done < <(tail -3 <<<"$output")
}

@test "watch and diff number the regions that changed as map does" {
	target_start leaker merged 8388608
	procmem snap -q -o before "$TARGET_PID"
	run -0 procmem shell -c 'watch -i 0.3 -c 4 -q; diff -n 1 before; map #r1' -k "$TARGET_PID"
	[ "$(grep -c '^ID *ADDRESS' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^ID *CHANGE' <<<"$output")" -eq 1 ]
	# The region grows downwards, and remains the same region.
	first=$(awk '$1 == "#r1" && $2 ~ /-/ { print $2; exit }' <<<"$output")
	second=$(awk '$1 == "#r1" && $2 ~ /^(grew|new)$/ { print $3 }' <<<"$output")
	[ -n "$first" ]
	[ "${first#*-}" = "${second#*-}" ]
}

@test "the number of a row of watch that covers several regions refers to all of them" {
	target_start leaker threads 20
	run -0 --separate-stderr procmem shell -c 'watch -q -i 0.2 -c 8 stack; dump --raw #r1 | wc -c' \
		-c 'map --csv --no-header -o size,kind #r1' "$TARGET_PID"
	local others listed bytes
	others=$(sed -n 's/^#r1 [0-9a-f-]* +\([0-9]*\) .*stack .*/\1/p' <<<"$output")
	[ "$others" -gt 1 ]
	listed=$(grep '^[0-9]*,stack$' <<<"$output")
	[ "$(wc -l <<<"$listed")" -eq $((others + 1)) ]
	bytes=$(grep -x '[0-9]*' <<<"$output")
	[ "$bytes" -eq "$(awk -F , '{ sum += $1 } END { print sum }' <<<"$listed")" ]
}

@test "a signal that ends the program during watch ends the session" {
	for signal in INT TERM HUP; do
		# The only child of the session is this watch; a background job of a shell would ignore SIGINT.
		python3 - "$signal" "$PROCMEM_BIN" shell -c 'watch --plain -i 600; !echo went-on' "$TARGET_PID" >out <<-'END'
			import signal, subprocess, sys
			signal.alarm(60)
			session = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
			print(session.stdout.readline())
			session.send_signal(getattr(signal, 'SIG' + sys.argv[1]))
			print(session.stdout.read(), 'status', session.wait())
		END
		grep -q 'ended: interrupted' out
		! grep -q went-on out || { echo "$signal: $(cat out)" && false; }
		grep -q 'status 0$' out
	done
}

@test "set adds options to a command, and removes them" {
	run -0 shell -c 'set map --csv --no-header -n 2; map; set; set map; map --csv -n 1; set'
	[ "${#lines[@]}" -eq 5 ]
	[ "${lines[2]}" = 'set map --csv --no-header -n 2' ]
	[[ ${lines[3]} == address,* ]]
	run -2 shell -c 'set nonsense'
}

@test "no target is added to a command that has all its operands" {
	target_start mapper
	first=$(procmem shell -c "headroom --json $TARGET_PID" "$PPID" | jq .pid)
	[ "$first" = "$TARGET_PID" ]
	run -0 procmem shell -c 'snap -q -o before; diff --json before > diff' "$TARGET_PID"
	[ "$(jq .after.pid diff)" = "$TARGET_PID" ]
	json_keep diff diff
	# The pattern can be given by an option.
	run -0 procmem shell -c "grep -m 1 -e memfd -q; grep -q -m 1 memfd; grep --regexp=memfd -q" "$TARGET_PID"
}

@test "attach, detach and info" {
	run -0 procmem shell -c "info; attach $TARGET_PID; info; detach; info"
	[[ ${lines[0]} == "nothing is attached"* ]]
	[[ $output == *"values ($TARGET_PID): 1 thread, RSS "* ]]
	[[ $output == *"process    $TARGET_PID values"* ]]
	[ "$(grep -c 'nothing is attached' <<<"$output")" -eq 2 ]
	for words in stop cont x "x 0x1000" 'attach no-such-process-at-all' attach 'attach 1 2' 'detach x'; do
		run -2 procmem shell -c "$words"
		[ "${#lines[@]}" -ge 1 ]
	done
	# Without a target, commands accept a TARGET.
	run -0 procmem shell -c "map -n 1 --csv $TARGET_PID"
	[ "${#lines[@]}" -eq 2 ]
	run -2 procmem shell -c 'shell'
}

@test "a core file and saved text can be attached" {
	procmem dump -q --core -o core "$TARGET_PID"
	run -0 procmem shell -c "attach core; x/2xg $START; grep -c 'plain text' anon; info" 
	[[ $output == *"$START:"$'\t'"0x0000000000000000"$'\t'"0x0000000000000001"* ]]
	[[ $output == *"$BATS_TEST_TMPDIR/core"* ]]
	cat "/proc/$TARGET_PID/smaps" >smaps
	run -0 procmem shell -c 'map --csv -n 1' smaps
	run -2 procmem shell -c stop smaps
}

@test "a sample of a recording can be attached, and commands that need memory or a process report that" {
	local command other=$BATS_TEST_TMPDIR/a@b
	require jq
	target_start grower
	mkdir "$other"
	procmem snap -q -o "$other/run.pmrec" "$TARGET_PID"
	target_tell brk 500
	procmem snap -q -o "$other/run.pmrec" "$TARGET_PID"
	cd "$other"
	run -1 procmem shell -c 'attach run.pmrec@1; info; map --json -n 1 > one; detach' \
		-c 'attach run.pmrec; map --json -n 1 > last; diff -q run.pmrec@1 > changed'
	[[ ${lines[0]} == "run.pmrec@1: a recording, for 'map' and 'diff'" ]]
	[[ ${lines[1]} == "file       $other/run.pmrec@1" ]]
	[ "$(jq .sample one last | tr '\n' ' ')" = '1 2 ' ]
	json_keep map one last
	[[ $(sed -n 2p changed) == "after:  grower ($TARGET_PID), sample 2 of $other/run.pmrec, "* ]]
	# Regions of a file get no numbers, because no other command could use them.
	[[ $(sed -n 3p changed) == 'CHANGE ADDRESS '* ]]
	grep -q '^grew .* heap ' changed
	# The session keeps the absolute path, which is valid in any directory.
	run -1 procmem shell -c 'diff -n 0 run.pmrec' run.pmrec@first
	[[ ${lines[1]} == *"sample 1 of $other/run.pmrec"* ]]
	for command in grep\ x strings 'dump all' 'x/4x 0x1000'; do
		run -2 procmem shell -c "$command" run.pmrec@1
		[[ $output == *"run.pmrec@1 is a recording, which has sizes but no contents of memory: read it with 'procmem map'"* ]]
	done
	for command in watch headroom 'snap -o out'; do
		run -2 procmem shell -c "$command" run.pmrec@1
		[[ $output == *"run.pmrec@1 is a recording, not a living process: read it with 'procmem map'"* ]]
	done
	run -2 procmem shell -c info run.pmrec@3
	[[ $output == *'run.pmrec has no sample 3; its samples are numbered from 1 to 2'* ]]
	procmem dump -q --core -o core "$TARGET_PID"
	run -2 procmem watch -c 1 ./core
	[[ $output == *'core is a core file, not a living process'* ]]
	run -2 procmem shell -c 'diff run.pmrec' core
	[[ $output == *'core is a core file, which has no resident sizes'* ]]
	run -2 procmem headroom ./one
	[[ $output == *'./one is a file, not a living process'* ]]
}

@test "stop stops the target for all commands, and it continues at the end of the session" {
	# A thread that continues runs for a moment before it sleeps again.
	sleeps() { until grep -q '^State:.S' "/proc/$TARGET_PID/status"; do [ "$SECONDS" -lt 30 ] || return 1; done; }
	SECONDS=0
	run -0 shell -c stop -c "!grep ^State /proc/$TARGET_PID/status" \
		-c "dump --hex --stop $START+16; grep --stop -q plain; info; stop; cont" -c cont
	[[ $output == *"values is stopped (1 thread)"* ]]
	[[ $output == *"t (tracing stop)"* ]]
	[[ $output == *"the process stays stopped (1 thread)"* ]]
	[[ $output == *"stopped by this session"* ]]
	[[ $output == *"values runs again; it was stopped for "* ]]
	sleeps
	shell -c stop
	sleeps
	shell -c 'stop; nonsense' || true
	sleeps
	# When another target is attached, the first one continues.
	run -0 shell -c "stop; attach $PPID" -c "!timeout 30 sh -c 'until grep -q ^State:.S /proc/$TARGET_PID/status; do :; done'"
}

@test "a stopped target continues when the session is killed while a command runs" {
	local command signal line session output
	sleeps() { until grep -q '^State:.S' "/proc/$TARGET_PID/status"; do [ "$SECONDS" -lt 30 ] || return 1; done; }
	for signal in KILL TERM HUP QUIT SEGV; do
		# The command that it was running ends too.
		for command in 'watch --plain -i 600' 'grep no-such-text'; do
			SECONDS=0
			exec {output}< <(exec "$PROCMEM_BIN" shell -c stop -c "$command" -c '!exec tail --pid=$PPID -f /dev/null' "$TARGET_PID" 3>&-)
			session=$!
			read -r line <&"$output"
			[[ $line == 'values is stopped'* ]]
			kill -s "$signal" "$session"
			sleeps
			exec {output}<&-
			kill -KILL "$session" 2>/dev/null || true
		done
	done
}

@test "a core file of a target that the session has stopped contains the registers" {
	run -0 --separate-stderr shell -c 'stop; dump --core -o core; cont'
	[ -z "$stderr" ]
	run -0 --separate-stderr shell -c 'dump --core -o without'
	[[ $stderr == *'has no registers, except the stack pointers and program counters of sleeping threads'* ]]
	require gdb
	known() { gdb -nx -batch -c "$1" -ex 'info registers' 2>/dev/null | grep -cvE '^[a-z0-9_]+ +0x0 '; }
	[ "$(known core)" -gt "$(known without)" ]
}

@test "hits and regions report that there are none" {
	run -1 shell -c 'hits'
	[[ $output == "procmem: note: there are no hits yet; run 'grep' or 'strings' first" ]]
	run -1 shell -c 'regions'
	[[ $output == "procmem: note: no region has a number yet; run 'map', 'watch' or 'diff' first" ]]
}

@test "the exit of the target is noticed, and nothing is attached any more" {
	target_start values
	run --separate-stderr -2 procmem shell -k -c info -c "!kill -9 $TARGET_PID; tail --pid=$TARGET_PID -f /dev/null" -c map "$TARGET_PID"
	[[ $stderr == *"process $TARGET_PID exited: nothing is attached now"* ]]
	[[ $stderr == *"map: nothing is attached; use 'attach PID' or 'attach NAME'"* ]]
	for words in 'grep text' 'grep -e text' strings dump headroom snap; do
		run -2 procmem shell -c "$words"
		[[ $output == *": nothing is attached; use 'attach PID' or 'attach NAME'"* ]]
	done
	run -2 procmem shell -c grep
	[[ $output == *"grep needs a PATTERN"* ]]
	run -0 procmem shell -c 'map --help'
}

@test "an exec of the target is noticed, and the target is the new program" {
	# The session reads commands one by one, so the target can change between two of them.
	program_start bash -c 'read -r; exec sleep 1000'
	printf 'map -n 1 -q\n!echo >/proc/%s/fd/0; until grep -q sleep /proc/%s/comm; do :; done\ninfo\nmap -n 1\n' \
		"$TARGET_PID" "$TARGET_PID" >script
	run --separate-stderr -0 procmem shell -f script "$TARGET_PID"
	[[ $stderr == *"process $TARGET_PID called exec and now runs sleep"* ]]
	[[ $output == *"0 hits, 0 regions"* && $output == *"sleep 1000"* ]]
}

@test "x prints numbers as gdb does, in each format and size" {
	local commands=() ours=() format size
	for format in x d u o t c f; do
		for size in b h w g; do
			commands+=("x/11$format$size $START")
		done
	done
	commands+=("x/5fg $(at floats)" "x/4fw $(at floats 40)" "x/3x $START" 'x' "x/1xg $(at integers 40)" "x/2ub $(at texts)")
	in_gdb "${commands[@]}" >gdb
	[ "$(wc -l <gdb)" -gt 70 ]
	printf '%s\n' "${commands[@]}" | shell >ours
	diff gdb ours
}

@test "x prints strings as gdb does, and bytes that are not text as grep does" {
	commands=("x/6s $(at texts)" "x/s $(at texts 13)" 'x')
	in_gdb "${commands[@]}" >gdb
	[ "$(wc -l <gdb)" -eq 8 ]
	printf '%s\n' "${commands[@]}" | shell >ours
	# gdb prints such bytes in octal, and this locale has no encoding.
	sed -i 's/\\t/\\x09/; s/\\n/\\x0a/; s/\\033/\\x1b/; s/\\177/\\x7f/' gdb
	[ "$(grep -o '\\x[0-9a-f]\{2\}' gdb | sort -u | wc -l)" -eq 4 ]
	diff gdb <(sed 's/ö/\\303\\266/; s/ß/\\303\\237/' ours)
	run -0 shell -c "grep -o 'tab\s+and a newline\s' anon"
	[[ $output == *'tab\x09 and a newline\x0a'* ]]
}

@test "x/a names symbols as gdb does, and regions" {
	in_gdb "x/6ag $(at pointers)" | sed 's/^[^:]*:\t//' | tr '\t' '\n' >gdb
	[ "$(wc -l <gdb)" -eq 6 ]
	shell -c "x/6a $(at pointers)" | sed 's/^[^:]*:\t//; s/  .*//' >ours
	diff gdb ours
	run -0 shell -c "x/9a $(at pointers)"
	[[ ${lines[0]} == *"<global_function>  code values" ]]
	[[ ${lines[2]} == *"<global_data+2>  data values" ]]
	[[ ${lines[4]} == *"<local_zeroed>  bss" ]]
	[[ ${lines[6]} == *"strtol+2>  code libc.so.6" ]]
	[[ ${lines[8]} == *"$(printf %x $((START + 16)))  anon" ]]
}

@test "symbols are those that gdb finds, in the program and in its libraries" {
	local name offset
	require gdb
	for name in global_function local_function global_data local_zeroed strtol; do
		printf 'info symbol 0x%x\n' $((0x$(target_fact symbol "$name") + 1))
	done >commands
	LC_ALL=C gdb -nx -batch -p "$TARGET_PID" -x commands 2>/dev/null | sed -n 's/^\([a-zA-Z_]*\) + \([0-9]*\) in section.*/\1+\2/p' >gdb
	[ "$(wc -l <gdb)" -eq 5 ]
	for name in global_function local_function global_data local_zeroed; do
		grep -qx "$name+1" gdb
	done
	# If a function has several names, gdb can print another one of them.
	[ "$(grep -c '+1$' gdb)" -eq 5 ]
}

@test "x continues to the end of readable memory and reports why it stops" {
	local end
	end=0x$(target_range values | cut -d- -f2)
	run --separate-stderr -2 shell -c "x/4xg $(printf '0x%x' $((end - 16)))"
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[[ $stderr == *"$end cannot be read: nothing is mapped there"* ]]
	run -2 shell -c 'x/4xg 0x10'
	run -2 shell -c "x/3i $START"
	[[ $output == *"cannot show instructions"* ]]
	run -2 shell -c "x/q $START"
	run -2 shell -c "x/hs $START"
	run -2 shell -c "x/x $START $START"
	# Memory that was never touched is zeros, and remains untouched.
	before=$(grep VmRSS "/proc/$TARGET_PID/status")
	run -0 shell -c "x/2xg $(at untouched 64)"
	[[ $output == *$'\t0x0000000000000000\t0x0000000000000000' ]]
	[ "$(grep VmRSS "/proc/$TARGET_PID/status")" = "$before" ]
}

@test "help describes each command" {
	run -0 shell -c help
	for command in $(procmem --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p'); do
		[ "$command" = shell ] || [[ $output == *"  $command "* ]]
	done
	for command in attach detach stop cont info x hits regions set source history clear help quit; do
		[[ $output == *"  $command "* ]]
		run -0 shell -c "help $command"
		[[ $output == "Usage: $command"* ]]
		run -0 shell -c help
	done
	[[ $(sed -n '/for the target/,/^$/p' <<<"$output") != *"  ps "* ]]
	run -0 shell -c 'help map'
	[[ $output == "Usage: procmem map "* ]]
	run -2 shell -c 'help nonsense'
	run -0 shell -c 'history; history 3'
}

@test "a file that sources itself is an error" {
	echo 'source loop' >loop
	run -2 shell -f loop
	[[ $output == *"runs itself"* ]]
}

@test "the same commands a hundred times leave nothing open" {
	for i in $(seq 100); do
		echo "map -n 1 --csv > /dev/null; map --kind > /dev/null; grep -q plain anon; dump $START+16 > /dev/null;" \
			"x/1x $START > /dev/null; stop; cont > /dev/null"
	done >script
	echo '!ls /proc/$PPID/fd | wc -l; ls /proc/$PPID/task | wc -l' >last
	first=$(cat <(head -1 script) last | shell -k 2>/dev/null | tail -2)
	[ "$(cat script last | shell -k 2>/dev/null | tail -2)" = "$first" ]
}
