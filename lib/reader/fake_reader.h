/* SPDX-License-Identifier: MIT */
/** @file A reader of fake memory, for tests. Private. */
#ifndef PM_READER_FAKE_READER_H
#define PM_READER_FAKE_READER_H

#include <procmem/reader.h>

/** A range of readable bytes. All bytes outside of such ranges are unreadable. */
struct pm_fake_range {
	uint64_t address;  /**< first address */
	const void *bytes; /**< contents of the range; must outlive the reader */
	size_t size;       /**< size of the range in bytes */
};

/** A fake target. It is owned by the caller, and must outlive the reader. */
struct pm_fake_target {
	/** The readable ranges, in any order, without overlaps; owned by the caller */
	const struct pm_fake_range *ranges;
	size_t count; /**< number of ranges */
	bool gone;    /**< whether every read fails with PM_ERROR_GONE */
	size_t calls; /**< number of reads so far; counted atomically */
};

/**
 * Returns a reader of a fake target.
 * @param target  the target
 * @return        the reader; pm_reader_close() does nothing
 */
struct pm_reader pm_fake_reader(struct pm_fake_target *target);

#endif
