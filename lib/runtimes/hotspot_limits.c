/* SPDX-License-Identifier: MIT */
/*
 * JVMFlag::flags is an array of all flags, each with the addresses of its name and of its value
 * (jvmFlag.hpp of OpenJDK, described by gHotSpotVMStructs from JDK 11 to 25). The used parts come
 * from the performance counters, which collections update, and from the code cache.
 */
#include "runtimes/hotspot_limits.h"

#include <string.h>

#include "base/minmax.h"
#include "runtimes/hotspot_counters.h"
#include "runtimes/hotspot_direct.h"

enum {
	/* JDK 17 has 1,400 flags, debug builds have some more. */
	FLAGS_MAX = 1 << 14,
	/* Bytes of an entry: 24 to 40. */
	FLAG_SIZE_MAX = 256,
	/* The longest name that is wanted, with the NUL. */
	NAME_SIZE = 32,
	/* Segments of the code cache: three. */
	CODE_HEAPS_MAX = 16,
};

/* The address space of a process: a larger flag is not a limit, such as MaxMetaspaceSize by
 * default. */
static const uint64_t limit_max = (uint64_t)1 << 47;

/** The flags that are limits, by their kinds. */
static const char *const names[PM_RUNTIME_LIMIT_COUNT] = {
	[PM_RUNTIME_LIMIT_JAVA_HEAP] = "MaxHeapSize",
	[PM_RUNTIME_LIMIT_JAVA_METASPACE] = "MaxMetaspaceSize",
	[PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE] = "CompressedClassSpaceSize",
	[PM_RUNTIME_LIMIT_JAVA_CODE] = "ReservedCodeCacheSize",
	[PM_RUNTIME_LIMIT_JAVA_DIRECT] = "MaxDirectMemorySize",
};

/** The flags of a JVM that are limits. */
struct flags {
	bool known[PM_RUNTIME_LIMIT_COUNT];
	uint64_t values[PM_RUNTIME_LIMIT_COUNT];
};

/** Keeps the value of a flag if it is a limit. */
static void read_flag(const struct pm_hotspot *jvm, uint64_t name, uint64_t value,
                      struct flags *flags)
{
	char text[NAME_SIZE] = "";

	if (!pm_runtime_read_text(jvm->context, name, text, sizeof text))
		return;

	for (size_t i = 0; i < PM_RUNTIME_LIMIT_COUNT; i++)
		if (names[i] && strcmp(text, names[i]) == 0)
			flags->known[i] = pm_runtime_read_word(jvm->context, value,
			                                       &flags->values[i]);
}

/** Reads the flags. Those that are not found are not known. */
static void read_flags(const struct pm_hotspot *jvm, struct flags *flags)
{
	const struct pm_vm_field *name, *value;
	uint64_t first, count, size;

	name = pm_vm_structs_field(jvm->structs, "JVMFlag", "_name");
	value = pm_vm_structs_field(jvm->structs, "JVMFlag", "_addr");
	if (!name || !value || name->is_static || value->is_static ||
	    !pm_vm_structs_size(jvm->structs, "JVMFlag", &size) || size > FLAG_SIZE_MAX ||
	    name->offset + 8 > size || value->offset + 8 > size ||
	    !pm_vm_structs_word(jvm->context, jvm->structs, 0, "JVMFlag", "flags", &first) ||
	    !pm_vm_structs_word(jvm->context, jvm->structs, 0, "JVMFlag", "numFlags", &count))
		return;

	for (size_t i = 0; i < pm_min(count, FLAGS_MAX); i++) {
		unsigned char entry[FLAG_SIZE_MAX];
		uint64_t name_at, value_at;

		if (pm_runtime_ends(jvm->context) ||
		    !pm_runtime_read(jvm->context, first + i * size, entry, size))
			return;
		memcpy(&name_at, entry + name->offset, sizeof name_at);
		memcpy(&value_at, entry + value->offset, sizeof value_at);
		if (name_at != 0 && value_at != 0)
			read_flag(jvm, name_at, value_at, flags);
	}
}

/** Adds up the used bytes of the spaces of the Java heap. */
static bool sum_heap(const struct pm_hsperf *hsperf, uint64_t *used)
{
	static const char *const spaces[] = {
		"sun.gc.generation.0.space.0.used", "sun.gc.generation.0.space.1.used",
		"sun.gc.generation.0.space.2.used", "sun.gc.generation.1.space.0.used",
		"sun.gc.generation.2.space.0.used",
	};
	bool found = false;
	int64_t value;

	*used = 0;
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		if (!pm_hsperf_number(hsperf, spaces[i], &value) || value < 0)
			continue;
		found = true;
		*used += pm_min((uint64_t)value, limit_max);
	}

	return found;
}

/** Returns the committed bytes of the heap of metaspace: they count towards its limit. */
static bool find_committed(const struct pm_hsperf *hsperf, const char *name, uint64_t *used)
{
	int64_t value;

	if (!pm_hsperf_number(hsperf, name, &value) || value <= 0)
		return false;

	*used = (uint64_t)value;
	return true;
}

/** Adds up the committed bytes of a segment of the code cache. */
static bool add_code_heap(const struct pm_hotspot *jvm, uint64_t heap, uint64_t *used)
{
	uint64_t memory, low, high;

	if (!pm_vm_structs_address(jvm->structs, heap, "CodeHeap", "_memory", &memory) ||
	    !pm_vm_structs_word(jvm->context, jvm->structs, memory, "VirtualSpace", "_low", &low) ||
	    !pm_vm_structs_word(jvm->context, jvm->structs, memory, "VirtualSpace", "_high",
	                        &high) ||
	    high < low || high - low > limit_max)
		return false;

	*used += high - low;
	return true;
}

/** Adds up the committed bytes of the code cache: it commits more when all of it is used. */
static bool sum_code(const struct pm_hotspot *jvm, uint64_t *used)
{
	uint64_t array, data, heap;
	uint32_t count;

	*used = 0;
	if (!pm_vm_structs_word(jvm->context, jvm->structs, 0, "CodeCache", "_heaps", &array) ||
	    !pm_vm_structs_u32(jvm->context, jvm->structs, array, "GrowableArrayBase", "_len",
	                       &count) ||
	    !pm_vm_structs_word(jvm->context, jvm->structs, array, "GrowableArray<int>", "_data",
	                        &data) ||
	    count == 0 || count > CODE_HEAPS_MAX)
		return false;

	for (uint32_t i = 0; i < count; i++)
		if (!pm_runtime_read_word(jvm->context, data + UINT64_C(8) * i, &heap) ||
		    !add_code_heap(jvm, heap, used))
			return false;

	return true;
}

/** Finds the used part of a limit. */
static bool find_used(const struct pm_hotspot *jvm, const struct pm_hsperf *hsperf,
                      enum pm_runtime_limit_kind kind, uint64_t *used)
{
	switch (kind) {
	case PM_RUNTIME_LIMIT_JAVA_HEAP:
		/* The counters are those of the last collection, and 0 before the first one. */
		return sum_heap(hsperf, used) && *used > 0;
	case PM_RUNTIME_LIMIT_JAVA_METASPACE:
		return find_committed(hsperf, "sun.gc.metaspace.capacity", used);
	case PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE:
		return find_committed(hsperf, "sun.gc.compressedclassspace.capacity", used);
	case PM_RUNTIME_LIMIT_JAVA_CODE:
		return sum_code(jvm, used);
	case PM_RUNTIME_LIMIT_JAVA_DIRECT:
		return pm_hotspot_direct_used(jvm->context, used);
	default:
		return false;
	}
}

void pm_hotspot_limits_add(const struct pm_hotspot *jvm)
{
	struct pm_hsperf hsperf = { 0 };
	struct flags flags = { 0 };

	read_flags(jvm, &flags);
	pm_hotspot_copy_counters(jvm, &hsperf);

	for (size_t i = 0; i < PM_RUNTIME_LIMIT_COUNT; i++) {
		struct pm_runtime_limit limit = { .kind = (enum pm_runtime_limit_kind)i,
			                          .max = flags.values[i],
			                          .approximate = true,
			                          .source = names[i] };

		/* java.nio.Bits: without a limit of its own, that of the heap. */
		if (limit.kind == PM_RUNTIME_LIMIT_JAVA_DIRECT && limit.max == 0) {
			limit.max = flags.values[PM_RUNTIME_LIMIT_JAVA_HEAP];
			limit.source = names[PM_RUNTIME_LIMIT_JAVA_HEAP];
		}
		if (!flags.known[i] || limit.max == 0 || limit.max > limit_max)
			continue;

		limit.used_known = find_used(jvm, &hsperf, limit.kind, &limit.used);
		if (!limit.used_known)
			limit.used = 0;
		pm_runtime_add_limit(jvm->context, limit);
	}

	pm_hsperf_deinit(&hsperf);
}
