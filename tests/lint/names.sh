#!/bin/sh
# SPDX-License-Identifier: MIT
# The names in a file follow from its path: each external function of x.c is declared in x.h, and in
# cmd/ its name starts with the name of the file, or with those of its folder and the file. Entries
# of tables (rules of kinds and of findings, readers of runtimes, NAME_run of commands) are declared with their
# table. At most 15 % of the sources have less than 60 lines, except in kinds/. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
failed=0

# Prints `SOURCE FUNCTION` for each external function in the sources of a static library.
external_functions() {
	find "$PROCMEM_BUILD/$1/CMakeFiles/$2.dir" -name '*.o' | sort | while read -r object; do
		source=$1/${object#"$PROCMEM_BUILD/$1/CMakeFiles/$2.dir/"}
		# There may be objects of sources that no longer exist.
		[ -f "${source%.o}" ] || continue
		nm --defined-only --extern-only "$object" |
			awk -v source="${source%.o}" '$2 == "T" { print source, $3 }'
	done
}

external_functions lib procmem_objects >"${TMPDIR:-/tmp}/names.$$"
external_functions cmd procmem_commands >>"${TMPDIR:-/tmp}/names.$$"
trap 'rm -f "${TMPDIR:-/tmp}/names.$$"' EXIT
[ "$(wc -l <"${TMPDIR:-/tmp}/names.$$")" -gt 500 ] || {
	echo "$PROCMEM_BUILD has too few objects"
	exit 1
}

while read -r source function; do
	file=${source##*/}
	file=${file%.c}
	# Variants for a processor are declared with the portable functions.
	file=${file%_avx2} source=${source%_avx2.c}
	source=${source%.c}.c
	folder=${source%/*}
	folder=${folder##*/}
	case $function in
	pm_rule_* | pm_finding_* | pm_runtime_read_* | __* | _fini | _init) continue ;;
	esac
	grep -qsw -- "$function" "${source%.c}.h" "lib/include/procmem/$file.h" || {
		echo "$source: $function is not declared in $file.h"
		failed=1
	}
	case $source in
	cmd/*)
		case $function in
		"$file" | "$file"_* | "${file%s}"_*) ;;
		"$folder" | "$folder"_"$file" | "$folder"_"$file"_*) ;;
		*)
			echo "$source: $function should start with ${folder}_$file or $file"
			failed=1
			;;
		esac
		;;
	esac
done <"${TMPDIR:-/tmp}/names.$$"

# shellcheck disable=SC2046 # a list of names
find lib cmd -name '*.c' ! -path 'lib/kinds/*' -exec wc -l {} + | awk '
$2 != "total" { count++; if ($1 < 60) { short++; list = list "\n  " $1 " " $2 } }
END {
	if (short * 100 > count * 15) {
		printf "%d of %d sources have less than 60 lines (at most 15 %%):%s\n", short, count,
			list
		exit 1
	}
}' || failed=1
exit $failed
