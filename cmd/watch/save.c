/* SPDX-License-Identifier: MIT */
#include "watch/save.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "dump/file.h"
#include "dump/source.h"

/**
 * Writes regions to a file, with the functions of `procmem dump`.
 * @param words the operands of dump: TARGET and REGIONs
 */
static int write_file(const struct watch_save *save, char *const *words, int count,
                      const struct dump_options *options, struct pm_dump_result *result,
                      struct pm_error *error)
{
	struct dump dump = { .options = options, .memory.cancel = save->cancel };
	int ready = dump_source_open(&dump, words, count, error);
	int status = -1;

	dump.progress.listener = save->listener;
	dump.progress.context = save->context;

	/* Report the total size before the first block is read, because reading it may take
	 * long. */
	if (ready > 0 && save->listener)
		save->listener(save->context, 0, memory_size(&dump.memory));

	/* The operands name the process by its PID. If the process still exists now, the memory
	 * that was opened is its memory: no other process can have had this PID. */
	if (ready > 0 && pm_process_check(save->process, error) == 0)
		status = dump_file_write(&dump, result, error);
	memory_close(&dump.memory);

	if (status == 0 && result->bytes + result->holes == 0) {
		unlink(options->file);
		return pm_error_set(
			error, PM_ERROR_NOT_FOUND, 0,
			"no byte could be read: the region is gone, or is not readable");
	}

	return status;
}

/**
 * Makes the operands of a dump: the PID, and each range as a REGION. The caller frees the words and
 * the array.
 */
static char **make_words(const struct watch_save *save)
{
	char **words = alloc_array(NULL, save->count + 1, sizeof *words);
	struct text target = { 0 };

	text_decimal(&target, (uint64_t)save->pid);
	text_terminate(&target);
	words[0] = target.bytes;

	for (size_t i = 0; i < save->count; i++) {
		struct pm_range range = save->ranges[i].range;
		struct text word = { 0 };
		text_format(&word, "0x%llx-0x%llx", (unsigned long long)range.start,
		            (unsigned long long)range.end);
		text_terminate(&word);
		words[i + 1] = word.bytes;
	}

	return words;
}

int watch_save(const struct watch_save *save, uint64_t *bytes, struct pm_error *error)
{
	struct stat found;

	if (!*save->path)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "nothing was written: no file name was given");
	if (lstat(save->path, &found) == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s exists already and was not changed: choose another name",
		                    save->path);

	struct dump_options options = { .file = save->path,
		                        .only_new = true,
		                        .output.quiet = true };
	struct pm_dump_result result = { 0 };

	if (selection_init(&options.selection, error) < 0)
		return -1;

	char **words = make_words(save);
	int status = write_file(save, words, (int)save->count + 1, &options, &result, error);
	selection_deinit(&options.selection);

	for (size_t i = 0; i <= save->count; i++)
		free(words[i]);

	free(words);
	if (status == 0)
		*bytes = result.bytes;
	return status;
}
