#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the build into a scratch directory, and builds a program against it there by pkg-config and by find_package. Run by ctest.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$PROCMEM_SOURCE/tests/install

fail() {
	echo "$*" >&2
	exit 1
}

# runs NAME PROGRAM: it must find its library, and say something sensible.
runs() {
	said=$("$2") || fail "$1: the program does not run"
	case $said in
	[1-9]*' regions') echo "$1: $said" ;;
	*) fail "$1: the program said '$said'" ;;
	esac
}

# Packagers give DESTDIR: files must land below it, nowhere else.
DESTDIR=$scratch/destdir cmake --install "$PROCMEM_BUILD" --prefix /usr >"$scratch/log"
for file in bin/procmem include/procmem/procmem.h libprocmem.so.0 pkgconfig/procmem.pc cmake/procmem/procmem-config.cmake \
	share/man/man1/procmem-map.1 bash-completion/completions/procmem site-functions/_procmem vendor_completions.d/procmem.fish; do
	[ -n "$(find "$scratch/destdir/usr" -path "*/$file")" ] || fail "$file was not installed"
done

# Users give a prefix.
prefix=$scratch/prefix
cmake --install "$PROCMEM_BUILD" --prefix "$prefix" >"$scratch/log"
libdir=$(dirname "$(find "$prefix" -name libprocmem.so)")

"$prefix/bin/procmem" --version >/dev/null || fail "the installed program does not find its library"

flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs procmem)
# shellcheck disable=SC2086 # a list of flags
cc -std=c17 -Wall -Wextra -Werror -pedantic "$here/example.c" -o "$scratch/by-pkg-config" $flags "-Wl,-rpath,$libdir"
runs pkg-config "$scratch/by-pkg-config"

cmake -S "$here" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" || { cat "$scratch/log" && fail "find_package failed"; }
cmake --build "$scratch/build" >"$scratch/log" || { cat "$scratch/log" && fail "building by find_package failed"; }
runs find_package "$scratch/build/example"

# The headers must be usable one by one, and from C++.
for header in "$prefix"/include/procmem/*.h; do
	echo "#include <procmem/${header##*/}>" | cc -std=c17 -Wall -Wextra -Werror -pedantic -fsyntax-only -I"$prefix/include" -xc - ||
		fail "${header##*/} cannot be included by itself"
	! command -v c++ >/dev/null || echo "#include <procmem/${header##*/}>" | c++ -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -xc++ - ||
		fail "${header##*/} is no C++"
done
