/* SPDX-License-Identifier: MIT */
#include "who/who.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/interrupt.h"
#include "base/report.h"
#include "who/deleted.h"
#include "who/files.h"
#include "who/print.h"

enum { OPTION_FOR = CLI_LONG_ONLY };

static const struct cli_option who_option_list[] = {
	{ 'a', "all", NULL, "show all users or files, not only the first 20" },
	{ OPTION_FOR, "for", "DURATION",
	  "watch the file for this time (10s, 5m): its growth,\n"
	  "and which of its users probably writes to it" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct who_options *options = into;

	if (id == OPTION_FOR)
		return delta_parse_duration(value, &options->seconds, error);
	options->all = true;
	return 0;
}

static const struct cli_group groups[] = {
	{ "What to report:", who_option_list, parse_option, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct who_options, output) },
	{ 0 },
};

const struct cli_spec who_spec = {
	.command = "who",
	.operands = "FILE | TARGET [ADDRESS]",
	.purpose = "Shows which processes use a file or shared memory: those that map it, with\n"
		   "their share of its memory, and those that hold a descriptor of it. Those\n"
		   "that may write to it come first.",
	.groups = groups,
	.notes = "FILE contains a '/'. TARGET is a PID, or a process name that matches one\n"
		 "process; with ADDRESS, it is about the file or shared memory that is mapped\n"
		 "there, and without, about all that it shares with other processes. The exit\n"
		 "status is 1 if there is no such process.",
	.examples = {
		{ "procmem who --for 10s /dev/shm/queue", "who fills this file, and how fast?" },
		{ "procmem who 4711 7f2a14000000",
		  "which other processes share the memory at this address?" },
	},
	.operands_min = 1,
	.operands_max = 2,
};

/** Reads and prints the users of a file. */
static enum status report_users(struct who_subject *subject, const struct who_options *options,
                                struct out *out)
{
	const struct pm_file_users_options read = { .cancel = interrupt_catch() };
	struct pm_file_users users;
	struct who_growth growth = { 0 };
	struct pm_error error;

	if (pm_file_users_read(&subject->file, 1, &read, &users, &error) < 0)
		return report_failure(&error);
	if (options->seconds > 0 &&
	    who_growth_measure(&growth, subject, &users, options->seconds, &error) < 0) {
		pm_file_users_deinit(&users);
		return report_failure(&error);
	}

	const struct who_report report = {
		.options = options,
		.subject = subject,
		.users = &users,
		.growth = options->seconds > 0 ? &growth : NULL,
	};
	if (options->output.json)
		who_print_json(&report, out);
	else
		who_print_text(&report, out);

	enum status status = users.count > 0 ? STATUS_OK : STATUS_NOTHING;
	if (options->output.verbose && !options->output.quiet)
		report_note("number of processes that were examined: %zu", users.processes);
	who_growth_deinit(&growth);
	pm_file_users_deinit(&users);
	return status;
}

/** Reports why a TARGET was not found, and how to name a file of that name. */
static enum status fail(const char *word, struct pm_error *error)
{
	enum status status = report_failure(error);

	if (error->kind == PM_ERROR_NOT_FOUND && !strchr(word, '/') && access(word, F_OK) == 0)
		report_note("for the file of that name: procmem who ./%s", word);
	return status;
}

/** Reports what a process shares with others. */
static enum status report_files(const char *word, const struct who_options *options,
                                struct out *out)
{
	struct pm_error error;
	struct target target;

	if (options->seconds > 0) {
		report_error("--for needs a FILE or an ADDRESS");
		return STATUS_ERROR;
	}
	if (target_open_process(&target, word, &error) < 0)
		return fail(word, &error);

	int result = who_files_report(&target, options, out, &error);
	target_close(&target);
	if (result < 0)
		return report_failure(&error);
	return result > 0 ? STATUS_OK : STATUS_NOTHING;
}

/**
 * Finds the file at a path or, if there is none, a deleted file that had this path.
 * @param deleted  receives the place of a deleted file; must outlive the subject
 */
static int find_file(struct who_subject *subject, const char *path, struct who_deleted *deleted,
                     bool quiet, struct pm_error *error)
{
	if (who_subject_from_path(subject, path, error) == 0)
		return 0;
	if (error->kind != PM_ERROR_NOT_FOUND || strncmp(path, "/proc/", strlen("/proc/")) == 0 ||
	    who_deleted_find(path, deleted, error) < 0)
		return -1;

	if (deleted->others > 0 && !quiet)
		report_note("processes hold %zu more deleted file%s of this path: this is the "
		            "largest",
		            deleted->others, deleted->others == 1 ? "" : "s");
	if (*deleted->link)
		return who_subject_from_path(subject, deleted->link, error);
	return who_subject_from_address(subject, deleted->target, deleted->address, error);
}

enum status who_run(struct out *out, int argc, char **argv)
{
	struct who_options options = { 0 };
	struct who_subject subject = { 0 };
	struct who_deleted deleted;
	struct cli_result words;
	struct pm_error error;
	uint64_t address;
	int result;

	if (!cli_parse(&who_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&who_spec, &words))
		return words.status;

	/* A session inserts its TARGET before a FILE, too. */
	char **operands = words.operands;
	bool is_file = words.count == 1 && strchr(operands[0], '/');
	if (words.in_session && words.count == 2 && strchr(operands[1], '/')) {
		operands++;
		is_file = true;
	}

	out_set_colour(out, options.output.colour);
	if (words.count == 1 && !is_file)
		return report_files(operands[0], &options, out);

	if (is_file)
		result = find_file(&subject, operands[0], &deleted, options.output.quiet, &error);
	else if (pm_parse_address(operands[1], &address, &error) < 0)
		result = -1;
	else
		result = who_subject_from_address(&subject, operands[0], address, &error);
	if (result < 0)
		return fail(operands[0], &error);

	enum status status = report_users(&subject, &options, out);
	who_subject_deinit(&subject);
	return status;
}
