#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/setup.sh [build|test|analyse]
#
# Installs the Debian packages that are missing, and nothing else: those needed to build procmem, or (`test`) those of the tests as well, or
# (`analyse`) those of tests/analyse.sh, too. Says which it installs; says nothing when all are there. Needs root or sudo only when something
# is missing.
set -eu

# The libraries, and what turns sources into a program and its man pages.
build_packages='build-essential cmake file ninja-build pkg-config libpcre2-dev libproc2-dev libjansson-dev libncurses-dev libsqlite3-dev libelf-dev libreadline-dev procps scdoc'

# Test frameworks; a second compiler with sanitizers, fuzzer and static analysis; programs to look into; peers to compare with; checkers of
# text.
test_packages='libcmocka-dev bats clang libclang-rt-dev clang-tidy redis-server python3 gdb strace elfutils tmux jq doxygen hyperfine ripgrep
	yara scanmem binutils time shellcheck util-linux lintian mmdebstrap'

# What takes longer than tests.
analysis_packages='cppcheck valgrind'

wanted() {
	echo "$build_packages"
	[ "$1" = build ] && return
	echo "$test_packages"
	# Any Java will do.
	command -v java >/dev/null 2>&1 || echo default-jdk-headless
	# 32-bit programs to look into.
	[ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] || echo gcc-multilib
	[ "$1" = test ] || echo "$analysis_packages"
}

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

install_packages() {
	# sudo does not hand on the environment.
	as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

scope=${1:-build}
case $scope in
build | test | analyse) ;;
*)
	echo "usage: ${0##*/} [build|test|analyse]" >&2
	exit 2
	;;
esac

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
	echo "${0##*/}: this is no Debian system; install what these Debian packages hold:" >&2
	wanted "$scope" >&2
	exit 1
fi

missing=
for package in $(wanted "$scope"); do
	is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
	echo "${0##*/}: run as root: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "${0##*/}: installing$missing"
# shellcheck disable=SC2086 # a list of names
install_packages $missing
