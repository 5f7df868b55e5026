#!/bin/sh
# SPDX-License-Identifier: MIT
# archive.sh runs this in a bare system: the archive works from any folder, by any path, and does not
# change what its child processes see.
set -eu

fail() {
	echo "in a bare system: $*" >&2
	exit 1
}

# A folder whose name the loader would split or expand.
# shellcheck disable=SC2016 # not a variable
folder='/tmp/some where:a;b$LIB'
mkdir -p "$folder"
tar -xzf /tmp/procmem-*.tar.gz -C "$folder"
home=$(echo "$folder"/procmem-*)
sleep 1000 &
target=$!
until [ "$(cat /proc/$target/comm)" = sleep ] && grep -q '^State:.S' /proc/$target/status; do :; done

# works COMMAND...: fails unless the command succeeds and prints something.
works() {
	"$@" >/tmp/output 2>/tmp/errors </dev/null || fail "'$*' failed: $(cat /tmp/errors)"
	[ -s /tmp/output ] || fail "'$*' printed nothing"
}

works "$home/bin/procmem" map -a -o start --csv $target
[ "$(grep -c '^[0-9a-f]*$' /tmp/output)" = "$(wc -l </proc/$target/maps)" ] ||
	fail 'map does not list the regions of maps'
cd "$home/bin"
works ./procmem map $target
cd ..
works bin/procmem map $target
ln -s "$home/bin/procmem" /usr/local/bin/procmem
ln -s procmem /usr/local/bin/pm
works procmem ps
works pm map --json $target
works procmem map --by owner $target
works procmem headroom $target
works procmem strings -n 10 $target
works procmem ps -o +user
grep -q root /tmp/output || fail 'the name of the user is missing'

# Every library is one of the archive.
procmem watch -q -i 100 $target &
watcher=$!
until grep -q libsqlite /proc/$watcher/maps 2>/dev/null && [ "$(cat /proc/$watcher/comm)" = procmem ] &&
	grep -q '^State:.S' /proc/$watcher/status; do :; done
found=$(grep -F ' r-xp ' /proc/$watcher/maps | grep / | grep -vF "$home" || :)
kill $watcher
[ -z "$found" ] || fail "the program uses libraries of the system: $found"

cd /
# Child processes get the environment of the caller, in which a library is preloaded.
LD_PRELOAD=/nowhere.so LD_LIBRARY_PATH=/none procmem watch -q -c 2 -i 0.1 --on 'rss>1' \
	--do 'exec:env >/tmp/environment' $target >/tmp/output 2>&1 || fail "watch failed: $(cat /tmp/output)"
grep -qx LD_PRELOAD=/nowhere.so /tmp/environment || fail 'child processes do not get LD_PRELOAD'
grep -qx LD_LIBRARY_PATH=/none /tmp/environment || fail 'child processes do not get LD_LIBRARY_PATH'
[ "$(grep -ciE "^(ld_[^=]*|terminfo[^=]*)=.*procmem-" /tmp/environment)" = 0 ] ||
	fail "child processes get variables of the archive: $(grep procmem- /tmp/environment)"

# A read-only file system, and one that forbids programs. The archive itself may not be there: then the
# shell says it. Here only the program is there.
mkdir /tmp/read-only
mount --bind "$home" /tmp/read-only
mount -o remount,bind,ro /tmp/read-only
works /tmp/read-only/bin/procmem map $target
mount -t tmpfs -o noexec tmpfs "$home/lib/procmem/ld"
if "$home/bin/procmem" map $target 2>/tmp/errors; then
	fail 'it runs without its loader'
fi
grep -q 'unpack the whole archive' /tmp/errors || fail "a missing loader: $(cat /tmp/errors)"
cp /bin/true "$home/lib/procmem/ld/procmem"
if "$home/bin/procmem" map $target 2>/tmp/errors; then
	fail 'it runs in a file system with noexec'
fi
grep -q noexec /tmp/errors || fail "noexec is not explained: $(cat /tmp/errors)"
kill $target
echo "the archive works in Debian $(cat /etc/debian_version)"
