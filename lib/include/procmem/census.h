/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A census of chunks: counts by size, type, text, arena or state, in bounded memory.
 *
 * When the memory is used up, the classes with the least bytes are dropped. Two bounds hold:
 * - Every class of more than pm_census_bound() bytes is in the census.
 * - The bytes of a class are too low by at most pm_census_class.missed.
 *
 * As long as no class was dropped, both bounds are 0, and all counts are exact.
 */
#ifndef PROCMEM_CENSUS_H
#define PROCMEM_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/chunk_filter.h>
#include <procmem/chunk_type.h>
#include <procmem/error.h>
#include <procmem/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the chunks of a class have in common. Combined with `|`. */
enum pm_census_key {
	PM_CENSUS_SIZE = 1,  /**< the size of the chunk */
	PM_CENSUS_TYPE = 2,  /**< the type */
	PM_CENSUS_TEXT = 4,  /**< the template of the text (text_template.h) */
	PM_CENSUS_ARENA = 8, /**< the arena */
	PM_CENSUS_STATE = 16 /**< the state */
};

/** Smallest budget of a census in bytes. */
#define PM_CENSUS_BUDGET_MIN ((uint64_t)256 << 10)

/** Budget of a census in bytes if none is given: enough for 30,000 classes. */
#define PM_CENSUS_BUDGET ((uint64_t)16 << 20)

/** Options of a census. */
struct pm_census_options {
	unsigned keys;                  /**< enum pm_census_key, combined with `|`; at least one */
	struct pm_chunk_types *types;   /**< finds the types; must outlive the census */
	struct pm_chunk_filter *filter; /**< which chunks are counted; NULL: all that are added.
	                                   Must outlive the census */
	uint64_t budget;                /**< maximum memory in bytes; 0: PM_CENSUS_BUDGET */
};

/** Chunks that have the keys of the census in common. */
struct pm_census_class {
	uint64_t count;   /**< number of chunks */
	uint64_t bytes;   /**< sum of pm_chunk.size */
	uint64_t missed;  /**< `bytes` is too low by at most this number */
	uint64_t size;    /**< size of each chunk; 0 if the sizes differ */
	uint64_t example; /**< pm_chunk.start of the first chunk */
	/**
	 * The type. If PM_CENSUS_TYPE is not a key, chunks can have several types. If more than
	 * half of the chunks have the same type, it is this type; otherwise, it is any of the types
	 */
	const struct pm_chunk_type *type;
	uint64_t type_count; /**< at least this number of chunks have this type */
	uint64_t zeros;      /**< number of chunks whose first bytes (pm_census_add()) are zeros */
	/** At least this number of chunks have the same first bytes */
	uint64_t equal;
	/** The arena of all chunks, or of the first one if PM_CENSUS_ARENA is not a key */
	uint32_t arena;
	/** The state (enum pm_chunk_state), or that of the first chunk if PM_CENSUS_STATE is not a
	 * key */
	uint8_t state;
	/**
	 * Number of bytes of `text`. 0 if the chunks have no text, or if less than half of the
	 * chunks that were compared have the same template. Some chunks are compared; all are if
	 * PM_CENSUS_TEXT is a key
	 */
	uint8_t text_length;
	/**
	 * At least this percentage of the compared chunks have the template of `text`: 50 to 100; 0
	 * if there is no text
	 */
	uint8_t text_percent;
	/** The texts differ: `text` is the template that they have in common (text_template.h) */
	bool text_varies;
	bool text_cut;                 /**< the text, or the template, continues after `text` */
	char text[PM_CHUNK_HEAD_SIZE]; /**< the text, not NUL-terminated */
};

/** Sums over all chunks of a census, also over those whose classes were dropped. */
struct pm_census_total {
	uint64_t count; /**< number of chunks */
	uint64_t bytes; /**< sum of pm_chunk.size */
	uint64_t zeros; /**< number of chunks whose first bytes (pm_census_add()) are zeros */
};

/** A census; opaque. Only one thread at a time may use it. */
struct pm_census;

/**
 * Creates an empty census.
 *
 * @param options  the options; the structure is copied
 * @param census   receives the census; release with pm_census_destroy()
 * @param error    PM_ERROR_USAGE (no key, a budget that is too small), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_census_create(const struct pm_census_options *options, struct pm_census **census,
                               struct pm_error *error);

/**
 * Releases a census.
 * @param census  the census; may be NULL
 */
PM_PUBLIC void pm_census_destroy(struct pm_census *census);

/**
 * Counts a chunk, if the filter selects it.
 *
 * @param census  the census, not sorted yet
 * @param chunk   the chunk
 * @param head    the first bytes of the chunk, as pm_chunk_visitor gets them
 * @param size    number of these bytes
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
PM_PUBLIC int pm_census_add(struct pm_census *census, const struct pm_chunk *chunk,
                            const void *head, size_t size, struct pm_error *error);

/**
 * Counts the chunks of a heap: those in the states of the filter, or all that are in use.
 *
 * @param census  the census, not sorted yet
 * @param heap    the heap
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
PM_PUBLIC int pm_census_add_heap(struct pm_census *census, struct pm_heap *heap,
                                 struct pm_error *error);

/** Orders of classes, all descending. Equal classes are in ascending order of `example`. */
enum pm_census_order {
	PM_CENSUS_BY_BYTES, /**< by pm_census_class.bytes */
	PM_CENSUS_BY_COUNT, /**< by pm_census_class.count */
	PM_CENSUS_BY_SIZE,  /**< by pm_census_class.size */
};

/**
 * Sorts the classes. After that, no chunk may be added.
 * @param census  the census
 * @param order   the order
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_census_sort(struct pm_census *census, enum pm_census_order order,
                             struct pm_error *error);

/**
 * Returns the number of classes.
 * @param census  the census
 * @return        number of items for pm_census_get()
 */
PM_PUBLIC size_t pm_census_count(const struct pm_census *census);

/**
 * Returns a class.
 * @param census  the census, sorted by pm_census_sort()
 * @param index   position, less than pm_census_count()
 * @return        the class; valid until pm_census_destroy()
 */
PM_PUBLIC const struct pm_census_class *pm_census_get(const struct pm_census *census, size_t index);

/**
 * Returns a bound: a class that is not in the census has at most this number of bytes.
 * @param census  the census
 * @return        bytes; 0 if every class is in the census
 */
PM_PUBLIC uint64_t pm_census_bound(const struct pm_census *census);

/**
 * Returns the sums over all chunks that were counted.
 * @param census  the census
 * @return        the sums
 */
PM_PUBLIC struct pm_census_total pm_census_total(const struct pm_census *census);

#ifdef __cplusplus
}
#endif

#endif
