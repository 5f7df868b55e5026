#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/screenshot.sh
#
# Writes docs/watch.svg, the live screen of `procmem watch` on a server that leaks, and
# docs/peek.svg, the text in the leaked memory. Both are pictures of a real terminal. Needs tmux;
# takes half a minute.
set -eu

cd "$(dirname "$0")/.."
sh docs/setup.sh test
cmake --preset release -DPROCMEM_SAMPLES=ON >/dev/null
cmake --build --preset release -- --quiet
columns=118 lines=14
scratch=$(mktemp -d)
server=
screen() { tmux -L "procmem-$$" -f /dev/null "$@"; }
finish() {
	screen kill-server 2>/dev/null || true
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# await TEXT: waits until the screen shows TEXT, for at most a minute.
await() {
	for _ in $(seq 300); do
		screen capture-pane -p | grep -q "$1" && return
		sleep 0.2
	done
	echo "screenshot.sh: the screen does not show '$1'" >&2
	exit 1
}

# svg: reads text with the escape sequences of capture-pane -e, and writes SVG. Consecutive
# characters of the same style are one <tspan>. The font has a fixed width, so they need no
# positions.
svg() {
	awk -v columns=$columns -v lines=$lines '
	function set_style(codes, count, i, code) {
		count = split(codes, code, ";")
		for (i = 1; i <= count; i++) {
			if (code[i] + 0 == 0) bold = dim = reverse = colour = 0
			else if (code[i] == 1) bold = 1
			else if (code[i] == 2) dim = 1
			else if (code[i] == 7) reverse = 1
			else if (code[i] == 22) bold = dim = 0
			else if (code[i] == 27) reverse = 0
			else if (code[i] == 39) colour = 0
			else if (code[i] >= 30 && code[i] <= 37) colour = code[i]
		}
	}
	function run(text) {
		if (text == "")
			return ""
		gsub(/&/, "\\&amp;", text)
		gsub(/</, "\\&lt;", text)
		gsub(/>/, "\\&gt;", text)
		return "<tspan" (bold ? " font-weight=\"bold\"" : "") \
			(dim && !reverse ? " fill-opacity=\"0.6\"" : "") \
			" fill=\"" (colour ? palette[colour] : "#d8dee9") "\">" text "</tspan>"
	}
	BEGIN {
		split("31 #ff7b72 32 #7ee787 33 #e3b341 34 #79c0ff 35 #d2a8ff " \
			"36 #76e3ea 30 #6e7681 37 #d8dee9", pairs, " ")
		for (i = 1; i in pairs; i += 2)
			palette[pairs[i]] = pairs[i + 1]
		width = columns * 7.8 + 24
		height = lines * 17 + 24
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\""
		printf " viewBox=\"0 0 %d %d\"", width, height
		printf " font-family=\"ui-monospace, Menlo, Consolas, monospace\""
		printf " font-size=\"13\">\n"
		printf "<rect width=\"%d\" height=\"%d\"", width, height
		printf " rx=\"6\" fill=\"#0d1117\"/>\n"
	}
	{
		out = ""
		marked = 0
		while (match($0, /\033\[[0-9;]*m/)) {
			out = out run(substr($0, 1, RSTART - 1))
			set_style(substr($0, RSTART + 2, RLENGTH - 3))
			$0 = substr($0, RSTART + RLENGTH)
			marked = marked || reverse
		}
		out = out run($0)
		# The selected row is in reverse video from end to end.
		if (marked) {
			printf "<rect x=\"8\" y=\"%d\" width=\"%d\"", NR * 17 - 1, width - 16
			printf " height=\"17\" fill=\"#30363d\"/>\n"
		}
		printf "<text x=\"12\" y=\"%d\" xml:space=\"preserve\">", NR * 17 + 12
		printf "%s</text>\n", out
	}
	END { print "</svg>" }'
}

build/release/tests/targets/sample_server --leak --rate 4000000 >"$scratch/log" </dev/null &
server=$!
until grep -q '^ready' "$scratch/log"; do :; done
screen new-session -d -x $columns -y $lines \
	"env TERM=tmux-256color LC_ALL=C.UTF-8 build/release/cmd/procmem watch -i 1 $server"
await 'burst\|plateau'
screen capture-pane -e -p | svg >"$scratch/watch.svg"
screen send-keys Enter
await 'shop.Orders'
screen capture-pane -e -p | svg >"$scratch/peek.svg"
cp "$scratch/watch.svg" "$scratch/peek.svg" docs
