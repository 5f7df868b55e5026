/* SPDX-License-Identifier: MIT */
/** @file Filters of a selection of regions: kinds, mapping, permissions, sizes. Private. */
#ifndef PM_REGION_FILTER_H
#define PM_REGION_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <procmem/region.h>

/** The conditions that a region must meet. If all fields are zero, every region passes. */
struct pm_filter {
	uint32_t kinds;       /**< accepted kinds, as bits 1 << kind; 0 accepts all kinds */
	uint64_t owners;      /**< accepted owners, as bits 1 << owner; 0 accepts all owners */
	unsigned perms_set;   /**< enum pm_perm bits that must be set */
	unsigned perms_clear; /**< enum pm_perm bits that must not be set */
	uint64_t min_rss;     /**< minimum resident size in bytes */
	uint64_t min_size;    /**< minimum size in bytes */
	/** Pattern that the mapping must match, owned; NULL if all mappings are accepted */
	pcre2_code *mapping;
	/** Text of the pattern, for error messages, owned; NULL if there is no pattern */
	char *mapping_text;
};

/**
 * Releases a filter.
 * @param filter  the filter; all zero afterwards
 */
void pm_filter_deinit(struct pm_filter *filter);

/**
 * Tests whether a filter has any condition.
 * @param filter  the filter
 * @return        true if at least one condition is set
 */
bool pm_filter_is_active(const struct pm_filter *filter);

/**
 * Sets the accepted kinds.
 *
 * @param filter  the filter
 * @param list    names separated by commas
 * @param error   PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_filter_set_kinds(struct pm_filter *filter, const char *list, struct pm_error *error);

/**
 * Sets the accepted owners.
 *
 * @param filter  the filter
 * @param list    names of owners or families, separated by commas
 * @param error   PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_filter_set_owners(struct pm_filter *filter, const char *list, struct pm_error *error);

/**
 * Sets the pattern for mappings.
 *
 * @param filter  the filter
 * @param regex   a PCRE2 pattern
 * @param error   PM_ERROR_USAGE with the position, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_filter_set_mapping(struct pm_filter *filter, const char *regex, struct pm_error *error);

/**
 * Sets the permissions.
 *
 * @param filter  the filter
 * @param spec    as for pm_select_set_perms()
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
int pm_filter_set_perms(struct pm_filter *filter, const char *spec, struct pm_error *error);

/**
 * The state of applying a filter to a list of regions. Adjacent regions often have the same
 * mapping, so the mapping that was matched last is stored with its result and is not matched again.
 */
struct pm_filter_run {
	const struct pm_filter *filter; /**< the filter that is applied */
	pcre2_match_data *match;        /**< memory for pcre2_match(); NULL without a pattern */
	pcre2_match_context *limits;    /**< maximum number of steps; NULL without a pattern */
	const char *last;               /**< mapping that was matched last; NULL at the start */
	int last_result;                /**< whether `last` matches the pattern: 1 or 0 */
};

/**
 * Prepares applying a filter to regions.
 *
 * @param run     receives the initial state; release with pm_filter_run_deinit()
 * @param filter  the filter; must outlive `run`
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_filter_run_init(struct pm_filter_run *run, const struct pm_filter *filter,
                       struct pm_error *error);

/**
 * Releases the memory of pm_filter_run_init().
 * @param run  the state of applying a filter
 */
void pm_filter_run_deinit(struct pm_filter_run *run);

/**
 * Tests whether a region passes the filter.
 *
 * @param run     the state of applying the filter
 * @param region  the region
 * @param error   PM_ERROR_USAGE if the resident size is not known, or the pattern needs too many
 *                steps
 * @return        1: passes; 0: does not pass; -1: an error
 */
int pm_filter_passes(struct pm_filter_run *run, const struct pm_region *region,
                     struct pm_error *error);

#endif
