/* SPDX-License-Identifier: MIT */
/* Each line of the input is one word or filter: the first byte gives its type, the rest is its
 * text. */
#include <procmem/select.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

static const struct pm_region examples[] = {
	{ .start = 0x1000,
	  .end = 0x3000,
	  .perms = PM_PERM_READ | PM_PERM_EXEC,
	  .kind = PM_KIND_CODE,
	  .mapping = "/usr/lib/libm.so.6" },
	{ .start = 0x3000,
	  .end = 0x4000,
	  .perms = PM_PERM_READ,
	  .kind = PM_KIND_RODATA,
	  .mapping = "/usr/lib/libm.so.6" },
	{ .start = 0x5000,
	  .end = 0x9000,
	  .perms = PM_PERM_READ | PM_PERM_WRITE,
	  .kind = PM_KIND_HEAP,
	  .mapping = "[heap]" },
	{ .start = 0x7f0000000000,
	  .end = 0x7f0000100000,
	  .perms = PM_PERM_READ | PM_PERM_WRITE,
	  .kind = PM_KIND_STACK,
	  .mapping = "" },
	{ .start = 0xffffffffff600000,
	  .end = 0xffffffffff601000,
	  .perms = PM_PERM_EXEC,
	  .kind = PM_KIND_KERNEL,
	  .mapping = "[vsyscall]" },
};

/**
 * Adds a line to the selection.
 * @return the result of the library
 */
static int choose(struct pm_select *select, const char *line, struct pm_error *error)
{
	switch (line[0]) {
	case 'k':
		return pm_select_set_kinds(select, line + 1, error);
	case 'm':
		return pm_select_set_mapping(select, line + 1, error);
	case 'p':
		return pm_select_set_perms(select, line + 1, error);
	case 'r':
		pm_select_set_min_rss(select, strtoull(line + 1, NULL, 10));
		return 0;
	case 's':
		pm_select_set_min_size(select, strtoull(line + 1, NULL, 10));
		return 0;
	default:
		return pm_select_add_word(select, *line ? line + 1 : line, error);
	}
}

/** The ranges ascend, and each is within its region, or unmapped. */
static void check_ranges(const struct pm_regions *regions, const struct pm_region_range *ranges,
                         size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fuzz_check(ranges[i].range.start < ranges[i].range.end);
		fuzz_check(i == 0 || ranges[i].range.start >= ranges[i - 1].range.end);
		if (ranges[i].region == SIZE_MAX) {
			size_t above = pm_regions_index(regions, ranges[i].range.start);
			fuzz_check(above == regions->count ||
			           regions->items[above].start >= ranges[i].range.end);
			continue;
		}
		fuzz_check(ranges[i].region < regions->count);
		const struct pm_region *region = &regions->items[ranges[i].region];
		fuzz_check(ranges[i].range.start >= region->start &&
		           ranges[i].range.end <= region->end);
	}
}

static void check_absent(void *context, const struct pm_error *why)
{
	(void)context;
	fuzz_check(why->kind == PM_ERROR_NOT_FOUND);
	fuzz_check_error(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_error error = { 0 };
	struct pm_select *select;
	struct pm_regions regions;
	pm_regions_init(&regions);
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		fuzz_check(pm_regions_append(&regions, &examples[i], &error) == 0);
	fuzz_check(pm_select_create(&select, &error) == 0);

	char *text = fuzz_text(data, size), *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (choose(select, line, &error) < 0)
			fuzz_check_error(&error);
	struct pm_region_range *ranges;
	size_t count;
	if (pm_select_apply(select, &regions, &ranges, &count, &error) < 0) {
		fuzz_check_error(&error);
	} else {
		check_ranges(&regions, ranges, count);
		free(ranges);
	}
	fuzz_check(pm_select_visit_absent(select, &regions, check_absent, NULL, &error) == 0);
	free(text);
	pm_select_destroy(select);
	pm_regions_deinit(&regions);
	return 0;
}
