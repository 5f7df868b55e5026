# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Compares `procmem strings` with GNU strings on the same bytes, which the test reads itself.

bytes=$BATS_TEST_TMPDIR/bytes

# Reads the bytes of the range $1 (start-end) into $bytes.
read_bytes() {
	local start=$((0x${1%-*})) end=$((0x${1#*-}))
	dd if="/proc/$TARGET_PID/mem" of="$bytes" bs=1M iflag=skip_bytes,count_bytes \
		skip="$start" count=$((end - start)) status=none
}

# Compares the strings of the range $1 in the encoding $2, of at least $3 characters, byte by byte.
# Further arguments go to both.
same_as_gnu() {
	local range=$1 encoding=$2 least=$3
	shift 3
	strings -e "$encoding" -n "$least" "$@" "$bytes" | sed 's/^ *//' >"$BATS_TEST_TMPDIR/theirs"
	procmem strings -q --raw --offset -e "$encoding" -n "$least" "$@" \
		"$TARGET_PID" "$range" >"$BATS_TEST_TMPDIR/lines" || [ $? -eq 1 ]
	sed "s/^[0-9a-f]*+//" "$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/ours"
	cmp "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours" || {
		echo "encoding $encoding, at least $least, in $range"
		false
	}
}
