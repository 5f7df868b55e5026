/* SPDX-License-Identifier: MIT */
/** @file Reading all that a dump wants, and handing it on in order. Private. */
#ifndef PM_DUMP_COPY_H
#define PM_DUMP_COPY_H

#include <procmem/dump.h>

/** What the bytes of a part are. */
enum pm_part_type {
	PM_PART_BYTES,  /**< they were read */
	PM_PART_ZEROS,  /**< known to be zeros */
	PM_PART_ABSENT, /**< not read, for whatever reason */
};

/** Consecutive bytes of one type. */
struct pm_part {
	struct pm_range range;  /**< its addresses */
	size_t region;          /**< index of the region, SIZE_MAX where nothing is mapped */
	enum pm_part_type type; /**< what they are */
	const char *bytes; /**< the content of PM_PART_BYTES, valid during the call; else NULL */
};

/**
 * Takes the parts, which cover the ranges of the dump without gaps, in order.
 *
 * @param context  as given to pm_dump_copy()
 * @param part     valid during the call
 * @param error    filled on failure
 * @return         0, or -1 to end the dump
 */
typedef int pm_part_taker(void *context, const struct pm_part *part, struct pm_error *error);

/**
 * Reads a dump.
 *
 * @param source   what to dump
 * @param take     given each part
 * @param context  handed to it
 * @param result   counts; its size and times are left alone
 * @param error    as pm_dump_raw(), and what `take` says
 * @return         0 or -1
 */
int pm_dump_copy(const struct pm_dump_source *source, pm_part_taker *take, void *context,
                 struct pm_dump_result *result, struct pm_error *error);

#endif
