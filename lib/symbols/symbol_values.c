/* SPDX-License-Identifier: MIT */
#include "symbols/symbol_values.h"

#include <unistd.h>

#include "reader/mapped_file.h"
#include "symbols/elf_search.h"
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

/** Searches the file with the debug information of a file for the names that are missing. */
static void find_in_debug(struct pm_process *process, const struct pm_build_id *id,
                          const struct pm_elf_search *search)
{
	struct pm_elf_symbols debug = { 0 };
	int fd = pm_symbol_files_open_debug(process, id);

	if (fd < 0)
		return;

	if (pm_elf_symbols_read_loads(fd, &debug, NULL) == 0 && pm_build_id_fits(id, &debug.id))
		pm_elf_search(fd, search);

	close(fd);
	pm_elf_symbols_deinit(&debug);
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
                           size_t count, uint64_t deadline_ns)
{
	const struct pm_elf_search search = { .values = values,
		                              .count = count,
		                              .deadline_ns = deadline_ns };
	struct pm_elf_symbols file = { 0 };
	uint64_t bias;
	int fd;

	for (size_t i = 0; i < count; i++)
		values[i].address = values[i].size = 0;
	if (pm_mapped_file_open(process, region, &fd, NULL) < 0)
		return;

	bool valid = pm_elf_symbols_read_loads(fd, &file, NULL) == 0;
	bool whole = valid && pm_elf_search(fd, &search);
	close(fd);

	if (valid && !whole && missing(values, count) > 0 && file.id.size > 0)
		find_in_debug(process, &file.id, &search);

	bool placed = valid && find_bias(&file, regions, region, &bias);
	for (size_t i = 0; i < count; i++)
		if (values[i].address != 0)
			values[i].address = placed ? values[i].address + bias : 0;

	pm_elf_symbols_deinit(&file);
}
