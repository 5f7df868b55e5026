/* SPDX-License-Identifier: MIT */
/** @file Prints what `refs` has found, as text or as JSON. */
#ifndef CMD_REFS_PRINT_H
#define CMD_REFS_PRINT_H

#include "base/out.h"
#include "refs/found.h"

/** How to print. */
struct refs_style {
	bool bytes; /**< sizes in bytes */
};

/**
 * Prints references as text.
 *
 * @param found  what was found
 * @param style  how to print
 * @param out    the output
 * @param error  as for pm_chunk_types_find()
 * @return       0 or -1
 */
int refs_print_text(const struct refs_found *found, const struct refs_style *style, struct out *out,
                    struct pm_error *error);

/**
 * Prints references as a JSON object.
 *
 * @param found  what was found
 * @param out    the output
 * @param error  as for pm_chunk_types_find()
 * @return       0 or -1
 */
int refs_print_json(const struct refs_found *found, struct out *out, struct pm_error *error);

#endif
