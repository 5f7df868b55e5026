/* SPDX-License-Identifier: MIT */
#include "target/owner_parts.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "target/region_text.h"

/* Number of parts that are named. */
enum { SHOWN = 3 };

/** Regions with the same name. */
struct part {
	char *name; /* owned */
	uint64_t bytes;
};

static int compare(const void *one, const void *other)
{
	return strcmp(((const struct part *)one)->name, ((const struct part *)other)->name);
}

/**
 * Adds the name of the part to which a region belongs.
 * @return false if regions of the owner have no names that say more than the owner
 */
static bool put_name(enum pm_owner owner, const struct pm_region *region, struct text *text)
{
	switch (owner) {
	case PM_OWNER_MALLOC:
	case PM_OWNER_KERNEL:
		text_string(text, pm_kind_name((enum pm_kind)region->kind));
		return true;
	case PM_OWNER_FILE:
	case PM_OWNER_SHARED:
		region_text_mapping(region, true, text);
		if (text->length == 0)
			text_string(text, pm_kind_name((enum pm_kind)region->kind));
		return true;
	default:
		return false;
	}
}

/** Adds bytes to the part of a name. */
static void add(struct owner_parts *parts, const char *name, uint64_t bytes)
{
	struct part wanted = { .name = (char *)(uintptr_t)name };
	struct part **found = tfind(&wanted, &parts->tree, compare);

	if (found) {
		(*found)->bytes += bytes;
		return;
	}

	struct part *part = alloc_array(NULL, 1, sizeof *part);
	*part = (struct part){ .name = alloc_string(name), .bytes = bytes };
	if (!tsearch(part, &parts->tree, compare))
		alloc_failed();
	parts->count++;
}

void owner_parts_add(struct owner_parts *parts, enum pm_owner owner, const struct pm_region *region,
                     uint64_t bytes)
{
	struct text name = { 0 };

	if (bytes > parts->largest) {
		parts->largest = bytes;
		parts->largest_start = region->start;
	}
	if (bytes > 0 && put_name(owner, region, &name))
		add(parts, text_terminate(&name), bytes);
	text_deinit(&name);
}

/** The parts with the most bytes, the largest first. */
struct largest {
	const struct part *items[SHOWN];
	size_t count;
};

static void insert(const void *node, VISIT visit, void *context)
{
	const struct part *part = *(struct part *const *)node;
	struct largest *largest = context;
	size_t at = largest->count;

	if (visit != postorder && visit != leaf)
		return;

	while (at > 0 && largest->items[at - 1]->bytes < part->bytes)
		at--;
	if (at == SHOWN)
		return;
	if (largest->count < SHOWN)
		largest->count++;
	for (size_t i = largest->count - 1; i > at; i--)
		largest->items[i] = largest->items[i - 1];
	largest->items[at] = part;
}

/** Adds the names and sizes of the largest parts. */
static void put_largest(const struct owner_parts *parts, struct text *text)
{
	struct largest largest = { .count = 0 };

	twalk_r(parts->tree, insert, &largest);
	for (size_t i = 0; i < largest.count; i++) {
		if (i > 0)
			text_string(text, ", ");
		text_format(text, "%s ", largest.items[i]->name);
		text_size(text, largest.items[i]->bytes);
	}
	if (parts->count > largest.count)
		text_format(text, ", %zu more", parts->count - largest.count);
}

void owner_parts_describe(const struct owner_parts *parts, enum pm_owner owner, struct text *text)
{
	if (parts->note) {
		text_string(text, parts->note);
	} else if (parts->tree) {
		put_largest(parts, text);
	} else if (owner == PM_OWNER_UNKNOWN && parts->largest > 0) {
		text_string(text, "largest part ");
		text_size(text, parts->largest);
		text_string(text, " at ");
		text_hex(text, parts->largest_start, 1);
	} else {
		text_string(text, pm_owner_title(owner));
	}
}

static void free_part(void *part)
{
	free(((struct part *)part)->name);
	free(part);
}

void owner_parts_deinit(struct owner_parts *parts)
{
	tdestroy(parts->tree, free_part);
	free(parts->note);
	*parts = (struct owner_parts){ 0 };
}
