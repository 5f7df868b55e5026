/* SPDX-License-Identifier: MIT */
/** @file The parts of mapper: each creates mappings of some types, and prints them. */
#ifndef TARGETS_MAPPER_H
#define TARGETS_MAPPER_H

#include <stddef.h>

enum { PAGE = 4096, MEGABYTE = 1024 * 1024 };

/** Prints `unsupported NAME: reason`, with the reason from errno. */
void mapper_unsupported(const char *name);

void mapper_anonymous(void); /**< private anonymous memory with each permission and advice */
void mapper_special(void);   /**< memory that needs a newer kernel, a right or a pool */
void mapper_shared(void);    /**< shared memory of each type */
void mapper_files(void);     /**< mapped files, touched or not, with odd names */
void mapper_malloc(void);    /**< heap, blocks and arenas of malloc in glibc */
void mapper_threads(void);   /**< threads with their stacks, each with an arena */

#endif
