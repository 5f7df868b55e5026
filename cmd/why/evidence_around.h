/* SPDX-License-Identifier: MIT */
/** @file The part of the evidence about what is around the process. */
#ifndef CMD_WHY_EVIDENCE_AROUND_H
#define CMD_WHY_EVIDENCE_AROUND_H

#include "why/evidence.h"

/** Adds processes, parts of the cgroup, signs of pressure, tmpfs, shared files and limits. */
void why_evidence_around_add(struct why_evidence *made, const struct why_observation *observation);

#endif
