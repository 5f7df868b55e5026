/* SPDX-License-Identifier: MIT */
/**
 * @file Hits on their way from the thread that found them to the one that delivers them. Private.
 */
#ifndef PM_SCAN_BATCH_H
#define PM_SCAN_BATCH_H

#include <procmem/scan.h>

/** What is known of a hit; what was appended to it stands behind. */
struct pm_record {
	uint64_t attempt; /**< address where the search for it began */
	uint64_t address; /**< where it begins */
	uint64_t size;    /**< its bytes */
	uint64_t region;  /**< index of its region */
	uint64_t length;  /**< bytes that stand behind the record */
	uint32_t source;  /**< as in pm_hit */
	uint8_t encoding; /**< as in pm_hit */
	uint8_t stream;   /**< as in pm_found */
	bool truncated;   /**< as in pm_hit */
	bool continued;   /**< as in pm_hit; `attempt` is that of the whole then */
	bool changed;     /**< as in pm_hit */
};

/** Records, one behind the other; all zero is none. */
struct pm_scan_batch {
	char *bytes;     /**< they */
	size_t length;   /**< bytes in use */
	size_t capacity; /**< private */
	size_t record;   /**< where the last one begins */
};

/**
 * Adds a record; what is appended next belongs to it.
 *
 * @param batch the records
 * @param record copied
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_batch_add(struct pm_scan_batch *batch, const struct pm_record *record,
                 struct pm_error *error);

/**
 * Appends bytes to the last record.
 *
 * @param batch  the records, at least one
 * @param bytes  the bytes; copied
 * @param size   number of bytes
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_batch_append(struct pm_scan_batch *batch, const void *bytes, size_t size,
                    struct pm_error *error);

/**
 * Hands out a record and moves on.
 *
 * @param batch the records
 * @param at where it stands; moved behind it
 * @param record filled
 * @return its bytes, NULL: there are no more
 */
const char *pm_batch_next(const struct pm_scan_batch *batch, size_t *at, struct pm_record *record);

/**
 * Forgets the records, and gives back memory that only long hits need.
 * @param batch the records
 */
void pm_batch_clear(struct pm_scan_batch *batch);

/**
 * Releases it.
 * @param batch the records
 */
void pm_batch_deinit(struct pm_scan_batch *batch);

#endif
