/* SPDX-License-Identifier: MIT */
#include "snap/snap.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <procmem/headroom.h>
#include <procmem/recorder.h>

#include "base/report.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "snap/list.h"
#include "target/chunk_histogram.h"
#include "target/json_parts.h"
#include "target/sampled.h"
#include "target/target.h"
#include "view/json.h"

/** The parsed options of `procmem snap`. */
struct snap_options {
	const char *file;
	bool list;
	bool heap;
	struct output_options output;
};

enum { OPTION_HEAP = CLI_LONG_ONLY, OPTION_CSV };

static const struct cli_option snap_option_list[] = {
	{ 'o', "output", "FILE",
	  "write to this recording; an existing file must be\n"
	  "a recording of the same process" },
	{ OPTION_HEAP, "heap", NULL,
	  "also count the chunks of malloc by size and type;\n"
	  "the file then contains texts from the heap" },
	{ 'l', "list", NULL, "list the samples of TARGET, which must be a recording" },
	{ OPTION_CSV, "csv", NULL, "with -l: print comma-separated values, sizes in bytes" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct snap_options *options = into;

	if (id == 'l') {
		options->list = true;
		return 0;
	}
	if (id == OPTION_HEAP) {
		options->heap = true;
		return 0;
	}
	if (id == OPTION_CSV) {
		options->output.csv = true;
		return 0;
	}

	return options_parse_recording(value, &options->file, error);
}

static const struct cli_group groups[] = {
	{ "What to do:", snap_option_list, parse_option, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct snap_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "list output: -l reads a recording, and -o writes one",
	                                 "list heap: -l shows which samples have chunks",
	                                 "csv json", NULL };

const struct cli_spec snap_spec = {
	.command = "snap",
	.operands = "TARGET",
	.purpose = "Adds a sample to a recording: the current sizes of all regions of a process.\n"
		   "'procmem diff' compares samples.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "Either -o or -l is required. With -o, TARGET is a PID, or a process name that\n"
		 "matches one process. With -l, TARGET is a recording that 'snap' or\n"
		 "'watch --record' wrote.",
	.examples = {
		{ "procmem snap -o java.pmrec java",
		  "add a sample of the process called java (run it again for the next sample)" },
		{ "procmem snap -l java.pmrec", "list the samples in the recording" },
	},
	.operands_min = 1,
	.operands_max = 1,
};

static void print_json(const char *file, const struct snap *snap, struct out *out)
{
	const struct pm_sample *sample = &snap->sample;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "path", json_text(file));
	json_parts_process(&json, snap->id.pid, snap->id.comm, snap->id.command);
	json_put(&json, "sample", json_number(snap->number));
	json_put(&json, "time", json_time(sample->wall_ns));
	json_put(&json, "count", json_number(sample->regions->count));
	json_parts_totals(&json, &sample->totals);
	if (snap->chunks_known)
		chunk_histogram_put_sums_json(&json, &snap->chunks);
	json_put(&json, "cost_us", json_number(sample->cost.last_cpu_ns / 1000));
	json_shut(&json, '}');
	out_string(out, "\n");
}

static void print_text(const char *file, const struct snap *snap, bool bytes, struct out *out)
{
	const struct pm_sample *sample = &snap->sample;
	struct text line = { 0 };

	text_format(&line, "sample %llu of ", (unsigned long long)snap->number);
	utf8_escape(&line, snap->id.comm, strlen(snap->id.comm));
	text_format(&line, " (%d): %zu region%s, RSS ", (int)snap->id.pid, sample->regions->count,
	            text_plural(sample->regions->count));

	if (bytes)
		text_decimal(&line, sample->totals.rss);
	else
		text_size(&line, sample->totals.rss);

	if (snap->chunks_known) {
		text_string(&line, ", ");
		chunk_histogram_put_sums(&snap->chunks, bytes, &line);
	}

	text_string(&line, ", in ");
	utf8_escape(&line, file, strlen(file));
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Adds a sample to the file, and sets snap->number. */
static int add_to_file(const char *file, struct snap *snap, const struct pm_headroom *headroom,
                       struct pm_error *error)
{
	struct pm_recorder *recorder;

	if (pm_recorder_open(file, &snap->id, &recorder, error) < 0)
		return -1;

	if (snap->chunks_known)
		pm_recorder_set_chunks(recorder, &snap->chunks);
	if (snap->owners_known)
		pm_recorder_set_owners(recorder, &snap->owners);
	int result = pm_recorder_add(recorder, &snap->sample, headroom, error);
	if (result == 0)
		snap->number = pm_recorder_number(recorder);
	pm_recorder_close(recorder);

	return result;
}

/**
 * Reads the limits of the process. Errors are ignored, because a sample without limits is better
 * than no sample.
 */
static void read_headroom(struct pm_process *process, const struct pm_sample *sample,
                          struct pm_headroom *headroom)
{
	if (pm_headroom_read_memory(process, NULL, headroom, NULL) < 0)
		*headroom = (struct pm_headroom){ 0 };
	else
		pm_headroom_add_counts(process, NULL, sample->regions, headroom, NULL);
	if (sample->runtimes)
		pm_headroom_add_runtimes(headroom, sample->runtimes);
}

int snap_take(struct snap *snap, struct pm_process *process, const char *heap, const char *file,
              struct pm_error *error)
{
	const struct pm_sampler_options sampling = { .kinds = true,
		                                     .smaps = true,
		                                     .runtimes = HUGE_VAL };
	struct snap taken = { 0 };
	struct pm_headroom headroom;

	if (pm_process_id_read(process, &taken.id, error) < 0)
		return -1;

	int result = pm_sampler_open(process, &sampling, &taken.sampler, error);
	if (result == 0)
		result = pm_sampler_take(taken.sampler, &taken.sample, error);

	if (result == 0)
		taken.owners_known = sampled_measure_owners(process, &taken.sample, &taken.owners);
	if (result == 0 && heap) {
		result = chunk_histogram_take(process, taken.sample.regions, heap, &taken.chunks,
		                              error);
		taken.chunks_known = result == 0;
	}

	if (result == 0) {
		read_headroom(process, &taken.sample, &headroom);
		result = add_to_file(file, &taken, &headroom, error);
	}

	if (result < 0) {
		snap_deinit(&taken);
		return -1;
	}

	*snap = taken;
	return 0;
}

void snap_deinit(struct snap *snap)
{
	pm_sampler_close(snap->sampler);
	pm_histogram_deinit(&snap->chunks);
	pm_process_id_deinit(&snap->id);
	*snap = (struct snap){ 0 };
}

/** Takes a sample of a process, and prints what was added to the file. */
static int run_on(const struct target *target, const struct snap_options *options, struct out *out,
                  struct pm_error *error)
{
	const struct output_options *output = &options->output;
	const char *heap = options->heap ? target->word : NULL;
	struct snap snap;

	if (snap_take(&snap, target->process, heap, options->file, error) < 0)
		return -1;

	if (output->json)
		print_json(options->file, &snap, out);
	else if (!output->quiet)
		print_text(options->file, &snap, output->bytes, out);

	const struct pm_sample *sample = &snap.sample;
	if (output->verbose && !output->quiet)
		report_note(
			"%zu region%s from smaps: %.1f ms of CPU time, map lock held for at most "
			"%.1f ms",
			sample->regions->count, text_plural(sample->regions->count),
			(double)sample->cost.last_cpu_ns / 1e6, (double)sample->cost.lock_ns / 1e6);

	snap_deinit(&snap);
	return 0;
}

enum status snap_run(struct out *out, int argc, char **argv)
{
	struct snap_options options = { 0 };
	struct cli_result words;
	struct pm_error error;
	struct target target;

	if (!cli_parse(&snap_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&snap_spec, &words))
		return words.status;

	if (options.output.csv && !options.list) {
		report_error("'--csv' needs '--list'");
		return STATUS_ERROR;
	}
	if (options.list) {
		if (snap_list(words.operands[0], &options.output, out, &error) < 0)
			return report_failure(&error);
		return STATUS_OK;
	}

	if (!options.file) {
		report_error("snap: -o FILE is missing: FILE is the recording to which the sample "
		             "is written");
		return STATUS_ERROR;
	}

	if (target_open_process(&target, words.operands[0], &error) < 0)
		return report_failure(&error);

	int result = run_on(&target, &options, out, &error);
	target_close(&target);

	return result < 0 ? report_failure(&error) : STATUS_OK;
}
