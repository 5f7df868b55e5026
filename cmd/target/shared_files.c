/* SPDX-License-Identifier: MIT */
/*
 * Finds who fills a file that the target maps. The offset of a descriptor advances with each
 * write(2); a process that writes through a mapping has more resident shared pages afterwards. Both
 * have other causes: a reader advances an offset and makes pages resident, too. Therefore the bytes
 * of all its calls of write (wchar of proc_pid_io(5)) are compared.
 */
#include "target/shared_files.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/maps.h>
#include <procmem/memory_use.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "base/utf8.h"

/* Minimum size of a mapping, in bytes, as for reserves. */
static const uint64_t min_size = 1 << 20;

/* Maximum number of regions whose files are found: a file can have several. */
enum { REGIONS_MAX = 4 * SHARED_FILES_MAX };

/* Growth from which on writers are searched, in bytes. */
static const uint64_t min_growth = 1 << 16;

void shared_files_deinit(struct shared_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].name);
	*files = (struct shared_files){ 0 };
}

static bool is_memory(enum pm_file_type type)
{
	return type == PM_FILE_TMPFS || type == PM_FILE_MEMFD || type == PM_FILE_SYSV ||
	       type == PM_FILE_SHARED_ANONYMOUS || type == PM_FILE_HUGETLB;
}

static uint64_t used_of(const struct shared_file *file, const struct pm_file_state *state)
{
	return file->memory ? state->allocated : state->length;
}

static bool is_candidate(const struct pm_region *region)
{
	return (region->perms & PM_PERM_SHARED) != 0 && region->inode != 0 &&
	       pm_region_size(region) >= min_size;
}

/** Adds the file of a region, unless another region of it was added. */
static void add_region(struct shared_files *files, struct pm_process *process,
                       const struct pm_region *region)
{
	struct shared_file added = { .start = region->start };
	uint64_t max = region->offset + pm_region_size(region);

	if (pm_file_from_region(process, region, &added.file, &added.first, NULL) < 0 ||
	    !added.first.known || added.file.type == PM_FILE_DEVICE ||
	    added.file.type == PM_FILE_DMA_BUF || added.file.type == PM_FILE_KERNEL)
		return;

	for (size_t i = 0; i < files->count; i++) {
		struct shared_file *file = &files->items[i];

		if (pm_file_equal(&file->file, &added.file)) {
			file->max = pm_max(file->max, max);
			return;
		}
	}

	if (files->count == SHARED_FILES_MAX)
		return;

	added.name = alloc_string(region->mapping ? region->mapping : "");
	added.file.name = added.name;
	added.max = max;
	added.memory = is_memory(added.file.type);
	files->items[files->count++] = added;
}

/** A region that maps a file, for sorting. */
struct candidate {
	const struct pm_region *region;
};

/** Orders regions by descending size. */
static int compare_sizes(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	uint64_t a_size = pm_region_size(a->region), b_size = pm_region_size(b->region);

	return (a_size < b_size) - (a_size > b_size);
}

/** Adds the files of the largest shared mappings. */
static void add_files(struct shared_files *files, struct pm_process *process,
                      const struct pm_regions *regions)
{
	struct candidate *sorted = alloc_array(NULL, pm_max_size(regions->count, 1),
	                                       sizeof *sorted);
	size_t count = 0;

	for (size_t i = 0; i < regions->count; i++)
		if (is_candidate(&regions->items[i]))
			sorted[count++].region = &regions->items[i];

	qsort(sorted, count, sizeof *sorted, compare_sizes);
	for (size_t i = 0; i < count && i < REGIONS_MAX; i++)
		add_region(files, process, sorted[i].region);

	free(sorted);
}

static uint64_t mapped_of(pid_t pid)
{
	struct pm_memory_use use;

	if (pm_memory_use_read(NULL, pid, &use, NULL) != PM_USE_READ)
		return 0;
	return use.file + use.shmem;
}

/** Computes what a process has written since it was added. */
static void compare_writer(struct shared_writer *writer, const struct pm_file_user *user,
                           uint64_t mapped)
{
	bool known = writer->calls_known && user->written_known;
	uint64_t calls = known && user->written > writer->calls ? user->written - writer->calls : 0;
	uint64_t advance = user->offsets > writer->offsets ? user->offsets - writer->offsets : 0;
	uint64_t filled = 0;

	if (user->mappings > 0 && mapped > writer->mapped)
		filled = mapped - writer->mapped;
	/* A process that only reads advances the offset, but calls no write. */
	if (known)
		advance = pm_min(advance, calls);

	writer->by_offsets = advance > 0 && advance >= filled;
	writer->written = pm_max(advance, filled);
	writer->positioned = known ? calls : UINT64_MAX;
	if (user->fds_writable == 0 && !user->fds_doubtful)
		writer->positioned = 0;
}

/**
 * Adds a process that can write, or computes what it has written.
 *
 * @param file    the file
 * @param user    the process
 * @param target  PID of the target
 * @param again   the processes were added before
 */
static void add_writer(struct shared_file *file, const struct pm_file_user *user, pid_t target,
                       bool again)
{
	uint64_t mapped = mapped_of(user->pid);

	for (size_t i = 0; again && i < file->writer_count; i++) {
		struct shared_writer *writer = &file->writers[i];

		if (writer->pid != user->pid || writer->start_ticks != user->start_ticks)
			continue;
		compare_writer(writer, user, mapped);
		return;
	}

	if (file->writer_count == SHARED_WRITERS_MAX)
		return;

	struct shared_writer added = { .pid = user->pid,
		                       .start_ticks = user->start_ticks,
		                       .target = user->pid == target,
		                       .offsets = user->offsets,
		                       .mapped = mapped,
		                       .calls = user->written,
		                       .calls_known = user->written_known,
		                       .positioned = UINT64_MAX };
	memcpy(added.comm, user->comm, sizeof added.comm);
	/* It started to use the file during the measurement. */
	if (again) {
		added.written = user->offsets;
		added.by_offsets = true;
		added.positioned = user->written_known ? user->written : UINT64_MAX;
	}

	file->writers[file->writer_count++] = added;
}

/** Finds the processes that can write to the files. */
static int read_writers(struct shared_files *files, pid_t target, bool again,
                        struct pm_error *error)
{
	const struct pm_file_users_options options = { .no_sizes = true };
	struct pm_file identities[SHARED_FILES_MAX];
	struct pm_file_users users;

	if (files->count == 0)
		return 0;
	for (size_t i = 0; i < files->count; i++)
		identities[i] = files->items[i].file;
	if (pm_file_users_read(identities, files->count, &options, &users, error) < 0)
		return -1;

	for (size_t i = 0; i < users.count; i++)
		if (pm_file_user_may_write(&users.items[i]))
			add_writer(&files->items[users.items[i].file], &users.items[i], target,
			           again);

	files->unreadable = users.unreadable;
	pm_file_users_deinit(&users);
	return 0;
}

int shared_files_begin(struct shared_files *files, struct pm_process *process,
                       struct pm_error *error)
{
	struct pm_error cause = { 0 };
	struct pm_regions regions;

	pm_regions_init(&regions);
	int result = pm_maps_read(process, PM_MAPS, &regions, &cause);
	if (result == 0) {
		add_files(files, process, &regions);
		files->first_time = clock_boot_seconds();
	}

	pm_regions_deinit(&regions);
	if (result == 0 || (cause.kind != PM_ERROR_GONE && cause.kind != PM_ERROR_RESOURCES))
		return 0;

	*error = cause;
	return -1;
}

/** Reads the sizes of a file again, and computes its growth. */
static void measure_again(struct shared_file *file, struct pm_process *process,
                          const struct pm_regions *regions, double seconds)
{
	const struct pm_region *region = pm_regions_find(regions, file->start);
	struct pm_file now;
	uint64_t first = used_of(file, &file->first);

	file->used = first;
	if (!region || pm_file_from_region(process, region, &now, &file->last, NULL) < 0 ||
	    !file->last.known || !pm_file_equal(&now, &file->file))
		return;

	file->used = used_of(file, &file->last);
	if (file->used >= first + min_growth && seconds > 0)
		file->rate = (double)(file->used - first) / seconds;
}

int shared_files_add(struct shared_files *files, struct pm_process *process,
                     const struct pm_regions *regions, struct pm_error *error)
{
	double seconds = clock_boot_seconds() - files->first_time;
	bool grown = false;

	if (files->writers_read)
		return 0;

	for (size_t i = 0; i < files->count; i++) {
		measure_again(&files->items[i], process, regions, seconds);
		files->items[i].writers_from = files->items[i].used;
		grown = grown || files->items[i].rate > 0;
	}

	if (!grown)
		return 0;

	files->writers_read = true;
	return read_writers(files, pm_process_pid(process), false, error);
}

/** Orders writers by descending number of written bytes. */
static int compare_writers(const void *one, const void *other)
{
	const struct shared_writer *a = one, *b = other;

	if (a->written != b->written)
		return (a->written < b->written) - (a->written > b->written);
	if (a->target != b->target)
		return a->target - b->target;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/** Orders files by descending rate. */
static int compare_files(const void *one, const void *other)
{
	const struct shared_file *a = one, *b = other;

	return (a->rate < b->rate) - (a->rate > b->rate);
}

int shared_files_end(struct shared_files *files, struct pm_process *process, struct pm_error *error)
{
	double seconds = clock_boot_seconds() - files->first_time;
	struct pm_regions regions;
	bool grown = false;

	if (files->count == 0)
		return 0;

	pm_regions_init(&regions);
	int result = pm_maps_read(process, PM_MAPS, &regions, error);
	for (size_t i = 0; result == 0 && i < files->count; i++) {
		measure_again(&files->items[i], process, &regions, seconds);
		grown = grown || files->items[i].rate > 0;
	}

	pm_regions_deinit(&regions);
	if (result == 0 && grown)
		result = read_writers(files, pm_process_pid(process), files->writers_read, error);
	if (result < 0)
		return -1;

	for (size_t i = 0; i < files->count; i++)
		qsort(files->items[i].writers, files->items[i].writer_count,
		      sizeof *files->items[i].writers, compare_writers);
	qsort(files->items, files->count, sizeof *files->items, compare_files);
	return 0;
}

const struct shared_file *shared_files_at(const struct shared_files *files, uint64_t address)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].start == address)
			return &files->items[i];
	return NULL;
}

bool shared_files_has_written(const struct shared_file *file, const struct shared_writer *writer)
{
	uint64_t needed = (file->used - file->writers_from) / 2;

	if (file->used <= file->writers_from || writer->written < needed)
		return false;
	if (writer->by_offsets)
		return true;

	/* Its pages can also be resident because it has read what another process wrote. */
	for (size_t i = 0; i < file->writer_count; i++) {
		const struct shared_writer *other = &file->writers[i];

		if (other != writer && (other->by_offsets || other->positioned >= needed) &&
		    pm_max(other->written, other->positioned) >= needed)
			return false;
	}

	return true;
}

static void put_writer(const struct shared_writer *writer, struct text *text)
{
	text_format(text, "%d ", (int)writer->pid);
	utf8_escape(text, writer->comm, strlen(writer->comm));
	if (writer->target)
		text_string(text, " itself");
}

void shared_files_put_writers(const struct shared_files *files, const struct shared_file *file,
                              struct text *text)
{
	size_t count = 0;

	/* Processes that share a descriptor have the same offset: each of them can be the writer.
	 */
	for (; count < file->writer_count; count++) {
		if (!shared_files_has_written(file, &file->writers[count]))
			break;
		text_string(text, count > 0 ? " or " : "written by ");
		put_writer(&file->writers[count], text);
	}

	if (count > 0)
		return;

	for (size_t i = 0; i < file->writer_count; i++) {
		text_string(text, count++ > 0 ? ", " : "");
		put_writer(&file->writers[i], text);
	}

	if (count > 0)
		text_string(text, " can write to it");
	else
		text_string(text, "its writer was not found");
	if (files->unreadable > 0)
		text_format(text, " (%zu process%s could not be read)", files->unreadable,
		            files->unreadable == 1 ? "" : "es");
}
