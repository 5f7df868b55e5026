/* SPDX-License-Identifier: MIT */
#include "trace/faults.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <procmem/stacks.h>

/* Values that headers of older kernels lack. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

bool pm_trace_faults_untouched(const struct pm_trace_owner *owner)
{
	if (!owner->before)
		return false;
	if (owner->released)
		return true;

	return owner->stack == PM_STACK_NONE && !owner->present;
}

/** Gives an untouched page to the stack that touches the page. */
static int touch(struct pm_trace_space *space, const struct pm_trace_event *event,
                 struct pm_range range, struct pm_trace_owner owner, struct pm_error *error)
{
	owner.stack = event->stack;
	owner.thread = (uint32_t)event->tid;
	owner.released = false;
	return pm_trace_intervals_set(space->list, range, owner, error);
}

int pm_trace_faults_add(struct pm_trace_space *space, const struct pm_trace_event *event,
                        struct pm_error *error)
{
	uint64_t page = event->arguments[0] & ~(PM_TRACE_PAGE - 1);
	struct pm_trace_interval interval;
	struct pm_trace_counts *counts;

	if (!pm_trace_intervals_find(space->list, page, &interval) || interval.range.start > page)
		return 0;

	/* What the kernel loads before the first instruction is there at the start. */
	if (event->arguments[1] != 0) {
		interval.range = (struct pm_range){ page, page + PM_TRACE_PAGE };
		interval.owner.present = interval.owner.before;
		return pm_trace_intervals_set(space->list, interval.range, interval.owner, error);
	}

	bool before = interval.owner.before;
	uint32_t counted = before ? event->stack : interval.owner.stack;
	if (pm_trace_space_count(space, counted, &counts, error) < 0)
		return -1;

	if (!before) {
		counts->faults++;
		return 0;
	}
	/* A fault in a page that was present before is a copy of the page, or its way back from
	 * swap: its memory is not new. */
	if (!pm_trace_faults_untouched(&interval.owner))
		return 0;

	counts->touches++;
	return touch(space, event, (struct pm_range){ page, page + PM_TRACE_PAGE }, interval.owner,
	             error);
}

/** Changes the owner of a part of memory that was mapped before the trace. */
static int advise_piece(struct pm_trace_space *space, const struct pm_trace_event *event,
                        const struct pm_trace_interval *piece, struct pm_error *error)
{
	struct pm_trace_owner owner = piece->owner;

	switch (event->arguments[2]) {
	case MADV_FREE:
		/* The pages stay until the kernel reclaims them. */
		owner.released = true;
		break;
	case MADV_POPULATE_READ:
	case MADV_POPULATE_WRITE:
		if (!pm_trace_faults_untouched(&owner))
			return 0;
		return touch(space, event, piece->range, owner, error);
	default:
		owner.stack = PM_STACK_NONE;
		owner.thread = 0;
		owner.released = true;
	}

	return pm_trace_intervals_set(space->list, piece->range, owner, error);
}

int pm_trace_faults_advise(struct pm_trace_space *space, const struct pm_trace_event *event,
                           struct pm_range range, struct pm_error *error)
{
	struct pm_trace_pieces pieces = { 0 };

	switch (event->arguments[2]) {
	case MADV_DONTNEED:
	case MADV_DONTNEED_LOCKED:
	case MADV_REMOVE:
	case MADV_FREE:
	case MADV_POPULATE_READ:
	case MADV_POPULATE_WRITE:
		break;
	default:
		return 0;
	}

	int result = pm_trace_intervals_copy(space->list, range, &pieces, error);
	for (size_t i = 0; result == 0 && i < pieces.count; i++)
		if (pieces.items[i].owner.before)
			result = advise_piece(space, event, &pieces.items[i], error);

	free(pieces.items);
	return result;
}

bool pm_trace_faults_around(const struct pm_trace_space *space, struct pm_range block,
                            struct pm_trace_owner *owner)
{
	struct pm_trace_interval interval;

	for (uint64_t at = block.start; at < block.end; at = interval.range.end) {
		if (!pm_trace_intervals_find(space->list, at, &interval) ||
		    interval.range.start >= block.end)
			return false;
		if (interval.owner.before && interval.owner.stack != PM_STACK_NONE) {
			*owner = interval.owner;
			return true;
		}
	}

	return false;
}
