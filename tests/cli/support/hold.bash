# SPDX-License-Identifier: MIT
# A process that holds bytes which the test chose, and searches in it (`load support/hold`, after support/helper, in setup or a test).

require python3
# For what is to be held.
bytes=$BATS_TEST_TMPDIR/bytes

# Starts a process that holds the bytes of files, and waits for it: `hold FILE...`. Sets ranges to where each is.
hold() {
	local line
	ranges=()
	program_start python3 "${BASH_SOURCE[0]%/*}/holder.py" "$@"
	while line=$(target_await '') && [ "$line" != ready ]; do
		ranges+=("${line##* }")
	done
	[ "${#ranges[@]}" -eq $# ]
}

# Holds the text that printf makes of the words, and waits for it.
hold_text() {
	# The format is the test's.
	# shellcheck disable=SC2059
	printf "$@" >"$bytes"
	hold "$bytes"
}

# Address of an offset in the first region, as it is printed.
at() {
	printf '%x' $((0x${ranges[0]%-*} + $1))
}

# Searches the first region.
search() {
	procmem grep "$@" "$TARGET_PID" "${ranges[0]}"
}
