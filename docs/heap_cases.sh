#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/heap_cases.sh
#
# Writes docs/HEAP_CASES.md: three processes that use too much memory, and the commands that show
# the cause of each. All output is real. Needs root, to stop the processes; takes a minute.
set -eu

cd "$(dirname "$0")/.."
sh docs/setup.sh test
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
scratch=$(mktemp -d)
cp build/release/tests/targets/gateway "$scratch"
javac -d "$scratch" tests/targets/DirectBuffers.java
PATH=$PWD/build/release/cmd:$PATH
export LC_ALL=C.UTF-8

# Some targets end with their input.
mkfifo "$scratch/input"
exec 4<>"$scratch/input"
server=
stop() {
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null || true
	wait "$server" 2>/dev/null || true
	server=
}
finish() {
	stop
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start COMMAND...: starts a program in the scratch folder. Sets $server to its PID.
start() {
	stop
	rm -f "$scratch/output"
	mkfifo "$scratch/output"
	# shellcheck disable=SC2016 # the inner shell expands
	sh -c 'cd "$0" && exec "$@"' "$scratch" "$@" >"$scratch/output" <&4 4>&- &
	server=$!
	exec 3<"$scratch/output"
	while IFS= read -r line <&3; do
		[ "$line" != ready ] || return 0
	done
	echo "heap_cases.sh: $1 did not start" >&2
	exit 1
}

# show COMMAND...: prints the command line and the first $most lines of its output. Keeps the output
# in $scratch/shown.
most=100
show() {
	typed=$(printf '%s ' "$@")
	printf '\n    $ %s\n' "${typed% }"
	"$@" >"$scratch/shown" 2>&1 </dev/null 3>&- 4>&- || [ $? -eq 1 ]
	awk -v most=$most '
		NR <= most { print "    " $0 }
		END { if (NR > most) print "    …" }' "$scratch/shown" | sed 's/ *$//'
}

fragmentation() {
	start ./gateway fragment 60000
	cat <<-'END'
		## Most of the heap is free, and does not shrink

		At night, `gateway` imports 60,000 requests. In the morning its RSS is still
		almost 1 GiB. The developers have searched for a leak, and found none.
	END
	show procmem heap gateway
	cat <<-'END'

		It is not a leak: 99 % of the heap is free. But between the free chunks there are
		60,000 chunks of 96 bytes with the text `user=# role=customer`. The heap can only
		shrink from its end, so these chunks pin it. Where are they, and what points to
		them?
	END
	show procmem heap --list --text role=customer -n 3 gateway
	address=$(sed -n '2s/ .*//p' "$scratch/shown")
	show procmem refs gateway "0x$address"
	cat <<-'END'

		They are in the table `sessions`: each request of the import has created a session,
		next to its large buffer. The fix is in the import: imported requests need no
		sessions. Until then, a call of malloc_trim(3) after the import returns the memory
		that the second line of the first output shows.
	END
}

small_chunks() {
	start ./gateway match 500000
	cat <<-'END'

		## Half a million small chunks of a library

		After a change, the RSS of the same server grows with each request.
	END
	most=9
	show procmem heap gateway
	most=100
	cat <<-'END'

		The heap is full of chunks of one size. Each of them starts with a pointer to a
		function of the PCRE2 library, so PCRE2 has allocated them. Does the program still
		have pointers to them?
	END
	show procmem leaks gateway
	address=$(sed -n 's/.* \([0-9a-f]\{9,\}\) .*->.*/\1/p' "$scratch/shown" | head -n 1)
	cat <<-'END'

		It does not: the chunks are lost. Which objects of PCRE2 are they? Their pointers show
		more:
	END
	show procmem refs --to gateway "0x$address"
	cat <<-'END'

		The only pointer to a chunk leads to another chunk of PCRE2, which is still in use: the
		compiled pattern of a route. So the lost chunks are match data. They are created with
		pcre2_match_data_create_from_pattern(3), and pcre2_match_data_free(3) is not called.
	END
}

direct_buffers() {
	start java -Xmx64m -XX:MaxDirectMemorySize=4g DirectBuffers 8000000
	until [ "$(awk '/VmRSS/ { print $2 }' "/proc/$server/status")" -gt 220000 ]; do
		kill -0 "$server"
		sleep 0.2
	done
	cat <<-'END'

		## A JVM grows, and its heap does not

		The heap of a Java service is limited to 64 MiB (`-Xmx64m`), and its dashboards
		show that it is never full. But the RSS of the process is larger, and it grows.
	END
	show procmem map --by kind -n 6 "$server"
	cat <<-'END'

		The Java heap is in the row `anon`, within its limit. Most of the memory is native
		memory, in blocks that malloc mapped. Which chunks are allocated and not freed?
	END
	show procmem heap --growth 10s -n 4 "$server"
	cat <<-'END'

		Almost eight chunks of 1 MiB in each second, which contain parts of uploads. In a JVM,
		such chunks are direct buffers (`ByteBuffer.allocateDirect`): their objects in the
		Java heap are small, so the garbage collector has no reason to run. Which uploads are
		in memory?
	END
	show procmem heap --list --text upload -n 3 "$server"
	cat <<-'END'

		All uploads since the start are still in memory: the service never releases their buffers.
	END
}

page() {
	cat <<-'END'
		# Three cases: what is in the heap?

		`sh docs/heap_cases.sh` writes this page. The output is from one run; `…` marks
		omitted lines. The first two processes are
		[gateway](../tests/targets/gateway.c), the third one is
		[DirectBuffers](../tests/targets/DirectBuffers.java). [CASE](CASE.md) is a longer
		investigation, from the OOM kill of a server.

	END
	fragmentation
	small_chunks
	direct_buffers
}

page >"$scratch/page"
sed "s|$scratch/||g" "$scratch/page" >docs/HEAP_CASES.md
