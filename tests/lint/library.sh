#!/bin/sh
# SPDX-License-Identifier: MIT
# What the library may not do, seen in what the linker made of it: print, exit, abort, install signal handlers, keep mutable globals, or
# export names that are not its own. Run by ctest.
set -eu
library=$PROCMEM_BUILD/lib/libprocmem.so
failed=0

complain() {
	echo "libprocmem.so $1:"
	echo "$2" | sed 's/^/  /'
	failed=1
}

forbidden='stdout|stderr|_?_?v?f?printf(_chk)?|puts|fputs|putchar|putc|fputc|fwrite|perror|v?(err|errx|warn|warnx)|syslog|'
forbidden="$forbidden"'exit|_exit|_Exit|quick_exit|abort|__assert_fail|signal|sigaction|sigprocmask|atexit|'
forbidden="$forbidden"'setlocale|setenv|putenv|chdir|fork|vfork|system|popen'
found=$(nm -D --undefined-only --without-symbol-versions "$library" | awk '{ print $2 }' | grep -Ex "$forbidden" || true)
[ -z "$found" ] || complain 'calls what a library must not' "$found"

# .data.rel.ro is constant once it is relocated. The four others come from the compiler. AddressSanitizer puts things of its own beside our
# constants (__odr_asan.NAME of gcc), and clang's the constants themselves into .data: there nothing can be told, and the same sources are
# looked at in builds without it.
if nm -D --undefined-only "$library" | grep -q ' __asan_init$'; then
	echo 'libprocmem.so is instrumented by AddressSanitizer: whether it keeps mutable globals is not looked at'
	found=
else
	found=$(objdump -t "$library" | awk '$4 ~ /^\.(data|bss|tdata|tbss)$/ || $3 ~ /^\.(data|bss|tdata|tbss)$/ { print $NF }' |
		grep -Ev '^(\.data|\.bss|completed\.[0-9]+|__dso_handle|__TMC_END__)$' || true)
fi
[ -z "$found" ] || complain 'keeps mutable globals' "$found"

found=$(nm -D --defined-only --without-symbol-versions "$library" | awk '$3 != "PROCMEM_1" { print $3 }' | grep -v '^pm_' || true)
[ -z "$found" ] || complain 'exports names that do not begin with pm_' "$found"

# lib/libprocmem.map names what the headers declare, once each and sorted: a function that is missing there is hidden, and programs do not
# link.
listed=$(sed -n 's/^\t\(pm_[a-z0-9_]*\);$/\1/p' "$PROCMEM_SOURCE/lib/libprocmem.map")
declared=$(sed -n 's/^PM_PUBLIC .*[ *]\(pm_[a-z0-9_]*\)(.*/\1/p' "$PROCMEM_SOURCE"/lib/include/procmem/*.h | LC_ALL=C sort -u)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "$declared" >"$scratch/declared"
echo "$listed" >"$scratch/listed"
found=$(diff "$scratch/listed" "$scratch/declared" |
	sed -n 's/^>/add to lib\/libprocmem.map:/p; s/^</remove, or sort, in lib\/libprocmem.map:/p')
[ -z "$found" ] || complain 'has another list of exported names than its headers' "$found"
found=$(nm -D --defined-only --with-symbol-versions "$library" | awk '$2 == "T" && $3 !~ /@@PROCMEM_1$/ { print $3 }')
[ -z "$found" ] || complain 'exports names without their version' "$found"

# Every function of the public headers is there, and nothing is exported that they do not declare.
exported=$(nm -D --defined-only --without-symbol-versions "$library" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort -u)
echo "$exported" >"$scratch/exported"
found=$(comm -23 "$scratch/declared" "$scratch/exported")
[ -z "$found" ] || complain 'lacks what its headers declare' "$found"
found=$(comm -13 "$scratch/declared" "$scratch/exported")
[ -z "$found" ] || complain 'exports what its headers do not declare' "$found"
exit $failed
