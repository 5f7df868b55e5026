/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Mistyped words: the one among those that exist which was probably meant.
 */
#ifndef PROCMEM_TYPO_H
#define PROCMEM_TYPO_H

#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Finds the word that looks most like a mistyped one: fewest letters changed, added, left out or
 * swapped with their neighbour; upper and lower case count as the same letter. A word that a
 * candidate starts with (`str` for `strings`) counts as nearly right.
 *
 * @param word        the mistyped word
 * @param candidates  the words that exist; entries may be NULL and are skipped then
 * @param count       how many
 * @return            one of the candidates, the first of several equally near ones; NULL where none
 * is near enough to be worth proposing (more than a third of the letters wrong, rounded to the
 * nearest) or the word is longer than 64 bytes
 */
PM_PUBLIC const char *pm_typo_nearest(const char *word, const char *const *candidates,
                                      size_t count);

#ifdef __cplusplus
}
#endif

#endif
