/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Suggestions for mistyped words.
 */
#ifndef PROCMEM_TYPO_H
#define PROCMEM_TYPO_H

#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Finds the candidate that is most similar to a mistyped word: with the fewest letters changed,
 * added, left out or swapped with a neighbour. Case is ignored. A candidate that starts with the
 * word (`strings` for `str`) counts as one mistake.
 *
 * @param word        the mistyped word
 * @param candidates  the valid words; NULL entries are skipped
 * @param count       number of candidates
 * @return            one of the candidates, the first if several are equally similar; NULL if none
 *                    is similar enough (there are more mistakes than a third of the letters of the
 *                    word, rounded to the nearest integer), or the word is longer than 64 bytes
 */
PM_PUBLIC const char *pm_typo_nearest(const char *word, const char *const *candidates,
                                      size_t count);

#ifdef __cplusplus
}
#endif

#endif
