#!/bin/sh
# SPDX-License-Identifier: MIT
# Every program that a script or a test calls is in a package that docs/setup.sh installs for it, or
# in an essential package of Debian, according to programs.txt. A program that is not in that file
# is an error if a script requires it by name (`require`, `command -v`) or if it is installed here;
# other words only look like commands. No program is listed, and no package is installed, without
# need. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"
table=tests/lint/programs.txt
essential='apt bash bsdutils coreutils dash diffutils dpkg findutils grep gzip libc-bin mawk mount
	sed tar util-linux'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

complain() {
	echo "$*"
	failed=1
}

# scope_of FILE: prints the scope of docs/setup.sh that is installed where FILE runs.
scope_of() {
	case $1 in
	docs/tour.sh | docs/package.sh) echo build ;;
	tests/analyse.sh | tests/valgrind.sh) echo analyse ;;
	tests/full.sh | tests/fresh.sh | tests/cli/browser.bats | tests/cli/heap/large.bats | \
		tests/cli/trace/languages.bats | tests/cli/why/programs.bats)
		echo full
		;;
	tests/unit/runtimes/chromium_live_test.c) echo full ;;
	docs/setup.sh) echo full ;; # only checks what is installed
	*) echo test ;;
	esac
}

# Prints the programs that C sources and CMake files call: those that they start by name, and the
# first words of commands for a shell.
called_by_sources() {
	find tests -name '*.c' \
		-exec grep -HnoE '(program_start\([^,]*, |exec[lv]p\()"[^"/]+"' {} + |
		sed 's/^\([^:]*\):\([0-9]*\):.*"\(.*\)"$/\1\t\2\t\3\tnamed/'
	find tests -name '*.c' -exec grep -qE '\b(popen|system)\(' {} \; -print0 |
		xargs -0 grep -HnoE '"[a-z][a-z0-9-]* [-%][^"]*"' |
		sed 's/^\([^:]*\):\([0-9]*\):"\([^ ]*\) .*/\1\t\2\t\3\tcalled/'
	find . -path ./build -prune -o \( -name CMakeLists.txt -o -name '*.cmake' \) \
		-exec grep -HnoE 'find_program\([A-Z_]+ [a-z0-9.+-]+' {} + |
		sed 's/^\.\/\([^:]*\):\([0-9]*\):.* /\1\t\2\t/; s/$/\tnamed/'
}

find docs tests -name '*.sh' -o -name '*.bats' -o -name '*.bash' | grep -v '^docs/completions/' |
	sort >"$scratch/scripts"
echo .ci/run >>"$scratch/scripts"
{
	xargs awk -f tests/lint/command_words.awk <"$scratch/scripts"
	called_by_sources
} | sort -u >"$scratch/calls"
[ "$(wc -l <"$scratch/calls")" -gt 1000 ] || complain 'fewer than 1000 calls of programs were found'

# Names that are not programs: functions of the scripts, and builtins and keywords of the shell.
{
	xargs sed -nE 's/^[[:space:]]*([a-z_]+) *\(\).*/\1/p' <"$scratch/scripts"
	bash -c 'compgen -b; compgen -k'
} | sort -u >"$scratch/others"
sed -E '/^(#|$)/d' "$table" >"$scratch/table"
for scope in build test analyse full; do
	{
		sh docs/setup.sh --list $scope
		echo "$essential" | tr -s ' \t' '\n'
		echo -
	} | sort -u >"$scratch/$scope"
done

# FILE LINE PROGRAM PACKAGE-OR-HOW of each call, except functions and builtins.
awk -F '\t' '
FILENAME == ARGV[1] {
	split($0, words, " ")
	for (i = 2; i in words; i++)
		package[words[i]] = words[1]
	next
}
FILENAME == ARGV[2] { other[$1]; next }
$3 in package { print $1, $2, $3, package[$3]; next }
!($3 in other) { print $1, $2, $3, "(" $4 ")" }
' "$scratch/table" "$scratch/others" "$scratch/calls" >"$scratch/found"

grep ' ([a-z]*)$' "$scratch/found" >"$scratch/unknown" || true
while read -r file line program how; do
	[ "$how" = '(named)' ] || command -v "$program" | grep -q '^/' || continue
	complain "$file:$line: $program: add it to $table, with its package"
done <"$scratch/unknown"

# One call for each file and package.
grep -v ')$' "$scratch/found" | sort -u -k 1,1 -k 4,4 >"$scratch/known"
while read -r file line program package; do
	scope=$(scope_of "$file")
	grep -qx -e "$package" "$scratch/$scope" ||
		complain "$file:$line: $program: docs/setup.sh $scope does not install $package"
done <"$scratch/known"

# Conversely, each listed program is called somewhere, and each package has such a program.
grep -vx 'docs/setup.sh' "$scratch/scripts" | xargs grep -hv '^[[:space:]]*#' >"$scratch/lines"
cut -f 3 "$scratch/calls" >>"$scratch/lines"
while read -r package programs; do
	for program in $programs; do
		[ "$program" != clang-format-19 ] || continue # .clang-format is made for it
		grep -qwF -e "$program" "$scratch/lines" ||
			complain "$table: no test or script calls $program"
	done
done <"$scratch/table"
sort -u "$scratch/build" "$scratch/test" "$scratch/analyse" "$scratch/full" >"$scratch/packages"
while read -r package; do
	case $package in
	- | lib* | gcc-multilib | zlib1g-dev) continue ;; # no programs
	ninja-build) continue ;;                          # cmake calls it
	esac
	grep -q "^$package " "$scratch/table" ||
		complain "docs/setup.sh: $table lists no program of $package: what needs it?"
done <"$scratch/packages"

# A missing program that docs/setup.sh installs is not a reason to skip a test.
if grep -rnE 'skip(_because)?[ (].*not installed|not installed.*exit 77' tests \
	--include='*.[ch]' --include='*.sh' --include='*.bats' --include='*.bash' | grep -v '^tests/lint/programs\.sh:'; then
	complain 'these tests must fail without the program: require PROGRAM, or fail_msg()'
fi
exit $failed
