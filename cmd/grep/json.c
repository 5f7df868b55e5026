/* SPDX-License-Identifier: MIT */
#include "grep/json.h"

#include "base/minmax.h"
#include "grep/unique.h"
#include "target/hit_chunk.h"
#include "target/json_parts.h"
#include "view/hit_text.h"

enum {
	TEXT_COLUMNS =
		60 /* width of the text on each side of a match, if no context was requested */
};

static json_t *text_of(enum pm_encoding encoding, const uint8_t *bytes, size_t size)
{
	struct text text = { 0 };

	if (pm_encoding_unit(encoding) != 2)
		return json_bytes((const char *)bytes, size);

	hit_text_decode(encoding, bytes, size, &text);
	json_t *value = json_bytes(text.bytes, text.length);
	text_deinit(&text);
	return value;
}

static json_t *hex_of(const uint8_t *bytes, size_t size)
{
	struct text text = { 0 };
	for (size_t i = 0; i < size; i++)
		text_hex(&text, bytes[i], 2);
	json_t *value = json_bytes(text.bytes, text.length);
	text_deinit(&text);
	return value;
}

/**
 * Writes the context of a match: the bytes that -A, -B and -C request, otherwise the text around
 * the match.
 */
static void put_around(struct json *json, const struct grep_options *options,
                       const struct pm_hit *hit)
{
	size_t before, after;
	if (options->context) {
		before = pm_min_size(options->before, hit->before);
		after = pm_min_size(options->after, hit->after);
	} else {
		before = hit_text_before(hit, TEXT_COLUMNS).bytes;
		after = hit_text_after(hit, TEXT_COLUMNS).bytes;
	}

	json_put(json, "before", text_of(hit->encoding, hit->bytes - before, before));
	json_put(json, "after", text_of(hit->encoding, hit->bytes + hit->size, after));
	if (options->context) {
		json_put(json, "hex_before", hex_of(hit->bytes - before, before));
		json_put(json, "hex_after", hex_of(hit->bytes + hit->size, after));
	}
}

/** Starts an object. If there are several targets, it starts with the PID. */
static void open_object(struct json *json, const struct grep_view *view)
{
	json_open(json, NULL, '{');
	json_parts_process(json, view->pid, NULL, NULL);
}

static void put_region(struct json *json, const struct pm_region *region)
{
	json_open(json, "region", '{');
	json_parts_region(json, region);
	json_shut(json, '}');
}

/** Writes the type and the value of a number. */
static void put_number(struct json *json, const struct pm_number_test *test, const uint8_t *bytes)
{
	json_put(json, "number_type", json_text(pm_number_test_name(test)));
	grep_numbers_put_json(json, "number", test, bytes);
	json_put(json, "hex", hex_of(bytes, test->size));
}

void grep_json(const struct grep_view *view, const struct pm_hit *hit,
               const struct pm_chunk_parts *chunk, struct text *line)
{
	const struct grep_options *options = view->options;
	const struct pm_region *region = &view->regions->items[hit->region];
	struct json json = { .text = line, .one_line = true };

	open_object(&json, view);
	json_put(&json, "address", json_address(hit->address));
	put_region(&json, region);
	json_put(&json, "offset", json_number(hit->address - region->start));
	json_put(&json, "length", json_number(hit->size));

	if (options->numbers.count > 0) {
		put_number(&json, &options->numbers.tests[hit->source], hit->bytes);
		if (options->context)
			put_around(&json, options, hit);
		if (chunk)
			hit_chunk_put_json(chunk, line);
		return;
	}

	if (options->patterns.count > 1)
		json_put(&json, "pattern", json_integer((json_int_t)hit->source + 1));
	if (options->flags & PM_PATTERN_WIDE)
		json_put(&json, "encoding", json_text(pm_encoding_name(hit->encoding)));

	json_put(&json, "text", text_of(hit->encoding, hit->bytes, hit->size));
	json_put(&json, "hex", hex_of(hit->bytes, hit->size));
	put_around(&json, options, hit);
	if (chunk)
		hit_chunk_put_json(chunk, line);
}

void grep_json_next(const struct grep_view *view, const struct pm_next_hit *hit, struct text *line)
{
	const struct pm_region *region = &view->regions->items[hit->region];
	uint64_t address = hit->saved->address;
	struct json json = { .text = line, .one_line = true };

	open_object(&json, view);
	json_put(&json, "address", json_address(address));
	put_region(&json, region);
	json_put(&json, "offset", json_number(address - region->start));
	json_put(&json, "length", json_number(hit->test->size));
	put_number(&json, hit->test, hit->now);
	grep_numbers_put_json(&json, "number_was", hit->test, hit->saved->bytes);
	json_put(&json, "hex_was", hex_of(hit->saved->bytes, hit->test->size));
	json_shut(&json, '}');
	text_char(line, '\n');
}

void grep_json_region(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                      struct text *line)
{
	struct json json = { .text = line, .one_line = true };

	open_object(&json, view);
	put_region(&json, region);
	if (view->form == GREP_COUNTS)
		json_put(&json, "count", json_number(count));

	json_shut(&json, '}');
	text_char(line, '\n');
}

void grep_json_kind(const struct grep_view *view, enum pm_kind kind, uint64_t count,
                    struct text *line)
{
	struct json json = { .text = line, .one_line = true };

	open_object(&json, view);
	json_put(&json, "kind", json_text(pm_kind_name(kind)));
	json_put(&json, "count", json_number(count));
	json_shut(&json, '}');
	text_char(line, '\n');
}

void grep_json_unique(const struct grep_view *view, const struct pm_tally_item *item,
                      struct text *line)
{
	struct json json = { .text = line, .one_line = true };
	enum pm_encoding encoding = grep_unique_encoding(item);
	const uint8_t *bytes = (const uint8_t *)item->text;

	open_object(&json, view);
	json_put(&json, "count", json_number(item->count));
	if (item->missed > 0)
		json_put(&json, "low_by", json_number(item->missed));
	if (view->options->flags & PM_PATTERN_WIDE)
		json_put(&json, "encoding", json_text(pm_encoding_name(encoding)));
	json_put(&json, "length", json_number(item->size / item->count));
	json_put(&json, "text", text_of(encoding, bytes, item->length));
	json_put(&json, "hex", hex_of(bytes, item->length));
	if (grep_unique_is_truncated(item))
		json_put(&json, "truncated", json_true());
	json_put(&json, "first", json_address(item->first));
	json_shut(&json, '}');
	text_char(line, '\n');
}
