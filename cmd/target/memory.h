/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The memory of a target, opened for reading. The target is a live process, stopped or not, or
 * a core file. All commands that read memory use this.
 */
#ifndef CMD_TARGET_MEMORY_H
#define CMD_TARGET_MEMORY_H

#include <signal.h>

#include <procmem/core.h>
#include <procmem/heap.h>
#include <procmem/pagemap.h>
#include <procmem/stop.h>
#include <procmem/unit_read.h>

#include "target/regions_load.h"
#include "target/selection.h"
#include "target/stopping.h"
#include "target/target.h"
#include "target/unreadable.h"

/**
 * Options of memory_open(). If zeroed, the process is not stopped, and no mapped files are opened.
 */
struct memory_options {
	bool stop;  /**< stop the process until memory_resume() */
	bool quiet; /**< print no notes on kinds and names that match no region */
	bool files; /**< open the mapped files, for pages that the process has not touched */
	bool heap; /**< the heap will be read: fill memory.hint and memory.linked before the stop */
	/** Called before `stop` stops a process, but not if the session holds the process stopped
	 * already; NULL to call nothing. If it returns -1 and an error, the process is not stopped
	 */
	int (*before_stop)(void *context, struct pm_process *process, struct pm_error *error);
	void *context;  /**< passed to before_stop() */
	unsigned needs; /**< enum region_needs bits of what must be known about the regions, in
	                        addition to the needs of the selection */
};

/** Result of memory_open(). */
enum memory_status {
	MEMORY_FAILED = -1, /**< an error */
	MEMORY_NOTHING,     /**< no region matches the selection */
	MEMORY_READY,       /**< the memory can be read */
};

/** Memory that can be read. */
struct memory {
	const volatile sig_atomic_t *cancel; /**< non-zero after Ctrl-C; NULL if there is no flag */
	/** Start time that the process must have, in clock ticks since boot; 0 for any process */
	uint64_t start_ticks;
	struct target target; /**< a living process, or the path of a core file */
	struct loaded loaded; /**< the regions; for a process, they are read from smaps, because the
	                         VmFlags in it determine which regions can be read, and how */
	bool classified;      /**< the kinds of the regions are known */
	struct pm_core *core; /**< the core file, NULL for a process */
	struct pm_stop *stop; /**< the stop in progress; NULL if the target is not stopped */
	bool was_stopped;     /**< a signal had stopped the process (state T) before `stop` began */
	uint64_t stopped_ns;  /**< duration of the stop in nanoseconds, once the stop has ended */
	size_t threads;       /**< number of stopped threads */
	struct pm_heap_hint hint; /**< what was found before the stop, if `heap` is set */
	enum pm_heap_allocator
		linked; /**< an allocator that is part of the program, if `heap` is set */
	struct stopping_others others;  /**< processes that can change the memory during the stop */
	struct pm_region_range *ranges; /**< the selected ranges; owned */
	size_t count;                   /**< number of ranges */
	struct pm_pagemap *pagemap;     /**< page states of the process; NULL for a core file */
	struct pm_page_source pages;    /**< source of the page states for plans */
	struct pm_reader reader;        /**< reads the bytes of the target */
	struct pm_reader files; /**< reads the mapped files; if not opened, its `ops` is NULL */
	struct pm_unreadable_list unreadable; /**< ranges that could not be read */
	uint64_t cut; /**< bytes of the selected ranges that are missing because the core file is
	                 truncated; set by memory_note_cut() */
};

/**
 * Opens the memory of a target, stops the target if requested, and finds the selected ranges.
 *
 * @param memory     zeroed except `cancel` and `start_ticks`; filled; release with memory_close(),
 * even on failure
 * @param word       the TARGET; must outlive the memory
 * @param selection  the selection, with its REGION words
 * @param options    the options
 * @param error      any; also set if no region matches the selection
 * @return           the result
 */
enum memory_status memory_open(struct memory *memory, const char *word,
                               const struct selection *selection,
                               const struct memory_options *options, struct pm_error *error);

/**
 * Ends the stop of the target, if any.
 * @param memory  the memory
 */
void memory_resume(struct memory *memory);

/**
 * Tests whether a result can be better if the target is stopped again: a thread may have been
 * inside malloc. The memory must be stopped by this command, and the target must be able to run in
 * between.
 *
 * @param memory  the memory
 * @return        true if another stop can help
 */
bool memory_may_stop_again(const struct memory *memory);

/**
 * Ends the stop, waits until the threads of the target have run, and closes the memory, so that it
 * can be opened again. `cancel` and `start_ticks` stay.
 *
 * @param memory  the memory; zeroed except `cancel` and `start_ticks`
 * @param ns      the duration of the stop is added to it, in nanoseconds
 * @return        false if a thread of the target has not run
 */
bool memory_reopen(struct memory *memory, uint64_t *ns);

/**
 * Classifies the regions, unless they are classified already.
 * @param memory  the memory; a stop of the target must have ended
 * @param error   any
 * @return        0 or -1
 */
int memory_classify(struct memory *memory, struct pm_error *error);

/**
 * Closes the memory.
 * @param memory  the memory, as filled by memory_open()
 */
void memory_close(struct memory *memory);

/**
 * Returns the sum of the sizes of the selected ranges.
 * @param memory  the memory
 * @return        bytes
 */
uint64_t memory_size(const struct memory *memory);

/**
 * Returns the number of selected bytes below an address, for the progress.
 * @param memory   the memory
 * @param address  the address
 * @return         bytes
 */
uint64_t memory_size_before(const struct memory *memory, uint64_t address);

/**
 * Finds the parts of the selected ranges where nothing is mapped, and adds these parts to the list
 * of unreadable ranges.
 * @param memory  the memory
 */
void memory_note_unmapped(struct memory *memory);

/**
 * Finds the parts of the selected ranges that are missing because the core file is truncated. Adds
 * these parts to the list of unreadable ranges, and their sizes to `cut`.
 * @param memory  the memory
 */
void memory_note_cut(struct memory *memory);

/**
 * Reports that a core file is truncated, and how much of the memory of the process is missing.
 * @param core  a truncated core file
 * @param word  the TARGET
 */
void memory_report_truncated(const struct pm_core *core, const char *word);

/**
 * Adds a range to the list of unreadable ranges. This is a pm_unreadable_visitor.
 * @param memory  the struct memory
 * @param range   the range
 */
void memory_note_unreadable(void *memory, const struct pm_unreadable *range);

#endif
