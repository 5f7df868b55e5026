/* SPDX-License-Identifier: MIT */
/** @file Finds symbols of a mapped file by their names. Private. */
#ifndef PM_SYMBOLS_SYMBOL_VALUES_H
#define PM_SYMBOLS_SYMBOL_VALUES_H

#include <procmem/process.h>
#include <procmem/region.h>

/** Maximum number of names of one search. */
enum { PM_SYMBOL_VALUES_MAX = 64 };

/** A symbol that is searched for. */
struct pm_symbol_value {
	const char *name; /**< the name as in the file */
	uint64_t address; /**< address in the process; 0 if the symbol was not found */
	uint64_t size;    /**< size in bytes; 0 if not known */
};

/**
 * Finds symbols in .symtab and .dynsym of a mapped file. If names are missing and the file has no
 * .symtab, the file with its debug information is searched, too.
 *
 * @param process      the living process
 * @param regions      all regions of the process
 * @param region       one of these regions, which maps the file
 * @param values       the names; receives addresses and sizes
 * @param count        number of elements of `values`, at most PM_SYMBOL_VALUES_MAX
 * @param deadline_ns  CLOCK_MONOTONIC: when to stop; what was found so far is kept
 */
void pm_symbol_values_find(struct pm_process *process, const struct pm_regions *regions,
                           const struct pm_region *region, struct pm_symbol_value *values,
                           size_t count, uint64_t deadline_ns);

#endif
