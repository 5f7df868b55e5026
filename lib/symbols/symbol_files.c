/* SPDX-License-Identifier: MIT */
#include "symbols/symbol_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "proc/process_handle.h"
#include "reader/core.h"
#include "reader/mapped_file.h"
#include "symbols/elf_symbols.h"

/* Size in bytes of the start of a program that is searched for headers and build ID. By default,
 * the kernel writes at least the first page of each program to core files (core(5)). */
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
 * Decides whether it is an error that a file could not be opened. A lack of memory or descriptors
 * is an error, since a later call may succeed. For all other causes, the file is treated as
 * missing, which is not an error.
 */
static int check_cause(int cause, struct pm_error *error)
{
	if (!pm_errno_is_ours(cause))
		return 0;
	return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot open a file with symbols: %s",
	                    strerror(cause));
}

/**
 * Opens a regular file by its absolute path in the file system of the target.
 * @param fd  receives the descriptor, or -1 if there is no such file
 * @return    0 or -1
 */
static int open_path(const struct pm_symbol_source *source, const char *path, int *fd,
                     struct pm_error *error)
{
	const char *root = source->process ? "root" : source->root;
	char *name;
	int path_fd;

	*fd = -1;
	if (!root)
		root = "";
	if (asprintf(&name, "%s%s", root, path) < 0)
		return pm_error_out_of_memory(error);

	if (source->process)
		path_fd = pm_procfs_open_file(&source->process->procfs, name, O_PATH);
	else
		path_fd = open(name, O_PATH | O_CLOEXEC);

	int cause = errno;
	free(name);
	if (path_fd < 0)
		return check_cause(cause, error);

	*fd = pm_regular_file_open(path_fd);
	if (*fd < 0)
		return check_cause(errno, error);
	return 0;
}

/**
 * Adds the symbols of the file at a path, if the file has the same build ID and more symbols: a
 * .symtab, or any symbols if there are none yet.
 * @return 0, also if the file does not exist or is not used; -1 on an error
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

/**
 * Reads the symbols of the file that a region of a living process maps. If the file cannot be
 * opened, no symbols are added, and the function succeeds, unless memory or descriptors are
 * exhausted.
 */
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
 * Finds the region that maps the start of the same file as `region`. It can be `region` itself.
 * @return NULL if the start of the file is not mapped
 */
static const struct pm_region *find_head(const struct pm_symbol_source *source,
                                         const struct pm_regions *regions,
                                         const struct pm_region *region)
{
	for (;; region--) {
		if (pm_symbol_files_maps_file(source, region) && region->offset == 0)
			return region;
		/* Between the regions of a program there can be gaps and anonymous memory, but
		 * no region of another file. So the search ends at such a region. */
		if (region == regions->items || (pm_symbol_files_maps_file(source, region - 1) &&
		                                 !pm_symbol_files_same(source, region - 1, region)))
			return NULL;
	}
}

/**
 * Reads build ID and segments of a program from the start of its image in the core file. If the
 * start of the program is not mapped, nothing is read.
 */
static int read_head(const struct pm_symbol_source *source, const struct pm_regions *regions,
                     const struct pm_region *region, struct pm_elf_symbols *symbols,
                     struct pm_error *error)
{
	const struct pm_region *head = find_head(source, regions, region);
	struct pm_reader reader = pm_core_reader(source->core);
	size_t done = 0;

	if (!head)
		return 0;

	size_t size = (size_t)pm_min(head->end - head->start, HEAD_SIZE);
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
	int status;

	if (source->process)
		status = read_mapped(source->process, region, symbols, error);
	else
		status = read_head(source, regions, region, symbols, error);
	if (status < 0)
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

int pm_symbol_files_open_debug(struct pm_process *process, const struct pm_build_id *id)
{
	const struct pm_symbol_source source = { .process = process };
	char path[PM_BUILD_ID_PATH_SIZE];
	int fd;

	pm_build_id_path(id, path);
	return open_path(&source, path, &fd, NULL) < 0 ? -1 : fd;
}
