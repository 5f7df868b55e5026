/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The interface of a rule, and the state that all rules share. Private.
 *
 * A rule examines the regions that no earlier rule has claimed, and claims those it recognises: see
 * pm_kinds_next() and pm_kinds_claim(). To add a rule, write a file with one function, declare it
 * in rules.h, and add it to the table in kinds.c.
 */
#ifndef PM_KINDS_RULE_H
#define PM_KINDS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/kinds.h>

/** Classes of regions by what maps shows. Rules iterate over the regions of one class. */
enum pm_region_class {
	PM_REGION_CLASS_NAMED,      /**< a name in brackets that only the kernel gives; also
	                               [anon_shmem:...] */
	PM_REGION_CLASS_FILE,       /**< any other name */
	PM_REGION_CLASS_WRITABLE,   /**< anonymous, writable, not executable */
	PM_REGION_CLASS_EXECUTABLE, /**< anonymous, executable */
	PM_REGION_CLASS_READABLE,   /**< anonymous, only readable */
	PM_REGION_CLASS_CLOSED,     /**< anonymous, without access, or at most readable
	                               (PM_PERM_MAYBE()) */
	PM_REGION_CLASS_COUNT,
};

/** State of the malloc header at the start of a writable anonymous region. */
enum pm_header {
	PM_HEADER_NOT_READ = 0, /**< not tried */
	PM_HEADER_READ,         /**< read */
	PM_HEADER_ABSENT,       /**< its page is not in memory: never touched, or swapped out */
	PM_HEADER_UNKNOWN,      /**< it is not known whether its page is in memory */
	PM_HEADER_UNREADABLE,   /**< reading failed */
	PM_HEADER_LEFT_OUT, /**< not tried, because there are too many regions: only those that hold
	                       most are read */
};

/** Some of the regions, by ascending address. */
struct pm_region_list {
	struct pm_region **items;
	size_t count;
};

struct pm_objects;

/** State shared by the rules: regions, evidence, and results. */
struct pm_kinds_context {
	struct pm_regions *regions;
	const struct pm_kinds_evidence *evidence;
	uint64_t page;     /**< bytes of a page */
	uint64_t resident; /**< resident bytes of the process; 0 where sizes are not known */
	struct pm_process_info info; /**< all zero without a living process */
	struct pm_region_list lists[PM_REGION_CLASS_COUNT];
	struct pm_region **list_items; /**< owned: array that `lists` refer to */
	uint8_t *classes; /**< owned: enum pm_region_class of each region, by its index */
	uint8_t *headers; /**< owned: enum pm_header of each region, by its index */
	unsigned char *header_bytes; /**< owned: headers that were read, see malloc_headers.h */
	uint32_t *header_at; /**< owned: index of the header of each region, by the index of the
	                        region */
	struct pm_objects *objects; /**< owned: programs and libraries; filled by their rule */
	struct pm_thread
		*threads; /**< owned: by ascending TID; valid after pm_kinds_read_threads() */
	size_t thread_count;
	bool threads_read;
	bool threads_refused;             /**< the stack pointers of the threads may not be read */
	bool page_states_refused;         /**< pagemap refused to return page states */
	bool out_of_memory;               /**< a text could not be stored */
	const char *recent[32];           /**< recent texts, to share them */
	char refusal[PM_ERROR_TEXT_SIZE]; /**< why the memory of the target cannot be read; "" as
	                                     long as it can */
};

/** A rule. */
struct pm_kinds_rule {
	const char *name; /**< name for errors */
	/**
	 * Claims the regions that the rule recognises.
	 * @return 0, or -1 with PM_ERROR_GONE or PM_ERROR_RESOURCES
	 */
	int (*apply)(struct pm_kinds_context *context, struct pm_error *error);
};

/**
 * Returns whether an error ends the classification; any other only means that evidence is missing.
 */
static inline bool pm_kinds_fails(const struct pm_error *why)
{
	return why->kind == PM_ERROR_GONE || why->kind == PM_ERROR_RESOURCES;
}

/**
 * Passes an error to the caller.
 *
 * @param why    the error
 * @param error  receives it; or NULL
 * @return       -1
 */
static inline int pm_kinds_pass_on(const struct pm_error *why, struct pm_error *error)
{
	if (error)
		*error = *why;
	return -1;
}

/** Returns whether a region has a permission, or may have it. */
static inline bool pm_kinds_may(const struct pm_region *region, enum pm_perm perm)
{
	return (region->perms & ((unsigned)perm | PM_PERM_MAYBE(perm))) != 0;
}

/**
 * Sets the kind of a region.
 *
 * @param region  the region
 * @param kind    the kind
 * @param proof   how sure it is
 * @param why     a constant text, or one of pm_kinds_text()
 */
static inline void pm_kinds_claim(struct pm_region *region, enum pm_kind kind, enum pm_proof proof,
                                  const char *why)
{
	region->kind = (uint8_t)kind;
	region->proof = (uint8_t)proof;
	region->why = why;
}

/** Returns the index of a region in the list of all regions. */
static inline size_t pm_kinds_index(const struct pm_kinds_context *context,
                                    const struct pm_region *region)
{
	return (size_t)(region - context->regions->items);
}

/** Returns the class of a region. */
static inline enum pm_region_class pm_kinds_region_class(const struct pm_kinds_context *context,
                                                         const struct pm_region *region)
{
	return (enum pm_region_class)context->classes[pm_kinds_index(context, region)];
}

#endif
