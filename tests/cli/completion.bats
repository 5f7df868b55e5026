#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The completion of bash: processes where TARGET belongs, and regions after it.

setup() {
	load support/helper
	# The completion sets options of the word that is being completed, which only bash itself can.
	compopt() { :; }
	# shellcheck source=/dev/null
	source "$PROCMEM_SOURCE/docs/completions/procmem.bash"
	target_copy one_byte
	target_start "$TARGET_NAME" 65 1
}

teardown() {
	targets_stop
}

# Prints what completes the last word, on one line.
complete_words() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_procmem
	printf '%s\n' "${COMPREPLY[*]}"
}

@test "processes are offered for TARGET, and not for REGION" {
	local name=${TARGET_NAME:0:15} command
	for command in map dump strings watch stale 'map -k heap' 'map --kind = heap -n 5' 'dump -o file' 'strings -u --growth 5s' \
		'watch -i 1' 'grep pattern' 'grep -e one -e two' 'grep -i pattern' 'grep --int 5' 'grep --int = 5 --aligned'; do
		# shellcheck disable=SC2086
		[ "$(complete_words procmem $command "${name:0:14}")" = "$name" ]
		# shellcheck disable=SC2086
		[ "$(complete_words procmem $command "$name" "${name:0:14}")" = '' ]
		# shellcheck disable=SC2086
		[ "$(complete_words procmem $command "$name" arena he)" = heap ]
	done
	# The pattern of grep is neither.
	[ "$(complete_words procmem grep "${name:0:14}")" = '' ]
	[ "$(complete_words procmem grep --keep g)" = grew ]
}
