/* SPDX-License-Identifier: MIT */
#include "heap/at.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "heap/json.h"
#include "target/chunk_text.h"
#include "target/json_parts.h"

/* Indentation of continuation lines on a narrow terminal, in columns. */
enum { INDENT = 4 };

/** A chunk and its neighbours. */
struct place {
	uint64_t address;
	struct pm_chunk chunk;
	struct pm_chunk before; /* valid if `has_before` */
	struct pm_chunk after;  /* valid if `has_after` */
	bool has_before;
	bool has_after;
	struct chunk_content content; /* of the chunk */
};

/** Finds the chunks directly before and after the chunk. */
static void find_neighbours(const struct pm_heap *heap, struct place *place)
{
	const struct pm_chunk *chunk = &place->chunk;

	if (chunk->number > 0) {
		pm_heap_chunk(heap, chunk->number - 1, &place->before);
		place->has_before = place->before.arena == chunk->arena &&
		                    place->before.address + place->before.size == chunk->address;
	}
	if (chunk->number + 1 < heap->chunk_count) {
		pm_heap_chunk(heap, chunk->number + 1, &place->after);
		place->has_after = place->after.arena == chunk->arena &&
		                   chunk->address + chunk->size == place->after.address;
	}
}

static void put_size(const struct heap_report *report, uint64_t size, struct text *line)
{
	text_format(line, "%" PRIu64 " B", size);
	if (size >= 1024 && !report->options->output.bytes) {
		text_string(line, " (");
		text_size(line, size);
		text_char(line, ')');
	}
}

static void end_line(struct text *line, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, INDENT);
	text_clear(line);
}

static void print_neighbour(const struct heap_report *report, const char *which,
                            const struct pm_chunk *chunk, struct out *out)
{
	struct text line = { 0 };

	text_format(&line, "  %-7s %" PRIx64 "  ", which, chunk->start);
	put_size(report, chunk->size, &line);
	text_format(&line, "  %s", chunk_text_state(chunk->state));
	end_line(&line, out);
	text_deinit(&line);
}

/** Adds where in the chunk the address is. */
static void put_offset(const struct place *place, struct text *line)
{
	const struct pm_chunk *chunk = &place->chunk;

	text_format(line, "  0x%" PRIx64 " is ", place->address);
	if (place->address < chunk->start)
		text_string(line, "in the header of the chunk");
	else if (place->address == chunk->start)
		text_string(line, "the start of the chunk");
	else
		text_format(line, "at offset 0x%" PRIx64 " in the chunk",
		            place->address - chunk->start);
	if (place->address >= chunk->end && place->address > chunk->start)
		text_string(line, ", after the bytes that the program may use");
}

/** Adds what the chunk contains. */
static void put_what(const struct place *place, struct text *line)
{
	const struct pm_chunk_text *found = &place->content.text;
	struct text what = { 0 };

	text_string(line, "  contains ");
	chunk_text_what(place->content.item.type, found->text, found->length, found->cut, &what);
	utf8_escape(line, what.bytes, what.length);
	text_deinit(&what);
}

static void print_text(const struct heap_report *report, const struct place *place, struct out *out)
{
	const struct pm_chunk *chunk = &place->chunk;
	struct text line = { 0 };

	text_format(&line, "%" PRIx64 "-%" PRIx64 "  ", chunk->start, chunk->end);
	put_size(report, chunk->size, &line);
	text_format(&line, "  %s  ", chunk_text_state(chunk->state));
	chunk_text_place(report->heap, chunk->arena, &line);
	end_line(&line, out);

	put_what(place, &line);
	end_line(&line, out);

	put_offset(place, &line);
	end_line(&line, out);

	if (place->has_before)
		print_neighbour(report, "before:", &place->before, out);
	if (place->has_after)
		print_neighbour(report, "after:", &place->after, out);
	text_deinit(&line);
}

static void print_json(const struct heap_report *report, const struct place *place, struct out *out)
{
	const struct pm_heap *heap = report->heap;
	struct json json = { .out = out };

	heap_json_open(&json, report);
	json_put(&json, "address", json_address(place->address));
	json_open(&json, "chunk", '{');
	json_parts_chunk(&json, heap, &place->chunk);
	json_parts_content(&json, place->content.item.type, place->content.text.text,
	                   place->content.text.length);
	if (place->address >= place->chunk.start)
		json_put(&json, "offset", json_number(place->address - place->chunk.start));
	json_shut(&json, '}');

	if (place->has_before) {
		json_open(&json, "before", '{');
		json_parts_chunk(&json, heap, &place->before);
		json_shut(&json, '}');
	}
	if (place->has_after) {
		json_open(&json, "after", '{');
		json_parts_chunk(&json, heap, &place->after);
		json_shut(&json, '}');
	}
	json_shut(&json, '}');
	out_string(out, "\n");
}

int heap_at_print(struct heap_report *report, uint64_t address, struct out *out,
                  struct pm_error *error)
{
	struct place place = { .address = address };

	if (!pm_heap_find(report->heap, address, &place.chunk)) {
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "no chunk of malloc contains 0x%" PRIx64
		             "%s; 'procmem map %s 0x%" PRIx64 "' shows what is there",
		             address,
		             report->heap->complete ? "" : " as far as the heap could be read",
		             report->memory.target.word, address);
		return 0;
	}

	find_neighbours(report->heap, &place);
	if (chunk_contents_read(&report->contents, report->heap, &place.chunk, &place.content,
	                        error) < 0)
		return -1;
	memory_resume(&report->memory);

	if (report->options->output.json)
		print_json(report, &place, out);
	else
		print_text(report, &place, out);

	return 1;
}
