#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/package.sh makes the same bytes from the same sources in another folder and at another time. Run
# by tests/full.sh.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
for copy in first 'another folder/second'; do
	mkdir -p "$scratch/$copy"
	tar -C "$PROCMEM_SOURCE" --exclude=./build --exclude=./.git -cf - . | tar -C "$scratch/$copy" -xf -
done
sh "$scratch/first/docs/package.sh"
(
	umask 077
	sh "$scratch/another folder/second/docs/package.sh" "$scratch/some where"
)

failed=0
count=0
for package in "$scratch"/first/build/packages/*; do
	count=$((count + 1))
	cmp "$package" "$scratch/some where/${package##*/}" || failed=1
done
[ $count -eq 4 ] || {
	echo "$count files were made instead of three Debian packages and an archive"
	failed=1
}
exit $failed
