/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Defines the interface of a rule, and the state that all rules share. Private.
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

/**
 * Classes of regions, determined by name and permissions in maps. Rules iterate over the regions of
 * one class.
 */
enum pm_region_class {
	PM_REGION_CLASS_NAMED,      /**< named in brackets by the kernel, or [anon_shmem:...] */
	PM_REGION_CLASS_FILE,       /**< any other name, normally a file */
	PM_REGION_CLASS_WRITABLE,   /**< anonymous, writable, not executable */
	PM_REGION_CLASS_EXECUTABLE, /**< anonymous, executable */
	PM_REGION_CLASS_READABLE,   /**< anonymous, readable, neither writable nor executable */
	PM_REGION_CLASS_CLOSED, /**< anonymous, without permissions; in a core file, the region may
	                           be readable after all (PM_PERM_MAYBE()) */
	PM_REGION_CLASS_COUNT,
};

/** State of the malloc header at the start of a writable anonymous region. */
enum pm_header {
	PM_HEADER_NOT_READ = 0, /**< no rule has tried to read the header */
	PM_HEADER_READ,         /**< read */
	PM_HEADER_ABSENT,  /**< the page of the header is not in memory: never touched, or swapped
	                      out */
	PM_HEADER_UNKNOWN, /**< it is not known whether the page of the header is in memory */
	PM_HEADER_UNREADABLE, /**< reading failed */
	PM_HEADER_LEFT_OUT,   /**< not read, because there are too many regions; only the headers of
	                         the regions with the most memory are read */
};

/** A list of regions, by ascending address. */
struct pm_region_list {
	struct pm_region **items;
	size_t count;
};

struct pm_objects;

/** State shared by the rules: regions, evidence, and results. */
struct pm_kinds_context {
	struct pm_regions *regions;
	const struct pm_kinds_evidence *evidence;
	uint64_t page;               /**< bytes of a page */
	uint64_t resident;           /**< resident bytes of the process; 0 if sizes are not known */
	struct pm_process_info info; /**< zeroed if there is no living process */
	struct pm_region_list lists[PM_REGION_CLASS_COUNT];
	struct pm_region **list_items; /**< owned: array of which each list is a part */
	uint8_t *classes; /**< owned: enum pm_region_class of each region, by its index */
	uint8_t *headers; /**< owned: enum pm_header of each region, by its index */
	unsigned char *header_bytes; /**< owned: all headers that were read, see malloc_headers.h */
	uint32_t *header_at; /**< owned: for each region, by its index: index of its header in
	                        `header_bytes` */
	struct pm_objects *objects; /**< owned: programs and libraries; set by pm_objects_read() */
	struct pm_thread *threads;  /**< owned: by ascending TID; see pm_kinds_read_threads() */
	size_t thread_count;
	bool threads_read;    /**< whether pm_kinds_read_threads() was called */
	bool threads_refused; /**< this process may not read the stack pointers of the threads */
	bool page_states_refused;           /**< pagemap refused to return page states */
	const struct pm_runtimes *runtimes; /**< NULL if they could not be read */
	struct pm_runtimes *own_runtimes;   /**< owned: the same, if the evidence had none */
	bool out_of_memory;                 /**< a text or a detail could not be stored */
	const char
		*recent[32]; /**< hash table of recent texts, so that equal texts are stored once */
	char refusal[PM_ERROR_TEXT_SIZE]; /**< why the memory of the target cannot be read; "" if it
	                                     can be read */
};

/** A rule. */
struct pm_kinds_rule {
	const char *name; /**< name for error messages */
	/**
	 * Claims the regions that the rule recognises.
	 * @return 0, or -1 with PM_ERROR_GONE or PM_ERROR_RESOURCES
	 */
	int (*apply)(struct pm_kinds_context *context, struct pm_error *error);
};

/**
 * Returns whether an error ends the classification. After other errors, the classification
 * continues without the evidence that could not be read.
 */
static inline bool pm_kinds_fails(const struct pm_error *why)
{
	return why->kind == PM_ERROR_GONE || why->kind == PM_ERROR_RESOURCES;
}

/**
 * Copies an error to the error of the caller.
 *
 * @param why    the error
 * @param error  receives the error; may be NULL
 * @return       -1
 */
static inline int pm_kinds_pass_on(const struct pm_error *why, struct pm_error *error)
{
	if (error)
		*error = *why;
	return -1;
}

/**
 * Returns whether a region has a permission, or may have it because its permissions are not known.
 */
static inline bool pm_kinds_may(const struct pm_region *region, enum pm_perm perm)
{
	return (region->perms & ((unsigned)perm | PM_PERM_MAYBE(perm))) != 0;
}

/**
 * Sets the kind of a region.
 *
 * @param region  the region
 * @param kind    the kind
 * @param proof   whether the kind is proven or inferred
 * @param why     reason: a constant text, or a text from pm_kinds_text()
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
