/* SPDX-License-Identifier: MIT */
/** @file Words of a command line that is shown, to be copied into a shell. */
#ifndef CMD_BASE_SHELL_WORD_H
#define CMD_BASE_SHELL_WORD_H

#include "base/text.h"

/**
 * Adds a name so that a shell reads it as one word: in single quotes, if it has other characters
 * than those of usual names. Control characters and bytes that are not UTF-8 stay as they are.
 *
 * @param text  receives the word
 * @param word  the name
 */
void shell_word_put(struct text *text, const char *word);

#endif
