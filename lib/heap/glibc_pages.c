/* SPDX-License-Identifier: MIT */
#include "heap/glibc_pages.h"

#include "base/array.h"
#include "reader/cancel.h"

/** The state of pm_glibc_pages_find(). */
struct collector {
	struct pm_glibc_pages *pages;
	struct pm_range range;
	struct pm_error *error;
};

static int add(struct pm_glibc_pages *pages, struct pm_range range, struct pm_error *error)
{
	struct pm_range *last = pages->count > 0 ? &pages->items[pages->count - 1] : NULL;

	if (range.start >= range.end)
		return 0;
	if (last && last->end == range.start) {
		last->end = range.end;
		return 0;
	}

	if (pm_array_reserve(&pages->items, &pages->capacity, pages->count, 1, sizeof *pages->items,
	                     error) < 0)
		return -1;
	pages->items[pages->count++] = range;
	return 0;
}

/** Returns whether the pages of a run contain data: not the zero page, not guard pages. */
static bool has_data(const struct pm_page_run *run)
{
	return (run->state & (PM_PAGE_PRESENT | PM_PAGE_SWAPPED)) != 0 &&
	       (run->state & (PM_PAGE_ZERO | PM_PAGE_GUARD)) == 0;
}

static int collect(void *context, const struct pm_page_run *run)
{
	struct collector *collector = context;
	struct pm_range part = { run->start, run->end };

	if (!has_data(run))
		return 0;
	return add(collector->pages, pm_range_clip(part, collector->range), collector->error);
}

/** Visits the page states of a range. Before each step, the caller can cancel. */
static int walk(const struct pm_heap_source *source, struct pm_range range, pm_page_visitor *visit,
                void *visitor, struct pm_error *error)
{
	const struct pm_page_source *pages = source->pages;
	struct pm_range step;

	while (pm_page_step(&range, &step))
		if (pm_check_cancel(source->cancel, error) < 0 ||
		    pages->walk(pages->context, step.start, step.end, visit, visitor, error) != 0)
			return -1;

	return 0;
}

int pm_glibc_pages_find(const struct pm_heap_source *source, struct pm_range range,
                        struct pm_glibc_pages *pages, struct pm_error *error)
{
	struct collector collector = { pages, range, error };

	pages->count = 0;
	if (!source->pages)
		return add(pages, range, error);

	return walk(source, range, collect, &collector, error);
}

/** The state of pm_glibc_pages_count(). */
struct counter {
	const struct pm_range *ranges;
	size_t count;
	size_t next; /* the first range that ends after the runs that were seen so far */
	uint64_t bytes;
};

static int count_run(void *context, const struct pm_page_run *run)
{
	struct counter *counter = context;
	struct pm_range part = { run->start, run->end };

	if (!has_data(run))
		return 0;

	while (counter->next < counter->count && counter->ranges[counter->next].end <= run->start)
		counter->next++;

	for (size_t i = counter->next; i < counter->count && counter->ranges[i].start < run->end;
	     i++)
		counter->bytes += pm_range_size(pm_range_clip(counter->ranges[i], part));

	return 0;
}

int pm_glibc_pages_count(const struct pm_heap_source *source, const struct pm_range *ranges,
                         size_t count, uint64_t *bytes, struct pm_error *error)
{
	struct counter counter = { .ranges = ranges, .count = count };

	if (count > 0 && source->pages) {
		struct pm_range range = { ranges[0].start, ranges[count - 1].end };
		if (walk(source, range, count_run, &counter, error) < 0)
			return -1;
	}

	for (size_t i = 0; i < count && !source->pages; i++)
		counter.bytes += pm_range_size(ranges[i]);

	*bytes = counter.bytes;
	return 0;
}
