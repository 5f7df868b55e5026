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
 *   dump/dump.c            `procmem dump`: its options, opening the memory, notes and JSON
 *     dump/hex.c             printing it as text
 *     dump/file.c            writing it to a file, and its index to FILE.map
 *   strings.c              `procmem strings`
 *     strings_options.c      its options
 *     strings_line.c         from a hit to a line, in the threads of the scan
 *     strings_print.c        the lines in order
 *     strings_unique.c       different strings with their counts
 *   grep.c                 `procmem grep`: from the words to all targets, and the exit status
 *     grep_options.c         its options
 *     grep_patterns.c        the list of patterns
 *     grep_search.c          searching one target, and what is told about it
 *     grep_line.c            a match as text
 *     grep_json.c            a match as JSON
 *   watch.c                `procmem watch`: looking again and again, until something ends it
 *     watch_options.c        its options
 *     poll_loop.c           waiting for the next look, or for what comes before it
 *     events.c         its conditions: looking at them, acting, being woken by the kernel
 *       events_options.c  --on, --do and what belongs to them
 *       condition.c            conditions as they are written
 *       watch_conditions.c     whether they hold, and which region is to blame
 *       watch_actions.c        taking samples, dumping, commands
 *       watch_action_check.c   whether that can be done, said at the start
 *       watch_jobs.c           commands that run meanwhile
 *       events_print.c   what is told of it
 *     watch_step.c           one look, and what became of the regions since the first
 *     watch_replay.c         the samples of a recording, in the place of looks
 *     watch_sort.c           rows of what is followed: chosen, judged, sorted
 *     watch_words.c          what is told of a process and a row, piece by piece
 *     peek.c           what stands in the new pages of growing regions
 *     peek_print.c     those strings as text and as JSON
 *     watch_print.c          a look as text, and the summary
 *     watch_json.c           a look as JSON
 *     screen.c         the live screen: from a look to a picture
 *     screen_rows.c             its rows: which are there, and which is selected
 *     watch_kinds.c            rows that are sums by kind
 *     screen_snapshot.c            a picture of one moment, while it is paused
 *     watch_header.c           what it tells of the whole process
 *     watch_table.c            its table
 *     watch_keys.c             what its keys do
 *     screen_prompt.c           a question in its last line
 *     screen_pane.c             text that covers its rows
 *     screen_worker.c             what takes long and goes on beside it
 *       screen_task.c             a child process that does it
 *       screen_strings.c          reading the text in the newest pages of a region
 *       watch_save.c             writing a region to a file
 *   snap.c                 `procmem snap`
 *     snap_list.c            which samples a recording has
 *   diff.c                 `procmem diff`
 *     diff_print.c           its table
 *     sampled.c              one sample, wherever it comes from
 *   headroom.c             `procmem headroom`
 *     headroom_rates.c       how fast the rest is used up
 *     headroom_print.c       its lines
 *     headroom_members.c     who shares the limit
 *     first_limit.c          which limit is met first, also for watch
 *   shell.c                `procmem shell`: a session
 *     shell_line.c           what a typed line means
 *     shell_run.c            running it: outputs, signals, what a command may change of the process
 *     shell_system.c         commands of sh
 *     shell_builtins.c       the commands that only a session has
 *     shell_target.c         what it looks at: attach, stop, cont, info
 *     shell_results.c        #3 and #r2
 *     shell_lists.c          hits and regions, which list them
 *     shell_defaults.c       set
 *     shell_examine.c        x: reading what it shows
 *     examine.c              values in the forms of gdb
 *     shell_prompt.c         the prompt, and waiting for keys and for the end of the target
 *     shell_complete.c       the Tab key: what may stand where
 *     shell_candidates.c       and which words that are
 *     shell_history.c        the lines of former sessions
 *   ps.c                   `procmem ps`
 *     ps_columns.c           its columns
 *     name_filter.c          which names fit
 *     user_names.c           names of users
 *
 *   cli.c                  a command's options, from one description
 *     cli_help.c             its --help
 *   selection.c            the options that choose regions
 *   list_options.c         the options of all lists, and of all output
 *   target.c               what a TARGET word means
 *   regions_load.c         reading a target's regions as cheaply as the wanted columns allow
 *   region_columns.c       the columns of a region, and what each costs
 *   region_text.c          a region in JSON lines, and as a heading
 *   group.c                regions summed up by what they have in common
 *
 *   memory.c               the memory of a process, stopped or not, or of a core file
 *     unreadable.c                what of it could not be had
 *     search.c               a scan of it, for the commands that search
 *   target_list.c          a TARGET word that means several processes
 *   hit_text.c             what was found, and the text around it, as text
 *   hex_view.c             bytes in the form of hexdump -C
 *   new_file.c             files that appear whole or not at all
 *   terminal.c             a terminal used as a whole (ncurses)
 *     terminal_check.c       whether it can be
 *   spark.c                values over time as a line of characters
 *   progress.c             how far a long command has come
 *   interrupt.c            Ctrl-C
 *   stopping.c             --stop, also while a session holds the target stopped
 *
 *   list.c                 lists with chosen columns in a chosen order
 *     list_values.c            the values of its cells
 *     list_print.c             as a table
 *   list_fit.c               fitted to the terminal
 *   list_csv.c               as comma-separated values
 *   json.c                   as JSON, piece by piece
 *   table.c                aligned columns
 *     numbered_table.c       with the numbers that a session gives
 *   wrap.c                 lines of words that fit the terminal
 *   delta.c                signed numbers: how much something changed, and how fast
 *   out.c                  the buffered output, its terminal and its end
 *   report.c               errors, and the exit statuses
 *   results.c              numbers for what a session prints
 *   text.c                 a growing text, and numbers written fast
 *   utf8.c                 strangers' bytes made safe to print
 *   alloc.c                memory or the end
 */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <procmem/typo.h>

#include "base/out.h"
#include "base/report.h"
#include "commands.h"
#include "shell/shell.h"

/** The session of all commands; it is not in their table because it runs them. */
static const struct command shell_command = {
	"shell",   "all of it at a prompt, on one target, with numbered results",
	shell_run, &shell_spec,
	-1,
};

static void print_summary(struct out *out, const struct command *command)
{
	out_format(out, "  %-10s %s\n", command->name, command->summary);
}

static void print_help(struct out *out)
{
	out_string(out,
	           "Usage: procmem COMMAND [OPTION]... [ARGUMENT]...\n\n"
	           "Looks inside a running process's memory: what holds it, and what is in it.\n"
	           "Nothing is restarted or changed, and nothing is stopped unless --stop asks for "
	           "it.\n\nCommands:\n");

	for (const struct command *command = commands; command->name; command++)
		print_summary(out, command);

	print_summary(out, &shell_command);
	out_string(out, "\nprocmem COMMAND --help tells more about one of them.\n\nExamples:\n"
	                "  procmem ps\n      the processes with the most memory\n"
	                "  procmem map java\n      the regions of the process called java, largest "
	                "first\n");
}

static const struct command *find_command(const char *name)
{
	return strcmp(name, shell_command.name) == 0 ? &shell_command : commands_find(name);
}

/** The command that was probably meant. @return its name, or NULL where none is similar */
static const char *nearest_command(const char *word)
{
	const char *names[64] = { shell_command.name };
	size_t count = 1;

	for (const struct command *command = commands; command->name; command++)
		if (count < sizeof names / sizeof *names)
			names[count++] = command->name;
	return pm_typo_nearest(word, names, count);
}

static enum status run_command(struct out *out, int argc, char **argv)
{
	const char *word = argv[0];
	const struct command *command = find_command(word);
	if (command)
		return command->run(out, argc, argv);

	const char *nearest = nearest_command(word);
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
		report_error(
			"'%s' stands where the command belongs; procmem --help lists the commands",
			word);
		return STATUS_ERROR;
	}

	return run_command(out, argc - 1, argv + 1);
}

/**
 * Takes the places of standard streams that the caller has closed: else the next file that is
 * opened would be one of them, and get what is meant for it. Reading and writing fail as they
 * would, but for stderr, which nobody misses.
 * @return 0 or -1
 */
static int fill_standard_streams(void)
{
	static const int ways[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY
	};
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* Children inherit them, as they would inherit others. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", ways[fd]) != fd)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	/* Large blocks go back to the system as soon as they are free; otherwise malloc keeps more
	 * and more of them, up to 32 MiB each (mallopt(3)). */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);

	struct out out;
	if (fill_standard_streams() < 0)
		return (int)STATUS_ERROR;

	/* A reader that goes away ends the output quietly, not the program: commands have to leave
	 * their target as it was. */
	signal(SIGPIPE, SIG_IGN);

	/* Where whoever started us ignores it, exec hands that on, and wait(2) would not tell how a
	 * child ended. */
	signal(SIGCHLD, SIG_DFL);
	out_init(&out, STDOUT_FILENO);

	enum status status = run(&out, argc, argv);
	if (out_close(&out) < 0)
		status = STATUS_ERROR;

	return (int)status;
}
