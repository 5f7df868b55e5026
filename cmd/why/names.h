/* SPDX-License-Identifier: MIT */
/** @file The names of the newest threads and descriptors: who starts or opens what piles up. */
#ifndef CMD_WHY_NAMES_H
#define CMD_WHY_NAMES_H

#include "why/evidence.h"

/**
 * Adds the most frequent name of the newest threads and of the newest open files of a living
 * process. Numbers in names are written as `#`. Names that cannot be read are left out.
 */
void why_names_add(struct why_evidence *made, const struct why_observation *observation);

#endif
