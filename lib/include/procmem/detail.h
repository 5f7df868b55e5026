/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The detail of a region: numbers and names that the classification rules (kinds.h) found out about
 * the region in addition to its kind. pm_detail_format() writes a detail as human-readable text,
 * which no part of procmem parses.
 */
#ifndef PROCMEM_DETAIL_H
#define PROCMEM_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>
#include <procmem/owner.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a detail describes. If the comment of a type starts with a name in backquotes, the member of
 * struct pm_detail with this name contains the values.
 */
enum pm_detail_type {
	PM_DETAIL_NONE = 0,   /**< nothing is known besides the kind */
	PM_DETAIL_CHUNKS,     /**< `chunks`: blocks that malloc mapped individually */
	PM_DETAIL_ARENA,      /**< `heaps`: heaps of malloc arenas, by ascending address */
	PM_DETAIL_ARENA_REST, /**< `heaps`: the inaccessible end of a heap of a malloc arena */
	/**
	 * A heap of a malloc arena. The arena is not known, because the header of the heap was not
	 * read.
	 */
	PM_DETAIL_ARENA_UNREAD,
	PM_DETAIL_ARENA_UNREAD_REST, /**< the inaccessible end of a heap whose arena is not known */
	PM_DETAIL_THREADS,           /**< `threads`: threads that have their stack in the region */
	PM_DETAIL_THREAD_GUARD,      /**< `threads`: guard pages below the stack of these threads */
	PM_DETAIL_FIRST_THREAD,      /**< stack of the first thread, whose ID is not known */
	PM_DETAIL_NO_THREAD,         /**< stack that no thread uses */
	PM_DETAIL_UNKNOWN_THREAD,    /**< stack of a thread that is not known */
	PM_DETAIL_RELRO,             /**< data that is read-only after relocation */
	PM_DETAIL_SYSV,              /**< SysV shared memory whose ID is not known */
	PM_DETAIL_SYSV_ID,           /**< `shmid`: SysV shared memory whose ID is known */
	PM_DETAIL_POSIX,             /**< POSIX shared memory */
	PM_DETAIL_MEMFD,             /**< memory of memfd_create(2) */
	PM_DETAIL_SHARED_ANONYMOUS,  /**< shared anonymous memory */
	PM_DETAIL_RUNTIME_HEAP,      /**< `runtime`: heap of this runtime */
	PM_DETAIL_RUNTIME_HEAP_REST, /**< `runtime`: address space reserved for the heap of this
	                                runtime */
	PM_DETAIL_RUNTIME_CODE,      /**< `runtime`: code that this runtime generated */
	PM_DETAIL_RUNTIME_CODE_TWICE, /**< `runtime`: generated code that is mapped twice */
	PM_DETAIL_RUNTIME_COUNTERS,   /**< `runtime`: performance counters of this runtime */
	/** Address space reserved for more generated code, directly above generated code */
	PM_DETAIL_CODE_REST,
	PM_DETAIL_CODE_RECORD, /**< file that tells perf(1) about generated code */
	PM_DETAIL_ALLOCATOR,   /**< `allocator`: probably memory of this allocator */
	PM_DETAIL_OWNER,       /**< `owner`: memory of this owner */
	PM_DETAIL_NO_ACCESS,   /**< memory that was made inaccessible by mprotect(2) */
	PM_DETAIL_TEXT,  /**< `text`: the detail as text, from a recording of another version of
	                    procmem */
	PM_DETAIL_COUNT, /**< number of types */
};

/** Language runtimes that the rules recognise. */
enum pm_runtime {
	PM_RUNTIME_NONE = 0, /**< no runtime was recognised */
	PM_RUNTIME_GO,       /**< Go */
	PM_RUNTIME_JAVA,     /**< HotSpot, the JVM of OpenJDK */
	PM_RUNTIME_DOTNET,   /**< CoreCLR */
	PM_RUNTIME_NODE,     /**< V8 in Node.js */
	PM_RUNTIME_LUAJIT,   /**< LuaJIT */
	PM_RUNTIME_MONO,     /**< Mono */
	PM_RUNTIME_DART,     /**< Dart */
	PM_RUNTIME_COUNT,    /**< number of runtimes */
};

/** Allocators that can replace malloc, and that the library recognises. */
enum pm_allocator {
	PM_ALLOCATOR_NONE = 0, /**< no allocator was recognised */
	PM_ALLOCATOR_JEMALLOC, /**< jemalloc */
	PM_ALLOCATOR_TCMALLOC, /**< tcmalloc */
	PM_ALLOCATOR_MIMALLOC, /**< mimalloc */
	PM_ALLOCATOR_COUNT,    /**< number of allocators */
};

/** Position of malloc chunks in their region. */
enum pm_chunk_place {
	/**
	 * The chunks fill the region, or nearly so: pm_format_size() writes the same text for the
	 * size of the chunks as for the size of the region
	 */
	PM_CHUNKS_FILL = 0,
	PM_CHUNKS_FIRST,      /**< the chunks are at the start of the region */
	PM_CHUNKS_LAST,       /**< the chunks are at the end of the region */
	PM_CHUNKS_SCATTERED,  /**< the chunks are at several places in the region */
	PM_CHUNK_PLACE_COUNT, /**< number of places */
};

/** Blocks that malloc mapped individually. Sizes include headers and padding. */
struct pm_detail_chunks {
	uint64_t smallest; /**< size of the smallest chunk in bytes */
	uint64_t largest;  /**< size of the largest chunk in bytes */
	uint64_t covered;  /**< sum of the sizes of all chunks in bytes */
};

/** One heap of a malloc arena. */
struct pm_detail_heap {
	uint64_t start;  /**< first address of the heap */
	uint64_t arena;  /**< address of the arena to which the heap belongs */
	uint32_t number; /**< number of the arena, counted from 1; 0 if not known */
	uint32_t index;  /**< number of the heap in its arena, counted from 1; 0 if not known */
	uint32_t of;     /**< number of heaps that were found in the arena */
};

/** A thread that has its stack in a region. */
struct pm_detail_thread {
	pid_t tid;        /**< thread ID */
	const char *name; /**< thread name, which may contain any byte but NUL; "" if not known */
};

/**
 * Maximum number of threads that the detail of a region lists. More names would make the text too
 * long.
 */
#define PM_DETAIL_THREADS_MAX 4

/**
 * What is known about a region besides its kind. If all members are zero, nothing else is known.
 * The lists and texts of a detail are owned by the list of regions that contains the region;
 * pm_regions_copy_detail() copies a detail into another list of regions.
 */
struct pm_detail {
	uint8_t type;      /**< enum pm_detail_type */
	uint8_t runtime;   /**< enum pm_runtime */
	uint8_t allocator; /**< enum pm_allocator */
	uint8_t place;     /**< position of the chunks in the region: enum pm_chunk_place */
	uint32_t listed;   /**< number of items in `heaps` or `threads` */
	/**
	 * The number of chunks in the region or, if pm_detail_has_threads(), the number of stacks
	 * in the region
	 */
	uint32_t count;
	/** The number of threads that were found, including threads that `threads` does not list */
	uint32_t found;
	union {
		struct pm_detail_chunks chunks;     /**< sizes of the chunks */
		const struct pm_detail_heap *heaps; /**< array of `listed` heaps */
		/** Array of `listed` threads by ascending TID, at most PM_DETAIL_THREADS_MAX */
		const struct pm_detail_thread *threads;
		uint64_t shmid;   /**< ID of SysV shared memory */
		uint64_t owner;   /**< enum pm_owner */
		const char *text; /**< human-readable text */
	};
};

/**
 * Tests whether a detail has a list of heaps.
 *
 * @param detail  the detail
 * @return        true if pm_detail.heaps is valid
 */
static inline bool pm_detail_has_heaps(const struct pm_detail *detail)
{
	return detail->type == PM_DETAIL_ARENA || detail->type == PM_DETAIL_ARENA_REST;
}

/**
 * Tests whether a detail has a list of threads.
 *
 * @param detail  the detail
 * @return        true if pm_detail.threads is valid
 */
static inline bool pm_detail_has_threads(const struct pm_detail *detail)
{
	return detail->type == PM_DETAIL_THREADS || detail->type == PM_DETAIL_THREAD_GUARD;
}

/**
 * Formats a detail as text, such as "112 malloc chunks of 16.0M".
 *
 * @param detail  the detail
 * @param text    receives the text, truncated to `size` bytes including a NUL; may be NULL if
 *                `size` is 0
 * @param size    size of `text` in bytes
 * @return        length of the whole text in bytes, without the NUL, even if the text was
 *                truncated (like snprintf(3)); 0 for PM_DETAIL_NONE
 */
PM_PUBLIC size_t pm_detail_format(const struct pm_detail *detail, char *text, size_t size);

/**
 * Compares two details.
 *
 * @param one    a detail
 * @param other  another detail
 * @return       true if both details have the same type and the same values
 */
PM_PUBLIC bool pm_detail_equal(const struct pm_detail *one, const struct pm_detail *other);

#ifdef __cplusplus
}
#endif

#endif
