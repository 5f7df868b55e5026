/* SPDX-License-Identifier: MIT */
#include "html/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts that are less wide than this have no words in them, in percent. */
static const double words_min = 5;

static int by_bytes(const void *one, const void *other)
{
	uint64_t first = ((const struct html_share *)one)->bytes;
	uint64_t second = ((const struct html_share *)other)->bytes;

	return (first < second) - (first > second);
}

void html_share_sort(struct html_share *shares, size_t count)
{
	qsort(shares, count, sizeof *shares, by_bytes);
}

double html_share_sum(const struct html_report *report)
{
	double sum = 0;

	for (size_t i = 0; i < report->share_count; i++)
		sum += (double)report->shares[i].bytes;
	return sum;
}

/** Adds "malloc 79.5M, 46 %". */
static void put_words(const struct html_share *share, double percent, struct text *text)
{
	html_document_escape(text, share->name, strlen(share->name));
	text_char(text, ' ');
	text_size(text, share->bytes);
	text_format(text, ", %.*f %%", percent < 10, percent);
}

/** Adds a part of the bar, in percent of the width of the page. Its words are cut at its end. */
static void put_part(const struct html_share *share, double from, double width, double percent,
                     struct text *text)
{
	text_format(text, "<svg x=\"%.3f%%\" width=\"%.3f%%\" height=\"46\"><title>", from, width);
	put_words(share, percent, text);
	text_format(text,
	            "</title><rect class=\"k%u\" width=\"100%%\" height=\"46\"/>"
	            "<path class=\"edge\" d=\"M0 0V46\"/>",
	            share->colour % HTML_COLOURS);

	if (width >= words_min) {
		text_string(text, "<text x=\"6\" y=\"19\">");
		html_document_escape(text, share->name, strlen(share->name));
		text_string(text, "</text><text x=\"6\" y=\"36\">");
		text_size(text, share->bytes);
		text_string(text, "</text>");
	}
	text_string(text, "</svg>\n");
}

/** Adds all parts in words, for those who do not see them. */
static void put_label(const struct html_report *report, double sum, struct text *text)
{
	text_string(text, "<svg class=\"share\" role=\"img\" aria-label=\"");
	for (size_t i = 0; i < report->share_count; i++) {
		const struct html_share *share = &report->shares[i];

		if (share->bytes == 0)
			continue;
		if (i > 0)
			text_string(text, "; ");
		put_words(share, (double)share->bytes / sum * 100, text);
	}
	text_string(text, "\">\n");
}

void html_share_put(struct html_document *document, const struct html_report *report, double whole)
{
	struct text text = { 0 };
	double sum = html_share_sum(report), from = 0;

	if (sum <= 0)
		return;

	put_label(report, sum, &text);
	for (size_t i = 0; i < report->share_count; i++) {
		double bytes = (double)report->shares[i].bytes,
		       width = bytes / fmax(whole, sum) * 100;

		if (report->shares[i].bytes > 0)
			put_part(&report->shares[i], from, width, bytes / sum * 100, &text);
		from += width;
	}
	text_string(&text, "</svg>\n");

	html_document_markup(document, &text);
	text_deinit(&text);
}
