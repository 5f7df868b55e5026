/* SPDX-License-Identifier: MIT */
/** @file Which limit the growth of a finding reaches, and when. */
#ifndef CMD_WHY_UNTIL_H
#define CMD_WHY_UNTIL_H

#include <procmem/findings.h>

#include "base/text.h"

/**
 * Adds which limit is reached and when; nothing if a finding has no limit and does not grow.
 * @param finding  the finding
 * @param exact    whether the user wants sizes in bytes (--bytes)
 * @param text     receives the words
 */
void why_until_put(const struct pm_finding *finding, bool exact, struct text *text);

#endif
