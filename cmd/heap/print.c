/* SPDX-License-Identifier: MIT */
#include "heap/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/core.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"
#include "heap/verdict_text.h"
#include "target/arena_threads.h"
#include "target/chunk_text.h"
#include "target/malloc_heap.h"
#include "view/table.h"

enum {
	ARENA,
	SYSTEM,
	ACTIVE,
	IN_USE,
	FREE,
	CACHED,
	TOP,
	DIRTY,
	RETAINED,
	CHUNKS,
	THREADS,
	COLUMNS
};

/* Bytes of the header of a chunk. */
enum { HEADER = 16 };

/* Number of arenas and of breaks that are shown by default. */
enum { ARENAS_SHOWN = 10, BREAKS_SHOWN = 3 };

static const struct table_column arena_columns[COLUMNS] = {
	[ARENA] = { .title = "ARENA" },
	[SYSTEM] = { .title = "SYSTEM", .right = true },
	[ACTIVE] = { .title = "ACTIVE", .right = true },
	[IN_USE] = { .title = "IN USE", .right = true },
	[FREE] = { .title = "FREE", .right = true },
	[CACHED] = { .title = "CACHED", .right = true },
	[TOP] = { .title = "TOP", .right = true },
	[DIRTY] = { .title = "DIRTY", .right = true },
	[RETAINED] = { .title = "RETAINED", .right = true },
	[CHUNKS] = { .title = "CHUNKS", .right = true },
	[THREADS] = { .title = "THREADS" },
};

/* The columns for glibc and for jemalloc. jemalloc has no top, and its threads are not known. */
static const uint8_t glibc_columns[] = {
	ARENA, SYSTEM, IN_USE, FREE, CACHED, TOP, CHUNKS, THREADS
};
static const uint8_t jemalloc_columns[] = { ARENA,  SYSTEM, ACTIVE,   IN_USE, FREE,
	                                    CACHED, DIRTY,  RETAINED, CHUNKS };

/** The place of an arena in the table. */
struct rank {
	uint64_t system; /* its size */
	uint32_t index;  /* its index in pm_heap.arenas */
};

/** The data of the table of arenas. */
struct arenas_view {
	const struct heap_report *report;
	struct rank *sorted;                  /* all arenas, largest first */
	size_t shown;                         /* number of arenas in the table */
	struct table_column columns[COLUMNS]; /* the columns of the allocator */
	uint8_t fields[COLUMNS];              /* for each of them, what it shows */
	size_t column_count;
	struct pm_heap_arena mapped_row;
	struct pm_heap_arena total_row;
};

void heap_print_size(const struct heap_report *report, uint64_t size, struct text *text)
{
	if (report->options->output.bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

/** Adds a number with commas, or "-" for 0. */
static void put_count(const struct heap_report *report, uint64_t count, struct text *text)
{
	if (report->options->output.bytes)
		text_decimal(text, count);
	else if (count == 0)
		text_char(text, '-');
	else
		text_grouped(text, count);
}

void heap_print_target(const struct heap_report *report, struct text *line)
{
	const struct memory *memory = &report->memory;

	if (memory->core) {
		const struct pm_core_info *info = pm_core_info(memory->core);

		utf8_escape(line, memory->target.word, strlen(memory->target.word));
		if (info->comm[0]) {
			text_string(line, "  core file of ");
			utf8_escape(line, info->comm, strlen(info->comm));
		} else {
			text_string(line, "  core file");
		}
		return;
	}

	utf8_escape(line, memory->loaded.info.comm, strlen(memory->loaded.info.comm));
	text_format(line, " (%d)", (int)memory->loaded.info.pid);
}

/** Adds whether the target was stopped. */
static void put_stop(const struct heap_report *report, struct text *line)
{
	const struct memory *memory = &report->memory;

	if (memory->core)
		return;
	if (!report->stopped)
		text_string(line, ", not stopped");
	else if (heap_report_stopped_ns(report) > 0)
		text_format(line, ", stopped %zu thread%s for %.1f ms", memory->threads,
		            text_plural(memory->threads),
		            (double)heap_report_stopped_ns(report) / 1e6);
	else
		text_string(line, ", stopped");
}

static size_t print_header(const struct heap_report *report, struct out *out)
{
	const struct pm_heap *heap = report->heap;
	struct text line = { 0 };

	heap_print_target(report, &line);
	text_format(&line, "  %s", pm_heap_allocator_name(heap->allocator));
	if (heap->version[0])
		text_format(&line, " %s", heap->version);
	text_format(&line, " malloc, walk %s", heap->complete ? "complete" : "incomplete");
	put_stop(report, &line);

	text_char(&line, '\n');
	size_t lines = out_wrapped(out, &line, 2);
	text_deinit(&line);
	return lines;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *left = a, *right = b;

	if (left->system != right->system)
		return left->system < right->system ? 1 : -1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static const struct pm_heap_arena *ranked(const struct arenas_view *view, size_t place)
{
	return &view->report->heap->arenas[view->sorted[place].index];
}

/** Returns the arena of a row of the table. */
static const struct pm_heap_arena *row_arena(const struct arenas_view *view, size_t row)
{
	if (row == TABLE_TOTAL)
		return &view->total_row;
	if (row >= view->shown)
		return &view->mapped_row;

	return ranked(view, row);
}

static void put_name(const struct arenas_view *view, size_t row, struct text *text)
{
	const struct pm_heap *heap = view->report->heap;

	if (row == TABLE_TOTAL)
		text_string(text, "total");
	else if (row >= view->shown)
		text_string(text, "mapped");
	else
		chunk_text_arena(heap, view->sorted[row].index, text);
}

/** Adds the number of the threads that use an arena, and their names if they are known. */
static void put_threads(const struct arenas_view *view, size_t row, struct text *text)
{
	const struct heap_report *report = view->report;
	struct text names = { 0 };
	size_t count = 0;

	if (row == TABLE_TOTAL || row >= view->shown)
		return;

	pm_arena_threads_of(&report->threads, view->sorted[row].index, &count);
	if (count == 0 || report->threads.unknown > 0)
		count = (size_t)ranked(view, row)->attached;
	put_count(report, count, text);

	arena_threads_text(&report->threads, view->sorted[row].index, &names);
	if (names.length > 0)
		text_string(text, ": ");
	utf8_escape(text, names.bytes, names.length);
	text_deinit(&names);
}

static void arena_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct arenas_view *view = context;
	const struct heap_report *report = view->report;
	const struct pm_heap_arena *arena = row_arena(view, row);
	const uint64_t sizes[COLUMNS] = {
		[SYSTEM] = arena->system,      [ACTIVE] = arena->system - arena->unused_pages,
		[IN_USE] = arena->in_use,      [FREE] = arena->free,
		[CACHED] = arena->cached,      [TOP] = arena->top,
		[DIRTY] = arena->unused_pages, [RETAINED] = arena->retained,
	};
	uint8_t field = view->fields[column];

	if (field == ARENA)
		put_name(view, row, text);
	else if (field == CHUNKS)
		put_count(report, arena->chunks, text);
	else if (field == THREADS)
		put_threads(view, row, text);
	else
		heap_print_size(report, sizes[field], text);
}

/** Prints the number and the size of the arenas that the table leaves out. */
static void print_left_out(void *context, struct out *out)
{
	const struct arenas_view *view = context;
	size_t missing = view->report->heap->arena_count - view->shown;
	uint64_t system = 0, in_use = 0;
	struct text line = { 0 };

	if (missing == 0)
		return;

	for (size_t i = view->shown; i < view->shown + missing; i++) {
		system += ranked(view, i)->system;
		in_use += ranked(view, i)->in_use;
	}
	text_format(&line, "\xe2\x80\xa6 %zu more arena%s, ", missing, text_plural(missing));
	heap_print_size(view->report, system, &line);
	text_string(&line, " SYSTEM, ");
	heap_print_size(view->report, in_use, &line);
	text_string(&line, " IN USE (all: -a)\n");
	out_text(out, &line);
	text_deinit(&line);
}

/** Sets the columns for the allocator. */
static void choose_columns(struct arenas_view *view)
{
	const uint8_t *fields = glibc_columns;
	size_t count = sizeof glibc_columns;

	if (view->report->heap->allocator == PM_HEAP_ALLOCATOR_JEMALLOC) {
		fields = jemalloc_columns;
		count = sizeof jemalloc_columns;
	}

	for (size_t i = 0; i < count; i++) {
		view->fields[i] = fields[i];
		view->columns[i] = arena_columns[fields[i]];
	}
	view->column_count = count;
}

/**
 * Prints the table of arenas.
 * @return number of lines
 */
static size_t print_arenas(const struct heap_report *report, struct out *out)
{
	const struct pm_heap *heap = report->heap;
	struct arenas_view view = { .report = report, .shown = heap->arena_count };
	size_t widths[TABLE_COLUMNS_MAX];

	view.sorted = alloc_array(NULL, heap->arena_count, sizeof *view.sorted);
	for (size_t i = 0; i < heap->arena_count; i++)
		view.sorted[i] = (struct rank){ heap->arenas[i].system, (uint32_t)i };
	qsort(view.sorted, heap->arena_count, sizeof *view.sorted, compare_ranks);
	if (!report->options->list.all)
		view.shown = pm_min_size(view.shown, ARENAS_SHOWN);

	view.mapped_row = (struct pm_heap_arena){ .system = heap->mapped,
		                                  .in_use = heap->mapped,
		                                  .chunks = heap->mapped_count };
	view.total_row = heap->total;
	view.total_row.system += heap->mapped;
	view.total_row.in_use += heap->mapped;
	view.total_row.chunks += heap->mapped_count;
	choose_columns(&view);

	struct table table = {
		.columns = view.columns,
		.column_count = view.column_count,
		.rows = view.shown + (heap->mapped > 0),
		.titles = true,
		.total = true,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = arena_cell,
		.before_total = print_left_out,
	};

	table_measure(&table, widths);
	table_print(&table, widths, out);
	free(view.sorted);
	return table.rows + 2 + (view.shown < heap->arena_count);
}

size_t heap_print(const struct heap_report *report, struct out *out)
{
	size_t lines = print_header(report, out);

	lines += heap_verdict_text_print(report, out);
	lines += print_arenas(report, out);
	out_string(out, "\n");
	return lines + 1;
}

/** Adds the chunk before a break, and what it contains. */
static void put_previous(struct heap_report *report, uint64_t previous, struct text *line)
{
	struct pm_chunk chunk;
	struct chunk_content content;
	struct text what = { 0 };

	text_format(line, ", after the chunk at 0x%" PRIx64, previous);
	if (!pm_heap_find(report->heap, previous + HEADER, &chunk) ||
	    chunk_contents_read(&report->contents, report->heap, &chunk, &content, NULL) < 0)
		return;

	chunk_text_what(content.item.type, content.text.text, content.text.length, content.text.cut,
	                &what);
	text_format(line, " of %" PRIu64 " B: ", chunk.size);
	utf8_escape(line, what.bytes, what.length);
	text_deinit(&what);
}

/** Reports one break. */
static void report_break(struct heap_report *report, const struct pm_heap_break *broken)
{
	struct text line = { 0 };

	if (broken->chain)
		text_format(&line, "the chain of chunks breaks at 0x%" PRIx64 " (%s)",
		            broken->address, broken->why);
	else
		text_format(&line, "%s (at 0x%" PRIx64 ")", broken->why, broken->address);
	if (broken->chain && broken->previous)
		put_previous(report, broken->previous, &line);
	if (broken->skipped > 0)
		text_format(&line, "; %" PRIu64 " bytes were skipped", broken->skipped);
	else if (broken->chain && !report->stopped && !report->memory.core)
		text_string(&line, "; reading again repaired it");

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/** Reports the first broken places, or all of them with --verbose. */
static void report_places(struct heap_report *report)
{
	const struct pm_heap *heap = report->heap;
	size_t shown = heap->break_count;

	if (!report->options->output.verbose)
		shown = pm_min_size(shown, BREAKS_SHOWN);

	for (size_t i = 0; i < shown; i++)
		report_break(report, &heap->breaks[i]);
	if (heap->breaks_total > shown)
		report_note("%" PRIu64
		            " more places of the heap were not valid when they were read",
		            heap->breaks_total - shown);
}

/**
 * Reports how much of a running process was skipped. The process has probably changed these places
 * while they were read. Only a walk with --stop can distinguish this from damage.
 */
static void report_skipped(const struct heap_report *report)
{
	const struct pm_heap *heap = report->heap;
	bool verbose = report->options->output.verbose;
	struct text line = { 0 };
	uint64_t skipped = 0;

	for (size_t i = 0; i < heap->break_count; i++)
		skipped += heap->breaks[i].skipped;

	if (skipped == 0) {
		text_string(&line, "a part of the heap");
	} else {
		if (heap->breaks_total > heap->break_count)
			text_string(&line, "at least ");
		text_size(&line, skipped);
		text_string(&line, " of the heap was skipped: it");
	}
	text_string(&line, " changed or was not valid when read; figures are approximate (exact: "
	                   "--stop");
	if (!verbose && heap->breaks_total > 0)
		text_string(&line, ", places: -v");
	text_char(&line, ')');

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

void heap_print_breaks(struct heap_report *report)
{
	bool complete = report->heap->complete, verbose = report->options->output.verbose;
	bool still = report->stopped || report->memory.core;

	if (complete && !verbose)
		return;
	if (still || verbose)
		report_places(report);
	if (complete)
		return;

	if (report->damaged && report->waiting)
		report_note("the chain of chunks broke at 0x%" PRIx64
		            " in two stops, but a thread did not run in between: the heap is "
		            "damaged there, or the same thread is still inside malloc; sizes and "
		            "counts are approximate",
		            report->damaged);
	else if (report->damaged)
		report_note("the chain of chunks broke at 0x%" PRIx64
		            " in two stops: the heap is probably damaged there, by a write beyond "
		            "the end of the chunk before; sizes and counts are approximate",
		            report->damaged);
	else if (still && malloc_heap_lacks_only_mapped(report->heap))
		malloc_heap_report_lacking(report->heap);
	else if (still)
		report_note("a thread was inside malloc, or the heap is damaged; sizes and counts "
		            "are approximate");
	else
		report_skipped(report);
}
