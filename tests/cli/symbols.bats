#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Symbols that x/a shows, in core files and from files with debug information, compared with gdb. If
# no file is known to match, there are none.

setup_file() {
	load support/helper
	require gdb
	target_start values
	export TARGET_PID TARGET_FACTS
}

teardown_file() {
	targets_stop
}

setup() {
	load support/helper
	cd "$BATS_TEST_TMPDIR" || return 1
	PROGRAM=$PROCMEM_TARGETS/values
}

teardown() {
	targets_stop
}

# Prints the address of pointers to the symbols of the target.
pointers() {
	local start
	start=0x$(target_range values)
	printf '0x%x\n' $((${start%-*} + $(target_fact offset pointers)))
}

# Prints the symbols that gdb finds for the addresses on stdin, one per line: "strtol+2", "" for
# none. The arguments are passed to gdb.
gdb_symbols() {
	sed 's/^/info symbol /' >commands
	LC_ALL=C gdb -nx -batch "$@" -x commands 2>/dev/null |
		sed -n 's/^No symbol matches.*//p; s/^\([^ ]*\) in section .*/\1+0/p; s/^\([^ ]*\) + \([0-9]*\) in section .*/\1+\2/p'
}

# Prints the addresses that the target points to, and their symbols by x/a in the target $1: "0x1234
# strtol+2".
our_symbols() {
	procmem shell -c "x/8ag $(pointers)" "$1" | sed -n 's/^[^:]*:\t\(0x[0-9a-f]*\).*/\1 &/p' |
		sed 's/^\([^ ]*\) [^<]*<\([^>]*\)>.*/\1 \2/; / .*+/!s/$/+0/; s/ 0x.*/ /'
}

# Fails unless x/a and gdb show the same offset for each address. If an address has several names,
# gdb can prefer another one; the symbols of the target have one name each.
same_as_gdb() {
	local target=$1
	shift
	our_symbols "$target" >ours
	[ "$(wc -l <ours)" -eq 8 ]
	cut -d' ' -f1 ours | gdb_symbols "$@" >theirs
	diff <(sed 's/.*+/+/' theirs) <(sed 's/.*+/+/' ours)
	diff <(grep -E '(global|local)_' theirs) <(grep -oE '(global|local)_.*' ours)
	for name in global_function local_function global_data global_zeroed local_zeroed global_constant; do
		grep -q " $name+" ours
	done
}

# root_make FOLDER: copies the program and its libraries to a folder, to be run there.
root_make() {
	local file
	for file in $(ldd "$PROGRAM" | grep -o '/[^ ]*'); do
		mkdir -p "$1${file%/*}"
		cp -L "$file" "$1$file"
	done
	cp "$PROGRAM" "$1/program"
}

# Prints the path of the debug information of a program.
debug_path() {
	local id
	id=$(readelf -n "$1" 2>/dev/null | sed -n 's/^ *Build ID: //p')
	[ -n "$id" ]
	echo "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

# Starts /program in the root directory $1.
root_start() {
	local line
	require chroot
	[ "$(id -u)" -eq 0 ] || skip 'only root may change the root directory'
	spawn chroot "$1" /program
	TARGET_FACTS=$BATS_TEST_TMPDIR/facts
	while IFS= read -r line <&"$TARGET_OUT" && [ "$line" != ready ]; do
		printf '%s\n' "$line"
	done >"$TARGET_FACTS"
}

@test "a living process, and core files of procmem and of gdb, have the symbols that gdb finds" {
	same_as_gdb "$TARGET_PID" -p "$TARGET_PID"
	procmem dump -q --core -o core "$TARGET_PID"
	same_as_gdb ./core -c core "$PROGRAM"
	# This core file does not contain the program and its libraries, but their ranges have
	# names.
	gdb -nx -batch -p "$TARGET_PID" -ex 'gcore gcore' >/dev/null 2>&1
	same_as_gdb ./gcore -c gcore "$PROGRAM"
	run -0 procmem shell -c "x/a $(pointers)" ./gcore
	[[ $output == *'<global_function>  '*values ]]
}

@test "a core file of the kernel has the symbols, too" {
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip 'the kernel writes core files elsewhere (core_pattern)'
	ulimit -c unlimited || skip 'the hard limit of core files is too low'
	target_start values
	kill -SEGV "$TARGET_PID"
	tail --pid="$TARGET_PID" -f /dev/null
	mv core* kernels
	same_as_gdb ./kernels -c kernels "$PROGRAM"
}

@test "gdb has a symbol with the same offset for each value in a stack that x/a names" {
	local range count
	range=$(procmem map --csv --no-header -k stack -o start,end "$TARGET_PID")
	count=$(((0x${range#*,} - 0x${range%,*}) / 8))
	procmem shell -c "x/${count}ag 0x${range%,*}" "$TARGET_PID" | sed -n 's/^[^:]*:\t\(0x[0-9a-f]*\) <\([^>]*\)>.*/\1 \2/p' | sort -u |
		# gdb invents names for the entries of the first symbol. It has no name for the second,
		# the start of the file.
		grep -vE ' (_GLOBAL_OFFSET_TABLE_|__ehdr_start)' >ours
	[ "$(wc -l <ours)" -ge 8 ]
	cut -d' ' -f1 ours | gdb_symbols -p "$TARGET_PID" >theirs
	diff <(sed 's/.*+/+/' theirs) <(sed '/ .*+/!s/$/+0/; s/.*+/+/' ours)
}

@test "debug information in the root directory of the target is used, unless it is of another program" {
	local root=$BATS_TEST_TMPDIR/root debug
	require objcopy strip readelf
	root_make "$root"
	debug=$root$(debug_path "$PROGRAM")
	strip --strip-all "$root/program"
	mkdir -p "${debug%/*}"
	objcopy --only-keep-debug "$PROGRAM" "$debug"
	root_start "$root"
	same_as_gdb "$TARGET_PID" -iex "set debug-file-directory $root/usr/lib/debug" -iex "set sysroot $root" -p "$TARGET_PID" "$root/program"
	# A file with the right name, of another build.
	objcopy --only-keep-debug "$PROCMEM_TARGETS/mapper" "$debug"
	run -0 procmem shell -c "x/6a $(pointers)" "$TARGET_PID"
	[[ $output != *'<'* ]]
	# A file for this program, but without the build ID.
	objcopy --only-keep-debug --remove-section=.note.gnu.build-id "$PROGRAM" "$debug"
	run -0 procmem shell -c "x/6a $(pointers)" "$TARGET_PID"
	[[ $output != *'<'* ]]
}

@test "a program file that was replaced gives a core file no symbols" {
	require strip
	cp "$PROGRAM" program
	PROCMEM_TARGETS=$BATS_TEST_TMPDIR target_start program
	procmem dump -q --core -o core "$TARGET_PID"
	run -0 procmem shell -c "x/a $(pointers)" ./core
	[[ $output == *'<global_function>'* ]]
	# The living process keeps its own file.
	mv program before
	cp "$PROCMEM_TARGETS/mapper" program
	run -0 procmem shell -c "x/a $(pointers)" "$TARGET_PID"
	[[ $output == *'<global_function>'* ]]
	run -0 procmem shell -c "x/6a $(pointers)" ./core
	[[ $output != *'<'* ]]
	# The same program without symbols matches, but has none. A folder with this name is not
	# opened.
	strip --strip-all -o program before
	run -0 procmem shell -c "x/6a $(pointers)" ./core
	[[ $output != *'<'* ]]
	rm program && mkdir program
	run -0 procmem shell -c "x/6a $(pointers)" ./core
	[[ $output != *'<'* ]]
}

@test "C++ names are printed as in the file, and c++filt demangles them" {
	require g++ c++filt
	cat >object.cc <<-'END'
		#include <cstdio>
		#include <unistd.h>
		namespace shop { struct Cart { static int add(int count); }; int Cart::add(int count) { return count + 1; } }
		int main() {
			static void *volatile pointer = (void *)shop::Cart::add;
			printf("pointer %p\n", (void *)&pointer); puts("ready"); fflush(stdout); getchar(); }
	END
	g++ -O0 -o object object.cc
	PROCMEM_TARGETS=$BATS_TEST_TMPDIR target_start object
	run -0 procmem shell -c "x/a $(target_fact pointer) | c++filt" "$TARGET_PID"
	[[ $output == *'<shop::Cart::add(int)>'* ]]
}
