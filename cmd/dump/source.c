/* SPDX-License-Identifier: MIT */
#include "dump/source.h"

enum memory_status dump_source_open(struct dump *dump, char *const *words, int count,
                                    struct pm_error *error)
{
	const struct dump_options *options = dump->options;
	char all[] = "all", *everything[] = { all };
	int result;

	if (count < 2)
		result = selection_add_words(&options->selection, everything, 1, error);
	else
		result = selection_add_words(&options->selection, words + 1, count - 1, error);
	if (result < 0)
		return MEMORY_FAILED;

	progress_init(&dump->progress, options->output.quiet);
	enum memory_status status = memory_open(
		&dump->memory, words[0], &options->selection,
		&(struct memory_options){ .stop = options->stop,
	                                  .quiet = options->output.quiet,
	                                  .files = options->whole_files },
		error);

	if (status == MEMORY_READY && dump->memory.core && options->core) {
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "--core needs a process, but %s is a core file", words[0]);
		return MEMORY_FAILED;
	}

	return status;
}

static void show_progress(void *context, uint64_t bytes, uint64_t address)
{
	struct dump *dump = context;
	if (progress_due(&dump->progress))
		progress_show(&dump->progress, memory_size_before(&dump->memory, address),
		              memory_size(&dump->memory), bytes);
}

static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct dump *dump = context;
	memory_note_unreadable(&dump->memory, range);
}

struct pm_dump_source dump_source(struct dump *dump)
{
	struct memory *memory = &dump->memory;
	return (struct pm_dump_source){
		.process = memory->target.process,
		.regions = &memory->loaded.regions,
		.ranges = memory->ranges,
		.count = memory->count,
		.pages = &memory->pages,
		.reader = &memory->reader,
		.files = memory->files.ops ? &memory->files : NULL,
		.cancel = memory->cancel,
		.progress = show_progress,
		.unreadable = note_unreadable,
		.context = dump,
	};
}
