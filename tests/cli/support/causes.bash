# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Several targets, each investigated by `procmem why` at the same time. Load after helper and curve.
#
#   cause NAME [PID]      adds the target that was started last under a name; PID is another process
#                         that is to be investigated, such as its parent
#   cause_start NAME PROGRAM WORD...   starts a target, and adds it
#   causes_judge [TIME]   investigates all, for PROCMEM_WHY_SECONDS (6 by default), for a TIME such as 10s,
#                         or for the `usual` time, which can end early
#   first NAME FILTER     tests the first finding; $rate is what the target logged per second
#   acquitted NAME        tests that nothing was found, unless it is harmless
#   unclaimed NAME ID     tests that there is no such finding, and that all others are at most possible
#
# The variable near has filters: `.rate | near($rate)` tests whether a number is within 10 %, `soon(LEFT;
# RATE)` whether the limit is reached in LEFT / RATE seconds, within 15 %, and `proven` whether a finding
# is as sure as it can be: growth that was observed for less than 10 s is only likely.

# shellcheck disable=SC2016,SC2034 # a filter of jq, for the tests
near='def near($true): . / $true - 1 | fabs < 0.1;
	def proven: .confidence == (if $seconds < 10 then "likely" else "sure" end);
	def soon($left; $rate): (.seconds_left_min + .seconds_left_max) / 2 / ($left / $rate) - 1 | fabs < 0.15;'

# The functions of bats load this file. cause_word is the word in the answer to `tell`, if not "made".
declare -gA cause_pid cause_in cause_out cause_word
causes_folder=$BATS_TEST_TMPDIR
why_seconds=${PROCMEM_WHY_SECONDS:-6}

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
	local name time=(--for "${1:-${why_seconds}s}") watchers=()
	[ "${1:-}" != usual ] || time=()
	causes_log
	for name in "${!cause_pid[@]}"; do
		"$PROCMEM_BIN" why --json "${time[@]}" "${cause_pid[$name]}" >"$causes_folder/$name.json" 3>&- &
		watchers+=($!)
	done
	for name in "${watchers[@]}"; do
		# The status is 1 if something was found.
		wait "$name" || [ $? -eq 1 ]
	done
	causes_log
	json_keep why "$causes_folder"/*.json
}

first() {
	local rate=0
	[ ! -e "$causes_folder/$1.log" ] || rate=$(log_rate "$causes_folder/$1.log")
	echo "$1: logged $rate per second"
	jq -c '.findings[] | [.id, .confidence, .verdict, .rate, .count_rate, .seconds_left_min, .content]' "$causes_folder/$1.json"
	jq -e --argjson rate "$rate" --argjson seconds "$why_seconds" "$near .findings[0] | $2" "$causes_folder/$1.json"
}

acquitted() {
	echo "$1:"
	jq -c '.findings[] | [.id, .confidence, .verdict, .rate, .count_rate]' "$causes_folder/$1.json"
	jq -e 'all(.findings[]; .harmless)' "$causes_folder/$1.json"
}

unclaimed() {
	echo "$1:"
	jq -c '.findings[] | [.id, .confidence, .verdict, .rate, .count_rate]' "$causes_folder/$1.json"
	jq -e --arg id "$2" 'all(.findings[]; .harmless or (.id != $id and .confidence == "possible"))' "$causes_folder/$1.json"
}
