/* SPDX-License-Identifier: MIT */
/** @file What other files of this layer need to find text in chunks. Private. */
#ifndef PM_HEAP_CHUNK_TEXT_H
#define PM_HEAP_CHUNK_TEXT_H

#include <procmem/chunk_text.h>

/**
 * As pm_chunk_text_find(), but only at the start of the bytes. Takes some nanoseconds for bytes
 * that are not text.
 */
struct pm_chunk_text pm_chunk_text_at_start(const void *head, size_t size);

#endif
