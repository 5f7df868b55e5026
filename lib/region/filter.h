/* SPDX-License-Identifier: MIT */
/** @file What narrows a choice of regions: kinds, mapping, permissions, sizes. Private. */
#ifndef PM_REGION_FILTER_H
#define PM_REGION_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <procmem/region.h>

/** Conditions that must all hold. Zeroed: everything passes. */
struct pm_filter {
	uint32_t kinds;       /**< one bit each, 1 << kind; 0 for any */
	unsigned perms_set;   /**< enum pm_perm bits that must be set */
	unsigned perms_clear; /**< enum pm_perm bits that must not be set */
	uint64_t min_rss;     /**< least resident bytes */
	uint64_t min_size;    /**< least length in bytes */
	pcre2_code *mapping;  /**< what the mapping must match, NULL for any; owned */
	char *mapping_text;   /**< the pattern as it was given; owned */
};

/** Releases what a filter holds. */
void pm_filter_deinit(struct pm_filter *filter);

/** Whether anything may be filtered out. */
bool pm_filter_is_active(const struct pm_filter *filter);

/**
 * Sets the kinds.
 * @param list names separated by commas
 * @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int pm_filter_set_kinds(struct pm_filter *filter, const char *list, struct pm_error *error);

/**
 * Sets the pattern.
 * @param regex PCRE2
 * @param error PM_ERROR_USAGE with the position, PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_filter_set_mapping(struct pm_filter *filter, const char *regex, struct pm_error *error);

/**
 * Sets the permissions.
 * @param spec as for pm_select_set_perms()
 * @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int pm_filter_set_perms(struct pm_filter *filter, const char *spec, struct pm_error *error);

/** One use of a filter; keeps what the last mapping gave, as many regions have the same. */
struct pm_filter_run {
	const struct pm_filter *filter; /**< the filter */
	pcre2_match_data *match;        /**< owned; NULL where there is no pattern */
	pcre2_match_context *limits;    /**< owned; NULL where there is no pattern */
	const char *last;               /**< mapping that was matched last, NULL for none */
	int last_result;                /**< what it gave */
};

/**
 * Begins to use a filter.
 * @param run filled; release with pm_filter_run_deinit()
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_filter_run_init(struct pm_filter_run *run, const struct pm_filter *filter,
                       struct pm_error *error);

/** Ends it. */
void pm_filter_run_deinit(struct pm_filter_run *run);

/**
 * Whether a region passes.
 * @param error PM_ERROR_USAGE where that cannot be told
 * @return 1, 0 or -1
 */
int pm_filter_passes(struct pm_filter_run *run, const struct pm_region *region,
                     struct pm_error *error);

#endif
