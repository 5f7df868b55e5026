/* SPDX-License-Identifier: MIT */
/* Writes a dump to a file, and its index to FILE.map: the offset of each range in the file. */
#include "dump/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/new_file.h"
#include "dump/source.h"
#include "target/json_parts.h"
#include "target/region_text.h"
#include "view/json.h"

/** Returns the region of a range, or NULL if nothing is mapped there. */
static const struct pm_region *region_of(const struct dump *dump,
                                         const struct pm_region_range *range)
{
	const struct pm_regions *regions = &dump->memory.loaded.regions;

	if (range->region >= regions->count)
		return NULL;

	return &regions->items[range->region];
}

static void put_mapping(const struct pm_region *region, struct text *text)
{
	text_clear(text);
	region_text_mapping(region, false, text);
}

/**
 * Writes the permissions, kind and mapping of a region. A missing kind or mapping is written as
 * `-`.
 */
static void write_region(const struct pm_region *region, struct out *out)
{
	struct text mapping = { 0 };
	char perms[PM_PERMS_TEXT_SIZE];
	const char *kind = pm_kind_name((enum pm_kind)region->kind);

	pm_format_perms(region->perms, perms);
	if (*kind == '\0')
		kind = "-";
	put_mapping(region, &mapping);
	if (mapping.length == 0)
		text_string(&mapping, "-");

	out_format(out, "%s %s ", perms, kind);
	out_escaped(out, text_terminate(&mapping));
	text_deinit(&mapping);
}

static void write_index_text(const struct dump *dump, struct out *out)
{
	const struct pm_unreadable_list *unreadable = &dump->memory.unreadable;
	uint64_t offset = 0;
	size_t next = 0;

	out_string(out, "# address range, bytes, offset in the dump, permissions, kind, mapping\n");
	for (size_t i = 0; i < dump->memory.count; i++) {
		const struct pm_region *region = region_of(dump, &dump->memory.ranges[i]);
		struct pm_range range = dump->memory.ranges[i].range;

		out_format(out, "%012llx-%012llx %llu %llu ", (unsigned long long)range.start,
		           (unsigned long long)range.end, (unsigned long long)pm_range_size(range),
		           (unsigned long long)offset);
		if (region)
			write_region(region, out);
		else
			out_string(out, "---- - (nothing is mapped there)");
		out_string(out, "\n");

		for (; next < unreadable->count && unreadable->items[next].start < range.end;
		     next++) {
			const struct pm_unreadable *item = &unreadable->items[next];
			out_format(out, "  unreadable %012llx-%012llx ",
			           (unsigned long long)item->start, (unsigned long long)item->end);
			out_escaped(out, item->why);
			out_string(out, "\n");
		}

		offset += pm_range_size(range);
	}
}

/**
 * Writes the object of a range, without its closing brace: its region, and where it is in the dump.
 * A range where nothing is mapped has no region.
 */
static void open_range(struct json *json, struct pm_range range, const struct pm_region *region,
                       uint64_t offset)
{
	char perms[PM_PERMS_TEXT_SIZE];

	json_open(json, NULL, '{');
	json_put(json, "start", json_address(range.start));
	json_put(json, "end", json_address(range.end));
	json_put(json, "dump_offset", json_number(offset));
	if (!region)
		return;

	pm_format_perms(region->perms, perms);
	json_put(json, "perms", json_text(perms));
	json_parts_purpose(json, region);
}

static void put_unreadable(struct json *json, const struct pm_unreadable *item)
{
	json_open(json, NULL, '{');
	json_put(json, "start", json_address(item->start));
	json_put(json, "end", json_address(item->end));
	json_put(json, "why", json_text(item->why));
	json_shut(json, '}');
}

static void write_index_json(const struct dump *dump, struct out *out)
{
	const struct pm_unreadable_list *unreadable = &dump->memory.unreadable;
	struct json json = { .out = out };
	uint64_t offset = 0;
	size_t next = 0;

	json_open(&json, NULL, '{');
	json_open(&json, "ranges", '[');
	for (size_t i = 0; i < dump->memory.count; i++) {
		const struct pm_region *region = region_of(dump, &dump->memory.ranges[i]);
		struct pm_range range = dump->memory.ranges[i].range;

		open_range(&json, range, region, offset);
		json_open(&json, "unreadable_ranges", '[');
		for (; next < unreadable->count && unreadable->items[next].start < range.end;
		     next++)
			put_unreadable(&json, &unreadable->items[next]);

		json_shut(&json, ']');
		json_shut(&json, '}');
		offset += pm_range_size(range);
	}

	json_shut(&json, ']');
	json_shut(&json, '}');
	out_string(out, "\n");
}

/** Writes the index of a dump: the offset of each range in the file. */
static void write_index(const struct dump *dump, struct out *out)
{
	if (dump->options->output.json)
		write_index_json(dump, out);
	else
		write_index_text(dump, out);
}

/** Writes the index to a descriptor. */
static int put_map(const struct dump *dump, int fd, struct pm_error *error)
{
	struct out out;
	out_init(&out, fd);
	out_set_colour(&out, OUT_COLOUR_NEVER);
	write_index(dump, &out);
	out_flush(&out);

	int cause = out.os_errno;
	out.os_errno = 0; /* reset, so that out_close() does not report the error: it is reported
	                     here, with the name of the file */
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

/**
 * Returns whether an index of an earlier dump exists. It must be replaced, because it does not
 * describe this dump.
 */
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

	if (dump->options->core)
		return pm_dump_core(&source, &core, fd, result, error);

	return pm_dump_raw(&source, fd, result, error);
}

/** Replaces the error of a file that became too large by one that names the limit. */
static void set_too_large(const struct dump *dump, struct pm_error *error)
{
	unsigned long long size = memory_size(&dump->memory);
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size)
		pm_error_set(error, PM_ERROR_IO, EFBIG,
		             "cannot write %s: the file would have %llu bytes, but this process "
		             "may write only files of up to %llu bytes: raise this limit (ulimit "
		             "-f), or choose fewer regions",
		             dump->options->file, size, (unsigned long long)limit.rlim_cur);
	else
		pm_error_set(
			error, PM_ERROR_IO, EFBIG,
			"cannot write %s: the file system does not support files of %llu bytes; "
			"choose fewer regions",
			dump->options->file, size);
}

int dump_file_write(struct dump *dump, struct pm_dump_result *result, struct pm_error *error)
{
	struct new_file file;
	if (new_file_open(&file, dump->options->file, error) < 0)
		return -1;

	file.only_new = dump->options->only_new;
	if (dump->options->core && !file.temporary) {
		new_file_drop(&file);
		return pm_error_set(
			error, PM_ERROR_IO, EINVAL,
			"cannot write %s: a core file must be a regular file; use another "
			"file name",
			dump->options->file);
	}

	int status = copy(dump, file.fd, result, error);
	memory_resume(&dump->memory);
	pm_unreadable_list_sort(&dump->memory.unreadable);

	/* A dump of a single range without unreadable bytes needs no index. */
	bool plain = dump->memory.count == 1 && dump->memory.unreadable.count == 0 &&
	             !dump->options->output.json && !has_old_map(dump);
	bool map = file.temporary && !dump->options->core && !plain;

	if (status == 0 && map)
		status = memory_classify(&dump->memory, error);
	if (status == 0 && map)
		status = write_map(dump, error);
	if (status == 0)
		return new_file_keep(&file, error);

	if (error->kind == PM_ERROR_IO && error->os_errno == EFBIG)
		set_too_large(dump, error);

	new_file_drop(&file);
	return -1;
}
