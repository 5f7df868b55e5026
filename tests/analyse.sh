#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/analyse.sh [cppcheck|lint|analyzer|tsan|valgrind|builds]...
#
# Runs the checks that take long (default: all of them, 35 minutes on two cores):
#   cppcheck   of the library and the program (seconds)
#   lint       clang-tidy with the checks that follow every path through a function (4 minutes)
#   analyzer   gcc -fanalyzer (half a minute)
#   tsan       ThreadSanitizer in the unit and command tests (6 minutes)
#   valgrind   memcheck in the command tests: tests/valgrind.sh (20 minutes)
#   builds     gcc and clang, -O0 and -O3, warnings as errors, with the unit tests (2 to 5 minutes)
#
# If a check fails, the others run nevertheless. At the end it prints the result of each check, and
# exits with 1 if one has failed. A false finding is suppressed in the source, where it occurs; a
# check that does not suit the project is disabled in .clang-tidy or here.
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

# build PRESET: builds everything, and continues after errors to show all of them.
build() {
	cmake --preset "$1" >/dev/null
	cmake --build --preset "$1" -- --quiet -k 0
}

run_cppcheck() {
	# Threads may call readdir(3) on different streams (POSIX.1-2024). getpwuid(3) is called
	# only in the program, where there are no threads.
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr --library=posix -D_GNU_SOURCE -Ilib -Ilib/include -Icmd \
		--suppress=missingIncludeSystem --suppress=readdirCalled --suppress=getpwuidCalled \
		-j "$jobs" lib cmd
}

run_lint() {
	# Configure without building: this writes the compiler options.
	cmake --preset lint >/dev/null
	PROCMEM_SOURCE=$PWD PROCMEM_BUILD=$PWD/build/lint sh tests/lint/tidy.sh paths
}

# The preset disables two warnings of gcc 12. Leaks: gcc loses pointers that are stored in memory
# that another pointer refers to; LeakSanitizer checks for leaks in every test. NULL arguments: gcc
# assumes that an empty text (cmd/base/text.h), which has neither memory nor capacity, has capacity.
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
			cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$compiler" \
				-DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O$level -g" \
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
	# In a condition, -e would have no effect in the subshell.
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
