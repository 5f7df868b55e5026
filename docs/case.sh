#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/case.sh
#
# Writes docs/CASE.md: a server is killed for its memory, restarted, and investigated until the
# cause is known; and a JVM whose direct buffers grow is traced. All output is real. Needs root, to
# create a memory cgroup, Java and strace; takes two minutes.
set -eu

cd "$(dirname "$0")/.."
sh docs/setup.sh test
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
scratch=$(mktemp -d)
cp build/release/tests/targets/sample_server "$scratch/checkout"
PATH=$PWD/build/release/cmd:$PATH
export LC_ALL=C.UTF-8

# A cgroup for the server, version 1 or 2.
group=/sys/fs/cgroup/checkout-$$
[ ! -e /sys/fs/cgroup/memory/cgroup.procs ] || group=/sys/fs/cgroup/memory/checkout-$$
server=
input=
finish() {
	[ -z "$input" ] || kill "$input" 2>/dev/null || true
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

# start OPTION...: starts the server in the cgroup, with the short name that listings show.
start() {
	# shellcheck disable=SC2016 # the inner shell expands
	sh -c 'echo $$ >"$0/cgroup.procs" && cd "$1" && shift && exec ./checkout "$@"' \
		"$group" "$scratch" "$@" >"$scratch/log" </dev/null &
	server=$!
	until grep -q '^ready' "$scratch/log"; do :; done
}

# show COMMAND...: prints the command line and the first $most lines of its output.
most=100
show() {
	typed=$(printf '%s ' "$@")
	printf '\n    $ %s\n' "${typed% }"
	"$@" 2>&1 </dev/null | awk -v most=$most '
		NR <= most { print "    " $0 }
		END { if (NR > most) print "    …" }' | sed 's/ *$//'
}

page() {
	cat <<-'END'
		# A case: from the OOM kill to the cause

		`sh docs/case.sh` writes this page. The output is from one run; `…` marks omitted
		lines. The server is [sample_server](../tests/targets/sample_server.c), which keeps
		buffers that it should free.

		## The service was killed

		The service `checkout` has a heap of 64 MiB and a limit of 384 MiB. Every few hours
		the service ends with status 137. Its dashboards show a flat heap. Now the service
		is running again, and the events of its cgroup show what happened:
	END
	show procmem headroom checkout
	cat <<-'END'

		*oom_kill 1* means that the kernel killed one process of this cgroup. The reason was
		the limit of the cgroup (*limit reached*). The machine has enough memory (*system*).

		## Which memory is it?
	END
	show procmem map -n 5 checkout
	cat <<-'END'

		The heap is the 64 MiB at f0000000. Almost all other memory is in blocks of 16 MiB
		that malloc mapped.

		## Is it a leak?
	END
	most=9
	show procmem watch -q -i 2 -c 14 checkout
	most=100
	cat <<-'END'

		The growth is steady, and the first line shows when the limit will be reached again.
		Only the blocks that malloc mapped grow.

		## What do the blocks contain?
	END
	most=12
	show procmem strings -n 8 --unique --top 9 checkout malloc
	cat <<-'END'

		These are gRPC calls: a method, a content type, a user agent, tokens. Where are
		these calls, and how many are there?
	END
	show procmem grep -c shop.Orders/Place checkout malloc
	show procmem grep -m 2 -B 9 -A 96 shop.Orders/Place checkout malloc
	cat <<-'END'

		The blocks are full of complete requests of one client, `grpc-node`, with their
		bearer tokens. So the blocks are receive buffers that were never freed. The
		developers now have to find out why a buffer is not freed when its connection is
		closed. For this they get the bytes of one buffer:
	END
	address=$(sed -n 's/^buffer 2 \([0-9a-f]*\) .*/0x\1/p' "$scratch/log")
	show procmem dump -q -o "$scratch/buffer" checkout "$address+16M"
	cat <<-'END'

		This file contains tokens of customers; see [SECURITY](SECURITY.md).
	END
}

# start_java: starts a JVM that creates direct buffers, in a process with the name of a service.
start_java() {
	javac -d "$scratch" tests/targets/DirectBuffers.java
	mkfifo "$scratch/input"
	sleep 600 >"$scratch/input" &
	input=$!
	# Compiled code, as after hours of service.
	java -XX:+PreserveFramePointer -Xcomp -XX:TieredStopAtLevel=1 -Xmx64m \
		-XX:MaxDirectMemorySize=4g -cp "$scratch" DirectBuffers 4000000 \
		<"$scratch/input" >"$scratch/log" 2>&1 &
	server=$!
	until grep -q '^ready' "$scratch/log"; do sleep 0.2; done
	sleep 5
}

# on_terminal COLUMNS COMMAND...: runs a command on a terminal of this width.
on_terminal() {
	columns=$1
	shift
	script -qec "stty cols $columns; $*" /dev/null </dev/null | tr -d '\r'
}

# strace_for SECONDS OPTION...: traces the memory calls of the JVM.
strace_for() {
	seconds=$1
	shift
	timeout -s INT "$seconds" strace "$@" -p "$server" 2>&1 | grep -v '^strace: ' || true
}

java_page() {
	cat <<-'END'

		## Another case: which code allocates the memory?

		A JVM has a heap of 64 MiB, but its resident memory grows by 4 MB a second. It is
		[DirectBuffers](../tests/targets/DirectBuffers.java), with `-XX:+PreserveFramePointer`.
		The JVM writes the names of its compiled methods, and 10 seconds of a trace show
		which code is responsible for the memory that is still there. The process is not
		stopped.
	END
	show jcmd "$server" Compiler.perfmap
	show on_terminal 96 procmem trace --faults --for 10s -n 4 --folded stacks "$server"
	cat <<-'END'

		The first row is the memory from before the trace. All that was mapped since, and is
		still there, comes from one call site in the thread *leak*. `--faults` adds rows for
		code that touches the memory from before: here, the JVM itself touches a few pages.
		This is the whole stack, the outermost function first:
	END
	show sh -c 'grep allocateDirect stacks | tr ";" "\n"'
	cat <<-'END'

		strace shows the calls, but neither code nor what is still there:
	END
	most=4
	show strace_for 2 -f -e trace=memory
	cat <<-'END'

		Its option `-k` prints stacks, and stops the process for some milliseconds at each
		call. These stacks end at the first method of Java. Functions that are not exported
		have the name of another one, such as *timer_settime*:
	END
	most=9
	show strace_for 3 -f -k -e trace=memory
	most=100
}

# The first server is killed at its limit.
start --leak --rate 200000000
wait "$server" 2>/dev/null || [ $? -eq 137 ] || {
	echo "case.sh: the server was not killed" >&2
	exit 1
}
start --leak --rate 4000000
until [ "$(awk '/VmRSS/ { print $2 }' "/proc/$server/status")" -gt 210000 ]; do sleep 0.2; done
page | sed "s|$scratch/||g" >"$scratch/CASE.md"
kill "$server" 2>/dev/null || true
wait "$server" 2>/dev/null || true

start_java
(cd "$scratch" && java_page) | sed "s|$scratch/||g; s/on_terminal 96 //; s/sh -c grep/grep/
	s/strace_for \([0-9]*\) \(.*\)/timeout -s INT \1 strace \2 -p $server/" >>"$scratch/CASE.md"
cp "$scratch/CASE.md" docs/CASE.md
