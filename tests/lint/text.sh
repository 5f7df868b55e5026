#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks every source file: the licence line, no spaces at the ends of lines, and the length of
# files and functions. lint/format checks the rest of the layout. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
max_lines=600 max_function=60 max_test=80

sources=$(find lib cmd docs tests -name '*.[ch]' | sort)
# shellcheck disable=SC2086 # a list of names
awk -v max_lines=$max_lines -v max_function=$max_function -v max_test=$max_test '
function complain(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	failed = 1
}

function end_of_file() {
	if (lines > max_lines) {
		printf "%s: %d lines: it has more than one concept (at most %d)\n", file, lines,
			max_lines
		failed = 1
	}
}

FNR == 1 {
	end_of_file()
	file = FILENAME
	if ($0 != "/* SPDX-License-Identifier: MIT */")
		complain("the first line must be /* SPDX-License-Identifier: MIT */")
}

{ lines = FNR }

/[ \t]$/ { complain("spaces at the end of the line") }

/^\{/ { begin = FNR }

# A table of test cases may be longer than code.
/^\}/ && begin {
	length_of = FNR - begin - 1
	max = FILENAME ~ /^tests/ ? max_test : max_function
	if (length_of > max)
		complain("a function of " length_of " lines (at most " max ")")
	begin = 0
}

END {
	end_of_file()
	exit failed
}' $sources
