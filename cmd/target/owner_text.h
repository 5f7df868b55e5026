/* SPDX-License-Identifier: MIT */
/** @file Who holds the memory of a process, and what is known about its runtimes, in words. */
#ifndef CMD_TARGET_OWNER_TEXT_H
#define CMD_TARGET_OWNER_TEXT_H

#include <procmem/owner_sums.h>
#include <procmem/runtimes.h>

#include "base/out.h"
#include "base/text.h"
#include "view/json.h"

/**
 * Adds the sums by owner as an equation, runtimes first: "RSS 2.1G = JVM's own 412M + native malloc
 * 1.7G (External) + files 30M". "~": 1 % or more of the memory is inferred. If RSS is not known,
 * the equation has the sizes in the address space.
 *
 * @param sums   the sums
 * @param label  "RSS", or what else the resident memory is called
 * @param bytes  print exact sizes
 * @param text   receives the words
 */
void owner_text_equation(const struct pm_owner_sums *sums, const char *label, bool bytes,
                         struct text *text);

/**
 * Prints a line for each runtime: version, variant, limits and counters, and what is missing.
 *
 * @param runtimes  the runtimes; may be NULL
 * @param bytes     print exact sizes
 * @param out       where to print
 * @return          number of terminal lines that were printed
 */
size_t owner_text_print_runtimes(const struct pm_runtimes *runtimes, bool bytes, struct out *out);

/**
 * Writes `runtimes`, unless there are none.
 *
 * @param json      the output, within an object
 * @param runtimes  the runtimes; may be NULL
 */
void owner_text_json_runtimes(struct json *json, const struct pm_runtimes *runtimes);

/**
 * Returns what the part of the process is called that an owner belongs to, such as "JVM's own" for
 * all owners of the family "java".
 *
 * @param owner    the owner
 * @param runtime  receives whether it is a runtime; may be NULL
 * @return         a constant text
 */
const char *owner_text_part(enum pm_owner owner, bool *runtime);

#endif
