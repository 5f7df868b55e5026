/* SPDX-License-Identifier: MIT */
/** @file FILL unique.c */
#ifndef CMD_STRINGS_UNIQUE_H
#define CMD_STRINGS_UNIQUE_H

#include "strings/strings.h"

/**
 * Prints what -u has counted.
 * @param strings it
 */
void strings_unique_print(struct strings *strings);

#endif
