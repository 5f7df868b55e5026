/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finding the file that has the symbols of a mapped program: the mapped file itself, that of its
 * name, or the one with its debug information. One that is not known to be of the very program that
 * is mapped is not used. Private.
 */
#ifndef PM_SYMBOLS_SYMBOL_FILES_H
#define PM_SYMBOLS_SYMBOL_FILES_H

#include <procmem/core.h>
#include <procmem/process.h>
#include <procmem/region.h>

#include "symbols/elf_symbols.h"

/** Where programs are mapped, and where files are looked for. */
struct pm_symbol_source {
	struct pm_process *process; /**< the living process, NULL for a core file */
	struct pm_core *core;       /**< the core file, NULL for a living process */
	const char *root; /**< of a core file: the folder that stands for its root directory */
};

/**
 * Reads the symbols of the program that a region is mapped from. Of a living process the mapped
 * file is known by its inode; of a core file the build ID in its memory tells which file fits.
 *
 * @param source   the target
 * @param regions  all its regions
 * @param region   one of them, of a file
 * @param symbols  all zeros; filled as far as there are any; release with pm_elf_symbols_deinit(),
 * also where this fails
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_symbol_files_read(const struct pm_symbol_source *source, const struct pm_regions *regions,
                         const struct pm_region *region, struct pm_elf_symbols *symbols,
                         struct pm_error *error);

/**
 * Whether two regions are mapped from the same file.
 * @return true or false
 */
bool pm_symbol_files_same(const struct pm_symbol_source *source, const struct pm_region *one,
                          const struct pm_region *other);

/**
 * Whether a region is mapped from a file that may have symbols.
 * @return true or false
 */
bool pm_symbol_files_maps_file(const struct pm_symbol_source *source,
                               const struct pm_region *region);

#endif
