/* SPDX-License-Identifier: MIT */
/*
 * Copies the writable memory of a stopped process. The stop takes as long as the copy. So the
 * buffers are populated before the stop: page faults in them would take most of the time (measured
 * for 950 MiB: 0.7 to 3.3 s with page faults, 0.4 s without).
 */
#include <procmem/copy.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/stop.h>
#include <procmem/target_reader.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "reader/cancel.h"
#include "reader/copied.h"
#include "reader/copy_limits.h"
#include "reader/copy_threads.h"
#include "reader/region_rules.h"

/*
 * Maximum number of bytes of one read. Between two reads, the caller can cancel, and the limits are
 * tested. A page that must be fetched from a disk takes milliseconds, so a read can take seconds.
 */
static const uint64_t STEP = UINT64_C(4) << 20;

struct pm_copy {
	struct pm_process *process; /* NULL for a core file */
	struct pm_core *core;       /* NULL for a living process */
	struct pm_copy_options options;
	struct pm_copy_info info;
	struct pm_pagemap *pagemap; /* NULL for a core file */
	struct pm_page_source pages;
	struct pm_reader reader;      /* the memory of the target, during the stop */
	struct pm_regions before;     /* the regions before the stop, with VmFlags and sizes */
	struct pm_range_list planned; /* pages that are populated before the stop */
	struct pm_copied content;
	struct pm_range_list guards;
	struct pm_copy_thread *threads;
	size_t thread_count;
	uint64_t begun;  /* time at which the stop began, in nanoseconds */
	size_t position; /* index of the first element of `planned` that may overlap the next run */
};

/** Visitor for the page states of a region, and its result. */
struct walk {
	struct pm_copy *copy;
	struct pm_error *error;
	/** Called for each run of present or swapped pages */
	int (*copy_run)(struct walk *walk, struct pm_range run);
	struct pm_range_list *zeros; /* receives the holes of a core file; NULL to ignore them */
};

static int visit_run(void *context, const struct pm_page_run *run)
{
	struct walk *walk = context;
	struct pm_range range = { run->start, run->end };

	if (run->state & PM_PAGE_GUARD)
		return pm_range_list_add(&walk->copy->guards, range, walk->error);
	if (run->state & PM_PAGE_ZERO && walk->zeros)
		return pm_range_list_add(walk->zeros, range, walk->error);
	if (!(run->state & (PM_PAGE_PRESENT | PM_PAGE_SWAPPED)) || run->state & PM_PAGE_ZERO)
		return 0;
	if (run->state & PM_PAGE_SWAPPED)
		walk->copy->info.swapped += pm_range_size(range);

	return walk->copy_run(walk, range);
}

/** Ends a stop that takes much longer than the caller allows. */
static int check_duration(struct pm_copy *copy, struct pm_error *error)
{
	if (copy->begun == 0 || copy->options.stop ||
	    pm_copy_limits_check_duration(&copy->options, copy->begun, error) == 0)
		return 0;

	copy->info.ended = true;
	return -1;
}

/** Visits the page states of a region. Before each step, the caller can cancel, and the duration of
 * the stop is tested. */
static int visit_region(struct walk *walk, const struct pm_region *region, pm_page_visitor *visit)
{
	struct pm_copy *copy = walk->copy;
	const struct pm_page_source *pages = &copy->pages;
	struct pm_range rest = pm_region_bounds(region), step;

	while (pm_page_step(&rest, &step))
		if (pm_check_cancel(copy->options.cancel, walk->error) < 0 ||
		    check_duration(copy, walk->error) < 0 ||
		    pages->walk(pages->context, step.start, step.end, visit, walk, walk->error) !=
		            0)
			return -1;

	return 0;
}

/** Walks over the present pages of a region. */
static int walk_region(struct walk *walk, const struct pm_region *region)
{
	return visit_region(walk, region, visit_run);
}

/** Walks over the present pages of all regions that are copied. */
static int walk_pages(struct walk *walk, const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		if (pm_region_is_copied(&regions->items[i]) &&
		    walk_region(walk, &regions->items[i]) < 0)
			return -1;

	return 0;
}

static int plan_run(struct walk *walk, struct pm_range run)
{
	walk->copy->info.planned += pm_range_size(run);
	return pm_range_list_add(&walk->copy->planned, run, walk->error);
}

/** Reserves images for all regions that are copied, and populates their present pages. */
static int prepare_buffers(struct pm_copy *copy, struct pm_error *error)
{
	struct pm_range_list wanted = { 0 };
	int result = 0;

	for (size_t i = 0; result == 0 && i < copy->before.count; i++)
		if (pm_region_is_copied(&copy->before.items[i]))
			result = pm_range_list_add(&wanted,
			                           pm_region_bounds(&copy->before.items[i]), error);

	if (result == 0)
		result = pm_copy_buffer_reserve(&copy->content.buffer, wanted.items, wanted.count,
		                                error);
	free(wanted.items);

	for (size_t i = 0; result == 0 && i < copy->planned.count; i++) {
		struct pm_range rest = copy->planned.items[i];
		while (result == 0 && rest.start < rest.end) {
			struct pm_range step = { rest.start, pm_min(rest.start + STEP, rest.end) };
			result = pm_check_cancel(copy->options.cancel, error);
			if (result == 0)
				result = pm_copy_buffer_populate(&copy->content.buffer, step,
				                                 error);
			rest.start = step.end;
		}
	}

	return result;
}

/**
 * Reads bytes into the buffer. Bytes that do not become part of the copied ranges are overwritten
 * with zeros.
 *
 * @param note  whether the bytes are added to the copied ranges
 * @param done  receives the number of bytes, in whole pages, that could be read
 */
static int read_step(struct pm_copy *copy, struct pm_range step, bool note, size_t *done,
                     struct pm_error *error)
{
	size_t size = (size_t)pm_range_size(step), page = (size_t)sysconf(_SC_PAGESIZE), got = 0;
	char *bytes = pm_copy_buffer_at(&copy->content.buffer, step.start, size);
	if (!bytes)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "the copy has no buffer for the address 0x%" PRIx64,
		                    step.start);

	int result = pm_reader_read(&copy->reader, step.start, bytes, size, &got, error);
	*done = got - got % page;
	struct pm_range pages = { step.start, step.start + *done };
	if (result == 0 && note && *done > 0)
		result = pm_range_list_add(&copy->content.ranges, pages, error);

	if (result < 0 || !note)
		explicit_bzero(bytes, size);
	else
		explicit_bzero(bytes + *done, got - *done);
	return result;
}

/** Ends a copy that becomes larger, or a stop that takes much longer, than the caller allows. */
static int check_limits(struct pm_copy *copy, uint64_t next, struct pm_error *error)
{
	if (check_duration(copy, error) < 0)
		return -1;

	return pm_copy_limits_check_size(&copy->info, &copy->options, next, error);
}

/**
 * Reads a run of pages into the buffer. Pages that cannot be read stay zeros and are counted.
 * @param note  whether the run is added to the copied ranges, within the limits of the caller
 */
static int read_run(struct pm_copy *copy, struct pm_range run, bool note, struct pm_error *error)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	while (run.start < run.end) {
		struct pm_range step = { run.start, pm_min(run.end, run.start + STEP) };
		size_t done = 0;
		if (pm_check_cancel(copy->options.cancel, error) < 0 ||
		    (note && check_limits(copy, pm_range_size(step), error) < 0) ||
		    read_step(copy, step, note, &done, error) < 0)
			return -1;

		copy->info.copied += note ? done : 0;
		run.start += done;
		if (run.start == step.end)
			continue;
		copy->info.unreadable += note ? page : 0;
		run.start += page;
	}

	return 0;
}

static int read_swapped(void *context, const struct pm_page_run *run)
{
	struct walk *walk = context;
	struct pm_range range = { run->start, run->end };

	if (!(run->state & PM_PAGE_SWAPPED))
		return 0;
	return read_run(walk->copy, range, false, walk->error);
}

/** Reads the swapped pages once, so that they are present during the stop. */
static int load_swapped(struct pm_copy *copy, struct pm_error *error)
{
	struct walk walk = { .copy = copy, .error = error };
	int result = 0;

	if (copy->info.swapped == 0 || !copy->process)
		return 0;
	if (pm_target_reader_open(copy->process, &copy->before, &copy->reader, error) < 0)
		return -1;

	for (size_t i = 0; result == 0 && i < copy->before.count; i++) {
		const struct pm_region *region = &copy->before.items[i];
		if (pm_region_is_copied(region))
			result = visit_region(&walk, region, read_swapped);
	}

	pm_reader_close(&copy->reader);
	return result;
}

/** Plans and populates. The regions and the source of page states are known. */
static int prepare(struct pm_copy *copy, struct pm_error *error)
{
	struct walk walk = { .copy = copy, .error = error, .copy_run = plan_run };
	/* The same walk is made during the stop. The time on the processor is measured, because it
	 * does not depend on other programs. */
	uint64_t begun = pm_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (walk_pages(&walk, &copy->before) < 0)
		return -1;

	uint64_t walk_ns = pm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
	if (pm_copy_limits_check_plan(&copy->info, &copy->options, error) < 0 ||
	    prepare_buffers(copy, error) < 0 || load_swapped(copy, error) < 0)
		return -1;

	copy->guards.count = 0;
	if (copy->process)
		pm_copy_limits_predict(&copy->info, walk_ns);
	return 0;
}

static struct pm_copy *create(const struct pm_copy_options *options, struct pm_error *error)
{
	struct pm_copy *made = calloc(1, sizeof *made);
	if (!made) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	if (options)
		made->options = *options;
	pm_regions_init(&made->before);
	pm_regions_init(&made->content.regions);

	return made;
}

int pm_copy_open(struct pm_process *process, const struct pm_copy_options *options,
                 struct pm_copy **copy, struct pm_error *error)
{
	struct pm_process_info info;
	struct pm_copy *made = create(options, error);
	if (!made)
		return -1;

	made->process = process;
	made->content.holes = true;
	if (pm_process_read_info(process, &info, error) < 0 ||
	    pm_maps_read(process, PM_SMAPS, &made->before, error) < 0 ||
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &made->pagemap, error) < 0) {
		pm_copy_close(made);
		return -1;
	}

	made->info.threads = info.threads;
	made->pages = pm_pagemap_source(made->pagemap);
	if (prepare(made, error) < 0) {
		pm_copy_close(made);
		return -1;
	}

	*copy = made;
	return 0;
}

int pm_copy_open_core(struct pm_core *core, const struct pm_copy_options *options,
                      struct pm_copy **copy, struct pm_error *error)
{
	struct pm_copy *made = create(options, error);
	if (!made)
		return -1;

	made->core = core;
	made->info.threads = pm_core_info(core)->threads;
	made->pages = pm_core_source(core);
	if (pm_core_regions(core, &made->before, error) < 0 || prepare(made, error) < 0) {
		pm_copy_close(made);
		return -1;
	}

	*copy = made;
	return 0;
}

void pm_copy_close(struct pm_copy *copy)
{
	if (!copy)
		return;

	pm_copy_buffer_deinit(&copy->content.buffer, copy->content.ranges.items,
	                      copy->content.ranges.count);
	pm_reader_close(&copy->reader);
	pm_pagemap_close(copy->pagemap);
	pm_regions_deinit(&copy->before);
	pm_regions_deinit(&copy->content.regions);
	free(copy->planned.items);
	free(copy->content.ranges.items);
	free(copy->content.zeros.items);
	free(copy->guards.items);
	pm_copy_threads_free(copy->threads, copy->thread_count);
	free(copy);
}

/** Adds VmFlags and sizes to the regions. They are from smaps, which was read before the stop. */
static void inherit(struct pm_copy *copy)
{
	for (size_t i = 0; i < copy->content.regions.count; i++) {
		struct pm_region *region = &copy->content.regions.items[i];
		const struct pm_region *old = pm_regions_find(&copy->before, region->start);
		if (!old || old->perms != region->perms || old->inode != region->inode ||
		    strcmp(old->mapping, region->mapping) != 0)
			continue;

		region->vm_flags = old->vm_flags;
		region->known = old->known;
		memcpy(region->bytes, old->bytes, sizeof region->bytes);
	}
}

/** Adds the part of a run to `late` that was not populated before the stop. */
static void count_late(struct pm_copy *copy, struct pm_range run)
{
	uint64_t populated = 0;
	while (copy->position < copy->planned.count &&
	       copy->planned.items[copy->position].end <= run.start)
		copy->position++;

	for (size_t i = copy->position;
	     i < copy->planned.count && copy->planned.items[i].start < run.end; i++)
		populated += pm_range_size(pm_range_clip(copy->planned.items[i], run));

	copy->info.late += pm_range_size(run) - populated;
}

static int take_run(struct walk *walk, struct pm_range run)
{
	count_late(walk->copy, run);
	return read_run(walk->copy, run, true, walk->error);
}

/**
 * Adds the bytes of a region of a core file that are not in the file. gdb leaves out mappings of
 * files without changed pages; the permissions of these regions are not known.
 */
static void count_missing(struct pm_copy *copy, const struct pm_region *region)
{
	uint64_t held = region->bytes[PM_SIZE_RSS], size = pm_region_size(region);

	if (region->perms & PM_PERM_WRITE)
		copy->info.missing += size - pm_min(size, held);
}

/** Adds the bytes of a region of a process that is not copied, if it can contain pointers. */
static void count_hidden(struct pm_copy *copy, const struct pm_region *region)
{
	bool device = pm_region_forbidden(region) && !pm_region_is_of_kernel(region) &&
	              region->perms & PM_PERM_WRITE;

	if (copy->process && (device || pm_region_is_secret(region)))
		copy->info.unreadable += pm_region_size(region);
}

/** Copies the pages of a region, and counts those that the process has not touched. */
static int copy_region(struct walk *walk, const struct pm_region *region)
{
	struct pm_copy_info *info = &walk->copy->info;
	uint64_t before = info->copied + info->unreadable, size = pm_region_size(region);

	if (walk_region(walk, region) < 0)
		return -1;
	if (walk->copy->process && region->perms & PM_PERM_SHARED)
		info->untouched += size - pm_min(size, info->copied + info->unreadable - before);
	return 0;
}

/** Copies all memory. The regions at the stop and the reader are known. */
static int copy_memory(struct pm_copy *copy, struct pm_error *error)
{
	for (size_t i = 0; i < copy->content.regions.count; i++) {
		const struct pm_region *region = &copy->content.regions.items[i];
		if (!pm_region_is_copied(region))
			continue;
		if (copy->core)
			count_missing(copy, region);
		if (pm_copy_buffer_extend(&copy->content.buffer, pm_region_bounds(region), error) <
		    0)
			return -1;
	}

	struct walk walk = { .copy = copy, .error = error, .copy_run = take_run };
	if (copy->core)
		walk.zeros = &copy->content.zeros;

	copy->info.swapped = 0;
	for (size_t i = 0; i < copy->content.regions.count; i++) {
		const struct pm_region *region = &copy->content.regions.items[i];
		if (!pm_region_is_copied(region))
			count_hidden(copy, region);
		else if (copy_region(&walk, region) < 0)
			return -1;
	}

	return 0;
}

/** Counts the threads with registers that were not read. */
static void count_unread(struct pm_copy *copy)
{
	for (size_t i = 0; i < copy->thread_count; i++)
		copy->info.unread_threads += copy->threads[i].registers_missing;
}

/** Copies everything while the process is stopped. */
static int take_stopped(struct pm_copy *copy, struct pm_stop *stop, struct pm_error *error)
{
	if (pm_maps_read(copy->process, PM_MAPS, &copy->content.regions, error) < 0 ||
	    pm_target_reader_open(copy->process, &copy->content.regions, &copy->reader, error) < 0)
		return -1;

	inherit(copy);
	if (pm_copy_threads_read(stop, pm_copy_limits_vectors(&copy->options), &copy->threads,
	                         &copy->thread_count, error) < 0)
		return -1;

	copy->info.threads = copy->thread_count;
	count_unread(copy);
	return copy_memory(copy, error);
}

static int take_process(struct pm_copy *copy, struct pm_error *error)
{
	struct pm_stop *stop = copy->options.stop;

	if (!stop && pm_copy_limits_check_prediction(&copy->info, &copy->options,
	                                             pm_process_pid(copy->process), error) < 0)
		return -1;

	uint64_t swapped = copy->info.swapped;
	copy->begun = pm_clock_ns(CLOCK_MONOTONIC);
	if (!stop && pm_stop_begin(copy->process, copy->options.cancel, &stop, error) < 0)
		return -1;

	int result = take_stopped(copy, stop, error);
	if (!copy->options.stop)
		copy->info.stopped_ns = pm_stop_end(stop);
	copy->info.swapped = swapped;
	pm_reader_close(&copy->reader);

	return result;
}

static int take_core(struct pm_copy *copy, struct pm_error *error)
{
	if (pm_copy_threads_read_core(copy->core, &copy->threads, &copy->thread_count, error) < 0)
		return -1;

	count_unread(copy);
	copy->reader = pm_core_reader(copy->core);
	if (pm_core_regions(copy->core, &copy->content.regions, error) < 0)
		return -1;
	return copy_memory(copy, error);
}

int pm_copy_take(struct pm_copy *copy, struct pm_error *error)
{
	if (copy->core)
		return take_core(copy, error);
	if (take_process(copy, error) < 0)
		return -1;

	if (copy->process)
		pm_copy_threads_name(copy->process, copy->threads, copy->thread_count);
	return 0;
}

const struct pm_copy_info *pm_copy_info(const struct pm_copy *copy)
{
	return &copy->info;
}

const struct pm_regions *pm_copy_regions(const struct pm_copy *copy)
{
	return &copy->content.regions;
}

const struct pm_copy_thread *pm_copy_threads(const struct pm_copy *copy, size_t *count)
{
	*count = copy->thread_count;
	return copy->threads;
}

const struct pm_range *pm_copy_ranges(const struct pm_copy *copy, size_t *count)
{
	*count = copy->content.ranges.count;
	return copy->content.ranges.items;
}

const struct pm_range *pm_copy_guards(const struct pm_copy *copy, size_t *count)
{
	*count = copy->guards.count;
	return copy->guards.items;
}

const void *pm_copy_bytes(const struct pm_copy *copy, uint64_t address, uint64_t size)
{
	return pm_copy_buffer_at(&copy->content.buffer, address, size);
}

struct pm_reader pm_copy_reader(struct pm_copy *copy)
{
	return pm_copied_reader(&copy->content);
}

struct pm_page_source pm_copy_source(struct pm_copy *copy)
{
	return pm_copied_source(&copy->content);
}
