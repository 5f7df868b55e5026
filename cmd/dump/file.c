/* SPDX-License-Identifier: MIT */
#include "dump/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/new_file.h"
#include "dump/dump.h"
#include "dump/map.h"
#include "dump/source.h"

/** Writes FILE.map to a descriptor. */
static int put_map(const struct dump *dump, int fd, struct pm_error *error)
{
	struct out out;
	out_init(&out, fd);
	out_set_colour(&out, OUT_COLOUR_NEVER);
	dump_map_write(dump, &out);
	out_flush(&out);

	int cause = out.os_errno;
	out.os_errno = 0; /* told here, with the name of the file */
	out_close(&out);
	if (cause != 0)
		return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s.map: %s",
		                    dump->options->file, strerror(cause));

	return 0;
}

static void put_map_name(const struct dump *dump, struct text *name)
{
	text_string(name, dump->options->file);
	text_string(name, ".map");
}

/** Whether an earlier dump left a FILE.map, which would tell the wrong about this one. */
static bool has_old_map(const struct dump *dump)
{
	struct stat status;
	struct text name = { 0 };
	put_map_name(dump, &name);
	bool has = lstat(text_terminate(&name), &status) == 0 && S_ISREG(status.st_mode);
	text_deinit(&name);
	return has;
}

static int write_map(const struct dump *dump, struct pm_error *error)
{
	struct new_file map;
	struct text name = { 0 };
	put_map_name(dump, &name);

	int status = new_file_open(&map, text_terminate(&name), error);
	text_deinit(&name);
	if (status < 0)
		return -1;
	if (put_map(dump, map.fd, error) < 0) {
		new_file_drop(&map);
		return -1;
	}

	return new_file_keep(&map, error);
}

static int copy(struct dump *dump, int fd, struct pm_dump_result *result, struct pm_error *error)
{
	const struct pm_dump_source source = dump_source(dump);
	const struct pm_core_options core = { .stop = dump->memory.stop,
		                              .respect_filter = dump->options->respect_filter };
	return dump->options->core ? pm_dump_core(&source, &core, fd, result, error)
	                           : pm_dump_raw(&source, fd, result, error);
}

int dump_file_write(struct dump *dump, struct pm_dump_result *result, struct pm_error *error)
{
	struct new_file file;
	if (new_file_open(&file, dump->options->file, error) < 0)
		return -1;

	file.only_new = dump->options->only_new;
	if (dump->options->core && !file.temporary) {
		new_file_drop(&file);
		return pm_error_set(error, PM_ERROR_IO, EINVAL,
		                    "cannot write %s: a core file is sparse and needs a regular "
		                    "file; name a new one",
		                    dump->options->file);
	}

	int status = copy(dump, file.fd, result, error);
	memory_resume(&dump->memory);
	pm_unreadable_list_sort(&dump->memory.unreadable);

	/* Whether the file alone tells what stands where. */
	bool plain = dump->memory.count == 1 && dump->memory.unreadable.count == 0 &&
	             !dump->options->output.json && !has_old_map(dump);
	bool map = file.temporary && !dump->options->core && !plain;

	if (status == 0 && map)
		status = memory_classify(&dump->memory, error) < 0 ? -1 : write_map(dump, error);
	if (status == 0)
		return new_file_keep(&file, error);

	if (error->kind == PM_ERROR_IO && error->os_errno == EFBIG)
		pm_error_set(error, PM_ERROR_IO, EFBIG,
		             "cannot write %s: the file system takes no file of %llu bytes; choose "
		             "fewer regions",
		             dump->options->file, (unsigned long long)memory_size(&dump->memory));

	new_file_drop(&file);
	return -1;
}
