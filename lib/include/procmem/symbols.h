/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which function or variable an address belongs to, by the symbol tables of the mapped ELF files (elf(5)).
 *
 * The files are those that the process has mapped, wherever it sees them (another root directory, a deleted file), not those of the same
 * name here. `.symtab` is used where a file still has it, else `.dynsym`; debug information in files of its own is not looked for.
 */
#ifndef PROCMEM_SYMBOLS_H
#define PROCMEM_SYMBOLS_H

#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The symbols of a process; opaque. One thread at a time may use it. Each file is read when an address in it is asked for first. */
struct pm_symbols;

/** A symbol that holds an address, or that is the next below it. */
struct pm_symbol {
	const char *name;   /**< as in the file, any bytes; valid until pm_symbols_close() */
	const char *object; /**< mapping of the file; valid as long as the regions */
	uint64_t offset;    /**< of the address from the symbol's begin, in bytes */
	uint64_t size;      /**< bytes of the symbol, 0 where the file does not say */
};

/**
 * Prepares the search for symbols; no file is opened yet.
 *
 * @param process  the living process; must outlive the symbols
 * @param regions  its regions; must outlive the symbols
 * @param symbols  where to store them; release with pm_symbols_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_symbols_open(struct pm_process *process, const struct pm_regions *regions, struct pm_symbols **symbols,
                              struct pm_error *error);

/** Releases symbols. @param symbols they, or NULL */
PM_PUBLIC void pm_symbols_close(struct pm_symbols *symbols);

/**
 * Finds the symbol of an address. Of several at the same place a global one is preferred to a weak one, and that to a local one.
 *
 * @param symbols  the symbols
 * @param address  any address
 * @param symbol   filled where there is one
 * @param error    PM_ERROR_RESOURCES
 * @return         1: found; 0: the address is in no file's code or data, the file cannot be opened or has no symbol there; -1: an error
 */
PM_PUBLIC int pm_symbols_find(struct pm_symbols *symbols, uint64_t address, struct pm_symbol *symbol, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
