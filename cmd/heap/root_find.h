/* SPDX-License-Identifier: MIT */
/** @file Finds the root that the user means with `heap --retained --tree ROOT`. */
#ifndef CMD_HEAP_ROOT_FIND_H
#define CMD_HEAP_ROOT_FIND_H

#include <procmem/graph.h>

/** The index if the lost chunks are meant. */
#define HEAP_ROOT_LOST SIZE_MAX

/**
 * Finds a root. Accepted are:
 * - the name of the root;
 * - the row of the root in the table of `heap --retained`;
 * - the start of the name, up to a space;
 * - the name without ABI tags, with or without the arguments of functions;
 * - an address in the root;
 * - "nothing", for the lost chunks.
 *
 * @param roots  the roots, as in pm_graph_roots()
 * @param count  number of roots
 * @param name   what the user has typed
 * @param index  receives the index of the root; HEAP_ROOT_LOST if `name` is that of the lost
 *               chunks, and no root has this name
 * @param error  PM_ERROR_USAGE if no root or several roots are meant; the message has candidates
 * @return       0 or -1
 */
int heap_root_find(const struct pm_root *roots, size_t count, const char *name, size_t *index,
                   struct pm_error *error);

#endif
