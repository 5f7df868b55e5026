/* SPDX-License-Identifier: MIT */
#include "region/select_words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/typo.h>

#include "base/array.h"
#include "base/number.h"

static const char *nearest_kind(const char *text)
{
	const char *names[PM_KIND_COUNT] = { "all" };
	for (unsigned i = PM_KIND_UNKNOWN + 1; i < PM_KIND_COUNT; i++)
		names[i] = pm_kind_name((enum pm_kind)i);
	return pm_typo_nearest(text, names, PM_KIND_COUNT);
}

int pm_word_kind(const char *text, enum pm_kind *kind, struct pm_error *error)
{
	struct pm_error unknown;
	if (text[0] != '\0' && pm_kind_parse(text, kind, &unknown) == 0)
		return 0;
	if (text[0] == '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0, "a kind in the list is empty");

	const char *nearest = nearest_kind(text);
	if (nearest)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a kind; did you mean '%s'?", text, nearest);
	if (error)
		*error = unknown;
	return -1;
}

/** Number of names that a list of owners can have: owners and families. */
enum { NAMES = 2 * PM_OWNER_COUNT };

int pm_word_owners(const char *text, uint64_t *owners, struct pm_error *error)
{
	const char *names[NAMES];
	uint64_t found = 0;

	for (unsigned i = 0; i < PM_OWNER_COUNT; i++) {
		const char *name = pm_owner_name((enum pm_owner)i);
		const char *family = pm_owner_family((enum pm_owner)i);

		names[i] = name;
		names[PM_OWNER_COUNT + i] = family;
		if (strcmp(text, name) == 0 || strcmp(text, family) == 0)
			found |= UINT64_C(1) << i;
	}

	*owners |= found;
	if (found != 0)
		return 0;
	if (text[0] == '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0, "an owner in the list is empty");

	const char *nearest = pm_typo_nearest(text, names, NAMES);
	if (nearest)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not an owner; did you mean '%s'?", text, nearest);
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "'%.64s' is not an owner: use names of the column owner, such as "
	                    "malloc or java/heap, or their part before '/', such as java",
	                    text);
}

/** Sets the error for a word that is not a REGION. The text says what a REGION may be. */
static int report_unknown(const char *text, struct pm_error *error)
{
	static const char forms[] = "an address (7f3a08000000), ADDR-END, ADDR+LEN, a kind (heap, "
				    "stack, ...), [name] or 'all'";
	const char *near = nearest_kind(text);

	/* Commands that search memory print the place of a match as "anon +0x40". Such a word is
	 * not accepted as a REGION, since there may be many regions of this kind. */
	if (strchr(text, '+') && text[strcspn(text, "+-")] == '-')
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%.64s' is not a REGION: use either ADDR-END or ADDR+LEN, not both", text);

	if (strchr(text, '+'))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a REGION: expected an address before +, as in "
		                    "7f3a08000000+64",
		                    text);
	if (near)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a REGION; did you mean '%s'? A REGION is %s",
		                    text, near, forms);

	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%.64s' is not a REGION: a REGION is %s",
	                    text, forms);
}

/**
 * Parses an address at *text, with or without `0x`, and moves *text past the address.
 * @return false if there is no address; *text is unchanged in this case
 */
static bool scan_address(const char **text, uint64_t *address)
{
	const char *at = *text;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	if (!pm_scan_hex(&at, address))
		return false;

	*text = at;
	return true;
}

/** Result of parsing a word as addresses. */
enum parsed {
	PARSED_INVALID = -1, /* invalid addresses; the error is set */
	PARSED_OTHER,        /* the word has another form, so it is not an address or range */
	PARSED_ADDRESSES,
};

/**
 * Parses the LEN of `ADDR+LEN`.
 *
 * @param text         the whole word, for errors
 * @param length_text  the LEN
 * @param start        the address ADDR
 * @param end          receives ADDR plus LEN
 * @param error        PM_ERROR_USAGE
 * @return             PARSED_ADDRESSES or PARSED_INVALID
 */
static enum parsed parse_length(const char *text, const char *length_text, uint64_t start,
                                uint64_t *end, struct pm_error *error)
{
	uint64_t length;

	if (strpbrk(length_text, "+-"))
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%.64s' is not a REGION: ADDR+LEN takes a single length, not a sum", text);
	if (pm_parse_size(length_text, &length, error) < 0)
		return PARSED_INVALID;
	if (length == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%.64s' has the length 0", text);
	if (__builtin_add_overflow(start, length, end))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' extends beyond the end of the address space", text);

	return PARSED_ADDRESSES;
}

/** Parses `ADDR`, `ADDR-END` or `ADDR+LEN`. */
static enum parsed parse_addresses(const char *text, struct pm_word *word, struct pm_error *error)
{
	const char *at = text;
	uint64_t start, end;

	if (!scan_address(&at, &start))
		return PARSED_OTHER;
	if (*at == '\0') {
		word->type = PM_WORD_ADDRESS;
		word->start = word->end = start;
		return PARSED_ADDRESSES;
	}

	if (*at == '+') {
		enum parsed parsed = parse_length(text, at + 1, start, &end, error);
		if (parsed != PARSED_ADDRESSES)
			return parsed;
	} else if (*at++ != '-' || !scan_address(&at, &end) || *at != '\0') {
		return PARSED_OTHER;
	} else if (end <= start) {
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s': the end address must be above the start address",
		                    text);
	}

	word->type = PM_WORD_RANGE;
	word->start = start;
	word->end = end;

	return PARSED_ADDRESSES;
}

int pm_word_parse(const char *text, struct pm_word *word, struct pm_error *error)
{
	struct pm_word parsed = { .type = PM_WORD_ALL };
	size_t length = strlen(text);
	if (strcmp(text, "all") != 0) {
		/* Test for kinds before addresses, since the name of a kind could consist of
		 * hexadecimal digits. */
		if (length > 0 && pm_kind_parse(text, &parsed.kind, NULL) == 0) {
			parsed.type = PM_WORD_KIND;
		} else if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
			parsed.type = PM_WORD_NAME;
		} else {
			enum parsed result = parse_addresses(text, &parsed, error);
			if (result == PARSED_INVALID)
				return -1;
			if (result == PARSED_OTHER)
				return report_unknown(text, error);
		}
	}

	parsed.text = strdup(text);
	if (!parsed.text)
		return pm_error_out_of_memory(error);

	*word = parsed;
	return 0;
}

static int add_range(struct pm_ranges *ranges, struct pm_range range, struct pm_error *error)
{
	if (pm_array_reserve(&ranges->items, &ranges->capacity, ranges->count, 1,
	                     sizeof *ranges->items, error) < 0)
		return -1;
	ranges->items[ranges->count++] = range;
	return 0;
}

/**
 * Formats a region for an error, such as "7f0000-7f1000 [heap]".
 * @param text  buffer of 192 bytes
 * @return      `text`
 */
static const char *neighbour_text(const struct pm_region *region, char *text)
{
	const char *name = region->mapping;
	if (name[0] == '\0')
		name = pm_kind_name((enum pm_kind)region->kind);

	int length = snprintf(text, 192, "%" PRIx64 "-%" PRIx64, region->start, region->end);
	if (name[0] != '\0')
		snprintf(text + length, 192 - (size_t)length, " %.140s", name);

	return text;
}

/**
 * Sets the error for an address at which nothing is mapped, or for a range that contains no mapped
 * byte. The text contains the nearest regions.
 */
static int report_unmapped(const struct pm_word *word, const struct pm_regions *regions,
                           struct pm_error *error)
{
	char below[192], above[192], place[48];
	size_t index = pm_regions_index(regions, word->start);
	const char *where = word->type == PM_WORD_RANGE ? "in" : "at";
	const struct pm_region *before = index > 0 ? &regions->items[index - 1] : NULL;
	const struct pm_region *after = index < regions->count ? &regions->items[index] : NULL;

	if (word->type == PM_WORD_ADDRESS)
		snprintf(place, sizeof place, "0x%" PRIx64, word->start);
	else
		snprintf(place, sizeof place, "%.40s", word->text);

	if (before && after)
		pm_error_set(
			error, PM_ERROR_NOT_FOUND, 0,
			"nothing is mapped %s %s; the nearest regions are %s below and %s above",
			where, place, neighbour_text(before, below), neighbour_text(after, above));
	else if (before)
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "nothing is mapped %s %s; the last region is %s", where, place,
		             neighbour_text(before, below));
	else if (after)
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "nothing is mapped %s %s; the first region is %s", where, place,
		             neighbour_text(after, above));
	else
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "nothing is mapped %s %s: the target has no regions at all", where,
		             place);

	if (error)
		error->address = word->start;

	return -1;
}

static bool word_fits(const struct pm_word *word, const struct pm_region *region)
{
	switch (word->type) {
	case PM_WORD_ALL:
		return true;
	case PM_WORD_KIND:
		return region->kind == word->kind;
	case PM_WORD_NAME:
		return strcmp(region->mapping, word->text) == 0;
	case PM_WORD_ADDRESS:
		return region->start <= word->start && word->start < region->end;
	case PM_WORD_RANGE:
		return region->start < word->end && word->start < region->end;
	}
	return false;
}

/**
 * Adds the addresses of a PM_WORD_ADDRESS or PM_WORD_RANGE. For an address, this is the whole
 * region that contains the address. A range is added as given, even if some of its bytes are not
 * mapped.
 */
static int resolve_address(const struct pm_word *word, const struct pm_regions *regions,
                           struct pm_ranges *ranges, struct pm_error *error)
{
	size_t index = pm_regions_index(regions, word->start);
	if (index == regions->count || !word_fits(word, &regions->items[index]))
		return report_unmapped(word, regions, error);
	if (word->type == PM_WORD_RANGE)
		return add_range(ranges, (struct pm_range){ word->start, word->end }, error);

	return add_range(ranges, pm_region_bounds(&regions->items[index]), error);
}

int pm_word_resolve(const struct pm_word *word, const struct pm_regions *regions,
                    struct pm_ranges *ranges, struct pm_error *error)
{
	if (word->type == PM_WORD_ADDRESS || word->type == PM_WORD_RANGE)
		return resolve_address(word, regions, ranges, error);

	size_t before = ranges->count;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (word_fits(word, region) &&
		    add_range(ranges, pm_region_bounds(region), error) < 0)
			return -1;
	}

	if (ranges->count > before || word->type == PM_WORD_ALL)
		return 0;
	if (word->type == PM_WORD_KIND)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no region is of kind %s",
		                    word->text);

	return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no region is called %s", word->text);
}
