#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: documents.sh SOURCE DIRECTORY
#
# Copies the documents that are installed to DIRECTORY: README.md and docs/. Links to files of the
# source tree that are not installed, such as the man pages in scdoc, become plain text, so that no
# link is dead. Run by the build.
set -eu
source=$1 directory=$2
rm -rf "$directory"
mkdir -p "$directory/docs"
cp "$source/README.md" "$directory"
cp "$source"/docs/*.md "$source"/docs/*.svg "$directory/docs"

cd "$directory"
for page in README.md docs/*.md; do
	awk -v folder="$(dirname "$page")" '
	# Returns whether a link refers to another site, to the same page, or to an installed file.
	function is_good(target,    file, line, status) {
		if (target ~ /^(#|[a-z]+:)/)
			return 1
		file = target
		sub(/#.*/, "", file)
		if (file !~ /\.(md|svg)$/)
			return 0
		file = folder "/" file
		status = (getline line < file) >= 0
		close(file)
		return status
	}
	{
		rest = $0
		made = ""
		while (match(rest, /!?\[[^][]*\]\([^() ]*\)/)) {
			link = substr(rest, RSTART, RLENGTH)
			middle = index(link, "](")
			target = substr(link, middle + 2, length(link) - middle - 2)
			text = substr(link, index(link, "[") + 1, middle - index(link, "[") - 1)
			made = made substr(rest, 1, RSTART - 1) (is_good(target) ? link : text)
			rest = substr(rest, RSTART + RLENGTH)
		}
		print made rest
	}' "$page" >"$page.made"
	mv "$page.made" "$page"
done
