/* SPDX-License-Identifier: MIT */
/*
 * Full-screen mode with ncurses. Our signal handlers only set flags, and terminal_key() does the
 * work: it suspends the program, and adapts to a new size of the terminal. ncurses must not install
 * its own signal handlers, because those do this work inside the handler.
 */
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

#include "base/minmax.h"
#include "base/utf8.h"

/* Include this after all other headers, because it defines the names of all capabilities as
 * macros. */
#include <term.h>
#undef columns /* a member of struct terminal */

/* State that the signal handlers and at_exit() need. It is global because they have no parameters
 * for it. */
static volatile sig_atomic_t suspended, disturbed;
static bool in_use;

/* Time to wait for the rest of an escape sequence, in milliseconds. A short time lets the Escape
 * key react quickly. It suffices because a sequence arrives in one piece, unless the line is very
 * slow. */
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

	/* Install the handlers before ncurses starts, because ncurses does not replace existing
	 * handlers. */
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static void release_signals(void)
{
	signal(SIGTSTP, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
	signal(SIGCONT, SIG_DFL);
}

/**
 * Restores the terminal if the program calls exit(3) while the terminal is in use, for example
 * because memory has run out.
 */
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

/**
 * Sets the locale. If the environment sets none, as in most containers, uses a UTF-8 locale.
 * @return true if the encoding of the locale is UTF-8
 */
static bool choose_locale(void)
{
	bool chosen = is_set("LC_ALL") || is_set("LC_CTYPE") || is_set("LANG");
	setlocale(LC_CTYPE, chosen ? "" : "C.UTF-8");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void start_colours(struct terminal *terminal, bool colour)
{
	terminal->colour = colour && has_colors() && start_color() == OK;
	if (!terminal->colour)
		return;

	use_default_colors();
	for (int style = 0; style < OUT_STYLE_COUNT; style++) {
		const struct out_colour_number *number = &out_colour_numbers[style];

		/* With more than 256 colours, the number of a colour is its value in RGB. */
		if (number->of_256 > 0)
			init_pair((short)style, COLORS == 256 ? number->of_256 : number->of_8, -1);
	}
}

int terminal_check(struct pm_error *error)
{
	const char *name = getenv("TERM");
	int found;

	if (!name || !*name)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "TERM is not set");
	if (setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the terminal '%s' has no terminfo entry", name);

	bool able = cursor_address && clear_screen;

	del_curterm(cur_term);
	if (!able)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the terminal '%s' cannot position the cursor", name);

	return 0;
}

/** Sets up keys and colours of a new screen. */
static void start_screen(struct terminal *terminal, FILE *input, bool colour)
{
	terminal->keys = fileno(input);
	set_escdelay(ESCAPE_DELAY);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	start_colours(terminal, colour);
	getmaxyx(stdscr, terminal->rows, terminal->columns);
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
		                    "keys cannot be read: standard input is not a terminal");

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
	start_screen(terminal, input, colour);

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

/** Restores the terminal and stops the program, as SIGTSTP requests. Returns after SIGCONT. */
static void suspend(void)
{
	suspended = 0;
	endwin();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	catch_signals();
	disturbed = 1;
}

/** Reads the size of the terminal, and redraws everything. */
static void recover(struct terminal *terminal)
{
	struct winsize size;

	disturbed = 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);

	getmaxyx(stdscr, terminal->rows, terminal->columns);
	clearok(curscr, TRUE);
}

/** Converts a key code of ncurses to an enum terminal_key. */
static uint32_t key_of(wint_t code)
{
	static const struct {
		wint_t code;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, TERMINAL_UP },
		{ KEY_DOWN, TERMINAL_DOWN },
		{ KEY_PPAGE, TERMINAL_PAGE_UP },
		{ KEY_NPAGE, TERMINAL_PAGE_DOWN },
		{ KEY_HOME, TERMINAL_HOME },
		{ KEY_END, TERMINAL_END },
		{ KEY_BACKSPACE, TERMINAL_BACKSPACE },
		{ KEY_ENTER, TERMINAL_ENTER },
		{ KEY_RESIZE, TERMINAL_REDRAW },
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i].code == code)
			return keys[i].key;
	}
	return TERMINAL_OTHER;
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
		return key_of(key);
	if (key == 0)
		return TERMINAL_OTHER;
	if (key == '\r')
		return TERMINAL_ENTER;

	/* The Backspace key sends 8 or 127, depending on the terminal. */
	return key == 8 || key == 127 ? TERMINAL_BACKSPACE : (uint32_t)key;
}

void terminal_begin(struct terminal *terminal)
{
	(void)terminal;
	erase();
}

/**
 * Adds one character in ASCII: symbols that procmem uses become similar ASCII characters; other
 * characters are escaped.
 */
static void add_ascii_character(struct text *ascii, const char *bytes, size_t length, uint32_t code)
{
	static const struct {
		uint32_t code;
		const char *sign;
	} signs[] = { { 0xd7, "x" }, { 0x2026, "..." }, { 0x2264, "<=" } };

	if (length == 1) {
		text_char(ascii, *bytes);
		return;
	}

	for (size_t i = 0; length > 1 && i < sizeof signs / sizeof *signs; i++) {
		if (signs[i].code == code) {
			text_string(ascii, signs[i].sign);
			return;
		}
	}

	for (size_t i = 0; i < pm_max_size(length, 1); i++)
		text_format(ascii, "\\x%02x", (unsigned char)bytes[i]);
}

/** Adds a text, converted to ASCII. */
static void add_ascii(struct text *ascii, const struct text *text)
{
	for (size_t at = 0; at < text->length;) {
		uint32_t code = 0;
		size_t length = utf8_decode(text->bytes + at, text->length - at, &code);

		add_ascii_character(ascii, text->bytes + at, length, code);
		at += pm_max_size(length, 1);
	}
}

void terminal_put(struct terminal *terminal, int row, int column, int width,
                  const struct text *text, struct terminal_look look)
{
	if (column >= terminal->columns || row < 0 || row >= terminal->rows || width <= 0)
		return;

	struct text ascii = { 0 };
	attr_t attributes = 0;
	short pair = 0;

	if (width > terminal->columns - column)
		width = terminal->columns - column;

	if (!terminal->utf8) {
		add_ascii(&ascii, text);
		text = &ascii;
	}

	if (look.bold)
		attributes |= A_BOLD;
	if (look.chosen)
		attributes |= A_REVERSE;
	if (terminal->colour && look.style == OUT_DIM)
		attributes |= A_DIM;
	if (terminal->colour && look.style > OUT_DIM)
		pair = (short)look.style;
	if (pair > 0 && COLORS != 256 && out_colour_numbers[look.style].brighter)
		attributes |= A_BOLD;

	attr_set(attributes, pair, NULL);
	if (look.chosen)
		mvhline(row, column, (chtype)' ' | A_REVERSE, width);
	if (text->length > 0)
		mvaddnstr(row, column, text->bytes,
		          (int)utf8_fit(text->bytes, text->length, (size_t)width));
	attr_set(A_NORMAL, 0, NULL);

	text_deinit(&ascii);
}

void terminal_put_cell(struct terminal *terminal, int row, int column, int width, bool right,
                       struct text *text, struct terminal_look look)
{
	int columns = (int)utf8_columns(text->bytes, text->length);

	if (columns > width) {
		text->length = utf8_fit(text->bytes, text->length, (size_t)width - 1);
		text_string(text, terminal->utf8 ? "\xe2\x80\xa6" : "~");
	} else if (right) {
		column += width - columns;
		width = columns;
	}

	terminal_put(terminal, row, column, width, text, look);
}

void terminal_show(struct terminal *terminal, int row, int column)
{
	curs_set(row >= 0);
	if (row >= 0)
		move(row, column < terminal->columns ? column : terminal->columns - 1);
	wnoutrefresh(stdscr);
	doupdate();
}
