/* SPDX-License-Identifier: MIT */
#include <procmem/symbols.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "reader/mapped_file.h"
#include "symbols/elf_symbols.h"

/** A file that was looked into. */
struct file {
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	struct pm_elf_symbols symbols;
};

struct pm_symbols {
	struct pm_process *process;
	const struct pm_regions *regions;
	struct file *files;
	size_t count;
	size_t capacity;
};

int pm_symbols_open(struct pm_process *process, const struct pm_regions *regions, struct pm_symbols **symbols, struct pm_error *error)
{
	struct pm_symbols *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);
	opened->process = process;
	opened->regions = regions;
	*symbols = opened;
	return 0;
}

void pm_symbols_close(struct pm_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->count; i++)
		pm_elf_symbols_deinit(&symbols->files[i].symbols);
	free(symbols->files);
	free(symbols);
}

static const struct pm_elf_symbols *known_file(const struct pm_symbols *symbols, const struct pm_region *region)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct file *file = &symbols->files[i];
		if (file->inode == region->inode && file->device_major == region->device_major && file->device_minor == region->device_minor)
			return &file->symbols;
	}
	return NULL;
}

/** The symbols of the file that a region maps. @return NULL with `error` filled where there is no memory for them */
static const struct pm_elf_symbols *file_of(struct pm_symbols *symbols, const struct pm_region *region, struct pm_error *error)
{
	const struct pm_elf_symbols *known = known_file(symbols, region);
	if (known)
		return known;
	struct file file = { .inode = region->inode, .device_major = region->device_major, .device_minor = region->device_minor };
	struct pm_error why = { 0 };
	int fd;
	if (pm_array_reserve(&symbols->files, &symbols->capacity, symbols->count, 1, sizeof *symbols->files, error) < 0)
		return NULL;
	if (pm_mapped_file_open(symbols->process, region, &fd, &why) == 0) {
		int status = pm_elf_symbols_read(fd, &file.symbols, error);
		close(fd);
		if (status < 0) {
			pm_elf_symbols_deinit(&file.symbols);
			return NULL;
		}
	} else if (why.kind == PM_ERROR_RESOURCES) {
		/* Not for ever: the next call may have what this one lacked. */
		if (error)
			*error = why;
		return NULL;
	}
	symbols->files[symbols->count] = file;
	return &symbols->files[symbols->count++].symbols;
}

/** The region of the file that zero-initialised data in an anonymous region belongs to: the one below it, without a gap. */
static const struct pm_region *file_below(const struct pm_regions *regions, const struct pm_region *region)
{
	while (region > regions->items && region->inode == 0 && pm_region_is_anonymous(region) && region[-1].end == region->start)
		region--;
	return region->inode != 0 ? region : NULL;
}

int pm_symbols_find(struct pm_symbols *symbols, uint64_t address, struct pm_symbol *symbol, struct pm_error *error)
{
	const struct pm_region *region = pm_regions_find(symbols->regions, address);
	const struct pm_region *mapped = region ? file_below(symbols->regions, region) : NULL;
	uint64_t value;
	if (!mapped || mapped->mapping[0] != '/')
		return 0;
	const struct pm_elf_symbols *table = file_of(symbols, mapped, error);
	if (!table)
		return -1;
	uint64_t offset = address - mapped->start + mapped->offset;
	if (!(mapped == region && pm_elf_symbols_address(table, offset, &value)) &&
	    !pm_elf_symbols_zeroed_address(table, mapped->offset, offset, &value))
		return 0;
	const struct pm_elf_symbol *found = pm_elf_symbols_at(table, value);
	if (!found)
		return 0;
	*symbol = (struct pm_symbol){
		.name = table->names + found->name,
		.object = mapped->mapping,
		.offset = value - found->value,
		.size = found->size,
	};
	return 1;
}
