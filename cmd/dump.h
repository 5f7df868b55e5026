/* SPDX-License-Identifier: MIT */
/** @file The parts of `procmem dump`. */
#ifndef CMD_DUMP_H
#define CMD_DUMP_H

#include <procmem/core.h>
#include <procmem/core_dump.h>
#include <procmem/dump.h>
#include <procmem/pagemap.h>
#include <procmem/stop.h>

#include "list_options.h"
#include "progress.h"
#include "regions_load.h"
#include "selection.h"
#include "target.h"

/** What the user wants. */
struct dump_options {
	const char *file;             /**< -o: where to, NULL for stdout */
	bool hex;                     /**< --hex */
	bool raw;                     /**< --raw */
	bool core;                    /**< --core */
	bool respect_filter;          /**< --respect-filter */
	bool stop;                    /**< --stop */
	bool whole_files;             /**< --whole-files */
	struct selection selection;   /**< which regions */
	struct output_options output; /**< how to tell */
};

/** Bytes that were asked for and are not there. */
struct lack {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address behind the last byte */
	char *why;      /**< the reason; owned */
};

/** All of them, by ascending address. */
struct lacks {
	struct lack *items; /**< they; owned */
	size_t count;       /**< how many */
	size_t capacity;    /**< room for so many */
	uint64_t bytes;     /**< sum of their sizes */
};

/**
 * Notes bytes that are lacking; neighbours with the same reason become one.
 *
 * @param lacks  the list
 * @param start  first address
 * @param end    address behind the last byte
 * @param why    the reason; copied
 */
void lacks_add(struct lacks *lacks, uint64_t start, uint64_t end, const char *why);

/** Puts the list in order. @param lacks the list */
void lacks_sort(struct lacks *lacks);

/** Releases the list. @param lacks the list */
void lacks_deinit(struct lacks *lacks);

/** Everything that is open while a target is dumped. */
struct dump {
	const struct dump_options *options;  /**< the user's */
	const volatile sig_atomic_t *cancel; /**< Ctrl-C */
	struct target target;                /**< a living process, or a path */
	struct loaded loaded;                /**< the regions */
	struct pm_core *core;                /**< the core file, NULL for a process */
	struct pm_stop *stop;                /**< the stop in progress, NULL for none */
	uint64_t stopped_ns;                 /**< how long it was stopped */
	size_t threads;                      /**< how many threads that were */
	struct pm_range *ranges;             /**< what was chosen; owned */
	size_t count;                        /**< how many */
	struct pm_pagemap *pagemap;          /**< page states of a process */
	struct pm_page_source pages;         /**< page states */
	struct pm_reader memory;             /**< its memory */
	struct pm_reader files;              /**< the files behind it, where they are wanted */
	struct progress progress;            /**< the line on stderr */
	struct lacks lacks;                  /**< what could not be had */
};

/**
 * Opens a target for dumping, and stops it if that is wanted.
 *
 * @param dump   filled; the options and `cancel` are set already; release with dump_close(), also after a failure
 * @param words  TARGET and REGIONs
 * @param count  how many
 * @param error  any
 * @return       1: ready; 0: nothing fits the choice; -1: an error
 */
int dump_open(struct dump *dump, char *const *words, int count, struct pm_error *error);

/** Lets a stopped target run on: all is read. @param dump the dump */
void dump_resume(struct dump *dump);

/** Finds out kinds for FILE.map, unless the choice needed them. @param dump the dump, its target running @param error any @return 0 or -1 */
int dump_classify(struct dump *dump, struct pm_error *error);

/** Releases everything. @param dump as filled */
void dump_close(struct dump *dump);

/** Sum of the chosen ranges. @param dump the dump @return bytes */
uint64_t dump_size(const struct dump *dump);

/** What the library is to copy, with lacks and progress noted. @param dump the dump, to which it refers @return the source */
struct pm_dump_source dump_source(struct dump *dump);

/** Shows the bytes as text. @param dump the dump @param out where to @param result filled @param error any @return 0 or -1 */
int dump_hex(struct dump *dump, struct out *out, struct pm_dump_result *result, struct pm_error *error);

/** Writes the bytes, or a core file, to the file of the options, and FILE.map. @param dump the dump @param result filled @param error any @return 0 or -1 */
int dump_to_file(struct dump *dump, struct pm_dump_result *result, struct pm_error *error);

/** Text of FILE.map: where each range stands in the file. @param dump the dump @param out where to */
void dump_write_map(const struct dump *dump, struct out *out);

#endif
