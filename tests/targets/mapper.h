/* SPDX-License-Identifier: MIT */
/** @file The parts of mapper: each maps some sorts of regions, and prints what and where. */
#ifndef TARGETS_MAPPER_H
#define TARGETS_MAPPER_H

#include <stddef.h>

enum { PAGE = 4096, MEGABYTE = 1024 * 1024 };

/** Prints `unsupported NAME: reason`, the reason from errno. */
void mapper_unsupported(const char *name);

void mapper_anonymous(void); /**< private anonymous memory by permissions and by advice */
void mapper_special(void);   /**< what needs a newer kernel, a right or a pool */
void mapper_shared(void);    /**< shared memory of each sort */
void mapper_files(void);     /**< mapped files, touched or not, with odd names */
void mapper_malloc(void);    /**< what glibc's malloc maps: heap, blocks, arenas */
void mapper_threads(void);   /**< threads with their stacks, each with an arena */

#endif
