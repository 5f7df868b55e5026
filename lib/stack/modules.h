/* SPDX-License-Identifier: MIT */
/** @file The files with code that the target has mapped. Private. */
#ifndef PM_STACK_MODULES_H
#define PM_STACK_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/process.h>
#include <procmem/region.h>

#include "stack/protocol.h"

/** A mapped file. */
struct pm_module_file {
	struct pm_stack_module module; /**< its addresses and number */
	struct pm_region region;       /**< its first region; `mapping` is owned */
};

/** The mapped files by ascending address; none if zeroed. */
struct pm_modules {
	struct pm_module_file *items; /**< the files */
	size_t count;                 /**< number of files */
	size_t capacity;              /**< number of allocated items */
	uint32_t next_number;         /**< number of the next new file */
};

/** What pm_modules_read() has found. */
struct pm_modules_change {
	bool added;   /**< there are new files */
	bool removed; /**< files are no longer mapped */
};

/**
 * Reads the list of mapped files from maps. Files that were in the list before keep their numbers.
 * @param process  the target; also after it has called exec
 * @param old      the list before
 * @param modules  receives the list; release with pm_modules_deinit()
 * @param change   receives the differences
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_GONE, PM_ERROR_ACCESS
 * @return         0 or -1
 */
int pm_modules_read(struct pm_process *process, const struct pm_modules *old,
                    struct pm_modules *modules, struct pm_modules_change *change,
                    struct pm_error *error);

/**
 * Finds the file that contains an address.
 * @param modules  the list
 * @param address  the address
 * @return         the file, or NULL
 */
const struct pm_module_file *pm_modules_at(const struct pm_modules *modules, uint64_t address);

/**
 * Finds a file by its number.
 * @param modules  the list
 * @param number   the number
 * @return         the file, or NULL
 */
const struct pm_module_file *pm_modules_get(const struct pm_modules *modules, uint32_t number);

/**
 * Releases a list.
 * @param modules  empty afterwards
 */
void pm_modules_deinit(struct pm_modules *modules);

#endif
