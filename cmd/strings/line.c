/* SPDX-License-Identifier: MIT */
/*
 * Prepares the output of each string in the threads of the scan, because there can be millions of
 * strings. The main thread only prints the result (print.c).
 */
#include "strings/line.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <procmem/text_template.h>

#include "base/utf8.h"
#include "strings/strings.h"
#include "target/hit_chunk.h"
#include "target/json_parts.h"
#include "view/json.h"

enum {
	ADDRESS_WIDTH = 7, /* minimum width of an address, as in strings(1) */
	OCTAL_DIGITS = 22, /* number of octal digits of a 64-bit number */
	LINE_KEPT = 64 * 1024,
};

/** Returns whether a text has only bytes below 0x80. */
static bool is_ascii(const char *text, size_t length)
{
	uint64_t all = 0, word;

	for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
		memcpy(&word, text, sizeof word);
		all |= word;
	}
	for (; length > 0; length--)
		all |= (unsigned char)*text++;

	return !(all & 0x8080808080808080);
}

void strings_line_add_text(const struct strings_options *options, struct text *line,
                           const char *text, size_t length)
{
	/* Without -w, a string of ASCII has only printable characters and tabs, so it needs no
	 * escaping. */
	if (options->raw || (!options->white_space && is_ascii(text, length))) {
		text_bytes(line, text, length);
		return;
	}

	for (;;) {
		const char *tab = memchr(text, '\t', length);
		size_t before = tab ? (size_t)(tab - text) : length;

		utf8_escape(line, text, before);
		if (!tab)
			return;

		text_char(line, '\t');
		text += before + 1;
		length -= before + 1;
	}
}

const char *strings_line_encoding(enum pm_encoding encoding, const char *text, size_t length)
{
	if (encoding == PM_ENCODING_UTF8 && is_ascii(text, length))
		encoding = PM_ENCODING_ASCII;

	return pm_encoding_name(encoding);
}

static void add_octal(struct text *line, uint64_t value)
{
	char digits[OCTAL_DIGITS];
	size_t first = sizeof digits;

	do
		digits[--first] = (char)('0' + (value & 7));
	while ((value >>= 3) > 0);

	text_bytes(line, digits + first, sizeof digits - first);
}

static void add_number(struct text *line, char radix, uint64_t value)
{
	switch (radix) {
	case 'd':
		text_decimal(line, value);
		break;
	case 'o':
		add_octal(line, value);
		break;
	default:
		text_hex(line, value, 1);
	}
}

/**
 * Inserts spaces at `start`, so that the part of the line from there on has at least `width`
 * columns.
 */
static void align_right(struct text *line, size_t start, size_t width)
{
	size_t length = line->length - start;
	if (length >= width)
		return;

	size_t padding = width - length;
	text_fill(line, ' ', padding);
	memmove(line->bytes + start + padding, line->bytes + start, length);
	memset(line->bytes + start, ' ', padding);
}

static const struct pm_region *region_of(const struct strings *strings, const struct pm_hit *hit)
{
	return &strings->search.memory.loaded.regions.items[hit->region];
}

/**
 * Adds the prefix of a string: the address, a mark if the string has changed, and the encoding, as
 * in "7f3a1c0042f1 " or "7f3a1c0042f1~ l ", and the chunk that contains the string, if there is
 * one.
 */
static void add_prefix(const struct strings *strings, const struct pm_hit *hit,
                       const struct pm_chunk_parts *chunk, struct text *line)
{
	const struct strings_options *options = strings->options;
	if (strings->pid > 0) {
		text_decimal(line, (uint64_t)strings->pid);
		text_char(line, ':');
	}

	size_t start = line->length;
	if (options->offset) {
		uint64_t region = region_of(strings, hit)->start;
		text_hex(line, region, 1);
		text_char(line, '+');
		add_number(line, options->radix, hit->address - region);
	} else if (options->radix != 'n') {
		add_number(line, options->radix, hit->address);
		align_right(line, start, ADDRESS_WIDTH);
	}

	if (hit->changed)
		text_char(line, '~');
	if (line->length > start)
		text_char(line, ' ');

	if (strings->several) {
		text_char(line, strings_options_letter(hit->encoding));
		text_char(line, ' ');
	}

	if (chunk)
		hit_chunk_put_columns(chunk, line);
}

/** Makes a line: one byte with the length of the prefix, the prefix, and the text. */
static void make_line(struct strings *strings, unsigned number, const struct pm_hit *hit,
                      const char *text, size_t length)
{
	struct text *line = &strings->workers[number].line;

	text_char(line, 0);
	add_prefix(strings, hit, hit_chunk_current(&strings->search.chunks, number), line);
	line->bytes[0] = (char)(unsigned char)(line->length - 1);
	strings_line_add_text(strings->options, line, text, length);
	text_char(line, '\n');
}

/** Makes a JSON object without its closing brace. */
static void make_json(struct strings *strings, unsigned number, const struct pm_hit *hit,
                      const char *text, size_t length)
{
	struct strings_worker *worker = &strings->workers[number];
	const struct pm_chunk_parts *chunk = hit_chunk_current(&strings->search.chunks, number);
	struct text *line = &worker->line;
	const struct pm_region *region = region_of(strings, hit);

	if (worker->region.length == 0 || worker->region_start != region->start) {
		text_clear(&worker->region);
		json_parts_region_text(&worker->region, region);
		worker->region_start = region->start;
	}

	text_char(line, '{');
	if (strings->pid > 0) {
		text_string(line, "\"pid\":");
		text_decimal(line, (uint64_t)strings->pid);
		text_char(line, ',');
	}
	text_string(line, "\"address\":\"0x");
	text_hex(line, hit->address, 1);
	text_string(line, "\",\"region\":");
	text_bytes(line, worker->region.bytes, worker->region.length);
	text_string(line, ",\"encoding\":\"");
	text_string(line, strings_line_encoding(hit->encoding, text, length));

	text_string(line, "\",\"length\":");
	text_decimal(line, hit->size);
	text_string(line, ",\"text\":");
	json_quote(line, text, length);
	if (chunk)
		hit_chunk_put_json(chunk, line);
}

/**
 * Makes the data that the tally needs: the hash, followed by the characters of the string. With
 * --similar, the hash is that of the template.
 */
static void make_key(struct strings *strings, struct strings_worker *worker,
                     const struct pm_hit *hit, const char *text, size_t length)
{
	const char *key = text;
	size_t key_length = length;

	if (strings->options->similar) {
		text_clear(&worker->template);
		key_length = pm_text_template_write(text, length,
		                                    text_room(&worker->template, length));
		key = worker->template.bytes;
	}

	uint64_t hash = pm_tally_hash(strings->tally, (uint8_t)hit->encoding, key, key_length);
	text_bytes(&worker->line, (const char *)&hash, sizeof hash);
	text_bytes(&worker->line, text, length);
}

int strings_line_found(void *context, unsigned number, const struct pm_hit *hit,
                       struct pm_scan_batch *batch, struct pm_error *error)
{
	struct strings *strings = ((struct search *)context)->context;
	struct strings_worker *worker = &strings->workers[number];
	const char *text = (const char *)hit->bytes;
	size_t length = hit->size;

	if (pm_encoding_unit(hit->encoding) > 1) {
		text_clear(&worker->plain);
		length = pm_string_text(hit->encoding, hit->bytes, hit->size,
		                        text_room(&worker->plain, hit->size));
		text = worker->plain.bytes;
	}

	text_clear(&worker->line);
	if (strings->tally)
		make_key(strings, worker, hit, text, length);
	else if (strings->options->search.output.json)
		make_json(strings, number, hit, text, length);
	else
		make_line(strings, number, hit, text, length);

	int status = pm_scan_append(batch, worker->line.bytes, worker->line.length, error);

	/* Release a large buffer. Long strings are rare, but each thread can find one and would
	 * keep its memory. */
	if (worker->line.capacity > LINE_KEPT) {
		text_deinit(&worker->line);
		text_deinit(&worker->plain);
		text_deinit(&worker->template);
	}

	return status;
}
