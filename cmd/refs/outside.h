/* SPDX-License-Identifier: MIT */
/** @file The words of a chunk that point to memory outside of malloc: to a library, or elsewhere.
 */
#ifndef CMD_REFS_OUTSIDE_H
#define CMD_REFS_OUTSIDE_H

#include <procmem/refs.h>

#include "base/text.h"
#include "target/malloc_graph.h"
#include "view/json.h"

/** Value of pm_ref.root for a pointer to memory outside of malloc. */
#define REFS_OUTSIDE (UINT32_MAX - 1)

/**
 * Finds the words in a range that point to a chunk in use, or to memory outside of malloc.
 *
 * @param graph    the graph
 * @param range    the range
 * @param visit    called for each word by ascending address, as for pm_refs_from(). If the word
 *                 points to memory outside of malloc, pm_ref.root is REFS_OUTSIDE
 * @param context  passed to `visit`
 * @param error    as for pm_refs_from()
 * @return         0; -1 on an error; or the value with which `visit` ended the search
 */
int refs_outside_find(struct malloc_graph *graph, struct pm_range range, pm_ref_visitor *visit,
                      void *context, struct pm_error *error);

/**
 * Adds what is at an address outside of malloc: a symbol, a place in a file, or other memory.
 *
 * @param graph    the graph
 * @param address  the address
 * @param text     receives the text, escaped
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int refs_outside_put(const struct malloc_graph *graph, uint64_t address, struct text *text,
                     struct pm_error *error);

/**
 * Writes `outside`: an object with what is at an address outside of malloc.
 *
 * @param graph    the graph
 * @param address  the address
 * @param json     the output
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int refs_outside_json(const struct malloc_graph *graph, uint64_t address, struct json *json,
                      struct pm_error *error);

#endif
