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
		return pm_error_set(error, PM_ERROR_USAGE, 0, "a kind is missing in the list");

	const char *nearest = nearest_kind(text);
	if (nearest)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a kind; did you mean '%s'?", text, nearest);
	if (error)
		*error = unknown;
	return -1;
}

static int say_unknown(const char *text, struct pm_error *error)
{
	static const char forms[] = "an address (7f3a08000000), ADDR-END, ADDR+LEN, a kind (heap, "
				    "stack, ...), [name] or all";
	const char *near = nearest_kind(text);

	/* Matches are shown as an address and as "anon +0x40": regions of a kind are many, so the
	 * latter says no place. */
	if (strchr(text, '+') && text[strcspn(text, "+-")] == '-')
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a REGION: it is ADDR-END or ADDR+LEN, not both",
		                    text);

	if (strchr(text, '+'))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a REGION: before + stands an address, as in a "
		                    "first column: 7f3a08000000+64",
		                    text);
	if (near)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is not a REGION; did you mean '%s'? It may be %s",
		                    text, near, forms);

	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%.64s' is not a REGION: it may be %s", text,
	                    forms);
}

/** Reads an address at *text, with or without `0x`, and moves behind it. */
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

/**
 * Reads `ADDR`, `ADDR-END` or `ADDR+LEN`.
 * @return 1; 0: it is none of them; -1: it is one that makes no sense
 */
static int parse_addresses(const char *text, struct pm_word *word, struct pm_error *error)
{
	const char *at = text;
	uint64_t start, end, length;
	if (!scan_address(&at, &start))
		return 0;

	word->type = *at == '\0' ? PM_WORD_ADDRESS : PM_WORD_RANGE;
	word->start = word->end = start;
	if (*at == '\0')
		return 1;

	if (*at == '+') {
		if (strpbrk(at + 1, "+-"))
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"'%.64s' is not a REGION: ADDR+LEN has one length, and no sums",
				text);
		if (pm_parse_size(at + 1, &length, error) < 0)
			return -1;
		if (length == 0)
			return pm_error_set(error, PM_ERROR_USAGE, 0, "'%.64s' is no bytes long",
			                    text);
		if (__builtin_add_overflow(start, length, &end))
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "'%.64s' goes beyond the last address", text);
	} else {
		if (*at++ != '-' || !scan_address(&at, &end) || *at != '\0')
			return 0;
		if (end <= start)
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"'%.64s' does not end behind its begin: behind - stands an address",
				text);
	}

	word->end = end;
	return 1;
}

int pm_word_parse(const char *text, struct pm_word *word, struct pm_error *error)
{
	struct pm_word parsed = { .type = PM_WORD_ALL };
	size_t length = strlen(text);
	if (strcmp(text, "all") != 0) {
		/* Kinds come before addresses: a kind all of hexadecimal digits would otherwise be
		 * out of reach. */
		if (length > 0 && pm_kind_parse(text, &parsed.kind, NULL) == 0) {
			parsed.type = PM_WORD_KIND;
		} else if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
			parsed.type = PM_WORD_NAME;
		} else {
			int found = parse_addresses(text, &parsed, error);
			if (found <= 0)
				return found < 0 ? -1 : say_unknown(text, error);
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
 * Words about a neighbour: "7f0000-7f1000 [heap]".
 * @param text 192 bytes
 */
static const char *neighbour_text(const struct pm_region *region, char *text)
{
	const char *name = region->mapping[0] != '\0' ? region->mapping
	                                              : pm_kind_name((enum pm_kind)region->kind);
	snprintf(text, 192, "%" PRIx64 "-%" PRIx64 "%s%.140s", region->start, region->end,
	         name[0] != '\0' ? " " : "", name);
	return text;
}

static int say_unmapped(const struct pm_word *word, const struct pm_regions *regions,
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
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "nothing is mapped %s %s; the nearest are %s below and %s above",
		             where, place, neighbour_text(before, below),
		             neighbour_text(after, above));
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
		             "nothing is mapped %s %s, nor anywhere else", where, place);

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

/** A range keeps its borders, and the bytes between that are not mapped. */
static int resolve_address(const struct pm_word *word, const struct pm_regions *regions,
                           struct pm_ranges *ranges, struct pm_error *error)
{
	size_t index = pm_regions_index(regions, word->start);
	if (index == regions->count || !word_fits(word, &regions->items[index]))
		return say_unmapped(word, regions, error);
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
