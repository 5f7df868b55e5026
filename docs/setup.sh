#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/setup.sh [--list] [build|test|analyse|full]
#
# Installs the Debian packages that are missing, and nothing else. Without a word: those needed to
# build procmem. `test` adds those of tests/run.sh; `analyse` adds to these those of
# tests/analyse.sh, and `full` those of tests/full.sh, which are large. Prints which packages it
# installs, and nothing when all are there. Needs root or sudo only when something is missing.
# --list prints the packages of a scope instead, whether they are there or not.
#
# tests/lint/programs.sh checks the lists: every program that a test calls is in one of the packages.
set -eu

# The libraries, and what makes a program and its man pages of sources.
build_packages='build-essential cmake file ninja-build pkg-config libpcre2-dev libproc2-dev
	libjansson-dev libncurses-dev libsqlite3-dev libelf-dev libreadline-dev procps scdoc'

# Test frameworks; a second compiler with sanitizers, fuzzer and static analysis; programs to look
# into; peers to compare with; checkers of text; what tests look at results with.
test_packages='libcmocka-dev bats clang libclang-rt-dev clang-tidy clang-format-19 redis-server
	redis-tools python3 gdb strace elfutils tmux jq doxygen ripgrep yara scanmem binutils
	bsdextrautils default-jdk-headless time shellcheck util-linux less sqlite3 lintian mmdebstrap'

# What takes longer than tests.
analysis_packages='cppcheck valgrind'

# What is large: a browser, a server of metrics, a compiler. git and mmdebstrap make other systems.
full_packages='chromium chromium-driver prometheus golang-go git mmdebstrap'

wanted() {
	echo "$build_packages"
	[ "$1" != build ] || return 0
	echo "$test_packages"
	# 32-bit programs to look into.
	[ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] || echo gcc-multilib
	case $1 in
	analyse) echo "$analysis_packages" ;;
	full) echo "$full_packages" ;;
	esac
}

is_installed() {
	# Any JDK will do.
	if [ "$1" = default-jdk-headless ] && command -v javac >/dev/null 2>&1 && command -v jcmd >/dev/null 2>&1; then
		return 0
	fi
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

list=no
if [ "${1:-}" = --list ]; then
	list=yes
	shift
fi
scope=${1:-build}
case $scope in
build | test | analyse | full) ;;
*)
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
	;;
esac

if [ $list = yes ]; then
	wanted "$scope" | tr -s ' \t' '\n' | sort
	exit
fi

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
