/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The heap of CPython 3.8 to 3.13, read from outside: arenas, pools and blocks of its allocator
 * pymalloc, and the objects in them by type.
 *
 * pymalloc has all blocks of at most PM_PYTHON_BLOCK_MAX bytes. Larger blocks are chunks of malloc,
 * such as the tables of large dicts and lists, and are not counted here. Nothing is called in the
 * target, and only pages that are present are read. The sources of the layouts are
 * Objects/obmalloc.c, Include/internal/pycore_obmalloc.h, pycore_gc.h and Include/cpython/object.h
 * of these versions of CPython.
 */
#ifndef PROCMEM_PYTHON_HEAP_H
#define PROCMEM_PYTHON_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/runtimes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum size of a block of pymalloc in bytes. */
#define PM_PYTHON_BLOCK_MAX 512

/** Number of size classes: blocks have 16, 32, ... 512 bytes. */
#define PM_PYTHON_CLASSES 32

/** The pools of a size class. */
struct pm_python_class {
	uint32_t size;  /**< bytes of a block */
	uint64_t pools; /**< number of pools with blocks in use */
	uint64_t count; /**< number of blocks in use */
	uint64_t free;  /**< number of free blocks in these pools */
};

/** The heap of CPython. All memory belongs to this structure. */
struct pm_python_heap {
	char version[PM_RUNTIME_TEXT_SIZE]; /**< as pm_runtime_info.version; can contain any bytes
	                                     */
	char variant[PM_RUNTIME_TEXT_SIZE]; /**< as pm_runtime_info.variant */
	char missing[PM_RUNTIME_TEXT_SIZE]; /**< as pm_runtime_info.missing */
	bool complete;       /**< all pools were read, and none changed while it was read */
	uint32_t arena_size; /**< bytes of an arena: 1 MiB or 256 KiB; 0 if there are none */
	uint32_t pool_size;  /**< bytes of a pool: 16 KiB or 4 KiB; 0 if there are none */
	uint64_t arenas;     /**< number of arenas */
	uint64_t pools;      /**< number of pools with blocks in use */
	uint64_t pools_free; /**< number of pools without blocks in use */
	uint64_t in_use;     /**< bytes of the blocks in use */
	/** Bytes of free blocks in pools with blocks in use, and of pools without */
	uint64_t free;
	uint64_t blocks;                                   /**< number of blocks in use */
	struct pm_python_class classes[PM_PYTHON_CLASSES]; /**< by ascending size */
	/** Types of the objects in blocks, by descending bytes, then by name. Each name occurs once
	 */
	struct pm_runtime_type *types;
	size_t type_count;    /**< number of elements of `types` */
	bool types_known;     /**< the types of objects were read */
	uint64_t other;       /**< number of blocks in use that are not objects, such as tables */
	uint64_t other_bytes; /**< bytes of these blocks */
};

/**
 * Reads the heap of CPython.
 *
 * @param source  where to read
 * @param heap    receives the heap, or NULL if there is no CPython in the target; release with
 *                pm_python_heap_close()
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
PM_PUBLIC int pm_python_heap_open(const struct pm_runtimes_source *source,
                                  struct pm_python_heap **heap, struct pm_error *error);

/**
 * Releases what pm_python_heap_open() returned.
 * @param heap  the heap; may be NULL
 */
PM_PUBLIC void pm_python_heap_close(struct pm_python_heap *heap);

/**
 * Finds a type by its name.
 *
 * @param heap  the heap
 * @param name  the name of the type
 * @return      the type; NULL if there is no object of such a type
 */
PM_PUBLIC const struct pm_runtime_type *pm_python_heap_type(const struct pm_python_heap *heap,
                                                            const char *name);

#ifdef __cplusplus
}
#endif

#endif
