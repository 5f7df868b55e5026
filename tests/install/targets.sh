#!/bin/sh
# SPDX-License-Identifier: MIT
# A build of the program alone builds nothing else: no parts of the tests and benchmarks, and not
# the target of the tour, which is built only for the tour. Run by ctest.
set -eu
command -v jq >/dev/null || {
	echo 'jq is not installed: sh docs/setup.sh test installs it'
	exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# sources_of OPTION...: writes the sources that a build with these options compiles to `sources`.
sources_of() {
	rm -rf "$scratch/build"
	cmake -S "$PROCMEM_SOURCE" -B "$scratch/build" "$@" >"$scratch/log" 2>&1 || {
		cat "$scratch/log"
		exit 1
	}
	jq -r '.[].file' "$scratch/build/compile_commands.json" >"$scratch/sources"
	grep -qx "$PROCMEM_SOURCE/cmd/main.c" "$scratch/sources" || {
		echo "$*: the program is not built"
		exit 1
	}
}

sources_of -DBUILD_TESTING=OFF
# The build makes sources from the style and the script of reports.
found=$(grep -vE "^($PROCMEM_SOURCE|$scratch/build)/(lib|cmd)/" "$scratch/sources" || :)
[ -z "$found" ] || { echo "BUILD_TESTING=OFF builds $found" && failed=1; }
sources_of -DBUILD_TESTING=OFF -DPROCMEM_SAMPLES=ON
grep -qx "$PROCMEM_SOURCE/tests/targets/sample_server.c" "$scratch/sources" || {
	echo 'PROCMEM_SAMPLES=ON does not build the samples'
	failed=1
}

# The preset in README.md sets this, too. Scripts that need the samples set the option.
cd "$PROCMEM_SOURCE"
jq -e '.configurePresets[] | select(.name == "release") | .cacheVariables.BUILD_TESTING == "OFF"' \
	CMakePresets.json >/dev/null || {
	echo 'the preset release does not set BUILD_TESTING=OFF'
	failed=1
}
for script in docs/tour.sh docs/case.sh docs/heap_cases.sh docs/screenshot.sh tests/bench/run.sh; do
	grep -q 'preset release -DPROCMEM_SAMPLES=ON' "$script" || {
		echo "$script does not build the samples"
		failed=1
	}
done
exit $failed
