/* SPDX-License-Identifier: MIT */
/*
 * Full-screen mode with ncurses. Our signal handlers only set flags, and terminal_key() does the
 * work: it suspends the program, and adapts to a new size of the terminal. ncurses must not install
 * its own signal handlers, because those do this work inside the handler. Keys are decoded by
 * terminal_keys.c: ncurses takes a sequence that arrives slowly for the Escape key.
 */
#include "view/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
static bool in_use, mouse_in_use;

/* Escape sequences that start and end reports of the mouse. Mode 1000 reports buttons and the
 * wheel, and mode 1006 makes the reports SGR, whose columns and lines have no maximum. With the
 * Shift key, terminals keep selecting text. */
static const char mouse_start[] = "\033[?1000h\033[?1006h";
static const char mouse_end[] = "\033[?1006l\033[?1000l";

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

/** Starts or ends reports of the mouse. */
static void report_mouse(bool wanted)
{
	if (wanted == mouse_in_use)
		return;

	fputs(wanted ? mouse_start : mouse_end, stdout);
	fflush(stdout);
	mouse_in_use = wanted;
}

/**
 * Restores the terminal if the program calls exit(3) while the terminal is in use, for example
 * because memory has run out.
 */
static void at_exit(void)
{
	if (in_use) {
		report_mouse(false);
		endwin();
	}
	in_use = false;
}

/** Returns the name of the locale that the environment sets, or NULL if it sets none. */
static const char *named_locale(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return value;
	}

	return NULL;
}

/**
 * Sets the locale. Uses a UTF-8 locale if the environment sets none, as in most containers, or one
 * of UTF-8 that is not installed.
 * @return true if the encoding of the locale is UTF-8
 */
static bool choose_locale(void)
{
	const char *named = named_locale();
	bool utf8 = !named || strcasestr(named, "utf-8") || strcasestr(named, "utf8");

	if ((!named || !setlocale(LC_CTYPE, "")) && utf8)
		setlocale(LC_CTYPE, "C.UTF-8");

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
			init_pair((short)style,
			          (short)(COLORS == 256 ? number->of_256 : number->of_8), -1);
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

/** Adds the sequences of terminfo, which old terminals need. */
static void add_keys(struct terminal_keys *keys)
{
	static const struct {
		const char *capability;
		uint32_t key;
	} named[] = {
		{ "kcuu1", TERMINAL_UP },    { "kcud1", TERMINAL_DOWN },
		{ "kpp", TERMINAL_PAGE_UP }, { "knp", TERMINAL_PAGE_DOWN },
		{ "khome", TERMINAL_HOME },  { "kend", TERMINAL_END },
		{ "kent", TERMINAL_ENTER },  { "kf1", TERMINAL_F1 },
		{ "kf2", TERMINAL_F2 },      { "kf3", TERMINAL_F3 },
		{ "kf4", TERMINAL_F4 },      { "kf5", TERMINAL_F5 },
		{ "kf6", TERMINAL_F6 },      { "kf7", TERMINAL_F7 },
		{ "kf8", TERMINAL_F8 },      { "kf9", TERMINAL_F9 },
		{ "kf10", TERMINAL_F10 },
	};

	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		const char *sequence = tigetstr(named[i].capability);
		/* tigetstr(3) returns -1 for a capability that is not a string. */
		if (sequence != (const char *)-1)
			terminal_keys_add(keys, sequence, named[i].key);
	}
}

bool terminal_use_mouse(struct terminal *terminal, bool wanted)
{
	if (!terminal->knows_mouse)
		return false;

	terminal->mouse = wanted;
	report_mouse(wanted);
	return true;
}

/** Sets up keys and colours of a new screen. */
static void start_screen(struct terminal *terminal, FILE *input, bool colour)
{
	terminal->keys = fileno(input);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	start_colours(terminal, colour);
	add_keys(&terminal->decoder);

	const char *mouse = tigetstr("kmous");
	terminal->knows_mouse = mouse && mouse != (const char *)-1;
	terminal_use_mouse(terminal, true);
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
	report_mouse(false);
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
	report_mouse(terminal->mouse);
}

/**
 * Receives bytes.
 * @param milliseconds  how long to wait for them
 * @return              false if there are none
 */
static bool receive(struct terminal *terminal, int milliseconds)
{
	struct pollfd pollfd = { .fd = terminal->keys, .events = POLLIN };
	size_t room;
	char *bytes = terminal_keys_room(&terminal->decoder, &room);

	if (poll(&pollfd, 1, milliseconds) <= 0)
		return false;

	ssize_t length = read(terminal->keys, bytes, room);
	if (length <= 0)
		return false;

	terminal->decoder.length += (size_t)length;
	return true;
}

uint32_t terminal_key(struct terminal *terminal)
{
	struct terminal_keys *decoder = &terminal->decoder;
	uint32_t key;

	if (suspended)
		suspend();
	if (disturbed) {
		recover(terminal);
		return TERMINAL_REDRAW;
	}

	while ((key = terminal_keys_next(decoder, false)) == TERMINAL_NO_KEY) {
		bool escape = terminal_keys_has_escape(decoder);

		if (receive(terminal, escape ? TERMINAL_KEYS_ESCAPE_MS : 0))
			continue;
		/* A signal that interrupts the wait is handled in the next call. */
		return escape && !suspended && !disturbed ? terminal_keys_next(decoder, true)
		                                          : TERMINAL_NO_KEY;
	}

	return key;
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
