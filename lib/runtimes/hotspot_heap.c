/* SPDX-License-Identifier: MIT */
/*
 * The Java heap. All collectors but ZGC reserve one range (CollectedHeap::_reserved). ZGC maps a
 * memfd of its own, at several addresses up to JDK 22. The collector is the one whose data
 * structures have been filled in.
 */
#include "runtimes/hotspot_heap.h"

#include <string.h>

/** Reads the reserved range of the heap. */
static bool read_reserved(const struct pm_hotspot *jvm, uint64_t heap, struct pm_range *range)
{
	uint64_t region, start, words;

	if (!pm_vm_structs_address(jvm->structs, heap, "CollectedHeap", "_reserved", &region) ||
	    !pm_hotspot_word(jvm, region, "MemRegion", "_start", &start) ||
	    !pm_hotspot_word(jvm, region, "MemRegion", "_word_size", &words) || start == 0 ||
	    words == 0 || words > UINT64_MAX / 8 || start > UINT64_MAX - words * 8)
		return false;

	*range = (struct pm_range){ start, start + words * 8 };
	return true;
}

static bool is_static_set(const struct pm_hotspot *jvm, const char *type, const char *name)
{
	uint64_t word;

	return pm_hotspot_word(jvm, 0, type, name, &word) && word != 0;
}

/** Returns whether the memory of ZGC is mapped in a region: it names its memfd so. */
static bool is_z_heap(const struct pm_region *region)
{
	static const char name[] = "/memfd:java_heap";

	return strncmp(region->mapping, name, strlen(name)) == 0;
}

/**
 * Returns whether a ZGC has been initialised: it has then set the mask for offsets in the heap.
 *
 * @param type   type of the object with pointers to its variables
 * @param field  the pointer to the mask
 */
static bool has_mask(const struct pm_hotspot *jvm, const char *type, const char *field)
{
	uint64_t object, variable, mask;

	return pm_hotspot_word(jvm, 0, type, "_instance_p", &object) &&
	       pm_hotspot_word(jvm, object, type, field, &variable) &&
	       pm_runtime_read_word(jvm->context, variable, &mask) && mask != 0;
}

bool pm_hotspot_is_generational_z(const struct pm_hotspot *jvm)
{
	return pm_vm_structs_field(jvm->structs, "ZGlobalsForVMStructs", "_ZPointerLoadShift") &&
	       has_mask(jvm, "ZGlobalsForVMStructs", "_ZAddressOffsetMask");
}

/** JDK 21 to 23 have two ZGCs: the one without generations is called X there. */
static bool is_z(const struct pm_hotspot *jvm)
{
	const struct pm_regions *regions = jvm->context->source->regions;

	if (!has_mask(jvm, "ZGlobalsForVMStructs", "_ZAddressOffsetMask") &&
	    !has_mask(jvm, "XGlobalsForVMStructs", "_XAddressOffsetMask"))
		return false;

	for (size_t i = 0; i < regions->count; i++)
		if (is_z_heap(&regions->items[i]))
			return true;
	return false;
}

/**
 * Returns whether the barrier set is of a type.
 * @param constant  name of the constant that has the tag of the type
 */
static bool has_barrier(const struct pm_hotspot *jvm, const char *constant)
{
	uint64_t set, rtti;
	uint32_t tag;
	int64_t value;

	return pm_hotspot_word(jvm, 0, "BarrierSet", "_barrier_set", &set) &&
	       pm_vm_structs_address(jvm->structs, set, "BarrierSet", "_fake_rtti", &rtti) &&
	       pm_hotspot_u32(jvm, rtti, "BarrierSet::FakeRtti", "_concrete_tag", &tag) &&
	       pm_vm_structs_constant(jvm->structs, constant, &value) && value == tag;
}

/** Shenandoah: the regions fill the heap. */
static bool is_shenandoah(const struct pm_hotspot *jvm, uint64_t heap, struct pm_range reserved)
{
	uint64_t size, count;

	return pm_hotspot_word(jvm, 0, "ShenandoahHeapRegion", "RegionSizeBytes", &size) &&
	       pm_hotspot_word(jvm, heap, "ShenandoahHeap", "_num_regions", &count) && size > 0 &&
	       count > 0 && count <= pm_range_size(reserved) / size &&
	       count * size == pm_range_size(reserved);
}

static bool is_epsilon(const struct pm_hotspot *jvm, uint64_t heap, struct pm_range reserved)
{
	uint64_t start;

	/* VirtualSpace is a part of the object. */
	return pm_vm_structs_address(jvm->structs, heap, "EpsilonHeap", "_virtual_space", &start) &&
	       pm_hotspot_word(jvm, start, "VirtualSpace", "_low_boundary", &start) &&
	       start == reserved.start;
}

enum pm_hotspot_collector pm_hotspot_find_collector(const struct pm_hotspot *jvm)
{
	struct pm_range reserved;
	uint64_t heap;

	if (is_z(jvm))
		return PM_HOTSPOT_Z;
	if (has_barrier(jvm, "BarrierSet::G1BarrierSet"))
		return PM_HOTSPOT_G1;
	if (has_barrier(jvm, "BarrierSet::CardTableBarrierSet"))
		return is_static_set(jvm, "ParallelScavengeHeap", "_young_gen")
		               ? PM_HOTSPOT_PARALLEL
		               : PM_HOTSPOT_SERIAL;

	if (!pm_hotspot_word(jvm, 0, "Universe", "_collectedHeap", &heap) ||
	    !read_reserved(jvm, heap, &reserved))
		return PM_HOTSPOT_UNKNOWN;
	if (is_shenandoah(jvm, heap, reserved))
		return PM_HOTSPOT_SHENANDOAH;
	if (is_epsilon(jvm, heap, reserved))
		return PM_HOTSPOT_EPSILON;

	return PM_HOTSPOT_UNKNOWN;
}

static void add_z_heap(const struct pm_hotspot *jvm)
{
	const struct pm_regions *regions = jvm->context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (is_z_heap(region))
			pm_runtime_add_range(jvm->context, region->start, region->end,
			                     PM_OWNER_JAVA_HEAP, PM_PROOF_PROVEN);
	}
}

/** The card table has a byte for each 512 bytes of the heap. */
static void add_card_table(const struct pm_hotspot *jvm, struct pm_range reserved)
{
	uint64_t set, table, start, size;

	if (!pm_hotspot_word(jvm, 0, "BarrierSet", "_barrier_set", &set) ||
	    !pm_hotspot_word(jvm, set, "CardTableBarrierSet", "_card_table", &table) ||
	    !pm_hotspot_word(jvm, table, "CardTable", "_byte_map", &start) ||
	    !pm_hotspot_word(jvm, table, "CardTable", "_byte_map_size", &size))
		return;

	/* A page more: the table has a guard card. */
	if (size <= pm_range_size(reserved) / 128 + 8192)
		pm_hotspot_add(jvm, start, (size + 4095) & ~UINT64_C(4095), PM_OWNER_JAVA_GC);
}

void pm_hotspot_read_heap(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector)
{
	struct pm_range reserved;
	uint64_t heap;

	if (collector == PM_HOTSPOT_Z) {
		add_z_heap(jvm);
		return;
	}

	if (!pm_hotspot_word(jvm, 0, "Universe", "_collectedHeap", &heap) ||
	    !read_reserved(jvm, heap, &reserved))
		return;

	pm_hotspot_add(jvm, reserved.start, pm_range_size(reserved), PM_OWNER_JAVA_HEAP);
	if (collector == PM_HOTSPOT_G1 || collector == PM_HOTSPOT_SERIAL ||
	    collector == PM_HOTSPOT_PARALLEL)
		add_card_table(jvm, reserved);
}
