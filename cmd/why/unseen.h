/* SPDX-License-Identifier: MIT */
/** @file What an investigation could not see, and therefore did not judge. */
#ifndef CMD_WHY_UNSEEN_H
#define CMD_WHY_UNSEEN_H

#include "why/observe.h"

/** Receives what was not seen: a few words without a full stop, escaped. */
typedef void why_unseen_visitor(void *context, const char *words);

/**
 * Lists what was not seen.
 *
 * @param observation  what was observed
 * @param visit        called for each item
 * @param context      passed to `visit`
 */
void why_unseen_list(const struct why_observation *observation, why_unseen_visitor *visit,
                     void *context);

#endif
