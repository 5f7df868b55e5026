/* SPDX-License-Identifier: MIT */
#include "reader/copy_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/search.h"

#ifndef MADV_POPULATE_WRITE
enum { MADV_POPULATE_WRITE = 23 };
#endif

/*
 * Room around each range, in bytes. Between the preparation and the stop, the brk heap grows at its
 * end, and mappings of mmap(2) grow at their start.
 */
static const uint64_t ROOM = UINT64_C(64) << 20;

/* End of the addresses of user space on x86-64 with five levels of page tables. */
static const uint64_t ADDRESS_END = UINT64_C(1) << 56;

int pm_range_list_add(struct pm_range_list *list, struct pm_range range, struct pm_error *error)
{
	if (list->count > 0 && list->items[list->count - 1].end == range.start) {
		list->items[list->count - 1].end = range.end;
		return 0;
	}

	if (pm_array_reserve(&list->items, &list->capacity, list->count, 1, sizeof *list->items,
	                     error) < 0)
		return -1;

	list->items[list->count++] = range;
	return 0;
}

/** Returns the index of the first image that ends after an address. */
static size_t image_after(const struct pm_copy_buffer *buffer, uint64_t address)
{
	return pm_first_above(buffer->images, buffer->count, sizeof *buffer->images,
	                      offsetof(struct pm_copy_image, end), address);
}

char *pm_copy_buffer_at(const struct pm_copy_buffer *buffer, uint64_t address, uint64_t size)
{
	size_t index = image_after(buffer, address);
	if (index == buffer->count)
		return NULL;

	const struct pm_copy_image *image = &buffer->images[index];
	if (address < image->start || size > image->end - address)
		return NULL;

	return image->bytes + (address - image->start);
}

/** Maps the bytes of an image. They are not part of a core dump, and children do not get them. */
static int map_image(struct pm_copy_image *image, struct pm_error *error)
{
	size_t size = (size_t)(image->end - image->start);
	char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED) {
		char text[PM_SIZE_TEXT_SIZE];
		pm_format_size(size, text);
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "cannot reserve %s of address space for a copy: %s", text,
		                    strerror(errno));
	}

	madvise(bytes, size, MADV_DONTDUMP);
	madvise(bytes, size, MADV_DONTFORK);
	image->bytes = bytes;

	return 0;
}

/** Inserts an image at an index, and maps its bytes. */
static int insert(struct pm_copy_buffer *buffer, size_t index, struct pm_copy_image image,
                  struct pm_error *error)
{
	if (pm_array_reserve(&buffer->images, &buffer->capacity, buffer->count, 1,
	                     sizeof *buffer->images, error) < 0 ||
	    map_image(&image, error) < 0)
		return -1;

	memmove(&buffer->images[index + 1], &buffer->images[index],
	        (buffer->count - index) * sizeof *buffer->images);
	buffer->images[index] = image;
	buffer->count++;

	return 0;
}

int pm_copy_buffer_reserve(struct pm_copy_buffer *buffer, const struct pm_range *ranges,
                           size_t count, struct pm_error *error)
{
	size_t next = 0;

	while (next < count) {
		uint64_t start = ranges[next].start;
		struct pm_copy_image image = { .start = start > ROOM ? start - ROOM : 0 };

		do {
			image.end = pm_min(ranges[next].end + ROOM, ADDRESS_END);
			next++;
		} while (next < count && ranges[next].start <= image.end + ROOM);

		if (insert(buffer, buffer->count, image, error) < 0)
			return -1;
	}

	return 0;
}

int pm_copy_buffer_extend(struct pm_copy_buffer *buffer, struct pm_range range,
                          struct pm_error *error)
{
	struct pm_copy_image image = { .start = range.start, .end = range.end };
	size_t index = image_after(buffer, range.start);

	if (pm_copy_buffer_at(buffer, range.start, pm_range_size(range)))
		return 0;

	/* Ranges that adjoin are united, so all bytes of both must be in one image. */
	if (index > 0 && buffer->images[index - 1].end == range.start)
		index--;
	while (index < buffer->count && buffer->images[index].start <= range.end) {
		struct pm_copy_image *old = &buffer->images[index];
		image.start = pm_min(image.start, old->start);
		image.end = pm_max(image.end, old->end);
		munmap(old->bytes, (size_t)(old->end - old->start));
		memmove(old, old + 1, (--buffer->count - index) * sizeof *old);
	}

	return insert(buffer, index, image, error);
}

int pm_copy_buffer_populate(struct pm_copy_buffer *buffer, struct pm_range range,
                            struct pm_error *error)
{
	size_t size = (size_t)pm_range_size(range), page = (size_t)sysconf(_SC_PAGESIZE);
	char *bytes = pm_copy_buffer_at(buffer, range.start, size);

	if (!bytes || madvise(bytes, size, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "cannot allocate memory for a copy: %s", strerror(errno));

	for (size_t at = 0; at < size; at += page)
		*(volatile char *)(bytes + at) = 0;
	return 0;
}

void pm_copy_buffer_deinit(struct pm_copy_buffer *buffer, const struct pm_range *ranges,
                           size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = (size_t)pm_range_size(ranges[i]);
		char *bytes = pm_copy_buffer_at(buffer, ranges[i].start, size);
		if (bytes)
			explicit_bzero(bytes, size);
	}

	for (size_t i = 0; i < buffer->count; i++)
		munmap(buffer->images[i].bytes,
		       (size_t)(buffer->images[i].end - buffer->images[i].start));

	free(buffer->images);
	*buffer = (struct pm_copy_buffer){ 0 };
}
