/* SPDX-License-Identifier: MIT */
/*
 * procmem: look inside a running process's memory. This file picks the command.
 *
 * All files, in the order in which they are best read:
 *
 *   lib/include/procmem/   the library's interface: everything that commands may use of it
 *
 *   main.c                 here
 *   commands.c             the table of commands
 *   map.c                  `procmem map`: its options, and from the target to what is printed
 *     map_print.c            the forms of the listing: table, groups, JSON
 *     map_header.c           the line about the process above it
 *     map_at.c               what is at one address
 *     pmap_format.c          the text of `pmap -x`
 *   dump.c                 `procmem dump`: its options, and what is told about it
 *     dump_source.c          opening what is dumped: a process or a core file
 *     dump_hex.c             showing it as text
 *     dump_file.c            writing it to a file
 *     dump_map.c             FILE.map: what stands where in the file
 *   ps.c                   `procmem ps`
 *     ps_columns.c           its columns
 *     name_filter.c          which names fit
 *     user_names.c           names of users
 *
 *   cli.c                  a command's options, from one description: parsing and --help
 *   selection.c            the options that choose regions
 *   list_options.c         the options of all lists, and of all output
 *   target.c               what a TARGET word means
 *   regions_load.c         reading a target's regions as cheaply as the wanted columns allow
 *   region_columns.c       the columns of a region, and what each costs
 *   group.c                regions summed up by what they have in common
 *
 *   hex_view.c             bytes in the form of hexdump -C
 *   new_file.c             files that appear whole or not at all
 *   progress.c             how far a long command has come
 *   interrupt.c            Ctrl-C
 *
 *   list.c                 lists with chosen columns in a chosen order
 *   list_print.c             as a table
 *   list_fit.c               fitted to the terminal
 *   list_csv.c               as comma-separated values
 *   json.c                   as JSON, piece by piece
 *   table.c                aligned columns
 *   out.c                  the buffered output, its terminal and its end
 *   report.c               errors, and the exit statuses
 *   text.c                 a growing text, and numbers written fast
 *   utf8.c                 strangers' bytes made safe to print
 *   alloc.c                memory or the end
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "out.h"
#include "report.h"

static void print_help(struct out *out)
{
	out_string(out, "Usage: procmem COMMAND [OPTION]... [ARGUMENT]...\n\n"
	                "Looks inside a running process's memory: what holds it, and what is in it.\n"
	                "Nothing is restarted or changed, and nothing is stopped unless --stop asks for it.\n\nCommands:\n");
	for (const struct command *command = commands; command->name; command++)
		out_format(out, "  %-10s %s\n", command->name, command->summary);
	out_string(out, "\nprocmem COMMAND --help tells more about one of them.\n\nExamples:\n"
	                "  procmem ps\n      the processes with the most memory\n"
	                "  procmem map java\n      the regions of the process called java, largest first\n");
}

static enum status run_command(struct out *out, int argc, char **argv)
{
	const char *word = argv[0];
	const struct command *command = command_find(word);
	if (command)
		return command->run(out, argc, argv);
	const char *nearest = command_nearest(word);
	if (nearest)
		report_error("there is no command '%s'; did you mean '%s'?", word, nearest);
	else
		report_error("there is no command '%s'; procmem --help lists them", word);
	return STATUS_ERROR;
}

/** `procmem help [COMMAND]` is `procmem [COMMAND] --help`. */
static enum status run_help(struct out *out, int argc, char **argv)
{
	char help[] = "--help";
	if (argc < 2) {
		print_help(out);
		return STATUS_OK;
	}
	char *words[] = { argv[1], help, NULL };
	return run_command(out, 2, words);
}

static enum status run(struct out *out, int argc, char **argv)
{
	if (argc < 2) {
		report_error("which command? procmem --help lists them");
		return STATUS_ERROR;
	}
	const char *word = argv[1];
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		out_string(out, "procmem " PROCMEM_VERSION "\n");
		return STATUS_OK;
	}
	if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return run_help(out, argc - 1, argv + 1);
	if (word[0] == '-') {
		report_error("'%s' stands where the command belongs; procmem --help lists the commands", word);
		return STATUS_ERROR;
	}
	return run_command(out, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	struct out out;
	/* A reader that goes away ends the output quietly, not the program: commands have to leave their target as it was. */
	signal(SIGPIPE, SIG_IGN);
	out_init(&out, STDOUT_FILENO);
	enum status status = run(&out, argc, argv);
	if (out_close(&out) < 0)
		status = STATUS_ERROR;
	return (int)status;
}
