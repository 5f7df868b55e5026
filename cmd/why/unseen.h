/* SPDX-License-Identifier: MIT */
/** @file What an investigation could not see. */
#ifndef CMD_WHY_UNSEEN_H
#define CMD_WHY_UNSEEN_H

#include "why/report.h"

/**
 * Receives something that could not be seen.
 *
 * @param context  as passed to why_unseen_list()
 * @param text     escaped text
 */
typedef void why_unseen_visitor(void *context, const struct text *text);

/**
 * Lists what could not be seen.
 *
 * @param report   the report
 * @param visit    called for each item
 * @param context  passed to `visit`
 */
void why_unseen_list(const struct why_report *report, why_unseen_visitor *visit, void *context);

#endif
