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
#include "proc/process_names.h"
#include "proc/self.h"

/** A process that was compared. */
struct candidate {
	pid_t pid;
	enum pm_name_match match;
	char *name;    /**< command name of the process; owned */
	char *command; /**< command line of the process; owned; NULL if `match` is PM_MATCH_NONE */
	uid_t uid;
	uint64_t start_ticks;
};

struct search {
	const char *word;
	bool exact;         /**< the start of a name does not match */
	struct pm_self own; /**< this process and ancestors that only run it; they never match */
	struct candidate *items;
	size_t count, capacity;
};

/**
 * Returns the command line of a process, or its command name in brackets if the command line is
 * empty.
 * @return a text that the caller frees; NULL if out of memory
 */
static char *whole_command(struct pm_process_names *names)
{
	char *text;

	pm_command_join(names->command, names->length);
	if (names->command[0] != '\0')
		return strdup(names->command);
	if (asprintf(&text, "[%s]", names->comm) < 0)
		return NULL;
	return text;
}

/** Reads the names of a process. Returns 0, or -1 with errno set. */
static int read_names(pid_t pid, struct pm_process_names *names)
{
	struct pm_procfs procfs;
	if (pm_procfs_open(&procfs, "/proc", pid) < 0)
		return -1;

	int result = pm_process_names_read(&procfs, names), cause = errno;
	pm_procfs_close(&procfs);
	errno = cause;
	return result;
}

static bool has_ended(const struct pm_pids_entry *entry)
{
	return pm_state_is_dead(entry->state) && entry->threads <= 1;
}

static int add_candidate(void *context, const struct pm_pids_entry *entry, struct pm_error *error)
{
	struct search *search = context;
	struct pm_process_names names;

	if (pm_self_has(&search->own, entry->pid))
		return 0;
	if (pm_array_reserve(&search->items, &search->capacity, search->count, 1,
	                     sizeof *search->items, error) < 0)
		return -1;
	if (read_names(entry->pid, &names) < 0)
		return pm_pids_skip(errno, error);

	struct candidate *added = &search->items[search->count++];
	*added = (struct candidate){
		.pid = entry->pid,
		.match = pm_process_names_match(&names, has_ended(entry), search->word),
		.name = strdup(names.comm),
		.uid = entry->uid,
		.start_ticks = entry->start_ticks,
	};

	if (search->exact && added->match == PM_MATCH_START)
		added->match = PM_MATCH_NONE;

	bool matches = added->match != PM_MATCH_NONE;
	if (matches)
		added->command = whole_command(&names);
	pm_process_names_deinit(&names);
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
	while (best < search->count && search->items[best].match != PM_MATCH_NONE &&
	       search->items[best].match == search->items[0].match)
		best++;

	if (best == 0)
		report_none(search, error);

	return best;
}

static int find_name(const char *word, bool exact, pid_t *pid, struct pm_error *error)
{
	struct search search = { .word = word, .exact = exact };
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

static int find_one(const char *word, bool exact, pid_t *pid, struct pm_error *error)
{
	if (check_word(word, error) < 0)
		return -1;
	if (is_number(word))
		return find_number(word, pid, error);
	return find_name(word, exact, pid, error);
}

int pm_process_find(const char *word, pid_t *pid, struct pm_error *error)
{
	return find_one(word, false, pid, error);
}

int pm_process_find_exact(const char *word, pid_t *pid, struct pm_error *error)
{
	return find_one(word, true, pid, error);
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
