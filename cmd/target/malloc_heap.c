/* SPDX-License-Identifier: MIT */
#include "target/malloc_heap.h"

#include <inttypes.h>

#include <procmem/maps.h>
#include <procmem/number.h>
#include <procmem/target_reader.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/report.h"
#include "base/text.h"

struct pm_heap_source malloc_heap_source(struct memory *memory)
{
	return (struct pm_heap_source){
		.regions = &memory->loaded.regions,
		.reader = &memory->reader,
		.pages = memory->core ? NULL : &memory->pages,
		.process = memory->target.process,
		.stopped = memory->stop || memory->core,
		.cancel = memory->cancel,
		.linked = memory->linked,
		.hint = memory->hint,
	};
}

int malloc_heap_open(struct memory *memory, struct pm_heap **heap, struct pm_error *error)
{
	const struct pm_heap_source source = malloc_heap_source(memory);

	return pm_heap_open(&source, heap, error);
}

/** Opens the memory of a process. */
static int open_process(struct pm_process *process, const struct pm_regions *regions,
                        struct malloc_heap *opened, struct pm_error *error)
{
	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &opened->pagemap, error) < 0 ||
	    pm_target_reader_open(process, regions, &opened->reader, error) < 0)
		return -1;

	opened->pages = pm_pagemap_source(opened->pagemap);
	return 0;
}

void malloc_heap_find_hint(struct pm_process *process, const volatile sig_atomic_t *cancel,
                           struct pm_heap_hint *hint)
{
	struct malloc_heap opened = { 0 };
	struct pm_regions regions;

	*hint = (struct pm_heap_hint){ 0 };
	pm_regions_init(&regions);
	if (pm_maps_read(process, PM_MAPS, &regions, NULL) == 0 &&
	    open_process(process, &regions, &opened, NULL) == 0) {
		const struct pm_heap_source source = { .regions = &regions,
			                               .reader = &opened.reader,
			                               .pages = &opened.pages,
			                               .cancel = cancel };
		pm_heap_find_hint(&source, hint, NULL);
	}

	malloc_heap_close(&opened);
	pm_regions_deinit(&regions);
}

bool malloc_heap_measure(struct pm_process *process, const struct pm_heap_hint *hint,
                         const volatile sig_atomic_t *cancel, struct malloc_heap_cost *cost)
{
	struct pm_process_info info = { 0 };
	struct malloc_heap opened = { 0 };
	struct pm_regions regions;
	uint64_t began_us = clock_us();
	bool known = false;

	pm_regions_init(&regions);
	if (pm_process_read_info(process, &info, NULL) == 0 &&
	    pm_maps_read(process, PM_SMAPS, &regions, NULL) == 0 &&
	    open_process(process, &regions, &opened, NULL) == 0) {
		const struct pm_heap_source source = { .regions = &regions,
			                               .reader = &opened.reader,
			                               .pages = &opened.pages,
			                               .process = process,
			                               .cancel = cancel,
			                               .hint = *hint };
		known = pm_heap_open(&source, &opened.heap, NULL) == 0 && !opened.heap->lost;
	}

	*cost = (struct malloc_heap_cost){ .ns = (clock_us() - began_us) * 1000,
		                           .threads = info.threads };
	if (known)
		cost->chunks = opened.heap->chunk_count;
	malloc_heap_close(&opened);
	pm_regions_deinit(&regions);
	return known;
}

int malloc_heap_open_process(struct pm_process *process, const struct pm_regions *regions,
                             const volatile sig_atomic_t *cancel, struct malloc_heap *opened,
                             struct pm_error *error)
{
	const struct malloc_heap_skip none = { 0 };

	return malloc_heap_open_beside(process, regions, &none, cancel, opened, error);
}

int malloc_heap_open_beside(struct pm_process *process, const struct pm_regions *regions,
                            const struct malloc_heap_skip *skip,
                            const volatile sig_atomic_t *cancel, struct malloc_heap *opened,
                            struct pm_error *error)
{
	*opened = (struct malloc_heap){ 0 };
	if (open_process(process, regions, opened, error) < 0)
		return -1;

	opened->source = (struct pm_heap_source){ .regions = regions,
		                                  .reader = &opened->reader,
		                                  .pages = &opened->pages,
		                                  .process = process,
		                                  .skip = skip->ranges,
		                                  .skip_count = skip->count,
		                                  .cancel = cancel };
	return pm_heap_open(&opened->source, &opened->heap, error);
}

int malloc_heap_open_loaded(const struct loaded *loaded, const volatile sig_atomic_t *cancel,
                            struct malloc_heap *opened, struct pm_error *error)
{
	*opened = (struct malloc_heap){ 0 };
	if (loaded->core)
		opened->reader = pm_core_reader(loaded->core);
	else if (!loaded->target->process)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "%s has no memory to read: it is neither a process nor a core "
		                    "file",
		                    loaded->target->word);
	else if (open_process(loaded->target->process, &loaded->regions, opened, error) < 0)
		return -1;

	opened->source = (struct pm_heap_source){
		.regions = &loaded->regions,
		.reader = &opened->reader,
		.pages = loaded->core ? NULL : &opened->pages,
		.process = loaded->target->process,
		.stopped = loaded->core != NULL,
		.cancel = cancel,
	};
	if (loaded->target->process)
		opened->source.linked = pm_heap_find_linked(loaded->target->process);

	return pm_heap_open(&opened->source, &opened->heap, error);
}

/** Tests whether an owner has its objects in memory that it maps itself, without malloc. */
static bool maps_itself(enum pm_owner owner)
{
	switch (owner) {
	case PM_OWNER_JAVA_HEAP:
	case PM_OWNER_PYTHON_OBJECTS:
	case PM_OWNER_V8_HEAP:
	case PM_OWNER_GO_HEAP:
	case PM_OWNER_DOTNET_HEAP:
		return true;
	default:
		return false;
	}
}

struct malloc_heap_skip malloc_heap_skip_of(const struct pm_runtimes *runtimes)
{
	struct malloc_heap_skip skip = { 0 };
	size_t count = runtimes ? runtimes->range_count : 0;

	if (count == 0)
		return skip;
	skip.ranges = alloc_array(NULL, count, sizeof *skip.ranges);
	for (size_t i = 0; i < count; i++)
		if (runtimes->ranges[i].proof == PM_PROOF_PROVEN &&
		    maps_itself((enum pm_owner)runtimes->ranges[i].owner))
			skip.ranges[skip.count++] = runtimes->ranges[i].range;
	return skip;
}

void malloc_heap_close(struct malloc_heap *opened)
{
	pm_heap_close(opened->heap);
	pm_reader_close(&opened->reader);
	pm_pagemap_close(opened->pagemap);
	*opened = (struct malloc_heap){ 0 };
}

/** Explains that a core file lacks memory in which the heap may be. */
static int explain_truncated(const struct pm_core *core, const char *word, struct pm_error *error)
{
	const struct pm_core_info *info = pm_core_info(core);
	char missing[PM_SIZE_TEXT_SIZE];

	pm_format_size(info->missing, missing);
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "the heap of %s is not known: the core file is truncated at %" PRIu64
	                    " bytes, and lacks %s of the memory of the process; malloc was not "
	                    "found in the rest; a complete core file is needed",
	                    word, info->size, missing);
}

/** Explains that no known allocator was found. */
static int explain_unknown(const struct pm_heap *heap, const char *word, struct pm_error *error)
{
	if (heap->narrow)
		return pm_error_set(
			error, PM_ERROR_UNSUPPORTED, 0,
			"the heap of %s is not known: all of its memory is below 4 GiB, "
			"as in a 32-bit process, and only malloc of 64-bit processes can "
			"be read; 'procmem map' and 'procmem strings' work with any "
			"process",
			word);

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "the heap of %s is not known: no malloc of glibc 2.26 to 2.44 or of "
	                    "jemalloc 5 was found; 'procmem map' and 'procmem strings' work with "
	                    "any allocator",
	                    word);
}

int malloc_heap_check(const struct pm_heap *heap, const struct pm_core *core, const char *word,
                      struct pm_error *error)
{
	const char *name = pm_heap_allocator_name(heap->allocator);
	bool found = heap->arena_count > 0 || heap->chunk_count > 0;

	if (core && pm_core_info(core)->truncated && (!found || heap->unused))
		return explain_truncated(core, word, error);
	if (heap->allocator == PM_HEAP_ALLOCATOR_UNKNOWN)
		return explain_unknown(heap, word, error);
	if (heap->lost)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the heap of %s is not known: most of it could not be read, "
		                    "because it changes too fast or is damaged; 'procmem heap "
		                    "--stop' reads it while the process is stopped",
		                    word);
	if (found && !heap->unused)
		return 0;

	if (heap->unused)
		return pm_error_set(
			error, PM_ERROR_UNSUPPORTED, 0,
			"the heap of %s is not known: the process has not called malloc "
			"of %s, and no other known allocator was found; 'procmem map' "
			"and 'procmem strings' work with any allocator",
			word, name);

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "the heap of %s is not known: its allocator is %s, whose chunks "
	                    "procmem cannot read; 'procmem map' and 'procmem strings' work with "
	                    "any allocator",
	                    word, name);
}

void malloc_heap_report_uncertain(const struct pm_heap *heap, const char *outcome)
{
	if (heap->mapped_uncertain && !heap->mapped_counted)
		report_note("malloc's counters of the chunks that it mapped separately were not "
		            "found: such chunks can be missing, and %" PRIu64
		            " ranges that look like such chunks %s",
		            heap->mapped_count, outcome);
	else if (heap->mapped_uncertain)
		report_note("malloc has mapped %" PRIu64 " chunks separately, but %" PRIu64
		            " ranges look like such chunks; all of them %s",
		            heap->mapped_count_counter, heap->mapped_count, outcome);
}

bool malloc_heap_lacks_only_mapped(const struct pm_heap *heap)
{
	return heap->mapped_missing && heap->breaks_total == 1;
}

void malloc_heap_report_lacking(const struct pm_heap *heap)
{
	struct text line = { 0 };

	text_string(&line, "of ");
	text_size(&line, heap->mapped_counter);
	text_string(&line, " in chunks that malloc has mapped separately, only ");
	text_size(&line, heap->mapped);
	text_string(&line, " were found; the figures are approximate");
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

void malloc_heap_report_other(const struct pm_heap *heap, bool bytes)
{
	const char *name = pm_heap_allocator_name(heap->other);
	struct text line = { 0 };

	if (heap->other == PM_HEAP_ALLOCATOR_UNKNOWN)
		return;

	if (heap->other_known) {
		text_string(&line, "the process also has ");
		if (bytes)
			text_decimal(&line, heap->other_in_use);
		else
			text_size(&line, heap->other_in_use);
		text_format(&line, " in use in %s malloc, which is not shown", name);
	} else if (heap->other == PM_HEAP_ALLOCATOR_GLIBC) {
		text_string(&line,
		            "another copy of libc in the process has a malloc of its own, whose "
		            "chunks are not known");
	} else {
		text_format(&line,
		            "the process also has the allocator %s; the chunks that it has "
		            "allocated are not known",
		            name);
	}
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}
