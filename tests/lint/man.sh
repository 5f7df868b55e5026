#!/bin/sh
# SPDX-License-Identifier: MIT
# The man pages contain no markup of scdoc as text, as _LEN_ after a plus did once. Checks the pages
# that were built from docs/man. Every public function of the library is on one page of section 3, with
# its declaration, and these pages have no other functions. Run by ctest.
set -eu
pages=$PROCMEM_BUILD/docs/man
set -- "$pages"/*.[1-9]
[ -e "$1" ] || {
	echo 'no man pages were built: is scdoc installed? sh docs/setup.sh test installs it'
	exit 1
}
[ $# -eq "$(find "$PROCMEM_SOURCE/docs/man" -name '*.scd' | wc -l)" ] || {
	echo "$pages has $# pages, but docs/man has another number"
	exit 1
}
failed=0

# Prints the displayed text, without examples (between .nf and .fi) and without comments.
shown() {
	sed -e '/^\.nf/,/^\.fi/d' -e '/^\.\\"/d' -e 's/\\f[BIR]//g; s/\\&//g; s/\\-/-/g' "$1"
}

# A name can contain underscores, and endings in libprocmem(3) start with one: _open. Parameters are
# in capitals. A star alone is from the output of hexdump.
left='(^|[^A-Za-z0-9_])_[A-Z]|[^ ]_([^A-Za-z0-9_]|$)|[A-Za-z]\*|\*[A-Za-z-]'
for page; do
	found=$(shown "$page" | grep -nE "$left" || true)
	[ -z "$found" ] && continue
	echo "${page##*/}: markup of scdoc that is left as text:"
	echo "$found" | sed 's/^/  /'
	failed=1
done

# The functions that the library exports are on the pages, once each. Functions of the headers that are
# compiled into the caller are there, too.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sed -n 's/^\t\(pm_[a-z0-9_]*\);$/\1/p' "$PROCMEM_SOURCE/lib/libprocmem.map" | LC_ALL=C sort >"$scratch/exported"
sed -n 's/^static inline .*[ *]\(pm_[a-z0-9_]*\)(.*/\1/p' "$PROCMEM_SOURCE"/lib/include/procmem/*.h |
	LC_ALL=C sort "$scratch/exported" - >"$scratch/expected"
pages=$PROCMEM_BUILD/docs/man3
# With the line after .SH NAME: the names of the page, and of its functions.
sed -n '/^\.SH NAME$/{n;s/ \\- .*//;s/, /\n/gp}' "$pages"/*.3 | grep '^pm_' | LC_ALL=C sort >"$scratch/named"
cut -d ' ' -f 1 "$pages/links" | LC_ALL=C sort >"$scratch/linked"
for list in named linked; do
	diff "$scratch/expected" "$scratch/$list" >"$scratch/differences" || {
		echo "functions of the headers (<) are not those of the man pages (>), $list:"
		cat "$scratch/differences"
		failed=1
	}
done
while read -r name page; do
	grep -q "^\\\\&\(.*[ *]\)\{0,1\}$name([^)]" "$pages/$page.3" || {
		echo "$page(3) lacks the declaration of $name"
		failed=1
	}
done <"$pages/links"
for page in "$pages"/*.3; do
	sed -n '/^\.SH NAME$/{n;p}' "$page" | grep -q ' \\- [a-z]' || {
		echo "$page: NAME has no purpose"
		failed=1
	}
done
exit $failed
