/* SPDX-License-Identifier: MIT */
#include "grep/unique.h"

#include "base/minmax.h"
#include "base/report.h"
#include "grep/json.h"
#include "view/hit_text.h"
#include "view/results.h"

enum {
	BUDGET = 256 << 20, /* maximum memory of a tally in bytes; rare matches are dropped then */
	COUNT_WIDTH = 8,    /* width of the column of counts */
	/* Bit of pm_tally_item.category: the text is only the start of the matches. The other bits
	 * are the encoding. */
	TRUNCATED = 0x80,
};

enum pm_encoding grep_unique_encoding(const struct pm_tally_item *item)
{
	return (enum pm_encoding)(item->category & ~TRUNCATED);
}

bool grep_unique_is_truncated(const struct pm_tally_item *item)
{
	return item->category & TRUNCATED;
}

int grep_unique_create(struct pm_tally **tally, struct pm_error *error)
{
	return pm_tally_create(BUDGET, tally, error);
}

int grep_unique_found(void *context, unsigned worker, const struct pm_hit *hit,
                      struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	(void)worker;
	return pm_scan_append(batch, hit->bytes, hit->size, error);
}

void grep_unique_add(struct pm_tally *tally, const struct pm_scan_delivery *hit)
{
	struct pm_tally_text text = { .text = hit->bytes,
		                      .length = hit->length,
		                      .first = hit->address,
		                      .size = hit->size,
		                      .category = (uint8_t)hit->encoding };

	/* A match of more than 128 KiB is counted by its first piece, apart from complete matches
	 * with the same bytes. */
	if (hit->truncated || hit->continued)
		text.category |= TRUNCATED;
	if (hit->continued) {
		pm_tally_extend(tally, text.category, hit->size);
		return;
	}

	text.hash = pm_tally_hash(tally, text.category, text.text, text.length);
	pm_tally_add(tally, &text);
}

void grep_unique_add_count(const struct pm_tally *tally, struct text *text)
{
	text_string(text, pm_tally_dropped(tally) > 0 ? " (more than " : " (");
	text_grouped(text, pm_tally_count(tally));
	text_string(text, " distinct)");
}

static void print_row(const struct grep_view *view, const struct pm_tally_item *item,
                      struct out *out)
{
	struct text line = { 0 };
	size_t digits = text_decimal_length(item->count);

	text_string(&line, view->prefix);
	text_fill(&line, ' ', pm_max_size(digits, COUNT_WIDTH) - digits);
	text_decimal(&line, item->count);
	text_string(&line, item->missed > 0 ? "+ " : "  ");
	hit_text_add(grep_unique_encoding(item), (const uint8_t *)item->text, item->length, &line);
	if (grep_unique_is_truncated(item))
		text_string(&line, "\xe2\x80\xa6");
	text_char(&line, '\n');

	results_print_hit(out, item->first, item->size / item->count, item->text,
	                  pm_min_size(item->length, RESULTS_TEXT_MAX));
	out_text(out, &line);
	text_deinit(&line);
}

void grep_unique_print(const struct grep_view *view, struct pm_tally *tally, struct out *out)
{
	const struct output_options *output = &view->options->search.output;
	struct text line = { 0 };

	pm_tally_sort(tally, PM_TALLY_BY_COUNT);
	for (size_t i = 0; i < pm_tally_count(tally); i++) {
		const struct pm_tally_item *item = pm_tally_get(tally, i);

		if (!output->json) {
			print_row(view, item, out);
			continue;
		}
		text_clear(&line);
		grep_json_unique(view, item, &line);
		out_text(out, &line);
	}
	text_deinit(&line);

	if (pm_tally_dropped(tally) > 0 && !output->quiet)
		report_note("there were more distinct matches than fit into 256M; rare ones were "
		            "dropped, and counts marked + may be up to %llu too low",
		            (unsigned long long)pm_tally_bound(tally));
}
