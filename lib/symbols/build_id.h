/* SPDX-License-Identifier: MIT */
/**
 * @file Build IDs (NT_GNU_BUILD_ID): the linker writes this unique identifier into each program.
 * Private.
 */
#ifndef PM_SYMBOLS_BUILD_ID_H
#define PM_SYMBOLS_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

/** Maximum length of a build ID in bytes; 20 are usual (SHA-1). */
enum { PM_BUILD_ID_MAX = 64 };

/**
 * Maximum size in bytes of the path of a file with debug information, with the NUL. The path
 * contains two digits for each byte of the build ID.
 */
enum {
	PM_BUILD_ID_PATH_SIZE = sizeof "/usr/lib/debug/.build-id//.debug" +
	                        (size_t)2 * PM_BUILD_ID_MAX
};

/** A build ID. */
struct pm_build_id {
	uint8_t bytes[PM_BUILD_ID_MAX];
	size_t size; /**< length in bytes; 0 if there is no build ID */
};

/**
 * Finds the build ID of a program in its notes.
 * @param elf  the program, or its first bytes
 * @param id   receives the build ID; all zeros if the program has none
 */
void pm_build_id_find(Elf *elf, struct pm_build_id *id);

/**
 * Tests whether two build IDs are known and equal.
 * @return true if both are known and equal; false if they differ or if one is unknown
 */
bool pm_build_id_fits(const struct pm_build_id *one, const struct pm_build_id *other);

/**
 * Formats the absolute path at which distributions install the debug information of a program.
 * @param id    build ID of the program; must be known
 * @param path  receives the path
 */
void pm_build_id_path(const struct pm_build_id *id, char path[PM_BUILD_ID_PATH_SIZE]);

#endif
