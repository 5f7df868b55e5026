#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs shellcheck on all scripts. Run by ctest.
set -eu
command -v shellcheck >/dev/null || {
	echo 'shellcheck is not installed: sh docs/setup.sh test installs it'
	exit 1
}
cd "$PROCMEM_SOURCE"
find docs tests -name '*.sh' | sort | xargs shellcheck .ci/run
# Very long lines are only noted.
find docs tests .ci -type f \( -name '*.sh' -o -name '*.bats' -o -name '*.bash' -o -name run \) \
	-exec grep -nE '^.{141,}' {} + |
	sed 's/^\([^:]*:[0-9]*\):.*/note: \1: longer than 140 characters/'
# A negated command does not fail a test, unless it is the last one.
if grep -nE '^[[:space:]]*! ' tests/cli/*.bats tests/cli/*/*.bats | grep -v '||'; then
	echo "bats ignores the result of these commands: write 'fails COMMAND'"
	exit 1
fi
# Helpers for bats set variables for the files that load them.
find tests -name '*.bash' | sort | xargs shellcheck --shell=bash --exclude=SC2034
