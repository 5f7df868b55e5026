# SPDX-License-Identifier: MIT
# Loaded by the tests of chunks in `grep` and `strings`: what tests/targets/remains has written where.

REMAINS_PATTERN='\w+ number \d+ of remains'

# Prints what must be found: `ADDRESS START SIZE STATE` for each text. Nothing follows the address of
# a text that is in no chunk. Of the freed chunks of a size, seven are in the tcache.
expected() {
	local what state number address size start
	while read -r what state number address size; do
		[ "$what" = at ] || continue
		start=$(printf %x $((0x$address - 32)))
		case $state in
		live) echo "0x$address 0x$start $((size + 8)) in_use" ;;
		mapped) echo "0x$address 0x$start $((size + 16)) in_use" ;;
		fast) echo "0x$address 0x$start $((size + 8)) cached" ;;
		free) echo "0x$address 0x$start $((size + 8)) free" ;;
		cached)
			state=cached
			[ "$number" -lt 7 ] || state=free
			echo "0x$address 0x$start $((size + 8)) $state"
			;;
		top) echo "0x$address top" ;;
		outside) echo "0x$address" ;;
		esac
	done <"$TARGET_FACTS" | sort
}

# Prints the hits in JSON as expected() does. Top has other sizes than the chunk that became a part
# of it.
found() {
	jq -r 'if .chunk.state == "top" then "\(.address) top"
		elif .chunk then "\(.address) \(.chunk.start) \(.chunk.size) \(.chunk.state)"
		else .address end' | sort
}

# Prints the notes about hits that were left out.
left_out() {
	# shellcheck disable=SC2154 # set by run
	sed -n 's/^procmem: note: //p' <<<"$stderr"
}
