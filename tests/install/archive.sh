#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/install/archive.sh [SUITE]...
#
# The archive runs in systems without its libraries: in bare roots of Debian 11, 12 and 13, and in a
# root directory that contains only the archive and /proc. There in_archive.sh, or without a shell the
# program alone, looks at a process. Run by tests/full.sh. Needs root and a Debian mirror.
set -eu

suites=${*:-bullseye bookworm trixie}
here=$PROCMEM_SOURCE/tests/install
# shellcheck source=tests/install/root.sh
. "$here/root.sh"

fail() {
	echo "$*" >&2
	exit 1
}

obstacle=$(root_obstacle)
[ -z "$obstacle" ] || {
	echo "skipped: $obstacle"
	exit 77
}
scratch=$(mktemp -d)
target=
finish() {
	[ -z "$target" ] || kill "$target"
	rm -rf --one-file-system "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

archive=${PROCMEM_ARCHIVE_FILE:-}
if [ -z "$archive" ]; then
	sh "$PROCMEM_SOURCE/docs/package.sh" "$scratch/packages"
	archive=$(echo "$scratch"/packages/procmem-*.tar.gz)
fi

# Only the archive and /proc: no shell, no library, no file in /etc. The target is a process of this
# system: its user has no name there.
empty=$scratch/empty
mkdir -p "$empty/proc" "$empty/tmp"
tar -xzf "$archive" -C "$empty" --strip-components=1
sleep 1000 &
target=$!
cat >"$scratch/in_empty" <<'END'
mount -t proc proc "$1/proc"
exec chroot "$@"
END
in_empty() {
	unshare --mount --propagation private sh -eu "$scratch/in_empty" "$empty" "$@"
}
# on_terminal COMMAND: prints what a command of procmem writes to a terminal of its own.
on_terminal() {
	TERM=xterm-256color script -qec "exec unshare --mount --propagation private sh -eu $scratch/in_empty $empty \
		/bin/procmem $1" /dev/null
}
in_empty /bin/procmem --version
for command in map ps headroom 'map --json' 'strings -n 20' 'watch -q -c 2 -i 0.1' pressure; do
	# shellcheck disable=SC2086 # a command with options
	TERM=xterm in_empty /bin/procmem $command $target >"$scratch/output" 2>"$scratch/errors" ||
		[ "$command" = ps ] || fail "empty root: $command: $(cat "$scratch/errors")"
	echo "empty root: procmem $command"
done
in_empty /bin/procmem map -a -o start --csv $target >"$scratch/output"
[ "$(grep -c '^[0-9a-f]*$' "$scratch/output")" = "$(wc -l </proc/$target/maps)" ] ||
	fail 'empty root: map does not list the regions of maps'
# The descriptions of terminals are in the archive: the live screen and the line editor of `shell` use
# sequences that only these name (smcup, and bracketed paste of readline).
escape=$(printf '\033')
printf q | on_terminal "watch -c 2 -i 0.1 $target" >"$scratch/output" ||
	fail "empty root: watch does not work on a terminal: $(cat "$scratch/output")"
grep -qF "${escape}[?1049h" "$scratch/output" || fail 'empty root: watch shows no live screen'
printf 'map --json\nquit\n' | on_terminal "shell $target" >"$scratch/output" ||
	fail "empty root: shell does not work on a terminal: $(cat "$scratch/output")"
grep -qF "${escape}[?2004h" "$scratch/output" || fail 'empty root: shell has no line editor'
grep -qF '"regions"' "$scratch/output" || fail 'empty root: shell does not answer'
echo 'empty root: watch and shell on a terminal'

for suite in $suites; do
	root=$scratch/$suite
	root_make "$root" "$suite" --variant=minbase
	cp "$here/in_archive.sh" "$archive" "$root/tmp"
	root_run "$root" sh /tmp/in_archive.sh
	echo "$suite: $(root_run "$root" ldd --version | head -n 1)"
	rm -rf --one-file-system "$root"
done
