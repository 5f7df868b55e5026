#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/fresh.sh [SUITE]
#
# Checks that the two commands of README.md work on a bare system. Creates a minimal Debian system
# of SUITE (bookworm or trixie; default: bookworm) in a directory, clones the commits of this
# checkout into it, and runs docs/tour.sh and tests/run.sh there. Needs root and a Debian mirror,
# half an hour, and 5 GB in TMPDIR (default: /var/tmp). Removes the directory at the end.
#
# The last line is the result: `fresh.sh: SUITE: passed ...` or `fresh.sh: SUITE: failed ...`.
set -eu

case ${1:-bookworm} in
-* | '')
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
	;;
esac
suite=${1:-bookworm}
cd "$(dirname "$0")/.."
. tests/install/root.sh

# finish STATUS WORD...: prints the last line and exits.
finish() {
	status=$1
	shift
	echo "fresh.sh: $suite: $*"
	exit "$status"
}

obstacle=$(root_obstacle)
[ -z "$obstacle" ] || finish 77 "skipped: $obstacle"
for program in git mmdebstrap; do
	command -v $program >/dev/null ||
		finish 1 "failed: $program is missing: sh docs/setup.sh full installs it"
done

scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/procmem-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# The tests inside run as other users, too.
chmod 755 "$scratch"

root=$scratch/root
echo "== $suite: create a minimal system"
root_make "$root" "$suite" --variant=minbase || finish 1 'failed: the system could not be created'
git clone --quiet --no-hardlinks . "$root/root/procmem" || finish 1 'failed: git clone'
echo "== $(git -C "$root/root/procmem" log -1 --format='%h %s')"

# minutes SINCE: prints the minutes since a time of `date +%s`, rounded.
minutes() {
	echo "$((($(date +%s) - $1 + 30) / 60)) min"
}

results=
for script in docs/tour.sh tests/run.sh; do
	echo "== $suite: sh $script"
	started=$(date +%s)
	# shellcheck disable=SC2016 # the inner shell expands it
	root_run "$root" sh -c 'cd /root/procmem && exec sh "$1"' sh $script </dev/null ||
		finish 1 "failed: sh $script (status $?, after $(minutes "$started"))"
	results="$results${results:+, }sh $script in $(minutes "$started")"
done
finish 0 "passed: $results"
