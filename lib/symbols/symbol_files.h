/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finding the file that contains the symbols of a mapped program: the mapped file, the file that
 * has its name now, or the file with its debug information. A file is used only if it certainly
 * belongs to the mapped program. Private.
 */
#ifndef PM_SYMBOLS_SYMBOL_FILES_H
#define PM_SYMBOLS_SYMBOL_FILES_H

#include <procmem/core.h>
#include <procmem/process.h>
#include <procmem/region.h>

#include "symbols/elf_symbols.h"

/** The target that maps programs, and where to find their files. */
struct pm_symbol_source {
	struct pm_process *process; /**< the living process, NULL for a core file */
	struct pm_core *core;       /**< the core file, NULL for a living process */
	const char *root;           /**< for a core file: directory to use as the root directory */
};

/**
 * Reads the symbols of the program that a region is mapped from. The file of a living process is
 * identified by its inode, and that of a core file by the build ID in its memory.
 *
 * @param source   the target
 * @param regions  all regions of the target
 * @param region   one of these regions, which maps a file
 * @param symbols  must be all zeros; filled if there are symbols; release with
 *                 pm_elf_symbols_deinit(), also after a failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_symbol_files_read(const struct pm_symbol_source *source, const struct pm_regions *regions,
                         const struct pm_region *region, struct pm_elf_symbols *symbols,
                         struct pm_error *error);

/** Tests whether two regions are mapped from the same file. */
bool pm_symbol_files_same(const struct pm_symbol_source *source, const struct pm_region *one,
                          const struct pm_region *other);

/** Tests whether a region is mapped from a file that may have symbols. */
bool pm_symbol_files_maps_file(const struct pm_symbol_source *source,
                               const struct pm_region *region);

#endif
