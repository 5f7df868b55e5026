/* SPDX-License-Identifier: MIT */
/** @file Memory that a test makes up. Private. */
#ifndef PM_READER_FAKE_READER_H
#define PM_READER_FAKE_READER_H

#include <procmem/reader.h>

/** Readable bytes of a made-up target; everything else is unreadable. */
struct pm_fake_range {
	uint64_t address;  /**< of the first byte */
	const void *bytes; /**< the content; must outlive the reader */
	size_t size;       /**< how many */
};

/** A made-up target; the storage is the caller's and must outlive the reader. */
struct pm_fake_target {
	const struct pm_fake_range *ranges; /**< by any order, without overlaps */
	size_t count;                       /**< how many */
	bool gone;    /**< when true, every read says that the target is gone */
	size_t calls; /**< how often it was read; counted atomically */
};

/**
 * Makes a reader of a made-up target; pm_reader_close() releases nothing.
 * @param target the target
 * @return the reader
 */
struct pm_reader pm_fake_reader(struct pm_fake_target *target);

#endif
