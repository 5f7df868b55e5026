#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `procmem why` on large healthy programs for 30 s: no finding claims a leak.

setup() {
	load ../support/helper
	folder=$(mktemp -d /tmp/procmem-why.XXXXXX)
	chmod 755 "$folder"
}

teardown() {
	targets_stop
	rm -rf "$folder"
	json_check
}

# Findings about what surrounds a program are no claims about it.
around='["group_process", "tmpfs", "kernel_memory", "page_cache", "swapping", "pressure", "huge_pages", "shared_counted"]'

# why_healthy PID...: observes processes at the same time. No finding may be surer than possible.
why_healthy() {
	local pid watchers=()
	for pid; do
		"$PROCMEM_BIN" why --json --for 30s "$pid" >"$BATS_TEST_TMPDIR/$pid.json" 3>&- &
		watchers+=($!)
	done
	for pid in "${watchers[@]}"; do
		wait "$pid" || [ $? -eq 1 ]
	done
	for pid; do
		json_keep why "$BATS_TEST_TMPDIR/$pid.json"
		jq -c '.target.name, (.findings[] | [.id, .confidence, .harmless, .rate, .region.mapping])' "$BATS_TEST_TMPDIR/$pid.json"
		jq -e --argjson around "$around" 'all(.findings[]; .harmless or .confidence == "possible" or
			(.id as $id | $around | index($id)))' "$BATS_TEST_TMPDIR/$pid.json"
	done
}

@test "nginx that answers requests" {
	require nginx curl
	local server
	cat >"$folder/nginx.conf" <<-EOF
		daemon off; worker_processes 1; pid $folder/pid; error_log $folder/error.log; events {}
		http { access_log off; server { listen unix:$folder/socket; location / { return 200 "$(printf '%2000s' x)"; } } }
	EOF
	program_start nginx -c "$folder/nginx.conf"
	server=$TARGET_PID
	until curl -s --unix-socket "$folder/socket" -o /dev/null http://localhost/; do kill -0 "$server"; done
	program_start bash -c 'while curl -s --unix-socket "$1" -o /dev/null http://localhost/; do :; done' bash "$folder/socket"
	why_healthy "$server" "$(pgrep -P "$server")"
}

@test "PostgreSQL with pgbench" {
	local programs user=(setpriv --reuid=postgres --regid=postgres --clear-groups) server
	programs=$(echo /usr/lib/postgresql/*/bin)
	[ "$(id -u)" = 0 ] || skip 'only root can become the user postgres'
	chown postgres: "$folder"
	"${user[@]}" env -C / "$programs/initdb" -A trust -D "$folder/data" >"$BATS_TEST_TMPDIR/initdb"
	spawn "${user[@]}" --pdeathsig KILL "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= \
		-c unix_socket_permissions=0777
	server=$TARGET_PID
	target_await 'ready to accept connections'
	"$programs/pgbench" -q -h "$folder" -U postgres -i -s 2 postgres 2>"$BATS_TEST_TMPDIR/init"
	program_start "$programs/pgbench" -h "$folder" -U postgres -c 2 -R 200 -T 300 postgres
	until pgrep -P "$server" -f '^postgres: postgres postgres' >/dev/null; do kill -0 "$TARGET_PID"; done
	why_healthy "$server" "$(pgrep -P "$server" -f '^postgres: postgres postgres' | head -n 1)"
}

@test "chromium with a page that changes" {
	require chromium
	local browser page=$folder/page.html renderer
	echo '<p id=p></p><script>setInterval(() => { p.textContent = Array.from({length: 500}, Math.random).join(" "); }, 50);</script>' >"$page"
	spawn setpriv --pdeathsig KILL chromium --headless --no-sandbox --disable-gpu --remote-debugging-port=0 \
		--user-data-dir="$folder/profile" "file://$page"
	browser=$TARGET_PID
	target_await 'DevTools listening'
	until renderer=$(pgrep -f -- "--type=renderer.*$folder/profile|$folder/profile.*--type=renderer" | head -n 1) && [ -n "$renderer" ]; do
		kill -0 "$browser"
	done
	sleep 10 # while a browser starts, its memory grows
	why_healthy "$browser" "$renderer"
}
