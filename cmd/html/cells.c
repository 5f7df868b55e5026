/* SPDX-License-Identifier: MIT */
#include "html/cells.h"

#include <math.h>

/** What a cell has if its value is not known. */
static const char not_known[] = "<td class=\"n\">\xe2\x80\x93</td>";

void html_cells_start(struct html_document *document, const char *heading)
{
	html_document_raw(document, "<tr><th scope=\"row\">");
	html_document_text(document, heading);
	html_document_raw(document, "</th>");
}

void html_cells_start_address(struct html_document *document, uint64_t address)
{
	struct text markup = { 0 };

	text_string(&markup, "<tr><th scope=\"row\"><code>");
	text_hex(&markup, address, 1);
	text_string(&markup, "</code></th>");
	html_document_markup(document, &markup);
	text_deinit(&markup);
}

void html_cells_end(struct html_document *document)
{
	html_document_raw(document, "</tr>\n");
}

void html_cells_text(struct html_document *document, const char *string)
{
	html_document_raw(document, "<td>");
	html_document_text(document, string);
	html_document_raw(document, "</td>");
}

void html_cells_code(struct html_document *document, const char *string)
{
	html_document_raw(document, "<td class=\"c\"><code>");
	html_document_text(document, string);
	html_document_raw(document, "</code></td>");
}

/** Writes a cell with a figure, which has a class besides that of figures. */
static void put_figure(struct html_document *document, const char *class, const struct text *figure)
{
	html_document_raw(document, "<td class=\"n ");
	html_document_raw(document, class);
	html_document_raw(document, "\">");
	html_document_markup(document, figure);
	html_document_raw(document, "</td>");
}

void html_cells_number(struct html_document *document, bool known, uint64_t number)
{
	struct text figure = { 0 };

	if (!known) {
		html_document_raw(document, not_known);
		return;
	}
	text_grouped(&figure, number);
	put_figure(document, "", &figure);
	text_deinit(&figure);
}

void html_cells_pid(struct html_document *document, pid_t pid)
{
	struct text figure = { 0 };

	if (pid <= 0) {
		html_document_raw(document, not_known);
		return;
	}
	text_decimal(&figure, (uint64_t)pid);
	put_figure(document, "", &figure);
	text_deinit(&figure);
}

void html_cells_size(struct html_document *document, uint64_t bytes)
{
	struct text figure = { 0 };

	text_size(&figure, bytes);
	put_figure(document, "", &figure);
	text_deinit(&figure);
}

void html_cells_put_change(struct text *text, int64_t bytes)
{
	uint64_t amount = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;

	if (bytes == 0) {
		text_char(text, '0');
		return;
	}
	text_string(text, bytes < 0 ? "\xe2\x88\x92" : "+");
	text_size(text, amount);
}

const char *html_cells_class(int64_t change)
{
	if (change == 0)
		return "";
	return change > 0 ? "up" : "dn";
}

void html_cells_change(struct html_document *document, bool known, int64_t bytes)
{
	struct text figure = { 0 };

	if (!known) {
		html_document_raw(document, not_known);
		return;
	}
	html_cells_put_change(&figure, bytes);
	put_figure(document, html_cells_class(bytes), &figure);
	text_deinit(&figure);
}

/** Adds a rate in the unit in which it has digits: per second, minute or hour. */
static void put_rate(struct text *figure, double rate)
{
	if (rate == 0)
		text_char(figure, '0');
	else if (rate >= 10)
		text_format(figure, "%.0f/s", rate);
	else if (rate >= 0.1)
		text_format(figure, "%.1f/s", rate);
	else if (rate * 60 >= 0.1)
		text_format(figure, "%.1f/min", rate * 60);
	else
		text_format(figure, "%.1f/h", rate * 3600);
}

void html_cells_rate(struct html_document *document, bool known, double rate)
{
	struct text figure = { 0 };

	if (!known) {
		html_document_raw(document, not_known);
		return;
	}
	if (rate != 0)
		text_string(&figure, rate < 0 ? "\xe2\x88\x92" : "+");
	put_rate(&figure, fabs(rate));
	put_figure(document, html_cells_class((rate > 0) - (rate < 0)), &figure);
	text_deinit(&figure);
}

void html_cells_verdict(struct html_document *document, const char *verdict, enum html_tone tone)
{
	static const char *const starts[] = {
		[HTML_PLAIN] = "<td><span class=\"v\">",
		[HTML_BAD] = "<td><span class=\"v bad\">",
		[HTML_GOOD] = "<td><span class=\"v good\">",
	};

	if (*verdict == '\0') {
		html_document_raw(document, "<td></td>");
		return;
	}
	html_document_raw(document, starts[tone]);
	html_document_text(document, verdict);
	html_document_raw(document, "</span></td>");
}
