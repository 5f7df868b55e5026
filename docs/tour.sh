#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/tour.sh
#
# A look around: installs what is missing, builds, starts a sample server whose memory grows outside of its heap, and finds out where. Every
# command is printed before its output. Ctrl-C ends it at any time, the server with it.
set -eu

cd "$(dirname "$0")/.."
sh docs/setup.sh build
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
PATH=$PWD/build/release/cmd:$PATH

# What the server says about itself; nothing of it stays behind.
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

# say TEXT: what comes next, and why.
say() {
	printf '\n# %s\n' "$*"
}

# show COMMAND: prints it, and runs it.
show() {
	printf '$ %s\n' "$*"
	"$@"
}

# start_server OPTION...: starts the sample server and waits for its word that it is ready.
start_server() {
	mkfifo "$scratch/output"
	# In a container its memory would be limited; here its address space is, to 2 GiB.
	prlimit --as=2147483648 build/release/tests/targets/sample_server "$@" >"$scratch/output" </dev/null &
	server=$!
	exec 3<"$scratch/output"
	while IFS= read -r line <&3; do
		[ "$line" != ready ] || return 0
		printf '%s\n' "$line" >>"$scratch/log"
	done
	echo "tour.sh: the sample server did not start" >&2
	exit 1
}

# Address of a buffer of the sample server, as it logged it.
buffer_address() {
	sed -n "s/^buffer $1 \([0-9a-f]*\) .*/0x\1/p" "$scratch/log"
}

start_server --fill --leak --rate 2097152

say "A server uses far more memory than its heap explains. Which process is it?"
show procmem ps sample_server

say "Where is the memory? The largest regions first: it is not the heap (64 MiB at f0000000), but blocks that malloc mapped."
show procmem map --top 12 "$server"

say "The same, summed up by what the regions are for."
show procmem map --by kind "$server"

say "What is at this address? (It stands in a log line of the server: its third receive buffer.)"
show procmem map "$server" "$(buffer_address 2)"

say "What are these blocks full of? Each different string once, the most frequent first: HTTP/2 from a gRPC client, received and never released."
show procmem strings -q -n 5 --unique --top 10 "$server" malloc

say "And what is in it? The first bytes at that address; in a pipe, dump gives nothing but the bytes."
show procmem dump --hex "$server" "$(buffer_address 2)+96"

say "Does it grow? Twelve seconds of watching tell which region, how fast, and that it does not stop. The strings that are most frequent in the pages that"
say "came last tell what it is: headers of HTTP/2, those of gRPC calls."
show procmem watch -q -i 2 --for 12s --peek 6 "$server"

say "Which service is called there, and where else in the process are the tokens of those who call it?"
show procmem grep -m 4 '/[\w.]+/[A-Z]\w+' "$server" malloc
show procmem grep -c 'Bearer [\w.]+' "$server"

say "How long does it last? Every limit that applies, what is left, and when it is used up at this rate. (The server may use 2 GiB of address space.)"
show procmem headroom --for 12s "$server"
