/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parses chunks that are contiguous in a buffer. Private.
 *
 * A chunk begins with the words `prev_size` and `size`. The three lowest bits of `size` are
 * PREV_INUSE (1), IS_MMAPPED (2) and NON_MAIN_ARENA (4). A chunk is in use if PREV_INUSE of the
 * next chunk is set; otherwise, `prev_size` of the next chunk is its size. Fenceposts at the end of
 * a part of the heap have a size of 16 or 0 (malloc/malloc.c of glibc).
 */
#ifndef PM_HEAP_GLIBC_CHAIN_H
#define PM_HEAP_GLIBC_CHAIN_H

#include <procmem/heap.h>

enum {
	PM_GLIBC_ALIGNMENT = 16,
	PM_GLIBC_HEADER = 16,    /**< bytes of prev_size and size */
	PM_GLIBC_CHUNK_MIN = 32, /**< MINSIZE */
	PM_GLIBC_PREV_INUSE = 1,
	PM_GLIBC_IS_MAPPED = 2,
	PM_GLIBC_NON_MAIN = 4,
	PM_GLIBC_FLAGS = 7,
	PM_GLIBC_FAST_MAX = 0xb0, /**< size of the largest chunks in fastbins */
};

/** A chunk that was parsed. Its state is in the lowest bits of `size`. */
struct pm_glibc_chunk {
	uint64_t address;
	uint64_t size; /**< size | enum pm_chunk_state */
	uint64_t word; /**< first word of the chunk's memory; 0 for large chunks */
};

/** Parsed chunks, by ascending address. Zero-initialise it; release `items` with free(3). */
struct pm_glibc_chunks {
	struct pm_glibc_chunk *items;
	size_t count;
	size_t capacity;
};

/** How the parser stopped. */
enum pm_glibc_stop {
	PM_GLIBC_STOP_BUFFER, /**< the next header, or the one after it, is not in the buffer */
	PM_GLIBC_STOP_LARGE,  /**< the chunk is larger than `large` */
	PM_GLIBC_STOP_END,    /**< the end of the chain */
	PM_GLIBC_STOP_FENCE,  /**< fenceposts of the main arena: memory of another user of sbrk(2)
	                         may follow */
	PM_GLIBC_STOP_MOVED,  /**< `at` was the top chunk, which has moved or changed its size */
	PM_GLIBC_STOP_BROKEN, /**< the header at `at` is not valid */
	PM_GLIBC_STOP_MEMORY, /**< out of memory */
};

/** The chain that is parsed. */
struct pm_glibc_chain {
	uint64_t at;     /**< address of the next header */
	uint64_t end;    /**< end of the heap */
	uint64_t top;    /**< address of the top chunk of the arena */
	uint64_t large;  /**< chunks that are larger must be checked by the caller */
	bool main;       /**< chunks of the main arena */
	bool moves;      /**< the top chunk can move while the heap is read */
	bool any_top;    /**< a chunk that ends at the end of the heap is accepted as top */
	const char *why; /**< for PM_GLIBC_STOP_BROKEN: what is not valid */
};

/** Bytes of the target. */
struct pm_glibc_buffer {
	uint64_t start;
	uint64_t end;
	const unsigned char *bytes;
};

/**
 * Parses chunks from `chain->at` on.
 *
 * @param chain   the chain; `at` is moved
 * @param buffer  contains `chain->at`
 * @param chunks  the chunks are appended
 */
enum pm_glibc_stop pm_glibc_chain_parse(struct pm_glibc_chain *chain,
                                        const struct pm_glibc_buffer *buffer,
                                        struct pm_glibc_chunks *chunks);

/**
 * Parses a chunk whose next header is not in the buffer.
 *
 * @param chain   the chain; `at` is moved if the chunk is valid
 * @param head    the word `size` of the chunk
 * @param word    first word of the chunk's memory; 0 for large chunks
 * @param next    the first PM_GLIBC_HEADER bytes after the chunk
 * @param chunks  the chunk is appended
 * @return        PM_GLIBC_STOP_BUFFER, PM_GLIBC_STOP_BROKEN or PM_GLIBC_STOP_MEMORY
 */
enum pm_glibc_stop pm_glibc_chain_parse_large(struct pm_glibc_chain *chain, uint64_t head,
                                              uint64_t word, const unsigned char *next,
                                              struct pm_glibc_chunks *chunks);

/**
 * Ends a chain at the place that the top chunk had when the arena was read: the rest of the heap is
 * the top chunk of that moment.
 *
 * @param chain   the chain; `at` is moved to the end
 * @param chunks  the top chunk is appended
 * @return        PM_GLIBC_STOP_END or PM_GLIBC_STOP_MEMORY
 */
enum pm_glibc_stop pm_glibc_chain_finish(struct pm_glibc_chain *chain,
                                         struct pm_glibc_chunks *chunks);

/** Whether a chain of chunks begins at an address. */
enum pm_glibc_start {
	PM_GLIBC_START_NO,
	PM_GLIBC_START_YES,
	PM_GLIBC_START_UNKNOWN, /**< the next header is not in the buffer */
};

/** A test whether a chain of chunks begins at an address. */
struct pm_glibc_start_test {
	uint64_t at; /**< address of the next header to test; the caller sets it to the first one */
	uint64_t previous; /**< size of the chunk before `at`; 0 for the first one */
	unsigned headers;  /**< number of headers that were tested */
};

/**
 * Tests whether a chain of chunks begins at an address: at least 8 headers that fit each other, or
 * fewer if the top chunk or fenceposts follow. To continue after PM_GLIBC_START_UNKNOWN, call it
 * again with a buffer that contains `test->at`.
 *
 * @param chain   the heap; `at` is not used
 * @param buffer  the bytes
 * @param test    the state of the test
 */
enum pm_glibc_start pm_glibc_chain_starts(const struct pm_glibc_chain *chain,
                                          const struct pm_glibc_buffer *buffer,
                                          struct pm_glibc_start_test *test);

#endif
