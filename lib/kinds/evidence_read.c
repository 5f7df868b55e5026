/* SPDX-License-Identifier: MIT */
#include "kinds/evidence_read.h"

#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "region/pagemap.h"

enum { PIECES_A_CALL = 1024 };

static int note_state(void *context, const struct pm_page_run *run)
{
	*(unsigned *)context |= run->state;
	return 0;
}

/**
 * Determines from pagemap whether the page at an address is present. The result is
 * PM_PRESENCE_UNKNOWN if pagemap refuses to return page states.
 */
static int ask_pagemap(struct pm_kinds_context *context, uint64_t address,
                       enum pm_presence *presence, struct pm_error *error)
{
	struct pm_error why = { 0 };
	unsigned state = 0;
	uint64_t page = address & ~(context->page - 1);
	if (pm_pagemap_walk_states(context->evidence->pagemap, page, page + context->page, false,
	                           note_state, &state, &why) == 0) {
		bool present = (state & PM_PAGE_PRESENT) &&
		               !(state & (PM_PAGE_SWAPPED | PM_PAGE_GUARD));
		*presence = present ? PM_PRESENT : PM_ABSENT;
		return 0;
	}

	if (pm_kinds_fails(&why))
		return pm_kinds_pass_on(&why, error);

	context->page_states_refused = true;
	*presence = PM_PRESENCE_UNKNOWN;

	return 0;
}

int pm_kinds_presence(struct pm_kinds_context *context, const struct pm_region *region,
                      uint64_t address, enum pm_presence *presence, struct pm_error *error)
{
	if (region->vm_flags & (PM_VM_IO | PM_VM_PFNMAP)) {
		*presence = PM_ABSENT;
		return 0;
	}
	if (context->evidence->any_page) {
		*presence = PM_PRESENT;
		return 0;
	}

	if (pm_region_knows(region, PM_SIZE_RSS)) {
		uint64_t rss = region->bytes[PM_SIZE_RSS];
		if (rss == 0 || rss >= pm_region_size(region)) {
			*presence = rss > 0 ? PM_PRESENT : PM_ABSENT;
			return 0;
		}
	}

	if (context->evidence->pagemap && !context->page_states_refused)
		return ask_pagemap(context, address, presence, error);

	*presence = PM_PRESENCE_UNKNOWN;
	return 0;
}

/**
 * Reads at most PIECES_A_CALL pieces; stops at the first piece that cannot be read.
 *
 * @param context    the context; `refusal` receives the reason if reading is not permitted
 * @param addresses  address of each piece
 * @param count      number of pieces
 * @param size       size of each piece in bytes
 * @param buffer     room for count * size bytes
 * @param read       receives the number of pieces that were read
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int read_some(struct pm_kinds_context *context, const uint64_t *addresses, size_t count,
                     size_t size, void *buffer, size_t *read, struct pm_error *error)
{
	struct pm_range ranges[PIECES_A_CALL];
	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct pm_range){ addresses[i], addresses[i] + size };

	const struct pm_reader *reader = context->evidence->reader;
	struct pm_error why = { 0 };
	size_t done = 0;
	if (reader->ops->read(reader->context, ranges, count, buffer, &done, &why) < 0)
		return pm_kinds_pass_on(&why, error);

	*read = done / size;
	if (*read < count && why.kind == PM_ERROR_ACCESS)
		snprintf(context->refusal, sizeof context->refusal, "%s", why.text);

	return 0;
}

int pm_kinds_read(struct pm_kinds_context *context, const uint64_t *addresses, size_t count,
                  size_t size, void *buffer, bool *got, struct pm_error *error)
{
	memset(got, 0, count * sizeof *got);
	size_t at = 0;
	while (at < count && context->refusal[0] == '\0') {
		size_t some = pm_min_size(count - at, PIECES_A_CALL);
		size_t read = 0;

		if (read_some(context, addresses + at, some, size, (char *)buffer + at * size,
		              &read, error) < 0)
			return -1;
		memset(got + at, 1, read * sizeof *got);
		at += read;
		at += read < some; /* skip the piece that cannot be read */
	}

	return 0;
}

uint64_t pm_kinds_word(const void *bytes, unsigned word)
{
	uint64_t wide;
	uint32_t narrow;
	if (word == sizeof wide) {
		memcpy(&wide, bytes, sizeof wide);
		return wide;
	}

	memcpy(&narrow, bytes, sizeof narrow);
	return narrow;
}
