/* SPDX-License-Identifier: MIT */
/**
 * @file Batches of hits. A worker fills a batch, and the thread that called pm_scan_run() delivers
 * the hits. Private.
 */
#ifndef PM_SCAN_BATCH_H
#define PM_SCAN_BATCH_H

#include <procmem/scan.h>

/** A hit in a batch. The bytes that were appended for the hit follow this header. */
struct pm_record {
	uint64_t attempt; /**< address where matching started */
	uint64_t address; /**< address of the first byte */
	uint64_t size;    /**< size in bytes */
	uint64_t region;  /**< index of the region of the hit */
	uint64_t length;  /**< number of appended bytes that follow the header */
	uint32_t source;  /**< as in pm_hit */
	uint8_t encoding; /**< as in pm_hit */
	uint8_t stream;   /**< as in pm_found */
	bool truncated;   /**< as in pm_hit */
	bool continued; /**< this record is a later piece of a hit, as in pm_hit; `attempt` is then
	                   the value of the whole hit */
	bool changed;   /**< as in pm_hit */
	/**
	 * The record is not a hit, but describes the search of a unit with a scanner that has
	 * pm_scanner.carries. The search of `stream` in the unit has started at `attempt`. The
	 * search of later units must start at `address` or after it.
	 */
	bool carry;
};

/** A sequence of records. All zeros is an empty batch. */
struct pm_scan_batch {
	char *bytes;     /**< the records; owned */
	size_t length;   /**< bytes in use */
	size_t capacity; /**< private */
	size_t record;   /**< offset of the last record in `bytes` */
};

/**
 * Adds a record. pm_batch_append() then appends bytes to this record.
 *
 * @param batch   the records
 * @param record  the record; copied
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
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
 * Returns the next record.
 *
 * @param batch   the records
 * @param at      offset of the record in bytes, 0 for the first record; receives the offset of the
 *                next record
 * @param record  receives a copy of the record
 * @return        the bytes appended to the record; NULL if there are no more records
 */
const char *pm_batch_next(const struct pm_scan_batch *batch, size_t *at, struct pm_record *record);

/**
 * Removes all records. Also releases the memory of the batch if it is larger than a batch with
 * short hits needs.
 * @param batch  the records
 */
void pm_batch_clear(struct pm_scan_batch *batch);

/**
 * Releases a batch.
 * @param batch  the records
 */
void pm_batch_deinit(struct pm_scan_batch *batch);

#endif
