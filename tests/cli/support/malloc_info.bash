# SPDX-License-Identifier: MIT
# Comparisons of `procmem heap` with malloc_info(3), to the byte. Both print the number of arenas and
# of mapped chunks, and their bytes.
#
#   malloc_info_compare PID     gdb calls malloc_info(3) in the process
#   malloc_info_compare_facts   the target heaps prints malloc_info(3)

# malloc_info_check XML JSON: compares two files.
malloc_info_check() {
	python3 "$BATS_TEST_DIRNAME/../support/malloc_info.py" "$1" "$2"
}

# The process does not run between both outputs. The first call of malloc_info(3) is only for the
# buffer of the file, which it allocates.
malloc_info_compare() {
	local text printed
	# A folder in which the user of the process may create a file.
	text=$(mktemp -u /tmp/procmem-malloc-info.XXXXXX)
	printed=$(json_file heap)
	require gdb
	# shellcheck disable=SC2016 # gdb expands these
	gdb -nx -batch -p "$1" -iex 'set auto-load off' \
		-ex "set \$file = ((void *(*)(const char *, const char *))fopen)(\"$text\", \"w\")" \
		-ex 'call ((int (*)(int, void *))malloc_info)(0, $file)' \
		-ex 'call ((int (*)(void *))fflush)($file)' \
		-ex 'call ((int (*)(int, void *))malloc_info)(0, $file)' \
		-ex 'call ((int (*)(void *))fflush)($file)' \
		-ex "shell $PROCMEM_BIN heap --json $1 >$printed" \
		-ex 'call ((int (*)(void *))fclose)($file)' >"$BATS_TEST_TMPDIR/gdb" 2>&1 </dev/null
	mv "$text" "$BATS_TEST_TMPDIR/malloc_info.xml"
	malloc_info_check "$BATS_TEST_TMPDIR/malloc_info.xml" "$printed" || {
		cat "$BATS_TEST_TMPDIR/gdb"
		return 1
	}
}

malloc_info_compare_facts() {
	local line
	printf 'info\n' >&"$TARGET_IN"
	while IFS= read -r line <&"$TARGET_OUT"; do
		[ "$line" != 'done info' ] || break
		printf '%s\n' "$line"
	done >"$BATS_TEST_TMPDIR/malloc_info.xml"
	procmem heap --json "$TARGET_PID" >"$BATS_TEST_TMPDIR/heap.json"
	malloc_info_check "$BATS_TEST_TMPDIR/malloc_info.xml" "$BATS_TEST_TMPDIR/heap.json"
}
