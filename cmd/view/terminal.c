/* SPDX-License-Identifier: MIT */
#include "view/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>

#include "base/utf8.h"
#include "view/terminal_check.h"

/* What the handlers of signals, and the one of exit(), can reach. */
static volatile sig_atomic_t suspended, disturbed;
static bool in_use;

/* An escape sequence comes in one piece unless the line is very slow; the Escape key itself shall
 * not be slow. In milliseconds. */
enum { ESCAPE_DELAY = 25 };

static void handle(int signal)
{
	if (signal == SIGTSTP)
		suspended = 1;
	else
		disturbed = 1;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGTSTP, SIGWINCH, SIGCONT };
	struct sigaction action = { .sa_handler = handle }, before;
	sigemptyset(&action.sa_mask);

	/* Before ncurses installs its own, which do all of their work within the handler: those of
	 * a program stay. */
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

static void release_signals(void)
{
	signal(SIGTSTP, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
	signal(SIGCONT, SIG_DFL);
}

/** Whoever ends the program, for want of memory perhaps: the terminal is not left as it is. */
static void at_exit(void)
{
	if (in_use)
		endwin();
	in_use = false;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

/** Whether text may be UTF-8. Where no locale was chosen at all, as in most containers, it is. */
static bool choose_locale(void)
{
	bool chosen = is_set("LC_ALL") || is_set("LC_CTYPE") || is_set("LANG");
	setlocale(LC_CTYPE, chosen ? "" : "C.UTF-8");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void start_colours(struct terminal *terminal, bool colour)
{
	static const short colours[OUT_STYLE_COUNT] = {
		[OUT_GROWN] = COLOR_RED, [OUT_LESS] = COLOR_GREEN, [OUT_NEW] = COLOR_BLUE
	};

	terminal->colour = colour && has_colors() && start_color() == OK;
	if (!terminal->colour)
		return;

	use_default_colors();
	for (int style = 0; style < OUT_STYLE_COUNT; style++)
		if (colours[style] > 0)
			init_pair((short)style, colours[style], -1);
}

int terminal_open(struct terminal *terminal, bool colour, struct pm_error *error)
{
	static bool registered;
	FILE *input = stdin;

	*terminal = (struct terminal){ 0 };
	if (terminal_check(error) < 0)
		return -1;

	if (!isatty(STDIN_FILENO))
		terminal->input = input = fopen("/dev/tty", "re");
	if (!input)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "there are no keys: standard input is no terminal");

	suspended = disturbed = 0;
	terminal->utf8 = choose_locale();
	use_tioctl(TRUE);
	catch_signals();
	terminal->screen = newterm(NULL, stdout, input);

	if (!terminal->screen) {
		release_signals();
		terminal_close(terminal);
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the terminal '%s' cannot be used", getenv("TERM"));
	}

	in_use = true;
	if (!registered)
		registered = atexit(at_exit) == 0;
	terminal->keys = fileno(input);
	set_escdelay(ESCAPE_DELAY);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);

	keypad(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	start_colours(terminal, colour);
	getmaxyx(stdscr, terminal->rows, terminal->columns);

	return 0;
}

void terminal_close(struct terminal *terminal)
{
	if (terminal->screen) {
		at_exit();
		delscreen(terminal->screen);
		release_signals();
	}

	if (terminal->input)
		fclose(terminal->input);
	*terminal = (struct terminal){ 0 };
}

/**
 * Stops the program as its user wishes, on a terminal as it was before; returns when it goes on.
 */
static void suspend(void)
{
	suspended = 0;
	endwin();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	catch_signals();
	disturbed = 1;
}

/** Takes over the size, and draws anew from the ground. */
static void recover(struct terminal *terminal)
{
	struct winsize size;
	disturbed = 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
	getmaxyx(stdscr, terminal->rows, terminal->columns);
	clearok(curscr, TRUE);
}

static uint32_t meaning(wint_t key)
{
	switch (key) {
	case KEY_UP:
		return TERMINAL_UP;
	case KEY_DOWN:
		return TERMINAL_DOWN;
	case KEY_PPAGE:
		return TERMINAL_PAGE_UP;
	case KEY_NPAGE:
		return TERMINAL_PAGE_DOWN;
	case KEY_HOME:
		return TERMINAL_HOME;
	case KEY_END:
		return TERMINAL_END;
	case KEY_BACKSPACE:
		return TERMINAL_BACKSPACE;
	case KEY_ENTER:
		return TERMINAL_ENTER;
	case KEY_RESIZE:
		return TERMINAL_REDRAW;
	default:
		return TERMINAL_OTHER;
	}
}

uint32_t terminal_key(struct terminal *terminal)
{
	wint_t key = 0;

	if (suspended)
		suspend();
	if (disturbed) {
		recover(terminal);
		return TERMINAL_REDRAW;
	}

	int result = get_wch(&key);
	if (result == ERR)
		return TERMINAL_NO_KEY;
	if (result == KEY_CODE_YES)
		return meaning(key);
	if (key == 0)
		return TERMINAL_OTHER;
	if (key == '\r')
		return TERMINAL_ENTER;

	return key == 8 || key == 127 ? TERMINAL_BACKSPACE : (uint32_t)key;
}

void terminal_begin(struct terminal *terminal)
{
	(void)terminal;
	erase();
}

/** Adds a text in ASCII: our own signs in a similar form, other characters escaped. */
static void add_ascii(struct text *ascii, const struct text *text)
{
	static const struct {
		uint32_t code;
		const char *sign;
	} signs[] = { { 0xd7, "x" }, { 0x2026, "..." }, { 0x2264, "<=" } };

	for (size_t at = 0; at < text->length;) {
		uint32_t code;
		size_t length = utf8_decode(text->bytes + at, text->length - at, &code), sign = 0;
		while (length > 1 && sign < sizeof signs / sizeof *signs &&
		       signs[sign].code != code)
			sign++;

		if (length == 1)
			text_char(ascii, text->bytes[at]);
		else if (length > 1 && sign < sizeof signs / sizeof *signs)
			text_string(ascii, signs[sign].sign);
		else
			for (size_t i = 0; i < (length ? length : 1); i++)
				text_format(ascii, "\\x%02x", (unsigned char)text->bytes[at + i]);

		at += length ? length : 1;
	}
}

void terminal_put(struct terminal *terminal, int row, int column, int width,
                  const struct text *text, struct terminal_look look)
{
	if (column >= terminal->columns || row < 0 || row >= terminal->rows || width <= 0)
		return;

	struct text ascii = { 0 };
	if (width > terminal->columns - column)
		width = terminal->columns - column;

	if (!terminal->utf8) {
		add_ascii(&ascii, text);
		text = &ascii;
	}

	attr_t attributes = (look.bold ? A_BOLD : 0) | (look.chosen ? A_REVERSE : 0);
	if (terminal->colour && look.style == OUT_DIM)
		attributes |= A_DIM;

	short pair = (short)(terminal->colour && look.style > OUT_DIM ? look.style : 0);
	attr_set(attributes, pair, NULL);
	if (look.chosen)
		mvhline(row, column, (chtype)' ' | A_REVERSE, width);
	if (text->length > 0)
		mvaddnstr(row, column, text->bytes,
		          (int)utf8_fit(text->bytes, text->length, (size_t)width));
	attr_set(A_NORMAL, 0, NULL);

	text_deinit(&ascii);
}

void terminal_show(struct terminal *terminal, int row, int column)
{
	curs_set(row >= 0);
	if (row >= 0)
		move(row, column < terminal->columns ? column : terminal->columns - 1);
	wnoutrefresh(stdscr);
	doupdate();
}
