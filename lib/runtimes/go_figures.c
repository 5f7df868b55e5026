/* SPDX-License-Identifier: MIT */
/*
 * The figures are those of runtime.MemStats. Sums of heapStats are spread over three elements, of
 * which the parts can be negative.
 */
#include "runtimes/go_figures.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/minmax.h"
#include "base/number.h"

enum {
	STATS = 3, /* elements of consistentHeapStats.stats */
	BATCH = 512,
	GOROUTINES_MAX = 1 << 22,
	ENVIRONMENT_MAX = 128 << 10, /* bytes of the environment that are searched */
	/* States of a goroutine, runtime/runtime2.go */
	SCAN = 0x1000,
	IDLE = 0,
	DEAD = 6,
	PREEMPTED = 9,
};

/* The runtime has no limit if this is the limit. */
static const uint64_t no_limit = INT64_MAX;

/* No process has more memory. A larger figure is not one. */
static const uint64_t bytes_max = UINT64_C(1) << 47;

static void add_counter(struct pm_runtimes_context *context, const char *name, uint64_t value,
                        bool bytes)
{
	pm_runtime_add_counter(context, (struct pm_runtime_counter){
						.family = pm_owner_family(PM_OWNER_GO_HEAP),
						.name = name,
						.value = value,
						.bytes = bytes,
					});
}

/** Reads a sum of heapStats. Returns false if it is not valid. */
static bool read_sum(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                     enum pm_go_field field, uint64_t *sum)
{
	uint64_t stats = layout->variables[PM_GO_MEMSTATS] + layout->fields[PM_GO_STATS_HEAP] +
	                 layout->fields[PM_GO_CONSISTENT_STATS];
	uint64_t total = 0;

	for (unsigned i = 0; i < STATS; i++) {
		uint64_t part;
		if (!pm_runtime_read_word(context,
		                          stats + i * layout->fields[PM_GO_DELTA_SIZE] +
		                                  layout->fields[field],
		                          &part))
			return false;
		total += part;
	}

	*sum = total;
	return total <= bytes_max;
}

static void add_heap_counters(struct pm_runtimes_context *context,
                              const struct pm_go_layout *layout)
{
	uint64_t value;

	if (!pm_go_layout_has(layout, PM_GO_MEMSTATS, PM_GO_CONSISTENT_STATS, PM_GO_DELTA_STACKS) ||
	    layout->fields[PM_GO_STATS_HEAP] == PM_GO_NONE)
		return;
	if (read_sum(context, layout, PM_GO_DELTA_HEAP, &value))
		add_counter(context, "heap_in_use", value, true);
	if (read_sum(context, layout, PM_GO_DELTA_STACKS, &value))
		add_counter(context, "stacks", value, true);
}

/** Adds figures of gcController: memory that is free or live, and what the limit counts. */
static void add_controller(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t controller = layout->variables[PM_GO_CONTROLLER], free, released, limit, ready;
	uint64_t marked;

	if (pm_go_layout_has(layout, PM_GO_CONTROLLER, PM_GO_CONTROLLER_FREE,
	                     PM_GO_CONTROLLER_RELEASED) &&
	    pm_runtime_read_word(context, controller + layout->fields[PM_GO_CONTROLLER_FREE],
	                         &free) &&
	    pm_runtime_read_word(context, controller + layout->fields[PM_GO_CONTROLLER_RELEASED],
	                         &released) &&
	    free <= bytes_max && released <= bytes_max) {
		add_counter(context, "heap_idle", free + released, true);
		add_counter(context, "heap_released", released, true);
	}

	if (pm_go_layout_has(layout, PM_GO_CONTROLLER, PM_GO_CONTROLLER_MARKED,
	                     PM_GO_CONTROLLER_MARKED) &&
	    pm_runtime_read_word(context, controller + layout->fields[PM_GO_CONTROLLER_MARKED],
	                         &marked) &&
	    marked <= bytes_max)
		add_counter(context, "heap_marked", marked, true);

	if (!pm_go_layout_has(layout, PM_GO_CONTROLLER, PM_GO_CONTROLLER_LIMIT,
	                      PM_GO_CONTROLLER_READY) ||
	    !pm_runtime_read_word(context, controller + layout->fields[PM_GO_CONTROLLER_LIMIT],
	                          &limit) ||
	    !pm_runtime_read_word(context, controller + layout->fields[PM_GO_CONTROLLER_READY],
	                          &ready) ||
	    limit >= no_limit || ready > bytes_max)
		return;
	pm_runtime_add_limit(context, (struct pm_runtime_limit){
					      .kind = PM_RUNTIME_LIMIT_GO_MEMORY,
					      .max = limit,
					      .used = ready,
					      .used_known = true,
					      .source = "gcController.memoryLimit",
				      });
}

static void add_collections(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t memstats = layout->variables[PM_GO_MEMSTATS], pauses;
	uint32_t count;

	if (pm_go_layout_has(layout, PM_GO_MEMSTATS, PM_GO_STATS_COLLECTIONS,
	                     PM_GO_STATS_COLLECTIONS) &&
	    pm_runtime_read_u32(context, memstats + layout->fields[PM_GO_STATS_COLLECTIONS],
	                        &count))
		add_counter(context, "collections", count, false);
	if (pm_go_layout_has(layout, PM_GO_MEMSTATS, PM_GO_STATS_PAUSES, PM_GO_STATS_PAUSES) &&
	    pm_runtime_read_word(context, memstats + layout->fields[PM_GO_STATS_PAUSES], &pauses))
		pm_runtime_add_counter(context, (struct pm_runtime_counter){
							.family = pm_owner_family(PM_OWNER_GO_HEAP),
							.name = "pause_time",
							.value = pauses / 1000,
							.microseconds = true,
						});
}

/** Returns whether a goroutine with this status runs or waits. */
static bool is_alive(uint32_t status)
{
	uint32_t state = status & ~(uint32_t)SCAN;
	return state != IDLE && state != DEAD && state <= PREEMPTED;
}

/**
 * Counts a goroutine. Dead ones are kept, and used again. But a dead one that is locked to a thread
 * is reserved for calls from C code: it is among the goroutines that the runtime counts as its own.
 */
static bool count_one(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                      uint64_t goroutine, uint64_t *count)
{
	uint64_t locked = 0;
	uint32_t status;

	if (!pm_runtime_read_u32(context, goroutine + layout->fields[PM_GO_G_STATUS], &status))
		return false;
	if (status == DEAD &&
	    !pm_runtime_read_word(context, goroutine + layout->fields[PM_GO_G_LOCKED], &locked))
		return false;

	*count += is_alive(status) || locked != 0;
	return true;
}

/** Adds the number of goroutines, without those of the runtime itself, as NumGoroutine(). */
static void add_goroutines(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t slice[3], pointers[BATCH], alive = 0;
	uint32_t own = 0;

	if (!pm_go_layout_has(layout, PM_GO_ALLGS, PM_GO_G_STATUS, PM_GO_G_LOCKED) ||
	    !pm_go_layout_has(layout, PM_GO_SCHED, PM_GO_SCHED_SYSTEM, PM_GO_SCHED_SYSTEM) ||
	    !pm_runtime_read(context, layout->variables[PM_GO_ALLGS], slice, sizeof slice) ||
	    slice[1] > slice[2] || slice[1] > GOROUTINES_MAX)
		return;

	for (uint64_t i = 0; i < slice[1]; i += BATCH) {
		uint64_t count = pm_min(slice[1] - i, BATCH);

		if (!pm_runtime_read(context, slice[0] + i * 8, pointers, count * 8))
			return;
		for (uint64_t k = 0; k < count; k++)
			if (!count_one(context, layout, pointers[k], &alive))
				return;
	}

	if (pm_runtime_read_u32(context,
	                        layout->variables[PM_GO_SCHED] + layout->fields[PM_GO_SCHED_SYSTEM],
	                        &own) &&
	    own <= alive)
		add_counter(context, "goroutines", alive - own, false);
}

void pm_go_figures_read(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	add_heap_counters(context, layout);
	add_controller(context, layout);
	add_collections(context, layout);
	add_goroutines(context, layout);
}

bool pm_go_figures_parse_limit(const char *text, uint64_t *limit)
{
	static const struct {
		const char *name;
		unsigned shift;
	} units[] = { { "", 0 },     { "B", 0 },    { "KiB", 10 },
		      { "MiB", 20 }, { "GiB", 30 }, { "TiB", 40 } };
	uint64_t number;

	if (!pm_scan_decimal(&text, &number))
		return false;

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(text, units[i].name) != 0)
			continue;
		if (number >= no_limit >> units[i].shift)
			return false;
		*limit = number << units[i].shift;
		return true;
	}

	return false;
}

/** Returns the value of a variable in the environment, or NULL. */
static const char *find_variable(const char *environment, size_t size, const char *name)
{
	size_t length = strlen(name);

	for (size_t at = 0; at < size;) {
		const char *text = environment + at;
		if (strncmp(text, name, length) == 0 && text[length] == '=')
			return text + length + 1;
		at += strnlen(text, size - at) + 1;
	}

	return NULL;
}

/** Sums up the resident memory of the regions with ranges of Go. Returns false if not known. */
static bool resident(const struct pm_runtimes_context *context, uint64_t *sum)
{
	const struct pm_runtimes *result = context->result;

	*sum = 0;
	for (size_t i = 0; i < result->range_count; i++) {
		const struct pm_owner_range *range = &result->ranges[i];
		const struct pm_region *region = pm_regions_find(context->source->regions,
		                                                 range->range.start);

		if (strcmp(pm_owner_family(range->owner), pm_owner_family(PM_OWNER_GO_HEAP)) != 0)
			continue;
		if (!region || !pm_region_knows(region, PM_SIZE_RSS))
			return false;
		*sum += region->bytes[PM_SIZE_RSS];
	}

	return true;
}

void pm_go_figures_environment(struct pm_runtimes_context *context)
{
	struct pm_runtime_limit limit = { .kind = PM_RUNTIME_LIMIT_GO_MEMORY,
		                          .approximate = true,
		                          .source = "GOMEMLIMIT" };
	int fd;
	size_t size = 0;

	if (pm_process_open_file(context->source->process, "environ", O_RDONLY, &fd, NULL) < 0)
		return;

	char *environment = calloc(1, ENVIRONMENT_MAX + 1);
	while (environment && size < ENVIRONMENT_MAX) {
		ssize_t got = read(fd, environment + size, ENVIRONMENT_MAX - size);
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	close(fd);

	const char *value = environment ? find_variable(environment, size, limit.source) : NULL;
	if (value && pm_go_figures_parse_limit(value, &limit.max)) {
		limit.used_known = resident(context, &limit.used);
		pm_runtime_add_limit(context, limit);
	}
	free(environment);
}
