/* SPDX-License-Identifier: MIT */
#include "heap/chunks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "heap/json.h"
#include "target/chunk_text.h"
#include "target/json_parts.h"
#include "view/results.h"

/** A chunk to print. */
struct row {
	struct pm_chunk chunk;
	const struct pm_chunk_type *type;
	uint8_t length; /* number of bytes of `text` */
	bool cut;       /* the text continues */
	char text[PM_CHUNK_HEAD_SIZE];
};

/** What is kept of a chunk while the target is stopped. Its text follows. */
struct kept {
	uint32_t number; /* pm_chunk.number */
	uint8_t length;
	bool cut;
	const struct pm_chunk_type *type;
};

/* Maximum number of bytes that are kept, enough for about ten million chunks. */
enum { KEPT_MAX = 256 << 20 };

/** The list while it is printed. */
struct printing {
	struct heap_report *report;
	struct out *out;
	struct json json;
	bool keep;        /* the target is stopped: keep the chunks */
	struct text kept; /* struct kept and a text, for each kept chunk */
	bool full;        /* there are more chunks than can be kept */
	uint64_t count;   /* number of chunks */
	uint64_t bytes;   /* sum of their sizes */
	struct text line, what, escaped;
};

static void put_state(const struct row *row, struct text *line)
{
	text_string(line, pm_chunk_state_name((enum pm_chunk_state)row->chunk.state));
}

/** Adds text of a fixed width. */
static void put_padded(struct text *line, const char *word, int width)
{
	text_format(line, "%-*s", width, word);
}

static void print_titles(const struct printing *printing)
{
	const struct heap_options *options = printing->report->options;

	if (options->list.no_header || options->output.json)
		return;
	if (options->list.csv)
		out_string(printing->out, "address,size,state,arena,type,text\n");
	else
		out_format(printing->out, "%s%-14s %10s  %-6s %-6s %s\n",
		           printing->out->results ? "      " : "", "ADDRESS", "SIZE", "STATE",
		           "ARENA", "WHAT");
}

/** Cuts the words about a chunk so that the line fits the terminal. */
static void put_fitting(struct printing *printing)
{
	struct text *line = &printing->line, *escaped = &printing->escaped;
	size_t used = utf8_columns(line->bytes, line->length);

	if (printing->out->results)
		used += RESULTS_NUMBER_WIDTH;
	text_clear(escaped);
	utf8_escape(escaped, printing->what.bytes, printing->what.length);
	if (printing->out->width == SIZE_MAX ||
	    utf8_columns(escaped->bytes, escaped->length) + used <= printing->out->width) {
		text_bytes(line, escaped->bytes, escaped->length);
		return;
	}
	if (printing->out->width <= used + 1)
		return;

	size_t room = printing->out->width - used - 1;
	text_bytes(line, escaped->bytes, utf8_fit(escaped->bytes, escaped->length, room));
	text_string(line, "\xe2\x80\xa6");
}

static void print_line(struct printing *printing, const struct row *row)
{
	struct text *line = &printing->line, arena = { 0 };

	text_clear(line);
	text_format(line, "%-14" PRIx64 " %10" PRIu64 "  ", row->chunk.start, row->chunk.size);
	put_padded(line, pm_chunk_state_name((enum pm_chunk_state)row->chunk.state), 6);
	chunk_text_arena(printing->report->heap, row->chunk.arena, &arena);
	text_char(line, ' ');
	put_padded(line, text_terminate(&arena), 6);
	text_char(line, ' ');

	text_clear(&printing->what);
	chunk_text_what(row->type, row->text, row->length, row->cut, &printing->what);
	put_fitting(printing);
	text_char(line, '\n');

	results_print_hit(printing->out, row->chunk.start, row->chunk.end - row->chunk.start,
	                  printing->what.bytes, printing->what.length);
	out_text(printing->out, line);
	text_deinit(&arena);
}

/** Adds a field of CSV, escaped, in quotes if it contains a comma or a quote. */
static void put_field(struct printing *printing, const char *bytes, size_t length)
{
	struct text *line = &printing->line, *escaped = &printing->escaped;

	text_clear(escaped);
	utf8_escape(escaped, bytes, length);
	if (escaped->length == 0 || (!memchr(escaped->bytes, ',', escaped->length) &&
	                             !memchr(escaped->bytes, '"', escaped->length))) {
		text_bytes(line, escaped->bytes, escaped->length);
		return;
	}

	text_char(line, '"');
	for (size_t i = 0; i < escaped->length; i++) {
		if (escaped->bytes[i] == '"')
			text_char(line, '"');
		text_char(line, escaped->bytes[i]);
	}
	text_char(line, '"');
}

static void print_csv(struct printing *printing, const struct row *row)
{
	const char *label = pm_chunk_type_label(row->type);
	struct text *line = &printing->line;

	text_clear(line);
	text_format(line, "0x%" PRIx64 ",%" PRIu64 ",", row->chunk.start, row->chunk.size);
	put_state(row, line);
	text_char(line, ',');
	chunk_text_arena(printing->report->heap, row->chunk.arena, line);
	text_char(line, ',');
	put_field(printing, label, strlen(label));
	text_char(line, ',');
	put_field(printing, row->text, row->length);
	text_char(line, '\n');
	out_text(printing->out, line);
}

static void print_json(struct printing *printing, const struct row *row)
{
	struct json item = { .text = &printing->line, .one_line = true };

	text_clear(&printing->line);
	json_open(&item, NULL, '{');
	json_parts_chunk(&item, printing->report->heap, &row->chunk);
	json_parts_content(&item, row->type, row->text, row->length);
	json_shut(&item, '}');
	json_put_raw(&printing->json, NULL, &printing->line);
}

static void print_row(struct printing *printing, const struct row *row)
{
	const struct heap_options *options = printing->report->options;

	if (options->output.json)
		print_json(printing, row);
	else if (options->list.csv)
		print_csv(printing, row);
	else
		print_line(printing, row);
}

/**
 * Keeps a row.
 * @return 0; 1 if there are too many
 */
static int keep_row(struct printing *printing, const struct row *row)
{
	const struct kept kept = { .number = row->chunk.number,
		                   .length = row->length,
		                   .cut = row->cut,
		                   .type = row->type };

	printing->full = printing->kept.length > KEPT_MAX;
	text_bytes(&printing->kept, (const char *)&kept, sizeof kept);
	text_bytes(&printing->kept, row->text, row->length);
	return printing->full;
}

static void print_kept(struct printing *printing)
{
	const struct text *all = &printing->kept;
	struct kept kept;

	for (size_t at = 0; at < all->length && !out_failed(printing->out);) {
		memcpy(&kept, all->bytes + at, sizeof kept);
		struct row row = { .type = kept.type, .length = kept.length, .cut = kept.cut };

		pm_heap_chunk(printing->report->heap, kept.number, &row.chunk);
		memcpy(row.text, all->bytes + at + sizeof kept, kept.length);
		print_row(printing, &row);
		at += sizeof kept + kept.length;
	}
}

/** Prints or keeps a chunk. See pm_chunk_item_visitor. */
static int visit(void *context, const struct pm_chunk_item *item)
{
	struct printing *printing = context;
	const struct list_options *list = &printing->report->options->list;

	printing->count++;
	printing->bytes += item->chunk.size;
	if (list->top_given && printing->count > list->top)
		return 0;

	struct pm_chunk_text text = pm_chunk_text_find(item->head, item->size);
	struct row row = {
		.chunk = item->chunk,
		.type = item->type,
		.length = (uint8_t)text.length,
		.cut = text.cut,
	};
	if (text.length > 0)
		memcpy(row.text, text.text, text.length);

	if (printing->keep)
		return keep_row(printing, &row);
	print_row(printing, &row);

	return out_failed(printing->out);
}

/** Prints the number of chunks that --top left out. */
static void print_left_out(const struct printing *printing)
{
	const struct heap_options *options = printing->report->options;

	if (!options->list.top_given || printing->count <= options->list.top)
		return;
	if (options->output.json || options->list.csv || options->list.no_header)
		return;
	out_format(printing->out, "\xe2\x80\xa6 %" PRIu64 " more chunks\n",
	           printing->count - options->list.top);
}

static int print(struct printing *printing, struct pm_error *error)
{
	struct heap_report *report = printing->report;
	bool json = report->options->output.json;
	int result = 0;

	print_titles(printing);
	if (!printing->keep && json) {
		heap_json_open(&printing->json, report);
		json_open(&printing->json, "listed", '[');
	}

	result = pm_chunk_list(report->heap, report->contents.types, report->filter, visit,
	                       printing, error);
	memory_resume(&report->memory);
	if (result < 0)
		return -1;
	if (printing->full)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "there are too many chunks to keep while the process is "
		                    "stopped; show the first ones with -n, or select chunks with "
		                    "--size, --type or --text");

	if (printing->keep && json) {
		heap_json_open(&printing->json, report);
		json_open(&printing->json, "listed", '[');
	}
	print_kept(printing);

	if (json) {
		json_shut(&printing->json, ']');
		json_shut(&printing->json, '}');
		out_string(printing->out, "\n");
	}
	print_left_out(printing);
	return 0;
}

int heap_chunks_print(struct heap_report *report, struct out *out, uint64_t *count,
                      struct pm_error *error)
{
	struct printing printing = {
		.report = report,
		.out = out,
		.json = { .out = out },
		.keep = report->memory.stop != NULL,
	};
	int result = print(&printing, error);

	text_deinit(&printing.line);
	text_deinit(&printing.what);
	text_deinit(&printing.escaped);
	text_deinit(&printing.kept);
	if (result == 0)
		*count = printing.count;

	return result;
}
