/* SPDX-License-Identifier: MIT */
/*
 * The symbols of a file are not kept and not sorted: for a few names, one pass over the tables is
 * faster.
 */
#include "symbols/symbol_values.h"

#include <unistd.h>

#include "reader/mapped_file.h"
#include "symbols/elf_symbols.h"
#include "symbols/symbol_files.h"

/**
 * Finds the difference between addresses in the process and in the file.
 *
 * The first page of a file belongs to one segment only, other pages can belong to two. So the
 * region that maps the first page is used: the nearest one below, if the file is loaded twice.
 */
static bool find_bias(const struct pm_elf_symbols *table, const struct pm_regions *regions,
                      const struct pm_region *region, uint64_t *bias)
{
	const struct pm_symbol_source none = { 0 };
	uint64_t value;

	for (;; region--) {
		bool same = region->inode != 0;
		if (same && region->offset == 0)
			break;
		if (region == regions->items ||
		    (region[-1].inode != 0 && !pm_symbol_files_same(&none, region - 1, region) &&
		     same))
			return false;
	}

	if (!pm_elf_symbols_address(table, 0, &value))
		return false;
	*bias = region->start - value;
	return true;
}

static size_t missing(const struct pm_symbol_value *values, size_t count)
{
	size_t result = 0;

	for (size_t i = 0; i < count; i++)
		result += values[i].address == 0;
	return result;
}

void pm_symbol_values_find(struct pm_process *process, const struct pm_regions *regions,
                           const struct pm_region *region, struct pm_symbol_value *values,
                           size_t count)
{
	struct pm_elf_symbols table = { 0 }, debug = { 0 };
	uint64_t bias;
	int fd;

	for (size_t i = 0; i < count; i++)
		values[i].address = values[i].size = 0;
	if (pm_mapped_file_open(process, region, &fd, NULL) < 0)
		return;

	pm_elf_symbols_find_named(fd, values, count, &table);
	close(fd);

	fd = -1;
	if (!table.whole && missing(values, count) > 0 && table.id.size > 0)
		fd = pm_symbol_files_open_debug(process, &table.id);
	if (fd >= 0) {
		struct pm_symbol_value others[PM_SYMBOL_VALUES_MAX];

		for (size_t i = 0; i < count; i++)
			others[i] = (struct pm_symbol_value){ .name = values[i].name };
		pm_elf_symbols_find_named(fd, others, count, &debug);
		close(fd);

		bool fits = pm_build_id_fits(&table.id, &debug.id);
		for (size_t i = 0; fits && i < count; i++)
			if (values[i].address == 0)
				values[i] = others[i];
	}

	bool placed = find_bias(&table, regions, region, &bias);
	for (size_t i = 0; i < count; i++)
		if (values[i].address != 0)
			values[i].address = placed ? values[i].address + bias : 0;

	pm_elf_symbols_deinit(&table);
	pm_elf_symbols_deinit(&debug);
}
