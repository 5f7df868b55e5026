/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The chunks of malloc that contain the hits of a search: the options --in-use, --freed and
 * --chunks, which hits they keep, and the chunk of a hit as text and as JSON.
 */
#ifndef CMD_TARGET_HIT_CHUNK_H
#define CMD_TARGET_HIT_CHUNK_H

#include <procmem/chunk_parts.h>
#include <procmem/scan.h>

#include "base/text.h"
#include "cli/cli.h"
#include "target/memory.h"

/** Options about chunks. */
struct hit_chunk_options {
	bool in_use; /**< --in-use: keep hits in chunks in use */
	bool freed;  /**< --freed: keep hits in freed chunks */
	bool show;   /**< --chunks: print the chunk of each hit */
};

/** The options --in-use, --freed and --chunks. */
extern const struct cli_option hit_chunk_option_table[];

/**
 * Parses --in-use, --freed or --chunks.
 * @see cli_parse_option
 */
int hit_chunk_parse_option(void *into, int id, const char *value, struct pm_error *error);

/** What happens to a hit. */
enum hit_chunk_fate {
	HIT_CHUNK_KEPT,        /**< it is printed, or counted */
	HIT_CHUNK_NOT_IN_USE,  /**< left out: in a freed chunk */
	HIT_CHUNK_NOT_FREED,   /**< left out: in a chunk in use */
	HIT_CHUNK_IN_HEADER,   /**< left out: in headers or list pointers, which are not content */
	HIT_CHUNK_UNKNOWN,     /**< left out: in a part of the heap that was skipped */
	HIT_CHUNK_NOT_A_CHUNK, /**< left out: in no chunk */
	HIT_CHUNK_FATES,
};

/** The chunks of the hits of a search. If zeroed, chunks do not matter. */
struct hit_chunks {
	const struct hit_chunk_options *options; /**< options of the command line */
	struct pm_heap *heap;                    /**< the heap; NULL if no option needs it; owned */
	struct pm_chunk_parts hits[PM_SCAN_WORKERS_MAX]; /**< of the current hit of each thread */
	uint64_t counts[HIT_CHUNK_FATES]; /**< number of hits by what happened to them */
	uint64_t changed;                 /**< number of hits left out that have changed */
	enum hit_chunk_fate counted;      /**< how the last hit was counted */
	bool left_out;                    /**< the last hit, or piece of one, was left out */
};

/**
 * Tests whether an option needs the heap.
 * @param options  the options
 * @return         true if one of them is given
 */
bool hit_chunk_is_needed(const struct hit_chunk_options *options);

/**
 * Opens the heap of a target, if an option needs it.
 *
 * @param chunks   zeroed; release with hit_chunk_close(), even on failure
 * @param options  the options; must outlive the chunks
 * @param memory   the memory of the target; must outlive the chunks
 * @param error    as for malloc_heap_open(); PM_ERROR_UNSUPPORTED if the chunks are not known
 * @return         0 or -1
 */
int hit_chunk_open(struct hit_chunks *chunks, const struct hit_chunk_options *options,
                   struct memory *memory, struct pm_error *error);

/**
 * Releases the heap.
 * @param chunks  as filled by hit_chunk_open(), or zeroed
 */
void hit_chunk_close(struct hit_chunks *chunks);

/**
 * Finds the chunk of a hit, and decides whether the hit is kept. A hit with bytes of several parts
 * is kept if one of the parts is asked for.
 *
 * @param chunks  opened
 * @param worker  number of the calling thread; the chunk becomes the current one of this thread
 * @param hit     the hit, or a piece of one
 * @return        what happens to the hit
 */
enum hit_chunk_fate hit_chunk_find(struct hit_chunks *chunks, unsigned worker,
                                   const struct pm_hit *hit);

/**
 * Removes from a text the bytes at its start and its end that are not content of chunks: headers,
 * and what malloc has written into freed chunks. In memory, such bytes often directly follow a text
 * that fills its chunk.
 *
 * @param chunks  opened
 * @param worker  number of the calling thread; the text is its current hit, and is kept
 * @param min     minimum number of characters of a text, as in pm_strings_options: 0 means that of
 *                the encoding
 * @param hit     the text, or a piece of one; receives the rest. Unchanged if it has no content
 * @return        what happens to the text: with --in-use and --freed, it is left out if the rest
 *                has fewer characters than the minimum
 */
enum hit_chunk_fate hit_chunk_trim(struct hit_chunks *chunks, unsigned worker, uint64_t min,
                                   struct pm_hit *hit);

/**
 * Counts a delivered hit. Must be called for all hits, in the order of delivery.
 *
 * @param chunks    opened
 * @param fate      what hit_chunk_find() has decided
 * @param delivery  the hit. If it continues a piece that was left out, its `continued` is cleared
 * @return          true if the hit is kept
 */
bool hit_chunk_count(struct hit_chunks *chunks, enum hit_chunk_fate fate,
                     struct pm_scan_delivery *delivery);

/**
 * Tests whether hits can be missing, because they are where chunks are not known.
 * @param chunks  the chunks
 * @return        true if such hits were left out
 */
bool hit_chunk_may_miss(const struct hit_chunks *chunks);

/**
 * Returns the chunk of the current hit, to be printed with it.
 *
 * @param chunks  the chunks
 * @param worker  number of the calling thread
 * @return        the chunk; NULL if no option is given
 */
const struct pm_chunk_parts *hit_chunk_current(const struct hit_chunks *chunks, unsigned worker);

/**
 * Adds the chunk of a hit in words: "chunk of 48 B in use". Adds nothing if the hit is in no chunk.
 *
 * @param parts   the chunk
 * @param before  text that is added before the words
 * @param text    receives the words
 */
void hit_chunk_put(const struct pm_chunk_parts *parts, const char *before, struct text *text);

/**
 * Adds the chunk of a hit in columns of a fixed width: state, size, and "+" if the hit has bytes
 * outside of the chunk.
 *
 * @param parts  the chunk
 * @param text   receives the columns and a space
 */
void hit_chunk_put_columns(const struct pm_chunk_parts *parts, struct text *text);

/**
 * Adds the JSON member `chunk`, after other members: `,"chunk":{…}`. Adds nothing if the hit is in
 * no chunk.
 *
 * @param parts  the chunk
 * @param text   receives the member
 */
void hit_chunk_put_json(const struct pm_chunk_parts *parts, struct text *text);

/**
 * Prints notes on stderr: the number of hits that were left out, and what is not known about the
 * chunks.
 *
 * @param chunks  the chunks
 * @param memory  the memory that was searched
 * @param nouns   a hit, singular and plural
 */
void hit_chunk_report(const struct hit_chunks *chunks, const struct memory *memory,
                      const char *const nouns[2]);

#endif
