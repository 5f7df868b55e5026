/* SPDX-License-Identifier: MIT */
#include "grep/save.h"

#include <time.h>

int grep_save_open(struct grep_save *save, const char *path, const struct pm_saved_hits_info *info,
                   struct pm_error *error)
{
	struct pm_saved_hits_info now = *info;
	now.time = (uint64_t)time(NULL);

	if (new_file_open(&save->file, path, error) < 0)
		return -1;

	save->path = path;
	if (pm_saved_hits_create(save->file.fd, &now, &save->writer, error) == 0)
		return 0;

	new_file_drop(&save->file);
	return -1;
}

int grep_save_add(struct grep_save *save, const struct pm_saved_hit *hit, struct pm_error *error)
{
	save->count++;
	return pm_saved_hits_add(save->writer, hit, error);
}

static void print(const struct grep_save *save, struct out *out)
{
	struct text line = { 0 };

	text_grouped(&line, save->count);
	text_format(&line, " %s saved in ", save->count == 1 ? "number" : "numbers");
	text_string(&line, save->path);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

int grep_save_keep(struct grep_save *save, struct out *out, struct pm_error *error)
{
	struct pm_saved_hits_writer *writer = save->writer;

	save->writer = NULL;
	if (pm_saved_hits_end(writer, true, error) < 0) {
		new_file_drop(&save->file);
		return -1;
	}
	if (new_file_keep(&save->file, error) < 0)
		return -1;

	if (out)
		print(save, out);
	return 0;
}

void grep_save_close(struct grep_save *save)
{
	if (!save->writer)
		return;

	pm_saved_hits_end(save->writer, false, NULL);
	save->writer = NULL;
	new_file_drop(&save->file);
}
