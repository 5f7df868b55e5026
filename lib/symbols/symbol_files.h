/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the file that contains the symbols of a mapped program: the mapped file itself, for a core
 * file the file that now has the name of the mapped file, or the file with its debug information. A
 * file is used only if its inode or build ID shows that it belongs to the mapped program. Private.
 */
#ifndef PM_SYMBOLS_SYMBOL_FILES_H
#define PM_SYMBOLS_SYMBOL_FILES_H

#include <procmem/core.h>
#include <procmem/process.h>
#include <procmem/region.h>

#include "symbols/elf_symbols.h"

/** A target, and the directory in which the files that it maps are found. */
struct pm_symbol_source {
	struct pm_process *process; /**< the living process; NULL if the target is a core file */
	struct pm_core *core;       /**< the core file; NULL if the target is a living process */
	/** Only for a core file: prefix of all paths, such as the copy of a root directory */
	const char *root;
};

/**
 * Reads the symbols of the program that a region is mapped from. In a living process, the file is
 * identified by its inode. For a core file, it is identified by the build ID in the memory of the
 * core file.
 *
 * @param source   the target
 * @param regions  all regions of the target
 * @param region   one of these regions, which maps a file
 * @param symbols  must be all zeros; receives the symbols if there are any; release with
 *                 pm_elf_symbols_deinit(), also after a failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_symbol_files_read(const struct pm_symbol_source *source, const struct pm_regions *regions,
                         const struct pm_region *region, struct pm_elf_symbols *symbols,
                         struct pm_error *error);

/**
 * Opens the file with the debug information of a program, in the file system of a living process.
 *
 * @param process  the process
 * @param id       build ID of the program; must be known
 * @return         a descriptor, or -1 if there is no such file
 */
int pm_symbol_files_open_debug(struct pm_process *process, const struct pm_build_id *id);

/** Tests whether two regions are mapped from the same file. */
bool pm_symbol_files_same(const struct pm_symbol_source *source, const struct pm_region *one,
                          const struct pm_region *other);

/** Tests whether a region is mapped from a file that may have symbols. */
bool pm_symbol_files_maps_file(const struct pm_symbol_source *source,
                               const struct pm_region *region);

#endif
