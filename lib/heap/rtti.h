/* SPDX-License-Identifier: MIT */
/** @file The name of a C++ class, from the type information that its vtable refers to. Private. */
#ifndef PM_HEAP_RTTI_H
#define PM_HEAP_RTTI_H

#include "heap/address_map.h"
#include "heap/window.h"

/** Where type information is read. */
struct pm_rtti {
	struct pm_address_map *map;    /**< what addresses point to */
	struct pm_heap_window *window; /**< reads the memory of the target */
	struct pm_reader *files;       /**< reads mapped files; may be NULL */
};

/**
 * Finds the class of a vtable. All that is read is checked: the shape of the vtable and of the type
 * information, the kinds of memory that the pointers point to, and the name.
 *
 * @param vtable  address that objects of the class contain
 * @param name    receives the NUL-terminated demangled name
 * @param size    size of `name` in bytes
 * @return        1; 0 if this is not a vtable with type information, or if it cannot be read; -1
 *                with PM_ERROR_GONE or PM_ERROR_CANCELLED
 */
int pm_rtti_find(const struct pm_rtti *rtti, uint64_t vtable, char *name, size_t size,
                 struct pm_error *error);

#endif
