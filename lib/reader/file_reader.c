/* SPDX-License-Identifier: MIT */
/*
 * Reads bytes of mapped files and of shared memory by opening the file, not through the memory of
 * the target. This is used for pages that the target has not touched: reading such a page through
 * the target would make the page resident in the target. A few files are kept open; a lock allows
 * several threads to use them.
 */
#include <procmem/file_reader.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "reader/mapped_file.h"

/* Maximum number of files that are kept open. A few are enough: the regions of a plan are read
 * in order, and threads that read at the same time are only a few regions apart. */
enum { OPEN_FILES = 8 };

/** An open file, or the reason why it could not be opened. */
struct slot {
	/* A region that maps the file; NULL if the slot is free */
	const struct pm_region *region;
	/* Descriptor of the file. It is -1 if the slot is free, or if the file could not be
	 * opened; `why` then has the reason. */
	int fd;
	struct pm_error why;
};

struct file_reader {
	struct pm_process *process;
	const struct pm_regions *regions;
	uint64_t page_mask;
	/* Guards the slots. The lock is held while a file is read, so that no other thread
	 * closes this file. */
	pthread_mutex_t lock;
	size_t next_slot; /* index of the slot whose file is closed to open the next file */
	struct slot slots[OPEN_FILES];
};

static const struct slot *slot_for(struct file_reader *reader, const struct pm_region *region)
{
	for (size_t i = 0; i < OPEN_FILES; i++)
		if (reader->slots[i].region == region)
			return &reader->slots[i];

	struct slot *slot = &reader->slots[reader->next_slot];
	reader->next_slot = (reader->next_slot + 1) % OPEN_FILES;
	if (slot->fd >= 0)
		close(slot->fd);
	slot->region = region;
	if (pm_mapped_file_open(reader->process, region, &slot->fd, &slot->why) < 0)
		slot->fd = -1;

	return slot;
}

static int unreadable(uint64_t address, int cause, const char *why, struct pm_error *error)
{
	pm_error_set(error, PM_ERROR_UNREADABLE, cause, "%s", why);
	if (error)
		error->address = address;
	return -1;
}

/**
 * Reads a range of a region from its file. If the file ends within a page, the rest of this page is
 * returned as zeros, as in memory.
 * @return 0 if the whole range was read; otherwise -1, with the number of bytes read in `*got` and
 *         the reason in `error`
 */
static int read_file(struct file_reader *reader, const struct pm_region *region,
                     struct pm_range range, char *buffer, size_t *got, struct pm_error *error)
{
	uint64_t size = pm_range_size(range);
	const struct slot *slot = slot_for(reader, region);

	*got = 0;
	if (slot->fd < 0)
		return unreadable(range.start, slot->why.os_errno, slot->why.text, error);

	while (*got < size) {
		uint64_t offset = region->offset + (range.start - region->start) + *got;
		ssize_t bytes = 0;

		/* File offsets are signed, so an offset from 2^63 on cannot be read. It is
		 * handled like the end of the file. */
		if (!(offset >> 63))
			bytes = pm_pread(slot->fd, buffer + *got, (size_t)size - *got, offset);
		if (bytes < 0)
			return unreadable(range.start + *got, errno,
			                  "reading the mapped file failed", error);
		if (bytes == 0)
			break;
		*got += (size_t)bytes;
	}

	if (*got > 0) {
		uint64_t rest_of_page = -(range.start + *got) & reader->page_mask;
		size_t zeros = (size_t)pm_min(rest_of_page, size - *got);

		memset(buffer + *got, 0, zeros);
		*got += zeros;
	}

	if (*got == size)
		return 0;

	return unreadable(range.start + *got, 0, "beyond the end of the mapped file", error);
}

/**
 * Reads a range that may extend over several regions.
 * @param done  its value is increased by the number of bytes read
 * @return      0 if the whole range was read; -1 if only a part was read, with the reason in
 *              `error`
 */
static int read_range(struct file_reader *reader, struct pm_range range, char *buffer, size_t *done,
                      struct pm_error *error)
{
	while (pm_range_size(range) > 0) {
		const struct pm_region *region = pm_regions_find(reader->regions, range.start);
		if (!region || region->inode == 0)
			return unreadable(range.start, 0, "no file is mapped there", error);

		uint64_t left = pm_min(pm_range_size(range), region->end - range.start);
		struct pm_range part = { range.start, range.start + left };
		size_t got;
		int result = read_file(reader, region, part, buffer, &got, error);

		*done += got;
		if (result < 0)
			return -1;

		buffer += got;
		range.start += got;
	}

	return 0;
}

static int file_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	struct file_reader *reader = context;
	size_t got = 0;
	pthread_mutex_lock(&reader->lock);

	for (size_t i = 0; i < count; i++)
		if (read_range(reader, ranges[i], (char *)buffer + got, &got, error) < 0)
			break;

	pthread_mutex_unlock(&reader->lock);
	*done = got;
	return 0;
}

static void file_close(void *context)
{
	struct file_reader *reader = context;
	for (size_t i = 0; i < OPEN_FILES; i++)
		if (reader->slots[i].fd >= 0)
			close(reader->slots[i].fd);
	pthread_mutex_destroy(&reader->lock);
	free(reader);
}

/**
 * Finds the first part of a file that is in a hole, or that is in no hole. Parts end at page
 * boundaries.
 *
 * @param offset  offset of the bytes in the file
 * @param size    number of bytes
 * @param mask    page size - 1
 * @param hole    set to true if the part is in a hole; otherwise unchanged
 * @return        size of the part, at most `size`
 */
static uint64_t find_part(int fd, uint64_t offset, uint64_t size, uint64_t mask, bool *hole)
{
	struct stat status;

	if (size >> 62 || offset >> 62)
		return size;

	off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO && fstat(fd, &status) == 0) {
		/* There is no data from the offset on, up to the end of the file. */
		uint64_t end = ((uint64_t)status.st_size + mask) & ~mask;
		*hole = offset < end;
		return *hole ? pm_min(size, end - offset) : size;
	}
	if (data < 0)
		return size; /* the file system does not support SEEK_DATA */

	uint64_t start = (uint64_t)data & ~mask;
	if (start > offset) {
		*hole = true;
		return pm_min(size, start - offset);
	}

	off_t next = lseek(fd, data, SEEK_HOLE);
	uint64_t end = next < 0 ? 0 : ((uint64_t)next + mask) & ~mask;
	return end > offset ? pm_min(size, end - offset) : size;
}

static uint64_t find_hole(void *context, const struct pm_region *region, struct pm_range range,
                          bool *hole)
{
	struct file_reader *reader = context;
	uint64_t size = pm_range_size(range);

	*hole = false;
	pthread_mutex_lock(&reader->lock);
	const struct slot *slot = slot_for(reader, region);
	if (slot->fd >= 0)
		size = find_part(slot->fd, region->offset + (range.start - region->start), size,
		                 reader->page_mask, hole);
	pthread_mutex_unlock(&reader->lock);

	return range.start + size;
}

static const struct pm_reader_ops file_ops = { .read = file_read, .close = file_close };

struct pm_hole_source pm_file_reader_holes(const struct pm_reader *reader)
{
	struct pm_hole_source source = { 0 };

	if (reader && reader->ops == &file_ops) {
		source.find = find_hole;
		source.context = reader->context;
	}

	return source;
}

int pm_file_reader_open(struct pm_process *process, const struct pm_regions *regions,
                        struct pm_reader *reader, struct pm_error *error)
{
	struct file_reader *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	opened->regions = regions;
	opened->page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;

	for (size_t i = 0; i < OPEN_FILES; i++)
		opened->slots[i].fd = -1;

	int cause = pthread_mutex_init(&opened->lock, NULL);
	if (cause != 0) {
		free(opened);
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot create a lock: %s",
		                    strerror(cause));
	}

	*reader = (struct pm_reader){ .ops = &file_ops, .context = opened };
	return 0;
}
