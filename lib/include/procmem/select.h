/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Selecting regions by REGION words and by filters.
 */
#ifndef PROCMEM_SELECT_H
#define PROCMEM_SELECT_H

#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A selection of regions; opaque. Without words and filters it contains all regions. Several
 * threads may apply a selection while no thread changes it.
 */
struct pm_select;

/**
 * Creates a selection without words and filters.
 * @param select  receives the selection; release with pm_select_destroy()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_create(struct pm_select **select, struct pm_error *error);

/**
 * Releases a selection.
 * @param select  a selection or NULL
 */
PM_PUBLIC void pm_select_destroy(struct pm_select *select);

/**
 * Adds a REGION word. The selection is the union of all words. A word is one of:
 * - an address, with or without `0x`: the region that contains the address
 * - `ADDR-END` or `ADDR+LEN` (LEN as for pm_parse_size()): exactly these bytes
 * - a kind (`heap`): the regions of this kind. The name of a kind is never parsed as an address
 * - `[name]`: the regions with this name in maps, such as `[stack]`
 * - `all`: all regions
 *
 * @param select  the selection
 * @param word    the word
 * @param error   PM_ERROR_USAGE (the text says what a REGION may be), PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_add_word(struct pm_select *select, const char *word,
                                 struct pm_error *error);

/**
 * Adds a filter: keeps only regions of the given kinds. The selection has at most one filter of
 * each type: a second call of this function replaces the filter of the first call. A region must
 * pass all filters.
 *
 * @param select  the selection
 * @param list    names of kinds, separated by commas
 * @param error   PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_kinds(struct pm_select *select, const char *list,
                                  struct pm_error *error);

/**
 * Keeps only regions with the given main owners (pm_region.owner).
 *
 * @param select  the selection
 * @param list    names of owners (pm_owner_name()), or of families (pm_owner_family()) for all
 * their owners, separated by commas
 * @param error   PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_owners(struct pm_select *select, const char *list,
                                   struct pm_error *error);

/**
 * Keeps only regions whose mapping (pm_region.mapping, "" for anonymous regions) contains a match
 * of a pattern.
 *
 * @param select  the selection
 * @param regex   a PCRE2 pattern; `(?i)` at its start ignores case, and `^$` matches regions
 *                without a name
 * @param error   PM_ERROR_USAGE (the text gives the position of the mistake), PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_mapping(struct pm_select *select, const char *regex,
                                    struct pm_error *error);

/**
 * Keeps only regions with the given permissions. `spec` has one of two forms:
 * - letters of permissions that must be set, such as `rw` or `x`; `s` requires a shared mapping,
 *   `p` a private one
 * - four characters as in maps, such as `r--p`, all of which must match; `-` requires that the
 *   permission is not set, and `?` accepts any value
 *
 * @param select  the selection
 * @param spec    the permissions
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_perms(struct pm_select *select, const char *spec,
                                  struct pm_error *error);

/**
 * Keeps only regions with a minimum resident size.
 * @param select  the selection
 * @param bytes   the minimum in bytes
 */
PM_PUBLIC void pm_select_set_min_rss(struct pm_select *select, uint64_t bytes);

/**
 * Keeps only regions with a minimum size.
 * @param select  the selection
 * @param bytes   the minimum in bytes
 */
PM_PUBLIC void pm_select_set_min_size(struct pm_select *select, uint64_t bytes);

/**
 * Tests whether a selection contains all regions: it has no word except `all`, and no filter.
 * @param select  the selection
 * @return        true or false
 */
PM_PUBLIC bool pm_select_is_everything(const struct pm_select *select);

/**
 * Tests whether a word of the selection is `ADDR-END` or `ADDR+LEN`, which requests exact bytes.
 * @param select  the selection
 * @return        true or false
 */
PM_PUBLIC bool pm_select_has_range(const struct pm_select *select);

/**
 * Tests whether a word or a filter of the selection needs the kinds or owners of the regions.
 * @param select  the selection
 * @return        true or false
 */
PM_PUBLIC bool pm_select_needs_kinds(const struct pm_select *select);

/**
 * Tests whether a filter of the selection needs the RSS of the regions.
 * @param select  the selection
 * @return        true or false
 */
PM_PUBLIC bool pm_select_needs_rss(const struct pm_select *select);

/**
 * Applies a selection. Kinds and names that match no region are ignored if another word matches;
 * pm_select_visit_absent() reports these words. If only a part of the bytes of an `ADDR-END` or
 * `ADDR+LEN` is mapped, the result also has ranges for the unmapped parts, unless the selection has
 * a filter: unmapped bytes do not pass any filter.
 *
 * @param select   the selection
 * @param regions  the regions, with kinds and RSS if the selection needs them
 * @param ranges   receives the selected ranges, by ascending address, without overlaps. The caller
 *                 frees the array. NULL if no region passes the filters
 * @param count    receives the number of ranges
 * @param error    PM_ERROR_NOT_FOUND if no word matches a region, or if nothing is mapped at an
 *                 address or in a range (the text contains the nearest regions), PM_ERROR_USAGE if
 *                 the RSS is needed but not known, or if matching a pattern takes too many steps,
 *                 PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_select_apply(const struct pm_select *select, const struct pm_regions *regions,
                              struct pm_region_range **ranges, size_t *count,
                              struct pm_error *error);

/**
 * Called for a word that matches no region.
 * @param context  the context of pm_select_visit_absent()
 * @param why      PM_ERROR_NOT_FOUND with a sentence, such as "no region is of kind arena"; valid
 *                 only during the call
 */
typedef void pm_select_absent_visitor(void *context, const struct pm_error *why);

/**
 * Reports the kinds and names of a selection that match no region, in the order in which the words
 * were added.
 *
 * @param select   the selection
 * @param regions  the regions, with kinds if the selection needs them
 * @param visit    called for each of these words
 * @param context  passed to `visit`
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_select_visit_absent(const struct pm_select *select,
                                     const struct pm_regions *regions,
                                     pm_select_absent_visitor *visit, void *context,
                                     struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
