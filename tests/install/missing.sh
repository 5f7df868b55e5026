#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake says in one sentence what to install if a package is missing, and builds without the tests if only
# they need it. Run by ctest.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "$*" >&2
	exit 1
}

# hide NAME: lets pkg-config find all modules but one.
hide() {
	rm -rf "$scratch/modules"
	mkdir "$scratch/modules"
	pkg-config --variable pc_path pkg-config | tr ':' '\n' | while read -r folder; do
		for module in "$folder"/*.pc; do
			[ ! -e "$module" ] || ln -sf "$module" "$scratch/modules"
		done
	done
	[ -e "$scratch/modules/$1.pc" ] || fail "$1 is not installed"
	rm "$scratch/modules/$1.pc"
}

configure() {
	rm -rf "$scratch/build"
	env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$scratch/modules" \
		cmake -S "$PROCMEM_SOURCE" -B "$scratch/build" "$@" >"$scratch/log" 2>&1
}

# refuses SENTENCE OPTION...: the only error is this sentence. cmake breaks it into lines.
refuses() {
	sentence=$1
	shift
	! configure "$@" || fail "cmake does not say: $sentence"
	[ "$(grep -c '^CMake Error' "$scratch/log")" = 1 ] || fail "several errors: $(cat "$scratch/log")"
	said=$(sed -n '/^CMake Error/,/^Call Stack\|^-- /p' "$scratch/log" | sed '1d; /^Call\|^--/d' | tr -s ' \n' ' ')
	[ "$said" = " $sentence " ] || fail "cmake says '$said' instead of '$sentence'"
}

# shellcheck disable=SC2016 # not commands, but the text that is expected
tests='is needed by the tests: install it with `sh docs/setup.sh test`, or build without the tests with -DBUILD_TESTING=OFF'
hide cmocka
refuses "cmocka $tests"
configure -DBUILD_TESTING=OFF || fail "without cmocka, the program cannot be built: $(cat "$scratch/log")"
hide libpcre2-8
# shellcheck disable=SC2016 # as above
refuses 'the development files of libpcre2-8 are missing: install them with `sh docs/setup.sh`' -DBUILD_TESTING=OFF
# With all modules again: a program that is not found.
ln -s "$(pkg-config --variable pcfiledir libpcre2-8)/libpcre2-8.pc" "$scratch/modules"
refuses "bats $tests" -DBATS=
