/* SPDX-License-Identifier: MIT */
/** @file Builds lists of sites, and compares sites by their stacks. Private. */
#ifndef PM_TRACE_SITE_LIST_H
#define PM_TRACE_SITE_LIST_H

#include <procmem/site_list.h>

/**
 * Adds a site to a list, which has room for it. Its frames and their texts are copied.
 *
 * @param list   the list
 * @param site   the site
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_site_list_add(struct pm_site_list *list, const struct pm_site *site, struct pm_error *error);

/**
 * Adds a site to a list, which has room for it. The frames are not copied.
 *
 * @param list   the list
 * @param site   the site; its frames are copied, but not the texts of the frames, which must be
 *               owned by `list->texts`
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_site_list_add_owned(struct pm_site_list *list, const struct pm_site *site,
                           struct pm_error *error);

/**
 * Sorts the sites: most resident bytes first.
 * @param list  the list
 */
void pm_site_list_sort(struct pm_site_list *list);

/**
 * Compares the stacks of two sites by names, as pm_site_list_compare() does.
 *
 * @param left   a site
 * @param right  another site
 * @return       less than 0, 0, or greater than 0
 */
int pm_site_list_compare_stacks(const struct pm_site *left, const struct pm_site *right);

#endif
