#!/bin/sh
# SPDX-License-Identifier: MIT
# The man pages contain no markup of scdoc as text, as _LEN_ after a plus did once. Checks the pages
# that were built from docs/man. Run by ctest.
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
exit $failed
