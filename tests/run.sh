#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/run.sh [--quick | --soak DURATION | --fuzz DURATION [TARGET]...]
#
# Installs missing packages (only docs/setup.sh test does this; it prints their names, and needs root or
# sudo only if packages are missing), builds with warnings as errors, and runs every test: with clang and the
# fuzz corpora, with the sanitizers (ThreadSanitizer: the searches), and in the delivered form.
# Command tests with the tag `timed`, which measure growth over real seconds, run only in the
# delivered form: sanitized programs are several times slower, and other tests cover the same code
# with recordings. If other programs disturb such a measurement, bats repeats it, twice at most.
# A test that fails runs a second time, because other programs can disturb a test. Each test that
# passes only then is listed before the last lines of ctest.
# Stops at the first build or test run that fails. The builds are in build/PRESET. Before the last
# lines of ctest it also lists the skipped tests and the reasons: the kernel or missing rights, never a
# missing program. tests/analyse.sh runs the slow checks, tests/full.sh the tests that need large
# packages.
#   --quick          only the tests of the delivered form
#   --soak DURATION  instead of the tests, random commands for DURATION (10m) with the sanitizers:
#                    tests/soak.sh
#   --fuzz DURATION [TARGET]...
#                    instead of the tests, each fuzz target for DURATION: tests/fuzz.sh
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

# One test more than cores: many tests wait for the programs that they look at.
jobs=$(($(nproc) + 1))

# build PRESET [TARGET]...: configures, and builds the targets, or everything.
build() {
	preset=$1
	shift
	echo "== $preset: build"
	cmake --preset "$preset" >/dev/null
	cmake --build --preset "$preset" -- --quiet "$@"
}

# list_repeated PRESET: the tests that failed, and passed when they were repeated.
list_repeated() {
	awk -v preset="$1" '
		!/Test +#[0-9]+: / { next }
		{
			failed = /\*\*\*/
			sub(/.*Test +#[0-9]+: /, "")
		}
		failed { first[$1] = 1 }
		!failed && / Passed / && $1 in first { print preset ": " $1 }
	' "$scratch/output"
}

# run PRESET [CTEST-OPTION]...: runs the tests of a build. In the last run, the list of skipped
# tests precedes the closing lines of ctest.
run() {
	preset=$1
	shift
	echo "== $preset: test"
	logs="$logs build/$preset/Testing/Temporary/LastTest.log"
	{
		ctest --preset "$preset" -j "$jobs" --repeat until-pass:2 "$@" 2>&1 ||
			echo $? >"$scratch/failed"
	} |
		tee "$scratch/output" |
		sed -u "/^[0-9]*% tests passed/,\$ {
			w $scratch/closing
			d
		}"
	list_repeated "$preset" >>"$scratch/repeated"
	if [ "$preset" = dev ] || [ -e "$scratch/failed" ]; then
		# shellcheck disable=SC2086 # a list of names
		sh tests/skipped.sh $logs >"$scratch/skipped"
		echo "== skipped: $(wc -l <"$scratch/skipped")"
		cat "$scratch/skipped"
		echo "== failed once, passed when repeated: $(wc -l <"$scratch/repeated")"
		cat "$scratch/repeated"
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
	# The delivered build is optimized more, so the compiler finds more.
	echo '== release: build'
	cmake --preset release -DPROCMEM_WERROR=ON -DPROCMEM_SAMPLES=ON >/dev/null
	cmake --build --preset release -- --quiet
	build fuzz procmem tests/fuzz/all
	run fuzz -L fuzz
	build asan
	run asan
	# shellcheck disable=SC2046 # a list of names
	build tsan tests/targets/all $(cd tests/unit && echo scan/*_test.c | sed 's|/|_|g; s|\.c||g')
	run tsan -R '^unit/scan'
fi
build dev
run dev
