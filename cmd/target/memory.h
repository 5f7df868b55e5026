/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The memory of a target, ready to be read: of a living process, stopped or not, or of a core file.
 * What dump, strings, grep and the like have in common.
 */
#ifndef CMD_TARGET_MEMORY_H
#define CMD_TARGET_MEMORY_H

#include <signal.h>

#include <procmem/core.h>
#include <procmem/pagemap.h>
#include <procmem/stop.h>
#include <procmem/unit_read.h>

#include "target/regions_load.h"
#include "target/selection.h"
#include "target/target.h"
#include "target/unreadable.h"

/** How to open it; all zero: of a process that runs on, without what only files hold. */
struct memory_options {
	bool stop;      /**< stop the process until memory_resume() */
	bool files;     /**< open the files behind it, for pages that it has not touched */
	unsigned needs; /**< what must be known of the regions besides what the choice needs: enum
	                   region_needs bits */
};

/** Memory that can be read. */
struct memory {
	const volatile sig_atomic_t *cancel; /**< Ctrl-C; or NULL */
	struct target target;                /**< a living process, or the path of a core file */
	struct loaded loaded; /**< the regions; of a process they are read from smaps: VmFlags tell
	                         what may be read, and how */
	bool classified;      /**< it is known what the regions are for */
	struct pm_core *core; /**< the core file, NULL for a process */
	struct pm_stop *stop; /**< the stop in progress, NULL for none */
	uint64_t stopped_ns;  /**< how long it was stopped, once it runs again */
	size_t threads;       /**< how many threads that were */
	struct pm_region_range *ranges; /**< what was chosen; owned */
	size_t count;                   /**< how many */
	struct pm_pagemap *pagemap;     /**< page states of a process */
	struct pm_page_source pages;    /**< page states of either */
	struct pm_reader reader;        /**< its bytes */
	struct pm_reader
		files; /**< the files behind it, if they are wanted: `ops` is NULL otherwise */
	struct pm_unreadable_list unreadable; /**< what could not be read */
};

/**
 * Opens the memory of a target, stops it if that is wanted, and finds the chosen ranges.
 *
 * @param memory     zeroed but for `cancel`; filled; release with memory_close(), also where this
 * fails
 * @param word       the TARGET; must outlive the memory
 * @param selection  the choice, its REGION words added already
 * @param options    how
 * @param error      any
 * @return           1: ready; 0: nothing fits the choice, and the error says so; -1: an error
 */
int memory_open(struct memory *memory, const char *word, const struct selection *selection,
                const struct memory_options *options, struct pm_error *error);

/**
 * Lets a stopped target run on: all is read.
 * @param memory the memory
 */
void memory_resume(struct memory *memory);

/**
 * Finds out what the regions are for, if that is not known yet.
 * @param memory of a process that runs
 * @param error any
 * @return 0 or -1
 */
int memory_classify(struct memory *memory, struct pm_error *error);

/**
 * Releases everything.
 * @param memory as filled
 */
void memory_close(struct memory *memory);

/**
 * Sum of the chosen ranges.
 * @param memory the memory
 * @return bytes
 */
uint64_t memory_size(const struct memory *memory);

/**
 * Bytes of the chosen ranges below an address: how far something has come.
 * @param memory the memory
 * @param address it
 * @return bytes
 */
uint64_t memory_size_before(const struct memory *memory, uint64_t address);

/**
 * Notes as lacking what was named by its address and is not mapped.
 * @param memory the memory
 */
void memory_note_unmapped(struct memory *memory);

/**
 * A pm_unreadable_visitor that notes what unreadable.
 * @param memory the struct memory
 * @param range the bytes
 */
void memory_note_unreadable(void *memory, const struct pm_unreadable *range);

#endif
