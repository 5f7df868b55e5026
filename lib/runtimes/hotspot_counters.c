/* SPDX-License-Identifier: MIT */
#include "runtimes/hotspot_counters.h"

#include <stdio.h>

/* A JVM has two or three collectors. */
enum { COLLECTORS = 8, NAME_SIZE = 64 };

/** Sums of the counters of all collectors. */
struct sums {
	uint64_t collections;
	uint64_t old; /* of these, those of old objects */
	uint64_t ticks;
	uint64_t frequency; /* ticks of a second; 0 if not known */
	bool found;
};

bool pm_hotspot_copy_counters(const struct pm_hotspot *jvm, struct pm_hsperf *hsperf)
{
	uint64_t start, end;

	return pm_hotspot_word(jvm, 0, "PerfMemory", "_start", &start) &&
	       pm_hotspot_word(jvm, 0, "PerfMemory", "_end", &end) && end > start &&
	       pm_hsperf_read(jvm->context, start, end - start, hsperf);
}

/** Returns a counter of a collector, such as "invocations"; 0 if there is none. */
static uint64_t counter_of(const struct pm_hsperf *hsperf, unsigned collector, const char *counter,
                           bool *found)
{
	char name[NAME_SIZE];
	int64_t value;

	snprintf(name, sizeof name, "sun.gc.collector.%u.%s", collector, counter);
	if (!pm_hsperf_number(hsperf, name, &value) || value < 0 || value > INT64_MAX / COLLECTORS)
		return 0;

	*found = true;
	return (uint64_t)value;
}

static struct sums sum_counters(const struct pm_hsperf *hsperf)
{
	struct sums sums = { 0 };
	bool timed = false;
	int64_t frequency;

	for (unsigned i = 0; i < COLLECTORS; i++) {
		uint64_t invocations = counter_of(hsperf, i, "invocations", &sums.found);

		/* The first collector is that of young objects. */
		sums.collections += invocations;
		sums.old += i > 0 ? invocations : 0;
		sums.ticks += counter_of(hsperf, i, "time", &timed);
	}
	if (timed && pm_hsperf_number(hsperf, "sun.os.hrt.frequency", &frequency) && frequency > 0)
		sums.frequency = (uint64_t)frequency;

	return sums;
}

static void add(const struct pm_hotspot *jvm, const char *name, uint64_t value, bool time)
{
	pm_runtime_add_counter(jvm->context, (struct pm_runtime_counter){
						     .family = pm_owner_family(PM_OWNER_JAVA_HEAP),
						     .name = name,
						     .value = value,
						     .microseconds = time });
}

/** Adds the used bytes of old objects, which collections update, and their maximum. */
static void add_old(const struct pm_hotspot *jvm, const struct pm_hsperf *hsperf)
{
	static const struct {
		const char *name, *counter;
	} counters[] = { { "old_used", "sun.gc.generation.1.space.0.used" },
		         { "old_max", "sun.gc.generation.1.maxCapacity" } };
	int64_t value;

	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		if (pm_hsperf_number(hsperf, counters[i].counter, &value) && value > 0)
			pm_runtime_add_counter(
				jvm->context, (struct pm_runtime_counter){
						      .family = pm_owner_family(PM_OWNER_JAVA_HEAP),
						      .name = counters[i].name,
						      .value = (uint64_t)value,
						      .bytes = true });
}

void pm_hotspot_read_counters(const struct pm_hotspot *jvm)
{
	struct pm_hsperf hsperf = { 0 };
	struct sums sums = { 0 };
	bool copied = pm_hotspot_copy_counters(jvm, &hsperf);
	uint64_t heap;
	uint32_t collections;

	if (copied)
		sums = sum_counters(&hsperf);

	if (sums.found)
		add(jvm, "collections", sums.collections, false);
	else if (pm_hotspot_word(jvm, 0, "Universe", "_collectedHeap", &heap) &&
	         pm_hotspot_u32(jvm, heap, "CollectedHeap", "_total_collections", &collections))
		add(jvm, "collections", collections, false);

	/* Ticks are nanoseconds on Linux, where the frequency is 10^9. */
	if (sums.found && sums.frequency >= 1000000)
		add(jvm, "collection_time", sums.ticks / (sums.frequency / 1000000), true);
	if (sums.found)
		add(jvm, "old_collections", sums.old, false);
	if (copied)
		add_old(jvm, &hsperf);
	pm_hsperf_deinit(&hsperf);
}
