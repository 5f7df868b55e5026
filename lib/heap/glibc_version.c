/* SPDX-License-Identifier: MIT */
#include "heap/glibc_version.h"

#include <string.h>

enum {
	PAGE = 4096,
	TEXT_MAX = 256,         /* maximum length of the first line of the text */
	SEARCHED_MAX = 4 << 20, /* bytes of memory that are searched: all constant data of libc */
	MINOR_MAX = 999,
};

/** Parses "2.N" at the start of a text. Returns N, or -1 if there is no such version. */
static int parse_minor(const char *text, size_t size, size_t *length)
{
	int minor = 0;
	size_t at = 2;

	if (size < 4 || memcmp(text, "2.", 2) != 0)
		return -1;
	while (at < size && text[at] >= '0' && text[at] <= '9' && minor <= MINOR_MAX)
		minor = minor * 10 + (text[at++] - '0');

	*length = at;
	return at > 2 && minor <= MINOR_MAX ? minor : -1;
}

/** Searches bytes for the text. Returns the minor version, or -1. */
static int find_text(const char *bytes, size_t size)
{
	static const char start[] = "GNU C Library (", before[] = " release version ";
	const char *end = bytes + size, *found;

	while ((found = memmem(bytes, (size_t)(end - bytes), start, strlen(start)))) {
		size_t rest = (size_t)(end - found), length;
		if (rest > TEXT_MAX)
			rest = TEXT_MAX;
		const char *version = memmem(found, rest, before, strlen(before));
		if (version) {
			version += strlen(before);
			return parse_minor(version, (size_t)(found + rest - version), &length);
		}
		bytes = found + 1;
	}

	return -1;
}

/**
 * Searches a region.
 * @param left   number of bytes that may still be searched; is reduced
 * @param minor  receives the minor version, or -1
 */
static int search_region(const struct pm_glibc *glibc, const struct pm_region *region,
                         uint64_t *left, int *minor, struct pm_error *error)
{
	struct pm_heap_window *window = glibc->heap->window;
	uint64_t at = region->start;

	while (at < region->end && *left > 0 && *minor < 0) {
		const void *bytes;
		size_t size = 0;
		if (pm_heap_window_next(window, at, region->end, &at, error) < 0)
			return -1;
		if (at >= region->end)
			return 0;

		int found = pm_heap_window_ahead(window, at, region->end, &bytes, &size, error);
		if (found < 0)
			return -1;
		if (found > 0)
			*minor = find_text(bytes, size);

		/* A text that crosses the end of the bytes is read again. */
		uint64_t step = PAGE;
		if (found > 0 && size > PAGE + TEXT_MAX && at + size < region->end)
			step = size - TEXT_MAX;
		else if (found > 0 && size > PAGE)
			step = size;
		at += step;
		*left -= step < *left ? step : *left;
	}

	return 0;
}

int pm_glibc_version_find(struct pm_glibc *glibc, struct pm_error *error)
{
	const struct pm_regions *regions = glibc->heap->source.regions;
	uint64_t left = SEARCHED_MAX;
	int minor = -1;

	for (size_t i = 0; glibc->file && i < regions->count && minor < 0; i++) {
		const struct pm_region *region = &regions->items[i];
		unsigned others = PM_PERM_WRITE | PM_PERM_EXEC;
		if (!(region->perms & PM_PERM_READ) || (region->perms & others) != 0 ||
		    region->mapping[0] != '/' || strcmp(region->mapping, glibc->file) != 0)
			continue;
		if (search_region(glibc, region, &left, &minor, error) < 0)
			return -1;
	}

	glibc->minor = minor > 0 ? minor : 0;
	return 0;
}

bool pm_glibc_version_is_in(const char *range, int minor)
{
	size_t size = strlen(range), length = 0;
	int first = parse_minor(range, size, &length), last = first;

	if (first >= 0 && range[length] == '-')
		last = parse_minor(range + length + 1, size - length - 1, &length);
	return first >= 0 && minor >= first && minor <= last;
}
