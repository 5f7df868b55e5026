#!/bin/sh
# SPDX-License-Identifier: MIT
# Who only wants the program builds nothing else: not what the tests and benchmarks consist of, nor what the tour looks into. The latter is
# built where the tour asks for it. Run by ctest.
set -eu
command -v jq >/dev/null || { echo 'jq is not installed: sh docs/setup.sh test installs it' && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# made OPTION...: into `sources`, what a build with these options compiles.
made() {
	rm -rf "$scratch/build"
	cmake -S "$PROCMEM_SOURCE" -B "$scratch/build" "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" && exit 1; }
	jq -r '.[].file' "$scratch/build/compile_commands.json" >"$scratch/sources"
	grep -qx "$PROCMEM_SOURCE/cmd/main.c" "$scratch/sources" || { echo "$*: the program is not built" && exit 1; }
}

made -DBUILD_TESTING=OFF
found=$(grep -vE "^$PROCMEM_SOURCE/(lib|cmd)/" "$scratch/sources" || :)
[ -z "$found" ] || { echo "BUILD_TESTING=OFF builds $found" && failed=1; }
made -DBUILD_TESTING=OFF -DPROCMEM_SAMPLES=ON
grep -qx "$PROCMEM_SOURCE/tests/targets/sample_server.c" "$scratch/sources" || { echo 'PROCMEM_SAMPLES=ON builds no samples' && failed=1; }

# The preset that README.md names says the same, and what needs more says so.
cd "$PROCMEM_SOURCE"
jq -e '.configurePresets[] | select(.name == "release") | .cacheVariables.BUILD_TESTING == "OFF"' CMakePresets.json >/dev/null || failed=1
for script in docs/tour.sh docs/case.sh docs/screenshot.sh tests/bench/run.sh; do
	grep -q 'preset release -DPROCMEM_SAMPLES=ON' "$script" || { echo "$script builds no samples" && failed=1; }
done
exit $failed
