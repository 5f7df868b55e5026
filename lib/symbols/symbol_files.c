/* SPDX-License-Identifier: MIT */
#include "symbols/symbol_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "proc/process_handle.h"
#include "reader/core.h"
#include "reader/mapped_file.h"
#include "symbols/elf_search.h"

/* First bytes of a program in which its headers and build ID are looked for; the kernel writes a
 * page of them to core files (core(5)). */
enum { HEAD_SIZE = 64 << 10 };

bool pm_symbol_files_maps_file(const struct pm_symbol_source *source,
                               const struct pm_region *region)
{
	return region->mapping[0] == '/' && (source->core || region->inode != 0);
}

bool pm_symbol_files_same(const struct pm_symbol_source *source, const struct pm_region *one,
                          const struct pm_region *other)
{
	if (source->core)
		return one->deleted == other->deleted && strcmp(one->mapping, other->mapping) == 0;
	return one->inode == other->inode && one->device_major == other->device_major &&
	       one->device_minor == other->device_minor;
}

/**
 * Tells whether there is no file, or no means to open one: the next call may have these.
 * @return 0, or -1 with `error` filled
 */
static int check_cause(int cause, struct pm_error *error)
{
	if (cause != EMFILE && cause != ENFILE && cause != ENOMEM)
		return 0;
	return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot open a file with symbols: %s",
	                    strerror(cause));
}

/**
 * Opens a regular file by its absolute path, as the target sees it.
 * @param fd set to -1 where there is none
 * @return 0 or -1
 */
static int open_path(const struct pm_symbol_source *source, const char *path, int *fd,
                     struct pm_error *error)
{
	char *name;

	*fd = -1;
	if (asprintf(&name, "%s%s", source->process ? "root" : source->root, path) < 0)
		return pm_error_out_of_memory(error);

	int path_fd = source->process ? pm_procfs_open_file(&source->process->procfs, name, O_PATH)
	                              : open(name, O_PATH | O_CLOEXEC);
	int cause = errno;
	free(name);
	if (path_fd < 0)
		return check_cause(cause, error);

	*fd = pm_regular_file_open(path_fd);
	return *fd < 0 ? check_cause(errno, error) : 0;
}

/**
 * Reads the file at a path, and adds its symbols if it is the same program and knows more of them.
 */
static int add_from(const struct pm_symbol_source *source, const char *path,
                    struct pm_elf_symbols *symbols, struct pm_error *error)
{
	struct pm_elf_symbols other = { 0 };
	int fd;
	if (open_path(source, path, &fd, error) < 0)
		return -1;
	if (fd < 0)
		return 0;

	int status = pm_elf_symbols_read(fd, &other, error);
	close(fd);

	bool is_better = other.whole || symbols->count == 0;
	if (status == 0 && is_better && pm_build_id_fits(&symbols->id, &other.id))
		status = pm_elf_symbols_add(symbols, &other, error);
	pm_elf_symbols_deinit(&other);

	return status;
}

/** The file that a living process has mapped. */
static int read_mapped(struct pm_process *process, const struct pm_region *region,
                       struct pm_elf_symbols *symbols, struct pm_error *error)
{
	struct pm_error why = { 0 };
	int fd;
	if (pm_mapped_file_open(process, region, &fd, &why) < 0) {
		if (why.kind != PM_ERROR_RESOURCES)
			return 0;
		if (error)
			*error = why;
		return -1;
	}

	int status = pm_elf_symbols_read(fd, symbols, error);
	close(fd);

	return status;
}

/**
 * The region that has the first bytes of the file of another.
 * @return NULL for none
 */
static const struct pm_region *find_head(const struct pm_symbol_source *source,
                                         const struct pm_regions *regions,
                                         const struct pm_region *region)
{
	for (;; region--) {
		if (pm_symbol_files_maps_file(source, region) && region->offset == 0)
			return region;
		/* Parts of a program are neighbours, but for gaps and memory without a name between
		 * them. */
		if (region == regions->items || (pm_symbol_files_maps_file(source, region - 1) &&
		                                 !pm_symbol_files_same(source, region - 1, region)))
			return NULL;
	}
}

/** What a core file has of a program: its first bytes, which tell which one it was. */
static int read_head(const struct pm_symbol_source *source, const struct pm_regions *regions,
                     const struct pm_region *region, struct pm_elf_symbols *symbols,
                     struct pm_error *error)
{
	const struct pm_region *head = find_head(source, regions, region);
	struct pm_reader reader = pm_core_reader(source->core);
	size_t done = 0;

	if (!head)
		return 0;

	size_t size = head->end - head->start < HEAD_SIZE ? (size_t)(head->end - head->start)
	                                                  : HEAD_SIZE;
	char *bytes = malloc(size);
	if (!bytes)
		return pm_error_out_of_memory(error);

	int status = pm_reader_read(&reader, head->start, bytes, size, &done, error);
	if (status == 0)
		status = pm_elf_symbols_read_head(bytes, done, symbols, error);
	free(bytes);

	return status;
}

int pm_symbol_files_read(const struct pm_symbol_source *source, const struct pm_regions *regions,
                         const struct pm_region *region, struct pm_elf_symbols *symbols,
                         struct pm_error *error)
{
	char debug[PM_BUILD_ID_PATH_SIZE];

	if (source->process ? read_mapped(source->process, region, symbols, error) < 0
	                    : read_head(source, regions, region, symbols, error) < 0)
		return -1;
	if (symbols->id.size == 0)
		return 0;
	if (source->core && add_from(source, region->mapping, symbols, error) < 0)
		return -1;
	if (symbols->whole)
		return 0;

	pm_build_id_path(&symbols->id, debug);
	return add_from(source, debug, symbols, error);
}
