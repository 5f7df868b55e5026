/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which function or variable an address belongs to, by the symbol tables of the mapped ELF files
 * (elf(5)).
 *
 * Of a living process the files are those that it has mapped, wherever it sees them (another root
 * directory, a deleted file), not those of the same name here. A core file tells names; a file of
 * that name is used if it has the build ID that stands in the memory of the core file; programs
 * that the file does not hold have symbols, too, if it holds their first page.
 * `.symtab` is used where a file still has it; else that of the file with debug information,
 * `/usr/lib/debug/.build-id/xx/yyyy.debug` below the root directory of the process, if it has the
 * same build ID; else `.dynsym`. A file that may be another one has no symbols: none is better than
 * a wrong one. Names are as in the file: those of C++ are mangled.
 */
#ifndef PROCMEM_SYMBOLS_H
#define PROCMEM_SYMBOLS_H

#include <stdint.h>

#include <procmem/core.h>
#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The symbols of a process or core file; opaque. One thread at a time may use it. Each file is read
 * when an address in it is asked for first.
 */
struct pm_symbols;

/** A symbol that holds an address, or that is the next below it. */
struct pm_symbol {
	const char *name;   /**< as in the file, any bytes; valid until pm_symbols_close() */
	const char *object; /**< mapping of the file; valid until pm_symbols_close(), of a living
	                       process as long as its regions */
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
PM_PUBLIC int pm_symbols_open(struct pm_process *process, const struct pm_regions *regions,
                              struct pm_symbols **symbols, struct pm_error *error);

/**
 * Prepares the search for symbols in a core file; no file is opened yet.
 *
 * @param core     the core file; must outlive the symbols
 * @param root     folder below which the files are that the process had, as gdb's sysroot; NULL:
 * the root directory
 * @param regions  its regions, as pm_core_regions() gives them; must outlive the symbols
 * @param symbols  where to store them; release with pm_symbols_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_symbols_open_core(struct pm_core *core, const char *root,
                                   const struct pm_regions *regions, struct pm_symbols **symbols,
                                   struct pm_error *error);

/**
 * Releases symbols.
 * @param symbols they, or NULL
 */
PM_PUBLIC void pm_symbols_close(struct pm_symbols *symbols);

/**
 * Finds the symbol of an address. Of several at the same place a global one is preferred to a weak
 * one, and that to a local one.
 *
 * @param symbols  the symbols
 * @param address  any address
 * @param symbol   filled where there is one
 * @param error    PM_ERROR_RESOURCES
 * @return         1: found; 0: the address is in no file's code or data, no file fits, or none has
 * a symbol there; -1: an error
 */
PM_PUBLIC int pm_symbols_find(struct pm_symbols *symbols, uint64_t address,
                              struct pm_symbol *symbol, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
