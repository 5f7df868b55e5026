/* SPDX-License-Identifier: MIT */
/** @file The text that most chunks of a class have in common. Private. */
#ifndef PM_HEAP_CLASS_TEXT_H
#define PM_HEAP_CLASS_TEXT_H

#include <procmem/chunk_text.h>
#include <procmem/heap.h>

/**
 * Number of bytes of a template that are compared. The texts are cut after PM_CHUNK_HEAD_SIZE
 * bytes, so their templates agree only at the start.
 */
enum { PM_CLASS_TEXT_COMPARED = 32 };

/**
 * A candidate for the most frequent text of a class: the majority vote of Boyer and Moore. Each
 * text votes for its template or against the candidate. A template with more than half of all votes
 * is the candidate in the end.
 */
struct pm_class_text {
	uint64_t hash;  /**< hash of the template of the candidate; 0 if the candidate means "no
	                   text" */
	uint32_t votes; /**< votes for the candidate that were not cancelled */
	uint32_t count; /**< texts that had this template since it became the candidate */
	uint32_t all;   /**< number of texts that were compared */
	uint8_t length; /**< number of bytes of `text` */
	bool cut;       /**< the text continues */
	bool varies;    /**< texts with this template differ */
	char text[PM_CHUNK_HEAD_SIZE]; /**< the first text with this template */
};

/**
 * Returns the hash of the template of a text.
 * @param text  the text
 * @return      the hash; 0 if there is no text
 */
uint64_t pm_class_text_hash(const struct pm_chunk_text *text);

/**
 * Adds a text.
 * @param text  the text; of length 0 if the chunk has none
 * @param hash  pm_class_text_hash()
 */
void pm_class_text_add(struct pm_class_text *candidate, const struct pm_chunk_text *text,
                       uint64_t hash);

/**
 * Writes the text that represents a class: the text of the candidate or, if the texts vary, their
 * template.
 *
 * @param output  receives the text; room for PM_CHUNK_HEAD_SIZE bytes
 * @param cut     receives whether the text continues
 * @return        number of bytes; 0 if less than half of the texts are known to have the template
 */
size_t pm_class_text_write(const struct pm_class_text *candidate, char *output, bool *cut);

#endif
