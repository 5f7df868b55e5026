/* SPDX-License-Identifier: MIT */
/**
 * @file Reads the memory to be dumped, and passes the bytes to a callback function by ascending
 * address. Private.
 */
#ifndef PM_DUMP_DUMP_H
#define PM_DUMP_DUMP_H

#include <procmem/dump.h>

/** Type of a part. */
enum pm_part_type {
	PM_PART_BYTES,  /**< the bytes were read */
	PM_PART_ZEROS,  /**< the bytes were not read, but are known to be zeros */
	PM_PART_ABSENT, /**< the bytes were not read */
};

/** Contiguous bytes of one type. */
struct pm_part {
	struct pm_range range;  /**< addresses of the bytes */
	size_t region;          /**< index of the region, SIZE_MAX if nothing is mapped there */
	enum pm_part_type type; /**< type of the bytes */
	/** The bytes, valid during the call; NULL if `type` is not PM_PART_BYTES */
	const char *bytes;
};

/**
 * Receives the parts by ascending address. The parts cover the ranges of the dump without gaps.
 *
 * @param context  the `context` of pm_dump_copy()
 * @param part     valid during the call
 * @param error    filled on failure
 * @return         0, or -1 to end the dump
 */
typedef int pm_part_taker(void *context, const struct pm_part *part, struct pm_error *error);

/**
 * Reads the memory to be dumped, and passes the bytes to a callback function in parts.
 *
 * @param source   what to dump
 * @param take     called for each part
 * @param context  passed to `take`
 * @param result   `bytes`, `holes`, `untouched`, `forbidden` and `unreadable` are increased; the
 *                 other members are not changed
 * @param error    as for pm_dump_raw(), and errors of `take`
 * @return         0 or -1
 */
int pm_dump_copy(const struct pm_dump_source *source, pm_part_taker *take, void *context,
                 struct pm_dump_result *result, struct pm_error *error);

#endif
