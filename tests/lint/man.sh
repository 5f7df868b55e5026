#!/bin/sh
# SPDX-License-Identifier: MIT
# No mark of scdoc is left in the man pages as text: _LEN_ behind a plus stayed so. Pages are checked as they were made from docs/man. Run
# by ctest.
set -eu
pages=$PROCMEM_BUILD/docs/man
set -- "$pages"/*.[1-9]
[ -e "$1" ] || { echo 'no man pages were made: is scdoc installed? sh docs/setup.sh test installs it' && exit 1; }
[ $# -eq "$(find "$PROCMEM_SOURCE/docs/man" -name '*.scd' | wc -l)" ] || { echo "$pages has $# pages, docs/man another number" && exit 1; }
failed=0

# Text as it is shown, without examples, between .nf and .fi, and without the lines of macros' own.
shown() {
	sed -e '/^\.nf/,/^\.fi/d' -e '/^\.\\"/d' -e 's/\\f[BIR]//g; s/\\&//g; s/\\-/-/g' "$1"
}

# A name may have underscores inside, and in libprocmem(3) endings begin with one: _open. Parameters are in capitals. A star alone is what
# hexdump prints.
left='(^|[^A-Za-z0-9_])_[A-Z]|[^ ]_([^A-Za-z0-9_]|$)|[A-Za-z]\*|\*[A-Za-z-]'
for page; do
	found=$(shown "$page" | grep -nE "$left" || true)
	[ -z "$found" ] && continue
	echo "${page##*/}: marks of scdoc that are left as text:"
	echo "$found" | sed 's/^/  /'
	failed=1
done
exit $failed
