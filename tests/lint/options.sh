#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option of every command is used in a test: a line of tests/cli/COMMAND.bats or
# tests/cli/COMMAND/*.bats has its long or its short name, or a line of every_command.bats has its
# long name. (every_command.bats tests all commands, or names the command in that line or in the
# title of the test.) Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
PATH=${PROCMEM_BIN%/*}:$PATH
failed=0

# Prints the lines of every_command.bats that concern a command: those of tests whose titles name
# this command, or no command.
about() {
	awk -v command="$1" '
	/^@test/ { name = $0; general = name !~ / of [a-z]+ leave / }
	/^[[:space:]]*#/ { next }
	name != "" && (general || name ~ " of " command " ")' tests/cli/every_command.bats
}

commands=$(procmem --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p')
[ -n "$commands" ] || { echo 'procmem --help lists no commands' && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for command in $commands; do
	# One line for each of `-s, --sort` and `--csv`: the long name, and the short name if there
	# is one.
	procmem "$command" --help | sed -n 's/^  \(-\(.\), \|    \)--\([a-z-]*\).*/\3 \2/p' \
		>"$scratch/options"
	[ -s "$scratch/options" ] || {
		echo "procmem $command --help lists no options"
		exit 1
	}
	# Comments do not count.
	find tests/cli \( -path "tests/cli/$command.bats" -o -path "tests/cli/$command/*.bats" \) \
		-exec grep -hv '^[[:space:]]*#' {} + >"$scratch/lines" || true
	about "$command" >>"$scratch/lines"
	while read -r long short; do
		grep -Eq -e "--$long([^a-z-]|\$)" "$scratch/lines" && continue
		# A short name can be among others: -aq.
		[ -n "$short" ] &&
			grep -Eq "(^|[[:space:](])-[a-zA-Z]*$short" "$scratch/lines" && continue
		echo "no test of tests/cli uses --$long${short:+, -$short} of $command"
		failed=1
	done <"$scratch/options"
done
exit $failed
