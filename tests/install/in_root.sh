#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh runs this in a clean root where the packages are installed: every command prints its
# options, and works on a process.
set -eu

fail() {
	echo "in a clean root: $*" >&2
	exit 1
}

# works COMMAND...: fails unless the command exits with 0 or 1 (nothing was found, or something
# differs) and, with 0, prints something.
works() {
	status=0
	"$@" >/tmp/output 2>/tmp/errors </dev/null || status=$?
	[ $status -le 1 ] || fail "'$*' ended with $status: $(cat /tmp/errors)"
	[ -s /tmp/output ] || [ $status = 1 ] || fail "'$*' printed nothing"
	echo "$*"
}

ldconfig -p | grep -q libprocmem.so.1 || fail 'ldconfig does not know the library'
commands=$(procmem --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p')
[ -n "$commands" ] || fail 'procmem --help lists no commands'
for command in $commands; do
	works procmem "$command" --help
	[ -f "/usr/share/man/man1/procmem-$command.1.gz" ] ||
		fail "procmem-$command has no man page"
done

sleep 1000 &
target=$!
# The loader maps libraries before the program waits.
until [ "$(cat /proc/$target/comm)" = sleep ] && grep -q '^State:.S' /proc/$target/status; do :; done
works procmem map -a -o start --csv $target
[ "$(grep -c '^[0-9a-f]*$' /tmp/output)" = "$(wc -l </proc/$target/maps)" ] ||
	fail 'map does not list the regions of maps'
works procmem ps
works procmem headroom $target
works procmem dump --hex $target '[stack]'
works procmem watch -q -c 2 -i 0.1 $target
procmem snap -o /tmp/before.pmrec $target || fail 'snap failed'
works procmem diff /tmp/before.pmrec $target
works procmem grep -c LC_ALL $target
works procmem strings $target "[stack]"
kill $target
