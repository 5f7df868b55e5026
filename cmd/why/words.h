/* SPDX-License-Identifier: MIT */
/** @file The constant words of findings: titles, advice, and commands that show more. */
#ifndef CMD_WHY_WORDS_H
#define CMD_WHY_WORDS_H

#include <procmem/findings.h>

#include "base/text.h"

/** Maximum number of commands of a finding. */
enum { WHY_WORDS_COMMANDS = 2 };

/**
 * Adds the title of a finding: one sentence without a full stop.
 *
 * @param finding   the finding
 * @param evidence  the evidence that it was made from
 * @param text      receives the title
 */
void why_words_put_title(const struct pm_finding *finding, const struct pm_evidence *evidence,
                         struct text *text);

/**
 * Returns how sure a finding is, or that it is harmless. Growth of a heap that was not collected is
 * not called harmless: it is not known what a collection will leave.
 *
 * @param finding  the finding
 * @return         a word of the man page
 */
const char *why_words_confidence(const struct pm_finding *finding);

/**
 * Adds what to do; nothing if there is no advice.
 *
 * @param finding   the finding
 * @param evidence  the evidence that it was made from
 * @param text      receives the advice
 */
void why_words_put_advice(const struct pm_finding *finding, const struct pm_evidence *evidence,
                          struct text *text);

/**
 * Returns a command that shows more about a finding.
 *
 * @param finding  the finding
 * @param index    number of the command, from 0
 * @return         a format with `%d` for the PID and perhaps `%s` for an address; NULL if there is
 *                 none
 */
const char *why_words_command(const struct pm_finding *finding, size_t index);

#endif
