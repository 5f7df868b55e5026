#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/tour.sh
#
# A guided tour: installs the packages that are missing, builds, starts a sample server whose memory
# grows outside its heap, and investigates it. Each command is printed before its output. Ctrl-C
# ends the tour and the server at any time. It takes three minutes, and building takes another one the
# first time.
set -eu

cd "$(dirname "$0")/.."
echo '# Installing what is missing, and building procmem in build/release.'
sh docs/setup.sh build
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
PATH=$PWD/build/release/cmd:$PATH

# For the output of the server; removed at the end.
scratch=$(mktemp -d)
server=
finish() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# say LINE...: announces the next command, and why it is run.
say() {
	printf '\n'
	printf '# %s\n' "$@"
}

# quoted WORD...: prints words so that a shell reads the same words.
quoted() {
	for word; do
		case $word in
		'' | *[!A-Za-z0-9_./:=,%@+-]*)
			printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
			;;
		*) printf '%s ' "$word" ;;
		esac
	done | sed 's/ $//'
}

# show COMMAND: prints the command, in a form that can be pasted into another terminal, and runs it.
show() {
	printf '$ %s\n' "$(quoted "$@")"
	"$@"
}

# start_server OPTION...: starts the sample server and waits until it prints `ready`.
start_server() {
	mkfifo "$scratch/output"
	# A container would limit its memory. This limits its address space, to 2 GiB.
	prlimit --as=2147483648 build/release/tests/targets/sample_server "$@" \
		>"$scratch/output" </dev/null &
	server=$!
	exec 3<"$scratch/output"
	while IFS= read -r line <&3; do
		[ "$line" != ready ] || return 0
		printf '%s\n' "$line" >>"$scratch/log"
	done
	echo "tour.sh: the sample server did not start" >&2
	exit 1
}

# buffer_address NUMBER: prints the address of a buffer, from the log of the sample server.
buffer_address() {
	sed -n "s/^buffer $1 \([0-9a-f]*\) .*/0x\1/p" "$scratch/log"
}

start_server --fill --leak --rate 2097152

say "The commands of this tour can be pasted into another terminal while the server runs, which is" \
	"until the tour ends. Set PATH there first:"
# shellcheck disable=SC2016 # the reader's shell expands it
printf '$ PATH=%s:$PATH\n' "$(quoted "$PWD/build/release/cmd")"

say "A server uses far more memory than the size of its heap. Which process is it?"
show procmem ps sample_server

say "What is wrong with it? why investigates for thirty seconds, and reports the causes with their" \
	"evidence. The rest of the tour shows the same by hand."
show procmem why -q "$server" || [ $? -eq 1 ]

say "Where is the memory? The list shows the largest regions first. Most of it is not in the heap" \
	"(64 MiB at f0000000), but in blocks that malloc mapped."
show procmem map --top 12 "$server"

say "The same, summed up by the kind of region."
show procmem map --by kind "$server"

say "What is at this address? (It is from the log of the server: its third receive buffer.)"
show procmem map "$server" "$(buffer_address 2)"

say "What do these blocks contain? This lists each distinct string once, the most frequent first." \
	"It is HTTP/2 traffic from a gRPC client that was received and never freed."
show procmem strings -q -n 5 --unique --top 10 "$server" malloc

say "These are the first bytes of the buffer. (Into a pipe, dump writes only the raw bytes.)"
show procmem dump --hex "$server" "$(buffer_address 2)+96"

say "Does it grow? Watching it for thirty seconds shows which region grows, how fast, and that" \
	"the growth is steady. The most frequent strings in the newest pages show what it" \
	"consists of: the HTTP/2 headers of gRPC calls."
show procmem watch -q -i 2 --for 30s --peek 6 "$server"

say "Which service is called, and where else in the process are the tokens of its callers?"
show procmem grep -m 4 '/[\w.]+/[A-Z]\w+' "$server" malloc
show procmem grep -c 'Bearer [\w.]+' "$server"

say "How long until it reaches a limit? This lists every limit that applies, what is left of it," \
	"and how long that lasts at this rate. (The server may use 2 GiB of address space.)"
show procmem headroom --for 12s "$server"

say "That was the tour. The same for a process of your own (NAME or PID; sudo for other users):" \
	"  procmem why NAME                  # what is wrong with its memory" \
	"  procmem ps                        # processes by memory" \
	"  procmem map --by kind NAME        # where its memory is" \
	"  procmem watch NAME                # what grows, live"
