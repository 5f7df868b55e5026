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
 * Finds the candidate that is most similar to a mistyped word: the one with the fewest mistakes. A
 * mistake is a letter that was changed, added or left out, or two adjacent letters that were
 * swapped. Case is ignored. If the word has at least two bytes and the candidate starts with it
 * (`str` for `strings`), the missing rest counts as one mistake.
 *
 * @param word        the mistyped word
 * @param candidates  the valid words; NULL entries are skipped
 * @param count       number of candidates
 * @return            the most similar candidate, or the first of several equally similar
 *                    candidates. NULL if the word is shorter than 2 bytes or longer than 64 bytes.
 *                    NULL if no candidate is similar enough: a word of 2 to 4 bytes may have 1
 *                    mistake, and each further 3 bytes permit 1 more mistake (5 to 7 bytes: 2)
 */
PM_PUBLIC const char *pm_typo_nearest(const char *word, const char *const *candidates,
                                      size_t count);

#ifdef __cplusplus
}
#endif

#endif
