# SPDX-License-Identifier: MIT
# A terminal for full-screen programs: tmux without a client. Load after helper.
#
#   screen_start 80 24           starts a shell on a terminal of 80 columns and 24 lines
#   screen_type TEXT             types TEXT
#   screen_key Enter C-c …       presses keys, by their names in tmux
#   screen_await TEXT            waits until the screen shows TEXT
#   screen_await_not TEXT        waits until the screen no longer shows TEXT
#   screen_lines                 prints the screen
#   screen_styled                prints the screen with the escape sequences of its styles
#   screen_fact cursor_flag      prints a property of the terminal, by its name in tmux
#   screen_procmem               prints the PID of the procmem in the shell; fails if there is none
#   screen_resize 40 10
#   screen_stop                  call it in teardown

# Maximum number of checks of the screen: a minute at least, which only a blocked machine needs.
SCREEN_LOOKS=${PROCMEM_SCREEN_LOOKS:-600}

screen_tmux() {
	# -N: do not start a server, which would outlive the test.
	tmux -N -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null "$@"
}

# The server is a child of the test and dies with it, together with the programs on its terminals.
screen_start() {
	local tries=0
	setpriv --pdeathsig KILL tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null -D \
		</dev/null >/dev/null 2>&1 3>&- &
	SCREEN_SERVER=$!
	until screen_tmux new-session -d -x "$1" -y "$2" env -u LC_ALL -u NO_COLOR LANG=C.UTF-8 \
		PS1='$ ' bash --norc --noprofile 2>/dev/null; do
		[ $((tries += 1)) -lt "$SCREEN_LOOKS" ] || return 1
		sleep 0.1
	done
	screen_await '$'
}

screen_type() {
	screen_tmux send-keys -l "$1"
}

screen_key() {
	screen_tmux send-keys "$@"
}

screen_lines() {
	screen_tmux capture-pane -p
}

screen_styled() {
	screen_tmux capture-pane -e -p
}

screen_await() {
	local look
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[[ $(screen_lines) != *"$1"* ]] || return 0
		sleep 0.1
	done
	printf '"%s" did not appear; the screen:\n%s\n' "$1" "$(screen_lines)" >&2
	return 1
}

screen_await_not() {
	local look
	for ((look = 0; look < SCREEN_LOOKS; look++)); do
		[[ $(screen_lines) == *"$1"* ]] || return 0
		sleep 0.1
	done
	printf '"%s" did not disappear; the screen:\n%s\n' "$1" "$(screen_lines)" >&2
	return 1
}

screen_fact() {
	screen_tmux display-message -p "#{$1}"
}

# Searches the command line: in valgrind, the process has another name.
screen_procmem() {
	pgrep -P "$(screen_fact pane_pid)" -f procmem
}

screen_resize() {
	screen_tmux resize-window -x "$1" -y "$2"
}

screen_stop() {
	[ -n "${SCREEN_SERVER:-}" ] || return 0
	screen_tmux kill-server 2>/dev/null || kill -KILL "$SCREEN_SERVER" 2>/dev/null || true
	wait "$SCREEN_SERVER" 2>/dev/null || true
	SCREEN_SERVER=
}
