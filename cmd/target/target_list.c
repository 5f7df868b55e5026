/* SPDX-License-Identifier: MIT */
#include "target/target_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/process_find.h>

#include "base/alloc.h"
#include "base/report.h"
#include "base/text.h"

enum { OPTION_ALL_PROCESSES = CLI_LONG_ONLY };

const struct cli_option target_list_options[] = {
	{ OPTION_ALL_PROCESSES, "all-processes", NULL,
	  "if TARGET is the name of several processes: read all\n"
	  "of them" },
	{ 0 },
};

int target_list_parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	bool *all_processes = into;

	(void)id;
	(void)value;
	(void)error;
	*all_processes = true;
	return 0;
}

/** Adds a word of the given length, unless the list already contains the word. */
static void add(struct target_list *list, const char *word, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->words[i]) == length && memcmp(list->words[i], word, length) == 0)
			return;

	if (list->count == list->capacity) {
		list->capacity = list->capacity * 2 + 4;
		list->words = alloc_array(list->words, list->capacity, sizeof *list->words);
	}

	char *copy = alloc_array(NULL, length + 1, 1);
	memcpy(copy, word, length);
	copy[length] = '\0';
	list->words[list->count++] = copy;
}

static void add_pid(struct target_list *list, pid_t pid)
{
	struct text text = { 0 };
	text_decimal(&text, (uint64_t)pid);
	add(list, text.bytes, text.length);
	text_deinit(&text);
}

/** Adds the PIDs of a word, which are separated by commas. */
static int add_pids(struct target_list *list, const char *word, struct pm_error *error)
{
	for (const char *at = word;; at++) {
		size_t length = strcspn(at, ",");
		if (length == 0)
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "'%.64s': expected a PID before and after each comma",
			                    word);

		if (strtol(at, NULL, 10) == getpid())
			report_note("process %d was skipped: it is procmem itself", (int)getpid());
		else
			add(list, at, length);

		at += length;
		if (*at == '\0')
			break;
	}

	if (list->count == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the list contains only procmem itself, which is not searched");
	return 0;
}

/** Adds all processes that a name matches. */
static int add_name(struct target_list *list, const char *word, struct pm_error *error)
{
	pid_t *pids;
	size_t count;
	if (pm_process_find_all(word, &pids, &count, error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++)
		add_pid(list, pids[i]);

	free(pids);
	return 0;
}

int target_list_read(struct target_list *list, const char *word, bool all, struct pm_error *error)
{
	*list = (struct target_list){ 0 };

	if (strchr(word, ',') && word[strspn(word, "0123456789,")] == '\0')
		return add_pids(list, word, error);
	if (all && !strchr(word, '/'))
		return add_name(list, word, error);

	add(list, word, strlen(word));
	return 0;
}

void target_list_hint(const struct pm_error *error, bool quiet)
{
	if (error->kind == PM_ERROR_AMBIGUOUS && !quiet)
		report_note("use --all-processes for all processes with this name, or list PIDs: "
		            "1,2,3");
}

void target_list_deinit(struct target_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->words[i]);
	free(list->words);
	*list = (struct target_list){ 0 };
}
