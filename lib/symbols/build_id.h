/* SPDX-License-Identifier: MIT */
/**
 * @file Build IDs: what linkers put into a program so that it can be told from others of its name
 * (NT_GNU_BUILD_ID). Private.
 */
#ifndef PM_SYMBOLS_BUILD_ID_H
#define PM_SYMBOLS_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

/** Most bytes that one may have; 20 are usual (SHA-1). */
enum { PM_BUILD_ID_MAX = 64 };

/** Room for the path of a file with debug information: each byte is two digits. */
enum {
	PM_BUILD_ID_PATH_SIZE = sizeof "/usr/lib/debug/.build-id//.debug" +
	                        (size_t)2 * PM_BUILD_ID_MAX
};

/** A build ID. */
struct pm_build_id {
	uint8_t bytes[PM_BUILD_ID_MAX];
	size_t size; /**< bytes of it, 0 for none */
};

/**
 * Finds that of a program, in its notes.
 * @param elf the program, or its first bytes
 * @param id filled
 */
void pm_build_id_find(Elf *elf, struct pm_build_id *id);

/**
 * Whether both are known and the same.
 * @return true or false
 */
bool pm_build_id_fits(const struct pm_build_id *one, const struct pm_build_id *other);

/**
 * The absolute path of the file with its debug information, where distributions put it.
 * @param id it, known
 * @param path gets the path
 */
void pm_build_id_path(const struct pm_build_id *id, char path[PM_BUILD_ID_PATH_SIZE]);

#endif
