/* SPDX-License-Identifier: MIT */
/** @file What the readers of glibc's malloc share. Private. */
#ifndef PM_HEAP_GLIBC_CONTEXT_H
#define PM_HEAP_GLIBC_CONTEXT_H

#include "heap/glibc_layout.h"
#include "heap/heap.h"

/** How pointers in singly linked lists (fastbins and tcache) are stored. */
enum pm_glibc_links {
	PM_GLIBC_LINKS_UNKNOWN,
	PM_GLIBC_LINKS_PLAIN, /**< before 2.32 */
	PM_GLIBC_LINKS_SAFE,  /**< since 2.32: XOR with the address of the pointer, shifted by 12 */
};

/** The first word of a chunk's memory. */
struct pm_glibc_link {
	uint64_t address; /**< address of the word */
	uint64_t word;
};

/** A chunk in use that has the size of a tcache. */
struct pm_glibc_tcache {
	uint64_t address; /**< of its header */
	/** The first chunk of an arena: malloc usually allocates a tcache before anything else */
	bool first;
	/** Some of its lists are not valid, and nothing shows yet that it is a tcache */
	bool doubtful;
};

/** Saved links of one heap. */
struct pm_glibc_run {
	uint64_t address; /**< start of the heap */
	size_t first;     /**< index of the first link */
	size_t count;     /**< number of links */
};

/** Everything that is known about the malloc of a process. Zero-initialise it. */
struct pm_glibc {
	struct pm_heap_handle *heap;
	const struct pm_glibc_layout *layout; /**< layout of malloc_state */
	struct pm_glibc_arena *arenas;        /**< the main arena is first */
	size_t count;                         /**< number of arenas */
	size_t capacity;
	struct pm_glibc_parameters parameters;
	const char *file; /**< name of the mapping that contains the main arena */
	uint64_t page;    /**< bytes of a page */

	/** Memory of the arenas, in which there are no mapped chunks */
	struct pm_range *ranges;
	size_t range_count;
	size_t range_capacity;

	/** Candidates for tcaches, in the order of the walk */
	struct pm_glibc_tcache *tcaches;
	size_t tcache_count;
	size_t tcache_capacity;

	/**
	 * First words of small chunks in use that can be links of fastbins. They were read during
	 * the walk, so that the lists need not be read again, chunk by chunk. Each heap is a run of
	 * ascending addresses.
	 */
	struct pm_glibc_link *saved;
	size_t saved_count;
	size_t saved_capacity;
	struct pm_glibc_run *runs; /**< by ascending address after pm_glibc_cached_read() */
	size_t run_count;
	size_t run_capacity;
	/** Lowest and highest address of the arena that is walked over */
	struct pm_range arena_range;

	/**
	 * Work that is left for all arenas together, so that the time for a hostile target is
	 * bounded: see enum pm_glibc_budget
	 */
	uint64_t repair_work;
	uint64_t slow_tests;
	uint64_t state_reads;
	uint64_t growth;

	bool incomplete; /**< the figures of all arenas together are approximate */
	enum pm_glibc_links links;
	int minor; /**< the version that the text of libc names is 2.`minor`; 0 if it was not found
	            */
	/** Chunk size of the tcaches whose lists are valid; 0 if none was found that has chunks */
	uint64_t tcache_size;
	/** Second word of all chunks in tcaches (tcache_key, since 2.34); 0 if it is not known */
	uint64_t tcache_key;
};

/** Bounds for one process. A process that is not hostile needs less than a hundredth of them. */
enum pm_glibc_budget {
	/** Attempts to repair; each 64 KiB that are parsed again count as one more */
	PM_GLIBC_REPAIR_WORK = 1 << 14,
	/** Tests whether a chain of chunks starts, if a test needs bytes outside of the buffer.
	 * Such a test takes up to 8 reads */
	PM_GLIBC_SLOW_TESTS = 1 << 20,
	/** Reads of bins and arenas to check whether memory is the main arena */
	PM_GLIBC_STATE_READS = 1 << 22,
};

/** Bytes of memory that a running process can map while it is read, as in pm_glibc.growth. */
#define PM_GLIBC_GROWTH (UINT64_C(64) << 30)

enum { PM_GLIBC_LINK_SHIFT = 12 };

/** Returns the pointer that is stored as `word` at the address `at`. */
static inline uint64_t pm_glibc_link_of(uint64_t word, uint64_t at, enum pm_glibc_links links)
{
	return links == PM_GLIBC_LINKS_SAFE ? word ^ (at >> PM_GLIBC_LINK_SHIFT) : word;
}

/** Returns whether the memory of the target can change while it is read. */
static inline bool pm_glibc_can_change(const struct pm_glibc *glibc)
{
	return !glibc->heap->source.stopped;
}

/**
 * Counts a break, and stores it unless PM_HEAP_BREAKS_MAX breaks are stored already.
 *
 * @param glibc  the heap
 * @param found  the break; `why` must be a constant text
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_glibc_break(struct pm_glibc *glibc, const struct pm_heap_break *found,
                   struct pm_error *error);

/**
 * Stores a break that has no skipped bytes, and marks the heap as incomplete.
 *
 * @param glibc     the heap
 * @param arena     index of the arena
 * @param address   address of what is not valid
 * @param previous  address of what leads there, or 0
 * @param why       what is not valid, a constant human-readable text
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_glibc_damage(struct pm_glibc *glibc, uint32_t arena, uint64_t address, uint64_t previous,
                    const char *why, struct pm_error *error);

/**
 * Stores that a range belongs to an arena.
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_glibc_add_range(struct pm_glibc *glibc, uint64_t start, uint64_t end,
                       struct pm_error *error);

/**
 * Makes memory of an arena readable that a running process has mapped since its regions were read.
 *
 * @param start  start of the memory
 * @param end    end of the memory
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_glibc_grow(struct pm_glibc *glibc, uint64_t start, uint64_t end, struct pm_error *error);

/**
 * Reads the regions of a running process again, and makes the memory readable that was mapped since
 * they were read before. If they cannot be read, nothing becomes readable.
 *
 * @param is_wanted  returns whether the memory of a region is made readable
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_glibc_grow_all(struct pm_glibc *glibc, bool (*is_wanted)(const struct pm_region *region),
                      struct pm_error *error);

/**
 * Reads the current bytes of the target without a cache. The page must be known to be present.
 *
 * @param buffer  room for `size` bytes
 * @return        1; 0 if not all of the bytes can be read; -1 with PM_ERROR_GONE
 */
int pm_glibc_read_now(struct pm_glibc *glibc, uint64_t address, void *buffer, size_t size,
                      struct pm_error *error);

/**
 * Tests whether a chunk can be that of a tcache.
 *
 * @param size    size of the chunk
 * @param wanted  size of the chunk that malloc asks itself for. The chunk is 16 bytes larger if the
 *                rest would be too small for a chunk
 */
static inline bool pm_glibc_is_tcache_size(uint64_t size, uint64_t wanted)
{
	return size == wanted || size == wanted + 16;
}

/** Releases the lists of a context. */
void pm_glibc_deinit(struct pm_glibc *glibc);

#endif
