# SPDX-License-Identifier: MIT
# malloc_info_compare PID: compares `procmem heap` with malloc_info(3), which gdb calls in the process.
#
# The process does not run between both, so the figures must be equal. The first call of
# malloc_info(3) is only for the buffer of the file, which it allocates.
malloc_info_compare() {
	local text=$BATS_TEST_TMPDIR/malloc_info.xml printed
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
	python3 "$BATS_TEST_DIRNAME/../support/malloc_info.py" "$text" "$printed" || {
		cat "$BATS_TEST_TMPDIR/gdb"
		return 1
	}
}
