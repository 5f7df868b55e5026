/* SPDX-License-Identifier: MIT */
/** @file The commands that show more about a finding. */
#ifndef CMD_WHY_MORE_H
#define CMD_WHY_MORE_H

#include "why/sentence.h"

/**
 * Passes the commands that show more about a finding, as lines with the label WHY_MORE. They can be
 * copied into a shell, unless a path in them has control characters, which are escaped.
 *
 * @param finding   the finding
 * @param evidence  what it was made from: a file has other commands than a process
 * @param visit     receives each command
 * @param context   passed to `visit`
 */
void why_more_list(const struct pm_finding *finding, const struct pm_evidence *evidence,
                   why_sentence_visitor *visit, void *context);

#endif
