# SPDX-License-Identifier: MIT
# `procmem watch` on a terminal. Load after helper and screen.

# Starts watch on a terminal of $1 columns and $2 lines. Further arguments are options, or
# assignments before the name of the program.
watch_start() {
	local columns=$1 lines=$2 word assignments=()
	shift 2
	while [[ ${1:-} == *=* ]]; do
		assignments+=("$1")
		shift
	done
	screen_start "$columns" "$lines"
	screen_type "clear; $(
		printf '%q ' env "${assignments[@]}" "$PROCMEM_BIN" watch "$@" "$TARGET_PID"
	)"
	screen_key Enter
	screen_await ' RSS '
}

# Prints column $1 of the first row, in bytes.
first_row() {
	screen_lines | sed 's/too early/too-early/; s/no growth/no-growth/' | awk -v title="$1" '
		/^ADDRESS/ { for (i = 1; i <= NF; i++) if ($i == title) column = i - NF; next }
		column != "" { print $(NF + column); exit }' | tr -d + | sed 's/^-$/0/' | numfmt --from=iec
}

# await_least 5000 first_row RSS: waits until the command prints at least this number.
await_least() {
	local least=$1 look number
	shift
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		number=$("$@" 2>/dev/null) || number=0
		[ "${number:-0}" -lt "$least" ] || return 0
		sleep 0.1
	done
	return 1
}
