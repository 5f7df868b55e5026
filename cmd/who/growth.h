/* SPDX-License-Identifier: MIT */
/** @file How a file grows during --for, and which of its users probably writes to it. */
#ifndef CMD_WHO_GROWTH_H
#define CMD_WHO_GROWTH_H

#include <signal.h>

#include "who/subject.h"
#include "who/written.h"

/** What a user did between two passes. */
struct who_evidence {
	bool likely;       /**< it probably wrote to the file */
	uint64_t resident; /**< growth of its resident mappings in bytes, for a writable mapping */
	uint64_t advanced; /**< how far its descriptors for writing moved in the file, in bytes */
	uint64_t written;  /**< bytes that it wrote to any files; 0 if that is not known */
};

/** How a file grew. */
struct who_growth {
	double seconds;    /**< time between the two passes; 0 if nothing was measured */
	bool known;        /**< the sizes were known from the first to the last sample */
	bool replaced;     /**< the sizes were lost: the path now names another file, or none */
	int64_t length;    /**< change of the length in bytes */
	int64_t allocated; /**< change of the allocated bytes */
	size_t intervals;  /**< number of intervals between samples */
	size_t grew;       /**< number of intervals in which it grew */
	struct who_evidence *evidence; /**< one for each user of the second pass; owned */
	size_t likely;                 /**< number of users that probably wrote */
	/** If no user probably wrote: processes that wrote about as much as the file grew */
	struct who_written passing[WHO_WRITTEN_FOUND];
	size_t passing_count; /**< number of elements of `passing` */
};

/**
 * Measures the file for a time, and reads its users again.
 *
 * @param growth   filled; release it with who_growth_deinit()
 * @param subject  the file; its sizes are replaced by the last ones
 * @param users    the users; replaced by those of the second pass
 * @param seconds  how long to measure; a signal ends it earlier
 * @param error    as pm_file_users_read()
 * @return         0 or -1
 */
int who_growth_measure(struct who_growth *growth, struct who_subject *subject,
                       struct pm_file_users *users, double seconds, struct pm_error *error);

/**
 * Returns the rate at which the file grew: of its length, or of its allocated bytes if the length
 * is constant, as that of shared memory that is filled.
 *
 * @param growth  the growth
 * @return        bytes per second; 0 if it is not known
 */
double who_growth_rate(const struct who_growth *growth);

/**
 * Releases the growth.
 * @param growth  the growth, or zeroed
 */
void who_growth_deinit(struct who_growth *growth);

#endif
