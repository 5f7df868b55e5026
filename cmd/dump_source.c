/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "dump.h"

#include <procmem/kinds.h>

void lacks_add(struct lacks *lacks, uint64_t start, uint64_t end, const char *why)
{
	struct lack *last = lacks->count > 0 ? &lacks->items[lacks->count - 1] : NULL;
	lacks->bytes += end - start;
	if (last && last->end == start && strcmp(last->why, why) == 0) {
		last->end = end;
		return;
	}
	if (lacks->count == lacks->capacity) {
		lacks->capacity = lacks->capacity * 2 + 16;
		lacks->items = alloc_array(lacks->items, lacks->capacity, sizeof *lacks->items);
	}
	char *copy = alloc_array(NULL, strlen(why) + 1, 1);
	strcpy(copy, why);
	lacks->items[lacks->count++] = (struct lack){ start, end, copy };
}

static int compare(const void *left, const void *right)
{
	const struct lack *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

void lacks_sort(struct lacks *lacks)
{
	if (lacks->count > 0)
		qsort(lacks->items, lacks->count, sizeof *lacks->items, compare);
}

void lacks_deinit(struct lacks *lacks)
{
	for (size_t i = 0; i < lacks->count; i++)
		free(lacks->items[i].why);
	free(lacks->items);
	*lacks = (struct lacks){ 0 };
}

/** Opens what stands for the process: its regions, page states and memory. */
static int open_process(struct dump *dump, struct pm_error *error)
{
	const struct dump_options *options = dump->options;
	struct pm_process *process = dump->target.process;
	if (options->stop) {
		if (pm_stop_begin(process, dump->cancel, &dump->stop, error) < 0)
			return -1;
		dump->threads = pm_stop_count(dump->stop);
	}
	/* VmFlags tell what may be read, and how. */
	if (regions_load(&dump->loaded, &dump->target, selection_needs(&options->selection) | REGION_NEEDS_SMAPS, error) < 0 ||
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &dump->pagemap, error) < 0 ||
	    pm_target_reader_open(process, &dump->loaded.regions, &dump->memory, error) < 0)
		return -1;
	dump->pages = pm_pagemap_source(dump->pagemap);
	return options->whole_files ? pm_file_reader_open(process, &dump->loaded.regions, &dump->files, error) : 0;
}

static int open_core(struct dump *dump, struct pm_error *error)
{
	if (dump->options->stop || dump->options->whole_files || dump->options->core)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "--core, --stop and --whole-files are for processes, and %s is a core file",
		                    dump->target.word);
	if (pm_core_open(dump->target.path, &dump->core, error) < 0 || pm_core_regions(dump->core, &dump->loaded.regions, error) < 0)
		return -1;
	dump->memory = pm_core_reader(dump->core);
	dump->pages = pm_core_source(dump->core);
	if (!(selection_needs(&dump->options->selection) & REGION_NEEDS_KINDS))
		return 0;
	const struct pm_kinds_evidence evidence = { .reader = &dump->memory };
	return pm_kinds_assign(&dump->loaded.regions, &evidence, error);
}

static int open_target(struct dump *dump, const char *word, struct pm_error *error)
{
	if (target_open(&dump->target, word, error) < 0)
		return -1;
	if (dump->target.process)
		return open_process(dump, error);
	if (pm_core_is_one(dump->target.path))
		return open_core(dump, error);
	return pm_error_set(error, PM_ERROR_USAGE, 0, "%s is neither a process nor a core file: there is no memory to read", word);
}

int dump_open(struct dump *dump, char *const *words, int count, struct pm_error *error)
{
	struct pm_select *select = dump->options->selection.select;
	pm_regions_init(&dump->loaded.regions);
	for (int i = 1; i < count; i++)
		if (pm_select_add_word(select, words[i], error) < 0)
			return -1;
	if (count < 2 && pm_select_add_word(select, "all", error) < 0)
		return -1;
	if (open_target(dump, words[0], error) < 0)
		return -1;
	progress_init(&dump->progress, dump->options->output.quiet);
	if (pm_select_apply(select, &dump->loaded.regions, &dump->ranges, &dump->count, error) < 0)
		return error->kind == PM_ERROR_NOT_FOUND ? 0 : -1;
	if (dump->count == 0)
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "none of the %zu regions of %s fits", dump->loaded.regions.count, words[0]);
	return dump->count > 0;
}

void dump_resume(struct dump *dump)
{
	if (dump->stop)
		dump->stopped_ns = pm_stop_end(dump->stop);
	dump->stop = NULL;
}

int dump_classify(struct dump *dump, struct pm_error *error)
{
	const struct pm_kinds_evidence evidence = { .process = dump->target.process, .reader = &dump->memory, .pagemap = dump->pagemap };
	if (selection_needs(&dump->options->selection) & REGION_NEEDS_KINDS)
		return 0;
	return pm_kinds_assign(&dump->loaded.regions, &evidence, error);
}

void dump_close(struct dump *dump)
{
	dump_resume(dump);
	pm_reader_close(&dump->files);
	pm_reader_close(&dump->memory);
	pm_pagemap_close(dump->pagemap);
	pm_core_close(dump->core);
	loaded_deinit(&dump->loaded);
	if (dump->target.word)
		target_close(&dump->target);
	lacks_deinit(&dump->lacks);
	free(dump->ranges);
}

uint64_t dump_size(const struct dump *dump)
{
	uint64_t size = 0;
	for (size_t i = 0; i < dump->count; i++)
		size += dump->ranges[i].end - dump->ranges[i].start;
	return size;
}

static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct dump *dump = context;
	lacks_add(&dump->lacks, range->start, range->end, range->why);
}

/** Bytes of the chosen ranges below an address. */
static uint64_t bytes_before(const struct dump *dump, uint64_t address)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < dump->count && dump->ranges[i].start < address; i++)
		bytes += (dump->ranges[i].end < address ? dump->ranges[i].end : address) - dump->ranges[i].start;
	return bytes;
}

static void show_progress(void *context, uint64_t bytes, uint64_t address)
{
	struct dump *dump = context;
	if (progress_due(&dump->progress))
		progress_show(&dump->progress, bytes_before(dump, address), dump_size(dump), bytes);
}

struct pm_dump_source dump_source(struct dump *dump)
{
	return (struct pm_dump_source){
		.process = dump->target.process,
		.regions = &dump->loaded.regions,
		.ranges = dump->ranges,
		.count = dump->count,
		.pages = &dump->pages,
		.reader = &dump->memory,
		.files = dump->files.ops ? &dump->files : NULL,
		.cancel = dump->cancel,
		.progress = show_progress,
		.unreadable = note_unreadable,
		.context = dump,
	};
}
