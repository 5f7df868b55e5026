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

/**
 * Finds a JVM.
 *
 * @param context  the context
 * @param places   receives where its parts are: 0 where that is not known
 * @return         false if libjvm.so is not mapped
 */
bool pm_hotspot_find(struct pm_runtimes_context *context, struct pm_hotspot_places *places);

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
