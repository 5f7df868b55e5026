#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the documents say about JSON. (Each `procmem COMMAND --json` of all tests is checked against
# docs/schema: json_check.)

setup() {
	load support/helper
}

teardown() {
	targets_stop
	json_check
}

# Prints the lines of a document from one that starts a block of code to the end of that block,
# without indentation; continued lines are joined.
queries() {
	awk '/^      procmem .*--json/ { inside = 1 } !/^      / { inside = 0 } inside { sub(/^ */, ""); print }' \
		"$PROCMEM_SOURCE/docs/USAGE.md" | sed -e ':a' -e '/|$/N; s/|\n/| /; ta'
}

@test "jsonschema validates the output, as the man page shows" {
	require jsonschema scdoc
	target_start grower
	cd "$BATS_TEST_TMPDIR"
	sed -n '/^schemas=/,/^```/p' "$PROCMEM_SOURCE/docs/man/procmem.1.scd" | sed '$d' >commands
	[ "$(wc -l <commands)" -eq 3 ]
	sed -i "s|=/usr/share/procmem/schema|=$PROCMEM_SOURCE/docs/schema|; s/4711/$TARGET_PID/" commands
	# shellcheck disable=SC1091 # made above
	. ./commands
	jq '.regions[0].rss = "1K"' map.json >wrong.json
	fails jsonschema --base-uri "file://$PROCMEM_SOURCE/docs/schema/" -i wrong.json "$PROCMEM_SOURCE/docs/schema/map.schema.json"
	# Each schema, with all references.
	for schema in "$PROCMEM_SOURCE"/docs/schema/*.schema.json; do
		echo '"nothing"' >wrong.json
		[ "${schema##*/}" = common.schema.json ] ||
			fails jsonschema --base-uri "file://$PROCMEM_SOURCE/docs/schema/" -i wrong.json "$schema"
	done
}

@test "the queries of the guide find what they ask for" {
	require jq
	target_start grower
	target_tell reserve text 100
	cd "$BATS_TEST_TMPDIR"
	procmem snap -q -o before.pmrec "$TARGET_PID"
	target_tell write text 1 token=of_the_test
	target_tell map leak 1000
	queries | sed "s/ java / $TARGET_PID /; s/--for 1m/--for 0.5/" >queries
	[ "$(wc -l <queries)" -eq 6 ]
	local number=0 query
	while IFS= read -r query; do
		number=$((number + 1))
		# shellcheck disable=SC2086 # the query is a command line
		eval "$query" >"answer$number" || { echo "$query" && false; }
	done <queries
	grep -Eqx 'stack [0-9]+' answer1
	[ "$(cat answer5)" -ge $((1000 * 4096)) ]
	grep -Eq '^0x[0-9a-f]+ anon token=of_the_test' answer6
}

@test "the check of all output refuses what is wrong" {
	local right='{"path":"a","size":1,"read":1,"holes":0,"untouched":0,"pending":0,"forbidden":0,"unreadable":0}' wrong
	cd "$BATS_TEST_TMPDIR"
	checks() {
		printf '%s\n' "$2" >one
		/usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/schema.py" "$1=one"
	}
	checks dump "$right"
	for wrong in "${right/\}/,\"more\":1\}}" "${right/\"size\":1,/}" "${right/1/\"1\"}" "${right/1/-1}" "${right/1/1.5}" \
		"${right/1/null}" "${right/\"size\":1/\"size\":1,\"size\":1}" "${right/\"a\"/\"\"}" "${right/\"a\"/\"\\u0001\"}" \
		"${right/\"a\"/\"\\r\"}" "${right/\"a\"/$'"\xff"'}" "${right/\}/}" "$right null"; do
		fails checks dump "$wrong"
	done
	# Also after many items that are right, and inside of alternatives.
	for _ in $(seq 3000); do echo "$right"; done >one
	echo "${right/\}/,\"more\":1\}}" >>one
	fails /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/schema.py" dump=one
	checks strings '{"count":1,"bytes":4,"encoding":"ascii","text":"text","first":"0x1000"}'
	fails checks strings '{"count":1,"bytes":4,"encoding":"ascii","text":"text","first":"0x1000","address":"0x1000"}'
	fails checks strings '{"count":1,"bytes":4,"encoding":"ascii","text":"text","first":"1000"}'
}
