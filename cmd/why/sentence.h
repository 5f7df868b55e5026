/* SPDX-License-Identifier: MIT */
/**
 * @file Sentences about findings: the only place where text for people is formed from them. All
 * text is escaped.
 */
#ifndef CMD_WHY_SENTENCE_H
#define CMD_WHY_SENTENCE_H

#include <procmem/findings.h>

#include "base/text.h"

/** The labels of lines. The order is that of the output. */
enum why_label {
	WHY_GROWS,  /**< what grows, and how fast */
	WHY_WEIGHS, /**< what is large, but does not grow */
	WHY_SEEN,   /**< where memory is short, and how much that costs */
	WHY_HOLDS,  /**< what it contains */
	WHY_MADE,   /**< which code or thread makes it */
	WHY_HELD,   /**< what keeps it reachable */
	WHY_UNTIL,  /**< which limit is reached, and when */
	WHY_NOT,    /**< what it is not */
	WHY_DO,     /**< advice */
	WHY_MORE,   /**< commands that show more */
	WHY_LABELS,
};

/** Returns the word in front of a line, such as "grows". */
const char *why_sentence_label(enum why_label label);

/** Receives a line. */
typedef void why_sentence_visitor(void *context, enum why_label label, const struct text *text);

/**
 * Makes the lines of a finding.
 *
 * @param finding   the finding
 * @param evidence  the evidence that it was made from
 * @param exact     whether the user wants sizes in bytes (--bytes)
 * @param visit     called for each line, in the order of enum why_label
 * @param context   passed to `visit`
 */
void why_sentence_lines(const struct pm_finding *finding, const struct pm_evidence *evidence,
                        bool exact, why_sentence_visitor *visit, void *context);

/**
 * Makes the words of a fact about something that is not the cause.
 *
 * @param fact   the fact
 * @param exact  whether the user wants sizes in bytes (--bytes)
 * @param what   receives what was suspected; unchanged if the fact is not of this sort
 * @param why    receives why it is not the cause
 */
void why_sentence_acquittal(const struct pm_finding_fact *fact, bool exact, struct text *what,
                            struct text *why);

#endif
