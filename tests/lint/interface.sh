#!/bin/sh
# SPDX-License-Identifier: MIT
# The man pages and the completions have exactly the options of the help. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
PATH=${PROCMEM_BIN%/*}:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# same WHAT: compares $scratch/help with $scratch/other, and reports differences.
same() {
	sort -o "$scratch/help" "$scratch/help"
	sort -o "$scratch/other" "$scratch/other"
	comm -23 "$scratch/help" "$scratch/other" |
		sed "s|.*|$1 lacks & of the help|" >"$scratch/differences"
	comm -13 "$scratch/help" "$scratch/other" |
		sed "s|.*|$1 has &, but the help does not|" >>"$scratch/differences"
	[ -s "$scratch/differences" ] || return 0
	cat "$scratch/differences"
	failed=1
}

# Prints the options of a command, such as `-s, --sort` or `--csv`, one per line.
help_options() {
	procmem "$1" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\1\2/p' | sed 's/^ *//'
}

# As before, from a man page in scdoc: `*-s*, *--sort* _COLUMN_`.
man_options() {
	sed -n 's/^\(\*-[^*]\*, \)\{0,1\}\*\(--[a-z-]*\).*/\1\2/p' "$1" | tr -d '*'
}

# Prints the completions of bash for a command line whose last word is incomplete.
completed() {
	bash -c '
		. docs/completions/procmem.bash
		compopt() { :; }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_procmem
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

commands=$(procmem --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p')
[ -n "$commands" ] || { echo 'procmem --help lists no commands' && exit 1; }

for command in $commands; do
	page=docs/man/procmem-$command.1.scd
	help_options "$command" >"$scratch/help"
	[ -s "$scratch/help" ] || { echo "procmem $command --help lists no options" && failed=1; }
	if [ -f "$page" ]; then
		man_options "$page" >"$scratch/other"
		same "$page"
	else
		echo "$page is missing"
		failed=1
	fi
	grep -q "^\*procmem-$command\*(1)" docs/man/procmem.1.scd || {
		echo "docs/man/procmem.1.scd lacks procmem-$command(1)"
		failed=1
	}

	help_options "$command" | sed 's/^-., //' >"$scratch/help"
	completed procmem "$command" -- >"$scratch/other"
	same "bash's completion of '$command'"
	grep -q -- --columns "$scratch/help" || continue
	procmem "$command" --columns help any 2>/dev/null | sed 's/ .*//' >"$scratch/help"
	# The orders of watch are not its columns.
	if [ "$command" != watch ]; then
		completed procmem "$command" --sort '' >"$scratch/other"
		same "bash's completion of '$command --sort'"
		completed procmem "$command" --sort = '' >"$scratch/other"
		same "bash's completion of '$command --sort='"
	fi
	echo help >>"$scratch/help"
	completed procmem "$command" --columns +start,'' | sed 's/^+start,//' >"$scratch/other"
	same "bash's completion of '$command --columns +start,'"
done
for what in kind object; do
	procmem map --by "$what" --columns help any | sed 's/ .*//' >"$scratch/help"
	for by in "--by $what" "--by = $what"; do
		# shellcheck disable=SC2086 # words
		completed procmem map $by --sort '' >"$scratch/other"
		same "bash's completion of 'map $by --sort'"
	done
done

for page in docs/man/procmem-*.1.scd; do
	command=${page#docs/man/procmem-}
	echo "$commands" | grep -qx "${command%.1.scd}" || {
		echo "$page: there is no such command"
		failed=1
	}
done
{ echo "$commands" && printf '%s\n' help --help --version; } >"$scratch/help"
completed procmem '' >"$scratch/other"
same "bash's completion of commands"
sed -n '/^static.*kind_names/,/^}/p' lib/region/region.c | grep -o '"[a-z]\{1,\}"' |
	tr -d '"' >"$scratch/help"
completed procmem map --kind '' >"$scratch/other"
same "bash's completion of --kind"

# The completions of zsh and fish are only searched as text: for all options of all commands, and
# for all columns.
for command in $commands; do
	help_options "$command" | sed 's/^-., //'
done | sort -u >"$scratch/help"
grep -o -- "[',{]--[a-z][a-z-]*" docs/completions/_procmem | sed 's/^.//' |
	sort -u >"$scratch/other"
same "zsh's completion"
sed -n 's/^ *complete .* -l \([a-z-]*\).*/--\1/p' docs/completions/procmem.fish |
	sort -u >"$scratch/other"
same "fish's completion"
for command in $commands; do
	for word in $(completed procmem "$command" --sort '') $(completed procmem map --kind ''); do
		for file in docs/completions/_procmem docs/completions/procmem.fish; do
			grep -qw -- "${word%\%}" "$file" || {
				echo "$file lacks $word"
				failed=1
			}
		done
	done
done

# A process can have any name. Completion must not execute it.
cp /bin/sleep "$scratch/\$(id>pwned)"
(cd "$scratch" && exec "./\$(id>pwned)" 60) &
sleeper=$!
until grep -q 'pwned' "/proc/$sleeper/comm"; do :; done
(PROCMEM_SOURCE=$PWD && cd "$scratch" && bash -c '
	. "$0/docs/completions/procmem.bash"
	compopt() { :; }
	COMP_WORDS=(procmem ps "") COMP_CWORD=2
	_procmem' "$PROCMEM_SOURCE")
kill "$sleeper"
[ ! -e "$scratch/pwned" ] || {
	echo "bash's completion executes the names of processes"
	failed=1
}
exit $failed
