/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory of HotSpot, the JVM of OpenJDK, by the description that libjvm.so exports of its
 * own data structures. What this description lacks is found by symbols, if libjvm.so has them.
 */
#include "runtimes/hotspot.h"

#include <stdio.h>
#include <string.h>

#include "runtimes/hotspot_areas.h"
#include "runtimes/hotspot_counters.h"
#include "runtimes/hotspot_heap.h"
#include "runtimes/hotspot_limits.h"
#include "runtimes/hotspot_malloc.h"
#include "runtimes/hotspot_threads.h"
#include "runtimes/hotspot_tracker.h"
#include "runtimes/readers.h"

/* No reserved range is larger: user addresses have 47 bits. */
static const uint64_t RANGE_MAX = UINT64_C(1) << 47;

/** Returns whether the JVM can have reserved a region. */
static bool is_possible(const struct pm_region *region)
{
	bool named = region->mapping[0] == '[';

	if (region->inode != 0)
		return !(region->perms & PM_PERM_EXEC);
	return !named || strncmp(region->mapping, "[anon:", strlen("[anon:")) == 0;
}

bool pm_hotspot_add(const struct pm_hotspot *jvm, uint64_t start, uint64_t size,
                    enum pm_owner owner)
{
	const struct pm_regions *regions = jvm->context->source->regions;
	uint64_t at = start;

	if (size == 0 || size > RANGE_MAX || start > RANGE_MAX || (start | size) % 4096 != 0)
		return false;

	for (size_t i = pm_regions_index(regions, start); at < start + size; i++) {
		if (i >= regions->count || regions->items[i].start > at ||
		    !is_possible(&regions->items[i]))
			return false;
		at = regions->items[i].end;
	}

	pm_runtime_add_range(jvm->context, start, start + size, owner, PM_PROOF_PROVEN);
	return true;
}

static void set_version(const struct pm_hotspot *jvm, struct pm_runtime_info *info)
{
	char text[sizeof info->version];
	uint64_t address;

	if (pm_hotspot_word(jvm, 0, "Abstract_VM_Version", "_s_vm_release", &address) &&
	    pm_runtime_read_text(jvm->context, address, text, sizeof text))
		memcpy(info->version, text, sizeof text);
}

static void set_texts(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector, bool heap,
                      bool metaspace)
{
	static const char *const names[PM_HOTSPOT_COLLECTORS] = {
		[PM_HOTSPOT_UNKNOWN] = "",
		[PM_HOTSPOT_SERIAL] = "Serial",
		[PM_HOTSPOT_PARALLEL] = "Parallel",
		[PM_HOTSPOT_G1] = "G1",
		[PM_HOTSPOT_Z] = "ZGC",
		[PM_HOTSPOT_SHENANDOAH] = "Shenandoah",
		[PM_HOTSPOT_EPSILON] = "Epsilon",
	};
	struct pm_runtime_info *info = &jvm->context->result->items[jvm->info];

	set_version(jvm, info);
	snprintf(info->variant, sizeof info->variant, "%s", names[collector]);
	snprintf(info->proof, sizeof info->proof,
	         "libjvm.so describes its data structures (gHotSpotVMStructs)");

	info->complete = heap && metaspace && !pm_runtime_ends(jvm->context);
	if (!heap)
		snprintf(info->missing, sizeof info->missing,
		         "the Java heap was not found by the data structures of this JVM");
	else if (!metaspace)
		snprintf(info->missing, sizeof info->missing,
		         "metaspace was not found: libjvm.so has no .symtab, or other data "
		         "structures");
}

/** Returns whether a range of an owner was added. */
static bool has_owner(const struct pm_runtimes *result, enum pm_owner owner)
{
	for (size_t i = 0; i < result->range_count; i++)
		if (result->ranges[i].owner == owner)
			return true;
	return false;
}

static int read_parts(const struct pm_hotspot *jvm, struct pm_error *error)
{
	enum pm_hotspot_collector collector = pm_hotspot_find_collector(jvm);

	pm_hotspot_read_heap(jvm, collector);
	pm_hotspot_read_areas(jvm);
	bool metaspace = pm_hotspot_read_metaspace(jvm);

	bool heap = has_owner(jvm->context->result, PM_OWNER_JAVA_HEAP);

	pm_hotspot_read_tracker(jvm);
	if (heap)
		pm_hotspot_read_malloc(jvm, metaspace);
	pm_hotspot_read_counters(jvm);
	pm_hotspot_limits_add(jvm);
	if (pm_hotspot_read_threads(jvm, collector, error) < 0)
		return -1;

	set_texts(jvm, collector, heap, metaspace);
	return 0;
}

/** Adds the runtime, also if nothing is known about it. */
static int add_info(struct pm_hotspot *jvm, struct pm_error *error)
{
	struct pm_runtime_info *info = pm_runtime_add(jvm->context, PM_OWNER_JAVA_HEAP, error);

	if (!info)
		return -1;

	jvm->info = jvm->context->result->count - 1;
	snprintf(info->proof, sizeof info->proof, "libjvm.so is mapped");
	snprintf(info->missing, sizeof info->missing,
	         "the data structures of this JVM are not known, or cannot be read");
	return 0;
}

int pm_hotspot_read(struct pm_runtimes_context *context, const struct pm_hotspot_places *places,
                    struct pm_error *error)
{
	struct pm_hotspot jvm = { .context = context, .places = places };

	if (add_info(&jvm, error) < 0 ||
	    pm_vm_structs_open(context, &places->variables, &jvm.structs, error) < 0)
		return -1;
	if (!jvm.structs)
		return 0;

	context->result->items[jvm.info].missing[0] = '\0';
	int result = read_parts(&jvm, error);

	pm_vm_structs_close(jvm.structs);
	return result;
}

/** Finds the variables that only .symtab has. They are missing in some distributions. */
static void find_symbols(struct pm_runtimes_context *context, const struct pm_region *library,
                         struct pm_hotspot_places *places)
{
	struct pm_runtime_symbol symbols[] = {
		{ .name = "_ZN9metaspace16MetaspaceContext23_nonclass_space_contextE" },
		{ .name = "_ZN9metaspace16MetaspaceContext20_class_space_contextE" },
		{ .name = "_ZN20VirtualMemoryTracker17_reserved_regionsE" },
	};

	pm_runtime_find_symbols(context, library, symbols, sizeof symbols / sizeof *symbols);
	places->metaspace = symbols[0].address;
	places->class_space = symbols[1].address;
	places->tracker = symbols[2].address;
}

bool pm_hotspot_find(struct pm_runtimes_context *context, struct pm_hotspot_places *places)
{
	const struct pm_region *library = pm_runtime_find_file(context, "libjvm.so");

	*places = (struct pm_hotspot_places){ 0 };
	if (library && pm_vm_structs_find(context, library, &places->variables))
		find_symbols(context, library, places);
	return library != NULL;
}

int pm_runtime_read_hotspot(struct pm_runtimes_context *context, struct pm_error *error)
{
	struct pm_hotspot_places places;

	return pm_hotspot_find(context, &places) ? pm_hotspot_read(context, &places, error) : 0;
}
