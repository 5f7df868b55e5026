/* SPDX-License-Identifier: MIT */
#include "target/hit_chunk.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/strings_scan.h>

#include "base/minmax.h"
#include "base/report.h"
#include "target/malloc_heap.h"

enum {
	OPTION_IN_USE = CLI_LONG_ONLY,
	OPTION_FREED,
	OPTION_CHUNKS,
	STATE_WIDTH = 6, /* width of the state in columns: that of "in use" */
	BYTES_WIDTH = 8, /* width of the size in columns: that of 100 MiB in bytes */
};

#define CONTENT ((unsigned)PM_CHUNK_PART_IN_USE | (unsigned)PM_CHUNK_PARTS_FREED)

const struct cli_option hit_chunk_option_table[] = {
	{ OPTION_IN_USE, "in-use", NULL, "only in chunks that the program uses" },
	{ OPTION_FREED, "freed", NULL,
	  "only in chunks that the program has freed; with\n"
	  "--in-use: in chunks of both states" },
	{ OPTION_CHUNKS, "chunks", NULL, "everywhere, and print the chunk of each hit" },
	{ 0 },
};

int hit_chunk_parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct hit_chunk_options *options = into;

	(void)value;
	(void)error;
	if (id == OPTION_IN_USE)
		options->in_use = true;
	else if (id == OPTION_FREED)
		options->freed = true;
	else
		options->show = true;
	return 0;
}

bool hit_chunk_is_needed(const struct hit_chunk_options *options)
{
	return options->in_use || options->freed || options->show;
}

int hit_chunk_open(struct hit_chunks *chunks, const struct hit_chunk_options *options,
                   struct memory *memory, struct pm_error *error)
{
	chunks->options = options;
	if (!hit_chunk_is_needed(options))
		return 0;

	if (malloc_heap_open(memory, &chunks->heap, error) < 0)
		return -1;
	return malloc_heap_check(chunks->heap, memory->core, memory->target.word, error);
}

void hit_chunk_close(struct hit_chunks *chunks)
{
	pm_heap_close(chunks->heap);
	chunks->heap = NULL;
}

enum hit_chunk_fate hit_chunk_find(struct hit_chunks *chunks, unsigned worker,
                                   const struct pm_hit *hit)
{
	const struct hit_chunk_options *options = chunks->options;
	const struct pm_range range = { hit->address, hit->address + hit->size };
	struct pm_chunk_parts *parts = &chunks->hits[worker];

	pm_chunk_parts_find(chunks->heap, range, parts);

	unsigned all = parts->inside | parts->outside;
	if (!options->in_use && !options->freed)
		return HIT_CHUNK_KEPT;
	if (options->in_use && all & PM_CHUNK_PART_IN_USE)
		return HIT_CHUNK_KEPT;
	if (options->freed && all & PM_CHUNK_PARTS_FREED)
		return HIT_CHUNK_KEPT;

	if (all & PM_CHUNK_PART_IN_USE)
		return HIT_CHUNK_NOT_FREED;
	if (all & PM_CHUNK_PARTS_FREED)
		return HIT_CHUNK_NOT_IN_USE;
	if (all & PM_CHUNK_PART_UNKNOWN)
		return HIT_CHUNK_UNKNOWN;
	return parts->found ? HIT_CHUNK_IN_HEADER : HIT_CHUNK_NOT_A_CHUNK;
}

/** Moves the ends of the content of a text so that it has only whole characters. */
static void round_content(const struct pm_hit *hit, size_t *start, size_t *end)
{
	size_t unit = pm_encoding_unit(hit->encoding);

	*start = (*start + unit - 1) / unit * unit;
	*end = *end / unit * unit;
	if (hit->encoding != PM_ENCODING_UTF8)
		return;

	/* A character of several bytes that is cut belongs to neither side. */
	while (*start > 0 && *start < *end && (hit->bytes[*start] & 0xc0) == 0x80)
		++*start;
	while (*end < hit->size && *end > *start && (hit->bytes[*end] & 0xc0) == 0x80)
		--*end;
}

/**
 * Tests whether a text has as many characters as a string must have.
 * @param min  as in pm_strings_options
 */
static bool is_long_enough(enum pm_encoding encoding, const uint8_t *bytes, size_t size,
                           uint64_t min)
{
	size_t unit = pm_encoding_unit(encoding);
	uint64_t characters = size / unit;

	if (min == 0)
		min = unit == 2 ? 6 : 4;
	/* In UTF-8, the first byte of a character differs from its other bytes. */
	for (size_t i = 0; encoding == PM_ENCODING_UTF8 && i < size; i++)
		characters -= (bytes[i] & 0xc0) == 0x80;

	return characters >= min;
}

enum hit_chunk_fate hit_chunk_trim(struct hit_chunks *chunks, unsigned worker, uint64_t min,
                                   struct pm_hit *hit)
{
	const struct hit_chunk_options *options = chunks->options;
	struct pm_chunk_parts *parts = &chunks->hits[worker];
	size_t start = (size_t)(parts->content.start - hit->address);
	size_t end = (size_t)(parts->content.end - hit->address);

	if (pm_range_size(parts->content) == 0 || (start == 0 && end == hit->size))
		return HIT_CHUNK_KEPT;

	round_content(hit, &start, &end);
	bool is_piece = hit->truncated || hit->continued;
	if (end <= start ||
	    (!is_piece && !is_long_enough(hit->encoding, hit->bytes + start, end - start, min)))
		return options->in_use || options->freed ? HIT_CHUNK_IN_HEADER : HIT_CHUNK_KEPT;

	hit->address += start;
	hit->bytes += start;
	hit->size = end - start;
	pm_chunk_parts_find(chunks->heap,
	                    (struct pm_range){ hit->address, hit->address + hit->size }, parts);
	return HIT_CHUNK_KEPT;
}

bool hit_chunk_count(struct hit_chunks *chunks, enum hit_chunk_fate fate,
                     struct pm_scan_delivery *delivery)
{
	bool kept = fate == HIT_CHUNK_KEPT;

	if (!delivery->continued) {
		chunks->counts[fate]++;
		chunks->counted = fate;
		chunks->changed += !kept && delivery->changed;
	} else if (kept && chunks->counted != HIT_CHUNK_KEPT) {
		/* The first pieces were left out, but not the whole hit. */
		chunks->counts[chunks->counted]--;
		chunks->counted = HIT_CHUNK_KEPT;
	}

	if (kept && chunks->left_out)
		delivery->continued = false;
	chunks->left_out = !kept;
	return kept;
}

bool hit_chunk_may_miss(const struct hit_chunks *chunks)
{
	return chunks->counts[HIT_CHUNK_UNKNOWN] > 0;
}

const struct pm_chunk_parts *hit_chunk_current(const struct hit_chunks *chunks, unsigned worker)
{
	return chunks->heap ? &chunks->hits[worker] : NULL;
}

/** Adds which chunk it is, and which part of it. */
static void put_chunk(const struct pm_chunk_parts *parts, struct text *text)
{
	if (!(parts->inside & CONTENT))
		text_string(text, parts->inside & PM_CHUNK_PART_LINKS ? "list pointers of a "
		                                                      : "header of a ");

	switch ((enum pm_chunk_state)parts->chunk.state) {
	case PM_CHUNK_IN_USE:
		text_format(text, "chunk of %" PRIu64 " B in use", parts->chunk.size);
		break;
	case PM_CHUNK_CACHED:
		text_format(text, "freed, cached chunk of %" PRIu64 " B", parts->chunk.size);
		break;
	case PM_CHUNK_FREE:
		text_format(text, "free chunk of %" PRIu64 " B", parts->chunk.size);
		break;
	case PM_CHUNK_TOP:
		text_format(text, "free top chunk of %" PRIu64 " B", parts->chunk.size);
	}
}

/** A part, with its name in text and in JSON. */
struct name {
	unsigned part;
	const char *words;
	const char *json;
};

static const struct name names[] = {
	{ PM_CHUNK_PART_IN_USE, "a chunk in use", "in_use" },
	{ PM_CHUNK_PART_CACHED, "a freed, cached chunk", "cached" },
	{ PM_CHUNK_PART_FREE, "a free chunk", "free" },
	{ PM_CHUNK_PART_TOP, "top", "top" },
	{ PM_CHUNK_PART_LINKS, "list pointers", "links" },
	{ PM_CHUNK_PART_HEADER, "a header", "header" },
	{ PM_CHUNK_PART_UNKNOWN, "a chunk that is not known", "unknown" },
	{ PM_CHUNK_PART_OUTSIDE, "no chunk", "outside" },
};

enum { NAMES = sizeof names / sizeof *names };

void hit_chunk_put(const struct pm_chunk_parts *parts, const char *before, struct text *text)
{
	const char *separator = ", and in ";

	if (!parts->found && parts->outside & PM_CHUNK_PART_UNKNOWN)
		text_format(text, "%schunk not known", before);
	if (!parts->found)
		return;

	text_string(text, before);
	put_chunk(parts, text);
	for (size_t i = 0; i < NAMES; i++) {
		if (!(parts->outside & names[i].part))
			continue;
		text_string(text, separator);
		text_string(text, names[i].words);
		separator = ", ";
	}
}

/** Returns the state in one word, or the part if the hit has no content of the chunk. */
static const char *short_state(const struct pm_chunk_parts *parts)
{
	if (!parts->found)
		return parts->outside & PM_CHUNK_PART_UNKNOWN ? "?" : "-";
	if (!(parts->inside & CONTENT))
		return parts->inside & PM_CHUNK_PART_LINKS ? "links" : "header";
	if (parts->chunk.state == PM_CHUNK_IN_USE)
		return "in use";
	return pm_chunk_state_name((enum pm_chunk_state)parts->chunk.state);
}

void hit_chunk_put_columns(const struct pm_chunk_parts *parts, struct text *text)
{
	const char *state = short_state(parts);

	/* There can be millions of hits: text_format() would take most of the time. */
	text_string(text, state);
	text_fill(text, ' ', STATE_WIDTH + 1 - pm_min_size(strlen(state), STATE_WIDTH));

	size_t digits = parts->found ? text_decimal_length(parts->chunk.size) : 0;
	text_fill(text, ' ', BYTES_WIDTH - pm_min_size(digits, BYTES_WIDTH));
	if (parts->found)
		text_decimal(text, parts->chunk.size);
	text_string(text, parts->found && parts->outside ? "+ " : "  ");
}

void hit_chunk_put_json(const struct pm_chunk_parts *parts, struct text *text)
{
	const struct pm_chunk *chunk = &parts->chunk;
	const char *before = ",\"also\":[\"";
	if (!parts->found)
		return;

	text_string(text, ",\"chunk\":{\"start\":\"0x");
	text_hex(text, chunk->start, 1);
	text_string(text, "\",\"size\":");
	text_decimal(text, chunk->size);
	text_string(text, ",\"state\":\"");
	text_string(text, pm_chunk_state_name((enum pm_chunk_state)chunk->state));
	text_string(text, "\"");
	if (!(parts->inside & CONTENT))
		text_format(text, ",\"part\":\"%s\"", short_state(parts));

	for (size_t i = 0; i < NAMES; i++) {
		if (!(parts->outside & names[i].part))
			continue;
		text_string(text, before);
		text_string(text, names[i].json);
		before = "\",\"";
	}
	text_string(text, parts->outside ? "\"]}" : "}");
}

/** Reports the number of hits that were left out, and where they are. */
static void report_left_out(const struct hit_chunks *chunks, const char *const nouns[2])
{
	static const char *const where[HIT_CHUNK_FATES] = {
		[HIT_CHUNK_NOT_IN_USE] = " in freed chunks",
		[HIT_CHUNK_NOT_FREED] = " in chunks in use",
		[HIT_CHUNK_IN_HEADER] = " in headers and list pointers of malloc",
		[HIT_CHUNK_UNKNOWN] = " where chunks are not known",
		[HIT_CHUNK_NOT_A_CHUNK] = " in no chunk of malloc",
	};
	const struct hit_chunk_options *options = chunks->options;
	struct text line = { 0 }, list = { 0 };
	uint64_t sum = 0;

	for (size_t i = HIT_CHUNK_KEPT + 1; i < HIT_CHUNK_FATES; i++) {
		if (chunks->counts[i] == 0)
			continue;
		sum += chunks->counts[i];
		text_string(&list, list.length > 0 ? ", " : ": ");
		text_grouped(&list, chunks->counts[i]);
		text_string(&list, where[i]);
	}

	if (sum > 0) {
		text_string(&line, options->in_use ? "--in-use" : "");
		text_string(&line, options->in_use && options->freed ? " and " : "");
		text_string(&line, options->freed ? "--freed" : "");
		text_string(&line, " left out ");
		text_grouped(&line, sum);
		text_format(&line, " %s", nouns[sum != 1]);
		report_note("%s%s", text_terminate(&line), text_terminate(&list));
	}
	text_deinit(&line);
	text_deinit(&list);
}

/** Reports that chunks are missing in the index, and why. */
static void report_unknown(const struct hit_chunks *chunks, const struct memory *memory,
                           const char *plural)
{
	const struct pm_heap *heap = chunks->heap;
	bool changes = !memory->core && memory->stopped_ns == 0;

	if (malloc_heap_lacks_only_mapped(heap))
		malloc_heap_report_lacking(heap);
	else if (!heap->complete && changes)
		report_note(
			"not all chunks are known, because the process changed its heap while it "
			"was read, or the heap is damaged (exact: --stop)");
	else if (!heap->complete)
		report_note("not all chunks are known, because a thread was inside malloc, or the "
		            "heap is damaged");

	/* Without mapped chunks, nothing counts as in use that may be other memory. */
	if (heap->mapped > 0 || !heap->mapped_counted)
		malloc_heap_report_uncertain(heap, "count as in use");

	if (heap->other != PM_HEAP_ALLOCATOR_UNKNOWN)
		report_note("the process also uses %s malloc, whose chunks are not read; %s there "
		            "count as outside of chunks",
		            pm_heap_allocator_name(heap->other), plural);
}

void hit_chunk_report(const struct hit_chunks *chunks, const struct memory *memory,
                      const char *const nouns[2])
{
	if (!chunks->heap)
		return;

	report_left_out(chunks, nouns);
	report_unknown(chunks, memory, nouns[1]);
}
