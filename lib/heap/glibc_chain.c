/* SPDX-License-Identifier: MIT */
#include "heap/glibc_chain.h"

#include "base/array.h"
#include "heap/glibc_layout.h"

enum {
	FENCE = 16,     /* size of a fencepost */
	CHAIN_SANE = 8, /* headers that must fit each other to start a chain */
};

static const unsigned char *at(const struct pm_glibc_buffer *buffer, uint64_t address)
{
	return buffer->bytes + (address - buffer->start);
}

static uint64_t head_at(const struct pm_glibc_buffer *buffer, uint64_t address)
{
	return pm_glibc_word(at(buffer, address) + 8);
}

/** Tests whether the buffer contains the header at an address. */
static bool has_header(const struct pm_glibc_buffer *buffer, uint64_t address)
{
	return address >= buffer->start && address <= buffer->end &&
	       buffer->end - address >= PM_GLIBC_HEADER;
}

static bool append(struct pm_glibc_chunks *chunks, uint64_t address, uint64_t size, unsigned state,
                   uint64_t word)
{
	if (chunks->count == chunks->capacity &&
	    pm_array_reserve(&chunks->items, &chunks->capacity, chunks->count, 1,
	                     sizeof *chunks->items, NULL) < 0)
		return false;

	chunks->items[chunks->count++] = (struct pm_glibc_chunk){ address, size | state, word };
	return true;
}

/** Reports a header that is not valid. */
static enum pm_glibc_stop broken(struct pm_glibc_chain *chain, const char *why)
{
	chain->why = why;
	return PM_GLIBC_STOP_BROKEN;
}

/** Parses the top chunk, or another chunk that ends at the end of the heap. */
static enum pm_glibc_stop parse_last(struct pm_glibc_chain *chain, uint64_t head,
                                     struct pm_glibc_chunks *chunks)
{
	uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS, rest = chain->end - chain->at;

	if (chain->at != chain->top && !chain->any_top)
		return broken(chain, "the chunk at the end of the heap is not the top chunk");
	if (size != rest && chain->moves && !chain->any_top)
		return PM_GLIBC_STOP_MOVED;
	if (!(head & PM_GLIBC_PREV_INUSE))
		return broken(chain, "the top chunk follows a free chunk");

	if (size != rest && !chain->any_top)
		return broken(chain, "the top chunk does not end at the end of the heap");

	/* In a running process, the heap may have grown or shrunk since its end was read. */
	size = pm_min(size, rest) & ~(uint64_t)(PM_GLIBC_ALIGNMENT - 1);
	if (size >= PM_GLIBC_CHUNK_MIN && !append(chunks, chain->at, size, PM_CHUNK_TOP, 0))
		return PM_GLIBC_STOP_MEMORY;
	chain->at = chain->end;
	return PM_GLIBC_STOP_END;
}

enum pm_glibc_stop pm_glibc_chain_finish(struct pm_glibc_chain *chain,
                                         struct pm_glibc_chunks *chunks)
{
	uint64_t size = (chain->end - chain->at) & ~(uint64_t)(PM_GLIBC_ALIGNMENT - 1);

	if (size >= PM_GLIBC_CHUNK_MIN && !append(chunks, chain->at, size, PM_CHUNK_TOP, 0))
		return PM_GLIBC_STOP_MEMORY;
	chain->at = chain->end;
	return PM_GLIBC_STOP_END;
}

/** Parses fenceposts, or reports that the size is not valid. */
static enum pm_glibc_stop parse_fence(struct pm_glibc_chain *chain,
                                      const struct pm_glibc_buffer *buffer, uint64_t head)
{
	uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS, rest = chain->end - chain->at;
	const uint64_t fence = FENCE | PM_GLIBC_PREV_INUSE;

	/* PREV_INUSE of the first fencepost is not set if the chunk before it is free. */
	bool is_first = (head & ~(uint64_t)PM_GLIBC_PREV_INUSE) == FENCE &&
	                rest >= UINT64_C(2) * FENCE;
	if (is_first && !has_header(buffer, chain->at + FENCE))
		return PM_GLIBC_STOP_BUFFER;

	if (!chain->main) {
		/* A fencepost, and the end of the heap: a header of size 0. */
		bool last = size == 0 && rest == FENCE;
		if (is_first && rest == UINT64_C(2) * FENCE)
			last = head_at(buffer, chain->at + FENCE) == PM_GLIBC_PREV_INUSE;
		if (!last)
			return broken(chain, "its size is not valid");
		chain->at = chain->end;
		return PM_GLIBC_STOP_END;
	}

	if (!is_first)
		return broken(chain, "its size is not valid");
	if (head_at(buffer, chain->at + FENCE) != fence)
		return broken(chain, "a fencepost without a second fencepost");

	chain->at += UINT64_C(2) * FENCE;
	return PM_GLIBC_STOP_FENCE;
}

/**
 * Checks the header at `chain->at`. Returns NULL if the size can belong to a chunk that is not the
 * last one.
 */
static const char *reason_against(const struct pm_glibc_chain *chain, uint64_t head)
{
	uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS;

	if (size % PM_GLIBC_ALIGNMENT != 0 || size < PM_GLIBC_CHUNK_MIN)
		return "its size is not valid";
	if (size > chain->end - chain->at)
		return "its size exceeds the heap";
	if (head & PM_GLIBC_IS_MAPPED)
		return "it is marked as mapped";
	if (chain->main && (head & PM_GLIBC_NON_MAIN))
		return "it is marked as a chunk of another arena";
	return NULL;
}

/** Adds the chunk at `chain->at`, whose header is valid. */
static enum pm_glibc_stop parse_chunk(struct pm_glibc_chain *chain, uint64_t head, uint64_t word,
                                      const unsigned char *next, struct pm_glibc_chunks *chunks)
{
	uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS;
	bool in_use = pm_glibc_word(next + 8) & PM_GLIBC_PREV_INUSE;

	/* The chunk before the top chunk is in use. malloc writes the header of the top chunk last:
	 * it can be missing yet. */
	if (chain->moves && chain->at + size == chain->top && pm_glibc_word(next) != size)
		in_use = true;
	if (!in_use && pm_glibc_word(next) != size)
		return broken(chain, "it is free, but the next chunk has another prev_size");

	/* In other arenas, a chunk in use that is not marked is a fencepost. */
	bool is_fence = in_use && !chain->main && !(head & PM_GLIBC_NON_MAIN);
	unsigned state = in_use ? PM_CHUNK_IN_USE : PM_CHUNK_FREE;
	if (!is_fence && !append(chunks, chain->at, size, state, word))
		return PM_GLIBC_STOP_MEMORY;

	chain->at += size;
	return PM_GLIBC_STOP_BUFFER;
}

enum pm_glibc_stop pm_glibc_chain_parse(struct pm_glibc_chain *chain,
                                        const struct pm_glibc_buffer *buffer,
                                        struct pm_glibc_chunks *chunks)
{
	while (chain->at < chain->end) {
		if (!has_header(buffer, chain->at))
			return PM_GLIBC_STOP_BUFFER;

		uint64_t head = head_at(buffer, chain->at);
		uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS;

		if (chain->at == chain->top)
			return parse_last(chain, head, chunks);
		if (size < PM_GLIBC_CHUNK_MIN)
			return parse_fence(chain, buffer, head);

		const char *why = reason_against(chain, head);
		if (why)
			return broken(chain, why);
		if (size == chain->end - chain->at)
			return parse_last(chain, head, chunks);
		if (size > chain->large)
			return PM_GLIBC_STOP_LARGE;
		if (!has_header(buffer, chain->at + size))
			return PM_GLIBC_STOP_BUFFER;

		uint64_t word = 0;
		if (size <= PM_GLIBC_FAST_MAX)
			word = pm_glibc_word(at(buffer, chain->at + PM_GLIBC_HEADER));

		const unsigned char *next = at(buffer, chain->at + size);
		enum pm_glibc_stop stop = parse_chunk(chain, head, word, next, chunks);
		if (stop != PM_GLIBC_STOP_BUFFER)
			return stop;
	}

	return PM_GLIBC_STOP_END;
}

enum pm_glibc_stop pm_glibc_chain_parse_large(struct pm_glibc_chain *chain, uint64_t head,
                                              uint64_t word, const unsigned char *next,
                                              struct pm_glibc_chunks *chunks)
{
	const char *why = reason_against(chain, head);

	if (why)
		return broken(chain, why);
	return parse_chunk(chain, head, word, next, chunks);
}

/** Tests the header at `test->at`, which is in the buffer. */
static enum pm_glibc_start test_header(const struct pm_glibc_chain *chain,
                                       const struct pm_glibc_buffer *buffer,
                                       struct pm_glibc_start_test *test)
{
	struct pm_glibc_chain rest = *chain;
	uint64_t head = head_at(buffer, test->at);
	uint64_t size = head & ~(uint64_t)PM_GLIBC_FLAGS;

	rest.at = test->at;
	if (!(head & PM_GLIBC_PREV_INUSE) &&
	    (test->previous == 0 || pm_glibc_word(at(buffer, test->at)) != test->previous))
		return PM_GLIBC_START_NO;
	if (test->at == chain->top)
		return PM_GLIBC_START_YES;
	if (size < PM_GLIBC_CHUNK_MIN) {
		bool fence = test->headers > 0 &&
		             parse_fence(&rest, buffer, head) != PM_GLIBC_STOP_BROKEN;
		return fence ? PM_GLIBC_START_YES : PM_GLIBC_START_NO;
	}
	if (reason_against(&rest, head) || size == chain->end - test->at)
		return PM_GLIBC_START_NO;

	test->previous = size;
	test->at += size;
	test->headers++;
	return PM_GLIBC_START_UNKNOWN;
}

enum pm_glibc_start pm_glibc_chain_starts(const struct pm_glibc_chain *chain,
                                          const struct pm_glibc_buffer *buffer,
                                          struct pm_glibc_start_test *test)
{
	while (test->headers < CHAIN_SANE) {
		if (!has_header(buffer, test->at))
			return PM_GLIBC_START_UNKNOWN;

		enum pm_glibc_start result = test_header(chain, buffer, test);
		if (result != PM_GLIBC_START_UNKNOWN)
			return result;
	}

	return PM_GLIBC_START_YES;
}
