/* SPDX-License-Identifier: MIT */
/** @file Makes evidence for the rules of the library out of what was observed. */
#ifndef CMD_WHY_EVIDENCE_H
#define CMD_WHY_EVIDENCE_H

#include <procmem/evidence.h>

#include "why/observe.h"

/** Evidence, and what it owns. */
struct why_evidence {
	struct pm_evidence evidence; /**< refers to the observation, too */
	char **names;                /**< texts that were made; owned */
	size_t name_count;           /**< number of elements of `names` */
};

/**
 * Makes evidence.
 *
 * @param made         filled; release with why_evidence_deinit()
 * @param observation  what was observed; must outlive the evidence
 */
void why_evidence_make(struct why_evidence *made, const struct why_observation *observation);

/**
 * Keeps a copy of bytes as a string, which is released with the evidence.
 *
 * @param made    the evidence
 * @param bytes   the bytes
 * @param length  number of bytes
 * @return        the copy
 */
const char *why_evidence_keep(struct why_evidence *made, const char *bytes, size_t length);

/** Releases evidence. */
void why_evidence_deinit(struct why_evidence *made);

#endif
