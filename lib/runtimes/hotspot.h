/* SPDX-License-Identifier: MIT */
/** @file What the parts of the reader of HotSpot share. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_H
#define PM_RUNTIMES_HOTSPOT_H

#include "runtimes/context.h"
#include "runtimes/vm_structs.h"

/** Where the parts of a JVM are that describe its data. */
struct pm_hotspot_places {
	struct pm_vm_variables variables; /**< of the tables of vm_structs.h */
	/*
	 * Variables that only .symtab has. 0: not known.
	 */
	uint64_t metaspace;   /**< metaspace::MetaspaceContext::_nonclass_space_context */
	uint64_t class_space; /**< metaspace::MetaspaceContext::_class_space_context */
	/** VirtualMemoryTracker::_reserved_regions: the list of native memory tracking (NMT) */
	uint64_t tracker;
};

/** A JVM in the target. */
struct pm_hotspot {
	struct pm_runtimes_context *context;    /**< reads, and receives what is found */
	const struct pm_hotspot_places *places; /**< where to begin */
	struct pm_vm_structs *structs;          /**< its description of its data structures */
	size_t info;                            /**< index in pm_runtimes.items */
};

/** Collectors of Java heaps. */
enum pm_hotspot_collector {
	PM_HOTSPOT_UNKNOWN = 0,
	PM_HOTSPOT_SERIAL,
	PM_HOTSPOT_PARALLEL,
	PM_HOTSPOT_G1,
	PM_HOTSPOT_Z,
	PM_HOTSPOT_SHENANDOAH,
	PM_HOTSPOT_EPSILON,
	PM_HOTSPOT_COLLECTORS, /**< number of collectors */
};

/**
 * Reads a JVM. Used by tests with fake memory; the reader of a process finds the places first.
 *
 * @param context  the context
 * @param places   where the parts are
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_hotspot_read(struct pm_runtimes_context *context, const struct pm_hotspot_places *places,
                    struct pm_error *error);

/** Returns the collector; PM_HOTSPOT_UNKNOWN if its data structures are not known. */
enum pm_hotspot_collector pm_hotspot_find_collector(const struct pm_hotspot *jvm);

/** Adds the Java heap and the card table. */
void pm_hotspot_read_heap(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector);

/** Adds the code cache, the CDS archive, and the memory of performance counters. */
void pm_hotspot_read_areas(const struct pm_hotspot *jvm);

/** Adds metaspace and class space. Returns whether both were found. */
bool pm_hotspot_read_metaspace(const struct pm_hotspot *jvm);

/** Adds what native memory tracking calls memory of the collector, if it is switched on. */
void pm_hotspot_read_tracker(const struct pm_hotspot *jvm);

/**
 * Divides regions that contain blocks of malloc and other memory.
 * @param all_known  all memory of the JVM but that of the collector was added
 */
void pm_hotspot_read_malloc(const struct pm_hotspot *jvm, bool all_known);

/** Adds the number and the duration of collections. */
void pm_hotspot_read_counters(const struct pm_hotspot *jvm);

/**
 * Adds the names of threads that the kernel has cut.
 * @return 0 or -1 with PM_ERROR_RESOURCES
 */
int pm_hotspot_read_threads(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector,
                            struct pm_error *error);

/**
 * Adds a range that the JVM has reserved, if it is possible: it consists of whole pages, and of
 * regions without gaps that are not code of files and not named by the kernel.
 *
 * @param start  first address
 * @param size   number of bytes
 * @param owner  the owner
 * @return       whether it was added
 */
bool pm_hotspot_add(const struct pm_hotspot *jvm, uint64_t start, uint64_t size,
                    enum pm_owner owner);

/** Reads a 64-bit field: pm_vm_structs_word(). */
static inline bool pm_hotspot_word(const struct pm_hotspot *jvm, uint64_t object, const char *type,
                                   const char *name, uint64_t *word)
{
	return pm_vm_structs_word(jvm->context, jvm->structs, object, type, name, word);
}

/** Reads a 32-bit field: pm_vm_structs_u32(). */
static inline bool pm_hotspot_u32(const struct pm_hotspot *jvm, uint64_t object, const char *type,
                                  const char *name, uint32_t *number)
{
	return pm_vm_structs_u32(jvm->context, jvm->structs, object, type, name, number);
}

#endif
