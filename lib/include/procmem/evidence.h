/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Evidence: what was observed about a process and what surrounds it. The rules of findings.h judge
 * it. Evidence is plain data: it can come from a living process, from a recording or core file, or
 * from a test. What was not observed has a count of 0 or a `known` that is false; the rules then
 * make no claim about it.
 *
 * The caller owns all arrays and texts. They must stay valid while the findings are used. Texts of
 * the target, such as names and contents, can have any bytes but NUL.
 */
#ifndef PROCMEM_EVIDENCE_H
#define PROCMEM_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/cgroup_parts.h>
#include <procmem/headroom.h>
#include <procmem/owner.h>
#include <procmem/pressure_signs.h>
#include <procmem/region.h>
#include <procmem/trend.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a size or number developed while it was observed. */
struct pm_evidence_trend {
	bool known;            /**< it was observed at least twice */
	uint64_t first;        /**< first value */
	uint64_t last;         /**< last value, or the only one */
	struct pm_trend trend; /**< zeroed if `known` is false */
};

/** A process of the family, or of the cgroup of the target. */
struct pm_evidence_process {
	pid_t pid;         /**< process ID */
	const char *comm;  /**< command name */
	bool child;        /**< it is below the target in the tree of processes */
	bool same_program; /**< it runs the same program as the target, such as a worker of it */
	struct pm_evidence_trend memory; /**< anonymous, shared and swapped bytes */
};

/** A region, or several regions that develop alike (tracker.h). Sizes are in bytes. */
struct pm_evidence_region {
	uint64_t start;      /**< first address of the representative region */
	uint64_t end;        /**< address after its last byte */
	enum pm_kind kind;   /**< kind of all regions */
	enum pm_owner owner; /**< owner of most of the bytes */
	bool owner_certain;  /**< the owner is proven */
	unsigned perms;      /**< enum pm_perm bits */
	const char *mapping; /**< name; "" if it has none */
	bool deleted;        /**< the mapped file has no name any more */
	pid_t thread;        /**< the thread that uses it: its stack or its arena; 0: not known */
	const char *thread_name; /**< name of this thread; "" if not known */
	uint32_t arena;          /**< number of the malloc arena; 0 if none, or the main arena */
	uint64_t chunk_min; /**< smallest chunk that malloc mapped separately; 0 if there is none */
	uint64_t chunk_max; /**< largest chunk that malloc mapped separately; 0 if there is none */
	uint64_t size;      /**< address space */
	uint64_t huge;      /**< transparent huge pages */
	uint64_t locked;    /**< locked pages */
	uint64_t swap;      /**< swapped-out bytes */
	uint64_t shared;    /**< resident bytes that other processes map, too */
	/** Bytes of a reserve behind the region, into which it can grow; 0 if there is none */
	uint64_t reserve;
	struct pm_evidence_trend memory; /**< resident and swapped bytes */
	struct pm_evidence_trend length; /**< address space that is in use */
	struct pm_evidence_trend count;  /**< number of regions */
};

/** The memory of one owner (owner.h). */
struct pm_evidence_owner {
	enum pm_owner owner;             /**< the owner */
	bool certain;                    /**< all of it is proven */
	struct pm_evidence_trend memory; /**< resident and swapped bytes */
	/**
	 * Bytes of objects, as the runtime counts them. Java: the old objects that the last
	 * collection left, with the garbage among them. V8: the old space. Go: all objects. V8 and
	 * Go: with the garbage since the last collection. Not known for other owners
	 */
	struct pm_evidence_trend used;
	uint64_t used_max; /**< maximum of `used`; 0: none, or not known */
	/** Bytes of objects that the last collection has found in use. Known for Go */
	struct pm_evidence_trend live;
	/** Collections of garbage since the start of the runtime; known for Java and Go */
	struct pm_evidence_trend collections;
	/** Of these, collections of old objects; known for Java */
	struct pm_evidence_trend old_collections;
};

/** An arena of malloc. */
struct pm_evidence_arena {
	uint64_t address; /**< address of its state */
	uint32_t number;  /**< number, as in the details of regions; 0 is the main arena */
	bool main;        /**< the main arena */
	bool complete;    /**< false: the figures are approximate */
	uint64_t system;  /**< obtained from the kernel */
	uint64_t in_use;  /**< chunks in use */
	uint64_t free;    /**< free and cached chunks, and the top */
	/** The part of `free` that was free in all walks; with one walk, as `free` */
	uint64_t free_always;
	uint64_t trimmable; /**< whole pages of `free`: malloc_trim(3) would return about this much
	                     */
	pid_t thread;       /**< a thread that uses it; 0 if not known */
	const char *thread_name;            /**< name of this thread; "" if not known */
	uint32_t threads;                   /**< number of threads that use it; 0 if not known */
	struct pm_evidence_trend use_trend; /**< `in_use` over time */
};

/** Maximum number of elements of pm_evidence.chunks. */
#define PM_EVIDENCE_CHUNKS_MAX 256

/** Chunks of malloc of one size, and of one type where it is known. */
struct pm_evidence_chunks {
	uint64_t size;     /**< size of each chunk with its header */
	uint64_t count;    /**< chunks in use */
	uint64_t bytes;    /**< their bytes */
	bool growth_known; /**< the heap was walked several times */
	double rate;       /**< survivors: new chunks that stay, per second */
	double net_rate;   /**< growth of `count` per second; about `rate` if none is released */
	uint64_t fall;     /**< largest decrease of `count` from one walk to the next, if known */
	bool certain;      /**< no chunk can be missing in the rates */
	const char *type;  /**< name of a type; "" if not known */
	const char *text;  /**< what the texts in the chunks have in common; "" if there is none */
	uint64_t example;  /**< address of one of the survivors, or of any of the chunks */
	uint32_t arena;    /**< number of the arena of the example */
	bool mapped;       /**< malloc mapped these chunks separately */
	const char
		*module; /**< file whose constants contain the start of `text`; "" if not known */
};

/** A text in new pages of a region that grows. */
struct pm_evidence_text {
	size_t region;    /**< index in pm_evidence.regions */
	const char *text; /**< the text, or what similar texts have in common */
	uint64_t count;   /**< number of texts in new pages */
	uint64_t stride;  /**< distance of the texts in bytes, if it is regular; 0 if not */
};

/** Objects of one type in a runtime. */
struct pm_evidence_type {
	enum pm_owner owner; /**< the owner of the objects, such as PM_OWNER_PYTHON_OBJECTS */
	const char *type;    /**< name of the type */
	uint64_t count;      /**< number of objects */
	uint64_t bytes;      /**< bytes of the objects themselves */
	double rate;         /**< growth of the number per second; 0 if not known */
};

/** A part of the memory of the cgroup. */
struct pm_evidence_part {
	enum pm_cgroup_part part;        /**< the part */
	struct pm_evidence_trend memory; /**< its bytes */
};

/** A directory of a tmpfs, with the files directly in it. */
struct pm_evidence_tmpfs {
	const char *path; /**< path as the target sees it */
	uint64_t files;   /**< number of files */
	bool charged;     /**< the files are charged to the cgroup of the target, or may be */
	struct pm_evidence_trend bytes; /**< allocated bytes */
};

/** A file or shared memory that the target maps and another process writes or has, too. */
struct pm_evidence_shared {
	const char *name;        /**< name as in maps */
	uint64_t start;          /**< an address where the target maps it */
	bool nameless;           /**< memfd, deleted file, or shared anonymous memory */
	pid_t writer;            /**< another process that can write it; 0 if there is none */
	const char *writer_name; /**< its command name; "" if there is none */
	bool target_writes;      /**< the target can write it, too */
	uint32_t users;          /**< number of other processes that have it */
	uint64_t size;           /**< length that does not change: the memory in it cannot become
	                          * more; 0: the length changes, or is not known */
	struct pm_evidence_trend length; /**< length of the file, or its allocated bytes */
};

/** A limit of the process (headroom.h), and how its used part developed. */
struct pm_evidence_limit {
	struct pm_limit limit;         /**< the limit at the last sample */
	struct pm_evidence_trend used; /**< the used part, without what can be reclaimed */
	bool time_known;               /**< `seconds_min` and `seconds_max` are known */
	double seconds_min;            /**< the limit is reached in this time at the earliest */
	double seconds_max;            /**< at the latest */
};

/** Numbers that a limit of the kernel restricts. */
enum pm_evidence_number {
	PM_EVIDENCE_THREADS,     /**< threads of the target */
	PM_EVIDENCE_MAPPINGS,    /**< regions of the target */
	PM_EVIDENCE_DESCRIPTORS, /**< open descriptors of the target */
	PM_EVIDENCE_CHILDREN,    /**< processes below the target */
	PM_EVIDENCE_NUMBERS,     /**< number of values of this enum */
};

/** The most frequent name of the newest things that a number counts. */
struct pm_evidence_name {
	const char *name; /**< the name, with `#` for each number in it; NULL if not known */
	uint64_t count;   /**< newest things with this name */
	uint64_t of;      /**< newest things whose names were read */
};

/** Where evidence comes from. */
enum pm_evidence_source {
	PM_EVIDENCE_LIVE,      /**< a living process */
	PM_EVIDENCE_RECORDING, /**< a recording: what a sample does not have is not known */
	PM_EVIDENCE_SMAPS,     /**< a saved smaps file: one moment, only sizes */
	PM_EVIDENCE_CORE,      /**< a core file: one moment, no limits */
};

/** Everything that was observed. Zero-initialise it, and fill what is known. */
struct pm_evidence {
	enum pm_evidence_source source;  /**< where it comes from */
	const char *file;                /**< the file that it comes from; NULL: a living process */
	pid_t pid;                       /**< the target; 0 if not known */
	const char *comm;                /**< its command name */
	double seconds;                  /**< how long it was observed; 0 for one moment */
	size_t samples;                  /**< number of samples */
	struct pm_evidence_trend memory; /**< resident and swapped bytes of the target */
	struct pm_evidence_trend kept;   /**< of these, what the kernel cannot drop: not files */
	uint64_t unique;  /**< bytes that no other process has (USS); 0 if not known */
	uint64_t swapped; /**< swapped-out bytes of the target */
	struct pm_evidence_trend numbers[PM_EVIDENCE_NUMBERS]; /**< numbers */
	struct pm_evidence_name names[PM_EVIDENCE_NUMBERS];    /**< names of the newest of them */

	const struct pm_evidence_region *regions;    /**< regions by descending memory */
	size_t region_count;                         /**< number of elements */
	const struct pm_evidence_owner *owners;      /**< owners by descending memory */
	size_t owner_count;                          /**< number of elements */
	const struct pm_evidence_arena *arenas;      /**< arenas of malloc */
	size_t arena_count;                          /**< number of elements */
	const struct pm_evidence_chunks *chunks;     /**< chunks by descending growth, then bytes */
	size_t chunk_count;                          /**< at most PM_EVIDENCE_CHUNKS_MAX */
	const struct pm_evidence_text *texts;        /**< texts by descending count */
	size_t text_count;                           /**< number of elements */
	const struct pm_evidence_type *types;        /**< types of runtimes by descending growth */
	size_t type_count;                           /**< number of elements */
	const struct pm_evidence_process *processes; /**< others of the family and cgroup */
	size_t process_count;                        /**< number of elements */
	const struct pm_evidence_part *parts;    /**< parts of the nearest cgroup with a limit */
	size_t part_count;                       /**< number of elements */
	const struct pm_evidence_tmpfs *tmpfs;   /**< directories by descending growth */
	size_t tmpfs_count;                      /**< number of elements */
	const struct pm_evidence_shared *shared; /**< shared files */
	size_t shared_count;                     /**< number of elements */
	const struct pm_evidence_limit
		*limits;             /**< limits; the one that is reached first is first */
	size_t limit_count;          /**< number of elements */
	const struct pm_sign *signs; /**< crossed thresholds of pressure, the gravest first */
	size_t sign_count;           /**< number of elements */
	const struct pm_pressure_level *levels; /**< levels of pm_sign.level; NULL: not known */
	size_t level_count;                     /**< number of elements */
	uint64_t descriptors_max;               /**< RLIMIT_NOFILE of the target; 0 if not known */
	bool heap_known;                        /**< `arenas` and `chunks` are known */
};

/**
 * Returns whether something grows for sure: its verdict is PM_VERDICT_STEADY.
 * @param trend  the trend
 * @return       true or false; false if it is not known
 */
static inline bool pm_evidence_grows(const struct pm_evidence_trend *trend)
{
	return trend->known && trend->trend.verdict == PM_VERDICT_STEADY && trend->trend.rate > 0;
}

/**
 * Returns whether something does not grow, as far as it was observed: no growth, a plateau, or
 * smaller; or a sawtooth whose floor does not rise.
 * @param trend  the trend
 * @return       true or false; false if it is not known
 */
PM_PUBLIC bool pm_evidence_is_flat(const struct pm_evidence_trend *trend);

/**
 * Returns the rate of something that grows, also if the rate is only an estimate.
 * @param trend  the trend
 * @return       bytes or numbers per second; 0 if it does not grow or this is not known
 */
PM_PUBLIC double pm_evidence_rate(const struct pm_evidence_trend *trend);

#ifdef __cplusplus
}
#endif

#endif
