/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names of generated code: /tmp/perf-PID.map, which a runtime writes. Each line has a start and a
 * size in hexadecimal digits, and a name. The text is not trusted. Private.
 */
#ifndef PM_STACK_JIT_MAP_H
#define PM_STACK_JIT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** Maximum length of the file in bytes. A longer file is not read. */
enum { PM_JIT_MAP_MAX = 256 << 20 };

/** Maximum length of a name in bytes, without the NUL. Longer names are cut. */
enum { PM_JIT_NAME_MAX = 1023 };

/** The name of an address. */
struct pm_jit_name {
	uint64_t address; /**< the address */
	const char *name; /**< its name, in the text; NULL if it has none */
	size_t length;    /**< bytes of the name */
};

/**
 * Finds the names of addresses. If several lines contain an address, the last one is used: a
 * runtime appends lines when it generates code, also where it had other code before.
 *
 * @param text    the text of the file
 * @param length  its length in bytes
 * @param names   the addresses in ascending order, without duplicates; the names are filled in
 * @param count   number of addresses, at most UINT32_MAX - 1
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_jit_map_find(const char *text, size_t length, struct pm_jit_name *names, size_t count,
                    struct pm_error *error);

#endif
