/* SPDX-License-Identifier: MIT */
/** @file Which file of a program has a text as a constant, and the whole of a text in a chunk. */
#ifndef CMD_WHY_CONSTANTS_H
#define CMD_WHY_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/reader.h>
#include <procmem/region.h>

/** Maximum number of bytes of a whole text. */
enum { WHY_CONSTANTS_TEXT_MAX = 256 };

/** Searches the files that a process maps, without reading its memory. */
struct why_constants {
	struct pm_reader *files;          /**< reads the mapped files */
	const struct pm_regions *regions; /**< regions of the process */
	uint64_t bytes;                   /**< number of bytes that were read so far */
	double seconds;                   /**< CPU time that was spent so far */
};

/**
 * Finds the file whose constants contain the start of a text: the first eight or more characters
 * that are not a number. Searches the read-only parts of the program, then of its libraries. All
 * searches together read a limited number of bytes in a limited time.
 *
 * @param constants  `files` and `regions` are set
 * @param text       a text or template (text_template.h)
 * @return           the path, valid as long as the regions; "" if it was not found
 */
const char *why_constants_find(struct why_constants *constants, const char *text);

/**
 * Reads the whole text of a chunk.
 *
 * @param memory   reads the memory of the process
 * @param address  start of the chunk's content
 * @param size     bytes of the content
 * @param known    the start of the text, or of its template
 * @param text     receives the template, of at most WHY_CONSTANTS_TEXT_MAX bytes without a NUL
 * @return         length of the template; 0 if the chunk does not contain the text any more
 */
size_t why_constants_read_text(struct pm_reader *memory, uint64_t address, uint64_t size,
                               const char *known, char *text);

#endif
