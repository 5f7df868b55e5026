/* SPDX-License-Identifier: MIT */
/*
 * The memory of a heap is read in large pieces. Parsed chunks are kept for a while before they are
 * added to the index: if the chain breaks because the target has changed the heap between two
 * reads, the walk goes back to an earlier chunk and parses from there what is there now.
 */
#include "heap/glibc_walk.h"

#include <stdlib.h>

#include "base/array.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_find.h"
#include "heap/glibc_pages.h"
#include "heap/glibc_start.h"
#include "heap/glibc_trim.h"

enum {
	KEPT = 8192,        /* chunks that are not added to the index yet */
	TRIES = 8,          /* attempts to repair a break */
	STATES_TRIES = 4,   /* of this number of attempts, the first reads the page states again */
	PROGRESS = 8,       /* chunks after a break that show that it is repaired */
	LARGE = 128 * 1024, /* chunks in use from this size on are read again */
	REPAIRS =
		256, /* maximum number of repairs of a heap; one more for each REPAIR_STEP bytes */
	REPAIR_STEP = 65536,
	MOVES = 16,         /* times that a walk follows a top chunk that has moved */
	REPAIRS_MAX = 2048, /* bounds the time for a hostile target */
	BACK_MAX = 4 << 20, /* bytes before a break that are parsed again */
};

/** Chunk sizes of a tcache: 2.26-2.29, 2.30-2.41, since 2.42. */
static const uint64_t tcache_sizes[] = { 0x250, 0x290, 0x300 };

/** A walk. */
struct walk {
	struct pm_glibc *glibc;
	struct pm_heap_window *window;
	struct pm_glibc_heap *heap;
	struct pm_heap_arena *found;
	struct pm_glibc_chain chain;
	struct pm_glibc_chunks chunks; /* parsed, not in the index yet */
	struct pm_glibc_pages trim;    /* whole pages in free chunks */
	uint64_t repairs;              /* number of repairs that are left */
	unsigned moves;    /* number of moves of the top chunk that are left to follow */
	bool moved;        /* the top chunk has moved, or has changed its size */
	uint64_t previous; /* address of the last chunk that was added to the index */
	uint32_t arena;
	struct pm_error *error;
};

static bool is_tcache_size(uint64_t size)
{
	for (size_t i = 0; i < sizeof tcache_sizes / sizeof *tcache_sizes; i++)
		if (pm_glibc_is_tcache_size(size, tcache_sizes[i]))
			return true;
	return false;
}

/** Stores the whole pages of a free chunk that malloc_trim(3) would return. */
static int add_trimmable(struct walk *walk, const struct pm_glibc_chunk *chunk, bool is_top)
{
	uint64_t size = chunk->size & ~(uint64_t)PM_GLIBC_FLAGS;
	const struct pm_glibc_free_run run = {
		.range = { chunk->address, chunk->address + size },
		.arena = walk->arena,
		.is_top = is_top,
	};
	const struct pm_range pages = pm_glibc_trim_pages(walk->glibc, &run);

	if (pages.start == pages.end)
		return 0;

	if (pm_array_reserve(&walk->trim.items, &walk->trim.capacity, walk->trim.count, 1,
	                     sizeof *walk->trim.items, walk->error) < 0)
		return -1;
	walk->trim.items[walk->trim.count++] = pages;
	return 0;
}

/** Returns whether a chunk is the first one of its arena. */
static bool is_first(const struct walk *walk, uint64_t address)
{
	const struct pm_glibc_heap *heap = walk->heap;
	const struct pm_range before = { heap->start, heap->first };

	if (address != heap->first || heap->is_part)
		return false;
	/* The oldest heap of an arena contains its malloc_state. */
	return walk->arena == 0 ||
	       pm_range_contains(before, walk->glibc->arenas[walk->arena].address);
}

static int add_tcache(struct walk *walk, uint64_t address)
{
	struct pm_glibc *glibc = walk->glibc;
	const struct pm_glibc_tcache added = { .address = address,
		                               .first = is_first(walk, address) };

	if (pm_array_reserve(&glibc->tcaches, &glibc->tcache_capacity, glibc->tcache_count, 1,
	                     sizeof *glibc->tcaches, walk->error) < 0)
		return -1;
	glibc->tcaches[glibc->tcache_count++] = added;
	return 0;
}

/** Saves the first word of a small chunk in use, if the word can be a link of a fastbin. */
static int save_link(struct pm_glibc *glibc, const struct pm_glibc_chunk *chunk,
                     struct pm_error *error)
{
	const uint64_t place = chunk->address + PM_GLIBC_HEADER;
	const struct pm_range range = glibc->arena_range;
	uint64_t safe = pm_glibc_link_of(chunk->word, place, PM_GLIBC_LINKS_SAFE);
	bool is_link = pm_range_contains(range, safe) || safe == 0;

	if (glibc->links != PM_GLIBC_LINKS_SAFE)
		is_link = is_link || pm_range_contains(range, chunk->word);
	if (!is_link)
		return 0;

	if (glibc->saved_count == glibc->saved_capacity &&
	    pm_array_reserve(&glibc->saved, &glibc->saved_capacity, glibc->saved_count, 1,
	                     sizeof *glibc->saved, error) < 0)
		return -1;
	glibc->saved[glibc->saved_count++] = (struct pm_glibc_link){ place, chunk->word };
	return 0;
}

/** Adds a chunk to the index and to the figures. */
static int commit_chunk(struct walk *walk, const struct pm_glibc_chunk *chunk)
{
	struct pm_heap_arena *found = walk->found;
	unsigned state = chunk->size & PM_GLIBC_FLAGS;
	uint64_t size = chunk->size & ~(uint64_t)PM_GLIBC_FLAGS;

	pm_heap_index_add(&walk->glibc->heap->index, chunk->address, size, state);
	walk->previous = chunk->address;

	if (state == PM_CHUNK_IN_USE) {
		found->in_use += size;
		found->chunks++;
		if (size <= PM_GLIBC_FAST_MAX)
			return save_link(walk->glibc, chunk, walk->error);
		return is_tcache_size(size) ? add_tcache(walk, chunk->address) : 0;
	}
	if (state == PM_CHUNK_FREE) {
		found->free += size;
		found->free_count++;
		return size < walk->glibc->page ? 0 : add_trimmable(walk, chunk, false);
	}

	found->top += size;
	return add_trimmable(walk, chunk, true);
}

/** Adds all chunks except the last `keep` ones to the index. */
static int commit(struct walk *walk, size_t keep)
{
	struct pm_glibc_chunks *chunks = &walk->chunks;

	if (chunks->count <= keep)
		return 0;

	size_t done = chunks->count - keep;
	for (size_t i = 0; i < done; i++)
		if (commit_chunk(walk, &chunks->items[i]) < 0)
			return -1;

	memmove(chunks->items, chunks->items + done, keep * sizeof *chunks->items);
	chunks->count = keep;
	return 0;
}

/** Reads a piece of the heap from an address on. Returns as pm_heap_window_ahead(). */
static int read_piece(struct walk *walk, uint64_t address, struct pm_glibc_buffer *buffer)
{
	const void *bytes;
	size_t size;
	int got = pm_heap_window_ahead(walk->window, address, walk->chain.end, &bytes, &size,
	                               walk->error);

	if (got > 0)
		*buffer = (struct pm_glibc_buffer){ address, address + size, bytes };
	return got;
}

/**
 * Reads the header after a chunk, in a running process as it is now.
 * @param next  receives it; unchanged if it is that of a top chunk that malloc has not written yet
 * @return      1; 0 if it cannot be read; -1 on error
 */
static int read_next(struct walk *walk, uint64_t address, unsigned char *next)
{
	int got = pm_heap_window_peek(walk->window, address, next, PM_GLIBC_HEADER, walk->error);

	if (got > 0 && pm_glibc_can_change(walk->glibc))
		got = pm_glibc_read_now(walk->glibc, address, next, PM_GLIBC_HEADER, walk->error);
	if (got == 0 && walk->chain.moves && address == walk->chain.top)
		return 1;
	return got;
}

/**
 * Parses a chunk whose next header is outside of the buffer, or a large chunk. In a running
 * process, both headers are read again: a size that was valid once may lead far away.
 */
static int parse_alone(struct walk *walk, uint64_t head, enum pm_glibc_stop *stop)
{
	struct pm_glibc_chain *chain = &walk->chain;
	uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS, now = head, word = 0;
	unsigned char next[PM_GLIBC_HEADER] = { 0 };
	int got = read_next(walk, chain->at + size, next);

	if (got > 0 && size <= PM_GLIBC_FAST_MAX)
		got = pm_heap_window_word(walk->window, chain->at + PM_GLIBC_HEADER, &word,
		                          walk->error);
	if (got > 0 && pm_glibc_can_change(walk->glibc))
		got = pm_glibc_read_now(walk->glibc, chain->at + 8, &now, sizeof now, walk->error);
	if (got < 0)
		return -1;

	if (got == 0 || (now & ~(uint64_t)PM_GLIBC_FLAGS) != size) {
		chain->why = "the header after it cannot be read, or has changed";
		*stop = PM_GLIBC_STOP_BROKEN;
		return 0;
	}

	uint64_t next_size = pm_glibc_word(next + 8) & ~(uint64_t)PM_GLIBC_FLAGS;
	if (next_size % PM_GLIBC_ALIGNMENT != 0 && chain->at + size != chain->top) {
		chain->why = "it leads to a header that is not valid";
		*stop = PM_GLIBC_STOP_BROKEN;
		return 0;
	}

	*stop = pm_glibc_chain_parse_large(chain, head, word, next, &walk->chunks);
	return 0;
}

/** Parses as much as one piece of the heap contains. */
static int parse_piece(struct walk *walk, enum pm_glibc_stop *stop)
{
	struct pm_glibc_chain *chain = &walk->chain;
	struct pm_glibc_buffer buffer;
	int got = read_piece(walk, chain->at, &buffer);

	if (got < 0)
		return -1;
	if (got == 0) {
		/* malloc may not have written the header of a new top chunk yet. */
		bool is_new = chain->moves && chain->at == chain->top;

		chain->why = "its header cannot be read";
		*stop = is_new ? PM_GLIBC_STOP_MOVED : PM_GLIBC_STOP_BROKEN;
		return 0;
	}

	do {
		uint64_t before = chain->at;
		*stop = pm_glibc_chain_parse(chain, &buffer, &walk->chunks);

		bool alone = *stop == PM_GLIBC_STOP_LARGE ||
		             (*stop == PM_GLIBC_STOP_BUFFER && chain->at == before);
		if (!alone)
			return 0;
		if (buffer.end - chain->at < PM_GLIBC_HEADER) {
			chain->why = "its header cannot be read";
			*stop = chain->at == buffer.start ? PM_GLIBC_STOP_BROKEN
			                                  : PM_GLIBC_STOP_BUFFER;
			return 0;
		}

		uint64_t head = pm_glibc_word(buffer.bytes + (chain->at - buffer.start) + 8);
		if (parse_alone(walk, head, stop) < 0)
			return -1;
	} while (*stop == PM_GLIBC_STOP_BUFFER && chain->at < buffer.end);

	return 0;
}

/**
 * Moves the end of a heap that has grown. Its new memory can be unknown to the list of regions.
 * @return 0 or -1
 */
static int extend(struct walk *walk, uint64_t end)
{
	struct pm_glibc *glibc = walk->glibc;
	struct pm_glibc_heap *heap = walk->heap;

	if (heap->is_part || end <= heap->end)
		return 0;
	if (pm_glibc_grow(glibc, heap->end, end, walk->error) < 0)
		return -1;

	pm_heap_index_extend(&glibc->heap->index, end);
	glibc->arena_range.end = pm_max(glibc->arena_range.end, end);
	walk->found->system += end - heap->end;
	heap->end = end;
	return 0;
}

/** Reads the arena and the end of the heap again; the page states only if `states` is set. */
static int refresh(struct walk *walk, bool states)
{
	struct pm_glibc *glibc = walk->glibc;
	uint64_t end;

	if (states)
		pm_heap_window_forget(walk->window);
	else
		pm_heap_window_forget_bytes(walk->window);
	int got = pm_glibc_find_again(glibc, walk->arena, walk->error);
	if (got > 0)
		got = pm_glibc_heaps_end(glibc, walk->arena, walk->heap, &end, walk->error);
	if (got > 0)
		got = extend(walk, end) < 0 ? -1 : 1;
	if (got <= 0)
		return got;

	walk->chain.top = glibc->arenas[walk->arena].top;
	if (end > walk->chain.at)
		walk->chain.end = pm_min(walk->heap->end, end);
	return 0;
}

static int add_break(struct walk *walk, uint64_t address, uint64_t skipped, const char *why)
{
	struct pm_heap_break found = {
		.address = address,
		.previous = walk->previous,
		.skipped = skipped,
		.arena = walk->arena,
		.chain = true,
		.why = why,
	};

	for (size_t i = walk->chunks.count; i-- > 0;) {
		found.previous = walk->chunks.items[i].address;
		if (found.previous < address)
			break;
	}
	return pm_glibc_break(walk->glibc, &found, walk->error);
}

/**
 * Parses again from some chunks before a break.
 *
 * @param broken  address of the break
 * @param first   number of the chunks that are kept
 * @param from    address of the first chunk that is parsed again; can be `broken`
 * @param states  whether to read the page states again
 * @return        1 if this leads beyond the break; 0 if not; -1 on error
 */
static int try_again(struct walk *walk, uint64_t broken, size_t first, uint64_t from, bool states)
{
	enum pm_glibc_stop stop;

	walk->chunks.count = first;
	walk->chain.at = from;
	if (refresh(walk, states) < 0)
		return -1;

	do {
		if (parse_piece(walk, &stop) < 0)
			return -1;
	} while ((stop == PM_GLIBC_STOP_BUFFER || stop == PM_GLIBC_STOP_LARGE) &&
	         walk->chain.at <= broken);

	if (stop == PM_GLIBC_STOP_MEMORY)
		return pm_error_out_of_memory(walk->error);
	if (stop != PM_GLIBC_STOP_BROKEN)
		return 1;

	size_t after = 0;
	for (size_t i = walk->chunks.count; i-- > 0 && walk->chunks.items[i].address > broken;)
		after++;
	return after >= PROGRESS;
}

/**
 * Repairs a break at `chain.at` by reading again, each time from an earlier chunk.
 * @return 1 if it is repaired; 0 if not; -1 on error
 */
static int repair(struct walk *walk)
{
	static const size_t steps[TRIES] = { 0, 1, 4, 16, 64, 512, 2048, KEPT };
	const struct pm_glibc_chunks *chunks = &walk->chunks;
	const uint64_t broken = walk->chain.at;
	const char *why = walk->chain.why;
	const size_t count = chunks->count;
	size_t first = count;
	uint64_t from = broken;

	if (!pm_glibc_can_change(walk->glibc) || walk->repairs == 0)
		return 0;
	walk->repairs--;

	for (size_t i = 0; i < TRIES && walk->glibc->repair_work > 0; i++) {
		/* The chunks from `first` on are those of the attempt before. */
		while (first > 0 && count - first < steps[i] &&
		       broken - chunks->items[first - 1].address <= BACK_MAX)
			from = chunks->items[--first].address;

		uint64_t work = 1 + (broken - from) / REPAIR_STEP;
		walk->glibc->repair_work -= pm_min(walk->glibc->repair_work, work);

		/* The top chunk can move each time: in the end, its place is accepted. */
		walk->chain.any_top = i + 2 >= TRIES;
		int repaired = try_again(walk, broken, first, from, i % STATES_TRIES == 0);
		walk->chain.any_top = false;
		if (repaired < 0)
			return -1;
		if (repaired > 0)
			return add_break(walk, broken, 0, why) < 0 ? -1 : 1;
	}

	return 0;
}

/** Moves `chain.at` to the next address, from `from` on, at which a chain of chunks starts. */
static int resync(struct walk *walk, uint64_t from)
{
	return pm_glibc_start_find(walk->glibc, &walk->chain, from, walk->error);
}

/** Repairs or skips what is broken. */
static int handle_break(struct walk *walk)
{
	struct pm_glibc_chain *chain = &walk->chain;
	int repaired = repair(walk);

	if (repaired != 0)
		return repaired < 0 ? -1 : 0;

	uint64_t broken = chain->at;
	const char *why = chain->why;
	walk->found->complete = false;
	/* Later repairs must not go back beyond this break. */
	if (commit(walk, 0) < 0)
		return -1;
	if (resync(walk, broken + PM_GLIBC_ALIGNMENT) < 0)
		return -1;
	return add_break(walk, broken, chain->at - broken, why);
}

/**
 * Ends a walk that could not follow the top chunk, at the place where the top chunk was when the
 * arena was read. If it has not moved, its header is damaged, unless malloc has not written it yet.
 */
static int finish_chain(struct walk *walk)
{
	struct pm_glibc_chain *chain = &walk->chain;
	uint64_t broken = chain->at, head = 0;
	int got = pm_glibc_read_now(walk->glibc, broken + 8, &head, sizeof head, walk->error);

	if (got < 0)
		return -1;
	if (pm_glibc_chain_finish(chain, &walk->chunks) == PM_GLIBC_STOP_MEMORY)
		return pm_error_out_of_memory(walk->error);
	if (head == 0 || walk->moved)
		return 0;

	walk->found->complete = false;
	return add_break(walk, broken, 0, "the top chunk does not end at the end of the heap");
}

/**
 * Follows the top chunk, which has moved since the arena was read. If it moves faster than the walk
 * can follow, the walk ends where the top chunk was.
 */
static int handle_move(struct walk *walk)
{
	struct pm_glibc_chain *chain = &walk->chain;

	if (walk->moves > 0) {
		const uint64_t end = chain->end;

		walk->moves--;
		if (refresh(walk, true) < 0)
			return -1;
		walk->moved = walk->moved || chain->top != chain->at || chain->end != end;
		/* The top chunk can be in another heap now. */
		if (chain->top < walk->heap->first || chain->top >= chain->at)
			return 0;

		chain->why = "the top chunk has moved to an earlier address";
		return handle_break(walk);
	}

	return finish_chain(walk);
}

/** Continues after fenceposts of the main arena. The memory after them is not malloc's. */
static int handle_fence(struct walk *walk)
{
	struct pm_glibc_chain *chain = &walk->chain;
	uint64_t fence = chain->at;

	if (walk->heap->is_part) {
		chain->end = fence;
		return 0;
	}
	if (resync(walk, fence) < 0)
		return -1;
	if (chain->at < chain->end || chain->top < walk->heap->first || chain->top >= chain->end)
		return 0;

	/* The top chunk is in this heap, but no chain leads to it. */
	walk->found->complete = false;
	return add_break(walk, fence, chain->end - fence, "no chunks follow the fenceposts");
}

/** Walks from the first chunk to the end of the heap. */
static int walk_chain(struct walk *walk)
{
	struct pm_glibc_chain *chain = &walk->chain;
	const size_t keep = pm_glibc_can_change(walk->glibc) ? KEPT : 0;

	while (chain->at < chain->end) {
		enum pm_glibc_stop stop;
		int result = 0;

		if (parse_piece(walk, &stop) < 0 || commit(walk, keep) < 0)
			return -1;
		if (stop == PM_GLIBC_STOP_MEMORY)
			return pm_error_out_of_memory(walk->error);
		if (stop == PM_GLIBC_STOP_MOVED)
			result = handle_move(walk);
		if (stop == PM_GLIBC_STOP_FENCE)
			result = handle_fence(walk);
		if (stop == PM_GLIBC_STOP_BROKEN)
			result = handle_break(walk);
		if (result < 0)
			return -1;
	}

	return commit(walk, 0);
}

int pm_glibc_walk(struct pm_glibc *glibc, uint32_t arena, struct pm_glibc_heap *heap,
                  struct pm_heap_arena *found, struct pm_error *error)
{
	struct walk walk = {
		.glibc = glibc,
		.window = glibc->heap->window,
		.heap = heap,
		.found = found,
		.chain = { .at = heap->first,
		           .end = heap->end,
		           .top = glibc->arenas[arena].top,
		           .large = LARGE,
		           .moves = pm_glibc_can_change(glibc),
		           .main = arena == 0 },
		.moves = MOVES,
		.repairs = pm_min(REPAIRS + (heap->end - heap->first) / REPAIR_STEP, REPAIRS_MAX),
		.arena = arena,
		.error = error,
	};
	const struct pm_glibc_run run = { heap->start, glibc->saved_count, 0 };
	uint64_t trimmable = 0;
	int result = -1;

	if (pm_array_reserve(&glibc->runs, &glibc->run_capacity, glibc->run_count, 1,
	                     sizeof *glibc->runs, error) < 0)
		return -1;
	glibc->runs[glibc->run_count++] = run;

	if (pm_heap_index_add_segment(&glibc->heap->index, heap->first, heap->end, arena, error))
		result = walk_chain(&walk);
	if (result == 0) {
		heap->end = heap->is_part ? walk.chain.end : heap->end;
		result = pm_glibc_add_range(glibc, heap->start, heap->end, error);
	}
	if (result == 0)
		result = pm_glibc_pages_count(&glibc->heap->source, walk.trim.items,
		                              walk.trim.count, &trimmable, error);

	glibc->runs[glibc->run_count - 1].count = glibc->saved_count - run.first;
	found->trimmable += trimmable;
	free(walk.chunks.items);
	free(walk.trim.items);
	return result;
}
