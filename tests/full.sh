#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/full.sh [CTEST-OPTION]...
#
# Installs large packages, builds, and runs the tests with the label `full`, which take very long or
# need these packages. This takes an hour on two cores. tests/run.sh does not run these tests. `-N`
# lists them:
#
# - install/fresh: tests/fresh.sh for Debian 12
# - install/archive: the archive in bare Debian 11, 12 and 13, and in an empty root directory
# - install/reproducible: packages built twice are equal
# - install/glibc: heaps of processes that use the glibc of Debian 11 or 13
# - cli/browser: HTML reports in Chromium
# - cli/heap/large: the heap of PostgreSQL, and 14 million chunks
# - cli/why/programs: findings about nginx, PostgreSQL and chromium
# - cli/why/causes_30s, healthy_30s, runtimes_30s: known causes, each observed for 30 s
# - cli/trace/kill_often: SIGKILL of 100 traces
# - cli/trace/languages: profiles in `go tool pprof` and protoc; functions of Rust and node
# - unit/runtimes/chromium_live: owners of the memory of a browser
set -eu
cd "$(dirname "$0")/.."
sh docs/setup.sh full

echo '== versions of the programs used'
chromium --version
chromedriver --version
go version
node --version
prometheus --version 2>&1 | head -n 1
protoc --version
psql --version
rustc --version

echo '== dev: build'
cmake --preset dev >/dev/null
cmake --build --preset dev -- --quiet
echo '== full: test'
exec ctest --preset full "$@"
