#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/run.sh [--quick]
#
# Installs what is missing, builds with warnings as errors, and runs every test: with clang (and the fuzz corpora), with the sanitizers, and as it is
# delivered. Stops at the first build or run that fails. --quick: only the last one. Builds go to build/PRESET.
set -eu

quick=no
case ${1:-} in
'') ;;
--quick) quick=yes ;;
*)
	echo "usage: ${0##*/} [--quick]" >&2
	exit 2
	;;
esac

cd "$(dirname "$0")/.."
sh docs/setup.sh test

# One test a core; the tests mostly wait for processes.
jobs=$(nproc)

# check PRESET [CTEST-OPTION]...: configures, builds and tests.
check() {
	preset=$1
	shift
	echo "== $preset: build"
	cmake --preset "$preset" >/dev/null
	cmake --build --preset "$preset" -- --quiet
	echo "== $preset: test"
	ctest --preset "$preset" -j "$jobs" "$@"
}

if [ $quick = no ]; then
	# What is delivered is optimised further, and then the compiler sees more.
	echo '== release: build'
	cmake --preset release -DPROCMEM_WERROR=ON >/dev/null
	cmake --build --preset release -- --quiet
	check fuzz -L fuzz
	check asan -LE once
fi
check dev
