/* SPDX-License-Identifier: MIT */
/* The samples of a recording as a list. The items are `struct pm_listed`. */
#include "snap/list.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/recording.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "target/json_parts.h"
#include "target/target.h"
#include "view/json.h"
#include "view/list_print.h"

static const struct pm_recorded *recorded_of(const void *item)
{
	return &((const struct pm_listed *)item)->recorded;
}

static bool sample_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = recorded_of(item)->number;
	return true;
}

static bool total_of(const struct list_column *column, const void *item, uint64_t *value)
{
	memcpy(value, (const char *)&recorded_of(item)->totals + column->index, sizeof *value);
	return true;
}

static bool regions_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct pm_listed *)item)->regions;
	return true;
}

static void time_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	delta_put_time(text, recorded_of(item)->wall_ns);
}

/**
 * The data of regions that a sample contains: only totals of the process, the resident size of each
 * region, or all sizes of each region.
 */
enum holds { HOLDS_TOTALS, HOLDS_RSS, HOLDS_ALL };

static enum holds holds_of(const void *item)
{
	const struct pm_listed *listed = item;

	if (!listed->recorded.fresh)
		return HOLDS_TOTALS;
	return listed->detailed ? HOLDS_ALL : HOLDS_RSS;
}

static void holds_text(const struct list_column *column, const void *item, struct text *text)
{
	static const char *const names[] = { "totals", "rss", "all" };

	(void)column;
	text_string(text, names[holds_of(item)]);
}

static void holds_show(const struct list_column *column, const void *item, bool brief,
                       struct text *text)
{
	static const char *const names[] = { "totals only", "RSS and swap", "all sizes" };
	const struct pm_listed *listed = item;

	(void)column;
	(void)brief;
	text_string(text, names[holds_of(item)]);
	if (listed->chunks)
		text_string(text, ", chunks");
	if (listed->sites)
		text_string(text, ", call sites");
}

/** Returns whether a sample has the chunks of malloc, for JSON. */
static json_t *chunks_value(const struct list_column *column, const void *item)
{
	(void)column;
	return json_boolean(((const struct pm_listed *)item)->chunks);
}

static void chunks_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, ((const struct pm_listed *)item)->chunks ? "true" : "false");
}

/** Returns whether a sample has the sites of a trace, for JSON. */
static json_t *sites_value(const struct list_column *column, const void *item)
{
	(void)column;
	return json_boolean(((const struct pm_listed *)item)->sites);
}

static void sites_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, ((const struct pm_listed *)item)->sites ? "true" : "false");
}

/* A column with a total of the process, such as its RSS. It has no sum over all rows, because a sum
 * over samples has no meaning. */
#define SAMPLE_TOTAL(NAME, TITLE, TYPE, FIELD)        \
	{ .name = (NAME),                             \
	  .title = (TITLE),                           \
	  .type = (TYPE),                             \
	  .alone = true,                              \
	  .index = offsetof(struct pm_totals, FIELD), \
	  .number = total_of }

static const struct list_column columns[] = {
	{ .name = "sample", .title = "SAMPLE", .type = LIST_NUMBER, .number = sample_of },
	{ .name = "time", .title = "TIME", .type = LIST_TEXT, .safe = true, .text = time_text },
	SAMPLE_TOTAL("rss", "RSS", LIST_SIZE, rss),
	SAMPLE_TOTAL("anon", "ANON", LIST_SIZE, anon),
	SAMPLE_TOTAL("file", "FILE", LIST_SIZE, file),
	SAMPLE_TOTAL("shmem", "SHMEM", LIST_SIZE, shmem),
	SAMPLE_TOTAL("swap", "SWAP", LIST_SIZE, swap),
	SAMPLE_TOTAL("size", "SIZE", LIST_SIZE, size),
	SAMPLE_TOTAL("threads", "THREADS", LIST_COUNT, threads),
	{ .name = "regions",
	  .json = "count",
	  .title = "REGIONS",
	  .type = LIST_COUNT,
	  .alone = true,
	  .number = regions_of },
	{ .name = "holds",
	  .title = "HOLDS",
	  .type = LIST_TEXT,
	  .text = holds_text,
	  .show = holds_show },
	{ .name = "has_chunks",
	  .title = "CHUNKS",
	  .type = LIST_TEXT,
	  .safe = true,
	  .text = chunks_text,
	  .value = chunks_value },
	{ .name = "has_sites",
	  .title = "SITES",
	  .type = LIST_TEXT,
	  .safe = true,
	  .text = sites_text,
	  .value = sites_value },
};

static const struct list_spec samples_spec = {
	.singular = "sample",
	.plural = "samples",
	.columns = columns,
	.column_count = sizeof columns / sizeof columns[0],
	.table_columns = "sample,time,rss,swap,threads,regions,holds",
	.csv_columns = "sample,time,rss,anon,file,shmem,swap,size,threads,regions,holds,"
		       "has_chunks,has_sites",
	.json_columns = "sample,time,rss,anon,file,shmem,swap,size,threads,regions,holds,"
			"has_chunks,has_sites",
	.json_identity = "sample",
	.sort = "sample",
	.left_out_column = "rss",
	.droppable = "swap,threads,regions",
	.droppable_last = "holds",
};

/**
 * Prints the process, the number of samples, and the time between the first and the last sample.
 */
static void print_header(const char *file, const struct pm_process_id *id,
                         const struct pm_listed *samples, size_t count, struct out *out)
{
	struct text line = { 0 };
	char duration[PM_DURATION_TEXT_SIZE];
	double seconds = 0;

	if (count > 0)
		seconds = samples[count - 1].recorded.time - samples[0].recorded.time;

	pm_format_duration(seconds, duration);
	utf8_escape(&line, id->comm, strlen(id->comm));
	text_format(&line, " (%d)", (int)id->pid);
	if (*id->host) {
		text_string(&line, " on host ");
		utf8_escape(&line, id->host, strlen(id->host));
	}

	text_string(&line, ", ");
	utf8_escape(&line, file, strlen(file));
	text_format(&line, ", %zu %s over %s   ", count, count == 1 ? "sample" : "samples",
	            duration);
	utf8_escape(&line, id->command, strlen(id->command));
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static int print_json(const char *file, const struct pm_process_id *id, const struct list *list,
                      struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "path", json_text(file));
	json_parts_process(&json, id->pid, id->comm, id->command);
	json_put(&json, "host", *id->host ? json_text(id->host) : NULL);
	if (json_put_list(&json, "samples", list, error) < 0)
		return -1;

	json_shut(&json, '}');
	out_string(out, "\n");

	return 0;
}

static int print(const char *file, const struct pm_process_id *id, const struct pm_listed *samples,
                 size_t count, const struct output_options *options, struct out *out,
                 struct pm_error *error)
{
	const struct list_options every = { .all = true, .csv = options->csv };
	struct list list;
	int result = 0;

	if (list_init(&list, &samples_spec, &every, options->bytes, error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++)
		list_add(&list, &samples[i]);

	list_sort(&list);
	if (options->json) {
		result = print_json(file, id, &list, out, error);
	} else {
		if (!options->csv)
			print_header(file, id, samples, count, out);
		list_print(&list, out);
	}

	list_deinit(&list);
	return result;
}

static int list_file(const char *file, const struct output_options *options, struct out *out,
                     struct pm_error *error)
{
	struct pm_recording *recording;
	struct pm_listed *samples;
	size_t count;

	if (pm_recording_open(file, &recording, error) < 0)
		return -1;

	int result = pm_recording_list(recording, &samples, &count, error);
	if (result == 0) {
		result = print(file, pm_recording_process_id(recording), samples, count, options,
		               out, error);
		free(samples);
	}

	pm_recording_close(recording);
	return result;
}

int snap_list(const char *word, const struct output_options *options, struct out *out,
              struct pm_error *error)
{
	const char *which;
	char *file = target_recording(word, &which);

	/* If the word does not name a recording, open it nevertheless: this fails with an error
	 * that gives the reason. */
	int result = list_file(file ? file : word, options, out, error);
	free(file);
	return result;
}
