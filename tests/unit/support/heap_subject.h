/* SPDX-License-Identifier: MIT */
/** @file The heap of a running process, and checks of it against its malloc. A failure fails the
 *   running cmocka test. */
#ifndef TESTS_SUPPORT_HEAP_SUBJECT_H
#define TESTS_SUPPORT_HEAP_SUBJECT_H

#include <procmem/heap.h>

#include "support/look.h"

/** A process, and its heap. The test opens both. */
struct heap_subject {
	struct look look;     /**< the process */
	struct pm_heap *heap; /**< its heap */
};

/** Closes the heap and the process. */
void heap_subject_close(struct heap_subject *subject);

/**
 * Expects two figures to be equal.
 *
 * @param what    what is counted, for the message
 * @param ours    the figure of the library
 * @param theirs  the figure of malloc
 */
void heap_subject_expect(const char *what, uint64_t ours, uint64_t theirs);

/** Checks that the chunks of the index have the sizes and counts of the figures. */
void heap_subject_compare(const struct pm_heap *heap);

#endif
