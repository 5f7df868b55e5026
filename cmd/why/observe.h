/* SPDX-License-Identifier: MIT */
/** @file Observes a process for some time, and what is around it. */
#ifndef CMD_WHY_OBSERVE_H
#define CMD_WHY_OBSERVE_H

#include <procmem/evidence.h>
#include <procmem/histogram.h>
#include <procmem/process_id.h>
#include <procmem/site_list.h>

#include "headroom/rates.h"
#include "html/moments.h"
#include "target/regions_load.h"
#include "target/target.h"
#include "why/deep.h"
#include "why/early.h"
#include "why/group.h"
#include "why/owners.h"
#include "why/signs.h"
#include "why/texts.h"
#include "why/walks.h"
#include "why/why.h"

/** A region at the last sample, with sizes that only smaps has. */
struct why_sizes {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address after the last byte */
	uint64_t huge;   /**< transparent huge pages */
	uint64_t locked; /**< locked pages */
	uint64_t swap;   /**< swapped-out pages */
	uint64_t shared; /**< resident pages that other processes have, too */
};

/** The chunks of malloc in a recording. */
struct why_histograms {
	bool known;                /**< `last` is known */
	double seconds;            /**< time from `first` to `last`; 0: `first` is not known */
	struct pm_histogram first; /**< at the start */
	struct pm_histogram last;  /**< at the end */
};

/** What was observed. Zeroed before the first use. */
struct why_observation {
	const struct why_options *options;
	enum pm_evidence_source source; /**< where it comes from */
	struct target target;           /**< the target; owned */
	const char *file;               /**< the file that it comes from; NULL: a living process */
	struct pm_process *process;     /**< the living process; NULL for a file */
	struct loaded loaded;           /**< a core file or a saved smaps file; zeroed for others */
	struct why_histograms histograms; /**< chunks in a recording */
	struct pm_process_info info;      /**< at the end */
	char *command;                    /**< command line; owned */
	struct headroom_rates rates;      /**< regions, limits, family and files over time */
	struct why_walks walks;           /**< malloc's heap over time */
	struct why_texts texts;           /**< texts in new pages */
	struct why_owners owners;         /**< memory by owner over time */
	struct why_group group;           /**< the cgroup whose limit matters */
	struct why_signs pressure;        /**< pressure on memory */
	struct html_moments moments;      /**< memory by kind over time; empty without --html */
	char host[PM_HOST_SIZE];          /**< name of the machine; "" if not known */
	struct pm_site_list sites;        /**< call sites of a recording; empty if there are none */
	struct why_deep deep;             /**< who holds the chunks of the first finding */
	struct pm_headroom headroom;      /**< limits at the end */
	struct forecast forecasts[PM_LIMITS_MAX]; /**< of the elements of `headroom.limits` */
	struct pm_series mappings;                /**< number of regions */
	struct pm_series descriptors; /**< number of open descriptors; empty if not known */
	uint64_t descriptors_max;     /**< RLIMIT_NOFILE; 0 if not known, or unlimited */
	struct why_sizes *sizes;      /**< regions at the end; owned; NULL if not known */
	size_t size_count;            /**< number of elements of `sizes` */
	uint64_t unique;              /**< USS; 0 if not known */
	double first_time;            /**< time of the first sample, in seconds */
	double seconds;               /**< how long it was observed */
	double cpu_seconds;           /**< CPU time of this program */
	uint64_t samples;             /**< number of samples */
	bool watched;                 /**< `procmem watch` has observed it: less was read */
	bool interrupted;             /**< the user ended it early */
	struct why_early early;       /**< what is needed to end it early */
	bool sure;                    /**< it ended early, because the verdicts were sure */
};

/**
 * Observes a process.
 *
 * @param observation  zeroed except `options`; release with why_observe_deinit(), even on
 *                     failure, and do not move it
 * @param word         the TARGET; NULL with --cgroup. Must outlive the observation
 * @param error        any
 * @return             0 or -1
 */
int why_observe(struct why_observation *observation, const char *word, struct pm_error *error);

/**
 * Adds the sizes of regions that only smaps has.
 *
 * @param observation  has no sizes
 * @param regions      the regions; sizes that are not known are 0
 */
void why_observe_add_sizes(struct why_observation *observation, const struct pm_regions *regions);

/** Releases what was observed. */
void why_observe_deinit(struct why_observation *observation);

#endif
