#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What needs large packages: profiles in the programs that read them, and names of functions in
# programs of other languages.

setup() {
	load ../support/helper
	load ../support/trace
	require jq
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
}

# Traces a target that maps 300 pages into the files out.json and a.pb.gz.
make_profile() {
	target_start grower
	trace_start --json -a --pprof a.pb.gz
	target_tell map one 300
	trace_end
	cp "$TRACE_OUTPUT" out.json
}

@test "go tool pprof reads a profile, and has the same sums" {
	require go
	make_profile
	local sum
	sum=$(jq '[.sites[] | select((.earlier | not) or (.stack | length > 0)) | .resident] | add' out.json)
	go tool pprof -raw a.pb.gz >raw
	# The samples: mapped_space, inuse_space, calls, then the locations.
	[ "$(awk '/^Samples:/ { inside = 1 } /^Locations/ { inside = 0 }
		inside && $1 ~ /^[0-9]+$/ { sum += $2 } END { print sum }' raw)" = "$sum" ]
	grep -q 'mapped_space/bytes inuse_space/bytes' raw
	# The mapping of the program has its build ID.
	local id
	id=$(readelf -n "$PROCMEM_TARGETS/grower" | sed -n 's/.*Build ID: //p')
	grep -q "/grower $id " raw

	go tool pprof -top -sample_index=inuse_space -unit=B a.pb.gz >top
	grep -q "^Type: inuse_space" top
	# The function that calls mmap has the memory in its callees.
	grep -Eq ' 1228800B +100% +make( |$)' top
}

@test "protoc decodes a profile" {
	require protoc
	make_profile
	gzip -dc a.pb.gz | protoc --decode_raw >decoded
	# Field 6 is the table of strings, whose first one is empty; field 1 are the types of values.
	[ "$(grep -c '^1 {' decoded)" = 3 ]
	[ "$(grep '^6: ' decoded | head -n 1)" = '6: ""' ]
	grep -qx '6: "inuse_space"' decoded
	grep -qx '6: "make"' decoded
}

@test "Rust: names of functions, and of those that were inlined" {
	require rustc
	cat >shop.rs <<'RUST'
mod cart {
    #[inline(never)]
    pub fn fill(size: usize) -> Vec<u8> {
        reserve(size)
    }
    #[inline(always)]
    fn reserve(size: usize) -> Vec<u8> {
        vec![1u8; size]
    }
}
fn main() {
    let mut line = String::new();
    println!("ready");
    std::io::stdin().read_line(&mut line).unwrap();
    let cart = cart::fill(64 << 20);
    println!("finished {}", cart[cart.len() - 1]);
    std::io::stdin().read_line(&mut line).unwrap();
}
RUST
	for mangling in legacy v0; do
		rustc -g -O -C symbol-mangling-version=$mangling -o shop shop.rs ||
			{ [ $mangling = legacy ] && continue; }
		spawn ./shop
		target_await ready
		trace_start --json -a
		echo >&"$TARGET_IN"
		target_await finished
		trace_end
		jq -e '[.sites[] | select(any(.stack[]; .function == "shop::cart::fill"))] | length == 1 and
			.[0].resident >= 64 * 1048576 and
			([.[0].stack[].function] | contains(["shop::main"])) and
			([.[0].stack[].function | strings] | any(startswith("shop::cart::reserve")))' \
			"$TRACE_OUTPUT"
		targets_stop
	done
}

@test "node: the functions of V8 and of node" {
	require node
	spawn node -e 'console.log("ready");
		const all = [];
		process.stdin.once("data", () => {
			for (let i = 0; i < 20; i++) all.push(Buffer.alloc(4 << 20, 1));
			console.log("finished");
		});'
	target_await ready
	trace_start --json -a
	echo >&"$TARGET_IN"
	target_await finished
	trace_end
	jq -e '[.sites[] | select(any(.stack[]; (.function // "") | test("^(v8|node)::"))) | .resident] |
		add >= 80 * 1048576' "$TRACE_OUTPUT"
}

@test "node: functions of JavaScript have the names that node writes" {
	require node
	spawn node --perf-basic-prof --interpreted-frames-native-stack -e 'console.log("ready");
		const all = [];
		function keepBuffer() { all.push(Buffer.alloc(4 << 20, 1)); }
		process.stdin.once("data", () => {
			for (let i = 0; i < 20; i++) keepBuffer();
			console.log("finished");
		});'
	target_await ready
	trace_start --by function
	echo >&"$TARGET_IN"
	target_await finished
	trace_end
	rm -f "/tmp/perf-$TARGET_PID.map"
	# 80 MiB, whether the function was compiled or not.
	grep -Eq '^ *8[0-9]\.[0-9]M .* keepBuffer \[eval\]:3:' <<<"$output"
}
