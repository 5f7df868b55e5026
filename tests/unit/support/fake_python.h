/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A process that contains CPython, in fake memory: libpython, one arena of pymalloc, types and
 * objects. The structures are defined here independently of the library (Objects/obmalloc.c and
 * Include/cpython/object.h of CPython).
 */
#ifndef TESTS_SUPPORT_FAKE_PYTHON_H
#define TESTS_SUPPORT_FAKE_PYTHON_H

#include <procmem/python_heap.h>
#include <procmem/runtimes.h>

#include "reader/fake_reader.h"

enum {
	FAKE_PYTHON_DATA = 3 * 4096, /**< bytes of data of libpython */
	FAKE_PYTHON_HEAP = 4 * 4096, /**< bytes of malloc's heap */
	FAKE_PYTHON_ARRAY = 64,      /**< offset of the array of arenas in the heap */
	FAKE_PYTHON_ENTRIES = 16,    /**< entries of this array */
	FAKE_PYTHON_POINTER = 0x418, /**< offset of the pointer to the array in the data */
	FAKE_PYTHON_COUNT = 0x410,   /**< offset of the number of entries in the data */
	FAKE_PYTHON_TEXT = 0x20,     /**< offset of the version text in the data */
	FAKE_PYTHON_GC = 1 << 14,    /**< flag of types: their objects have a header */
	FAKE_PYTHON_DICT = 1 << 4,   /**< flag of types since 3.11: a managed dict */
	FAKE_PYTHON_STR = 1 << 28,   /**< flag of types: str */
};

/** Addresses. */
extern const uint64_t fake_python_data, fake_python_heap, fake_python_arena;

/** The process. */
struct fake_python {
	unsigned minor;                 /**< version */
	uint32_t arena_size, pool_size; /**< in bytes */
	uint64_t base;                  /**< address of the first pool */
	unsigned char *data;            /**< data of libpython; owned */
	unsigned char *heap;            /**< the heap of malloc; owned */
	unsigned char *arena;           /**< the bytes of the arena; owned */
	uint32_t pools;                 /**< number of pools so far */
	uint64_t metatype;              /**< address of `type` */
	uint64_t next_type;             /**< address of the next type */
	struct pm_region items[3];      /**< the regions */
	struct pm_regions regions;      /**< list of `items` */
	struct pm_fake_range ranges[3]; /**< the memory */
	struct pm_fake_target target;   /**< of `ranges` */
	struct pm_reader reader;        /**< of `target` */
};

/** Creates a process with CPython 3.MINOR, and an arena without pools. */
struct fake_python *fake_python_create(unsigned minor);

/** Releases a process. */
void fake_python_destroy(struct fake_python *fake);

/** Returns the byte at an address; the address must be in the process. */
unsigned char *fake_python_at(struct fake_python *fake, uint64_t address);

/** Stores a word. */
void fake_python_put(struct fake_python *fake, uint64_t address, uint64_t word);

/** Stores a number of 32 bits. */
void fake_python_put_u32(struct fake_python *fake, uint64_t address, uint32_t number);

/**
 * Adds a type.
 *
 * @param name       its name, at most 60 bytes
 * @param flags      FAKE_PYTHON_GC and similar
 * @param size       size of its objects
 * @param item_size  size of an item
 * @return           its address
 */
uint64_t fake_python_add_type(struct fake_python *fake, const char *name, uint64_t flags,
                              uint64_t size, uint64_t item_size);

/**
 * Adds a pool.
 *
 * @param size    bytes of a block
 * @param blocks  number of blocks that were ever used; all of them are in use
 * @return        its address
 */
uint64_t fake_python_add_pool(struct fake_python *fake, uint32_t size, uint32_t blocks);

/** Returns the address of a block. */
uint64_t fake_python_block(struct fake_python *fake, uint64_t pool, uint32_t index);

/** Frees a block. */
void fake_python_free(struct fake_python *fake, uint64_t pool, uint32_t index);

/**
 * Makes a block an object.
 *
 * @param before      bytes before the object
 * @param references  reference count
 */
void fake_python_put_object(struct fake_python *fake, uint64_t pool, uint32_t index, uint64_t type,
                            uint32_t before, uint64_t references);

/** Adds types, pools and objects of several sorts: see the test. */
void fake_python_fill(struct fake_python *fake);

/** Returns where the process is read from. */
struct pm_runtimes_source fake_python_source(struct fake_python *fake);

#endif
