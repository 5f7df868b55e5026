# SPDX-License-Identifier: MIT
# A process that contains bytes of the test, and searches in it. `load support/hold` after
# support/helper, in setup or in a test.

require python3
# The file with the bytes.
bytes=$BATS_TEST_TMPDIR/bytes

# hold FILE...: starts a process that contains the bytes of files, and waits until it is ready. Sets
# the array `ranges` to their addresses.
hold() {
	local line
	ranges=()
	program_start python3 "${BASH_SOURCE[0]%/*}/holder.py" "$@"
	while line=$(target_await '') && [ "$line" != ready ]; do
		ranges+=("${line##* }")
	done
	[ "${#ranges[@]}" -eq $# ]
}

# Like `hold`, for the text that printf makes of the arguments.
hold_text() {
	# The test passes the format.
	# shellcheck disable=SC2059
	printf "$@" >"$bytes"
	hold "$bytes"
}

# Prints the address of an offset in the first region, as procmem prints it.
at() {
	printf '%x' $((0x${ranges[0]%-*} + $1))
}

# Searches the first region.
search() {
	procmem grep "$@" "$TARGET_PID" "${ranges[0]}"
}
