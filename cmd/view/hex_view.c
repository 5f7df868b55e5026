/* SPDX-License-Identifier: MIT */
#include "view/hex_view.h"

#include <inttypes.h>
#include <string.h>

#include "base/minmax.h"

enum {
	ADDRESS_COLUMNS =
		12,        /* number of digits of the highest addresses of most 64-bit processes */
	FULL_COLUMNS = 79, /* width of a line with HEX_LINE bytes */
	HALF_LINE = HEX_LINE / 2,
};

/** Returns the number of bytes to show in a line: fewer on a narrow terminal. */
static size_t line_size(const struct hex_view *view)
{
	return view->out->width < FULL_COLUMNS ? HALF_LINE : HEX_LINE;
}

/** Checks whether the byte with the given index in the line is part of a match. */
static bool is_marked(const struct hex_view *view, size_t index)
{
	uint64_t address = view->address - view->filled + index;
	return index < view->filled && address >= view->mark_start && address < view->mark_end;
}

/**
 * Adds the escape sequence that belongs before the byte `index` of the line: the start of the style
 * if a match begins with this byte, the end of the style if a match ends with the previous byte,
 * otherwise nothing.
 */
static void mark(const struct hex_view *view, size_t index, struct text *line)
{
	bool before = index > 0 && is_marked(view, index - 1);
	bool now = index < HEX_LINE && is_marked(view, index);
	if (before != now)
		text_string(line, out_style_code(view->out, now ? OUT_MATCH : OUT_PLAIN));
}

/** Adds an address without leading zeros, as `procmem map` prints it. */
static void put_address(struct text *line, uint64_t address)
{
	size_t digits = text_hex_length(address);
	text_hex(line, address, 1);
	text_fill(line, ' ', excess_size(ADDRESS_COLUMNS, digits));
}

static void put_line(struct hex_view *view)
{
	struct text line = { 0 };
	size_t size = line_size(view);

	put_address(&line, view->address - view->filled);
	for (size_t i = 0; i < size; i++) {
		mark(view, i, &line);
		text_string(&line, i == HALF_LINE ? "  " : " ");
		if (i < view->filled)
			text_hex(&line, view->line[i], 2);
		else
			text_string(&line, "  ");
	}

	mark(view, HEX_LINE, &line);
	text_char(&line, '|');
	for (size_t i = 0; i < view->filled; i++) {
		unsigned char byte = view->line[i];

		mark(view, i, &line);
		if (byte < ' ' || byte > '~')
			byte = '.';
		text_char(&line, (char)byte);
	}

	mark(view, view->filled, &line);
	text_string(&line, "|\n");
	out_text(view->out, &line);
	text_deinit(&line);
}

/** Checks whether the line contains a byte of a match. Such a line is never folded. */
static bool has_mark(const struct hex_view *view)
{
	return view->address > view->mark_start && view->address - view->filled < view->mark_end;
}

/**
 * Prints the collected line. If it is equal to the previous one, prints one `*` for all equal lines
 * instead.
 */
static void end_line(struct hex_view *view)
{
	bool full = view->filled == line_size(view);
	bool repeated = full && view->has_last && !has_mark(view) &&
	                memcmp(view->line, view->last, view->filled) == 0;

	if (repeated) {
		if (!view->folding)
			out_string(view->out, "*\n");
		view->folding = true;
	} else {
		put_line(view);
		view->folding = false;
	}

	view->has_last = full;
	memcpy(view->last, view->line, HEX_LINE);
	view->filled = 0;
}

void hex_view_end(struct hex_view *view)
{
	if (!view->open)
		return;

	if (view->filled > 0)
		end_line(view);
	out_format(view->out, "%" PRIx64 "\n", view->address);
	view->open = view->folding = view->has_last = false;
}

/**
 * Sets the address of the next byte. If that byte does not follow the previous one, ends the view
 * and starts another one.
 */
static void go_to(struct hex_view *view, uint64_t address)
{
	if (view->open && view->address == address)
		return;

	hex_view_end(view);
	view->open = true;
	view->address = address;
}

void hex_view_bytes(struct hex_view *view, uint64_t address, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;
	size_t whole = line_size(view);

	go_to(view, address);
	while (size > 0) {
		size_t part = pm_min_size(whole - view->filled, size);

		memcpy(view->line + view->filled, from, part);
		view->filled += part;
		view->address += part;
		from += part;
		size -= part;
		if (view->filled == whole)
			end_line(view);
	}
}

void hex_view_zeros(struct hex_view *view, uint64_t address, uint64_t size)
{
	static const unsigned char zeros[HEX_LINE];
	size_t whole = line_size(view);

	go_to(view, address);
	while (size > 0) {
		if (view->filled == 0 && view->folding && memcmp(view->last, zeros, whole) == 0) {
			/* Skip all whole lines at once, because they are folded into the `*`. */
			view->address += size / whole * whole;
			size %= whole;
		}

		size_t part = pm_min_size(whole - view->filled, (size_t)size);

		hex_view_bytes(view, view->address, zeros, part);
		size -= part;
	}
}

void hex_view_unreadable(struct hex_view *view, uint64_t start, uint64_t end, const char *why)
{
	hex_view_end(view);
	out_style(view->out, OUT_DIM);
	out_format(view->out, "%" PRIx64 "-%" PRIx64 "  ", start, end);
	out_escaped(view->out, why);
	out_style(view->out, OUT_PLAIN);
	out_string(view->out, "\n");
}
