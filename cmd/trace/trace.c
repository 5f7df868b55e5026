/* SPDX-License-Identifier: MIT */
/*
 * The command traces a process that runs, or starts a command. With --every, it measures several
 * times. The files are written once, from the result at the end.
 */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/new_file.h"
#include "base/report.h"
#include "target/target.h"
#include "trace/folded.h"
#include "trace/header.h"
#include "trace/json.h"
#include "trace/options.h"
#include "trace/pprof.h"
#include "trace/record.h"
#include "trace/strings.h"
#include "trace/svg.h"
#include "view/list_print.h"

const struct cli_spec trace_spec = {
	.command = "trace",
	.operands = "TARGET | -- COMMAND [ARGUMENT]...",
	.purpose = "Shows which code maps the memory that is still there when the trace ends.\n"
	           "The process is not stopped, unless ptrace is used.",
	.groups = trace_options_groups,
	.exclusive = trace_options_exclusive,
	.notes = "TARGET is a PID, or a process name that matches one process. With '--', COMMAND\n"
	         "is started and traced. Ctrl-C ends the trace and prints the result. Memory\n"
	         "that was mapped before the trace has no call site; --faults shows which code\n"
	         "touches it.",
	.examples = {
		{ "procmem trace --for 60s --svg shop.svg shop",
		  "trace the process called shop for a minute; draw a flame graph" },
		{ "procmem trace --faults --by function -- ./shop --port 8080",
		  "start a program; sum up by function" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

/** A trace of this command. */
struct tracing {
	const struct trace_options *options;
	struct out *out;
	struct target target; /* the running process; not opened for a command */
	struct pm_trace *trace;
	struct pm_process_info info;   /* of the target, while it was alive */
	char *command;                 /* command line of the target; owned */
	struct pm_thread *threads;     /* of the target, while it was alive; owned */
	size_t thread_count;           /* number of threads */
	struct pm_trace_result result; /* the newest result */
	struct pm_trace_result last;   /* the previous result */
	struct pm_stack *stacks;       /* the stack of each site of `result`; owned */
	struct trace_record record;    /* --record */
	struct pm_error unrecorded;    /* why there is no sample; PM_ERROR_NONE if there is */
	struct new_file svg, folded, pprof;
};

static void close_tracing(struct tracing *tracing)
{
	new_file_drop(&tracing->svg);
	new_file_drop(&tracing->folded);
	new_file_drop(&tracing->pprof);
	trace_record_close(&tracing->record);
	pm_trace_result_deinit(&tracing->result);
	pm_trace_result_deinit(&tracing->last);
	pm_trace_close(tracing->trace);
	target_close(&tracing->target);
	free(tracing->stacks);
	free(tracing->threads);
	free(tracing->command);
}

/** Describes a command by its words. A command that exits at once cannot be described later. */
static void describe_command(struct tracing *tracing, char **words)
{
	const char *slash = strrchr(words[0], '/');
	struct text line = { 0 };

	tracing->info.pid = pm_process_pid(pm_trace_process(tracing->trace));
	snprintf(tracing->info.comm, sizeof tracing->info.comm, "%s", slash ? slash + 1 : words[0]);
	for (size_t i = 0; words[i]; i++) {
		if (i > 0)
			text_char(&line, ' ');
		text_string(&line, words[i]);
	}
	text_terminate(&line);
	tracing->command = line.bytes;
}

/** Attaches to the process, or starts the command. */
static int open_tracing(struct tracing *tracing, char **words, bool is_command,
                        struct pm_error *error)
{
	struct pm_trace_options options = tracing->options->trace;

	options.cancel = interrupt_catch();
	if (is_command && tracing->options->record &&
	    trace_record_check_new(tracing->options->record, error) < 0)
		return -1;
	if (is_command) {
		if (pm_trace_start(words, &options, &tracing->trace, error) < 0)
			return -1;
		describe_command(tracing, words);
		return 0;
	}
	if (target_open_process(&tracing->target, words[0], error) < 0)
		return -1;

	if (options.backend == PM_TRACE_PTRACE && !tracing->options->output.quiet)
		report_note("ptrace makes each system call of the process about 0.1 ms slower; "
		            "epoll_wait and similar calls return EINTR once");
	return pm_trace_attach(tracing->target.process, &options, &tracing->trace, error);
}

/** Tests whether a command has not called exec yet: it is a copy of this process. */
static bool is_before_exec(const struct tracing *tracing, const struct pm_process_info *info)
{
	char own[PM_COMM_SIZE] = "";

	if (tracing->target.process)
		return false;

	prctl(PR_GET_NAME, own, 0, 0, 0);
	return strcmp(info->comm, own) == 0 && strcmp(tracing->info.comm, own) != 0;
}

/** Reads what is known about the target. After its exit, what was read before remains. */
static void read_target(struct tracing *tracing)
{
	struct pm_process *process = pm_trace_process(tracing->trace);
	struct pm_process_info info;
	struct pm_thread *threads;
	char *command = NULL;
	size_t count;

	if (!process || pm_process_read_info(process, &info, NULL) < 0 ||
	    is_before_exec(tracing, &info))
		return;

	tracing->info = info;
	if (pm_process_read_threads(process, PM_THREAD_NAMES, &threads, &count, NULL) == 0) {
		free(tracing->threads);
		tracing->threads = threads;
		tracing->thread_count = count;
	}
	if (pm_process_read_command(process, &command, NULL) < 0)
		return;

	/* That of a process that is exiting is empty. */
	char *unused = command;
	if (command && command[0] != '\0') {
		unused = tracing->command;
		tracing->command = command;
	}
	free(unused);
}

/** Measures; the previous result becomes `last`. */
static int measure(struct tracing *tracing, struct pm_error *error)
{
	struct pm_trace_result result;

	if (pm_trace_measure(tracing->trace, &result, error) < 0)
		return -1;

	pm_trace_result_deinit(&tracing->last);
	tracing->last = tracing->result;
	trace_report_sort(&tracing->last);
	tracing->result = result;

	free(tracing->stacks);
	tracing->stacks = trace_report_stacks(&result, pm_trace_stacks(tracing->trace));
	return 0;
}

static void make_report(const struct tracing *tracing, struct trace_report *report)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*report = (struct trace_report){
		.pid = tracing->info.pid,
		.command = tracing->command,
		.result = &tracing->result,
		.stacks = tracing->stacks,
		.threads = tracing->threads,
		.thread_count = tracing->thread_count,
		.per_thread = tracing->options->trace.per_thread,
		.wall_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
	};
	memcpy(report->name, tracing->info.comm, sizeof report->name);
	pm_trace_state(tracing->trace, &report->state);
}

/** Continues without a recording if the process has exited before the first sample. */
static int give_up_recording(struct tracing *tracing, const struct pm_error *error)
{
	if (error->kind != PM_ERROR_GONE || tracing->record.first > 0)
		return -1;

	tracing->unrecorded = *error;
	trace_record_close(&tracing->record);
	return 0;
}

/** Adds the sites of the previous result that have no memory any more. */
static void add_released(struct tracing *tracing, struct trace_report *report)
{
	if (!report->last)
		return;

	trace_report_add_released(&tracing->result, report);
	free(tracing->stacks);
	tracing->stacks = trace_report_stacks(&tracing->result, pm_trace_stacks(tracing->trace));
	report->stacks = tracing->stacks;
}

/** Adds a result to the recording, if there is one. */
static int add_to_recording(struct tracing *tracing, struct trace_report *report,
                            struct pm_error *error)
{
	if (trace_record_add(&tracing->record, pm_trace_process(tracing->trace), report, error) ==
	    0)
		return 0;
	return give_up_recording(tracing, error);
}

/** Searches the strings of --strings. Without them, there is still a result to print. */
static void find_strings(const struct tracing *tracing, struct trace_rows *rows,
                         struct trace_strings *strings)
{
	struct pm_process *process = pm_trace_process(tracing->trace);
	struct pm_error error;

	if (trace_strings_find(strings, process, rows, tracing->options->strings, &error) < 0)
		report_note("strings were not searched in all sites: %s", error.text);
}

/** Prints a result: the one at the end, or one of --every. */
static int print(struct tracing *tracing, struct trace_report *report, bool final,
                 struct pm_error *error)
{
	const struct trace_options *options = tracing->options;
	struct out *out = tracing->out;
	struct trace_strings strings = { 0 };
	enum trace_by by = options->by;
	struct trace_rows rows;

	/* Stacks that differ only in addresses would be rows with the same text. */
	if (by == TRACE_BY_STACK && !options->output.json)
		by = TRACE_BY_LINE;
	int result = trace_rows_init(&rows, report, by, &options->list, options->output.bytes,
	                             error);

	if (result == 0 && options->strings > 0 && final)
		find_strings(tracing, &rows, &strings);

	if (result == 0 && options->output.json) {
		result = trace_json_print(report, &rows, options, final, out, error);
	} else if (result == 0) {
		if (!options->list.csv && !options->list.no_header)
			rows.list.lines_above = trace_header_print(report, options->output.bytes,
			                                           out);
		list_print(&rows.list, out);
		if (!final)
			out_string(out, "\n");
	}

	trace_rows_deinit(&rows);
	trace_strings_deinit(&strings);
	out_flush(out);
	return result;
}

/** Tests whether Ctrl-C has ended a measurement: then the trace ends, and measures once more. */
static bool is_interrupted(const struct pm_error *error)
{
	return error->kind == PM_ERROR_CANCELLED;
}

/**
 * Measures, and prints a table of --every.
 * @return 1 if the trace ends, 0, or -1
 */
static int print_table(struct tracing *tracing, struct pm_error *error)
{
	struct trace_report report;

	read_target(tracing);
	if (measure(tracing, error) < 0)
		return is_interrupted(error) ? 1 : -1;

	make_report(tracing, &report);
	if (!tracing->result.unmeasured)
		report.last = &tracing->last;
	if (add_to_recording(tracing, &report, error) < 0)
		return is_interrupted(error) ? 1 : -1;

	add_released(tracing, &report);
	int result = print(tracing, &report, false, error);
	return out_failed(tracing->out) ? 1 : result;
}

/**
 * Records, and prints the results of --every.
 * @return 0 or -1
 */
static int record(struct tracing *tracing, struct pm_error *error)
{
	const struct trace_options *options = tracing->options;
	double deadline = clock_seconds() + options->seconds;
	enum pm_trace_end end = PM_TRACE_TIME;

	for (;;) {
		double left = -1;

		if (options->seconds > 0)
			left = deadline - clock_seconds();
		if (options->seconds > 0 && left < 0)
			left = 0;

		bool last_part = options->every <= 0 || (left >= 0 && left <= options->every);
		if (pm_trace_run(tracing->trace, last_part ? left : options->every, &end, error) <
		    0)
			return -1;
		if (end != PM_TRACE_TIME || last_part)
			return 0;

		int result = print_table(tracing, error);
		if (result != 0)
			return pm_min_int(result, 0);
	}
}

/** Writes a file that appears when it is complete. */
static int write_file(struct new_file *file, const char *path, const struct text *text,
                      struct pm_error *error)
{
	size_t written = 0;

	while (written < text->length) {
		ssize_t count = write(file->fd, text->bytes + written, text->length - written);

		if (count < 0 && errno == EINTR && *interrupt_flag() == 0)
			continue;
		if (count < 0)
			return pm_error_set(error, PM_ERROR_IO, errno, "cannot write %s: %s", path,
			                    strerror(errno));
		written += (size_t)count;
	}
	return new_file_keep(file, error);
}

/** Makes the content of a file. */
typedef int make_content(const struct trace_report *report, struct text *text,
                         struct pm_error *error);

static int write_output(const struct trace_report *report, struct new_file *file, const char *path,
                        make_content *make, struct pm_error *error)
{
	struct text text = { 0 };

	if (!path)
		return 0;

	int result = make(report, &text, error);
	if (result == 0)
		result = write_file(file, path, &text, error);

	text_deinit(&text);
	return result;
}

/** Measures, prints the result at the end, and writes the files. */
static int finish(struct tracing *tracing, struct pm_error *error)
{
	const struct trace_options *options = tracing->options;
	struct trace_report report;

	/* The signal that has ended the trace must not end the measurement. */
	interrupt_catch();
	read_target(tracing);
	if (measure(tracing, error) < 0)
		return -1;

	make_report(tracing, &report);
	if (add_to_recording(tracing, &report, error) < 0 ||
	    print(tracing, &report, true, error) < 0)
		return -1;
	if (!options->output.quiet)
		trace_header_notes(&report);
	if (report.sample > 0 && !options->output.quiet)
		report_note("the sites are in sample %" PRIu64 " of %s", report.sample,
		            options->record);

	if (write_output(&report, &tracing->folded, options->folded, trace_folded_make, error) <
	            0 ||
	    write_output(&report, &tracing->svg, options->svg, trace_svg_make, error) < 0)
		return -1;
	return write_output(&report, &tracing->pprof, options->pprof, trace_pprof_make, error);
}

/** Reports how the target was attached, and how the trace ends. */
static void report_start(const struct tracing *tracing)
{
	const struct output_options *output = &tracing->options->output;
	struct pm_trace_state state;

	pm_trace_state(tracing->trace, &state);
	if (output->verbose)
		report_note("attached to %zu thread%s by %s in %.1f ms: %zu descriptor%s of "
		            "events, %s",
		            state.threads, text_plural(state.threads),
		            trace_header_backend(state.backend), (double)state.setup_ns / 1e6,
		            state.descriptors, text_plural(state.descriptors),
		            state.plan ? state.plan : "no plan");
	if (state.backend == PM_TRACE_PTRACE && !tracing->target.process && !output->quiet)
		report_note("ptrace makes each system call of the command about 0.1 ms slower");
	if (isatty(STDERR_FILENO) && !output->quiet)
		report_note("tracing %s (%d); Ctrl-C ends the trace and prints the result",
		            tracing->info.comm, (int)tracing->info.pid);
}

/**
 * Measures at the start of the trace, so that there is a result with which later results can be
 * compared, and adds this result to the recording.
 */
static int start(struct tracing *tracing, struct pm_error *error)
{
	const struct trace_options *options = tracing->options;
	struct trace_report report;

	if (!options->record && options->every <= 0)
		return 0;
	if (options->record &&
	    trace_record_open(&tracing->record, options->record, tracing->trace,
	                      options->trace.faults, error) < 0 &&
	    give_up_recording(tracing, error) < 0)
		return -1;

	int result = measure(tracing, error);
	if (result == 0) {
		make_report(tracing, &report);
		result = add_to_recording(tracing, &report, error);
	}
	return result < 0 && is_interrupted(error) ? 0 : result;
}

/** Opens the files, so that a path that cannot be written is reported before the trace. */
static int open_files(struct tracing *tracing, struct pm_error *error)
{
	const struct trace_options *options = tracing->options;

	if (options->svg && new_file_open(&tracing->svg, options->svg, error) < 0)
		return -1;
	if (options->folded && new_file_open(&tracing->folded, options->folded, error) < 0)
		return -1;
	return options->pprof ? new_file_open(&tracing->pprof, options->pprof, error) : 0;
}

static enum status run(struct tracing *tracing, char **words, bool is_command)
{
	struct pm_error error;

	if (open_files(tracing, &error) < 0)
		return report_failure(&error);
	if (open_tracing(tracing, words, is_command, &error) < 0)
		return report_failure(&error);

	read_target(tracing);
	if (start(tracing, &error) < 0)
		return report_failure(&error);
	report_start(tracing);
	if (record(tracing, &error) < 0 || finish(tracing, &error) < 0)
		return report_failure(&error);
	if (tracing->unrecorded.kind == PM_ERROR_NONE)
		return STATUS_OK;

	report_error("nothing was recorded in %s: %s", tracing->options->record,
	             tracing->unrecorded.text);
	return STATUS_ERROR;
}

/** Returns the word that follows the first "--"; NULL if there is none. */
static char *after_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			return argv[i + 1];
	}
	return NULL;
}

/**
 * Finds out whether the operands are a command. A session inserts its TARGET before "--": this word
 * is removed.
 *
 * @param words       the operands
 * @param command     the word after "--"; NULL if there is none
 * @param is_command  receives the answer
 * @return            false after an error was reported
 */
static bool sort_operands(struct cli_result *words, const char *command, bool *is_command)
{
	/* The parser leaves "--" directly before the operands. */
	*is_command = command && strcmp(words->operands[-1], "--") == 0;
	if (*is_command && words->in_session && words->count > 1 && words->operands[0] != command) {
		words->operands++;
		words->count--;
	}

	if (*is_command && words->operands[0] != command) {
		report_error("expected a TARGET or '-- COMMAND', got both: '%s' and '%s'",
		             words->operands[0], command);
		return false;
	}
	if (!*is_command && words->count > 1) {
		report_error("unexpected operand '%s'; to start a command, put '--' before it: "
		             "procmem trace -- %s",
		             words->operands[1], words->operands[0]);
		return false;
	}
	return true;
}

enum status trace_run(struct out *out, int argc, char **argv)
{
	struct trace_options options = { 0 };
	struct tracing tracing = {
		.options = &options,
		.out = out,
		.svg = { .fd = -1 },
		.folded = { .fd = -1 },
		.pprof = { .fd = -1 },
	};
	char *command = after_dashes(argc, argv);
	struct cli_result words;
	bool is_command;

	if (!cli_parse(&trace_spec, out, argc, argv, &options, &words))
		return words.status;
	if (options_want_help(&options.list)) {
		list_print_columns(&trace_rows_spec, out);
		return STATUS_OK;
	}
	if (!cli_check_operands(&trace_spec, &words) ||
	    !sort_operands(&words, command, &is_command))
		return STATUS_ERROR;

	out_set_colour(out, options.output.colour);
	enum status status = run(&tracing, words.operands, is_command);
	close_tracing(&tracing);

	return status;
}
