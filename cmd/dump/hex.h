/* SPDX-License-Identifier: MIT */
/** @file FILL hex.c */
#ifndef CMD_DUMP_HEX_H
#define CMD_DUMP_HEX_H

#include "dump/dump.h"

/**
 * Shows the bytes as text.
 * @param dump the dump
 * @param out where to
 * @param result filled @param error any
 * @return 0 or -1
 */
int dump_hex(struct dump *dump, struct out *out, struct pm_dump_result *result,
             struct pm_error *error);

#endif
