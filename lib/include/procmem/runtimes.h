/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The language runtimes and allocators in a process, read from outside by their own data
 * structures: which memory belongs to them, and their own limits.
 *
 * Nothing is called in the target, and the target is not stopped. Only pages that are present are
 * read. The structures can change while they are read: each value is checked, and what does not
 * pass its checks is left out or PM_PROOF_INFERRED. Reading has a budget of time and of bytes.
 */
#ifndef PROCMEM_RUNTIMES_H
#define PROCMEM_RUNTIMES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/owner.h>
#include <procmem/process.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where runtimes are read from. */
struct pm_runtimes_source {
	const struct pm_regions *regions; /**< all regions of the target */
	struct pm_reader *reader;         /**< the memory of the target */
	/** Page states: only present pages are read. NULL: all pages are read, as for a core file
	 */
	const struct pm_page_source *pages;
	struct pm_process *process; /**< the running process; NULL if there is none */
	/** Cancellation flag: PM_ERROR_CANCELLED when non-zero. May be NULL */
	const volatile sig_atomic_t *cancel;
	/**
	 * Maximum time in milliseconds; 0 means PM_RUNTIMES_TIME_MS. When the time is used up, the
	 * result has what was found so far (pm_runtime_info.complete).
	 */
	unsigned time_ms;
	/**
	 * Also walk the heap of malloc, which takes longer than all else, for the used part of
	 * limits of native memory (PM_RUNTIME_LIMIT_JAVA_DIRECT). `time_ms` does not limit the
	 * walk.
	 */
	bool walk_heap;
};

/** Maximum time in milliseconds by default. */
#define PM_RUNTIMES_TIME_MS 1000

/** Size of the texts of struct pm_runtime_info in bytes, with the NUL. */
#define PM_RUNTIME_TEXT_SIZE 160

/** A runtime or allocator that was found. Texts come from the target and can contain any bytes. */
struct pm_runtime_info {
	/** The family of its owners (pm_owner_family()), such as "java"; a constant */
	const char *family;
	char version[PM_RUNTIME_TEXT_SIZE]; /**< such as "17.0.15+6" or "3.11"; "" if not known */
	/** What is special about it, human-readable: such as "G1" (the collector of a JVM), or
	 * "free threading: objects are in mimalloc"; "" if there is nothing */
	char variant[PM_RUNTIME_TEXT_SIZE];
	/** How it was found, human-readable */
	char proof[PM_RUNTIME_TEXT_SIZE];
	/** Why its memory, or a part of it, is not known, human-readable; "" if all was read */
	char missing[PM_RUNTIME_TEXT_SIZE];
	bool complete; /**< all its structures were read */
};

/** The limits inside runtimes. */
enum pm_runtime_limit_kind {
	PM_RUNTIME_LIMIT_JAVA_HEAP,        /**< MaxHeapSize */
	PM_RUNTIME_LIMIT_JAVA_METASPACE,   /**< MaxMetaspaceSize */
	PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE, /**< CompressedClassSpaceSize */
	PM_RUNTIME_LIMIT_JAVA_CODE,        /**< ReservedCodeCacheSize */
	PM_RUNTIME_LIMIT_JAVA_DIRECT,      /**< MaxDirectMemorySize; 0 means MaxHeapSize */
	PM_RUNTIME_LIMIT_V8_OLD_SPACE,     /**< --max-old-space-size, or the default */
	PM_RUNTIME_LIMIT_GO_MEMORY,        /**< GOMEMLIMIT */
	PM_RUNTIME_LIMIT_COUNT,            /**< number of kinds */
};

/** A limit inside a runtime. */
struct pm_runtime_limit {
	enum pm_runtime_limit_kind kind; /**< the limit */
	uint64_t max;                    /**< bytes */
	uint64_t used;                   /**< bytes */
	bool approximate;                /**< `used` is "about" */
	bool used_known;                 /**< false: `used` is 0 and means nothing */
	/** Where the limit comes from: the name of a flag or variable; a constant text */
	const char *source;
};

/** Maximum number of limits. */
#define PM_RUNTIME_LIMITS_MAX PM_RUNTIME_LIMIT_COUNT

/** A counter of a runtime, for people and for rates: such as the number of collections. */
struct pm_runtime_counter {
	const char *family; /**< pm_runtime_info.family */
	const char *name;   /**< such as "collections" or "collection_time"; a constant text */
	uint64_t value;     /**< the value */
	bool microseconds;  /**< the value is a time in microseconds */
	bool bytes;         /**< the value is a size in bytes; if neither is set, it is a count */
};

/** Maximum number of counters. */
#define PM_RUNTIME_COUNTERS_MAX 16

/** A thread that has a name inside a runtime, which is longer than the name that the kernel has. */
struct pm_runtime_thread {
	pid_t tid;        /**< thread ID in the PID namespace of the target */
	const char *name; /**< name; can contain any bytes but NUL */
};

/** Objects of one type in the heap of a runtime. */
struct pm_runtime_type {
	const char *family; /**< pm_runtime_info.family */
	const char *name;   /**< name of the type; can contain any bytes but NUL */
	uint64_t count;     /**< number of objects */
	uint64_t bytes;     /**< bytes of the blocks of the objects themselves */
};

/** What was found. All memory belongs to this structure. */
struct pm_runtimes {
	struct pm_runtime_info *items; /**< the runtimes and allocators */
	size_t count;                  /**< number of elements of `items` */
	/** Memory and its owners, by ascending address, without overlaps. Memory without a range
	 * has the owner that follows from the kind of its region (pm_region.owner) */
	struct pm_owner_range *ranges;
	size_t range_count; /**< number of elements of `ranges` */
	struct pm_runtime_limit limits[PM_RUNTIME_LIMITS_MAX];       /**< limits inside runtimes */
	size_t limit_count;                                          /**< number of limits */
	struct pm_runtime_counter counters[PM_RUNTIME_COUNTERS_MAX]; /**< counters */
	size_t counter_count;                                        /**< number of counters */
	struct pm_runtime_thread *threads; /**< named threads, by ascending TID */
	size_t thread_count;               /**< number of elements of `threads` */
	uint64_t reads;                    /**< number of bytes that were read */
	uint64_t microseconds;             /**< time that reading took */
};

/**
 * Finds runtimes and allocators, and reads their structures.
 *
 * @param source    where to read
 * @param runtimes  receives the result, also if nothing was found; release with
 *                  pm_runtimes_close()
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return          0 or -1
 */
PM_PUBLIC int pm_runtimes_open(const struct pm_runtimes_source *source,
                               struct pm_runtimes **runtimes, struct pm_error *error);

/**
 * Releases what pm_runtimes_open() returned.
 * @param runtimes  the runtimes; may be NULL
 */
PM_PUBLIC void pm_runtimes_close(struct pm_runtimes *runtimes);

/**
 * Finds the first range that ends after an address.
 *
 * @param runtimes  the runtimes
 * @param address   the address
 * @return          index in pm_runtimes.ranges; `range_count` if there is none
 */
PM_PUBLIC size_t pm_runtimes_range_index(const struct pm_runtimes *runtimes, uint64_t address);

/**
 * Returns the name of a limit, as in JSON, such as "java_heap".
 * @param kind  the limit
 * @return      a constant text; "" for invalid values
 */
PM_PUBLIC const char *pm_runtime_limit_name(enum pm_runtime_limit_kind kind);

#ifdef __cplusplus
}
#endif

#endif
