/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ranges of bytes that could not be read, with the reasons.
 */
#ifndef PROCMEM_UNREADABLE_H
#define PROCMEM_UNREADABLE_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A range of bytes that could not be read. */
struct pm_unreadable {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	int os_errno;   /**< errno of the last attempt to read; 0 if it failed without an errno */
	/**
	 * The reason, human-readable. If the range was passed to a visitor, the text is valid
	 * during the call. If the range is in a list, the list owns the text.
	 */
	const char *why;
};

/**
 * Called for a range that could not be read.
 *
 * @param context  the context that was passed together with the visitor
 * @param range    the range, valid during the call
 */
typedef void pm_unreadable_visitor(void *context, const struct pm_unreadable *range);

/**
 * A list of unreadable ranges, which owns the texts of their reasons. A list whose fields are all
 * zero is empty.
 */
struct pm_unreadable_list {
	struct pm_unreadable *items; /**< the ranges in the order in which they were added; owned */
	size_t count;                /**< number of ranges */
	uint64_t bytes;              /**< sum of the sizes of the ranges in bytes */
	size_t capacity;             /**< private */
	char **reasons;              /**< private: the texts of the items; owned */
	size_t reason_count;         /**< private */
	size_t reason_capacity;      /**< private */
};

/**
 * Adds a range to a list. If the range starts where the last range of the list ends, and has the
 * same reason, the last range is extended instead.
 *
 * @param list   the list, unchanged on failure
 * @param range  the range; its reason is copied
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_unreadable_list_add(struct pm_unreadable_list *list,
                                     const struct pm_unreadable *range, struct pm_error *error);

/**
 * Sorts a list by address.
 * @param list  the list
 */
PM_PUBLIC void pm_unreadable_list_sort(struct pm_unreadable_list *list);

/**
 * Removes all ranges from a list. The memory for the ranges is kept, so that new ranges need no
 * allocation.
 * @param list  the list
 */
PM_PUBLIC void pm_unreadable_list_clear(struct pm_unreadable_list *list);

/**
 * Releases the memory of a list; the list is empty afterwards.
 * @param list  the list
 */
PM_PUBLIC void pm_unreadable_list_deinit(struct pm_unreadable_list *list);

#ifdef __cplusplus
}
#endif

#endif
