/* SPDX-License-Identifier: MIT */
/*
 * The number and the duration of collections, by the performance counters of the JVM. A JVM without
 * performance counters (-XX:-UsePerfData) has the number only.
 */
#include "runtimes/hotspot_counters.h"

#include <stdio.h>

#include "runtimes/hsperf.h"

/* A JVM has two or three collectors: for young and all objects, and for concurrent work. */
enum { COLLECTORS_MAX = 8 };

/** Sums of the counters of all collectors. */
struct sums {
	uint64_t collections, ticks;
	bool found; /**< there is a collector */
};

/** Adds a counter of a collector to a sum. Returns false if there is none, or if it is negative. */
static bool add(const struct pm_hsperf *hsperf, int collector, const char *name, uint64_t *sum)
{
	char text[64];
	int64_t value;

	snprintf(text, sizeof text, "sun.gc.collector.%d.%s", collector, name);
	if (!pm_hsperf_number(hsperf, text, &value) || value < 0 ||
	    value > INT64_MAX / COLLECTORS_MAX)
		return false;

	*sum += (uint64_t)value;
	return true;
}

/** Generational ZGC has no collector 1, so that all numbers are tried. */
static struct sums sum_up(const struct pm_hsperf *hsperf)
{
	struct sums sums = { 0 };

	for (int i = 0; i < COLLECTORS_MAX; i++) {
		sums.found |= add(hsperf, i, "invocations", &sums.collections);
		add(hsperf, i, "time", &sums.ticks);
	}

	return sums;
}

static void add_counter(const struct pm_hotspot *jvm, const char *name, uint64_t value,
                        bool microseconds)
{
	pm_runtime_add_counter(jvm->context, (struct pm_runtime_counter){
						     .family = pm_owner_family(PM_OWNER_JAVA_HEAP),
						     .name = name,
						     .value = value,
						     .microseconds = microseconds });
}

/** Adds the counters. Returns false if the JVM has none. */
static bool read_performance(const struct pm_hotspot *jvm)
{
	struct pm_hsperf hsperf;
	uint64_t start, end;
	int64_t frequency;

	if (!pm_hotspot_word(jvm, 0, "PerfMemory", "_start", &start) ||
	    !pm_hotspot_word(jvm, 0, "PerfMemory", "_end", &end) || end <= start ||
	    !pm_hsperf_read(jvm->context, start, end - start, &hsperf))
		return false;

	struct sums sums = sum_up(&hsperf);
	if (sums.found)
		add_counter(jvm, "collections", sums.collections, false);
	/* Ticks are nanoseconds on Linux: the frequency is 10^9. */
	if (sums.found && pm_hsperf_number(&hsperf, "sun.os.hrt.frequency", &frequency) &&
	    frequency >= 1000000)
		add_counter(jvm, "collection_time", sums.ticks / ((uint64_t)frequency / 1000000),
		            true);

	pm_hsperf_deinit(&hsperf);
	return sums.found;
}

void pm_hotspot_read_counters(const struct pm_hotspot *jvm)
{
	uint64_t heap;
	uint32_t collections;

	if (read_performance(jvm))
		return;

	if (pm_hotspot_word(jvm, 0, "Universe", "_collectedHeap", &heap) &&
	    pm_hotspot_u32(jvm, heap, "CollectedHeap", "_total_collections", &collections))
		add_counter(jvm, "collections", collections, false);
}
