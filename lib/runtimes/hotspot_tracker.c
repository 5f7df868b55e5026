/* SPDX-License-Identifier: MIT */
/*
 * Native memory tracking (-XX:NativeMemoryTracking) lists all ranges that the JVM has reserved,
 * each with a tag. Only the tag of the collector is used: the other data structures are more
 * reliable for everything else.
 *
 * The layout of the list is not described by the JVM. It is the same in JDK 17 to 25: a list whose
 * first node is at 8; node { base; size; ...; u8 tag at 72; next at 80 }, by ascending address. The
 * tags have had the same order since JDK 8. As a check, the tag of the code cache and of the Java
 * heap must be right.
 */
#include "runtimes/hotspot_tracker.h"

enum {
	TAG_JAVA_HEAP = 0,
	TAG_CODE = 4,
	TAG_GC = 5,
	TAG_OFFSET = 72,
	NEXT_OFFSET = 80,
	/* Each stack of a thread is in the list, too. */
	RANGES_MAX = 65536,
	/* The Java heap, three segments of code with their tables, and ranges of the collector. */
	FOUND_MAX = 1024,
};

/** What the list says. */
struct tracked {
	struct pm_range gc[FOUND_MAX]; /**< ranges of the collector */
	size_t count;
	bool code; /**< a range is that of the code cache */
};

/** Returns the owner of an address by what is known already. */
static enum pm_owner known_owner(const struct pm_runtimes *result, uint64_t address)
{
	for (size_t i = 0; i < result->range_count; i++)
		if (pm_range_contains(result->ranges[i].range, address))
			return (enum pm_owner)result->ranges[i].owner;
	return PM_OWNER_UNKNOWN;
}

/**
 * Checks a range against what is known, and keeps it if it is of the collector.
 * @return false if it contradicts
 */
static bool check(const struct pm_hotspot *jvm, struct pm_range range, uint8_t tag,
                  struct tracked *tracked)
{
	enum pm_owner owner = PM_OWNER_UNKNOWN;

	if (tag <= TAG_GC)
		owner = known_owner(jvm->context->result, range.start);
	if (owner == PM_OWNER_JAVA_HEAP && tag <= TAG_GC && tag != TAG_JAVA_HEAP)
		return false;
	if (owner == PM_OWNER_JAVA_CODE && tag <= TAG_GC && tag != TAG_CODE)
		return false;

	tracked->code |= owner == PM_OWNER_JAVA_CODE && tag == TAG_CODE;
	if (tag == TAG_GC && tracked->count < FOUND_MAX)
		tracked->gc[tracked->count++] = range;
	return true;
}

/** Reads the list. Returns false if it is not one, or if it cannot be read to its end. */
static bool read_list(const struct pm_hotspot *jvm, struct tracked *tracked)
{
	uint64_t list, node, reached = 0;

	if (!pm_runtime_read_word(jvm->context, jvm->places->tracker, &list) || list == 0 ||
	    list > UINT64_MAX - 16 || !pm_runtime_read_word(jvm->context, list + 8, &node))
		return false;

	for (int i = 0; node != 0; i++) {
		uint64_t words[NEXT_OFFSET / 8 + 1];

		if (i == RANGES_MAX || !pm_runtime_read(jvm->context, node, words, sizeof words))
			return false;

		struct pm_range range = { words[0], words[0] + words[1] };
		uint8_t tag = (uint8_t)words[TAG_OFFSET / 8];

		if (words[1] == 0 || range.end < range.start || range.start < reached ||
		    (words[0] | words[1]) % 4096 != 0 || !check(jvm, range, tag, tracked))
			return false;
		reached = range.end;
		node = words[NEXT_OFFSET / 8];
	}

	return tracked->code;
}

void pm_hotspot_read_tracker(const struct pm_hotspot *jvm)
{
	struct tracked tracked = { .count = 0 };

	if (jvm->places->tracker == 0 || !read_list(jvm, &tracked))
		return;

	for (size_t i = 0; i < tracked.count; i++)
		pm_hotspot_add(jvm, tracked.gc[i].start, pm_range_size(tracked.gc[i]),
		               PM_OWNER_JAVA_GC);
}
