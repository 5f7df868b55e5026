#!/bin/sh
# SPDX-License-Identifier: MIT
# The looks of every source file: licence line, tabs, line length (140 characters, a tab counts as one), blanks at line ends, and how long
# files and functions are. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
most_columns=140 most_lines=400 wanted_lines=300 most_function=60 wanted_function=40

sources=$(find lib cmd docs tests -name '*.[ch]' | sort)
# shellcheck disable=SC2086 # a list of names
awk -v most_columns=$most_columns -v most_lines=$most_lines -v wanted_lines=$wanted_lines -v most_function=$most_function \
	-v wanted_function=$wanted_function '
function complain(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	failed = 1
}

function end_of_file() {
	# A list of test cases may be longer than code.
	most = file ~ /^tests/ ? most_lines + 100 : most_lines
	if (lines > most) {
		printf "%s: %d lines: it holds more than one concept (most: %d)\n", file, lines, most
		failed = 1
	} else if (lines > wanted_lines)
		printf "note: %s: %d lines (wanted: %d)\n", file, lines, wanted_lines
}

FNR == 1 {
	end_of_file()
	file = FILENAME
	if ($0 != "/* SPDX-License-Identifier: MIT */")
		complain("the first line must be /* SPDX-License-Identifier: MIT */")
}

{
	lines = FNR
	if (length($0) > most_columns)
		printf "note: %s:%d: longer than %d characters\n", FILENAME, FNR, most_columns
}

/[ \t]$/ { complain("blanks at the end") }
# What continues a line may be aligned by blanks.
/^ +[^ *]/ && before !~ /[,(&|+?:]$/ { complain("indented by blanks") }
{ before = $0 }

/^\{/ { begin = FNR }

/^\}/ && begin {
	length_of = FNR - begin - 1
	if (length_of > most_function)
		complain("a function of " length_of " lines (most: " most_function ")")
	else if (length_of > wanted_function)
		printf "note: %s:%d: a function of %d lines (wanted: %d)\n", FILENAME, FNR, length_of, wanted_function
	begin = 0
}

END {
	end_of_file()
	exit failed
}' $sources
