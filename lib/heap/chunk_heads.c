/* SPDX-License-Identifier: MIT */
/* A batch has ranges of memory that contain the first bytes of its chunks. Small gaps between these
 * bytes are read, too, so that one range covers many small chunks. A range is divided into parts by
 * page states; the parts in memory are read by one call. */
#include "heap/chunk_heads.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/presence.h"
#include "reader/cancel.h"

enum {
	/* Small enough for the cache of the processor, together with the chunks */
	BUFFER_SIZE = 256 * 1024,
	CHUNKS_MAX = 4096,
	RANGES_MAX = 256,
	/* A range has at most two more parts than whole pages */
	PARTS_MAX = BUFFER_SIZE / 4096 + 2 * RANGES_MAX,
	/* Larger gaps between the bytes that are needed are not read */
	DISTANCE_MAX = 4096,
};

/* Number of bytes for which page states are fetched at once. */
static const uint64_t states_ahead = UINT64_C(64) << 20;

/** Bytes of one state. */
struct part {
	struct pm_range range;
	int state;     /* enum pm_presence_state */
	size_t offset; /* PM_PRESENCE_PAGES: offset of the bytes in the buffer */
	size_t done;   /* PM_PRESENCE_PAGES: number of bytes that were read */
};

struct pm_chunk_heads {
	struct pm_heap_handle *heap;
	struct pm_heap_cursor cursor;
	const struct pm_chunk *picked; /* NULL: all chunks of the index */
	size_t picked_count;
	size_t picked_at;        /* index of the next picked chunk */
	struct pm_chunk pending; /* the chunk that did not fit into the batch before */
	bool has_pending;

	size_t chunk_count, range_count, part_count;
	size_t range_bytes; /* sum of the sizes of the ranges */
	struct pm_chunk chunks[CHUNKS_MAX];
	struct pm_range ranges[RANGES_MAX];
	struct part parts[PARTS_MAX];
	struct pm_heap_presence presence;
	unsigned char buffer[BUFFER_SIZE];
};

struct pm_chunk_heads *pm_chunk_heads_create(struct pm_heap_handle *heap, struct pm_error *error)
{
	struct pm_chunk_heads *heads = malloc(sizeof *heads);
	if (!heads) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	heads->heap = heap;
	heads->cursor = (struct pm_heap_cursor){ 0 };
	heads->picked = NULL;
	heads->picked_count = heads->picked_at = 0;
	heads->has_pending = false;
	heads->chunk_count = heads->range_count = heads->part_count = 0;
	pm_heap_presence_init(&heads->presence, &heap->source);

	return heads;
}

void pm_chunk_heads_pick(struct pm_chunk_heads *heads, const struct pm_chunk *chunks, size_t count)
{
	heads->picked = chunks;
	heads->picked_count = count;
	heads->picked_at = 0;
}

void pm_chunk_heads_destroy(struct pm_chunk_heads *heads)
{
	if (heads)
		explicit_bzero(heads->buffer, sizeof heads->buffer);
	free(heads);
}

static struct pm_range head_of(const struct pm_chunk *chunk)
{
	uint64_t size = pm_min(chunk->end - chunk->start, PM_CHUNK_HEAD_SIZE);
	return (struct pm_range){ chunk->start, chunk->start + size };
}

/** Adds a chunk to the batch. Returns false if the batch is full. */
static bool add_chunk(struct pm_chunk_heads *heads, const struct pm_chunk *chunk)
{
	struct pm_range head = head_of(chunk), *last = NULL;
	if (heads->chunk_count == CHUNKS_MAX)
		return false;
	if (heads->range_count > 0)
		last = &heads->ranges[heads->range_count - 1];

	if (last && head.start >= last->end && head.start - last->end <= DISTANCE_MAX) {
		size_t more = (size_t)(head.end - last->end);
		if (heads->range_bytes + more > BUFFER_SIZE)
			return false;
		last->end = head.end;
		heads->range_bytes += more;
	} else {
		if (heads->range_count == RANGES_MAX ||
		    heads->range_bytes + PM_CHUNK_HEAD_SIZE > BUFFER_SIZE)
			return false;
		heads->ranges[heads->range_count++] = head;
		heads->range_bytes += pm_range_size(head);
	}

	heads->chunks[heads->chunk_count++] = *chunk;
	return true;
}

/** Returns the next chunk. Returns false after the last one. */
static bool next_chunk(struct pm_chunk_heads *heads, struct pm_chunk *chunk)
{
	if (!heads->picked)
		return pm_heap_index_next(&heads->heap->index, &heads->cursor, chunk);
	if (heads->picked_at == heads->picked_count)
		return false;

	*chunk = heads->picked[heads->picked_at++];
	return true;
}

static void collect(struct pm_chunk_heads *heads, unsigned states)
{
	struct pm_chunk chunk;

	heads->chunk_count = heads->range_count = 0;
	heads->range_bytes = 0;
	if (heads->has_pending)
		add_chunk(heads, &heads->pending);
	heads->has_pending = false;

	while (next_chunk(heads, &chunk)) {
		if (!(states >> chunk.state & 1) || add_chunk(heads, &chunk))
			continue;

		heads->pending = chunk;
		heads->has_pending = true;
		return;
	}
}

/** Divides the ranges into parts. Returns 0 or -1. */
static int divide(struct pm_chunk_heads *heads, struct pm_error *error)
{
	size_t offset = 0;

	heads->part_count = 0;
	for (size_t i = 0; i < heads->range_count; i++) {
		struct pm_range rest = heads->ranges[i];

		while (rest.start < rest.end && heads->part_count < PARTS_MAX) {
			struct part *part = &heads->parts[heads->part_count++];
			uint64_t until;

			part->state = pm_heap_presence_at(&heads->presence, rest.start,
			                                  states_ahead, &until, error);
			if (part->state < 0)
				return -1;

			part->range = (struct pm_range){ rest.start, pm_min(until, rest.end) };
			part->offset = offset;
			part->done = 0;
			if (part->state == PM_PRESENCE_PAGES)
				offset += (size_t)pm_range_size(part->range);
			rest.start = part->range.end;
		}
	}

	return 0;
}

/** Sets `done` of the parts that a call has read. Returns the index of the part after them. */
static size_t note_done(struct pm_chunk_heads *heads, size_t first, size_t done)
{
	for (; first < heads->part_count; first++) {
		struct part *part = &heads->parts[first];
		size_t size = (size_t)pm_range_size(part->range);

		if (part->state != PM_PRESENCE_PAGES)
			continue;
		part->done = pm_min_size(size, done);
		done -= part->done;
		if (part->done < size)
			return first + 1;
	}

	return first;
}

/** Reads the parts. If a part cannot be read to its end, continues with the next part. */
static int read_parts(struct pm_chunk_heads *heads, struct pm_error *error)
{
	const struct pm_reader *reader = heads->heap->source.reader;
	struct pm_range ranges[PARTS_MAX];
	struct pm_error why;

	for (size_t first = 0; first < heads->part_count;) {
		size_t count = 0, done = 0, offset = 0;

		for (size_t i = first; i < heads->part_count; i++) {
			const struct part *part = &heads->parts[i];

			if (part->state != PM_PRESENCE_PAGES)
				continue;
			if (count == 0)
				offset = part->offset;
			ranges[count++] = part->range;
		}

		if (count > 0 && reader->ops->read(reader->context, ranges, count,
		                                   heads->buffer + offset, &done, &why) < 0) {
			if (error)
				*error = why;
			return -1;
		}
		first = note_done(heads, first, done);
	}

	return 0;
}

int pm_chunk_heads_next(struct pm_chunk_heads *heads, unsigned states, struct pm_error *error)
{
	if (pm_check_cancel(heads->heap->source.cancel, error) < 0)
		return -1;

	collect(heads, states);
	if (heads->chunk_count == 0)
		return 0;
	if (divide(heads, error) < 0 || read_parts(heads, error) < 0)
		return -1;

	return 1;
}

/**
 * Copies bytes of a part, at most up to the end of a page if they were not read before.
 * @return number of bytes; 0 if the first byte cannot be read; -1 on error
 */
static int copy_from(struct pm_chunk_heads *heads, const struct part *part, struct pm_range bytes,
                     unsigned char *to, struct pm_error *error)
{
	size_t skip = (size_t)(bytes.start - part->range.start);
	size_t size = (size_t)(pm_min(bytes.end, part->range.end) - bytes.start);

	if (part->state == PM_PRESENCE_NONE)
		return 0;
	if (part->state == PM_PRESENCE_ZEROS) {
		memset(to, 0, size);
		return (int)size;
	}
	if (skip + size <= part->done) {
		memcpy(to, heads->buffer + part->offset + skip, size);
		return (int)size;
	}

	uint64_t mask = heads->presence.page_mask;
	size = pm_min_size(size, (size_t)(mask + 1 - (bytes.start & mask)));
	int got = pm_heap_window_peek(heads->heap->window, bytes.start, to, size, error);
	return got > 0 ? (int)size : got;
}

/**
 * Copies first bytes of a chunk that are in several parts, or were not read.
 *
 * @param at    index of the part that contains the first byte, or of a later one
 * @param to    room for the bytes
 * @param size  receives the number of bytes, up to the first unreadable one
 * @return      0 or -1
 */
static int assemble(struct pm_chunk_heads *heads, size_t at, struct pm_range head,
                    unsigned char *to, size_t *size, struct pm_error *error)
{
	*size = 0;
	while (head.start < head.end && at < heads->part_count &&
	       pm_range_contains(heads->parts[at].range, head.start)) {
		int got = copy_from(heads, &heads->parts[at], head, to + *size, error);
		if (got <= 0)
			return got;

		*size += (size_t)got;
		head.start += (uint64_t)got;
		if (head.start == heads->parts[at].range.end)
			at++;
	}

	return 0;
}

int pm_chunk_heads_visit(struct pm_chunk_heads *heads, pm_chunk_visitor *visit, void *context,
                         struct pm_error *error)
{
	size_t at = 0;

	for (size_t i = 0; i < heads->chunk_count; i++) {
		struct pm_range head = head_of(&heads->chunks[i]);
		unsigned char copy[PM_CHUNK_HEAD_SIZE];
		const unsigned char *bytes = copy;
		size_t size = 0;

		while (at < heads->part_count && heads->parts[at].range.end <= head.start)
			at++;
		if (at < heads->part_count && head.start >= heads->parts[at].range.start &&
		    head.end - heads->parts[at].range.start <= heads->parts[at].done) {
			const struct part *part = &heads->parts[at];

			bytes = heads->buffer + part->offset + (head.start - part->range.start);
			size = (size_t)pm_range_size(head);
		} else if (assemble(heads, at, head, copy, &size, error) < 0) {
			return -1;
		}

		int result = visit(context, &heads->chunks[i], bytes, size);
		if (result != 0)
			return result;
	}

	return 0;
}
