#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Symbols that x/a shows: in core files, and from files with debug information, compared with gdb; and none where no file is known to fit.

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

# Where the target has pointers to its symbols.
pointers() {
	local start
	start=0x$(target_range values)
	printf '0x%x\n' $((${start%-*} + $(target_fact offset pointers)))
}

# Asks gdb for the symbols of addresses, one a line on stdin: "strtol+2", "" for none. Words are its arguments.
gdb_symbols() {
	sed 's/^/info symbol /' >commands
	LC_ALL=C gdb -nx -batch "$@" -x commands 2>/dev/null |
		sed -n 's/^No symbol matches.*//p; s/^\([^ ]*\) in section .*/\1+0/p; s/^\([^ ]*\) + \([0-9]*\) in section .*/\1+\2/p'
}

# The addresses that the target points to, and what x/a calls them in the target $1: "0x1234 strtol+2".
our_symbols() {
	procmem shell -c "x/8ag $(pointers)" "$1" | sed -n 's/^[^:]*:\t\(0x[0-9a-f]*\).*/\1 &/p' |
		sed 's/^\([^ ]*\) [^<]*<\([^>]*\)>.*/\1 \2/; / .*+/!s/$/+0/; s/ 0x.*/ /'
}

# Fails unless what we call each address lies as far from its begin as what gdb does. Of names for one place gdb may prefer another; the
# target's own have one.
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

# Copies the program and its libraries to a folder, to be run there: root_make FOLDER.
root_make() {
	local file
	for file in $(ldd "$PROGRAM" | grep -o '/[^ ]*'); do
		mkdir -p "$1${file%/*}"
		cp -L "$file" "$1$file"
	done
	cp "$PROGRAM" "$1/program"
}

# The path of a program's debug information.
debug_path() {
	local id
	id=$(readelf -n "$1" 2>/dev/null | sed -n 's/^ *Build ID: //p')
	[ -n "$id" ]
	echo "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

# Starts /program in another root directory.
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

@test "a living process, and core files of ours and of gdb, have the symbols that gdb finds" {
	same_as_gdb "$TARGET_PID" -p "$TARGET_PID"
	procmem dump -q --core -o core "$TARGET_PID"
	same_as_gdb ./core -c core "$PROGRAM"
	# This one lacks the programs themselves: their ranges have names all the same.
	gdb -nx -batch -p "$TARGET_PID" -ex 'gcore gcore' >/dev/null 2>&1
	same_as_gdb ./gcore -c gcore "$PROGRAM"
	run -0 procmem shell -c "x/a $(pointers)" ./gcore
	[[ $output == *'<global_function>  '*values ]]
}

@test "a core file of the kernel has them, too" {
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip 'the kernel writes core files elsewhere (core_pattern)'
	ulimit -c unlimited || skip 'the hard limit of core files is too low'
	target_start values
	kill -SEGV "$TARGET_PID"
	tail --pid="$TARGET_PID" -f /dev/null
	mv core* kernels
	same_as_gdb ./kernels -c kernels "$PROGRAM"
}

@test "whatever is named in the memory of a thread's stack, gdb names it too, at the same distance" {
	local range count
	range=$(procmem map --csv --no-header -k stack -o start,end "$TARGET_PID")
	count=$(((0x${range#*,} - 0x${range%,*}) / 8))
	procmem shell -c "x/${count}ag 0x${range%,*}" "$TARGET_PID" | sed -n 's/^[^:]*:\t\(0x[0-9a-f]*\) <\([^>]*\)>.*/\1 \2/p' | sort -u |
		# gdb makes up names for the entries of the first; the second is where the file begins, and gdb knows no place there.
		grep -vE ' (_GLOBAL_OFFSET_TABLE_|__ehdr_start)' >ours
	[ "$(wc -l <ours)" -ge 8 ]
	cut -d' ' -f1 ours | gdb_symbols -p "$TARGET_PID" >theirs
	diff <(sed 's/.*+/+/' theirs) <(sed '/ .*+/!s/$/+0/; s/.*+/+/' ours)
}

@test "debug information below the target's root directory is used, and that of another program is not" {
	local root=$BATS_TEST_TMPDIR/root debug
	require objcopy strip readelf
	root_make "$root"
	debug=$root$(debug_path "$PROGRAM")
	strip --strip-all "$root/program"
	mkdir -p "${debug%/*}"
	objcopy --only-keep-debug "$PROGRAM" "$debug"
	root_start "$root"
	same_as_gdb "$TARGET_PID" -iex "set debug-file-directory $root/usr/lib/debug" -iex "set sysroot $root" -p "$TARGET_PID" "$root/program"
	# One of the right name, and of another build.
	objcopy --only-keep-debug "$PROCMEM_TARGETS/mapper" "$debug"
	run -0 procmem shell -c "x/6a $(pointers)" "$TARGET_PID"
	[[ $output != *'<'* ]]
	# One that was made for it, but says nothing of what it is.
	objcopy --only-keep-debug --remove-section=.note.gnu.build-id "$PROGRAM" "$debug"
	run -0 procmem shell -c "x/6a $(pointers)" "$TARGET_PID"
	[[ $output != *'<'* ]]
}

@test "a program that was replaced since has no symbols in a core file" {
	require strip
	cp "$PROGRAM" program
	PROCMEM_TARGETS=$BATS_TEST_TMPDIR target_start program
	procmem dump -q --core -o core "$TARGET_PID"
	run -0 procmem shell -c "x/a $(pointers)" ./core
	[[ $output == *'<global_function>'* ]]
	# The living process has its own still.
	mv program before
	cp "$PROCMEM_TARGETS/mapper" program
	run -0 procmem shell -c "x/a $(pointers)" "$TARGET_PID"
	[[ $output == *'<global_function>'* ]]
	run -0 procmem shell -c "x/6a $(pointers)" ./core
	[[ $output != *'<'* ]]
	# The same program without its symbols fits, and has none; nor is a folder of that name opened.
	strip --strip-all -o program before
	run -0 procmem shell -c "x/6a $(pointers)" ./core
	[[ $output != *'<'* ]]
	rm program && mkdir program
	run -0 procmem shell -c "x/6a $(pointers)" ./core
	[[ $output != *'<'* ]]
}

@test "names of C++ are as in the file, and c++filt reads them" {
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
