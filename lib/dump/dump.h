/* SPDX-License-Identifier: MIT */
/** @file Reads the memory of a dump, and passes it on in order. Private. */
#ifndef PM_DUMP_DUMP_H
#define PM_DUMP_DUMP_H

#include <procmem/dump.h>

/** Type of a part. */
enum pm_part_type {
	PM_PART_BYTES,  /**< the bytes were read */
	PM_PART_ZEROS,  /**< the bytes are zeros */
	PM_PART_ABSENT, /**< the bytes were not read */
};

/** Contiguous bytes of one type. */
struct pm_part {
	struct pm_range range;  /**< its addresses */
	size_t region;          /**< index of the region, SIZE_MAX if nothing is mapped there */
	enum pm_part_type type; /**< their type */
	const char *bytes; /**< the bytes of PM_PART_BYTES, valid during the call; otherwise NULL */
};

/**
 * Receives the parts, which cover the ranges of the dump without gaps, in order.
 *
 * @param context  as given to pm_dump_copy()
 * @param part     valid during the call
 * @param error    filled on failure
 * @return         0, or -1 to end the dump
 */
typedef int pm_part_taker(void *context, const struct pm_part *part, struct pm_error *error);

/**
 * Reads the memory of a dump.
 *
 * @param source   what to dump
 * @param take     called for each part
 * @param context  passed to `take`
 * @param result   the byte counts are increased; size and times are unchanged
 * @param error    as for pm_dump_raw(), and errors of `take`
 * @return         0 or -1
 */
int pm_dump_copy(const struct pm_dump_source *source, pm_part_taker *take, void *context,
                 struct pm_dump_result *result, struct pm_error *error);

#endif
