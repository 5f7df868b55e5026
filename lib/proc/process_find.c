/* SPDX-License-Identifier: MIT */
/*
 * Finds processes by a word. A process has several names: command name, first argument, program
 * file and script. All of them count the same, so a word that is a name of two processes is
 * ambiguous. A word that is not a name of any process may be the start of a name.
 */
#include <procmem/process_find.h>

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>
#include <procmem/script.h>
#include <procmem/typo.h>

#include "base/array.h"
#include "proc/ambiguous.h"
#include "proc/command.h"
#include "proc/pids.h"
#include "proc/process_handle.h"
#include "proc/self.h"

/** How the word matches a process; the best match is first. */
enum match {
	MATCH_NAME,   /**< equals a name of the process */
	MATCH_START,  /**< is the start of a name, as `redis` of `redis-server` */
	MATCH_ZOMBIE, /**< equals the command name of a process that has ended */
	MATCH_NONE,
};

/** A process that was compared. */
struct candidate {
	pid_t pid;
	enum match match;
	char *name;    /**< command name of the process; owned */
	char *command; /**< command line of the process; owned; NULL if `match` is MATCH_NONE */
	uid_t uid;
	uint64_t start_ticks;
};

/** The names of a process. */
struct texts {
	char comm[PM_COMM_SIZE];
	char *command;          /**< arguments of the process, each followed by a NUL */
	size_t length;          /**< length of the arguments in bytes */
	char program[PATH_MAX]; /**< path of the program file, "" if it may not be read */
};

struct search {
	const char *word;
	struct pm_self own; /**< this process and ancestors that only run it; they never match */
	struct candidate *items;
	size_t count, capacity;
};

/** A name of a process. It need not end in a NUL. */
struct name {
	const char *text;
	size_t length;
};

/** Returns the part of a name after its last slash. */
static struct name base_of(struct name name)
{
	const char *slash = memrchr(name.text, '/', name.length);
	if (slash) {
		name.length -= (size_t)(slash + 1 - name.text);
		name.text = slash + 1;
	}
	return name;
}

/**
 * Returns the name in the first argument: its base name. If the argument contains spaces, it is a
 * title that the program set itself ("sshd: root@pts/0"), and its slashes do not separate
 * directories.
 */
static struct name first_argument(const struct texts *texts)
{
	struct name name = { texts->command, strlen(texts->command) };
	if (strchr(name.text, ' '))
		return name;
	return base_of(name);
}

/**
 * Returns the base name of the program file, without the suffix " (deleted)", which the kernel
 * appends if the file was removed or replaced.
 */
static struct name program_file(const struct texts *texts)
{
	static const char deleted[] = " (deleted)";
	struct name name = base_of((struct name){ texts->program, strlen(texts->program) });
	size_t suffix = sizeof deleted - 1;

	if (name.length > suffix && strcmp(name.text + name.length - suffix, deleted) == 0)
		name.length -= suffix;
	return name;
}

/** Returns the base name of the script that an interpreter runs; empty if there is no script. */
static struct name script_file(const struct texts *texts)
{
	size_t at = 0;
	size_t length = pm_script_find(texts->command, texts->length, '\0', &at);
	return base_of((struct name){ texts->command + at, length });
}

/**
 * Compares a word with a name. A word that is only the start of the name must end where a word of
 * the name ends: `redis` matches `redis-server`, but `red` does not.
 */
static enum match match_name(struct name name, const char *word)
{
	size_t length = strlen(word);
	if (name.length < length || memcmp(name.text, word, length) != 0)
		return MATCH_NONE;
	if (name.length == length)
		return MATCH_NAME;

	unsigned char next = (unsigned char)name.text[length];
	return isalpha(next) || next >= 0x80 ? MATCH_NONE : MATCH_START;
}

/** Finds the best match of a word with the names of a process. */
static enum match match_of(const struct pm_pids_entry *entry, const struct texts *texts,
                           const char *word)
{
	struct name comm = { texts->comm, strlen(texts->comm) };
	enum match best = match_name(comm, word);
	if (pm_state_is_dead(entry->state) && entry->threads <= 1)
		return best == MATCH_NAME ? MATCH_ZOMBIE : MATCH_NONE;

	/* A kernel thread has neither a command line nor a program file. The start of its name
	 * does not match, because its memory cannot be read anyway. */
	if (texts->length == 0 && texts->program[0] == '\0')
		return best == MATCH_NAME ? MATCH_NAME : MATCH_NONE;

	const struct name names[] = { first_argument(texts), program_file(texts),
		                      script_file(texts) };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		enum match match = match_name(names[i], word);
		if (match < best)
			best = match;
	}
	return best;
}

/**
 * Returns the command line of a process, or its command name in brackets if the command line is
 * empty.
 * @return a text that the caller frees; NULL if out of memory
 */
static char *whole_command(struct texts *texts)
{
	char *text;

	pm_command_join(texts->command, texts->length);
	if (texts->command[0] != '\0')
		return strdup(texts->command);
	if (asprintf(&text, "[%s]", texts->comm) < 0)
		return NULL;
	return text;
}

/**
 * Reads the names of a process.
 * @param texts  receives the names; the caller frees `command`
 * @return       0, or -1 with errno set
 */
static int read_texts(pid_t pid, struct texts *texts)
{
	struct pm_procfs procfs;
	if (pm_procfs_open(&procfs, "/proc", pid) < 0)
		return -1;

	int result = pm_comm_read(&procfs, "comm", texts->comm);
	if (result == 0)
		result = pm_command_read(&procfs, &texts->command, &texts->length);

	ssize_t length = readlinkat(procfs.fd, "exe", texts->program, sizeof texts->program - 1);
	if (length < 0)
		length = 0;
	texts->program[length] = '\0';

	int cause = errno;
	pm_procfs_close(&procfs);
	errno = cause;

	return result;
}

static int add_candidate(void *context, const struct pm_pids_entry *entry, struct pm_error *error)
{
	struct search *search = context;
	struct texts texts;

	if (pm_self_has(&search->own, entry->pid))
		return 0;
	if (pm_array_reserve(&search->items, &search->capacity, search->count, 1,
	                     sizeof *search->items, error) < 0)
		return -1;
	if (read_texts(entry->pid, &texts) < 0)
		return pm_pids_skip(errno, error);

	struct candidate *added = &search->items[search->count++];
	*added = (struct candidate){
		.pid = entry->pid,
		.match = match_of(entry, &texts, search->word),
		.name = strdup(texts.comm),
		.uid = entry->uid,
		.start_ticks = entry->start_ticks,
	};

	bool matches = added->match != MATCH_NONE;
	if (matches)
		added->command = whole_command(&texts);
	free(texts.command);
	if (!added->name || (matches && !added->command))
		return pm_error_out_of_memory(error);

	return 0;
}

static void free_search(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		free(search->items[i].name);
		free(search->items[i].command);
	}
	free(search->items);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	if (left->match != right->match)
		return left->match < right->match ? -1 : 1;
	return (left->pid > right->pid) - (left->pid < right->pid);
}

static int report_none(const struct search *search, struct pm_error *error)
{
	char first = search->word[0];
	if ((first >= '0' && first <= '9') || first == '-')
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is neither a PID nor the name of a process",
		                    search->word);

	const char **names = calloc(search->count + 1, sizeof *names);
	if (!names)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < search->count; i++)
		names[i] = search->items[i].name;

	const char *nearest = pm_typo_nearest(search->word, names, search->count);
	if (nearest)
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "no process is called '%s'; did you mean '%s'?", search->word,
		             nearest);
	else
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "no process is called '%s', and none has a similar name",
		             search->word);

	free(names);
	return -1;
}

static int report_several(const struct search *search, size_t count, struct pm_error *error)
{
	struct pm_namesake *items = calloc(count, sizeof *items);
	if (!items)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < count; i++) {
		const struct candidate *item = &search->items[i];
		items[i] = (struct pm_namesake){ .pid = item->pid,
			                         .uid = item->uid,
			                         .start_ticks = item->start_ticks,
			                         .command = item->command };
	}

	pm_ambiguous_error(search->word, items, count, error);
	free(items);

	return -1;
}

/**
 * Compares all processes with the word, and moves those that match best to the start of the array.
 * @return number of the processes that match best; 0 with `error` filled if none matches or on
 *         failure
 */
static size_t find_best(struct search *search, struct pm_error *error)
{
	pm_self_read(&search->own);
	if (pm_pids_visit(add_candidate, search, error) < 0)
		return 0;

	if (search->count > 1)
		qsort(search->items, search->count, sizeof *search->items, compare_candidates);

	size_t best = 0;
	while (best < search->count && search->items[best].match != MATCH_NONE &&
	       search->items[best].match == search->items[0].match)
		best++;

	if (best == 0)
		report_none(search, error);

	return best;
}

static int find_name(const char *word, pid_t *pid, struct pm_error *error)
{
	struct search search = { .word = word };
	size_t best = find_best(&search, error);
	if (best == 1)
		*pid = search.items[0].pid;
	else if (best > 1)
		report_several(&search, best, error);

	free_search(&search);
	return -(best != 1);
}

static int find_names(const char *word, pid_t **pids, size_t *count, struct pm_error *error)
{
	struct search search = { .word = word };
	size_t best = find_best(&search, error);
	pid_t *found = NULL;

	if (best > 0) {
		found = calloc(best, sizeof *found);
		if (!found)
			pm_error_out_of_memory(error);
	}

	for (size_t i = 0; found && search.items && i < best; i++)
		found[i] = search.items[i].pid;

	free_search(&search);
	if (!found)
		return -1;

	*pids = found;
	*count = best;

	return 0;
}

/**
 * Finds the process that a number names. A number is always a PID or thread ID, never a name.
 * @param pid  receives the PID of the process
 */
static int find_number(const char *word, pid_t *pid, struct pm_error *error)
{
	uint64_t number;
	struct pm_process *process;
	if (pm_parse_decimal(word, INT_MAX, &number, NULL) < 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                    "no process has PID %s: the number is larger than any PID",
		                    word);
	if (number == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not a PID: the first PID is 1", word);
	if (pm_process_open(NULL, (pid_t)number, &process, error) < 0)
		return -1;

	*pid = pm_process_pid(process);
	pm_process_close(process);

	return 0;
}

static bool is_number(const char *word)
{
	return strspn(word, "0123456789") == strlen(word);
}

static int check_word(const char *word, struct pm_error *error)
{
	if (word[0] != '\0')
		return 0;
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "an empty word does not name a process: give a PID or a name");
}

int pm_process_find(const char *word, pid_t *pid, struct pm_error *error)
{
	if (check_word(word, error) < 0)
		return -1;
	if (is_number(word))
		return find_number(word, pid, error);
	return find_name(word, pid, error);
}

int pm_process_find_all(const char *word, pid_t **pids, size_t *count, struct pm_error *error)
{
	pid_t pid = 0;

	if (check_word(word, error) < 0)
		return -1;
	if (!is_number(word))
		return find_names(word, pids, count, error);
	if (find_number(word, &pid, error) < 0)
		return -1;

	pid_t *one = malloc(sizeof *one);
	if (!one)
		return pm_error_out_of_memory(error);

	*one = pid;
	*pids = one;
	*count = 1;

	return 0;
}
