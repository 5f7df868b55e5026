/* SPDX-License-Identifier: MIT */
#include "stack/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/maps.h>

#include "base/array.h"
#include "proc/memory_file.h"
#include "proc/process.h"

/* Maximum size of the gaps between the segments of an image, which its file does not have. */
enum { IMAGE_GAPS_MAX = 1 << 30 };

/** Tests whether two regions map the same file. */
static bool is_same_file(const struct pm_region *one, const struct pm_region *other)
{
	return one->inode == other->inode && one->device_major == other->device_major &&
	       one->device_minor == other->device_minor;
}

/** Finds a file in a list, at the same addresses. @return NULL if it is not there */
static const struct pm_module_file *find_same(const struct pm_modules *modules,
                                              const struct pm_module_file *file)
{
	const struct pm_module_file *found = pm_modules_at(modules, file->module.start);

	if (found && found->module.start == file->module.start &&
	    found->module.end == file->module.end && is_same_file(&found->region, &file->region))
		return found;
	return NULL;
}

/** Appends a file to a list, with the number that it had before. */
static int append(struct pm_modules *modules, const struct pm_modules *old,
                  struct pm_module_file file, struct pm_modules_change *change,
                  struct pm_error *error)
{
	if (pm_array_reserve(&modules->items, &modules->capacity, modules->count, 1,
	                     sizeof *modules->items, error) < 0)
		return -1;

	const struct pm_module_file *before = find_same(old, &file);
	if (!before)
		change->added = true;
	file.module.number = before ? before->module.number : modules->next_number++;

	file.region.mapping = strdup(file.region.mapping);
	if (!file.region.mapping)
		return pm_error_out_of_memory(error);
	modules->items[modules->count++] = file;
	return 0;
}

/** A file whose regions are being collected. */
struct group {
	struct pm_module_file file;
	bool open;
	bool has_code;
};

/**
 * Tests whether a region belongs to the same image as the regions before it. A program can map
 * parts of its file a second time, far away, as node does with code that generated code calls.
 */
static bool continues(const struct group *group, const struct pm_region *region)
{
	const struct pm_region *first = &group->file.region;

	if (!group->open || !is_same_file(first, region) || region->offset <= first->offset)
		return false;

	uint64_t addresses = region->start - first->start, bytes = region->offset - first->offset;
	return addresses <= bytes || addresses - bytes <= IMAGE_GAPS_MAX;
}

/** Begins a group. Only a file that is mapped from its start can be an ELF file. */
static struct group begin(const struct pm_region *region)
{
	bool vdso = strcmp(region->mapping, "[vdso]") == 0;
	struct group group = { .open = vdso || (region->inode != 0 && region->offset == 0) };

	group.file.region = *region;
	group.file.module = (struct pm_stack_module){ .start = region->start,
		                                      .end = region->end,
		                                      .vdso = vdso };
	return group;
}

/** Ends a group, and appends its file to a list if the file has code. */
static int finish(struct group *group, struct pm_modules *modules, const struct pm_modules *old,
                  struct pm_modules_change *change, struct pm_error *error)
{
	bool wanted = group->open && group->has_code;

	group->open = false;
	return wanted ? append(modules, old, group->file, change, error) : 0;
}

/** Finds the files in a list of regions. */
static int collect(const struct pm_regions *regions, const struct pm_modules *old,
                   struct pm_modules *modules, struct pm_modules_change *change,
                   struct pm_error *error)
{
	struct group group = { 0 };

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		bool vdso = strcmp(region->mapping, "[vdso]") == 0;

		/* Memory without a file can be between the regions of a file: .bss. */
		if (region->inode == 0 && !vdso)
			continue;

		if (!continues(&group, region)) {
			if (finish(&group, modules, old, change, error) < 0)
				return -1;
			group = begin(region);
		}
		group.file.module.end = region->end;
		group.has_code = group.has_code || (region->perms & PM_PERM_EXEC) != 0;
	}

	return finish(&group, modules, old, change, error);
}

/** Reads maps. The process may have called exec since it was opened. */
static int read_regions(struct pm_process *process, struct pm_regions *regions,
                        struct pm_error *error)
{
	int fd = pm_memory_file_open(&process->procfs, "maps", O_RDONLY);
	if (fd < 0)
		return pm_process_lost(process, errno, error);

	int result = pm_maps_read_fd(fd, PM_MAPS, "maps", regions, error);
	close(fd);
	return result;
}

int pm_modules_read(struct pm_process *process, const struct pm_modules *old,
                    struct pm_modules *modules, struct pm_modules_change *change,
                    struct pm_error *error)
{
	struct pm_regions regions;
	struct pm_modules new = { .next_number = old->next_number };
	struct pm_modules_change found = { 0 };

	pm_regions_init(&regions);
	int result = read_regions(process, &regions, error);
	if (result == 0)
		result = collect(&regions, old, &new, &found, error);
	pm_regions_deinit(&regions);
	if (result < 0) {
		pm_modules_deinit(&new);
		return -1;
	}

	for (size_t i = 0; i < old->count && !found.removed; i++)
		found.removed = !find_same(&new, &old->items[i]);
	*modules = new;
	*change = found;
	return 0;
}

const struct pm_module_file *pm_modules_at(const struct pm_modules *modules, uint64_t address)
{
	size_t low = 0, high = modules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pm_module_file *file = &modules->items[middle];

		if (address < file->module.start)
			high = middle;
		else if (address >= file->module.end)
			low = middle + 1;
		else
			return file;
	}
	return NULL;
}

const struct pm_module_file *pm_modules_get(const struct pm_modules *modules, uint32_t number)
{
	for (size_t i = 0; i < modules->count; i++)
		if (modules->items[i].module.number == number)
			return &modules->items[i];
	return NULL;
}

void pm_modules_deinit(struct pm_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		free((char *)(uintptr_t)modules->items[i].region.mapping);
	free(modules->items);
	memset(modules, 0, sizeof *modules);
}
