/* SPDX-License-Identifier: MIT */
/* Pages that appeared, compared with a plain map that has one byte per page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sample/page_history.h"

enum { PAGE = 4096, PAGES = 200, LOOKS = 3000 };

/** The plain map. */
struct model {
	bool mapped[PAGES]; /* in a region now */
	bool there[PAGES];  /* the page is there now */
	bool known[PAGES];  /* was there when its address was measured last */
	bool news[PAGES];   /* appeared at this measurement */
};

static uint32_t chosen(uint32_t *state, uint32_t most)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % most;
}

static void change(struct model *model, uint32_t *random)
{
	for (uint32_t i = chosen(random, 6); i > 0; i--) {
		uint32_t start = chosen(random, PAGES), length = chosen(random, 20),
			 what = chosen(random, 4);
		for (uint32_t page = start; page < start + length && page < PAGES; page++) {
			if (what < 2)
				model->mapped[page] = what == 0;
			model->there[page] = model->mapped[page] &&
			                     (what == 2   ? true
			                      : what == 3 ? false
			                                  : model->there[page]);
		}
	}
}

static void list_regions(const struct model *model, struct pm_regions *regions)
{
	pm_regions_deinit(regions);
	for (uint64_t page = 0; page < PAGES; page++) {
		struct pm_region *last = regions->count ? &regions->items[regions->count - 1]
		                                        : NULL;

		if (!model->mapped[page])
			continue;

		/* Regions of at most seven pages, so that some are neighbours. */
		if (last && last->end == page * PAGE && pm_region_size(last) < UINT64_C(7) * PAGE)
			last->end += PAGE;
		else
			assert_int_equal(
				pm_regions_append(regions,
			                          &(struct pm_region){ .start = page * PAGE,
			                                               .end = (page + 1) * PAGE },
			                          NULL),
				0);
	}
}

/** Measures some spans of the address space, page by page. */
static void measure(struct model *model, struct pm_page_history *history, uint32_t *random)
{
	memset(model->news, 0, sizeof model->news);
	pm_page_history_begin(history);

	bool all = chosen(random, 3) == 0;
	for (uint64_t start = 0; start < PAGES;) {
		uint64_t end = start + 1 + chosen(random, 40);
		end = end < PAGES ? end : PAGES;

		bool looked_at = all || chosen(random, 2) == 0;
		if (looked_at)
			assert_int_equal(
				pm_page_history_span(history, start * PAGE, end * PAGE, NULL), 0);

		for (uint64_t page = start; page < end; page++) {
			if (looked_at && model->there[page]) {
				const struct pm_page_run run = { page * PAGE, (page + 1) * PAGE,
					                         chosen(random, 2)
					                                 ? PM_PAGE_PRESENT
					                                 : PM_PAGE_SWAPPED };
				assert_int_equal(pm_page_history_run(history, &run, NULL), 0);
				model->news[page] = !model->known[page];
			}
			model->known[page] = model->mapped[page] &&
			                     (looked_at ? model->there[page] : model->known[page]);
		}

		start = end;
	}
}

static void check(const struct model *model, const struct pm_page_ranges *ranges, const bool *pages,
                  const struct pm_regions *regions)
{
	bool seen[PAGES] = { 0 };

	(void)model;
	for (size_t i = 0; i < ranges->count; i++) {
		const struct pm_region_range *range = &ranges->items[i];
		assert_true(range->range.start < range->range.end &&
		            (i == 0 || range->range.start >= ranges->items[i - 1].range.end));
		const struct pm_region *region = &regions->items[range->region];
		assert_true(range->range.start >= region->start && range->range.end <= region->end);
		for (uint64_t page = range->range.start / PAGE; page < range->range.end / PAGE;
		     page++)
			seen[page] = true;
	}

	assert_memory_equal(seen, pages, sizeof seen);
}

static void agrees_with_a_plain_map(void **state)
{
	(void)state;
	struct model model = { 0 };
	struct pm_page_history history = { 0 };
	struct pm_regions regions = { 0 };
	uint32_t random = 1;

	for (int i = 0; i < LOOKS; i++) {
		change(&model, &random);
		list_regions(&model, &regions);
		measure(&model, &history, &random);
		assert_int_equal(pm_page_history_end(&history, &regions, NULL), 0);
		check(&model, &history.appeared, model.news, &regions);
		check(&model, &history.known, model.known, &regions);
	}

	pm_page_history_deinit(&history);
	pm_regions_deinit(&regions);
}

static void zero_pages_and_guards_are_not_new(void **state)
{
	(void)state;
	struct pm_page_history history = { 0 };
	struct pm_regions regions = { 0 };
	assert_int_equal(pm_regions_append(&regions,
	                                   &(struct pm_region){ .start = PAGE, .end = 9 * PAGE },
	                                   NULL),
	                 0);

	static const unsigned states[] = { PM_PAGE_PRESENT | PM_PAGE_ZERO, PM_PAGE_GUARD,
		                           PM_PAGE_PRESENT | PM_PAGE_FILE };
	pm_page_history_begin(&history);
	assert_int_equal(pm_page_history_span(&history, PAGE, 9 * PAGE, NULL), 0);

	for (uint64_t i = 0; i < 3; i++) {
		const struct pm_page_run run = { (i + 1) * PAGE, (i + 2) * PAGE, states[i] };
		assert_int_equal(pm_page_history_run(&history, &run, NULL), 0);
	}

	assert_int_equal(pm_page_history_end(&history, &regions, NULL), 0);
	assert_int_equal(history.appeared.count, 1);
	assert_int_equal(history.appeared.items[0].range.start, 3 * PAGE);
	pm_page_history_deinit(&history);
	pm_regions_deinit(&regions);
}

/** Every other page, more runs than can be kept: gaps are joined, and pages far from all others are
 * still recognised as new. */
static void too_many_ranges_are_stored_approximately(void **state)
{
	(void)state;
	struct pm_page_history history = { 0 };
	struct pm_regions regions = { 0 };
	const uint64_t runs = PM_PAGE_HISTORY_MAX + 1000, far = UINT64_C(1) << 40;

	assert_int_equal(pm_regions_append(&regions,
	                                   &(struct pm_region){ .start = 0, .end = 2 * far }, NULL),
	                 0);

	for (int again = 0; again < 2; again++) {
		pm_page_history_begin(&history);
		assert_int_equal(pm_page_history_span(&history, 0, 2 * far, NULL), 0);
		for (uint64_t i = 0; i < runs; i++) {
			const struct pm_page_run run = { 2 * i * PAGE, (2 * i + 1) * PAGE,
				                         PM_PAGE_PRESENT };
			assert_int_equal(pm_page_history_run(&history, &run, NULL), 0);
		}
		const struct pm_page_run run = { far, far + PAGE, PM_PAGE_PRESENT };
		if (again)
			assert_int_equal(pm_page_history_run(&history, &run, NULL), 0);
		assert_int_equal(pm_page_history_end(&history, &regions, NULL), 0);
		assert_true(history.known.count <= PM_PAGE_HISTORY_MAX);
	}

	assert_int_equal(history.appeared.count, 1);
	assert_true(history.appeared.items[0].range.start == far);
	pm_page_history_deinit(&history);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_plain_map),
		cmocka_unit_test(zero_pages_and_guards_are_not_new),
		cmocka_unit_test(too_many_ranges_are_stored_approximately),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
