/* SPDX-License-Identifier: MIT */
/** @file FILL elf_search.c */
#ifndef PM_SYMBOLS_ELF_SEARCH_H
#define PM_SYMBOLS_ELF_SEARCH_H

#include "symbols/elf_symbols.h"

/**
 * Adds the symbols of another file of the same program. Of equally known names for one place its
 * own stay those that are found.
 *
 * @param symbols  gets them
 * @param other    stays as it is
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_add(struct pm_elf_symbols *symbols, const struct pm_elf_symbols *other,
                       struct pm_error *error);

/**
 * Turns an offset in the file into the address there.
 * @return false where no segment loads it
 */
bool pm_elf_symbols_address(const struct pm_elf_symbols *symbols, uint64_t offset, uint64_t *value);

/**
 * The symbol that holds an address in the file, else one of unknown size next below it.
 * @return NULL for none
 */
const struct pm_elf_symbol *pm_elf_symbols_at(const struct pm_elf_symbols *symbols, uint64_t value);

/**
 * Releases them.
 * @param symbols all zeros afterwards
 */
void pm_elf_symbols_deinit(struct pm_elf_symbols *symbols);

/**
 * Puts them in the order in which they are found.
 * @param symbols as they were read
 */
void pm_elf_symbols_sort(struct pm_elf_symbols *symbols);

/**
 * The same for the zero-initialised part of a segment, which stands in no file but follows on what
 * does.
 *
 * @param mapped  offset at which the mapping begins that the part follows on
 * @param offset  where the address would stand in the file
 * @return        false where it belongs to no segment
 */
bool pm_elf_symbols_zeroed_address(const struct pm_elf_symbols *symbols, uint64_t mapped,
                                   uint64_t offset, uint64_t *value);

#endif
