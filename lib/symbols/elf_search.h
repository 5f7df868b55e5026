/* SPDX-License-Identifier: MIT */
/** @file Searches the symbol tables of a file for a few names. Private. */
#ifndef PM_SYMBOLS_ELF_SEARCH_H
#define PM_SYMBOLS_ELF_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbol_values.h"

/** What to search for. */
struct pm_elf_search {
	/** The names; receives addresses, without the load bias, and sizes. A name that is not
	 * found, or whose `address` is not 0, is unchanged */
	struct pm_symbol_value *values;
	size_t count;         /**< number of elements of `values`, at most PM_SYMBOL_VALUES_MAX */
	bool functions;       /**< only functions */
	uint64_t deadline_ns; /**< CLOCK_MONOTONIC: when to stop; what was found so far is kept */
};

/**
 * Searches .symtab, then .dynsym, for symbols that the file defines. Thread-local variables are
 * not found. The tables are read in parts, so the search needs little memory.
 *
 * @param fd      descriptor of the file; remains owned by the caller
 * @param search  what to search for
 * @return        whether the file has a .symtab
 */
bool pm_elf_search(int fd, const struct pm_elf_search *search);

#endif
