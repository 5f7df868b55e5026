/* SPDX-License-Identifier: MIT */
#include "support/owner_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/kinds.h>

#include "base/minmax.h"
#include "kinds/owners.h"
#include "support/target.h"

enum { PAGE = 4096 };

/** Adds a part of a page run that has one owner. */
static void add(struct owner_pages *pages, uint64_t size, uint8_t owner, uint8_t proof)
{
	pages->resident[owner] += size;
	pages->total += size;
	if (proof == PM_PROOF_PROVEN)
		pages->proven[owner] += size;
}

/** Adds a run of pages, part by part. */
static int add_run(void *context, const struct pm_page_run *run)
{
	struct owner_pages *pages = context;
	const struct pm_runtimes *runtimes = pages->runtimes;
	uint64_t at = run->start;

	if (!(run->state & PM_PAGE_PRESENT) || run->state & (PM_PAGE_ZERO | PM_PAGE_GUARD))
		return 0;

	while (at < run->end) {
		size_t index = pm_runtimes_range_index(runtimes, at);
		const struct pm_region *region = pm_regions_find(&pages->look.regions, at);
		uint64_t end = pm_min(run->end, region->end);
		/* Memory without a range has the owner that follows from its kind. */
		uint8_t owner = (uint8_t)pm_kinds_owner_by_kind(region), proof = region->proof;

		if (index < runtimes->range_count) {
			const struct pm_owner_range *range = &runtimes->ranges[index];
			end = pm_min(end, range->range.start > at ? range->range.start
			                                          : range->range.end);
			if (range->range.start <= at) {
				owner = range->owner;
				proof = range->proof;
			}
		}
		add(pages, end - at, owner, proof);
		at = end;
	}

	return 0;
}

void owner_pages_open(struct owner_pages *pages, pid_t pid)
{
	struct pm_error error = { 0 };

	memset(pages, 0, sizeof *pages);
	look_open(&pages->look, pid);

	struct look *look = &pages->look;
	struct pm_runtimes_source source = { .regions = &look->regions,
		                             .reader = &look->memory,
		                             .pages = &look->pages,
		                             .process = look->process };
	must(pm_runtimes_open(&source, &pages->runtimes, &error), &error);

	struct pm_kinds_evidence evidence = { .process = look->process,
		                              .reader = &look->memory,
		                              .pagemap = look->pagemap,
		                              .runtimes = pages->runtimes };
	must(pm_kinds_assign(&look->regions, &evidence, &error), &error);

	for (size_t i = 0; i < look->regions.count; i++) {
		const struct pm_region *region = &look->regions.items[i];
		must(pm_pagemap_walk(look->pagemap, region->start, region->end, add_run, pages,
		                     &error),
		     &error);
	}
}

void owner_pages_close(struct owner_pages *pages)
{
	pm_runtimes_close(pages->runtimes);
	look_close(&pages->look);
}

double owner_pages_share(const struct owner_pages *pages)
{
	uint64_t unknown = pages->resident[PM_OWNER_UNKNOWN];
	return 100.0 * (double)(pages->total - unknown) / (double)pages->total;
}

enum pm_owner owner_pages_at(const struct owner_pages *pages, uint64_t address)
{
	size_t index = pm_runtimes_range_index(pages->runtimes, address);

	if (index < pages->runtimes->range_count &&
	    pm_range_contains(pages->runtimes->ranges[index].range, address))
		return (enum pm_owner)pages->runtimes->ranges[index].owner;

	const struct pm_region *region = pm_regions_find(&pages->look.regions, address);
	return region ? pm_kinds_owner_by_kind(region) : PM_OWNER_UNKNOWN;
}

void owner_pages_count_filled(struct owner_pages *pages, unsigned char fill,
                              uint64_t counts[PM_OWNER_COUNT])
{
	const struct pm_regions *regions = &pages->look.regions;
	unsigned char bytes[PAGE], filled[PAGE];

	memset(counts, 0, PM_OWNER_COUNT * sizeof *counts);
	memset(filled, fill, sizeof filled);
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if (region->inode != 0 || !(region->perms & PM_PERM_WRITE))
			continue;
		for (uint64_t at = region->start; at < region->end; at += PAGE) {
			if (pm_reader_read(&pages->look.memory, at, bytes, PAGE, NULL, NULL) == 0 &&
			    memcmp(bytes, filled, PAGE) == 0)
				counts[owner_pages_at(pages, at)]++;
		}
	}
}

const struct pm_runtime_info *owner_pages_runtime(const struct owner_pages *pages,
                                                  const char *family)
{
	for (size_t i = 0; i < pages->runtimes->count; i++)
		if (strcmp(pages->runtimes->items[i].family, family) == 0)
			return &pages->runtimes->items[i];
	return NULL;
}

uint64_t owner_pages_counter(const struct owner_pages *pages, const char *name)
{
	for (size_t i = 0; i < pages->runtimes->counter_count; i++)
		if (strcmp(pages->runtimes->counters[i].name, name) == 0)
			return pages->runtimes->counters[i].value;

	fail_msg("there is no counter %s", name);
	return 0;
}
