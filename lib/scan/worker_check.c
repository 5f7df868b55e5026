/* SPDX-License-Identifier: MIT */
/* Looking at hits again: most stand alone, so many pieces of the target are read by one call; a
 * call for each would cost as much as the search. */
#include "scan/worker_check.h"

#include <string.h>

#include "base/minmax.h"
#include "scan/worker.h"

enum {
	CHECK_APART =
		1024, /* bytes between hits that are read too rather than begin another piece */
	PIECES_MAX = 256,
};

/** Hits that are looked at together: what to read into worker->check. */
struct look {
	struct pm_piece pieces[PIECES_MAX];
	size_t count;
	size_t size; /* of all together */
};

/**
 * Where a hit stands, as far as it can be read: at its end may be memory that was never touched.
 */
static struct pm_piece piece_of(const struct pm_worker *worker, const struct pm_window *window,
                                const struct pm_found *found)
{
	struct pm_piece piece = { .address = window->address + found->start };
	uint64_t readable = worker->limit > piece.address ? worker->limit - piece.address : 0;
	piece.size = pm_min(pm_min(found->size, readable), PM_CHECK_ROOM);
	return piece;
}

/**
 * Adds a hit that stands behind the begin of all others.
 * @return whether there is room for it
 */
static bool add(struct look *look, const struct pm_piece *piece)
{
	struct pm_piece *last = look->count > 0 ? &look->pieces[look->count - 1] : NULL;
	uint64_t end = piece->address + piece->size, known = last ? last->address + last->size : 0;
	bool joins = last && piece->address <= known + CHECK_APART;
	uint64_t more = !joins ? piece->size : end > known ? end - known : 0;

	if (look->size + more > PM_CHECK_ROOM || (!joins && look->count == PIECES_MAX))
		return false;

	if (joins)
		last->size += more;
	else
		look->pieces[look->count++] = *piece;

	look->size += (size_t)more;
	return true;
}

/**
 * Compares a hit with the bytes that are there now.
 * @param good how many of them could be read
 */
static bool differs(const struct pm_window *window, const struct pm_found *found,
                    const struct pm_piece *piece, const uint8_t *now, size_t good)
{
	return good < piece->size ||
	       memcmp(now, window->bytes + found->start, (size_t)piece->size) != 0;
}

/**
 * Looks at one hit by itself.
 * @return 0 or -1
 */
static int check_alone(struct pm_worker *worker, const struct pm_window *window,
                       struct pm_found *found, struct pm_error *error)
{
	const struct pm_piece piece = piece_of(worker, window, found);
	size_t good;
	if (pm_gather_more(&worker->scan->source, worker->job, piece.address, worker->check,
	                   (size_t)piece.size, &good, error) < 0)
		return -1;

	found->changed = differs(window, found, &piece, worker->check, good);
	return 0;
}

/**
 * Looks at some hits.
 * @return how many, 0: an error
 */
static size_t check_some(struct pm_worker *worker, const struct pm_window *window,
                         struct pm_found *items, size_t count, struct pm_error *error)
{
	struct pm_reader *target = worker->scan->source.target;
	struct look look = { .count = 0 };
	struct pm_piece piece;
	size_t some = 0, done = 0, at = 0, begin = 0;

	while (some < count && (piece = piece_of(worker, window, &items[some]), add(&look, &piece)))
		some++;

	if (target->ops->read(target->context, look.pieces, look.count, worker->check, &done,
	                      error) < 0)
		return 0;

	for (size_t i = 0; i < some; i++) {
		piece = piece_of(worker, window, &items[i]);
		while (piece.address >= look.pieces[at].address + look.pieces[at].size &&
		       at + 1 < look.count)
			begin += (size_t)look.pieces[at++].size;
		size_t offset = begin + (size_t)(piece.address - look.pieces[at].address);
		if (offset + piece.size <= done)
			items[i].changed = differs(window, &items[i], &piece,
			                           worker->check + offset, (size_t)piece.size);
		/* Behind a byte that could not be read, nothing of the look is there. */
		else if (check_alone(worker, window, &items[i], error) < 0)
			return 0;
	}

	return some;
}

int pm_worker_check(struct pm_worker *worker, const struct pm_window *window, struct pm_hits *hits,
                    struct pm_error *error)
{
	for (size_t i = 0; i < hits->count;) {
		size_t some = check_some(worker, window, hits->items + i, hits->count - i, error);
		if (some == 0)
			return -1;
		i += some;
	}
	return 0;
}
