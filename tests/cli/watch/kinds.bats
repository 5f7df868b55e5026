#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The kinds of the rows of `procmem watch`: the same as those of `procmem map`, whatever the target does.

setup() {
	load ../support/helper
	out=$BATS_TEST_TMPDIR/watch.json
}

teardown() {
	targets_stop
	[ ! -e "$out" ] || json_keep watch "$out"
	json_check
}

# Waits for that many more samples.
await_samples() {
	local wanted=$(($(wc -l <"$out") + $1))
	until [ "$(wc -l <"$out")" -ge "$wanted" ]; do
		kill -0 "$watcher"
		sleep 0.02
	done
}

# Watches the target, and waits for the first sample. The arguments are options.
watch_on() {
	: >"$out"
	"$PROCMEM_BIN" watch --json -i 0.1 --budget 0 "$@" "$TARGET_PID" >"$out" 3>&- &
	watcher=$!
	TARGETS+=("$watcher")
	await_samples 1
}

# A filter of jq: the bytes of the regions by kind, one kind per line.
BY_KIND='[.regions[] | select(.rss > 0)] | group_by(.kind)[] | "\(.[0].kind) \(map(.rss) | add)"'

@test "rows have the kinds that map finds at the same time" {
	target_start grower
	target_tell malloc block 300
	watch_on -n 1000 -s rss
	for pages in 50 70 90 110 130; do
		target_tell move block "$pages"
		await_samples 2
	done
	target_tell malloc other 200
	await_samples 2
	target_tell unmap other
	# Other memory of the same size would be found only when all regions are measured.
	target_tell map pool 210
	await_samples 1
	kill -STOP "$TARGET_PID"
	# One sample may have started before.
	await_samples 2
	tail -n 1 "$out" | jq -r "$BY_KIND" >"$BATS_TEST_TMPDIR/watch"
	procmem map --json "$TARGET_PID" | jq -r "$BY_KIND" >"$BATS_TEST_TMPDIR/map"
	grep -E '^(anon|malloc) ' "$BATS_TEST_TMPDIR/map" >"$BATS_TEST_TMPDIR/expected"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/expected")" = 2 ]
	grep -E '^(anon|malloc) ' "$BATS_TEST_TMPDIR/watch" | diff "$BATS_TEST_TMPDIR/expected" -
	# The block is one row, which grew as the block did.
	tail -n 1 "$out" | jq -e '[.regions[] | select(.kind == "malloc" and .rss > 0)] | length == 1'
	tail -n 1 "$out" | jq -e '.regions[] | select(.kind == "malloc" and .rss > 0) |
		.count == 1 and .rss == 750 * 4096 and .growth == 450 * 4096'
}

@test "the summary sums up each kind, independent of the rows" {
	target_start grower
	target_tell map one 200
	watch_on
	# Three unrelated regions.
	target_tell map three 100
	await_samples 2
	target_tell map two 300
	await_samples 2
	target_tell malloc block 400
	await_samples 2
	kill -TERM "$watcher"
	wait "$watcher" || true
	tail -n 1 "$out" | jq -e '([.regions[] | select(.kind == "anon") | .growth] | add) as $rows |
		.kinds[] | select(.kind == "anon") | .growth == $rows and $rows >= 400 * 4096'
	tail -n 1 "$out" | jq -e '.kinds[] | select(.kind == "malloc") | .growth == 400 * 4096 and .count == 1'
}

@test "the text of the summary has the kinds that grew" {
	target_start leaker merged 16777216
	run -0 procmem watch -q -i 0.1 -c 12 --budget 0 -s rss "$TARGET_PID"
	[[ $output == *$'\n'*'by kind: anon +'*' too early'* ]]
}
