/* SPDX-License-Identifier: MIT */
#include "hex_view.h"

#include <string.h>

/* As in maps: addresses of 64-bit processes have 12 digits. */
enum { ADDRESS_DIGITS = 12 };

static void put_line(struct hex_view *view)
{
	struct text line = { 0 };
	text_hex(&line, view->address - view->filled, ADDRESS_DIGITS);
	text_char(&line, ' ');
	for (size_t i = 0; i < HEX_LINE; i++) {
		if (i % 8 == 0)
			text_char(&line, ' ');
		if (i < view->filled) {
			text_hex(&line, view->line[i], 2);
			text_char(&line, ' ');
		} else {
			text_string(&line, "   ");
		}
	}
	text_string(&line, " |");
	for (size_t i = 0; i < view->filled; i++)
		text_char(&line, view->line[i] >= ' ' && view->line[i] <= '~' ? (char)view->line[i] : '.');
	text_string(&line, "|\n");
	out_text(view->out, &line);
	text_deinit(&line);
}

/** Shows the collected line, or folds it. */
static void end_line(struct hex_view *view)
{
	bool full = view->filled == HEX_LINE;
	if (full && view->has_last && memcmp(view->line, view->last, HEX_LINE) == 0) {
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

void hex_end(struct hex_view *view)
{
	if (!view->open)
		return;
	if (view->filled > 0)
		end_line(view);
	out_format(view->out, "%0*llx\n", ADDRESS_DIGITS, (unsigned long long)view->address);
	view->open = view->folding = view->has_last = false;
}

/** Makes an address the next one. */
static void go_to(struct hex_view *view, uint64_t address)
{
	if (view->open && view->address == address)
		return;
	hex_end(view);
	view->open = true;
	view->address = address;
}

void hex_bytes(struct hex_view *view, uint64_t address, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;
	go_to(view, address);
	while (size > 0) {
		size_t part = HEX_LINE - view->filled < size ? HEX_LINE - view->filled : size;
		memcpy(view->line + view->filled, from, part);
		view->filled += part;
		view->address += part;
		from += part;
		size -= part;
		if (view->filled == HEX_LINE)
			end_line(view);
	}
}

void hex_zeros(struct hex_view *view, uint64_t address, uint64_t size)
{
	static const unsigned char zeros[HEX_LINE];
	go_to(view, address);
	while (size > 0) {
		if (view->filled == 0 && view->folding && memcmp(view->last, zeros, HEX_LINE) == 0) {
			/* Whole lines are folded whatever their number. */
			view->address += size / HEX_LINE * HEX_LINE;
			size %= HEX_LINE;
		}
		size_t part = size < HEX_LINE - view->filled ? (size_t)size : HEX_LINE - view->filled;
		hex_bytes(view, view->address, zeros, part);
		size -= part;
	}
}

void hex_lacking(struct hex_view *view, uint64_t start, uint64_t end, const char *why)
{
	hex_end(view);
	out_style(view->out, OUT_DIM);
	out_format(view->out, "%0*llx-%0*llx  ", ADDRESS_DIGITS, (unsigned long long)start, ADDRESS_DIGITS, (unsigned long long)end);
	out_escaped(view->out, why);
	out_style(view->out, OUT_PLAIN);
	out_string(view->out, "\n");
}
