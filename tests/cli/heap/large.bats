#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem heap` on PostgreSQL, and on 14 million chunks: the figures of malloc_info(3), to the byte.
# Run by tests/full.sh.

setup() {
	load ../support/helper
	load ../support/malloc_info
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	targets_stop
	json_check
	[ -z "${DATA:-}" ] || rm -rf "$DATA" 2>/dev/null || rm -rf "$DATA"
}

@test "14 million chunks in 4 arenas, in use and freed" {
	target_start heaps threads=3 chunks=3500000 mapped=5
	run -0 malloc_info_compare_facts
	[[ $output == '4 arenas with '*' bytes, and '*' mapped chunks with '* ]]
	# Each thread has printed how many of its chunks it keeps; the first one has as many.
	run -0 --separate-stderr procmem heap --json "$TARGET_PID"
	jq -e --argjson kept "$(sed -n 's/^kept //p' "$TARGET_FACTS" | jq -s add)" \
		'.total.chunks > $kept and .total.chunks > 10000000' <<<"$output"
}

# Starts a server with the data in $DATA, as the user postgres: it refuses to run as root.
server_start() {
	local programs user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
	programs=$(echo /usr/lib/postgresql/*/bin)
	[ "$(id -u)" = 0 ] || skip 'only root can become the user postgres'
	DATA=$(mktemp -d /tmp/procmem-postgres.XXXXXX)
	chown postgres: "$DATA"
	"${user[@]}" env -C / "$programs/initdb" -A trust -D "$DATA/data" >initdb
	spawn "${user[@]}" --pdeathsig KILL "$programs/postgres" -D "$DATA/data" -k "$DATA" \
		-c listen_addresses= -c unix_socket_permissions=0777
	target_await 'ready to accept connections'
}

# Sends statements to the session, and waits for the answer.
query() {
	printf '%s\n\\echo answered\n' "$1" >&"$TARGET_IN"
	target_await answered
}

@test "a backend of PostgreSQL, and the server itself" {
	local backend server
	command -v psql >/dev/null || {
		echo 'psql is not installed: sh docs/setup.sh full installs it'
		return 1
	}
	server_start
	server=$TARGET_PID
	spawn psql -X -q -t -A -h "$DATA" -U postgres postgres
	query 'create table orders as select i as id, repeat(md5(i::text), 4) as note from generate_series(1, 100000) i;
create index on orders (note);'
	query "do \$\$ begin for i in 1..300 loop execute format('prepare query_%s as select count(*) from orders where id > %s', i, i); end loop; end \$\$;"
	query 'begin; declare sorted cursor for select * from orders order by note desc; fetch 1 from sorted;'
	backend=$(pgrep -P "$server" -f '^postgres: postgres postgres')
	for pid in "$backend" "$server"; do
		run -0 malloc_info_compare "$pid"
		[[ $output == '1 arenas with '* ]]
	done
}
