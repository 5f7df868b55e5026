/* SPDX-License-Identifier: MIT */
#include "grep/json.h"

#include "base/minmax.h"
#include "target/region_text.h"
#include "view/hit_text.h"
#include "view/json.h"

enum {
	TEXT_COLUMNS =
		60 /* width of the text on each side of a match, if no context was requested */
};

/** Returns a JSON string with a text that is already escaped. */
static json_t *escaped(const struct text *text)
{
	return json_stringn_nocheck(text->length > 0 ? text->bytes : "", text->length);
}

static json_t *text_of(enum pm_encoding encoding, const uint8_t *bytes, size_t size)
{
	struct text text = { 0 };
	hit_text_add(encoding, bytes, size, &text);
	json_t *value = escaped(&text);
	text_deinit(&text);
	return value;
}

static json_t *hex_of(const uint8_t *bytes, size_t size)
{
	struct text text = { 0 };
	for (size_t i = 0; i < size; i++)
		text_hex(&text, bytes[i], 2);
	json_t *value = escaped(&text);
	text_deinit(&text);
	return value;
}

/**
 * Adds the context of a match: the bytes that -A, -B and -C request, otherwise the text around the
 * match.
 */
static void put_around(json_t *object, const struct grep_options *options, const struct pm_hit *hit)
{
	size_t before, after;
	if (options->context) {
		before = pm_min_size(options->before, hit->before);
		after = pm_min_size(options->after, hit->after);
	} else {
		before = hit_text_before(hit, TEXT_COLUMNS).bytes;
		after = hit_text_after(hit, TEXT_COLUMNS).bytes;
	}

	json_add(object, "before", text_of(hit->encoding, hit->bytes - before, before));
	json_add(object, "after", text_of(hit->encoding, hit->bytes + hit->size, after));
	if (options->context) {
		json_add(object, "hex_before", hex_of(hit->bytes - before, before));
		json_add(object, "hex_after", hex_of(hit->bytes + hit->size, after));
	}
}

static int add_piece(const char *bytes, size_t length, void *line)
{
	text_bytes(line, bytes, length);
	return 0;
}

/** Writes an object without its closing brace, and releases it. */
static void write_open(json_t *object, struct text *line)
{
	json_dump_callback(object, add_piece, line, JSON_COMPACT);
	json_decref(object);
	line->length--;
}

void grep_json(const struct grep_view *view, const struct pm_hit *hit, struct text *line)
{
	const struct grep_options *options = view->options;
	const struct pm_region *region = &view->regions->items[hit->region];
	json_t *object = json_object();

	if (view->pid > 0)
		json_add(object, "pid", json_integer(view->pid));
	json_add(object, "address", json_address(hit->address));
	json_add(object, "region", region_text_object(region));
	json_add(object, "offset", json_number(hit->address - region->start));
	json_add(object, "length", json_number(hit->size));

	if (options->patterns.count > 1)
		json_add(object, "pattern", json_integer((json_int_t)hit->source + 1));
	if (options->flags & PM_PATTERN_WIDE)
		json_add(object, "encoding", json_text(pm_encoding_name(hit->encoding)));

	json_add(object, "text", text_of(hit->encoding, hit->bytes, hit->size));
	json_add(object, "hex", hex_of(hit->bytes, hit->size));
	put_around(object, options, hit);
	write_open(object, line);
}

void grep_json_region(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                      struct text *line)
{
	json_t *object = json_object();

	if (view->pid > 0)
		json_add(object, "pid", json_integer(view->pid));
	json_add(object, "region", region_text_object(region));
	if (view->form == GREP_COUNTS)
		json_add(object, "count", json_number(count));

	write_open(object, line);
	text_string(line, "}\n");
}
