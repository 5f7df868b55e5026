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

/** A choice of regions; opaque. Without words and filters it chooses everything. */
struct pm_select;

/** One chosen range; lies within one region. */
struct pm_range {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address behind the last byte */
	size_t region;  /**< index of the region it lies in; SIZE_MAX where the user named bytes that are not mapped */
};

/** Makes an empty choice. @param select where to store it @param error PM_ERROR_RESOURCES @return 0 or -1 */
PM_PUBLIC int pm_select_create(struct pm_select **select, struct pm_error *error);

/** Releases a choice. @param select a choice or NULL */
PM_PUBLIC void pm_select_destroy(struct pm_select *select);

/**
 * Adds a REGION word; several are united. An address (`0x7f39…` or as listings print it): the region around it; `ADDR-END` or `ADDR+LEN`:
 * exactly those bytes; a kind (`heap`); `[name]`: regions of that name; `all`.
 *
 * @param select  the choice
 * @param word    the word
 * @param error   PM_ERROR_USAGE with what a REGION may be
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_add_word(struct pm_select *select, const char *word, struct pm_error *error);

/** Keeps only regions of these kinds. @param select the choice @param list names separated by commas @param error PM_ERROR_USAGE @return 0 or -1 */
PM_PUBLIC int pm_select_set_kinds(struct pm_select *select, const char *list, struct pm_error *error);

/** Keeps only regions whose mapping matches. @param select the choice @param regex a PCRE2 pattern @param error PM_ERROR_USAGE with the position @return 0 or -1 */
PM_PUBLIC int pm_select_set_mapping(struct pm_select *select, const char *regex, struct pm_error *error);

/**
 * Keeps only regions with these permissions. Letters ask for what must be set (`rw`, `x`); four characters as in maps (`r--p`) ask for exactly these,
 * `-` meaning not set and `?` meaning either.
 *
 * @param select  the choice
 * @param spec    the permissions
 * @param error   PM_ERROR_USAGE
 * @return        0 or -1
 */
PM_PUBLIC int pm_select_set_perms(struct pm_select *select, const char *spec, struct pm_error *error);

/** Keeps only regions with at least this much resident. @param select the choice @param bytes the bound */
PM_PUBLIC void pm_select_set_min_rss(struct pm_select *select, uint64_t bytes);

/** Keeps only regions at least this long. @param select the choice @param bytes the bound */
PM_PUBLIC void pm_select_set_min_size(struct pm_select *select, uint64_t bytes);

/** Whether it chooses everything: no word but `all`, and no filter. @param select the choice @return true or false */
PM_PUBLIC bool pm_select_is_everything(const struct pm_select *select);

/** Whether it needs kinds to be known (a kind word or filter). @param select the choice @return true or false */
PM_PUBLIC bool pm_select_needs_kinds(const struct pm_select *select);

/**
 * Applies the choice.
 *
 * @param select   the choice
 * @param regions  the regions
 * @param ranges   where to store the chosen ranges, by ascending address, never overlapping, each within one region; the caller frees it
 * @param count    where to store how many
 * @param error    PM_ERROR_NOT_FOUND when a word fits nothing (the text names the neighbours of an address), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_select_apply(const struct pm_select *select, const struct pm_regions *regions, struct pm_range **ranges, size_t *count,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
