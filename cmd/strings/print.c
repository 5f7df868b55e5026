/* SPDX-License-Identifier: MIT */
#include "strings/print.h"

#include <string.h>

#include "target/region_text.h"
#include "view/results.h"

/** Prints a heading with the region that contains the next strings. */
static void print_heading(struct strings *strings, size_t index)
{
	struct out *out = strings->search.out;
	struct text heading = { 0 };

	if (strings->region != SIZE_MAX)
		out_string(out, "\n");
	strings->region = index;

	const struct pm_region *region = &strings->search.memory.loaded.regions.items[index];
	results_put_region(out->results, region, &heading);
	region_text_words(&heading, region);

	out_style(out, OUT_DIM);
	out_wrapped(out, &heading, 2);
	out_style(out, OUT_PLAIN);
	out_string(out, "\n");
	text_deinit(&heading);
}

void strings_print_finish(struct strings *strings)
{
	if (strings->open)
		out_string(strings->search.out, "\n");
	strings->open = false;
}

static void print_line(struct strings *strings, const struct pm_scan_delivery *delivery)
{
	struct out *out = strings->search.out;
	const char *line = (const char *)delivery->bytes + 1;
	size_t length = delivery->length - 1;
	size_t prefix = *(const unsigned char *)delivery->bytes;
	bool joined = strings->open && delivery->continued &&
	              strings->open_encoding == delivery->encoding;

	if (joined) {
		line += prefix;
		length -= prefix;
	} else {
		strings_print_finish(strings);
		strings->count++;
		if (out->terminal && delivery->region != strings->region)
			print_heading(strings, delivery->region);
		results_print_hit(out, delivery->address, delivery->size, line + prefix,
		                  length - prefix - 1);
	}

	/* A string can be delivered in several pieces. The newline is printed only after the last
	 * piece. */
	out_bytes(out, line, length - delivery->truncated);
	strings->open = delivery->truncated;
	strings->open_encoding = delivery->encoding;
}

static void print_json(struct strings *strings, const struct pm_scan_delivery *delivery)
{
	strings->count += !delivery->continued;
	search_put_json(delivery, delivery->bytes, delivery->length, strings->search.out);
}

/** Counts a string for -u. Further pieces of a long string only add to its size. */
static void count_string(struct strings *strings, const struct pm_scan_delivery *delivery)
{
	struct pm_tally_text text = { .first = delivery->address,
		                      .size = delivery->size,
		                      .category = (uint8_t)delivery->encoding };
	if (delivery->continued) {
		pm_tally_extend(strings->tally, text.category, delivery->size);
		return;
	}

	strings->count++;
	memcpy(&text.hash, delivery->bytes, sizeof text.hash);
	text.text = (const char *)delivery->bytes + sizeof text.hash;
	text.length = delivery->length - sizeof text.hash;

	if (!strings->options->similar) {
		pm_tally_add(strings->tally, &text);
		return;
	}

	pm_tally_add_similar(strings->tally, &text);
	formats_note(&strings->formats, text.text, text.length, text.first);
}

int strings_print_deliver(void *context, const struct pm_scan_delivery *delivery,
                          struct pm_error *error)
{
	struct strings *strings = ((struct search *)context)->context;

	(void)error;
	if (strings->tally)
		count_string(strings, delivery);
	else if (strings->options->search.output.json)
		print_json(strings, delivery);
	else
		print_line(strings, delivery);

	return 0;
}
