/* SPDX-License-Identifier: MIT */
#include "dump/dump.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "dump/file.h"
#include "dump/hex.h"
#include "dump/source.h"
#include "target/stopping.h"
#include "view/json.h"

enum {
	OPTION_HEX = CLI_LONG_ONLY,
	OPTION_RAW,
	OPTION_CORE,
	OPTION_RESPECT_FILTER,
	OPTION_STOP,
	OPTION_WHOLE_FILES
};

static const struct cli_option dump_option_list[] = {
	{ 'o', "output", "FILE",
	  "write the bytes to the sparse file FILE, and for\n"
	  "several regions an index to FILE.map" },
	{ OPTION_HEX, "hex", NULL,
	  "print addresses, bytes in hexadecimal, and text;\nthe default on a terminal" },
	{ OPTION_RAW, "raw", NULL,
	  "print raw bytes; the default if the output is not a\n"
	  "terminal" },
	{ OPTION_CORE, "core", NULL,
	  "write an ELF core file for debuggers; without REGION,\nit contains the whole process" },
	{ OPTION_RESPECT_FILTER, "respect-filter", NULL,
	  "with --core: leave out memory that the kernel omits\nfrom core files "
	  "(coredump_filter, MADV_DONTDUMP)" },
	{ OPTION_STOP, "stop", NULL, "stop the process while it is read" },
	{ OPTION_WHOLE_FILES, "whole-files", NULL,
	  "also write pages that the process has not touched:\n"
	  "pages of shared memory, and pages of mapped files,\n"
	  "which are read from the files" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct dump_options *options = into;
	switch (id) {
	case 'o':
		if (*value == '\0')
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "the name of the file is empty");

		/* "-" is standard output, for which `file` is NULL. */
		options->file = strcmp(value, "-") == 0 ? NULL : value;
		return 0;

	case OPTION_HEX:
		options->hex = true;
		return 0;
	case OPTION_RAW:
		options->raw = true;
		return 0;
	case OPTION_CORE:
		options->core = true;
		return 0;
	case OPTION_RESPECT_FILTER:
		options->respect_filter = true;
		return 0;
	case OPTION_STOP:
		options->stop = true;
		return 0;
	default:
		options->whole_files = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to do:", dump_option_list, parse_option, 0 },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct dump_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct dump_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "hex raw",  "hex output", "hex json", "raw json",
	                                 "hex core", "raw core",   NULL };

const struct cli_spec dump_spec = {
	.command = "dump",
	.operands = "TARGET [REGION]...",
	.purpose = "Prints the bytes of memory regions: hexadecimal text on a terminal, raw bytes\n"
		   "in a pipe or file.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, a process name that matches one process, or an ELF core\n"
	         "file. REGION is an address (the region that contains it), ADDR-END, ADDR+LEN, a\n"
	         "kind, [name] or 'all'. Memory that was never touched is written as zeros.",
	.examples = {
		{ "procmem dump 4711 0x7f3a1c0042f1+256", "256 bytes from an address" },
		{ "procmem dump -o heap.raw java heap malloc",
		  "the heap and the malloc regions, to a sparse file" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

/**
 * Returns whether zeros are written instead of bytes that are not read. The hexadecimal output says
 * what was not read, and a core file for debuggers lacks these pages.
 */
static bool writes_zeros(const struct dump *dump)
{
	return !dump->text && !dump->options->core;
}

static void report_unreadable(const struct dump *dump)
{
	struct text line = { 0 };
	if (dump->options->output.verbose)
		unreadable_report(&dump->memory.unreadable, SIZE_MAX);
	text_size_as(&line, dump->memory.unreadable.bytes, dump->options->output.bytes);
	text_string(&line, " could not be read");
	if (writes_zeros(dump))
		text_string(&line, ", so zeros were written instead");
	if (!dump->options->output.verbose)
		text_string(&line, "; -v lists where and why");
	report_note("%s", text_terminate(&line));

	text_deinit(&line);
}

/**
 * Returns the number of mapped bytes that the core file does not contain, or 0 if the target is a
 * process.
 */
static uint64_t missing(const struct dump *dump, const struct pm_dump_result *result)
{
	if (!dump->memory.core)
		return 0;

	return result->forbidden - dump->unmapped - dump->memory.cut;
}

static void report_missing(const struct dump *dump, const struct pm_dump_result *result)
{
	struct text line = { 0 };
	text_size_as(&line, missing(dump, result), dump->options->output.bytes);
	text_string(&line, " is not in the core file");
	if (writes_zeros(dump))
		text_string(&line, ", so zeros were written instead");
	text_string(&line,
	            ": this memory was never touched, was left out, or is in the mapped file");
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/**
 * Returns whether the contents of all bytes are unknown: none was read, none is in a hole, and none
 * is untouched.
 */
static bool gave_nothing(const struct pm_dump_result *result)
{
	return result->bytes + result->holes + result->untouched == 0;
}

/**
 * Tests whether the output does not have all bytes: some could not be read, or some of the bytes of
 * an `ADDR-END` or `ADDR+LEN` were left out. Regions have pages that are left out on purpose, so
 * other words request only what can be read. A core file for debuggers may lack pages.
 */
static bool is_incomplete(const struct dump *dump, const struct pm_dump_result *result)
{
	if (dump->memory.unreadable.count > 0 || gave_nothing(result))
		return true;

	return !dump->options->core && pm_select_has_range(dump->options->selection.select) &&
	       result->untouched + result->pending + result->forbidden > 0;
}

/** Tests whether nothing was read because none of the memory of a process may be read. */
static bool is_forbidden(const struct dump *dump, const struct pm_dump_result *result)
{
	return !dump->memory.core && dump->memory.unreadable.count == 0 && result->forbidden > 0 &&
	       gave_nothing(result);
}

/** Prints a note about bytes that were not read. */
static void report_left_out(const struct dump *dump, uint64_t bytes, const char *why,
                            const char *help)
{
	struct text line = { 0 };

	if (bytes == 0)
		return;

	text_size_as(&line, bytes, dump->options->output.bytes);
	text_format(&line, " was not read%s", why);
	if (writes_zeros(dump))
		text_string(&line, "; zeros were written instead");
	text_string(&line, help);
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/**
 * Prints notes about the memory of a process that was not read on purpose. Devices, guard pages and
 * the like are reported only if they are in a range that was requested: `all` always has some.
 */
static void report_all_left_out(const struct dump *dump, const struct pm_dump_result *result)
{
	const struct dump_options *options = dump->options;
	bool requested = pm_select_has_range(options->selection.select);

	/* Debuggers read the untouched pages of files from the files. */
	if (!options->core)
		report_left_out(
			dump, result->untouched,
			": the process has not touched these pages of mapped files or shared "
			"memory",
			"; use --whole-files to read these pages, too");

	report_left_out(dump, result->pending,
	                ": it is not provided by the userfaultfd handler yet", "");
	if (requested && !is_forbidden(dump, result))
		report_left_out(
			dump, result->forbidden - dump->unmapped,
			": memory of devices, of the kernel or of memfd_secret(2), or guard "
			"pages",
			"");
}

static void report_summary(const struct dump *dump, const struct pm_dump_result *result)
{
	static const char *const words[] = {
		" read",
		" never touched",
		" of untouched file pages left out",
		" skipped (devices, guard pages, unmapped)",
		" not provided by the userfaultfd handler yet",
		" unreadable",
		" not in the core file",
	};
	const uint64_t sizes[] = { result->bytes,        result->holes,
		                   result->untouched,    result->forbidden - missing(dump, result),
		                   result->pending,      result->unreadable,
		                   missing(dump, result) };
	struct text line = { 0 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (sizes[i] == 0)
			continue;
		if (line.length > 0)
			text_string(&line, ", ");
		text_size_as(&line, sizes[i], dump->options->output.bytes);
		text_string(&line, words[i]);
	}

	if (line.length > 0)
		text_string(&line, "; ");
	text_format(&line, "%.3f s, ", (double)(clock_us() - dump->progress.begin) / 1e6);
	if (dump->memory.core)
		text_string(&line, "from the core file");
	else
		text_string(&line, "using process_vm_readv(2), or /proc/PID/mem where that fails");

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/** Prints the notes about a finished dump on stderr. */
static void report(const struct dump *dump, const struct pm_dump_result *result)
{
	if (dump->options->output.quiet)
		return;

	if (dump->options->stop) {
		stopping_report(dump->memory.stopped_ns, dump->memory.threads);
		stopping_report_others(&dump->memory.others);
	} else if (dump->options->core && dump->memory.threads == 0) {
		report_note("the core file has no registers, except the stack pointers and program "
		            "counters of sleeping threads; use --stop to include all registers "
		            "(this stops the process)");
	}

	if (dump->memory.unreadable.count > 0)
		report_unreadable(dump);
	else if (is_forbidden(dump, result))
		report_note(
			"nothing was read: all of this memory belongs to devices, the kernel or "
			"memfd_secret(2), or consists of guard pages%s",
			writes_zeros(dump) ? "; zeros were written instead" : "");

	if (dump->memory.cut > 0)
		memory_report_truncated(dump->memory.core, dump->memory.target.word);
	if (missing(dump, result) > 0)
		report_missing(dump, result);
	if (!dump->memory.core)
		report_all_left_out(dump, result);
	if (dump->options->output.verbose)
		report_summary(dump, result);
}

/** Prints the result as JSON. */
static void put_json(const struct dump *dump, const struct pm_dump_result *result, struct out *out)
{
	struct json json = { .out = out };
	json_open(&json, NULL, '{');
	json_put(&json, "path", json_text(dump->options->file));
	json_put(&json, "size", json_number(result->size));
	json_put(&json, "read", json_number(result->bytes));
	json_put(&json, "holes", json_number(result->holes));
	json_put(&json, "untouched", json_number(result->untouched));
	json_put(&json, "forbidden", json_number(result->forbidden));
	json_put(&json, "pending", json_number(result->pending));

	json_put(&json, "unreadable", json_number(dump->memory.unreadable.bytes));
	if (dump->options->stop) {
		json_put(&json, "stopped_us", json_number(dump->memory.stopped_ns / 1000));
		if (dump->memory.others.unknown.kind == PM_ERROR_NONE)
			json_put(&json, "sharing_processes",
			         json_number(dump->memory.others.count));
	}
	json_shut(&json, '}');
	out_string(out, "\n");
}

static int copy(struct dump *dump, struct out *out, struct pm_dump_result *result,
                struct pm_error *error)
{
	const struct dump_options *options = dump->options;
	if (options->file)
		return dump_file_write(dump, result, error);

	dump->text = options->hex || (out->terminal && !options->raw);
	if (dump->text)
		return dump_hex(dump, out, result, error);

	const struct pm_dump_source source = dump_source(dump);
	int status = pm_dump_raw(&source, out->fd, result, error);
	/* It is not an error if the reader closes the pipe. */
	if (status < 0 && error->kind == PM_ERROR_IO && error->os_errno == EPIPE)
		return 0;

	if (status < 0)
		return pm_error_prefix(error, "the output is incomplete: ");

	return 0;
}

static enum status run(struct dump *dump, const struct cli_result *words, struct out *out)
{
	struct pm_error error = { 0 };
	struct pm_dump_result result = { 0 };
	enum memory_status ready = dump_source_open(dump, words->operands, words->count, &error);

	if (ready != MEMORY_READY) {
		report_failure(&error);
		return ready == MEMORY_NOTHING ? STATUS_NOTHING : STATUS_ERROR;
	}

	memory_note_unmapped(&dump->memory);
	dump->unmapped = dump->memory.unreadable.bytes;
	memory_note_cut(&dump->memory);

	int status = copy(dump, out, &result, &error);
	memory_resume(&dump->memory);
	progress_end(&dump->progress);
	if (status < 0)
		return report_failure(&error);

	if (dump->options->output.json)
		put_json(dump, &result, out);
	report(dump, &result);

	if (is_incomplete(dump, &result))
		return STATUS_NOTHING;

	return STATUS_OK;
}

/** Checks the combination of options and operands, and reports an error if it is invalid. */
static bool check(const struct dump_options *options, int operands)
{
	const char *wrong = NULL;
	if (options->core && !options->file)
		wrong = "--core requires -o FILE: a core file cannot be written to a pipe";
	else if (options->respect_filter && !options->core)
		wrong = "--respect-filter is for core files: add --core";
	else if (!options->core && operands < 2)
		wrong = "REGION is missing: give an address, ADDR+LEN, a kind such as heap, or "
			"'all'";
	else if (options->output.json && !options->file)
		wrong = "--json requires -o FILE: the JSON object describes the written file";

	if (wrong)
		report_error("dump: %s", wrong);

	return !wrong;
}

enum status dump_run(struct out *out, int argc, char **argv)
{
	struct dump_options options = { 0 };
	struct cli_result words;
	struct pm_error error;
	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);

	enum status status = STATUS_ERROR;
	if (!cli_parse(&dump_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&dump_spec, &words)) {
		status = words.status;
	} else if (check(&options, words.count)) {
		struct dump dump = { .options = &options, .memory.cancel = interrupt_catch() };
		out_set_colour(out, options.output.colour);
		status = run(&dump, &words, out);
		memory_close(&dump.memory);
	}

	selection_deinit(&options.selection);
	return status;
}
