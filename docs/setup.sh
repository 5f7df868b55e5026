#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/setup.sh [--list] [build|test|analyse|full]
#
# Installs the missing Debian packages of a scope:
# - build (default): needed to build procmem
# - test: also those that tests/run.sh needs
# - analyse: also those that tests/analyse.sh needs
# - full: also those that tests/full.sh needs; they are large. axe-core is fetched by npm, if that
#   is installed
#
# Prints the packages that it installs, and nothing if none are missing. It needs root or sudo only
# if packages are missing. --list prints the packages of the scope, installed or not.
#
# tests/lint/programs.sh checks these lists: every program that a test calls must be in one of the
# packages.
set -eu

# Libraries, the compiler, build tools, and scdoc for the man pages. binutils and git are for
# docs/package.sh.
build_packages='build-essential cmake file ninja-build pkg-config libpcre2-dev libproc2-dev
	libjansson-dev libncurses-dev libsqlite3-dev libelf-dev libdw-dev libreadline-dev
	libiberty-dev zlib1g-dev procps scdoc binutils git'

# Test frameworks; clang for sanitizers, fuzzing and static analysis; target programs; tools to
# compare results with; linters.
test_packages='libcmocka-dev bats clang libclang-rt-dev clang-tidy clang-format-19 redis-server
	redis-tools nodejs python3 gdb strace elfutils tmux jq lsof doxygen ripgrep yara scanmem
	bsdextrautils default-jdk-headless time shellcheck util-linux less sqlite3 lintian
	mmdebstrap python3-jsonschema'

# For slow checks.
analysis_packages='cppcheck valgrind'

# Large packages: a browser, what shows its PDF files, a metrics server, compilers, a runtime, a
# database, a web server.
full_packages='chromium chromium-driver poppler-utils prometheus golang-go rustc protobuf-compiler
	postgresql nginx-light curl'

# The only program that is not in Debian: it finds what keeps people from using a page. It is
# fetched if npm is installed, which itself needs hundreds of packages.
axe_version=4.10.3

wanted() {
	echo "$build_packages"
	[ "$1" != build ] || return 0
	echo "$test_packages"
	# For 32-bit target programs.
	[ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] || echo gcc-multilib
	case $1 in
	analyse) echo "$analysis_packages" ;;
	full) echo "$full_packages" ;;
	esac
}

is_installed() {
	# Any JDK is sufficient.
	if [ "$1" = default-jdk-headless ] && command -v javac >/dev/null 2>&1 &&
		command -v jcmd >/dev/null 2>&1; then
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
	# sudo does not pass the environment.
	as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
		--no-install-recommends "$@" >/dev/null
}

# Fetches axe-core into build/npm. Without npm or a network, the test that needs it is skipped.
fetch_axe() {
	folder=$(dirname "$0")/../build/npm
	[ ! -e "$folder/node_modules/axe-core/axe.min.js" ] || return 0
	command -v npm >/dev/null 2>&1 || return 0
	mkdir -p "$folder"
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" \
		"axe-core@$axe_version" >/dev/null 2>&1 ||
		echo "${0##*/}: npm could not fetch axe-core" >&2
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
	echo "${0##*/}: not a Debian system; install the contents of these Debian packages:" >&2
	wanted "$scope" >&2
	exit 1
fi

[ "$scope" != full ] || fetch_axe
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
