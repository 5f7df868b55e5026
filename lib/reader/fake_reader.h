/* SPDX-License-Identifier: MIT */
/** @file Fake memory for tests. Private. */
#ifndef PM_READER_FAKE_READER_H
#define PM_READER_FAKE_READER_H

#include <procmem/reader.h>

/** A range of readable bytes. All others are unreadable. */
struct pm_fake_range {
	uint64_t address;  /**< first address */
	const void *bytes; /**< the content; must outlive the reader */
	size_t size;       /**< in bytes */
};

/** A fake target; owned by the caller, must outlive the reader. */
struct pm_fake_target {
	const struct pm_fake_range *ranges; /**< in any order, without overlaps */
	size_t count;                       /**< number of ranges */
	bool gone;                          /**< every read fails with PM_ERROR_GONE */
	size_t calls;                       /**< number of reads; counted atomically */
};

/**
 * Returns a reader of a fake target.
 * @param target  the target
 * @return        the reader; pm_reader_close() releases nothing
 */
struct pm_reader pm_fake_reader(struct pm_fake_target *target);

#endif
