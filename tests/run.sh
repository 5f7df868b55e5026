#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/run.sh [--quick | --soak DURATION | --fuzz DURATION [TARGET]...]
#
# Installs what is missing, builds with warnings as errors, and runs every test: with clang (and the fuzz corpora), with the sanitizers (of
# threads: where they search), and as it is delivered. Stops at the first build or run that fails. Builds go to build/PRESET. Before the
# last words of ctest it lists the tests that were skipped, and why: for the kernel or for missing rights, never for a missing program.
# What takes longer is in tests/analyse.sh, what takes large packages in tests/full.sh.
#   --quick          only the tests of what is delivered
#   --soak DURATION  instead of all that, commands at random for so long (10m), with the sanitizers: tests/soak.sh
#   --fuzz DURATION [TARGET]...
#                    instead of all that, each fuzz target for so long: tests/fuzz.sh
set -eu

quick=no soak='' fuzz=''
case ${1:-} in
'') ;;
--quick) quick=yes ;;
--soak) soak=${2:-10m} ;;
--fuzz) fuzz=${2:-10m} && shift "$(($# > 1 ? 2 : 1))" ;;
*)
	echo "usage: ${0##*/} [--quick | --soak DURATION | --fuzz DURATION [TARGET]...]" >&2
	exit 2
	;;
esac

cd "$(dirname "$0")/.."
sh docs/setup.sh test

# One test a core; the tests mostly wait for processes.
jobs=$(nproc)

# build PRESET [TARGET]...: configures, and builds these targets or all of them.
build() {
	preset=$1
	shift
	echo "== $preset: build"
	cmake --preset "$preset" >/dev/null
	cmake --build --preset "$preset" -- --quiet "$@"
}

# run PRESET [CTEST-OPTION]...: runs tests of what was built. The list of skips precedes the closing words of the last run of ctest.
run() {
	preset=$1
	shift
	echo "== $preset: test"
	logs="$logs build/$preset/Testing/Temporary/LastTest.log"
	{ ctest --preset "$preset" -j "$jobs" "$@" 2>&1 || echo $? >"$scratch/failed"; } | sed -u "/^[0-9]*% tests passed/,\$ {
		w $scratch/closing
		d
	}"
	if [ "$preset" = dev ] || [ -e "$scratch/failed" ]; then
		# shellcheck disable=SC2086 # a list of names
		sh tests/skipped.sh $logs >"$scratch/skipped"
		echo "== skipped: $(wc -l <"$scratch/skipped")"
		cat "$scratch/skipped"
		echo
	fi
	[ ! -e "$scratch/closing" ] || cat "$scratch/closing"
	[ ! -e "$scratch/failed" ] || exit "$(cat "$scratch/failed")"
	rm -f "$scratch/closing"
}

if [ -n "$soak" ]; then
	build asan procmem tests/targets/all
	exec bash tests/soak.sh "$soak"
fi
if [ -n "$fuzz" ]; then
	build fuzz
	exec bash tests/fuzz.sh "$fuzz" "$@"
fi
logs=
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ $quick = no ]; then
	# What is delivered is optimised further, and then the compiler sees more.
	echo '== release: build'
	cmake --preset release -DPROCMEM_WERROR=ON -DPROCMEM_SAMPLES=ON >/dev/null
	cmake --build --preset release -- --quiet
	build fuzz
	run fuzz -L fuzz
	build asan
	run asan
	build tsan
	run tsan -R '^unit/scan'
fi
build dev
run dev
