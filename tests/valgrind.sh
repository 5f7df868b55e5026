#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: tests/valgrind.sh [--build FOLDER] [--jobs N] [FILE[:TEST]]...
#
# Runs the command tests with every procmem in memcheck: all tests, those of a FILE (map/map), or
# those of a FILE whose name contains a text (map/map:figure). A test fails as usual, or if memcheck
# finds an error, a definite leak, or a descriptor that is open at the end. Takes twenty minutes on
# two cores. Tests with the tag `timed` are excluded: the programs are too slow for them.
#
# valgrind 3.19 does not know pidfd_open(2), which fails as on an old kernel.
set -u

usage() {
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
}

# The excluded tests: file, start of the name (empty: all tests of the file), reason.
left_out() {
	cat <<-'END'
		attack/attack|sixteen descriptors|valgrind needs more itself
		attack/attack|closed stdin, stdout and stderr|valgrind puts its own files there
		attack/targets|ten thousand threads|each sample takes minutes
		headroom/headroom|a signal ends --for early|in valgrind, signals are caught from the start
		main|a closed standard output|valgrind puts its own files there
		memory||the memory of valgrind is counted, too
		watch/killed||most watchers must take a second sample before they are killed
		watch/screen|Ctrl-Z stops it|raise(SIGTSTP) does not stop a process in valgrind
	END
}

cd "$(dirname "$0")/.." || exit 2
build=build/dev jobs=$(nproc) wanted=()
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=${2:?} && shift ;;
	--jobs) jobs=${2:?} && shift ;;
	-*) usage ;;
	*) wanted+=("$1") ;;
	esac
	shift
done
build=$(cd "$build" && pwd) || exit 2
if [ ${#wanted[@]} -eq 0 ]; then
	for file in tests/cli/*.bats tests/cli/*/*.bats; do
		file=${file#tests/cli/}
		wanted+=("${file%.bats}")
	done
fi

# Users without rights run procmem too, and write logs of valgrind there.
folder=$(mktemp -d /tmp/procmem-valgrind.XXXXXX)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
mkdir -m 1777 "$folder/logs"
cp tests/valgrind.supp "$folder"
cat >"$folder/procmem" <<-END
	#!/bin/sh
	# PIDs are reused within a run: with the PID alone as name, a log could replace another one,
	# or belong to another user.
	read -r now _ </proc/uptime
	exec valgrind --log-file="$folder/logs/\$now.%p" --error-exitcode=99 \\
		--read-inline-info=no --leak-check=full --show-leak-kinds=definite \\
		--errors-for-leak-kinds=definite --track-fds=yes \\
		--suppressions="$folder/valgrind.supp" "$build/cmd/procmem" "\$@"
END
# The time limits in the tests are too short for valgrind; the limit of bats remains.
mkdir "$folder/bin"
cat >"$folder/bin/timeout" <<-'END'
	#!/bin/sh
	[ "$1" != -k ] || shift 2
	shift
	exec "$@"
END
chmod 755 "$folder" "$folder/procmem" "$folder/bin" "$folder/bin/timeout"
export PATH="$folder/bin:$PATH"

# Prints a regular expression for each test in the file $1 whose name contains the text $2 and that
# is not excluded.
list_tests() {
	local file=$1 text=$2 name other begin
	sed -n 's/^@test "\(.*\)" {$/\1/p' "tests/cli/$file.bats" | grep -F -- "$text" |
		while IFS= read -r name; do
			while IFS='|' read -r other begin _; do
				[[ $file != "$other" || $name != "$begin"* ]] || continue 2
			done < <(left_out)
			printf '%s\n' "$name" | sed 's/[][\.*^$+?(){}|]/\\&/g'
		done
}

# Runs tests of one file, and prints the output of bats.
run_file() {
	local file=${1%%:*} text='' names output=$folder/$BASHPID status=0
	[[ $1 != *:* ]] || text=${1#*:}
	names=$(list_tests "$file" "$text" | paste -sd '|')
	[ -n "$names" ] || return 0
	LC_ALL=C TZ=UTC NO_COLOR='' TERM=dumb BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-600} \
		PROCMEM_BIN=$folder/procmem PROCMEM_TARGETS=$build/tests/targets \
		PROCMEM_SOURCE=$PWD PROCMEM_BUILD=$build PROCMEM_SCREEN_LOOKS=1200 \
		bats --timing --filter-tags '!timed' --filter "^($names)\$" "tests/cli/$file.bats" \
		>"$output" 2>&1 </dev/null || status=1
	printf '== %s\n%s\n' "$file" "$(cat "$output")"
	return $status
}

result=0 running=0
for word in "${wanted[@]}"; do
	if [ $running -ge "$jobs" ]; then
		wait -n || result=1
		running=$((running - 1))
	fi
	run_file "$word" &
	running=$((running + 1))
done
while [ $running -gt 0 ]; do
	wait -n || result=1
	running=$((running - 1))
done

# Lists the logs with findings. What a process ended by a signal has not released is not a finding;
# nor are the open descriptors of a child of fork(2), which ends by _exit(2) with all descriptors of
# its parent. Such a child is recognized by the log of its parent, which it has open, too.
list_findings() {
	awk '
	function put() {
		if (wrong || (!killed && (counted || (open && !forked))))
			print file
		wrong = killed = counted = open = forked = 0
	}
	FNR == 1 { put(); file = FILENAME }
	/Invalid (read|write|free)|uninitialised|valgrind: / { wrong = 1 }
	/default action of signal 6 / { wrong = 1 }
	# The next line is the place in the program; a signal that a test sent has none.
	faulted && !/==    at 0x/ { wrong = 1 }
	{ faulted = /default action of signal (4|7|8|11) / }
	/default action of signal/ { killed = 1 }
	/ERROR SUMMARY: [1-9]/ { counted = 1 }
	/Open file descriptor .*\/logs\// && $NF != file { forked = 1 }
	# Only descriptors that procmem opened have a backtrace.
	descriptor && /   at 0x/ { open = 1 }
	{ descriptor = /Open (file descriptor|AF_)/ }
	END { put() }' "$folder"/logs/*
}
while IFS= read -r log; do
	printf '== %s\n' "$log"
	# Without the thousands of notes on pidfd_open(2).
	grep -v '^--[0-9]*-- ' "$log"
	result=1
done < <(list_findings)
exit $result
