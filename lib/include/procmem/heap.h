/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What is inside malloc: the arenas and chunks of an allocator, read from outside the process.
 *
 * The allocator is recognised by its data structures, so no symbols are needed. If the structures
 * are not those of a supported version, pm_heap.allocator is PM_HEAP_ALLOCATOR_UNKNOWN; the heap is
 * then not known, which does not mean that it is empty.
 *
 * In a running process, the chunks change while they are read. Where the chain of chunks breaks,
 * the memory is read again. If this does not help, the part is skipped and reported
 * (pm_heap_break). The figures are then approximate (pm_heap.complete is false): the chunks of
 * skipped parts are missing, and chunks that were freed during the walk can be counted as in use.
 *
 * An open heap takes about 24 MiB of memory for each GiB of chunks.
 */
#ifndef PROCMEM_HEAP_H
#define PROCMEM_HEAP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/process.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The allocators that procmem recognises. */
enum pm_heap_allocator {
	PM_HEAP_ALLOCATOR_UNKNOWN = 0, /**< no known structures were found */
	PM_HEAP_ALLOCATOR_GLIBC,       /**< malloc of glibc 2.26 to 2.44 */
	PM_HEAP_ALLOCATOR_JEMALLOC,    /**< jemalloc 5 */
	PM_HEAP_ALLOCATOR_TCMALLOC,    /**< tcmalloc: only its name is known */
	PM_HEAP_ALLOCATOR_MIMALLOC,    /**< mimalloc: only its name is known */
	PM_HEAP_ALLOCATOR_MUSL,        /**< malloc of musl: only its name is known */
	PM_HEAP_ALLOCATOR_GO,          /**< the runtime of Go: only its name is known */
};

/** The state of a chunk. */
enum pm_chunk_state {
	PM_CHUNK_IN_USE = 0, /**< the program has allocated it */
	/** The program has freed it, but malloc still marks it as used. It is in a tcache or a
	 * fastbin (glibc), or in the cache of a thread (jemalloc 5.3) */
	PM_CHUNK_CACHED,
	PM_CHUNK_FREE, /**< free, in a bin of malloc */
	PM_CHUNK_TOP,  /**< the rest at the end of an arena, from which malloc takes new chunks */
};

/** Value of pm_chunk.arena for chunks that malloc mapped separately. */
#define PM_CHUNK_MAPPED UINT32_MAX

/** A chunk. */
struct pm_chunk {
	uint64_t address; /**< address of the header; equal to `start` if there is no header */
	uint64_t start;   /**< address that malloc returned */
	uint64_t end;     /**< end of the bytes that the program may use */
	uint64_t size;    /**< size in bytes as malloc counts it, including the header */
	uint32_t arena;   /**< index of the arena, or PM_CHUNK_MAPPED */
	uint32_t number;  /**< index of the chunk in address order, from 0 */
	uint8_t state;    /**< enum pm_chunk_state */
};

/** An arena. Sizes are in bytes. */
struct pm_heap_arena {
	uint64_t address; /**< address of malloc_state; 0 in jemalloc: not known */
	bool main;        /**< the main arena of glibc, which uses brk(2) */
	/** Number that is shown to the user. glibc: 0 for the main arena; the others have numbers
	 * from 1 on, by address, as in the details of regions. jemalloc: from 0 on */
	uint32_t number;
	uint64_t system; /**< obtained from the kernel (malloc_state.system_mem) */
	/** Chunks in use. jemalloc before 5.3: includes regions in the caches of threads */
	uint64_t in_use;
	uint64_t cached;   /**< cached chunks */
	uint64_t free;     /**< free chunks, without top */
	uint64_t top;      /**< size of top */
	uint64_t overhead; /**< malloc_state, heap_info, fenceposts; also what was skipped */
	/** Whole pages in free chunks and in top, after chunks of fastbins were merged with them:
	 * malloc_trim(3) would return about this much */
	uint64_t trimmable;
	uint64_t chunks;       /**< number of chunks in use */
	uint64_t cached_count; /**< number of cached chunks */
	uint64_t free_count;   /**< number of free chunks, without top */
	uint64_t fast;         /**< bytes of the cached chunks that are in fastbins */
	uint64_t fast_count;   /**< number of chunks in fastbins */
	uint64_t attached;     /**< number of threads that use the arena (attached_threads) */
	uint64_t heaps; /**< number of address ranges: heaps in glibc, used extents in jemalloc */
	/** jemalloc: bytes of unused pages that jemalloc keeps for later (dirty and muzzy pages).
	 * They are part of `free`. The rest of `system` are active pages */
	uint64_t unused_pages;
	/** jemalloc: the part of `unused_pages` that the kernel may take at any time (MADV_FREE) */
	uint64_t muzzy;
	/** jemalloc: bytes of address space without pages that jemalloc keeps for later; not part
	 * of `system` */
	uint64_t retained;
	bool complete; /**< false: the figures are approximate */
};

/** Something that is not valid: a chunk header, a list or a counter of the allocator. */
struct pm_heap_break {
	/** Address of the chunk header or of the structure; in jemalloc, of a page whose extent is
	 * not valid */
	uint64_t address;
	uint64_t previous; /**< address of the chunk before it, or of the structure that refers to
	                      it; 0 if there is none */
	uint64_t skipped;  /**< number of bytes that were skipped; 0 if reading again has helped */
	uint32_t arena;    /**< index of the arena */
	/** true: the chain of chunks of glibc breaks at `address`. false: something else is not
	 * valid, such as a counter, a list or a tcache */
	bool chain;
	const char *why; /**< what is not valid, a constant human-readable text */
};

/** Maximum number of breaks that are stored; pm_heap.breaks_total counts all of them. */
#define PM_HEAP_BREAKS_MAX 64

/**
 * What was found. Read-only. Several threads may use a heap at the same time, except that only one
 * thread at a time may call pm_heap_read_chunks().
 */
struct pm_heap {
	enum pm_heap_allocator allocator; /**< the allocator */
	/** Version, such as "2.36", or range of versions, such as "2.35-2.41"; "" if not known */
	char version[32];
	char proof[160]; /**< how the allocator was found, human-readable */
	bool unused;     /**< its structures exist, but malloc of this allocator was never called */
	bool narrow;     /**< all regions are below 4 GiB, as in a 32-bit process: chunks of 32-bit
	                    processes cannot be read */
	bool complete;   /**< false: the figures are approximate */
	/** Most of the memory of an arena of a running process could not be read, and further
	 * attempts did not help: the figures say nothing about what is in use */
	bool lost;
	struct pm_heap_arena *arenas; /**< the arenas; the main arena is first */
	size_t arena_count;           /**< number of elements of `arenas` */
	struct pm_heap_arena total;   /**< sums over `arenas`, without mapped chunks */
	uint64_t mapped;              /**< bytes of chunks that malloc mapped separately */
	uint64_t mapped_count;        /**< number of these chunks */
	/** The part of `mapped` that is before the headers of these chunks: posix_memalign(3) has
	 * skipped it. It is not part of pm_chunk.size */
	uint64_t mapped_lead;
	uint64_t mapped_counter;       /**< `mapped` according to malloc's own counters (mp_); 0 if
	                                  these were not found */
	uint64_t mapped_count_counter; /**< `mapped_count` according to malloc's own counters */
	/** Whether malloc's own counters of mapped chunks were found; false for jemalloc */
	bool mapped_counted;
	/** More mapped chunks were found than malloc has counted, or the counters were not found:
	 * some of the chunks can be other memory that looks like a mapped chunk. If the process
	 * runs, malloc may also have unmapped some of them since they were found. If the counters
	 * were not found, mapped chunks can also be missing */
	bool mapped_uncertain;
	/** Fewer bytes of mapped chunks were found than malloc has counted. This is one of the
	 * breaks */
	bool mapped_missing;
	struct pm_heap_break *breaks; /**< the first PM_HEAP_BREAKS_MAX breaks */
	size_t break_count;           /**< number of elements of `breaks` */
	uint64_t breaks_total;        /**< number of all breaks */
	/** A second allocator of the process, whose chunks are not in this heap.
	 * PM_HEAP_ALLOCATOR_UNKNOWN if there is none. It can be equal to `allocator`: a process can
	 * have two copies of glibc (dlmopen(3), LD_AUDIT) */
	enum pm_heap_allocator other;
	bool other_known; /**< the chunks of `other` were read. This heap has at least as many bytes
	                     in use */
	/** Bytes in use in chunks of `other`; 0 if `other_known` is false */
	uint64_t other_in_use;
	uint32_t chunk_count; /**< number of chunks of all states; each pm_chunk.number is less than
	                         this */
};

/** What an earlier search in the same process has found. */
struct pm_heap_hint {
	bool searched;           /**< jemalloc was searched for; false: the other fields are 0 */
	uint64_t jemalloc_entry; /**< address where a structure of jemalloc was found; 0: none */
};

/** Where the heap is read from. */
struct pm_heap_source {
	const struct pm_regions *regions; /**< all regions of the target; must outlive the heap */
	struct pm_reader *reader;         /**< the memory of the target; must outlive the heap */
	/** Page states: only present and swapped pages are read. NULL: all pages are read, as for a
	 * core file or a copy */
	const struct pm_page_source *pages;
	/** The process, if it runs: its regions are read again if chunks that malloc has counted
	 * are not in `regions`. NULL: they are not read again */
	struct pm_process *process;
	/** Ranges in which mapped chunks are not searched for, such as a Java heap; ascending. NULL
	 * if there are none */
	const struct pm_range *skip;
	size_t skip_count; /**< number of elements of `skip` */
	/** The target does not change while it is read. Then a chain that breaks is damaged, and is
	 * not read again */
	bool stopped;
	/** The allocator that is part of the program, from pm_heap_find_linked(); its name is
	 * reported if its structures are not found. PM_HEAP_ALLOCATOR_UNKNOWN if there is none, or
	 * if this is not known */
	enum pm_heap_allocator linked;
	/** Cancellation flag: PM_ERROR_CANCELLED when non-zero. May be NULL */
	const volatile sig_atomic_t *cancel;
	struct pm_heap_hint hint; /**< result of pm_heap_find_hint(); or zeroed */
};

/**
 * Finds an allocator that was linked statically into the program of a process: the file of the
 * program defines a function of this allocator. Such an allocator has no library of its own that
 * pm_heap_open() could see. Reads the symbol tables of the file, so do not call this while the
 * process is stopped.
 *
 * @param process  the process
 * @return         the allocator: jemalloc, tcmalloc, mimalloc, musl or the runtime of Go.
 *                 PM_HEAP_ALLOCATOR_UNKNOWN if the program has none of these functions, was
 *                 stripped, or cannot be read
 */
PM_PUBLIC enum pm_heap_allocator pm_heap_find_linked(struct pm_process *process);

/**
 * Searches for the structures of jemalloc, which takes long. Call this before the target is
 * stopped: with the hint, pm_heap_open() takes less time.
 *
 * @param source  where to read; `hint` is ignored
 * @param hint    receives what was found; zeroed on failure
 * @param error   as for pm_heap_open()
 * @return        0 or -1
 */
PM_PUBLIC int pm_heap_find_hint(const struct pm_heap_source *source, struct pm_heap_hint *hint,
                                struct pm_error *error);

/**
 * Finds the allocator, its arenas and all chunks.
 *
 * @param source  where to read
 * @param heap    receives the heap, also if no allocator was found; release with pm_heap_close()
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_IO (page states)
 * @return        0 or -1
 */
PM_PUBLIC int pm_heap_open(const struct pm_heap_source *source, struct pm_heap **heap,
                           struct pm_error *error);

/**
 * Releases a heap.
 * @param heap  the heap; may be NULL
 */
PM_PUBLIC void pm_heap_close(struct pm_heap *heap);

/**
 * Finds the chunk, in any state, that contains an address. In glibc, the first 8 bytes of a header
 * belong to the chunk before it if that chunk is in use or cached.
 *
 * @param heap     the heap
 * @param address  any address: inside the chunk, or inside its header
 * @param chunk    receives the chunk; may be NULL
 * @return         true if there is a chunk
 */
PM_PUBLIC bool pm_heap_find(const struct pm_heap *heap, uint64_t address, struct pm_chunk *chunk);

/**
 * Returns a chunk by its number. Takes the time of a binary search.
 *
 * @param heap    the heap
 * @param number  number of the chunk, less than pm_heap.chunk_count
 * @param chunk   receives the chunk
 */
PM_PUBLIC void pm_heap_chunk(const struct pm_heap *heap, uint32_t number, struct pm_chunk *chunk);

/**
 * Returns whether a chunk is in a fastbin of glibc: malloc_trim(3) and large requests merge such a
 * chunk with free chunks beside it. Chunks in tcaches are never merged. In glibc before 2.30,
 * chunks in tcaches cannot be distinguished from chunks in fastbins if they have at most 176 bytes.
 *
 * @param heap   the heap
 * @param chunk  one of its chunks
 * @return       true if it is in a fastbin
 */
PM_PUBLIC bool pm_heap_in_fastbin(const struct pm_heap *heap, const struct pm_chunk *chunk);

/** Maximum number of bytes of a chunk that pm_heap_read_chunks() passes to the visitor. */
#define PM_CHUNK_HEAD_SIZE 64

/**
 * Visits a chunk.
 *
 * @param context  as passed to pm_heap_read_chunks()
 * @param chunk    the chunk
 * @param head     the first bytes at pm_chunk.start
 * @param size     number of these bytes: the smaller of PM_CHUNK_HEAD_SIZE and the bytes of the
 *                 chunk that could be read
 * @return         0 to continue; any other value ends the walk, which returns this value
 */
typedef int pm_chunk_visitor(void *context, const struct pm_chunk *chunk, const void *head,
                             size_t size);

/**
 * Reads the first bytes of all chunks of some states, in ascending address order, with few system
 * calls.
 *
 * @param heap     the heap
 * @param states   bit mask: 1 << enum pm_chunk_state
 * @param visit    called for each chunk
 * @param context  passed to `visit`
 * @param error    as for pm_heap_open()
 * @return         0; -1 on error; or the value with which `visit` ended the walk
 */
PM_PUBLIC int pm_heap_read_chunks(struct pm_heap *heap, unsigned states, pm_chunk_visitor *visit,
                                  void *context, struct pm_error *error);

/**
 * Returns the name of a state, as in JSON.
 * @param state  the state
 * @return       "in_use", "cached", "free" or "top"; a constant
 */
PM_PUBLIC const char *pm_chunk_state_name(enum pm_chunk_state state);

/**
 * Returns the name of an allocator.
 * @param allocator  the allocator
 * @return           a name such as "glibc", or "unknown"; a constant
 */
PM_PUBLIC const char *pm_heap_allocator_name(enum pm_heap_allocator allocator);

#ifdef __cplusplus
}
#endif

#endif
