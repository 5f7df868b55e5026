# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Several targets, each investigated by `procmem why` at the same time. Load after helper and curve.
#
#   cause NAME [PID]      adds the target that was started last under a name; PID is another process
#                         that is to be investigated, such as its parent
#   cause_start NAME PROGRAM WORD...   starts a target, and adds it
#   causes_judge [SECONDS]             investigates all, for the usual time if none is given
#   first NAME FILTER     tests the first finding; $rate is what the target logged per second
#   acquitted NAME        tests that nothing was found, unless it is harmless
#
# The variable near is a filter: `.rate | near($rate)` tests whether a number is within 10 %.

# shellcheck disable=SC2016,SC2034 # a filter of jq, for the tests
near='def near($true): . / $true - 1 | fabs < 0.1;
	def soon($left; $rate): (.seconds_left_min + .seconds_left_max) / 2 / ($left / $rate) - 1 | fabs < 0.15;'

# The functions of bats load this file. cause_word is the word in the answer to `tell`, if not "made".
declare -gA cause_pid cause_in cause_out cause_word
causes_folder=$BATS_TEST_TMPDIR

cause() {
	cause_pid[$1]=${2:-$TARGET_PID}
	cause_in[$1]=$TARGET_IN
	cause_out[$1]=$TARGET_OUT
}

cause_start() {
	target_start "${@:2}"
	cause "$1"
}

# Logs what each target has made so far.
causes_log() {
	local name
	for name in "${!cause_pid[@]}"; do
		TARGET_IN=${cause_in[$name]} TARGET_OUT=${cause_out[$name]} log_growth "${cause_word[$name]:-made}" \
			"$causes_folder/$name.log"
	done
}

causes_judge() {
	local name watchers=()
	causes_log
	for name in "${!cause_pid[@]}"; do
		"$PROCMEM_BIN" why --json ${1:+--for "$1"} "${cause_pid[$name]}" >"$causes_folder/$name.json" 3>&- &
		watchers+=($!)
	done
	for name in "${watchers[@]}"; do
		# The status is 1 if something was found.
		wait "$name" || [ $? -eq 1 ]
	done
	causes_log
}

first() {
	local rate=0
	[ ! -e "$causes_folder/$1.log" ] || rate=$(log_rate "$causes_folder/$1.log")
	echo "$1: logged $rate per second"
	jq -c '.findings[] | [.id, .confidence, .verdict, .rate, .count_rate, .seconds_left_min, .content]' "$causes_folder/$1.json"
	jq -e --argjson rate "$rate" "$near .findings[0] | $2" "$causes_folder/$1.json"
}

acquitted() {
	echo "$1:"
	jq -c '.findings[] | [.id, .confidence, .verdict, .rate, .count_rate]' "$causes_folder/$1.json"
	jq -e 'all(.findings[]; .harmless)' "$causes_folder/$1.json"
}
