/* SPDX-License-Identifier: MIT */
/*
 * procmem looks inside a running process's memory. This file selects the command.
 *
 * The folders and files, in the order in which they are best read:
 *
 *   lib/include/procmem/   the interface of the library, all that commands use of it
 *
 *   main.c                 the program: selects the command
 *   commands.c             the table of commands
 *
 *   why/                   `procmem why`
 *     why.c                  the command: observes, judges and prints
 *     observe.c              observes a process for some time, and what is around it
 *     walks.c                walks over malloc's heap: which chunks are allocated and stay
 *     texts.c                the texts in new pages of regions that grow
 *     owners.c               memory by owner over time, and the types of Python objects
 *     names.c                the names of the newest threads and descriptors
 *     evidence.c             makes the evidence, which the rules of the library judge
 *     sentence.c             a finding in words: the only place where its text is formed
 *     words.c                its title, its advice, and the commands that show more
 *     until.c                which limit is reached, and when
 *     more.c                 its commands, with the PID, address or file that they need
 *     report.c               what is reported beside the findings
 *     print.c                its output
 *     json.c                 the same as JSON
 *   map/                   `procmem map`
 *     map.c                  the command: its options, from the target to the output
 *     print.c                the listing: table, sums, JSON
 *     header.c               the line about the process above the listing
 *     sum.c                  the sums over several processes
 *     at.c                   what is at an address
 *     chunk.c                the chunk of malloc there
 *     pmap_format.c          output like that of `pmap -x`
 *   dump/                  `procmem dump`
 *     dump.c                 the command and its options
 *     source.c               opens the memory to dump
 *     hex.c                  prints it as text
 *     file.c                 writes it to a file, and its index to FILE.map
 *   strings/               `procmem strings`
 *     strings.c              the command
 *     options.c              its options
 *     line.c                 makes a line from a hit, in the threads of the scan
 *     print.c                prints the lines in order
 *     unique.c               prints the counts of distinct strings
 *     formats.c              formats in the memory of the process that strings fit
 *   grep/                  `procmem grep`
 *     grep.c                 the command: all its targets, and the exit status
 *     options.c              its options
 *     patterns.c             the list of patterns
 *     search.c               searches one target
 *     line.c                 a match as text
 *     json.c                 a match as JSON
 *     unique.c               the distinct matches and their counts
 *   heap/                  `procmem heap`
 *     heap.c                 the command
 *     options.c              its options
 *     report.c               opens the heap, and counts its chunks
 *     verdict.c              whether the heap is fragmented, and which chunks cause it
 *     verdict_text.c         the verdict, as text
 *     print.c                the table of arenas, and places that are not valid
 *     classes.c              the chunks by size and type as a list
 *     chunks.c               --list: the chunks by address
 *     at.c                   the chunk at an address
 *     retained.c             --retained: the roots that hold chunks
 *     shared.c               --retained: with which roots a root shares chunks
 *     roots.c                these roots as text
 *     root_find.c            the root that --tree names
 *     tree.c                 --tree: the chunks that one root holds
 *     growth.c               --growth: the chunks that are new and still there
 *     json.c                 its JSON
 *   leaks/                 `procmem leaks`
 *     leaks.c                the command
 *     groups.c               the lost chunks by size and type as a list
 *   who/                   `procmem who`
 *     who.c                  the command
 *     subject.c              the file, or what is mapped at an address
 *     files.c                all files that a process shares with others
 *     growth.c               growth of the file, and who probably writes to it
 *     print.c                text and JSON
 *   refs/                  `procmem refs`
 *     refs.c                 the command
 *     found.c                searches for references
 *     outside.c              the words of a chunk that point outside of malloc
 *     print.c                prints them as text and as JSON
 *   ps/                    `procmem ps`
 *     ps.c                   the command
 *     listing.c              reads the processes, and the values of their columns
 *     cgroups.c              the cgroups, containers and limits of the processes
 *     growth.c               --for: compares two lists
 *     tree.c                 --tree: the order of the tree, and the sums of subtrees
 *     groups.c               --by: sums of programs, cgroups, users and containers
 *     columns.c              the columns of processes
 *     group_columns.c        the columns of groups
 *   snap/                  `procmem snap`
 *     snap.c                 the command
 *     list.c                 lists the samples of a recording
 *   diff/                  `procmem diff`
 *     diff.c                 the command
 *     rows.c                 the difference of two samples as rows
 *     chunks.c               the difference of their chunks of malloc
 *     sites.c                the difference of the sites of traces
 *     print.c                prints the rows
 *   headroom/              `procmem headroom`
 *     headroom.c             the command
 *     rates.c                the rates at which the limits are used up
 *     follow.c               --follow: the rates of a name over restarts of its process
 *     around.c               what grows around the process during --for
 *     fillers.c              what of it uses up the limit, and what is not explained
 *     fillers_print.c        prints it, as text and as JSON
 *     rows.c                 a row for each process of --children, --cgroup, --all-processes
 *     answer.c               the first lines: which limit is reached first, and when
 *     print.c                its output
 *     members.c              the processes that share the limit
 *   cgroup/                `procmem cgroup`
 *     cgroup.c               the command
 *     rates.c                what the parts do over time, and when limits are reached
 *     print.c                its output
 *     parts.c                the table of the parts
 *     files.c                the files in tmpfs and the shared memory
 *     files_json.c           their JSON
 *     json.c                 its JSON
 *     suspect.c              which directory, file or object holds the shared memory
 *     top.c                  the cgroups with the highest usage
 *   pressure/              `procmem pressure`
 *     pressure.c             the command: two readings, the log, the thresholds
 *     words.c                signs, kills and cells of the table in words
 *     json.c                 the same as JSON
 *   stale/                 `procmem stale`
 *     stale.c                the command
 *     measure.c              removes the marks, and takes the readings
 *     growth.c               what grows and whose older part is not touched
 *     columns.c              the columns of its list
 *   trace/                 `procmem trace`
 *     trace.c                the command: records, measures, and writes the outputs
 *     options.c              its options
 *     report.c               a result with its stacks, from which all outputs are made
 *     rows.c                 the sites as a list
 *     header.c               the lines above the list, and the notes
 *     record.c               --record: adds the sites to a recording
 *     strings.c              the most frequent strings of each site
 *     json.c                 its JSON
 *     numbers.c              numbers for different byte strings
 *     tree.c                 all stacks, merged into a tree
 *     svg.c                  the tree as a flame graph
 *     svg_script.c           the script of the flame graph
 *     folded.c               the stacks as lines, for other viewers
 *     pprof.c                the stacks as a profile of pprof
 *
 *   watch/                 `procmem watch`
 *     watch.c                the command: its loop, until something ends it
 *     options.c              its options
 *     run.c                  the source of samples, the recording, and the end
 *     step.c                 takes one sample, and updates what is displayed
 *     replay.c               samples of a recording instead of a process
 *     history.c              data about the process: sizes over time, trends, limits
 *     reserve.c              the reserves into which the process grows
 *     similar.c              sums of files with similar names
 *     several.c              a list of processes: a row for each
 *     around.c               processes around the watched one that grow
 *     view.c                 the rows of a history: selected, judged and sorted
 *     format.c               the texts of a process and a row
 *     print.c                a sample as text, and the summary
 *     json.c                 a sample as JSON
 *     heap.c                 --heap: walks over the heap, and which chunks grow
 *     heap_walk.c            a walk; a thread of its own for the live screen
 *     heap_print.c           these chunks as text and as JSON
 *     save.c                 writes regions to a file
 *     family/                --children, --cgroup, --all-processes and --follow
 *       family.c               the loop, until something ends it
 *       run.c                  takes a sample of all processes
 *       members.c              the processes and their sum over time
 *       regions.c              the regions of the processes that grow most
 *       limits.c               the limits that the processes share
 *       rows.c                 the processes in the order in which they are shown
 *       print.c                a sample as text, and the summary
 *       json.c                 a sample as JSON
 *       screen.c               the live screen; Enter opens the screen of a process
 *     events/                --on and --do
 *       events.c               evaluates the conditions after each sample
 *       options.c              parses --on, --do and related options
 *       condition.c            parses one condition
 *       evaluate.c             compares a history with one condition
 *       action.c               parses one action, and checks at the start that it is possible
 *       perform.c              performs an action
 *       jobs.c                 commands that run concurrently
 *       print.c                reports events and actions
 *     peek/                  --peek
 *       peek.c                 the most frequent strings in the new pages of growing regions
 *       print.c                these strings as text and as JSON
 *     screen/                the live screen
 *       screen.c               draws each sample
 *       state.c                what the screen displays, and what keys change of it
 *       header.c               the lines about the process
 *       table.c                the table of regions
 *       rows.c                 its rows, and which one is selected
 *       keys.c                 the keys, and their help
 *       prompt.c               asks a question in the last line
 *       pane.c                 text that covers the rows
 *       snapshot.c             the sample that the screen shows while it is paused
 *       worker.c               slow work: reads the text of a row, writes its bytes, traces it
 *       call_sites.c           which code maps and touches the memory of a row
 *       task.c                 the child process that runs this work
 *
 *   shell/                 `procmem shell`
 *     shell.c                the command
 *     prompt.c               the prompt: waits for keys, and for the end of the target
 *     line.c                 parses a line into statements
 *     run.c                  runs a statement, and restores what the command changed
 *     system.c               commands of sh
 *     builtins.c             commands that exist only in a session
 *     target.c               attach, detach, stop, cont, info
 *     results.c              replaces #3 and #r2
 *     lists.c                hits, regions
 *     defaults.c             set
 *     history.c              history, and the lines of earlier sessions
 *     x_command.c            x: reads the memory to show
 *     examine.c              values in the formats of gdb
 *     complete.c             the Tab key: which kind of word belongs at the cursor
 *     candidates.c           the words that can complete it, for each kind
 *
 *   target/                from the words TARGET and REGION to open memory
 *     target.c               what a TARGET means
 *     target_list.c          a TARGET that selects several processes, by name, parent or cgroup
 *     selection.c            the options that select regions
 *     regions_load.c         reads regions, as fast as the columns allow
 *     sampled.c              a sample of a process or a file
 *     memory.c               the memory of a process, stopped or not, or of a core file
 *     malloc_heap.c          opens the heap of a target
 *     malloc_graph.c         copies the memory of a target, and finds what points to its chunks
 *     root_text.c            variables, stacks and registers that point to chunks as text
 *     chunk_contents.c       what its chunks contain
 *     chunk_text.c           a chunk as text
 *     chunk_histogram.c      counts its chunks by size and type, for a recording or a comparison
 *     hit_chunk.c            the chunk that contains a hit of a search
 *     arena_threads.c        the threads of its arenas, as text and as JSON
 *     unreadable.c           reports what could not be read
 *     stopping.c             --stop, also while a session holds the target stopped
 *     stop_limit.c           ends a stop that takes too long
 *     search.c               a scan, for the commands that search
 *     region_columns.c       the columns of a region, and what each of them needs
 *     group_columns.c        the columns of sums of regions
 *     region_text.c          a region as a heading
 *     frames.c               frames and stacks as text
 *     json_parts.c           the members that the JSON of several commands has
 *     group.c                sums of regions
 *     similar_name.c         names of files that differ only in numbers
 *     first_limit.c          the limit that is reached first
 *     forecast.c             when a limit is reached
 *     limit_counters.c       what each limit counts, over time
 *     neighbours.c           the processes around a target, and how they grow
 *     neighbours_list.c      finds these processes
 *     shared_files.c         the files that a target maps, and who writes to them
 *     growth_text.c          verdicts on growth, as text
 *
 *   view/                  output
 *     list.c                 lists with selected columns in a selected order
 *     list_print.c           a list as a table and as CSV
 *     list_fit.c             the columns of that table, fitted to the terminal
 *     json.c                 JSON, also of lists
 *     table.c                aligned columns
 *     numbered_table.c       a table with the numbers of a session
 *     results.c              the numbers of hits and regions in a session
 *     hit_text.c             a hit, and the text around it
 *     command_line.c         command lines that are too long for the terminal
 *     fold.c                 texts with repetitions, shortened
 *     hex_view.c             bytes like those of hexdump -C
 *     spark.c                values over time as a line of characters
 *     progress.c             the progress of a long command
 *     terminal.c             full-screen mode, with ncurses
 *     terminal_keys.c        the keys and the mouse: decodes what a terminal sends
 *
 *   cli/                   the command line
 *     cli.c                  parses options and operands
 *     help.c                 --help
 *     options.c              the options of lists, and of all output
 *
 *   base/                  helpers that do not depend on processes
 *     out.c                  buffered output
 *     report.c               errors and notes on stderr
 *     text.c                 a text that grows, and fast formatting of numbers
 *     utf8.c                 makes untrusted bytes safe to print
 *     wrap.c                 breaks prose into lines
 *     delta.c                changes, rates, times and durations
 *     new_file.c             files that appear when they are complete
 *     temporary_names.c      removes temporary files if a signal ends the program
 *     interrupt.c            Ctrl-C
 *     poll_loop.c            waits for the next sample, a key or an event
 *     name_filter.c          a regular expression for names of processes
 *     user_names.c           names of users
 *     own_libraries.c        what differs in the archive, which has its own libraries
 *     alloc.c                allocation that cannot fail
 */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <procmem/typo.h>

#include "base/out.h"
#include "base/own_libraries.h"
#include "base/report.h"
#include "commands.h"
#include "shell/shell.h"

/** The shell. It runs the commands of the table, and therefore is not in the table itself. */
static const struct command shell_command = {
	"shell", "run all commands at a prompt, on one target", shell_run, &shell_spec, -1, "Work",
};

/** Prints a command, after the heading of its group if the command before is of another group. */
static void print_summary(struct out *out, const struct command *command,
                          const struct command *before)
{
	if (!before || strcmp(command->group, before->group) != 0)
		out_format(out, " %s:\n", command->group);
	out_format(out, "  %-10s %s\n", command->name, command->summary);
}

static void print_help(struct out *out)
{
	out_string(
		out,
		"Usage: procmem COMMAND [OPTION]... [ARGUMENT]...\n\n"
		"Shows which regions hold the memory of a running process, and what they contain.\n"
		"The process is not restarted or changed, except for marks that stale removes,\n"
		"and it is not stopped without --stop.\n"
		"\nCommands:\n");

	const struct command *before = NULL;
	for (const struct command *command = commands; command->name; command++) {
		print_summary(out, command, before);
		before = command;
	}

	print_summary(out, &shell_command, before);
	out_string(
		out,
		"\n'procmem COMMAND --help' describes a command.\n\nExamples:\n"
		"  procmem why java\n      report what is wrong with the memory of java, after 30 "
		"seconds\n"
		"  procmem ps\n      list the processes with the most memory\n"
		"  procmem map java\n      list the regions of the process called java, "
		"largest first\n");
}

static const struct command *find_command(const char *name)
{
	return strcmp(name, shell_command.name) == 0 ? &shell_command : commands_find(name);
}

/**
 * Finds the command whose name is most similar to a word.
 * @return the name; NULL if no name is similar
 */
static const char *nearest_command(const char *word)
{
	const char *names[64] = { shell_command.name };
	size_t count = 1;

	for (const struct command *command = commands; command->name; command++) {
		if (count < sizeof names / sizeof *names)
			names[count++] = command->name;
	}
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
		report_error("unknown command '%s'; did you mean '%s'?", word, nearest);
	else
		report_error("unknown command '%s'; 'procmem --help' lists the commands", word);

	return STATUS_ERROR;
}

/** Runs `procmem help [COMMAND]`, which is the same as `procmem [COMMAND] --help`. */
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
		struct out errors;
		out_init(&errors, STDERR_FILENO);
		print_help(&errors);
		out_close(&errors);
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
		report_error("expected a command, got '%s'; 'procmem --help' lists the commands",
		             word);
		return STATUS_ERROR;
	}

	return run_command(out, argc - 1, argv + 1);
}

/**
 * Opens /dev/null for standard streams that are closed. Otherwise the next file that is opened
 * would become such a stream and receive its output. Reading from stdin and writing to stdout still
 * fail; writing to stderr is ignored.
 * @return 0 or -1
 */
static int fill_standard_streams(void)
{
	static const int modes[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY
	};
	/* Open without O_CLOEXEC, because child processes inherit the standard streams. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	own_libraries_start();

	/* Return large blocks to the kernel when they are freed. By default, malloc raises this
	 * threshold up to 32 MiB when such a block is freed, and keeps later blocks below it;
	 * see mallopt(3). */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);

	if (fill_standard_streams() < 0)
		return (int)STATUS_ERROR;

	/* If the reader of the output closes the pipe, the rest of the output is dropped, but
	 * the program must continue, because commands have to restore their target. */
	signal(SIGPIPE, SIG_IGN);

	/* If a file exceeds the limit on the size of files, the write must fail, so that the
	 * command can report this and remove the file. */
	signal(SIGXFSZ, SIG_IGN);

	/* If the parent process ignored SIGCHLD, exec preserves that, and wait(2) would not
	 * report how a child process ended. */
	signal(SIGCHLD, SIG_DFL);

	struct out out;

	out_init(&out, STDOUT_FILENO);

	enum status status = run(&out, argc, argv);

	if (out_close(&out) < 0)
		status = STATUS_ERROR;

	return (int)status;
}
