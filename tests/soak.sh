#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: tests/soak.sh [--build FOLDER] [--seed N] DURATION
#
# Runs random commands for DURATION (30s, 10m, 2h) on targets that change all the time, and ends
# some of the commands by signals. After each command it checks that
# - the exit status is a documented one
# - no sanitizer reported an error
# - the target is neither stopped nor traced
#
# At the end it checks that no process or file is left, and that a watch and a shell that ran all
# the time have not grown in memory or descriptors. It prints the seed; the same seed repeats the
# same commands.
set -u

usage() {
	echo "usage: ${0##*/} [--build FOLDER] [--seed N] DURATION" >&2
	exit 2
}

cd "$(dirname "$0")/.." || exit 2
build=build/asan seed=$$ duration=
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=${2:?} && shift ;;
	--seed) seed=${2:?} && shift ;;
	*[0-9]s) duration=${1%s} ;;
	*[0-9]m) duration=$((${1%m} * 60)) ;;
	*[0-9]h) duration=$((${1%h} * 3600)) ;;
	*) usage ;;
	esac
	shift
done
[ -n "$duration" ] || usage
build=$(cd "$build" && pwd) || exit 2
procmem=$build/cmd/procmem
export LC_ALL=C TZ=UTC TERM=dumb
# Freed memory must be reused soon, or the sizes below would be those of the quarantine of the
# sanitizer.
ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:detect_stack_use_after_return=1
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1
export ASAN_OPTIONS UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

scratch=$(mktemp -d)
files=$scratch/files
mkdir "$files"
pids=() names=() runs=0 failures=0
finish() {
	[ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'echo "soak: SIGTERM" >&2; exit 143' TERM

echo "soak: seed $seed, ${duration}s, $procmem"
state=$((seed * 2654435761 % 4294967296))

# Sets `number` to a number less than $1.
choose() {
	state=$(((state * 1103515245 + 12345) % 4294967296))
	number=$(((state >> 12) % $1))
}

# Sets `word` to one of the arguments.
pick() {
	choose $#
	word=${*:number + 1:1}
}

fail() {
	echo "soak: run $runs: $*" >&2
	failures=$((failures + 1))
}

# --- targets ---

# Starts a target; commands for its stdin follow `--`.
start() {
	local output words=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do words+=("$1") && shift; done
	shift
	output=$scratch/target.${#pids[@]}
	mkfifo "$output.in"
	exec {in}<>"$output.in"
	[ $# -eq 0 ] || printf '%s\n' "$@" >&"$in"
	"$build/tests/targets/${words[0]}" "${words[@]:1}" <&"$in" >"$output" 2>&1 &
	pids+=($!)
	names+=("${words[*]}")
	for _ in $(seq 300); do
		! grep -q '^ready' "$output" || return 0
		sleep 0.1
	done
	echo "soak: ${words[*]} is not ready: $(tail -n 1 "$output")" >&2
	exit 2
}

# Prints the lines of status of stopped or traced threads of the targets.
list_held() {
	local pid folders=()
	for pid in "${targets[@]}"; do folders+=(/proc/"$pid"/task/*/status); done
	grep -E '^State:.*stop|^TracerPid:.*[1-9]' "${folders[@]}" 2>/dev/null
}

# The kernel detaches the threads of a killed tracer one by one.
assert_free() {
	local pid held
	for try in $(seq 50); do
		held=$(list_held)
		[ -n "$held" ] || break
		[ "$try" -lt 50 ] || fail "stopped or traced: $held"
		sleep 0.1
	done
	for pid in "${targets[@]}"; do
		kill -0 "$pid" 2>/dev/null || fail "process $pid ended"
	done
}

# --- commands ---

# Sets `line` to a random command for process $1.
make_words() {
	local file=$files/$RANDOM_NAME region
	pick all heap anon stack file code '[stack]' 0x200000010000 0x200000010000+1M nonsense
	region=$word
	pick map ps dump dump core strings grep watch watch snap diff headroom stale shell
	case $word in
	map)
		pick '' --why '-k anon' '--by kind' --pmap --json "$region" "-a $region" &&
			line="map $word $1"
		;;
	ps) pick '' --all --json '-n 3' && line="ps $word" ;;
	dump)
		pick '' --stop --whole-files --hex --json '--stop --json' &&
			line="dump $word $1 $region" && pick "-o $file" --raw '' &&
			line="$line $word"
		;;
	core) pick '' --stop --respect-filter && line="dump --core $word -o $file $1" ;;
	strings) pick '' '-n 20' -u '-e all' --stop --json && line="strings $word $1 $region" ;;
	grep)
		pick -c '-m 3' '-C 32' --json -l -q '--stop -c' --wide &&
			line="grep $word page\\s[0-9]+ $1 $region"
		;;
	watch)
		pick '' "--record $file" '--peek 3' --json '--on rss>1K --do exit' \
			"--on rss>1K --do dump:$file" "--on rss>1K --do snap:$file" \
			'--on grow>1K/1s --do exec:true' && line="watch -c 3 -i 0.2 $word $1"
		;;
	snap) line="snap -o $file $1" ;;
	diff) line="diff $1 $1" ;;
	headroom) pick '' --json "--for 1s" && line="headroom $1" ;;
	stale) pick '' --json '--by kind' '--by mapping' -v && line="stale --for 0.3s $word $1" ;;
	shell)
		pick 'stop;map;cont' 'stop;strings' 'info;map;regions' 'stop;ps' &&
			line="shell -k -c $word $1"
		;;
	esac
}

# Ends a command in the background by a signal after a short time.
end_early() {
	choose 40
	sleep "0.$(printf '%02d' "$number")"
	pick INT INT TERM HUP KILL
	signal=$word
	# timeout forwards all signals except this one.
	[ "$signal" != KILL ] || set -- "$(pgrep -P "$1")"
	kill -"$signal" "$1" 2>/dev/null
}

run_one() {
	local pid status signal=none early
	choose ${#targets[@]}
	local target=${targets[number]}
	RANDOM_NAME=file.$((runs % 7))
	make_words "$target"
	rm -rf "$files"
	mkdir "$files"
	choose 4
	early=$number
	# The line is split at spaces on purpose.
	# shellcheck disable=SC2086
	set -f && exec env --default-signal timeout -k 20 120 "$procmem" $line \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
	[ "$early" -ne 0 ] || end_early "$pid"
	wait "$pid" 2>/dev/null
	status=$?
	case $status in
	0 | 1 | 2) ;;
	129 | 130 | 143) [ $signal != none ] || fail "status $status: $line" ;;
	137) [ $signal = KILL ] || fail "status $status, $signal does not end it: $line" ;;
	*) fail "status $status, sent $signal: $line: $(tail -n 3 "$scratch/err")" ;;
	esac
	! grep -qE 'Sanitizer|runtime error|Assert' "$scratch/err" || {
		fail "$line"
		cat "$scratch/err" >&2
	}
	[ $status -ne 2 ] || [ -s "$scratch/err" ] || fail "status 2 without a message: $line"
	[ $signal = KILL ] || [ -z "$(find "$files" -name '.*.??????')" ] ||
		fail "a temporary file is left: $line"
}

# --- commands that run all the time ---

# Prints the number of descriptors and the resident KiB of a process.
holds() {
	printf '%s %s\n' "$(find "/proc/$1/fd" -mindepth 1 | wc -l)" \
		"$(awk '/^VmRSS:/ { print $2 }' "/proc/$1/status")"
}

# Sends a few commands to the shell, and waits until they are done.
feed_shell() {
	printf '%s\n' 'map -n 3 > /dev/null' "grep -c 'page [0-9]+' > /dev/null" \
		'strings -n 30 | tail -n 1 > /dev/null' 'stop' 'x/4gx #1 > /dev/null' 'cont' \
		'watch -c 2 -i 0.1 > /dev/null' "!: > $scratch/fed" >&"$shell_in"
	for _ in $(seq 600); do
		[ ! -e "$scratch/fed" ] || break
		sleep 0.1
	done
	rm "$scratch/fed" 2>/dev/null || fail 'the shell does not respond'
}

compare() {
	local name=$1 before=$2 after=$3
	[ "${before% *}" -ge "${after% *}" ] ||
		fail "$name has ${after% *} descriptors, and had ${before% *}"
	# A long watch stores more. A leak of a few hundred bytes per run exceeds this in ten
	# minutes.
	[ "${after#* }" -le $((${before#* } * 5 / 4 + 16384)) ] ||
		fail "$name has ${after#* } KiB, and had ${before#* }"
	echo "soak: $name: $before -> $after (descriptors, KiB)"
}

start restless remap --
start restless fork --
start restless exec --
start leaker churn 1000000 --
start busy 40 -- churn
start hostile_names --
start many_regions 3000 30 map --
targets=("${pids[@]}")
mkfifo "$scratch/shell"
"$procmem" watch -i 0.3 --peek 2 --record "$scratch/long.pmrec" "${targets[0]}" \
	>/dev/null 2>"$scratch/watch.err" &
watch=$!
"$procmem" shell -k "${targets[5]}" <"$scratch/shell" >/dev/null 2>"$scratch/shell.err" &
shell=$!
exec {shell_in}>"$scratch/shell"
pids+=("$watch" "$shell")
feed_shell
feed_shell
sleep 2
watch_before=$(holds $watch) shell_before=$(holds $shell)

begin=$SECONDS
while [ $((SECONDS - begin)) -lt "$duration" ] && [ "$failures" -lt 5 ]; do
	runs=$((runs + 1))
	run_one
	assert_free
	[ $((runs % 10)) -ne 0 ] || feed_shell
done

feed_shell
compare watch "$watch_before" "$(holds $watch)"
compare shell "$shell_before" "$(holds $shell)"
kill -TERM $watch
wait $watch || fail "watch ended with $?: $(tail -n 1 "$scratch/watch.err")"
exec {shell_in}>&-
wait $shell
[ $? -le 2 ] || fail "the shell ended: $(tail -n 3 "$scratch/shell.err")"
grep -E 'Sanitizer|runtime error' "$scratch/watch.err" "$scratch/shell.err" &&
	fail 'a sanitizer reported an error'
pids=("${targets[@]}")
assert_free
left=$(find /proc/[0-9]*/exe -lname "$procmem" 2>/dev/null | wc -l)
[ "$left" -eq 0 ] || fail "$left procmem processes are left"
echo "soak: seed $seed: $runs runs, $failures failures"
[ "$failures" -eq 0 ]
