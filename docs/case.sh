#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/case.sh
#
# Writes docs/CASE.md: a server is killed for its memory, started again, and looked into until the cause is known. All output is real. Needs
# root, for a memory cgroup of its own; takes a minute.
set -eu

cd "$(dirname "$0")/.."
sh docs/setup.sh build
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
scratch=$(mktemp -d)
cp build/release/tests/targets/sample_server "$scratch/checkout"
PATH=$PWD/build/release/cmd:$PATH
export LC_ALL=C.UTF-8

# A group below our own, version 1 or 2.
group=/sys/fs/cgroup/checkout-$$
[ ! -e /sys/fs/cgroup/memory/cgroup.procs ] || group=/sys/fs/cgroup/memory/checkout-$$
server=
finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	[ -z "$server" ] || wait "$server" 2>/dev/null || true
	rmdir "$group" 2>/dev/null || true
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$group"
for limit in memory.limit_in_bytes memory.max; do
	[ ! -e "$group/$limit" ] || echo 384M >"$group/$limit"
done

# start OPTION...: the server, in the group. With a short name, as listings show it.
start() {
	# shellcheck disable=SC2016 # the inner shell expands
	sh -c 'echo $$ >"$0/cgroup.procs" && cd "$1" && shift && exec ./checkout "$@"' "$group" "$scratch" "$@" >"$scratch/log" </dev/null &
	server=$!
	until grep -q '^ready' "$scratch/log"; do :; done
}

# show COMMAND...: as somebody typed it, and its output, of which long lists are cut: at most $most lines.
most=100
show() {
	typed=$(printf '%s ' "$@")
	printf '\n    $ %s\n' "${typed% }"
	"$@" 2>&1 </dev/null | awk -v most=$most 'NR <= most { print "    " $0 } END { if (NR > most) print "    …" }' | sed 's/ *$//'
}

page() {
	cat <<-'END'
		# A case: from the kill to the cause

		Written by `sh docs/case.sh`; the output is that of one run, cut where there is a `…`. The server is
		[sample_server](../tests/targets/sample_server.c), which keeps buffers that it should free.

		## It was killed

		The service `checkout` has a heap of 64 MiB, a limit of 384 MiB, and ends with status 137 every few hours. Its dashboards
		show a flat heap. It has been started again, and its group remembers:
	END
	show procmem headroom checkout
	cat <<-'END'

		*oom_kill 1*: it was the limit of the group, not the machine.

		## What eats the memory?
	END
	show procmem map -n 5 checkout
	cat <<-'END'

		Not the heap, the 64 MiB at f0000000, but blocks of 16 MiB that malloc mapped.

		## Is it a leak?
	END
	most=9
	show procmem watch -q -i 2 -c 14 checkout
	most=100
	cat <<-'END'

		Steady, and it tells when the next kill is due. Heap, stacks and arenas stand still.

		## What is in it?
	END
	most=12
	show procmem strings -n 8 --unique --top 9 checkout malloc
	cat <<-'END'

		Calls of gRPC: a method, a content type, a user agent, tokens. Where, and how many of them?
	END
	show procmem grep -c shop.Orders/Place checkout malloc
	show procmem grep -m 2 -B 9 -A 96 shop.Orders/Place checkout malloc
	cat <<-'END'

		Whole requests of one client, `grpc-node`, with their bearer tokens, in buffers that are full and never freed: the receive
		buffers of connections that are over. What is left for the developers is to look at where a connection gives up its
		buffer. They get the bytes of one of them:
	END
	show procmem dump -q -o "$scratch/buffer" checkout "$(sed -n 's/^buffer 2 \([0-9a-f]*\) .*/0x\1/p' "$scratch/log")+16M"
	cat <<-'END'

		That file has customers' tokens in it: see [SECURITY](SECURITY.md).
	END
}

# The first one dies of its limit.
start --leak --rate 200000000
wait "$server" 2>/dev/null || [ $? -eq 137 ] || { echo "case.sh: the server was not killed" >&2 && exit 1; }
start --leak --rate 4000000
until [ "$(awk '/VmRSS/ { print $2 }' "/proc/$server/status")" -gt 210000 ]; do sleep 0.2; done
page | sed "s|$scratch/||g" >"$scratch/CASE.md"
cp "$scratch/CASE.md" docs/CASE.md
