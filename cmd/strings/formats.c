/* SPDX-License-Identifier: MIT */
#include "strings/formats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/format_match.h>
#include <procmem/read_plan.h>
#include <procmem/scan.h>
#include <procmem/strings_scan.h>

#include "base/alloc.h"
#include "base/clock.h"

enum {
	BUDGET = 8 << 20, /* memory for formats in bytes */
	LENGTH_MIN = 6,   /* minimum length of a text that contains a format: four letters and a
	                     conversion */
	/* Maximum time in microseconds to compare strings with formats. Hostile formats can take
	 * long. */
	FIND_US = 1000 * 1000,
	LITERALS_SHARE = 2, /* a format must have at least this part (one half) of the letters of
	                       the string */
};

int formats_init(struct formats *formats, struct pm_error *error)
{
	return pm_tally_create(BUDGET, &formats->found, error);
}

void formats_deinit(struct formats *formats)
{
	pm_tally_destroy(formats->found);
	formats->found = NULL;
}

void formats_note(struct formats *formats, const char *text, size_t length, uint64_t address)
{
	size_t at = 0, start = 0, format;

	if (!memchr(text, '%', length) && !memchr(text, '{', length))
		return;

	while ((format = pm_format_next(text, length, &at, &start)) > 0) {
		const char *begin = text + start;
		const struct pm_tally_text found = {
			.hash = pm_tally_hash(formats->found, 0, begin, format),
			.text = begin,
			.length = format,
			.first = address + start,
			.size = format,
		};
		pm_tally_add(formats->found, &found);
	}
}

/** Passes on a text that may contain a format. A pm_scan_found function. */
static int pass_text(void *context, unsigned worker, const struct pm_hit *hit,
                     struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	(void)worker;
	if (!memchr(hit->bytes, '%', hit->size) && !memchr(hit->bytes, '{', hit->size))
		return 0;
	return pm_scan_append(batch, hit->bytes, hit->size, error);
}

/** Adds the formats of a text that was passed. A pm_scan_deliver function. */
static int note_text(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	(void)error;
	if (delivery->length > 0)
		formats_note(context, delivery->bytes, delivery->length, delivery->address);
	return 0;
}

/** Returns whether the search has covered a region, or a part of it. */
static bool was_searched(const struct memory *memory, size_t region)
{
	for (size_t i = 0; i < memory->count; i++)
		if (memory->ranges[i].region == region)
			return true;
	return false;
}

/**
 * Finds the regions to search for formats: private mappings of files that were not searched.
 *
 * @param count  receives the number of regions
 * @return       the regions; the caller frees them
 */
static struct pm_region_range *find_files(const struct memory *memory, size_t *count)
{
	const struct pm_regions *regions = &memory->loaded.regions;
	struct pm_region_range *ranges = alloc_array(NULL, regions->count + 1, sizeof *ranges);

	*count = 0;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		bool wanted = region->inode != 0 && (region->perms & PM_PERM_READ) &&
		              !(region->perms & PM_PERM_SHARED);
		if (!wanted || was_searched(memory, i))
			continue;
		ranges[(*count)++] = (struct pm_region_range){
			.range = { region->start, region->end },
			.region = i,
		};
	}
	return ranges;
}

/** Searches the memory of a plan for texts. */
static void scan(struct formats *formats, struct memory *memory, struct pm_plan *plan)
{
	const struct pm_strings_options options = { .encodings = PM_ENCODING_BIT(PM_ENCODING_UTF8),
		                                    .min_length = LENGTH_MIN };
	struct pm_scan_totals totals;
	struct pm_scanner *scanner;
	if (pm_strings_scanner_create(&options, &scanner, NULL) < 0)
		return;

	const struct pm_scan search = {
		.scanner = scanner,
		.regions = &memory->loaded.regions,
		.plan = plan,
		.source = { .target = &memory->reader, .cancel = memory->cancel },
		.found = pass_text,
		.deliver = note_text,
		.context = formats,
	};
	pm_scan_run(&search, &totals, NULL);
	pm_scanner_destroy(scanner);
}

void formats_search(struct formats *formats, struct memory *memory)
{
	const struct pm_plan_options options = { .pages = &memory->pages,
		                                 .cancel = memory->cancel };
	struct pm_plan *plan;
	size_t count;
	struct pm_region_range *ranges = find_files(memory, &count);

	if (count > 0 &&
	    pm_plan_open(&memory->loaded.regions, ranges, count, &options, &plan, NULL) == 0) {
		scan(formats, memory, plan);
		pm_plan_close(plan);
	}
	free(ranges);
	pm_tally_sort(formats->found, PM_TALLY_BY_COUNT);
}

/** Counts the letters of a string. Digits are left out, because a conversion may have written them.
 */
static size_t count_letters(const char *text, size_t length)
{
	size_t letters = 0;
	for (size_t i = 0; i < length; i++) {
		char lower = (char)(text[i] | 0x20);
		letters += lower >= 'a' && lower <= 'z';
	}
	return letters;
}

struct format formats_find(struct formats *formats, const char *text, size_t length)
{
	struct format best = { .length = 0 };
	size_t most = count_letters(text, length) / LITERALS_SHARE;
	uint64_t start = clock_us();

	for (size_t i = 0; i < pm_tally_count(formats->found); i++) {
		const struct pm_tally_item *item = pm_tally_get(formats->found, i);
		if (item->length == length && memcmp(item->text, text, length) == 0)
			continue;
		if (formats->used_us + clock_us() - start > FIND_US)
			break;

		size_t fitting = 0;
		size_t literals = pm_format_match(item->text, item->length, text, length, &fitting);
		if (literals > most) {
			most = literals;
			best = (struct format){ item->text, item->length, item->first,
				                fitting == length };
		}
	}

	formats->used_us += clock_us() - start;
	return best;
}
