/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the function or variable to which an address belongs. The symbol tables of the mapped ELF
 * files are used (elf(5)).
 *
 * For a living process, the mapped files themselves are read, even if they were deleted or are
 * below another root directory. A core file contains only the names of the mapped files. A file
 * with such a name is used only if it has the same build ID as the memory in the core file. So the
 * core file must contain the first page of the program or library, where the build ID is.
 *
 * The symbols are those of the first of these tables that exists:
 * - `.symtab` of the file
 * - `.symtab` of the file with debug information, `/usr/lib/debug/.build-id/xx/yyyy.debug` below
 *   the root directory of the process, if this file has the same build ID as the mapped file
 * - `.dynsym` of the file
 *
 * A file that may be of another program is not used: it is better to find no symbol than a wrong
 * symbol. Names of symbols are returned as they are in the file, so the names of C++ symbols are
 * mangled.
 */
#ifndef PROCMEM_SYMBOLS_H
#define PROCMEM_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/core.h>
#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The symbols of a process or core file; opaque. Only one thread at a time may use it. The symbols
 * of a file are read when pm_symbols_find() is called for the first time with an address in this
 * file.
 */
struct pm_symbols;

/**
 * The symbol to which an address belongs. The symbol contains the address or, if the size of the
 * symbol is unknown, is the nearest symbol at or below the address.
 */
struct pm_symbol {
	const char *name;   /**< name as in the file, which may contain any bytes; valid until
	                       pm_symbols_close() */
	const char *object; /**< name of the mapped file (pm_region.mapping); valid as long as the
	                       regions */
	uint64_t offset;    /**< distance of the address from the start of the symbol, in bytes */
	uint64_t size; /**< size of the symbol in bytes; 0 if the file does not contain the size */
	/** Whether the symbol is local to a source file, such as a static variable (STB_LOCAL) */
	bool local;
};

/**
 * Prepares the search for symbols; no file is opened yet.
 *
 * @param process  the living process; must outlive the symbols
 * @param regions  the regions of the process; must outlive the symbols
 * @param symbols  receives the handle; release it with pm_symbols_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_symbols_open(struct pm_process *process, const struct pm_regions *regions,
                              struct pm_symbols **symbols, struct pm_error *error);

/**
 * Prepares the search for symbols in a core file; no file is opened yet.
 *
 * @param core     the core file; must outlive the symbols
 * @param root     directory that contains the files of the process, like the sysroot of gdb; NULL
 *                 means the root directory
 * @param regions  the regions of the core file, from pm_core_regions(); must outlive the symbols
 * @param symbols  receives the handle; release it with pm_symbols_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_symbols_open_core(struct pm_core *core, const char *root,
                                   const struct pm_regions *regions, struct pm_symbols **symbols,
                                   struct pm_error *error);

/**
 * Releases symbols.
 * @param symbols  the symbols; may be NULL
 */
PM_PUBLIC void pm_symbols_close(struct pm_symbols *symbols);

/**
 * Finds the symbol to which an address belongs. If several symbols have the same address, a global
 * symbol is preferred to a weak symbol, and a weak symbol to a local symbol.
 *
 * @param symbols  the symbols
 * @param address  any address
 * @param symbol   receives the symbol; unchanged if none was found
 * @param error    PM_ERROR_RESOURCES
 * @return         1 if a symbol was found; -1 on an error; 0 if there is none: the address is not
 *                 in the code or data of a file, the file cannot be identified, or the file has no
 *                 symbol for the address
 */
PM_PUBLIC int pm_symbols_find(struct pm_symbols *symbols, uint64_t address,
                              struct pm_symbol *symbol, struct pm_error *error);

/**
 * Finds the program or library to whose code or data an address belongs, also if there is no symbol
 * for the address.
 *
 * @param symbols  the symbols
 * @param address  any address
 * @param object   receives the name of the mapped file (pm_region.mapping)
 * @param error    PM_ERROR_RESOURCES
 * @return         1 if the address belongs to a program or library; 0 if not, or if its file cannot
 *                 be identified; -1 on an error
 */
PM_PUBLIC int pm_symbols_find_object(struct pm_symbols *symbols, uint64_t address,
                                     const char **object, struct pm_error *error);

/**
 * Finds a thread-local variable of the program of a living process. The thread-local variables of
 * the program are directly below the thread pointer (x86-64: fs_base). The variables of libraries
 * are not found.
 *
 * @param symbols   the symbols
 * @param distance  distance of the address from the thread pointer: thread pointer - address
 * @param symbol    receives the symbol; if the address belongs to the thread-local data of the
 *                  program, but to no variable, a symbol with the name "" and the size 0
 * @param error     PM_ERROR_RESOURCES
 * @return          1 if the address belongs to the thread-local data of the program; 0 if not, or
 *                  if the file of the program cannot be identified; -1 on an error
 */
PM_PUBLIC int pm_symbols_find_thread_local(struct pm_symbols *symbols, uint64_t distance,
                                           struct pm_symbol *symbol, struct pm_error *error);

/** Sizes of thread-local data in bytes, each rounded up to its alignment. */
struct pm_thread_local_sizes {
	/** Data of the program: directly below the thread pointer of each thread */
	uint64_t program;
	/**
	 * Data of all libraries. Those of the libraries that were loaded with the program are
	 * directly below the data of the program
	 */
	uint64_t libraries;
};

/**
 * Returns the sizes of the thread-local data of a living process. Reads the symbols of all files
 * that are mapped as executable.
 *
 * @param symbols  the symbols
 * @param sizes    receives the sizes; 0 if there are none, or if the files cannot be identified
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_symbols_thread_local_sizes(struct pm_symbols *symbols,
                                            struct pm_thread_local_sizes *sizes,
                                            struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
