#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C file has the format of clang-format-19 with .clang-format, and no line has more than 100
# columns, with a tab counted as 8. Run by ctest.
set -eu
command -v clang-format-19 >/dev/null || {
	echo 'clang-format-19 is not installed: sh docs/setup.sh test installs it'
	exit 1
}
cd "$PROCMEM_SOURCE"
sources=$(find lib cmd docs tests -name '*.[ch]' | sort)
failed=0

# shellcheck disable=SC2086 # a list of names
echo $sources | xargs -P "$(nproc)" -n 60 clang-format-19 --dry-run --Werror || failed=1
# shellcheck disable=SC2086
awk '
{
	line = $0
	while ((i = index(line, "\t")) > 0)
		line = substr(line, 1, i - 1) sprintf("%" (8 - (i - 1) % 8) "s", "") \
			substr(line, i + 1)
	gsub(/[\200-\277]/, "", line)
}
length(line) > 100 && line !~ /https?:/ {
	printf "%s:%d: %d columns\n", FILENAME, FNR, length(line)
	failed = 1
}
END { exit failed }' $sources || failed=1
exit $failed
