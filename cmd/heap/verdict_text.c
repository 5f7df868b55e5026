/* SPDX-License-Identifier: MIT */
#include "heap/verdict_text.h"

#include <inttypes.h>

#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"
#include "heap/classes.h"
#include "heap/print.h"

/* The resident size is printed if less than this percentage of the arenas is resident. */
enum { RESIDENT_PERCENT = 90 };

/* The size of the chunks in fastbins is printed if it is at least this percentage of the free
 * memory. */
enum { FAST_PERCENT = 2 };

/* Minimum size in bytes of anonymous memory that is worth a line about memory beside malloc. */
enum { OTHER_MIN = 8 << 20 };

/** Adds a share, such as "91 %". */
static void put_percent(uint64_t part, uint64_t whole, struct text *text)
{
	double percent = 0;

	if (whole > 0)
		percent = (double)part * 100 / (double)whole;
	text_format(text, "%.0f %%", percent);
}

static void put_trimmable(const struct heap_report *report, struct text *line)
{
	uint64_t trimmable = report->heap->total.trimmable;

	if (report->heap->allocator != PM_HEAP_ALLOCATOR_GLIBC)
		return;
	if (trimmable == 0) {
		text_string(line, "; malloc_trim would give back nothing");
		return;
	}
	text_string(line, "; malloc_trim would give back about ");
	heap_print_size(report, trimmable, line);
}

/** Adds the size of the free chunks of a fragmented heap if none of them has a whole page. */
static void put_small_gaps(const struct heap_report *report, struct text *line)
{
	const struct pm_heap_arena *total = &report->heap->total;

	if (report->verdict.type != HEAP_VERDICT_FRAGMENTED || total->free_count == 0)
		return;

	text_string(line, "; in ");
	text_grouped(line, total->free_count);
	text_format(line, " free chunk%s of %" PRIu64 " B on average",
	            text_plural(total->free_count), total->free / total->free_count);
}

/** Adds what lies between the free chunks. */
static void put_pins(const struct heap_report *report, struct text *line)
{
	const struct heap_pins *pins = &report->verdict.pins;

	if (pins->count == 0) {
		put_small_gaps(report, line);
		return;
	}

	text_string(line, "; pinned by ");
	if (pins->count < pins->total / 2) {
		text_grouped(line, pins->total);
		text_string(line, " chunks, most often ");
	}
	text_grouped(line, pins->count);
	text_format(line, " chunk%s of %" PRIu64 " B", text_plural(pins->count), pins->size);

	const struct pm_census_class *class = heap_report_pins(report);
	if (!class)
		return;

	struct text what = { 0 };
	heap_classes_put_what(class, PM_CENSUS_SIZE, &what);
	text_char(line, ' ');
	utf8_escape(line, what.bytes, what.length);
	text_deinit(&what);
}

/** Adds the chunks that malloc mapped, if they are a large part of its memory. */
static void put_mapped(const struct heap_report *report, struct text *line)
{
	const struct pm_heap *heap = report->heap;

	if (heap->mapped == 0)
		return;

	text_string(line, "; malloc mapped ");
	text_grouped(line, heap->mapped_count);
	text_format(line, " large chunk%s separately: ", text_plural(heap->mapped_count));
	heap_print_size(report, heap->mapped, line);
	if (heap->mapped_uncertain && !heap->mapped_counted) {
		text_string(line, " (malloc's own count is not known)");
	} else if (heap->mapped_uncertain) {
		text_string(line, " (");
		text_grouped(line, heap->mapped_count_counter);
		text_string(line, " by malloc's own count)");
	}
}

/** Adds the resident size of the arenas if it is much smaller than their size. */
static void put_resident(const struct heap_report *report, struct text *line)
{
	uint64_t system = report->heap->total.system, resident = report->verdict.resident;

	if (resident >= system / 100 * RESIDENT_PERCENT)
		return;

	text_string(line, " (");
	heap_print_size(report, resident, line);
	if (report->heap->mapped > 0) {
		text_string(line, " of ");
		heap_print_size(report, system, line);
		text_string(line, " in arenas");
	}
	text_string(line, " resident)");
}

/** Adds how much is in use, of the same total as in the table. */
static void put_in_use(const struct heap_report *report, struct text *line)
{
	const struct pm_heap *heap = report->heap;
	uint64_t system = heap->total.system + heap->mapped;

	if (system == 0) {
		text_string(line, "no memory of malloc is in use");
		return;
	}
	put_percent(heap->total.in_use + heap->mapped, system, line);
	text_string(line, " of ");
	heap_print_size(report, system, line);
	text_string(line, " is in use");
	put_resident(report, line);
}

/** Adds how much of the arenas is free. */
static void put_free(const struct heap_report *report, struct text *line)
{
	const struct pm_heap *heap = report->heap;

	put_percent(report->verdict.free, heap->total.system, line);
	text_string(line, " of ");
	heap_print_size(report, heap->total.system, line);
	if (heap->mapped > 0)
		text_string(line, " in arenas");
	text_string(line, " is free");
	if (heap->total.fast > 0 && heap->total.fast >= report->verdict.free / 100 * FAST_PERCENT) {
		text_string(line, ", ");
		heap_print_size(report, heap->total.fast, line);
		text_string(line, " of it in fastbins");
	}
	put_resident(report, line);
}

/** Adds how much of the heap is free or in use. */
static void put_state(const struct heap_report *report, struct text *line)
{
	enum heap_verdict_type type = report->verdict.type;

	if (type == HEAP_VERDICT_FRAGMENTED)
		text_string(line, "FRAGMENTED: ");
	else if (type == HEAP_VERDICT_UNUSED)
		text_string(line, "UNUSED: ");
	if (!report->heap->complete || (report->heap->mapped_uncertain && report->heap->mapped > 0))
		text_string(line, "about ");

	if (type == HEAP_VERDICT_NONE)
		put_in_use(report, line);
	else
		put_free(report, line);
	if (type == HEAP_VERDICT_UNUSED)
		text_string(line, ", most of it at the end of arenas");
}

/** Adds that most of the memory of the process does not come from malloc. */
static void put_other_memory(const struct heap_report *report, struct text *line)
{
	const struct pm_heap *heap = report->heap;
	uint64_t system = heap->total.system + pm_max(heap->mapped, heap->mapped_counter);
	uint64_t all = report->verdict.anonymous;

	/* Memory of malloc may not have been found. */
	if (!heap->complete ||
	    (heap->allocator == PM_HEAP_ALLOCATOR_GLIBC && !heap->mapped_counted))
		return;
	if (all < OTHER_MIN || system >= all / 2 || heap->other != PM_HEAP_ALLOCATOR_UNKNOWN)
		return;

	text_string(line, "most of the memory of the process is not from malloc: ");
	heap_print_size(report, all, line);
	text_string(line, " is anonymous ('procmem map --by kind' shows it)\n");
}

size_t heap_verdict_text_print(const struct heap_report *report, struct out *out)
{
	struct text line = { 0 };

	put_state(report, &line);
	put_trimmable(report, &line);
	put_pins(report, &line);
	put_mapped(report, &line);
	text_char(&line, '\n');

	size_t lines = out_wrapped(out, &line, 2);
	text_clear(&line);

	put_other_memory(report, &line);
	if (line.length > 0)
		lines += out_wrapped(out, &line, 2);
	text_deinit(&line);
	return lines;
}
