#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/analyse.sh [cppcheck|lint|analyzer|tsan|valgrind|builds]...
#
# What takes long and finds mistakes without running everything again (without a word: all of it, about half an hour on two cores):
#   cppcheck   over the library and the program
#   lint       clang-tidy over them
#   analyzer   gcc -fanalyzer over them
#   tsan       ThreadSanitizer over the tests of what has threads: reading, stopping, dumping, searching
#   valgrind   memcheck over the commands that read most, on targets of the tests
#   builds     gcc and clang, -O0 and -O3, warnings as errors, and the unit tests of each
# A finding that is none is answered where it is, in the source.
set -eu

cd "$(dirname "$0")/.."
sh docs/setup.sh analyse

run_cppcheck() {
	# readdir(3) of different streams may be called by threads (POSIX.1-2024); getpwuid(3) is in the program, which has no threads there.
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr --library=posix -D_GNU_SOURCE \
		-Ilib -Ilib/include -Icmd --suppress=missingIncludeSystem --suppress=readdirCalled --suppress=getpwuidCalled -j "$(nproc)" lib cmd
}

# -fanalyzer of gcc 12: leaks are left out, because it loses pointers that are kept in what another pointer leads to (LeakSanitizer looks
# for them in every test); and NULL as an argument, because it takes the empty text of cmd/text.h, which has neither memory nor capacity,
# for one that has capacity.
run_preset() {
	cmake --preset "$1" >/dev/null
	cmake --build --preset "$1" -- --quiet
}

run_tsan() {
	run_preset tsan
	# The scanners themselves have no threads, and their tests are slow here.
	ctest --preset tsan -j "$(nproc)" -R '^unit/(scan|scan_change|scan_live|reader|target_reader|unit_read|process|stop|dump|core|sample)$' --timeout 600
}

# valgrind 3.19 knows neither what PAGEMAP_SCAN writes, so it is forbidden and pagemap is read instead, nor pidfd_open(2).
run_valgrind() {
	run_preset dev
	folder=$(mktemp -d)
	cat >"$folder/procmem" <<-END
		#!/bin/sh
		exec $PWD/build/dev/tests/targets/without scan valgrind --quiet --log-file=$folder/log.%p --error-exitcode=99 --leak-check=full \\
			--errors-for-leak-kinds=definite $PWD/build/dev/cmd/procmem "\$@"
	END
	chmod +x "$folder/procmem"
	result=0
	for test in diff:SQL 'dump:names ranges' map:figure strings:encoding grep:GNU headroom:limits ps:figures shell:numbers; do
		LC_ALL=C TZ=UTC TERM=dumb PROCMEM_BIN=$folder/procmem PROCMEM_TARGETS=$PWD/build/dev/tests/targets PROCMEM_SOURCE=$PWD \
			PROCMEM_BUILD=$PWD/build/dev bats --filter "${test#*:}" "tests/cli/${test%%:*}.bats" || result=1
	done
	grep -h '^==' "$folder"/log.* && result=1
	rm -rf "$folder"
	return $result
}

run_builds() {
	for compiler in gcc clang; do
		for level in 0 3; do
			folder=build/$compiler-O$level
			cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O$level -g" -DPROCMEM_WERROR=ON >/dev/null
			cmake --build "$folder" -- --quiet
			ctest --test-dir "$folder" -j "$(nproc)" -L unit --output-on-failure
		done
	done
}

[ $# -gt 0 ] || set -- cppcheck lint analyzer tsan valgrind builds
for check; do
	echo "== $check"
	case $check in
	cppcheck | tsan | valgrind | builds) "run_$check" ;;
	lint | analyzer) run_preset "$check" ;;
	*)
		sed -n 's/^# usage: /usage: /p' "$0" >&2
		exit 2
		;;
	esac
done
