#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks in the linked library that it does not print, exit, abort, install signal handlers, keep
# mutable globals, or export names of others. Only these child processes may be started, and exit: one
# that reads the files of the target (lib/stack/child*.c), one that opens hundreds of events, which the
# kernel needs seconds to close (lib/trace/perf_tracepoints.c), one that uses ptrace(2), which would
# take the statuses of other children (lib/trace/ptrace_tracer.c), and a command that the caller wants
# to be started (lib/trace/command.c). Run by ctest.
set -eu
library=$PROCMEM_BUILD/lib/libprocmem.so
failed=0

complain() {
	echo "libprocmem.so $1:"
	echo "$2" | sed 's/^/  /'
	failed=1
}

forbidden='stdout|stderr|_?_?v?f?printf(_chk)?|puts|fputs|putchar|putc|fputc|fwrite|perror|'
forbidden="$forbidden"'v?(err|errx|warn|warnx)|syslog|exit|_Exit|quick_exit|abort|'
forbidden="$forbidden"'__assert_fail|signal|sigaction|sigprocmask|atexit|'
forbidden="$forbidden"'setlocale|setenv|putenv|chdir|vfork|system|popen'
found=$(nm -D --undefined-only --without-symbol-versions "$library" | awk '{ print $2 }' |
	grep -Ex "$forbidden" || true)
[ -z "$found" ] || complain 'calls functions that a library must not call' "$found"

found=$(cd "$PROCMEM_BUILD/lib/CMakeFiles/procmem_objects.dir" && find . -name '*.o' \
	! -path './stack/child*' ! -path './trace/perf_tracepoints.*' \
	! -path './trace/ptrace_tracer.*' ! -path './trace/command.*' -exec nm -A --undefined-only {} + |
	sed -n 's/^\.\/\([^:]*\)\.o: *U \(fork\|_exit\)$/\1 \2/p')
[ -z "$found" ] || complain 'starts processes, or ends them, outside of the files that may' "$found"

# .data.rel.ro is constant after relocation. The four other names come from the compiler. With
# AddressSanitizer, gcc adds variables next to our constants (__odr_asan.NAME), and clang moves the
# constants to .data: then this cannot be checked. Builds without it check the same sources.
if nm -D --undefined-only "$library" | grep -q ' __asan_init$'; then
	echo 'libprocmem.so is instrumented by AddressSanitizer: mutable globals are not checked'
	found=
else
	found=$(objdump -t "$library" | awk '
		$4 ~ /^\.(data|bss|tdata|tbss)$/ || $3 ~ /^\.(data|bss|tdata|tbss)$/ { print $NF }' |
		grep -Ev '^(\.data|\.bss|completed\.[0-9]+|__dso_handle|__TMC_END__)$' || true)
fi
[ -z "$found" ] || complain 'keeps mutable globals' "$found"

found=$(nm -D --defined-only --without-symbol-versions "$library" |
	awk '$3 != "PROCMEM_1" { print $3 }' | grep -v '^pm_' || true)
[ -z "$found" ] || complain 'exports names that do not begin with pm_' "$found"

# lib/libprocmem.map lists the functions that the headers declare, once each and sorted. A function
# that is missing there is hidden, and programs do not link.
listed=$(sed -n 's/^\t\(pm_[a-z0-9_]*\);$/\1/p' "$PROCMEM_SOURCE/lib/libprocmem.map")
declared=$(sed -n 's/^PM_PUBLIC .*[ *]\(pm_[a-z0-9_]*\)(.*/\1/p' \
	"$PROCMEM_SOURCE"/lib/include/procmem/*.h | LC_ALL=C sort -u)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "$declared" >"$scratch/declared"
echo "$listed" >"$scratch/listed"
found=$(diff "$scratch/listed" "$scratch/declared" |
	sed -n 's/^>/add to lib\/libprocmem.map:/p
		s/^</remove, or sort, in lib\/libprocmem.map:/p')
[ -z "$found" ] || complain 'has another list of exported names than its headers' "$found"
found=$(nm -D --defined-only --with-symbol-versions "$library" |
	awk '$2 == "T" && $3 !~ /@@PROCMEM_1$/ { print $3 }')
[ -z "$found" ] || complain 'exports names without their version' "$found"

# The library exports exactly the functions that the public headers declare.
exported=$(nm -D --defined-only --without-symbol-versions "$library" |
	awk '$2 == "T" { print $3 }' | LC_ALL=C sort -u)
echo "$exported" >"$scratch/exported"
found=$(comm -23 "$scratch/declared" "$scratch/exported")
[ -z "$found" ] || complain 'lacks what its headers declare' "$found"
found=$(comm -13 "$scratch/declared" "$scratch/exported")
[ -z "$found" ] || complain 'exports what its headers do not declare' "$found"
exit $failed
