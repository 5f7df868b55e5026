/* SPDX-License-Identifier: MIT */
#include "trace/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <procmem/minmax.h>
#include <procmem/stacks.h>

#include "base/array.h"
#include "base/search.h"
#include "trace/faults.h"

/* Values that headers of older kernels lack. */
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

int pm_trace_space_init(struct pm_trace_space *space, struct pm_error *error)
{
	*space = (struct pm_trace_space){ .changed_since = UINT64_MAX };
	if (pm_trace_intervals_open(&space->list, error) < 0)
		return -1;
	if (pm_trace_intervals_open(&space->changed, error) == 0)
		return 0;

	pm_trace_space_deinit(space);
	return -1;
}

static void forget_pending(struct pm_trace_space *space)
{
	for (size_t i = 0; i < space->pending_count; i++)
		free(space->pending[i].pieces.items);
	space->pending_count = 0;
}

void pm_trace_space_deinit(struct pm_trace_space *space)
{
	forget_pending(space);
	free(space->pending);
	free(space->segments);
	free(space->counts);
	pm_trace_intervals_close(space->changed);
	pm_trace_intervals_close(space->list);
	*space = (struct pm_trace_space){ 0 };
}

struct pm_trace_counts pm_trace_space_counts(const struct pm_trace_space *space, uint32_t stack)
{
	if (stack >= space->counts_capacity)
		return (struct pm_trace_counts){ 0 };
	return space->counts[stack];
}

int pm_trace_space_count(struct pm_trace_space *space, uint32_t stack,
                         struct pm_trace_counts **counts, struct pm_error *error)
{
	size_t old = space->counts_capacity;

	if (stack >= old) {
		if (pm_array_reserve(&space->counts, &space->counts_capacity, old,
		                     (size_t)stack + 1 - old, sizeof *space->counts, error) < 0)
			return -1;
		memset(space->counts + old, 0,
		       (space->counts_capacity - old) * sizeof *space->counts);
	}

	*counts = &space->counts[stack];
	return 0;
}

static int count_call(struct pm_trace_space *space, uint32_t stack, struct pm_error *error)
{
	struct pm_trace_counts *counts;

	if (pm_trace_space_count(space, stack, &counts, error) < 0)
		return -1;
	counts->calls++;
	return 0;
}

/** Returns the range of a start and a length, rounded up to pages; empty if it cannot exist. */
static struct pm_range range_of(uint64_t start, uint64_t length)
{
	const struct pm_range none = { 0, 0 };

	if (start % PM_TRACE_PAGE != 0 || start >= PM_TRACE_ADDRESS_END ||
	    length > PM_TRACE_ADDRESS_END - start)
		return none;

	uint64_t rounded = (length + PM_TRACE_PAGE - 1) & ~(PM_TRACE_PAGE - 1);
	return (struct pm_range){ start, start + rounded };
}

/** Notes that the regions may have changed here since `changed_since`. */
static int note_change(struct pm_trace_space *space, const struct pm_trace_event *event,
                       struct pm_range range, struct pm_error *error)
{
	const struct pm_trace_owner nobody = { 0 };

	if (event->time < space->changed_since)
		return 0;
	return pm_trace_intervals_set(space->changed, range, nobody, error);
}

static int set(struct pm_trace_space *space, const struct pm_trace_event *event,
               struct pm_range range, struct pm_trace_owner owner, struct pm_error *error)
{
	if (note_change(space, event, range, error) < 0)
		return -1;
	return pm_trace_intervals_set(space->list, range, owner, error);
}

static int cut(struct pm_trace_space *space, const struct pm_trace_event *event,
               struct pm_range range, struct pm_error *error)
{
	if (note_change(space, event, range, error) < 0)
		return -1;
	return pm_trace_intervals_cut(space->list, range, error);
}

static struct pm_trace_owner owner_of(const struct pm_trace_event *event)
{
	return (struct pm_trace_owner){ .stack = event->stack, .thread = (uint32_t)event->tid };
}

/** Returns the length of a new mapping, which the kernel rounds up to whole huge pages. */
static uint64_t mapped_length(uint64_t length, uint64_t flags)
{
	enum { SIZE_SHIFT = 26, SIZE_MASK = 63, DEFAULT_LOG = 21 };
	uint64_t log = flags >> SIZE_SHIFT & SIZE_MASK;

	if (!(flags & MAP_HUGETLB) || !(flags & MAP_ANONYMOUS) || length > PM_TRACE_ADDRESS_END)
		return length;
	if (log == 0)
		log = DEFAULT_LOG;

	/* The largest huge pages of x86-64 have 1 GiB. */
	uint64_t size = (uint64_t)1 << pm_min(log, 30);
	return (length + size - 1) & ~(size - 1);
}

static int apply_mmap(struct pm_trace_space *space, const struct pm_trace_event *event,
                      struct pm_error *error)
{
	uint64_t length = mapped_length(event->arguments[1], event->arguments[3]);
	struct pm_range range = range_of(event->result, length);
	struct pm_trace_owner owner = owner_of(event);

	if (pm_trace_failed(event->result) || pm_range_size(range) == 0)
		return 0;

	owner.reserve = !(event->arguments[2] & (PROT_READ | PROT_WRITE | PROT_EXEC));
	if (count_call(space, event->stack, error) < 0)
		return -1;
	return set(space, event, range, owner, error);
}

/** Returns the index of the first thread with a higher number. */
static size_t pending_above(const struct pm_trace_space *space, pid_t tid)
{
	return pm_first_above(space->pending, space->pending_count, sizeof *space->pending,
	                      offsetof(struct pm_trace_pending, tid), (uint64_t)tid);
}

/** Returns the pending call of a thread; NULL if it has none. */
static struct pm_trace_pending *pending_of(const struct pm_trace_space *space, pid_t tid)
{
	size_t above = pending_above(space, tid);

	if (above == 0 || space->pending[above - 1].tid != (uint64_t)tid)
		return NULL;
	return &space->pending[above - 1];
}

/** Finds the pending call of a thread; adds an empty one if there is none. */
static int find_pending(struct pm_trace_space *space, pid_t tid, struct pm_trace_pending **found,
                        struct pm_error *error)
{
	size_t above = pending_above(space, tid);

	*found = pending_of(space, tid);
	if (*found)
		return 0;
	if (pm_array_reserve(&space->pending, &space->pending_capacity, space->pending_count, 1,
	                     sizeof *space->pending, error) < 0)
		return -1;

	struct pm_trace_pending *added = &space->pending[above];
	memmove(added + 1, added, (space->pending_count - above) * sizeof *added);
	space->pending_count++;
	*added = (struct pm_trace_pending){ .tid = (uint64_t)tid };
	*found = added;
	return 0;
}

static void forget_thread(struct pm_trace_space *space, pid_t tid)
{
	struct pm_trace_pending *at = pending_of(space, tid);

	if (!at)
		return;

	size_t after = space->pending_count - (size_t)(at - space->pending) - 1;
	free(at->pieces.items);
	memmove(at, at + 1, after * sizeof *at);
	space->pending_count--;
}

/** Removes a range that a call is about to release, and keeps the pieces in case it fails. */
static int begin_release(struct pm_trace_space *space, const struct pm_trace_event *event,
                         enum pm_trace_kind kind, struct pm_error *error)
{
	struct pm_range range = range_of(event->arguments[0], event->arguments[1]);
	struct pm_trace_pending *pending;

	if (find_pending(space, event->tid, &pending, error) < 0)
		return -1;

	pending->active = true;
	pending->kind = kind;
	pending->range = range;
	pending->pieces.count = 0;
	if (pm_trace_intervals_copy(space->list, range, &pending->pieces, error) < 0)
		return -1;
	return cut(space, event, range, error);
}

/**
 * Ends the pending call of a thread.
 * @return  the call; NULL if the first of its two events was lost
 */
static struct pm_trace_pending *end_release(struct pm_trace_space *space,
                                            const struct pm_trace_event *event,
                                            enum pm_trace_kind kind)
{
	struct pm_range range = range_of(event->arguments[0], event->arguments[1]);
	struct pm_trace_pending *pending = pending_of(space, event->tid);

	if (!pending || !pending->active || pending->kind != kind ||
	    pending->range.start != range.start || pending->range.end != range.end)
		return NULL;

	pending->active = false;
	return pending;
}

/** Restores what a failed call did not release. */
static int restore(struct pm_trace_space *space, const struct pm_trace_event *event,
                   enum pm_trace_kind kind, struct pm_error *error)
{
	const struct pm_trace_pending *pending = end_release(space, event, kind);

	for (size_t i = 0; pending && i < pending->pieces.count; i++) {
		struct pm_trace_interval piece = pending->pieces.items[i];

		if (note_change(space, event, piece.range, error) < 0 ||
		    pm_trace_intervals_fill(space->list, piece.range, piece.owner, error) < 0)
			return -1;
	}

	return 0;
}

/** Puts the pieces of a range to where mremap has moved the range. */
static int move_pieces(struct pm_trace_space *space, const struct pm_trace_event *event,
                       const struct pm_trace_pieces *pieces, struct pm_range to,
                       struct pm_error *error)
{
	const struct pm_trace_owner unknown = { .before = true };
	uint64_t from = event->arguments[0];
	uint64_t kept = pm_range_size(range_of(from, event->arguments[1]));

	kept = pm_min(kept, pm_range_size(to));
	for (size_t i = 0; i < pieces->count; i++) {
		struct pm_range piece = pieces->items[i].range;
		struct pm_range moved = { to.start + (piece.start - from),
			                  to.start + pm_min(piece.end - from, kept) };

		if (pm_trace_intervals_set(space->list, moved, pieces->items[i].owner, error) < 0)
			return -1;
	}

	/* All pieces are missing if the regions were read after the call, but before its event was
	 * applied. */
	struct pm_range old = { to.start, to.start + kept };
	if (pieces->count == 0 && pm_trace_intervals_set(space->list, old, unknown, error) < 0)
		return -1;

	struct pm_range growth = { to.start + kept, to.end };
	struct pm_trace_owner owner = owner_of(event);

	/* New memory has the access of the memory before it. */
	if (pieces->count > 0)
		owner.reserve = pieces->items[pieces->count - 1].owner.reserve;
	return pm_trace_intervals_set(space->list, growth, owner, error);
}

/** After MREMAP_DONTUNMAP, the pages of a range are elsewhere, but the range is still mapped. */
static int empty_pieces(struct pm_trace_space *space, const struct pm_trace_pieces *pieces,
                        struct pm_error *error)
{
	for (size_t i = 0; i < pieces->count; i++) {
		struct pm_trace_interval piece = pieces->items[i];

		piece.owner.present = false;
		if (pm_trace_intervals_set(space->list, piece.range, piece.owner, error) < 0)
			return -1;
	}

	return 0;
}

static int end_mremap(struct pm_trace_space *space, const struct pm_trace_event *event,
                      struct pm_error *error)
{
	struct pm_range to = range_of(event->result, event->arguments[2]);
	uint64_t old_size = pm_range_size(range_of(event->arguments[0], event->arguments[1]));

	if (pm_trace_failed(event->result) || pm_range_size(to) == 0)
		return restore(space, event, PM_TRACE_MREMAP_BEGIN, error);

	const struct pm_trace_pending *pending = end_release(space, event, PM_TRACE_MREMAP_BEGIN);
	if (!pending) {
		if (begin_release(space, event, PM_TRACE_MREMAP_BEGIN, error) < 0)
			return -1;
		pending = end_release(space, event, PM_TRACE_MREMAP_BEGIN);
	}

	if (pm_range_size(to) > old_size && count_call(space, event->stack, error) < 0)
		return -1;
	/* Since Linux 6.17, a range that is moved can have gaps. Their destination does not change.
	 */
	if (pm_range_size(to) == old_size && pending->pieces.count > 0) {
		if (note_change(space, event, to, error) < 0)
			return -1;
	} else if (cut(space, event, to, error) < 0) {
		return -1;
	}
	if ((event->arguments[3] & MREMAP_DONTUNMAP) &&
	    empty_pieces(space, &pending->pieces, error) < 0)
		return -1;
	return move_pieces(space, event, &pending->pieces, to, error);
}

static int apply_brk(struct pm_trace_space *space, const struct pm_trace_event *event,
                     struct pm_error *error)
{
	uint64_t old = space->brk;
	uint64_t new = (event->result + PM_TRACE_PAGE - 1) & ~(PM_TRACE_PAGE - 1);

	if (new == 0 || new >= PM_TRACE_ADDRESS_END)
		return 0;

	space->brk = new;
	if (old == 0 || new == old)
		return 0;
	if (new < old)
		return cut(space, event, (struct pm_range){ new, old }, error);

	if (count_call(space, event->stack, error) < 0)
		return -1;
	return set(space, event, (struct pm_range){ old, new }, owner_of(event), error);
}

/** Memory that was reserved without access belongs to the stack that makes it accessible. */
static int apply_mprotect(struct pm_trace_space *space, const struct pm_trace_event *event,
                          struct pm_error *error)
{
	struct pm_range range = range_of(event->arguments[0], event->arguments[1]);
	struct pm_trace_pieces pieces = { 0 };
	bool counted = false;

	if (pm_trace_failed(event->result) ||
	    !(event->arguments[2] & (PROT_READ | PROT_WRITE | PROT_EXEC)))
		return 0;

	int result = pm_trace_intervals_copy(space->list, range, &pieces, error);
	for (size_t i = 0; result == 0 && i < pieces.count; i++) {
		/* Pages that are present although they are not accessible were used before. */
		if (!pieces.items[i].owner.reserve || pieces.items[i].owner.present)
			continue;
		result = pm_trace_intervals_set(space->list, pieces.items[i].range, owner_of(event),
		                                error);
		if (result == 0 && !counted)
			result = count_call(space, event->stack, error);
		counted = true;
	}

	free(pieces.items);
	return result;
}

static struct pm_trace_segment *find_segment(const struct pm_trace_space *space, uint64_t start)
{
	for (size_t i = 0; i < space->segment_count; i++)
		if (space->segments[i].start == start)
			return &space->segments[i];
	return NULL;
}

int pm_trace_space_attach(struct pm_trace_space *space, struct pm_trace_segment segment,
                          struct pm_error *error)
{
	struct pm_trace_segment *same = find_segment(space, segment.start);

	if (same) {
		*same = segment;
		return 0;
	}
	if (pm_array_reserve(&space->segments, &space->segment_capacity, space->segment_count, 1,
	                     sizeof *space->segments, error) < 0)
		return -1;

	space->segments[space->segment_count++] = segment;
	return 0;
}

/** Returns the size of a segment: of the same segment at another address, or from the regions. */
static uint64_t segment_size(const struct pm_trace_space *space, uint64_t id,
                             const struct pm_trace_event *event)
{
	for (size_t i = 0; i < space->segment_count; i++)
		if (space->segments[i].id == id)
			return space->segments[i].size;

	if (!space->size)
		return 0;
	return space->size(space->context, event->result, event->time);
}

static int apply_shmat(struct pm_trace_space *space, const struct pm_trace_event *event,
                       struct pm_error *error)
{
	if (pm_trace_failed(event->result))
		return 0;

	uint64_t id = event->arguments[0] & UINT32_MAX;
	struct pm_range range = range_of(event->result, segment_size(space, id, event));
	struct pm_trace_segment segment = { range.start, pm_range_size(range), id };

	if (segment.size == 0)
		return 0;
	if (pm_trace_space_attach(space, segment, error) < 0 ||
	    count_call(space, event->stack, error) < 0)
		return -1;
	return set(space, event, range, owner_of(event), error);
}

static int begin_shmdt(struct pm_trace_space *space, const struct pm_trace_event *event,
                       struct pm_error *error)
{
	struct pm_trace_segment *segment = find_segment(space, event->arguments[0]);

	if (!segment)
		return 0;

	struct pm_range range = { segment->start, segment->start + segment->size };
	*segment = space->segments[--space->segment_count];
	return cut(space, event, range, error);
}

static int apply_madvise(struct pm_trace_space *space, const struct pm_trace_event *event,
                         struct pm_error *error)
{
	struct pm_range range = range_of(event->arguments[0], event->arguments[1]);

	/* A call that fills memory is recorded when it begins. If it fails, the pages that it has
	 * not filled are not resident. */
	if (event->kind == PM_TRACE_MADVISE && pm_trace_failed(event->result))
		return 0;
	return pm_trace_faults_advise(space, event, range, error);
}

static void forget_all(struct pm_trace_space *space)
{
	pm_trace_intervals_clear(space->list);
	forget_pending(space);
	space->segment_count = 0;
	space->brk = 0;
}

int pm_trace_space_apply(struct pm_trace_space *space, const struct pm_trace_event *event,
                         struct pm_error *error)
{
	switch (event->kind) {
	case PM_TRACE_MMAP:
		return apply_mmap(space, event, error);
	case PM_TRACE_MUNMAP_BEGIN:
	case PM_TRACE_MREMAP_BEGIN:
		return begin_release(space, event, event->kind, error);
	case PM_TRACE_MUNMAP_FAILED:
		return restore(space, event, PM_TRACE_MUNMAP_BEGIN, error);
	case PM_TRACE_MREMAP:
		return end_mremap(space, event, error);
	case PM_TRACE_BRK:
		return apply_brk(space, event, error);
	case PM_TRACE_MPROTECT:
		return apply_mprotect(space, event, error);
	case PM_TRACE_SHMAT:
		return apply_shmat(space, event, error);
	case PM_TRACE_SHMDT_BEGIN:
		return begin_shmdt(space, event, error);
	case PM_TRACE_MADVISE:
	case PM_TRACE_POPULATE:
		return apply_madvise(space, event, error);
	case PM_TRACE_FAULT:
		return pm_trace_faults_add(space, event, error);
	case PM_TRACE_EXEC:
		forget_all(space);
		return 0;
	case PM_TRACE_EXIT:
		forget_thread(space, event->tid);
		return 0;
	case PM_TRACE_LOST:
		return 0;
	}

	return 0;
}
