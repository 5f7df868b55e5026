/* SPDX-License-Identifier: MIT */
/* Ranges that a JVM reserves beside its heap: code cache, CDS archive, metaspace, counters. */
#include "runtimes/hotspot_areas.h"

#include <string.h>

enum {
	/* The code cache has three segments, and four in newer versions. */
	CODE_HEAPS_MAX = 16,
	/* A node of metaspace has at least 4 MiB, normally 64 MiB. */
	NODES_MAX = 16384,
	/* Metaspace is reserved and committed in pages of 64 KiB or larger. */
	GRANULE = 65536,
};

static const uint64_t CODE_MAX = UINT64_C(2) << 30;
static const uint64_t NODE_MAX = UINT64_C(16) << 30;

/** Adds the reserved range of a VirtualSpace. */
static bool add_space(const struct pm_hotspot *jvm, uint64_t heap, const char *field,
                      enum pm_owner owner)
{
	uint64_t space, low, high;

	if (!pm_vm_structs_address(jvm->structs, heap, "CodeHeap", field, &space) ||
	    !pm_hotspot_word(jvm, space, "VirtualSpace", "_low_boundary", &low) ||
	    !pm_hotspot_word(jvm, space, "VirtualSpace", "_high_boundary", &high) || high <= low ||
	    high - low > CODE_MAX)
		return false;

	return pm_hotspot_add(jvm, low, high - low, owner);
}

/** Adds the segments of the code cache, and the tables of their blocks. */
static void add_code_cache(const struct pm_hotspot *jvm)
{
	uint64_t heaps, items, heap;
	uint32_t count;

	if (!pm_hotspot_word(jvm, 0, "CodeCache", "_heaps", &heaps) ||
	    !pm_hotspot_u32(jvm, heaps, "GrowableArrayBase", "_len", &count) ||
	    !pm_hotspot_word(jvm, heaps, "GrowableArray<int>", "_data", &items) ||
	    count > CODE_HEAPS_MAX)
		return;

	for (uint32_t i = 0; i < count; i++)
		if (pm_runtime_read_word(jvm->context, items + i * sizeof heap, &heap) &&
		    add_space(jvm, heap, "_memory", PM_OWNER_JAVA_CODE))
			add_space(jvm, heap, "_segmap", PM_OWNER_JAVA_CODE);
}

/** Adds the range between two addresses that are values of static fields. */
static void add_between(const struct pm_hotspot *jvm, const char *type, const char *first,
                        const char *last, enum pm_owner owner)
{
	uint64_t start, end;

	if (pm_hotspot_word(jvm, 0, type, first, &start) &&
	    pm_hotspot_word(jvm, 0, type, last, &end) && start != 0 && end > start &&
	    end - start <= NODE_MAX)
		pm_hotspot_add(jvm, start, end - start, owner);
}

void pm_hotspot_read_areas(const struct pm_hotspot *jvm)
{
	add_code_cache(jvm);
	add_between(jvm, "MetaspaceObj", "_shared_metaspace_base", "_shared_metaspace_top",
	            PM_OWNER_JAVA_ARCHIVE);
	add_between(jvm, "PerfMemory", "_start", "_end", PM_OWNER_JAVA_COUNTERS);
}

/**
 * Adds the nodes of a space of metaspace. The layout is not described by the JVM; it is the same in
 * JDK 17 to 25: MetaspaceContext { const char* name; VirtualSpaceList* list; ... }, the list has
 * its first node at 16, VirtualSpaceNode { next; base; bytes; ... }.
 *
 * @param variable  address of the pointer to the MetaspaceContext
 * @param name      its name
 * @return          false if nothing was found, or if the list could not be read to its end
 */
static bool add_nodes(const struct pm_hotspot *jvm, uint64_t variable, const char *name,
                      enum pm_owner owner)
{
	uint64_t object, list, node, words[3];
	char text[32];

	if (variable == 0 || !pm_runtime_read_word(jvm->context, variable, &object) ||
	    !pm_runtime_read_word(jvm->context, object, words) ||
	    !pm_runtime_read_text(jvm->context, words[0], text, sizeof text) ||
	    strcmp(text, name) != 0 || object > UINT64_MAX - 32 ||
	    !pm_runtime_read_word(jvm->context, object + 8, &list) || list > UINT64_MAX - 32 ||
	    !pm_runtime_read_word(jvm->context, list + 16, &node))
		return false;

	for (int i = 0; node != 0; i++) {
		if (i == NODES_MAX || !pm_runtime_read(jvm->context, node, words, sizeof words) ||
		    words[2] > NODE_MAX || (words[1] | words[2]) % GRANULE != 0 ||
		    !pm_hotspot_add(jvm, words[1], words[2], owner))
			return false;
		node = words[0];
	}

	return true;
}

bool pm_hotspot_read_metaspace(const struct pm_hotspot *jvm)
{
	const struct pm_hotspot_places *places = jvm->places;
	bool found = add_nodes(jvm, places->metaspace, "non-class-space", PM_OWNER_JAVA_METASPACE);
	uint64_t class_space = 0;

	/* Without compressed class pointers, there is no class space. */
	if (found && pm_runtime_read_word(jvm->context, places->class_space, &class_space) &&
	    class_space == 0)
		return true;

	return add_nodes(jvm, places->class_space, "class-space", PM_OWNER_JAVA_CLASS_SPACE) &&
	       found;
}
