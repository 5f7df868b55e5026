/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The program or library that contains CPython: which it is, and what its data says about the
 * interpreter. Private.
 */
#ifndef PM_RUNTIMES_PYTHON_MODULE_H
#define PM_RUNTIMES_PYTHON_MODULE_H

#include "runtimes/context.h"
#include "runtimes/python_arenas.h"

/** What the data of CPython says. */
struct pm_python_module {
	const struct pm_region *file; /**< a region of the file; NULL if there is no CPython */
	char version[PM_RUNTIME_TEXT_SIZE]; /**< such as "3.11.2", or "3.8"; "" if not known */
	unsigned minor;                     /**< 11 for 3.11; 0 if not known */
	bool free_threaded;                 /**< objects are in mimalloc */
	bool has_text;                      /**< the interpreter has made its version text */
	struct pm_python_arenas arenas;     /**< the arenas; owned */
	char proof[PM_RUNTIME_TEXT_SIZE];   /**< how the arenas were found */
	bool complete;                      /**< all of the data was read */
};

/**
 * Finds CPython, and reads its data.
 *
 * @param context  the context
 * @param module   receives the result; release with pm_python_module_deinit()
 */
void pm_python_module_read(struct pm_runtimes_context *context, struct pm_python_module *module);

/** Releases what pm_python_module_read() allocated. */
void pm_python_module_deinit(struct pm_python_module *module);

#endif
