/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(const uint8_t *data, size_t size)
{
	static int fd = -1;
	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	fuzz_check(ftruncate(fd, 0) == 0);
	fuzz_check(pwrite(fd, data, size, 0) == (ssize_t)size);
	fuzz_check(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	fuzz_check(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

void fuzz_check(int condition)
{
	if (!condition)
		abort();
}

void fuzz_check_error(const struct pm_error *error)
{
	fuzz_check(error->kind != PM_ERROR_NONE);
	size_t length = strnlen(error->text, sizeof error->text);
	fuzz_check(length > 0 && length < sizeof error->text);
	fuzz_check(memchr(error->text, '\n', length) == NULL);
}

static void check_regions(const struct pm_regions *regions)
{
	uint64_t end = 0;
	size_t characters = 0;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		fuzz_check(region->start >= end && region->start < region->end);
		end = region->end;
		characters += strlen(region->mapping) + strlen(region->why) +
		              pm_detail_format(&region->detail, NULL, 0);
		fuzz_check(pm_regions_find(regions, region->start) == region);
		fuzz_check(pm_regions_find(regions, region->end - 1) == region);
	}

	fuzz_check(characters < SIZE_MAX);
}

void fuzz_maps(const uint8_t *data, size_t size, enum pm_maps_source source)
{
	struct pm_regions regions;
	struct pm_error error = { 0 };
	pm_regions_init(&regions);
	if (pm_maps_read_fd(fuzz_file(data, size), source, "input", &regions, &error) < 0)
		fuzz_check_error(&error);
	check_regions(&regions);
	pm_regions_deinit(&regions);
}
