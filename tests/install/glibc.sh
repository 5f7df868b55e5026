#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/install/glibc.sh [SUITE]...
#
# The heap of processes that use the glibc of another Debian: bullseye (2.31) and trixie (2.41). In
# a minimal root of each suite, tests/targets/heaps.c is built and started, and `procmem heap`, which
# runs outside of the root, must print the figures of malloc_info(3) to the byte. Run by
# tests/full.sh, with PROCMEM_SOURCE and PROCMEM_BIN. Needs root, a Debian mirror, and 400 MB.
set -eu

suites=${*:-bullseye trixie}
cd "$PROCMEM_SOURCE"
# shellcheck source=tests/install/root.sh
. tests/install/root.sh

obstacle=$(root_obstacle)
[ -z "$obstacle" ] || {
	echo "skipped: $obstacle"
	exit 77
}
for tool in mmdebstrap python3; do
	command -v "$tool" >/dev/null || {
		echo "$tool is not installed: sh docs/setup.sh full installs it"
		exit 1
	}
done

scratch=$(mktemp -d)
target=
# Ends the target; its namespaces end with it.
stop() {
	[ -n "$target" ] || return 0
	(echo quit >&3) 2>/dev/null || true
	wait "$target" || true
	target=
}
finish() {
	stop
	rm -rf --one-file-system "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ask COMMAND FILE: sends a line to the target, and writes the lines up to the answer to a file.
ask() {
	echo "$1" >&3
	while IFS= read -r line <&4; do
		[ "$line" != "done $1" ] || return 0
		echo "$line"
	done >"$2"
	echo "$program ended"
	exit 1
}

# check PROGRAM OPTION...: starts a program in the root, whose name no other process has, and
# compares.
check() {
	program=$1
	shift
	rm -f "$scratch/in" "$scratch/out"
	mkfifo "$scratch/in" "$scratch/out"
	root_run "$root" "/root/$program" "$@" <"$scratch/in" >"$scratch/out" &
	target=$!
	exec 3>"$scratch/in" 4<"$scratch/out"
	ask info "$scratch/info.xml"
	"$PROCMEM_BIN" heap --json "$program" >"$scratch/heap.json"
	found=$(python3 tests/cli/support/malloc_info.py "$scratch/info.xml" \
		"$scratch/heap.json") || {
		echo "$program $*: $found"
		exit 1
	}
	echo "$suite: glibc $("$PROCMEM_BIN" heap "$program" | sed -n '1s/.*glibc \([^ ]*\) .*/\1/p')," \
		"${program%-*} $*: $found"
	stop
}

for suite in $suites; do
	root=$scratch/root
	root_make "$root" "$suite" --variant=minbase --include=gcc,libc6-dev
	root_run "$root" ldd --version | head -n 1
	cp tests/targets/heaps.c tests/targets/support.[ch] "$root/root"
	for kind in heaps static; do
		set -- -O1 -D_GNU_SOURCE -pthread -o "/root/$kind-$$"
		[ $kind = heaps ] || set -- "$@" -static
		root_run "$root" gcc "$@" /root/heaps.c /root/support.c
	done
	for kind in heaps static; do
		check "$kind-$$" chunks=100000 large=50 mapped=4 aligned=8 holes=1
		check "$kind-$$" threads=3 chunks=50000 large=1500 mapped=2 sbrk=3
		check "$kind-$$" threads=15 chunks=5000 large=50 mapped=3
	done
	rm -rf --one-file-system "$root"
done
