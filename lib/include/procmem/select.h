/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Choosing regions: the REGION words and filters that all commands share.
 */
#ifndef PROCMEM_SELECT_H
#define PROCMEM_SELECT_H

#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A choice of regions; opaque. Without words and filters it chooses everything. Several threads may
 * apply it, while none changes it.
 */
struct pm_select;

/**
 * Makes an empty choice.
 * @param select where to store it
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
PM_PUBLIC int pm_select_create(struct pm_select **select, struct pm_error *error);

/**
 * Releases a choice.
 * @param select a choice or NULL
 */
PM_PUBLIC void pm_select_destroy(struct pm_select *select);

/**
 * Adds a REGION word; several are united. An address (`0x7f39…` or as listings print it): the
 * region around it; `ADDR-END` or `ADDR+LEN` (LEN as for pm_parse_size()): exactly those bytes; a
 * kind (`heap`); `[name]`: regions of that name as the kernel gives it; `all`. A word that is both
 * a kind and a hexadecimal number is a kind.
 *
 * @param select  the choice
 * @param word    the word
 * @param error   PM_ERROR_USAGE with what a REGION may be, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_add_word(struct pm_select *select, const char *word,
                                 struct pm_error *error);

/**
 * Keeps only regions of these kinds. As with the other filters, a second call replaces the first,
 * and all filters that are set must pass.
 *
 * @param select  the choice
 * @param list    names separated by commas
 * @param error   PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_kinds(struct pm_select *select, const char *list,
                                  struct pm_error *error);

/**
 * Keeps only regions whose mapping (pm_region.mapping, "" for anonymous ones) matches somewhere.
 *
 * @param select  the choice
 * @param regex   a PCRE2 pattern; `(?i)` in front ignores case, `^$` means anonymous regions
 * @param error   PM_ERROR_USAGE with the position, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_mapping(struct pm_select *select, const char *regex,
                                    struct pm_error *error);

/**
 * Keeps only regions with these permissions. Letters ask for what must be (`rw`, `x`; `s` shared,
 * `p` private); four characters as in maps
 * (`r--p`) ask for exactly these, `-` meaning not set and `?` meaning either.
 *
 * @param select  the choice
 * @param spec    the permissions
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_perms(struct pm_select *select, const char *spec,
                                  struct pm_error *error);

/**
 * Keeps only regions with at least this much resident.
 * @param select the choice
 * @param bytes the bound
 */
PM_PUBLIC void pm_select_set_min_rss(struct pm_select *select, uint64_t bytes);

/**
 * Keeps only regions at least this long.
 * @param select the choice
 * @param bytes the bound
 */
PM_PUBLIC void pm_select_set_min_size(struct pm_select *select, uint64_t bytes);

/**
 * Whether it chooses everything: no word but `all`, and no filter.
 * @param select the choice
 * @return true or false
 */
PM_PUBLIC bool pm_select_is_everything(const struct pm_select *select);

/**
 * Whether it needs kinds to be known (a kind word or filter).
 * @param select the choice
 * @return true or false
 */
PM_PUBLIC bool pm_select_needs_kinds(const struct pm_select *select);

/**
 * Whether it needs RSS to be known (a bound on it).
 * @param select the choice
 * @return true or false
 */
PM_PUBLIC bool pm_select_needs_rss(const struct pm_select *select);

/**
 * Applies the choice. An `ADDR-END` or `ADDR+LEN` that is mapped in part gives entries for the rest
 * too, so that nothing is dropped in silence, but only where no filter is set: what is not mapped
 * passes none.
 *
 * @param select   the choice
 * @param regions  the regions, with kinds and RSS where the choice needs them
 * @param ranges   where to store the chosen ranges, by ascending address, never overlapping, each
 * within one region; the caller frees it; NULL where the filters leave nothing
 * @param count    where to store how many
 * @param error    PM_ERROR_NOT_FOUND when a word fits nothing (the text names the neighbours of an
 * address), PM_ERROR_USAGE when RSS is asked for and not known or a pattern needs too many steps,
 * PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_select_apply(const struct pm_select *select, const struct pm_regions *regions,
                              struct pm_region_range **ranges, size_t *count,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
