/* SPDX-License-Identifier: MIT */
/** @file Judges what was observed, and prints the findings. */
#ifndef CMD_WHY_JUDGE_H
#define CMD_WHY_JUDGE_H

#include "why/observe.h"

/**
 * Judges what was observed, and prints it as its options say.
 *
 * @param observation  what was observed; with --deep, `deep` is filled
 * @param out          receives the report
 * @param error        PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return             number of findings that need attention, or -1
 */
int why_judge(struct why_observation *observation, struct out *out, struct pm_error *error);

#endif
