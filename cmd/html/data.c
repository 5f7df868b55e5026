/* SPDX-License-Identifier: MIT */
/*
 * Arrays are coded as differences to the element before; the first element is the difference to 0.
 * An array in place of a number, such as [250], means that many differences of 0. Values are
 * multiples of `unit` bytes, times are in milliseconds.
 */
#include "html/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/convert.h"
#include "base/utf8.h"
#include "html/axis.h"
#include "html/curve.h"

/* Bound of the figures in bytes. If they need more, fewer moments are written. */
enum { DATA_BYTES_MAX = 512 * 1024 };

/** What is being written. */
struct data {
	const struct html_timeline *timeline;
	struct html_curve curve;
	size_t *chosen; /* indexes of the moments */
	size_t count;
	unsigned shift; /* the unit is a power of two */
	uint64_t zeros; /* differences of 0 that are not written yet */
	struct text *text;
};

/** Adds text as a JSON string that cannot end the element: `<` is an escape sequence. */
static void put_string(struct text *text, const char *string)
{
	struct text escaped = { 0 };

	utf8_escape(&escaped, string, strlen(string));
	text_char(text, '"');
	for (size_t i = 0; i < escaped.length; i++) {
		char byte = escaped.bytes[i];

		if (byte == '"' || byte == '\\')
			text_char(text, '\\');
		if (byte == '<' || byte == '>' || byte == '&')
			text_format(text, "\\u%04x", (unsigned)byte);
		else
			text_char(text, byte);
	}
	text_char(text, '"');
	text_deinit(&escaped);
}

/** Adds the differences of 0 that were counted. */
static void put_zeros(struct data *data)
{
	if (data->zeros == 1)
		text_string(data->text, "0,");
	else if (data->zeros > 1)
		text_format(data->text, "[%" PRIu64 "],", data->zeros);
	data->zeros = 0;
}

/** Adds an element of an array. */
static void put_difference(struct data *data, uint64_t before, uint64_t now)
{
	if (now == before) {
		data->zeros++;
		return;
	}

	put_zeros(data);
	if (now < before)
		text_char(data->text, '-');
	text_decimal(data->text, now < before ? before - now : now - before);
	text_char(data->text, ',');
}

/** Ends an array: its last comma becomes a bracket. */
static void end_array(struct data *data)
{
	put_zeros(data);
	data->text->length--;
	text_char(data->text, ']');
}

/** Sets the largest unit that divides all values, up to a page of 4 KiB. */
static void set_unit(struct data *data)
{
	uint64_t bits = 4096;

	for (size_t k = 0; k < data->timeline->kind_count; k++) {
		for (size_t i = 0; i < data->timeline->count; i++)
			bits |= data->timeline->kinds[k].values[i];
	}
	data->shift = (unsigned)__builtin_ctzll(bits);
}

static void put_times(struct data *data)
{
	uint64_t before = 0;

	text_string(data->text, "\"times\":[");
	for (size_t i = 0; i < data->count; i++) {
		uint64_t now = convert_uint64(data->curve.times[data->chosen[i]] * 1000 + 0.5);

		put_difference(data, before, now);
		before = now;
	}
	end_array(data);
}

static void put_kind(struct data *data, const struct html_kind *kind)
{
	uint64_t before = 0;

	text_string(data->text, "{\"name\":");
	put_string(data->text, kind->name);
	text_string(data->text, ",\"values\":[");
	for (size_t i = 0; i < data->count; i++) {
		uint64_t now = kind->values[data->chosen[i]] >> data->shift;

		put_difference(data, before, now);
		before = now;
	}
	end_array(data);
	text_char(data->text, '}');
}

/** Adds from when on local time has which difference to UTC: [[milliseconds, seconds],...]. */
static void put_offsets(struct data *data)
{
	double start = isfinite(data->timeline->start) ? data->timeline->start : 0;
	int64_t shown = 0;

	text_string(data->text, "\"offsets\":[");
	for (size_t i = 0; i < data->count; i++) {
		double time = data->curve.times[data->chosen[i]];
		int64_t offset = html_axis_offset(convert_int64(start + time));

		if (i > 0 && offset == shown)
			continue;
		text_format(data->text, "[%.0f,%" PRId64 "],", time * 1000, offset);
		shown = offset;
	}
	data->text->length--;
	text_format(data->text, "],\"start\":%.3f,", start);
}

/** Adds the figures of the chosen moments. */
static void put_figures(struct data *data)
{
	const struct html_timeline *timeline = data->timeline;
	uint64_t samples = timeline->samples > timeline->count ? timeline->samples
	                                                       : timeline->count;

	text_format(data->text, "{\"samples\":%" PRIu64 ",\"moments\":%zu,\"unit\":%u,", samples,
	            data->count, 1U << data->shift);
	put_offsets(data);
	put_times(data);

	/* From the bottom of the stack to its top. */
	text_string(data->text, ",\"kinds\":[");
	for (size_t k = 0; k < timeline->kind_count; k++) {
		if (k > 0)
			text_string(data->text, ",\n");
		put_kind(data, &timeline->kinds[data->curve.order[k]]);
	}
	text_string(data->text, "]}");
}

static void put_timeline(struct data *data)
{
	size_t buckets = data->timeline->count;

	html_curve_init(&data->curve, data->timeline);
	data->chosen = alloc_array(NULL, data->curve.count, sizeof *data->chosen);
	set_unit(data);

	do {
		data->count = html_curve_choose(&data->curve, buckets, data->chosen);
		text_clear(data->text);
		put_figures(data);
		buckets /= 2;
	} while (data->text->length > DATA_BYTES_MAX && buckets > 0);

	html_curve_deinit(&data->curve);
	free(data->chosen);
}

void html_data_put(struct html_document *document, const struct html_report *report)
{
	struct text text = { 0 };
	struct data data = { .timeline = &report->timeline, .text = &text };

	if (report->timeline.count > 0 && report->timeline.kind_count > 0)
		put_timeline(&data);
	else
		text_string(&text, "{}");

	html_document_raw(document, "<script type=\"application/json\" id=\"data\">");
	html_document_markup(document, &text);
	html_document_raw(document, "</script>\n");
	text_deinit(&text);
}
