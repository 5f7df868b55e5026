/* SPDX-License-Identifier: MIT */
#include "target/memory.h"
#include "target/target_hint.h"

#include <stdlib.h>
#include <unistd.h>

#include <procmem/file_reader.h>
#include <procmem/kinds.h>
#include <procmem/target_reader.h>

#include "base/minmax.h"
#include "base/report.h"
#include "target/malloc_heap.h"
#include "target/sampled.h"
#include "target/target_hint.h"

/**
 * Refuses to read the memory of procmem itself, because this memory changes while procmem reads it
 * and contains the pattern of every search.
 */
static int refuse_self(const struct memory *memory, struct pm_error *error)
{
	if (pm_process_pid(memory->target.process) != getpid())
		return 0;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "process %d is this procmem itself; use another procmem to read it",
	                    (int)getpid());
}

/** Opens a process: stops it if requested, and opens its regions, page states and bytes. */
static int open_process(struct memory *memory, const struct memory_options *options,
                        struct pm_error *error)
{
	struct pm_process *process = memory->target.process;

	if (refuse_self(memory, error) < 0)
		return -1;

	if (options->heap)
		memory->linked = pm_heap_find_linked(process);

	/* If a session has stopped the process, use that stop even if the options do not request
	 * one: a stopped process allows, for example, reading the registers. */
	if (options->stop || stopping_holds(process)) {
		memory->others = stopping_find_others(process);
		memory->was_stopped = sampled_is_stopped(process);
		if (options->heap && !stopping_holds(process))
			malloc_heap_find_hint(process, memory->cancel, &memory->hint);
		if (options->before_stop && !stopping_holds(process) &&
		    options->before_stop(options->context, process, error) < 0)
			return -1;
		if (stopping_begin(process, memory->cancel, &memory->stop, error) < 0)
			return -1;
		memory->threads = pm_stop_count(memory->stop);
	}

	if (regions_load(&memory->loaded, &memory->target, options->needs | REGION_NEEDS_SMAPS,
	                 error) < 0 ||
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &memory->pagemap, error) < 0 ||
	    pm_target_reader_open(process, &memory->loaded.regions, &memory->reader, error) < 0)
		return -1;

	memory->pages = pm_pagemap_source(memory->pagemap);
	if (!options->files)
		return 0;

	return pm_file_reader_open(process, &memory->loaded.regions, &memory->files, error);
}

static int open_core(struct memory *memory, const struct memory_options *options,
                     struct pm_error *error)
{
	if (options->stop || options->files)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"--stop and --whole-files need a process, but %s is a core file",
			memory->target.word);
	if (pm_core_open(memory->target.path, &memory->core, error) < 0 ||
	    pm_core_regions(memory->core, &memory->loaded.regions, error) < 0)
		return -1;

	memory->reader = pm_core_reader(memory->core);
	memory->pages = pm_core_source(memory->core);
	if (!(options->needs & REGION_NEEDS_KINDS))
		return 0;

	const struct pm_kinds_evidence evidence = regions_load_evidence(memory->core,
	                                                                &memory->reader);
	return pm_kinds_assign(&memory->loaded.regions, &evidence, error);
}

static int open_target(struct memory *memory, const char *word,
                       const struct memory_options *options, struct pm_error *error)
{
	if (target_open(&memory->target, word, error) < 0 ||
	    target_check_start(&memory->target, memory->start_ticks, error) < 0)
		return -1;
	if (memory->target.process)
		return open_process(memory, options, error);
	if (pm_core_is_one(memory->target.path))
		return open_core(memory, options, error);
	if (memory->target.recording)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is a recording, which has sizes but no contents of memory: "
		                    "read it with 'procmem map' or 'procmem diff'",
		                    word);

	return target_hint_no_memory(word, error);
}

enum memory_status memory_open(struct memory *memory, const char *word,
                               const struct selection *selection,
                               const struct memory_options *options, struct pm_error *error)
{
	struct memory_options wanted = *options;
	wanted.needs |= selection_needs(selection);
	memory->classified = wanted.needs & REGION_NEEDS_KINDS;
	pm_regions_init(&memory->loaded.regions);
	if (open_target(memory, word, &wanted, error) < 0)
		return MEMORY_FAILED;
	if (selection_apply(selection, &memory->loaded.regions, options->quiet, &memory->ranges,
	                    &memory->count, error) < 0)
		return error->kind == PM_ERROR_NOT_FOUND ? MEMORY_NOTHING : MEMORY_FAILED;

	if (memory->count > 0)
		return MEMORY_READY;

	pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
	             "none of the %zu region%s of %s matches the filters",
	             memory->loaded.regions.count, text_plural(memory->loaded.regions.count), word);
	return MEMORY_NOTHING;
}

void memory_resume(struct memory *memory)
{
	if (memory->stop)
		memory->stopped_ns = stopping_end(memory->stop);
	memory->stop = NULL;
}

bool memory_may_stop_again(const struct memory *memory)
{
	return memory->stop && !memory->was_stopped && !stopping_holds(memory->target.process);
}

bool memory_reopen(struct memory *memory, uint64_t *ns)
{
	const volatile sig_atomic_t *cancel = memory->cancel;
	uint64_t start_ticks = memory->start_ticks;

	memory_resume(memory);
	*ns += memory->stopped_ns;

	bool has_run = pm_stop_await_run(memory->target.process, cancel);
	memory_close(memory);
	*memory = (struct memory){ .cancel = cancel, .start_ticks = start_ticks };
	return has_run;
}

int memory_classify(struct memory *memory, struct pm_error *error)
{
	const struct pm_kinds_evidence evidence =
		memory->core ? regions_load_evidence(memory->core, &memory->reader)
			     : (struct pm_kinds_evidence){ .process = memory->target.process,
		                                           .reader = &memory->reader,
		                                           .pagemap = memory->pagemap };

	if (memory->classified)
		return 0;

	memory->classified = true;
	return pm_kinds_assign(&memory->loaded.regions, &evidence, error);
}

void memory_close(struct memory *memory)
{
	memory_resume(memory);
	pm_reader_close(&memory->files);
	pm_reader_close(&memory->reader);
	pm_pagemap_close(memory->pagemap);
	pm_core_close(memory->core);
	regions_load_deinit(&memory->loaded);
	if (memory->target.word)
		target_close(&memory->target);

	pm_unreadable_list_deinit(&memory->unreadable);
	free(memory->ranges);
}

uint64_t memory_size_before(const struct memory *memory, uint64_t address)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < memory->count && memory->ranges[i].range.start < address; i++) {
		struct pm_range range = memory->ranges[i].range;
		bytes += pm_min(range.end, address) - range.start;
	}

	return bytes;
}

uint64_t memory_size(const struct memory *memory)
{
	return memory_size_before(memory, UINT64_MAX);
}

void memory_note_unmapped(struct memory *memory)
{
	for (size_t i = 0; i < memory->count; i++) {
		const struct pm_region_range *range = &memory->ranges[i];
		const struct pm_unreadable unmapped = { .start = range->range.start,
			                                .end = range->range.end,
			                                .why = "nothing is mapped there" };

		if (range->region == SIZE_MAX)
			unreadable_add(&memory->unreadable, &unmapped);
	}
}

/** A selected range, and the memory that it belongs to. */
struct cut_search {
	struct memory *memory;
	struct pm_range range;
};

static int note_cut_run(void *context, const struct pm_page_run *run)
{
	const struct cut_search *search = context;
	struct pm_range cut = pm_range_clip((struct pm_range){ run->start, run->end },
	                                    search->range);
	const struct pm_unreadable range = { .start = cut.start,
		                             .end = cut.end,
		                             .why = "beyond the end of the truncated core file" };

	if (!(run->state & PM_PAGE_CUT) || pm_range_size(cut) == 0)
		return 0;

	search->memory->cut += pm_range_size(cut);
	unreadable_add(&search->memory->unreadable, &range);
	return 0;
}

void memory_note_cut(struct memory *memory)
{
	if (!memory->core || !pm_core_info(memory->core)->truncated)
		return;

	for (size_t i = 0; i < memory->count; i++) {
		struct cut_search search = { memory, memory->ranges[i].range };
		memory->pages.walk(memory->pages.context, search.range.start, search.range.end,
		                   note_cut_run, &search, NULL);
	}
}

void memory_report_truncated(const struct pm_core *core, const char *word)
{
	const struct pm_core_info *info = pm_core_info(core);
	struct text missing = { 0 };

	text_size(&missing, info->missing);
	report_note("the core file %s is truncated at %llu bytes: %s of the memory of the process "
	            "is missing",
	            word, (unsigned long long)info->size, text_terminate(&missing));
	text_deinit(&missing);
}

void memory_note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct memory *memory = context;
	unreadable_add(&memory->unreadable, range);
}
