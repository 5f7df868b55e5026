/* SPDX-License-Identifier: MIT */
/** @file The part of the evidence about malloc: arenas and chunks. */
#ifndef CMD_WHY_EVIDENCE_CHUNKS_H
#define CMD_WHY_EVIDENCE_CHUNKS_H

#include "why/evidence.h"

/** Adds the arenas of the walks. */
void why_evidence_chunks_add_arenas(struct why_evidence *made, const struct why_walks *walks);

/** Adds the chunks of the walks or of a recording, and their texts. Regions were added before. */
void why_evidence_chunks_add(struct why_evidence *made, const struct why_observation *observation);

#endif
