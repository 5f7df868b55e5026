/* SPDX-License-Identifier: MIT */
/* Which samples a recording has. The items are `struct pm_listed`. */
#include "snap/list.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
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

static void holds_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, !recorded_of(item)->fresh                    ? "totals"
	                  : ((const struct pm_listed *)item)->detailed ? "all"
	                                                               : "rss");
}

static void holds_show(const struct list_column *column, const void *item, bool brief,
                       struct text *text)
{
	(void)column;
	(void)brief;
	bool detailed = ((const struct pm_listed *)item)->detailed;
	text_string(text, !recorded_of(item)->fresh ? "totals only"
	                  : detailed                ? "all sizes"
	                                            : "RSS and swap");
}

/* A sum over moments would mean nothing. */
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
};

static const struct list_spec samples_spec = {
	.singular = "sample",
	.plural = "samples",
	.columns = columns,
	.column_count = sizeof columns / sizeof columns[0],
	.table_columns = "sample,time,rss,swap,threads,regions,holds",
	.csv_columns = "",
	.json_columns = "sample,time,rss,anon,file,shmem,swap,size,threads,regions,holds",
	.json_identity = "sample",
	.sort = "sample",
	.left_out_column = "rss",
	.droppable = "swap,threads,regions",
	.droppable_last = "holds",
};

/** Says whose samples they are, and how long a time they span. */
static void print_header(const char *file, const struct pm_process_id *run,
                         const struct pm_listed *samples, size_t count, struct out *out)
{
	struct text line = { 0 };
	char duration[PM_DURATION_TEXT_SIZE];
	pm_format_duration(count > 0 ? samples[count - 1].recorded.time - samples[0].recorded.time
	                             : 0,
	                   duration);
	utf8_escape(&line, run->comm, strlen(run->comm));
	text_format(&line, " (%d), ", (int)run->pid);
	utf8_escape(&line, file, strlen(file));

	text_format(&line, "   %s", duration);
	if (*run->host) {
		text_string(&line, " on ");
		utf8_escape(&line, run->host, strlen(run->host));
	}

	text_string(&line, "   ");
	utf8_escape(&line, run->command, strlen(run->command));
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static int print_json(const char *file, const struct pm_process_id *run, const struct list *list,
                      struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };
	json_open(&json, NULL, '{');
	json_put(&json, "file", json_text(file));
	json_put(&json, "pid", json_number((uint64_t)run->pid));
	json_put(&json, "command", json_text(run->command));
	json_put(&json, "host", *run->host ? json_text(run->host) : NULL);
	if (json_put_list(&json, "samples", list, error) < 0)
		return -1;

	json_shut(&json, '}');
	out_string(out, "\n");

	return 0;
}

static int print(const char *file, const struct pm_process_id *run, const struct pm_listed *samples,
                 size_t count, const struct output_options *options, struct out *out,
                 struct pm_error *error)
{
	static const struct list_options every = { .all = true };
	struct list list;
	int result = 0;

	if (list_init(&list, &samples_spec, &every, options->bytes, error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++)
		list_add(&list, &samples[i]);

	list_sort(&list);
	if (options->json) {
		result = print_json(file, run, &list, out, error);
	} else {
		print_header(file, run, samples, count, out);
		list_print(&list, out);
	}

	list_deinit(&list);
	return result;
}

int snap_list(const char *word, const struct output_options *options, struct out *out,
              struct pm_error *error)
{
	struct pm_recording *recording;
	struct pm_listed *samples;
	size_t count;
	const char *which;
	char *named = target_recording(word, &which);

	/* What is none is told by whoever opens it. */
	const char *file = named ? named : word;
	int result = pm_recording_open(file, &recording, error);
	if (result == 0) {
		result = pm_recording_list(recording, &samples, &count, error);
		if (result == 0) {
			result = print(file, pm_recording_process_id(recording), samples, count,
			               options, out, error);
			free(samples);
		}
		pm_recording_close(recording);
	}

	free(named);
	return result;
}
