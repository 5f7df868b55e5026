/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Owners of memory: the part of a program that decides when memory is allocated and released, such
 * as the Java heap of HotSpot or malloc. The kind of a region (region.h) says what a region is for
 * the kernel and the C library; the owner says who manages the bytes in it. A region can have
 * several owners.
 */
#ifndef PROCMEM_OWNER_H
#define PROCMEM_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Owners of memory. Owners of one family (pm_owner_family()) are parts of the same runtime. */
enum pm_owner {
	PM_OWNER_UNKNOWN = 0,        /**< not known */
	PM_OWNER_MALLOC,             /**< malloc of the C library: native code */
	PM_OWNER_JEMALLOC,           /**< jemalloc */
	PM_OWNER_TCMALLOC,           /**< tcmalloc */
	PM_OWNER_MIMALLOC,           /**< mimalloc */
	PM_OWNER_STACK,              /**< stacks of threads */
	PM_OWNER_FILE,               /**< programs, libraries and other mapped files */
	PM_OWNER_SHARED,             /**< shared memory without a file on a disk */
	PM_OWNER_KERNEL,             /**< mapped by the kernel, and devices */
	PM_OWNER_CODE,               /**< generated code of a runtime that is not known */
	PM_OWNER_JAVA_HEAP,          /**< HotSpot: objects of Java */
	PM_OWNER_JAVA_METASPACE,     /**< HotSpot: metadata of classes, without the class space */
	PM_OWNER_JAVA_CLASS_SPACE,   /**< HotSpot: compressed class space */
	PM_OWNER_JAVA_CODE,          /**< HotSpot: code cache */
	PM_OWNER_JAVA_ARCHIVE,       /**< HotSpot: class data sharing (CDS) */
	PM_OWNER_JAVA_GC,            /**< HotSpot: data of the garbage collector */
	PM_OWNER_JAVA_COUNTERS,      /**< HotSpot: performance counters (hsperfdata) */
	PM_OWNER_JAVA_INTERNAL,      /**< HotSpot: other memory of the JVM itself */
	PM_OWNER_PYTHON_OBJECTS,     /**< CPython: pools of pymalloc */
	PM_OWNER_PYTHON_INTERNAL,    /**< CPython: other memory of the interpreter */
	PM_OWNER_V8_HEAP,            /**< V8: objects of JavaScript */
	PM_OWNER_V8_CODE,            /**< V8: generated code */
	PM_OWNER_V8_INTERNAL,        /**< V8: other memory of the engine */
	PM_OWNER_CHROMIUM_PARTITION, /**< Chromium: PartitionAlloc, its malloc */
	PM_OWNER_CHROMIUM_OILPAN,    /**< Chromium: Oilpan (cppgc), objects of Blink */
	PM_OWNER_GO_HEAP,            /**< Go: heap arenas, with stacks that are not known */
	PM_OWNER_GO_STACKS,          /**< Go: stacks of goroutines, in heap arenas */
	PM_OWNER_GO_INTERNAL,        /**< Go: data of the runtime itself */
	PM_OWNER_DOTNET_HEAP,        /**< .NET: managed heap */
	PM_OWNER_DOTNET_INTERNAL,    /**< .NET: other memory of CoreCLR, such as generated code */
	PM_OWNER_RUBY_HEAP,          /**< Ruby: heap pages of objects */
	PM_OWNER_COUNT,              /**< number of owners */
};

/** Memory that has one owner. */
struct pm_owner_range {
	struct pm_range range; /**< the addresses */
	uint8_t owner;         /**< enum pm_owner */
	uint8_t proof;         /**< enum pm_proof (region.h) */
};

/**
 * Returns the name of an owner, as in JSON, such as "java/heap" or "malloc".
 * @param owner  the owner
 * @return       a constant text; "unknown" for PM_OWNER_UNKNOWN and for invalid values
 */
PM_PUBLIC const char *pm_owner_name(enum pm_owner owner);

/**
 * Returns a description of an owner for people, such as "Java heap".
 * @param owner  the owner
 * @return       a constant text
 */
PM_PUBLIC const char *pm_owner_title(enum pm_owner owner);

/**
 * Returns the family of an owner: the part of its name before '/', such as "java"; the name itself
 * if there is none.
 * @param owner  the owner
 * @return       a constant text
 */
PM_PUBLIC const char *pm_owner_family(enum pm_owner owner);

/**
 * Parses the name of an owner.
 *
 * @param name   the name, as returned by pm_owner_name()
 * @param owner  receives the owner
 * @return       false if there is no owner of this name; `owner` is then unchanged
 */
PM_PUBLIC bool pm_owner_parse(const char *name, enum pm_owner *owner);

#ifdef __cplusplus
}
#endif

#endif
