/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/name_filter.h"
#include "base/user_names.h"
#include "cli/options.h"
#include "ps/columns.h"
#include "ps/ps.h"
#include "view/json.h"
#include "view/list.h"
#include "view/list_print.h"

/** The parsed options. */
struct ps_options {
	struct list_options list;
	struct output_options output;
};

static const struct cli_option ps_option_list[] = {
	{ 'a', "all", NULL,
	  "list all processes, including kernel threads and\n"
	  "those that do not fit on the screen" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct ps_options *options = into;
	(void)id, (void)value, (void)error;
	options->list.all = true;
	return 0;
}

static const struct cli_group groups[] = {
	{ "What to show:", ps_option_list, parse_option, 0 },
	{ "Order and format:", options_of_lists, options_parse_list,
	  offsetof(struct ps_options, list) },
	{ "Output:", options_of_output, options_parse_output, offsetof(struct ps_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "json csv", NULL };

const struct cli_spec ps_spec = {
	.command = "ps",
	.operands = "[NAME]",
	.purpose = "Lists processes, those with the most resident memory first.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "NAME is a PID, or a regular expression (PCRE2) that is matched against the\n"
		 "command name and the command line. With NAME, the processes that started this\n"
		 "procmem (sudo, timeout, sh -c) are not listed.\n"
		 "Reading the column pss makes the kernel walk all memory of each listed process.\n"
		 "The process cannot map memory during that time.",
	.examples = {
		{ "procmem ps",
		  "list the processes with the most memory, as many as fit the screen" },
		{ "procmem ps -o +pss -n 5 java",
		  "list the five largest processes that match 'java', with PSS" },
	},
	.operands_min = 0,
	.operands_max = 1,
};

/** The processes, with the values of the columns. */
struct listing {
	struct pm_process_list processes;
	struct ps_row *rows;
	size_t count;
	struct user_names users;
};

/**
 * Reads the values of a row that the list of processes does not contain. These values remain
 * unknown if the process has exited or if procmem has no permission to read it.
 */
static void read_more(struct ps_row *row, struct user_names *users, unsigned needs)
{
	struct pm_process *process;
	struct pm_cgroup_limit limit;

	if (needs & PS_NEEDS_USER)
		row->user = user_names_find(users, row->process->uid);

	/* The PSS of kernel threads and zombies is known to be 0, because they have no memory. */
	row->pss_known = row->process->kernel_thread || row->process->state == 'Z';
	if (row->pss_known || !(needs & (PS_NEEDS_PSS | PS_NEEDS_LIMIT)))
		return;
	if (pm_process_open(NULL, row->process->pid, &process, NULL) < 0)
		return;

	if (needs & PS_NEEDS_PSS)
		row->pss_known = pm_process_read_pss(process, &row->pss, NULL) == 0;

	if ((needs & PS_NEEDS_LIMIT) && pm_cgroup_limit_read(process, NULL, &limit, NULL) == 0 &&
	    limit.limited) {
		row->limit = limit.max;
		row->limited = true;
	}

	pm_process_close(process);
}

/**
 * Checks whether to list a process. The procmem process itself is not listed. If NAME consists of
 * digits, it is a PID, never a name.
 */
static bool is_wanted(const struct pm_process_row *process, const struct ps_options *options,
                      const char *name, const struct name_filter *filter)
{
	uint64_t pid;

	if (process->pid == getpid())
		return false;
	if (name && *name && name[strspn(name, "0123456789")] == '\0')
		return pm_parse_decimal(name, INT_MAX, &pid, NULL) == 0 &&
		       process->pid == (pid_t)pid;

	/* With NAME, skip the processes that started procmem, such as sudo: their command lines
	 * contain NAME only because it is an argument of procmem. */
	if ((process->kernel_thread && !options->list.all) || (process->own && name))
		return false;

	return name_filter_fits(filter, process->comm) ||
	       name_filter_fits(filter, process->command);
}

/** Makes a row for each process to be listed. */
static void add_rows(struct listing *listing, const struct ps_options *options, const char *name,
                     const struct name_filter *filter, unsigned needs)
{
	listing->rows = alloc_array(NULL, listing->processes.count, sizeof *listing->rows);
	for (size_t i = 0; i < listing->processes.count; i++) {
		const struct pm_process_row *process = &listing->processes.items[i];

		if (!is_wanted(process, options, name, filter))
			continue;

		struct ps_row *row = &listing->rows[listing->count++];

		*row = (struct ps_row){ .process = process };
		read_more(row, &listing->users, needs);
	}
}

static int print_json(const struct list *list, struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "time", json_now());
	if (json_put_list(&json, "processes", list, error) < 0)
		return -1;

	json_put_total(&json, list, "pss,swap");
	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}

static int print(struct list *list, const struct ps_options *options, struct out *out,
                 struct pm_error *error)
{
	list_sort(list);
	if (options->output.json)
		return print_json(list, out, error);
	list_print(list, out);
	return 0;
}

/**
 * Prints the rows, or why there are none.
 * @param name  name that the processes must match; NULL: all processes were listed
 * @return      exit status
 */
static enum status print_rows(struct list *list, const struct listing *listing,
                              const struct ps_options *options, const char *name, struct out *out)
{
	struct pm_error error;

	for (size_t i = 0; i < listing->count; i++)
		list_add(list, &listing->rows[i]);

	if (listing->count == 0 && name) {
		report_error("no process matches '%s'", name);
		return STATUS_NOTHING;
	}
	if (listing->count == 0) {
		report_error("there are no processes to list");
		return STATUS_NOTHING;
	}
	if (print(list, options, out, &error) < 0)
		return report_failure(&error);

	return STATUS_OK;
}

/**
 * Lists the processes that match the name.
 * @return exit status
 */
static enum status run(const struct ps_options *options, const char *name, struct out *out)
{
	struct pm_error error;
	struct list list;
	struct name_filter filter = { 0 };
	struct listing listing = { 0 };
	enum status status = STATUS_ERROR;

	if (list_init(&list, &ps_columns_spec, &options->list, options->output.bytes, &error) < 0 ||
	    name_filter_init(&filter, name, &error) < 0)
		return report_failure(&error);

	uint64_t started = clock_us();

	if (pm_process_list_read(&listing.processes, &error) < 0) {
		report_failure(&error);
		goto end;
	}

	unsigned needs = options->output.json ? json_list_needs(&list) : list_needs(&list);

	add_rows(&listing, options, name, &filter, needs);
	if (options->output.verbose && !options->output.quiet)
		report_note("%zu processes read in %.1f ms", listing.processes.count,
		            (double)(clock_us() - started) / 1000);

	status = print_rows(&list, &listing, options, name, out);

end:
	list_deinit(&list);
	free(listing.rows);
	user_names_deinit(&listing.users);
	pm_process_list_deinit(&listing.processes);
	name_filter_deinit(&filter);

	return status;
}

enum status ps_run(struct out *out, int argc, char **argv)
{
	struct ps_options options = { 0 };
	struct cli_result words;

	if (!cli_parse(&ps_spec, out, argc, argv, &options, &words))
		return words.status;

	out_set_colour(out, options.output.colour);
	if (options_want_help(&options.list)) {
		list_print_columns(&ps_columns_spec, out);
		return STATUS_OK;
	}
	if (!cli_check_operands(&ps_spec, &words))
		return words.status;

	return run(&options, words.count > 0 ? words.operands[0] : NULL, out);
}
