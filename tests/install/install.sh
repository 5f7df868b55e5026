#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the build into a temporary directory, and builds the examples against it with pkg-config
# and with find_package. Run by ctest.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
examples=$PROCMEM_SOURCE/docs/examples

fail() {
	echo "$*" >&2
	exit 1
}

# run NAME FOLDER: checks that the examples find their library, and print plausible output.
run() {
	"$2/biggest" $$ >"$scratch/output" || fail "$1: biggest does not run"
	[ "$(wc -l <"$scratch/output")" = 5 ] ||
		fail "$1: biggest printed '$(cat "$scratch/output")'"
	"$2/find_text" $$ procmem-was-here >"$scratch/output" ||
		fail "$1: find_text does not find the text"
	status=0
	"$2/near_limit" $$ 1K >"$scratch/output" || status=$?
	[ $status = 1 ] || fail "$1: near_limit ended with $status"
	"$2/search" $$ 'procmem-was-h[e]re' >"$scratch/output" ||
		fail "$1: search does not find the text"
	echo "$1: $(head -n 1 "$scratch/output")"
}
# find_text searches the memory of this shell for this text.
mark=procmem-was-here
export mark

# Packagers set DESTDIR: all files must be installed below it.
DESTDIR=$scratch/destdir cmake --install "$PROCMEM_BUILD" --prefix /usr >"$scratch/log"
for file in bin/procmem include/procmem/procmem.h libprocmem.so.1 pkgconfig/procmem.pc \
	cmake/procmem/procmem-config.cmake share/man/man1/procmem-map.1 \
	share/man/man3/libprocmem.3 share/man/man3/libprocmem-process.3 share/procmem/schema/common.schema.json \
	share/procmem/schema/map.schema.json bash-completion/completions/procmem site-functions/_procmem \
	vendor_completions.d/procmem.fish; do
	[ -n "$(find "$scratch/destdir/usr" -path "*/$file")" ] || fail "$file was not installed"
done
cmp "$scratch"/destdir/usr/share/man/man3/pm_process_open.3 \
	"$scratch"/destdir/usr/share/man/man3/libprocmem-process.3 ||
	fail 'the name of a function does not lead to its man page'

# Users set a prefix.
prefix=$scratch/prefix
cmake --install "$PROCMEM_BUILD" --prefix "$prefix" >"$scratch/log"
libdir=$(dirname "$(find "$prefix" -name libprocmem.so)")

"$prefix/bin/procmem" --version >/dev/null || fail "the installed program does not find its library"

flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs procmem)
mkdir "$scratch/by-pkg-config"
for example in biggest find_text near_limit search; do
	# shellcheck disable=SC2086 # a list of flags
	cc -std=gnu17 -Wall -Wextra -Werror -pedantic "$examples/$example.c" \
		-o "$scratch/by-pkg-config/$example" $flags "-Wl,-rpath,$libdir"
done
run pkg-config "$scratch/by-pkg-config"

# The static library, with the shared libraries that it needs.
static=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --static --cflags --libs procmem)
rm "$libdir/libprocmem.so"
mkdir "$scratch/static"
for example in biggest find_text near_limit search; do
	# shellcheck disable=SC2086 # a list of flags
	cc -std=gnu17 "$examples/$example.c" -o "$scratch/static/$example" $static
done
ln -s libprocmem.so.1 "$libdir/libprocmem.so"
! ldd "$scratch/static/biggest" | grep -q libprocmem || fail 'the static library was not used'
run 'pkg-config --static' "$scratch/static"

# The example programs in libprocmem(3).
awk '
/^```$/ { inside = !inside; count += inside; next }
inside { gsub(/\\\\/, "\\"); print > (folder "/man" count ".c") }
' folder="$scratch" "$PROCMEM_SOURCE/docs/man/libprocmem.3.scd"
for number in 1 2; do
	# shellcheck disable=SC2086 # a list of flags
	cc -std=gnu17 -Wall -Wextra -Wno-unused-parameter -Werror -pedantic \
		"$scratch/man$number.c" -o "$scratch/man$number" $flags "-Wl,-rpath,$libdir"
done
[ -n "$("$scratch/man1" $$)" ] || fail 'the first example of libprocmem(3) does not work'
[ -n "$("$scratch/man2" $$ 'procmem-was-h[e]re')" ] ||
	fail 'the second example of libprocmem(3) does not work'

cmake -S "$examples" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" ||
	{ cat "$scratch/log" && fail "find_package failed"; }
cmake --build "$scratch/build" >"$scratch/log" ||
	{ cat "$scratch/log" && fail "building with find_package failed"; }
run find_package "$scratch/build"

# Each header must compile alone, in C and in C++.
for header in "$prefix"/include/procmem/*.h; do
	echo "#include <procmem/${header##*/}>" |
		cc -std=c17 -Wall -Wextra -Werror -pedantic -fsyntax-only -I"$prefix/include" \
			-xc - ||
		fail "${header##*/} does not compile alone"
	! command -v c++ >/dev/null || echo "#include <procmem/${header##*/}>" |
		c++ -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -xc++ - ||
		fail "${header##*/} is not valid C++"
done
