/* SPDX-License-Identifier: MIT */
/** @file The sites of traces in two samples, compared. Private to `procmem diff`. */
#ifndef CMD_DIFF_SITES_H
#define CMD_DIFF_SITES_H

#include <procmem/site_list.h>

#include "base/out.h"
#include "diff/rows.h"
#include "view/json.h"

/** The sites of two samples. Zeroed before use. */
struct diff_sites {
	bool known;                 /**< both samples have sites */
	bool same_trace;            /**< both are of the same trace */
	struct pm_site_list before; /**< the sites of the first sample; owned */
	struct pm_site_list after;  /**< the sites of the second sample; owned */
	uint64_t sample_before;     /**< number of the sample that has the first sites if it is an
	                               earlier one; otherwise 0 */
	uint64_t sample_after;      /**< the same for the second sites */
	struct pm_site_change *changes; /**< stacks that differ, largest first; owned */
	size_t count;                   /**< number of changes */
	size_t shown;                   /**< number of changes to print */
};

/**
 * Reads the sites of two samples, and compares them. If a sample of a recording has no sites, those
 * of the last earlier sample that has them are used.
 *
 * @param sites    filled; release with diff_sites_deinit(), even on failure
 * @param options  the options; if they select regions, the sites are not compared
 * @param before   the first sample
 * @param after    the second sample
 * @param error    as for pm_recording_read_sites() and pm_site_list_compare(); with DIFF_BY_SITE
 *                 PM_ERROR_USAGE if a sample has no sites
 * @return         0 or -1
 */
int diff_sites_init(struct diff_sites *sites, const struct diff_options *options,
                    const struct sampled *before, const struct sampled *after,
                    struct pm_error *error);

/**
 * Releases the sites.
 * @param sites  as filled by diff_sites_init(), or zeroed
 */
void diff_sites_deinit(struct diff_sites *sites);

/**
 * Prints the stacks that changed as a table. Prints nothing if the sites are not known.
 *
 * @param sites  the sites
 * @param bytes  print sizes in bytes
 * @param out    receives the table
 */
void diff_sites_print(const struct diff_sites *sites, bool bytes, struct out *out);

/**
 * Reports on stderr what makes the comparison uncertain.
 * @param sites  the sites
 */
void diff_sites_notes(const struct diff_sites *sites);

/**
 * Writes the members `trace` and `sites`, if the sites are known.
 *
 * @param sites  the sites
 * @param json   the output, within an object
 */
void diff_sites_put_json(const struct diff_sites *sites, struct json *json);

#endif
