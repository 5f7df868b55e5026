/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a rule of kinds.c is, and what all rules share. Private.
 *
 * A rule looks at the regions that no surer rule has claimed, and claims those it knows: see
 * pm_kinds_next() and pm_kinds_claim(). To add a rule, write a file with one function, declare it
 * in rules.h, and give it its place in the table of kinds.c.
 */
#ifndef PM_KINDS_RULE_H
#define PM_KINDS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/kinds.h>

/** What a region looks like in maps; rules go over the regions of one look. */
enum pm_region_class {
	PM_REGION_CLASS_NAMED, /**< a name in brackets that only the kernel gives; [anon_shmem:...]
	                          too */
	PM_REGION_CLASS_FILE,  /**< any other name */
	PM_REGION_CLASS_WRITABLE,   /**< anonymous, writable, not executable */
	PM_REGION_CLASS_EXECUTABLE, /**< anonymous, executable */
	PM_REGION_CLASS_READABLE,   /**< anonymous, only readable */
	PM_REGION_CLASS_CLOSED,     /**< anonymous, no access, or none but perhaps to read
	                               (PM_PERM_MAYBE()) */
	PM_REGION_CLASS_COUNT,
};

/** What became of looking for malloc's header at the start of a writable anonymous region. */
enum pm_header {
	PM_HEADER_NOT_READ = 0, /**< nobody looked */
	PM_HEADER_READ,         /**< was read */
	PM_HEADER_ABSENT,       /**< its page is not in memory: never touched, or swapped out */
	PM_HEADER_UNKNOWN,      /**< it is not known whether its page is in memory */
	PM_HEADER_UNREADABLE,   /**< the kernel would not give it */
	PM_HEADER_LEFT_OUT,     /**< too many regions: only those that hold most were looked at */
};

/** Some of the regions, by ascending address. */
struct pm_region_list {
	struct pm_region **items;
	size_t count;
};

struct pm_objects;

/** What rules share: the regions, the evidence, and what was found out so far. */
struct pm_kinds_context {
	struct pm_regions *regions;
	const struct pm_kinds_evidence *evidence;
	uint64_t page;     /**< bytes of a page */
	uint64_t resident; /**< resident bytes of the process; 0 where sizes are not known */
	struct pm_process_info info; /**< zeroed where there is no living process */
	struct pm_region_list lists[PM_REGION_CLASS_COUNT];
	struct pm_region **list_items; /**< owned: what `lists` point into */
	uint8_t *looks;   /**< owned: enum pm_region_class of each region, by its index */
	uint8_t *headers; /**< owned: enum pm_header of each region, by its index */
	unsigned char *header_bytes; /**< owned: the headers that were read, see malloc_headers.h */
	uint32_t *header_at; /**< owned: which of them is that of each region, by its index */
	struct pm_objects
		*objects; /**< owned: the programs and libraries; filled by the rule for them */
	struct pm_thread
		*threads; /**< owned: by ascending TID; valid after pm_kinds_read_threads() */
	size_t thread_count;
	bool threads_read;
	bool threads_refused;             /**< we may not see where the threads' stacks are */
	bool page_states_refused;         /**< pagemap answered once that it will not tell */
	bool out_of_memory;               /**< a text could not be stored */
	const char *recent[32];           /**< texts made lately, to share them */
	char refusal[PM_ERROR_TEXT_SIZE]; /**< why the target's memory cannot be read; "" while it
	                                     can */
};

/** One rule. */
struct pm_kinds_rule {
	const char *name; /**< for errors */
	/**
	 * Claims the regions that it knows.
	 * @return 0, or -1 with PM_ERROR_GONE or PM_ERROR_RESOURCES
	 */
	int (*apply)(struct pm_kinds_context *context, struct pm_error *error);
};

/** Whether an error ends the work; any other only means that some evidence is missing. */
static inline bool pm_kinds_fails(const struct pm_error *why)
{
	return why->kind == PM_ERROR_GONE || why->kind == PM_ERROR_RESOURCES;
}

/**
 * Hands an error on.
 * @param error the caller's, or NULL
 * @return -1
 */
static inline int pm_kinds_pass_on(const struct pm_error *why, struct pm_error *error)
{
	if (error)
		*error = *why;
	return -1;
}

/** Whether a region has a permission, or nothing tells that it has not. */
static inline bool pm_kinds_may(const struct pm_region *region, enum pm_perm perm)
{
	return (region->perms & ((unsigned)perm | PM_PERM_MAYBE(perm))) != 0;
}

/**
 * Gives a region its kind.
 * @param why a constant text, or one of pm_kinds_text()
 */
static inline void pm_kinds_claim(struct pm_region *region, enum pm_kind kind, enum pm_proof proof,
                                  const char *why)
{
	region->kind = (uint8_t)kind;
	region->proof = (uint8_t)proof;
	region->why = why;
}

/** Index of a region in the list of all. */
static inline size_t pm_kinds_index(const struct pm_kinds_context *context,
                                    const struct pm_region *region)
{
	return (size_t)(region - context->regions->items);
}

/** What a region looks like. */
static inline enum pm_region_class pm_kinds_region_class(const struct pm_kinds_context *context,
                                                         const struct pm_region *region)
{
	return (enum pm_region_class)context->looks[pm_kinds_index(context, region)];
}

#endif
