/* SPDX-License-Identifier: MIT */
/** @file `procmem grep --next`: reads saved hits again, and keeps some of them. */
#ifndef CMD_GREP_NEXT_H
#define CMD_GREP_NEXT_H

#include <signal.h>

#include "base/out.h"
#include "base/status.h"
#include "grep/options.h"

/**
 * Reads the hits of `options->next` again, and prints or saves those to keep.
 *
 * @param options  the options
 * @param word     the TARGET, which must be the process of the hits; NULL: that process
 * @param cancel   non-zero after Ctrl-C
 * @param out      where to print
 * @return         STATUS_OK if hits are left, STATUS_NOTHING if not, STATUS_ERROR after an error
 */
enum status grep_next(const struct grep_options *options, const char *word,
                      const volatile sig_atomic_t *cancel, struct out *out);

#endif
