/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Text in the first bytes of a chunk.
 */
#ifndef PROCMEM_CHUNK_TEXT_H
#define PROCMEM_CHUNK_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Text in the first bytes of a chunk. */
struct pm_chunk_text {
	/** Points into the bytes; not NUL-terminated. ASCII or valid UTF-8, without control
	 * characters other than tab, newline and carriage return */
	const char *text;
	size_t length; /**< number of bytes; 0 if there is no text */
	size_t offset; /**< offset of the text in the bytes */
	bool cut;      /**< the bytes end without a NUL, so the text may continue */
};

/**
 * Finds text in the first bytes of a chunk: at least 4 printable characters at the start, or else
 * the first sequence of at least 8 printable characters. The text ends at a NUL or at the end of
 * the bytes; a sequence that ends elsewhere is not text.
 *
 * @param head  the bytes
 * @param size  number of bytes; bytes beyond PM_CHUNK_HEAD_SIZE are ignored
 * @return      the text
 */
PM_PUBLIC struct pm_chunk_text pm_chunk_text_find(const void *head, size_t size);

#ifdef __cplusplus
}
#endif

#endif
