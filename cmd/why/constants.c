/* SPDX-License-Identifier: MIT */
#include "why/constants.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/text_template.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"

enum {
	LITERAL_MIN = 8, /* shorter texts are in many files */
	BLOCK = 256 << 10,
	PARTS_MAX = 8, /* the regions of a file are beside each other */
};

/* All searches together read at most this number of bytes, in this CPU time in seconds. */
static const uint64_t bytes_max = UINT64_C(64) << 20;
static const double seconds_max = 0.2;

/** Returns the length of the literal characters at the start of a template. */
static size_t literal_length(const char *text)
{
	size_t length = strcspn(text, "#\n\"\xe2");

	/* `0x#` is a number with its prefix. */
	if (text[length] == '#' && length >= 2 && memcmp(text + length - 2, "0x", 2) == 0)
		length -= 2;
	return length;
}

/** Finds the first literal of a template that is long enough. Returns its length; 0 if none is. */
static size_t find_literal(const char *text, const char **literal)
{
	while (*text) {
		size_t length = literal_length(text);

		if (length >= LITERAL_MIN) {
			*literal = text;
			return length;
		}
		text += length;
		text += *text != '\0';
	}
	return 0;
}

/** Tests whether a file is a program or a library: a part of it near a region is executable. */
static bool has_code(const struct pm_regions *regions, size_t index)
{
	const char *name = regions->items[index].mapping;
	size_t first = index < PARTS_MAX ? 0 : index - PARTS_MAX;

	for (size_t i = first; i < regions->count && i <= index + PARTS_MAX; i++)
		if ((regions->items[i].perms & PM_PERM_EXEC) &&
		    strcmp(regions->items[i].mapping, name) == 0)
			return true;
	return false;
}

/** Tests whether a region can have constants: a read-only part of a program or a library. */
static bool may_have_constants(const struct pm_regions *regions, size_t index)
{
	const struct pm_region *region = &regions->items[index];

	return region->mapping[0] == '/' && region->inode != 0 && (region->perms & PM_PERM_READ) &&
	       !(region->perms & (PM_PERM_WRITE | PM_PERM_SHARED)) && has_code(regions, index);
}

/** Searches a region. Returns whether it has the literal. */
static bool search_region(struct why_constants *constants, const struct pm_region *region,
                          const char *literal, size_t length, char *block)
{
	uint64_t next;

	for (uint64_t at = region->start; at < region->end; at = next) {
		size_t size = (size_t)pm_min(BLOCK, region->end - at), done = 0;

		if (constants->bytes + size > bytes_max ||
		    pm_reader_read(constants->files, at, block, size, &done, NULL) < 0)
			return false;
		constants->bytes += done;
		if (memmem(block, done, literal, length))
			return true;
		/* The literal can be in two blocks. */
		if (done < size || done <= length || at + done >= region->end)
			return false;
		next = at + done - length;
	}
	return false;
}

const char *why_constants_find(struct why_constants *constants, const char *text)
{
	const struct pm_regions *regions = constants->regions;
	double began = clock_cpu_seconds();
	const char *literal = NULL, *found = "";
	size_t length = find_literal(text, &literal);

	if (length == 0 || !constants->files->ops)
		return "";

	char *block = alloc_array(NULL, BLOCK, 1);
	for (size_t i = 0; i < regions->count && !*found; i++) {
		const struct pm_region *region = &regions->items[i];

		if (constants->seconds + clock_cpu_seconds() - began > seconds_max)
			break;
		if (may_have_constants(regions, i) &&
		    search_region(constants, region, literal, length, block))
			found = region->mapping;
	}

	constants->seconds += clock_cpu_seconds() - began;
	free(block);
	return found;
}

size_t why_constants_read_text(struct pm_reader *memory, uint64_t address, uint64_t size,
                               const char *known, char *text)
{
	char bytes[WHY_CONSTANTS_TEXT_MAX];
	size_t done = 0, length = 0;

	if (!memory->ops || pm_reader_read(memory, address, bytes,
	                                   (size_t)pm_min(size, sizeof bytes), &done, NULL) < 0)
		return 0;
	while (length < done && (unsigned char)bytes[length] >= ' ' && bytes[length] != 0x7f)
		length++;

	length = pm_text_template_write(bytes, length, text);
	if (length <= strlen(known) || memcmp(text, known, strlen(known)) != 0)
		return 0;
	return length;
}
