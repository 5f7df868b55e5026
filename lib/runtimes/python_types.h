/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Type objects of CPython 3.8 to 3.13, checked and stored by their addresses. Private.
 */
#ifndef PM_RUNTIMES_PYTHON_TYPES_H
#define PM_RUNTIMES_PYTHON_TYPES_H

#include "runtimes/context.h"

/** Maximum length of the name of a type; longer ones are cut. */
enum { PM_PYTHON_NAME_MAX = 255 };

/** A type. */
struct pm_python_type {
	uint64_t address;   /**< of the type object; 0 if the entry of the table is empty */
	char *name;         /**< tp_name; NULL if there is no type at the address; owned */
	uint64_t size;      /**< tp_basicsize */
	uint64_t item_size; /**< tp_itemsize */
	/** Bytes before an object of the type: 0; 16 with garbage collection; 32 with a managed
	 * dict or weak references, too */
	uint32_t before;
	bool is_string; /**< str or a subclass: the size is not that of the type */
	bool is_inline; /**< values are stored after the object */
	uint64_t count; /**< number of objects */
	uint64_t bytes; /**< bytes of their blocks */
};

/** All types that were found, and addresses at which there is none. */
struct pm_python_types {
	unsigned minor;               /**< 11 for 3.11 */
	struct pm_python_type *items; /**< a hash table; owned */
	size_t capacity;              /**< elements of `items`: a power of 2, or 0 */
	size_t count;                 /**< used elements of `items` */
	uint64_t seed;                /**< of the hash */
};

/** Initialises the types. */
void pm_python_types_init(struct pm_python_types *types, unsigned minor);

/** Releases the types. */
void pm_python_types_deinit(struct pm_python_types *types);

/**
 * Finds the type at an address.
 *
 * @param context  the context; `failure` is set if memory is exhausted
 * @param types    the types
 * @param address  the address; anything
 * @return         the type, valid until the next call; NULL if there is no type
 */
struct pm_python_type *pm_python_types_find(struct pm_runtimes_context *context,
                                            struct pm_python_types *types, uint64_t address);

/**
 * Returns whether a word can be the reference count of an object that is in use. In 3.12 and 3.13,
 * immortal objects have 0xffffffff.
 */
bool pm_python_types_is_count(const struct pm_runtimes_context *context, uint64_t word);

#endif
