#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/analyse.sh [cppcheck|lint|analyzer|tsan|valgrind|builds]...
#
# What takes long and finds mistakes without running everything again (without a word: all of it, 35 minutes on two cores):
#   cppcheck   over the library and the program (seconds)
#   lint       clang-tidy over them, with the checks that follow every path through a function (4 minutes)
#   analyzer   gcc -fanalyzer over them (half a minute)
#   tsan       ThreadSanitizer over the tests of units and commands (6 minutes)
#   valgrind   memcheck over the tests of commands: tests/valgrind.sh (20 minutes)
#   builds     gcc and clang, -O0 and -O3, warnings as errors, and the unit tests of each (2 to 5 minutes)
# A check that finds something does not keep the others from running. In the end it says what came of each, and ends with 1 if one found
# something. A finding that is none is answered where it is, in the source; a check that does not fit the project, in .clang-tidy or here.
set -eu

checks='cppcheck lint analyzer tsan valgrind builds'
for check; do
	case " $checks " in
	*" $check "*) ;;
	*)
		sed -n 's/^# usage: /usage: /p' "$0" >&2
		exit 2
		;;
	esac
done
[ $# -gt 0 ] && checks=$*

cd "$(dirname "$0")/.."
sh docs/setup.sh analyse
jobs=$(nproc)

# build PRESET: all of it; goes on after errors, to show all of them.
build() {
	cmake --preset "$1" >/dev/null
	cmake --build --preset "$1" -- --quiet -k 0
}

run_cppcheck() {
	# readdir(3) of different streams may be called by threads (POSIX.1-2024); getpwuid(3) is in the program, which has no threads there.
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr --library=posix -D_GNU_SOURCE \
		-Ilib -Ilib/include -Icmd --suppress=missingIncludeSystem --suppress=readdirCalled --suppress=getpwuidCalled -j "$jobs" lib cmd
}

run_lint() {
	# Configured only, for the compiler's options.
	cmake --preset lint >/dev/null
	PROCMEM_SOURCE=$PWD PROCMEM_BUILD=$PWD/build/lint sh tests/lint/tidy.sh paths
}

# -fanalyzer of gcc 12: leaks are left out, because it loses pointers that are kept in what another pointer leads to (LeakSanitizer looks
# for them in every test); and NULL as an argument, because it takes the empty text of cmd/text.h, which has neither memory nor capacity,
# for one that has capacity.
run_analyzer() {
	build analyzer
}

# In unit/proc/process_attack a process counts its threads, and ThreadSanitizer adds one.
run_tsan() {
	build tsan
	ctest --preset tsan -j "$jobs" -L 'unit|cli' -E '^unit/proc/process_attack$'
}

run_valgrind() {
	build dev
	bash tests/valgrind.sh
}

run_builds() {
	for compiler in gcc clang; do
		for level in 0 3; do
			folder=build/$compiler-O$level
			echo "-- $compiler -O$level"
			cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O$level -g" \
				-DPROCMEM_WERROR=ON >/dev/null
			cmake --build "$folder" -- --quiet -k 0
			ctest --test-dir "$folder" -j "$jobs" -L unit --output-on-failure
		done
	done
}

run() {
	case $1 in
	cppcheck) run_cppcheck ;;
	lint) run_lint ;;
	analyzer) run_analyzer ;;
	tsan) run_tsan ;;
	valgrind) run_valgrind ;;
	builds) run_builds ;;
	esac
}

failed=0 summary=
for check in $checks; do
	echo "== $check"
	begin=$(date +%s)
	# In a condition, -e would be off in there.
	set +e
	(set -e && run "$check")
	status=$?
	set -e
	[ $status -eq 0 ] && result=clean || result=FAILED failed=1
	summary="$summary$(printf '%-9s %-6s %6d s' "$check" "$result" $(($(date +%s) - begin)))
"
done
echo '== summary'
printf %s "$summary"
exit $failed
