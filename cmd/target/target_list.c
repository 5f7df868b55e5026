/* SPDX-License-Identifier: MIT */
#include "target/target_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/family.h>

#include "base/alloc.h"
#include "base/report.h"
#include "target/target.h"

enum { OPTION_ALL_PROCESSES = CLI_LONG_ONLY, OPTION_CHILDREN, OPTION_CGROUP };

/*
 * Maximum number of processes that are named: those that have ended, in one note, and those that
 * cannot be read, one line each. Usually a reason is the same for all others.
 */
enum { NAMED_MAX = 8 };

const struct cli_option target_list_family_options[] = {
	{ OPTION_ALL_PROCESSES, "all-processes", NULL,
	  "if TARGET is the name of several processes: read all\n"
	  "of them" },
	{ OPTION_CHILDREN, "children", NULL, "read TARGET and all its descendants" },
	{ OPTION_CGROUP, "cgroup", NULL,
	  "read all processes of the memory cgroup of TARGET,\n"
	  "and of the cgroups below it" },
	{ 0 },
};

int target_list_parse_family(void *into, int id, const char *value, struct pm_error *error)
{
	enum target_list_which *which = into;

	(void)value;
	(void)error;
	if (id == OPTION_CHILDREN)
		*which = TARGET_LIST_CHILDREN;
	else if (id == OPTION_CGROUP)
		*which = TARGET_LIST_CGROUP;
	else
		*which = TARGET_LIST_NAME;
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

/** Adds the members of a family. */
static void add_members(struct target_list *list, const struct pm_family *family)
{
	const struct pm_family_view *view = pm_family_get(family);
	const char *group = pm_family_cgroup(family);

	for (size_t i = 0; i < view->count; i++) {
		const struct pm_family_member *member = &view->items[i];
		size_t index = list->count;
		add_pid(list, member->pid);
		if (list->count == index)
			continue;

		list->found = alloc_array(list->found, list->capacity, sizeof *list->found);
		list->found[index] = (struct target_list_found){
			.start_ticks = member->start_ticks,
			.name = alloc_string(member->comm),
		};
	}

	list->beyond = view->beyond;
	list->foreign = view->foreign;
	list->incomplete = view->incomplete;
	if (group)
		list->group = alloc_string(group);
}

/** Finds the process of a word. */
static int find_process(const char *word, pid_t *pid, struct pm_error *error)
{
	struct target target;
	if (target_open_process(&target, word, error) < 0)
		return -1;

	*pid = pm_process_pid(target.process);
	target_close(&target);
	return 0;
}

/** Adds the processes that belong to the process of a word, or those with this name. */
static int add_family(struct target_list *list, const char *word, struct pm_error *error)
{
	struct pm_family_options options = { .kind = PM_FAMILY_NAME, .name = word };
	struct pm_family *family;

	if (list->which == TARGET_LIST_CHILDREN)
		options.kind = PM_FAMILY_CHILDREN;
	else if (list->which == TARGET_LIST_CGROUP)
		options.kind = PM_FAMILY_CGROUP;
	if (list->which != TARGET_LIST_NAME && find_process(word, &options.pid, error) < 0)
		return -1;
	if (pm_family_open(&options, &family, error) < 0)
		return -1;

	add_members(list, family);
	pm_family_close(family);
	if (list->count > 0)
		return 0;

	return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
	                    "no process is left to read: procmem itself is not read");
}

int target_list_read(struct target_list *list, const char *word, enum target_list_which which,
                     struct pm_error *error)
{
	*list = (struct target_list){ 0 };

	if (strchr(word, ',') && word[strspn(word, "0123456789,")] == '\0') {
		if (which <= TARGET_LIST_NAME)
			return add_pids(list, word, error);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s': --children and --cgroup need one process", word);
	}

	bool path = which == TARGET_LIST_NAME && strchr(word, '/');
	if (which != TARGET_LIST_ONE && !path) {
		list->which = which;
		return add_family(list, word, error);
	}

	add(list, word, strlen(word));
	return 0;
}

bool target_list_is_several(const struct target_list *list)
{
	return list->count > 1 || list->which >= TARGET_LIST_CHILDREN;
}

size_t target_list_missing(const struct target_list *list)
{
	return list->unreadable + list->beyond + list->foreign;
}

uint64_t target_list_start_ticks(const struct target_list *list, size_t index)
{
	return list->found ? list->found[index].start_ticks : 0;
}

/** Notes a process that has ended. */
static void add_ended(struct target_list *list, size_t index)
{
	struct text *names = &list->ended_names;
	const char *name = list->found[index].name;

	if (list->ended++ >= NAMED_MAX)
		return;
	if (names->length > 0)
		text_string(names, ", ");
	text_format(names, "%s (", list->words[index]);
	text_string(names, name);
	text_char(names, ')');
}

/**
 * If a name matches several processes, reports on stderr that --all-processes selects all of them.
 */
static void hint(const struct pm_error *error)
{
	if (error->kind == PM_ERROR_AMBIGUOUS)
		report_note("use --all-processes for all processes with this name, or list PIDs: "
		            "1,2,3");
}

enum status target_list_failed(struct target_list *list, size_t index, const struct pm_error *error,
                               bool quiet)
{
	bool ended = error->kind == PM_ERROR_GONE || error->kind == PM_ERROR_NOT_FOUND ||
	             error->kind == PM_ERROR_NO_MEMORY;
	if (list->found && ended) {
		add_ended(list, index);
		return STATUS_NOTHING;
	}

	if (!list->found || list->unreadable < NAMED_MAX)
		report_failure(error);
	if (error->kind != PM_ERROR_CANCELLED)
		list->unreadable++;
	if (!quiet)
		hint(error);

	return STATUS_ERROR;
}

void target_list_lacks(struct target_list *list, const struct pm_error *error)
{
	if (!list->found)
		report_failure(error);
	else if (list->lacking++ == 0)
		list->lacks = *error;
}

/** Adds the words "1 process" or "3 processes". */
static void put_count(struct text *text, size_t count)
{
	text_format(text, "%zu process%s", count, count == 1 ? "" : "es");
}

/** Reports which processes ended, and which have no selected region. */
static void report_notes(const struct target_list *list, bool quiet)
{
	const struct text *names = &list->ended_names;
	const char *whose = "their", *more = "";
	struct text line = { 0 };

	if (list->ended == 1)
		whose = "its";
	if (list->ended > NAMED_MAX)
		more = ", ...";
	put_count(&line, list->ended);
	if (list->ended > 0 && !quiet)
		report_note("%s ended before all of %s memory was read: %.*s%s",
		            text_terminate(&line), whose, (int)names->length, names->bytes, more);

	text_clear(&line);
	put_count(&line, list->lacking);
	if (list->lacking > 0 && list->lacking + list->ended + list->unreadable == list->count)
		report_failure(&list->lacks);
	else if (list->lacking > 0 && !quiet)
		report_note("no region of %s is selected", text_terminate(&line));
	text_deinit(&line);
}

enum status target_list_report(const struct target_list *list, bool quiet)
{
	struct text line = { 0 };

	report_notes(list, quiet);
	put_count(&line, list->unreadable);
	if (list->found && list->unreadable > 0)
		report_error("%s of %zu could not be read", text_terminate(&line), list->count);
	if (list->beyond > 0)
		report_error("%zu more processes were not read: %d is the maximum", list->beyond,
		             PM_FAMILY_MAX);
	if (list->foreign > 0)
		report_error("%zu more processes were not read: they belong to another PID "
		             "namespace",
		             list->foreign);
	if (list->incomplete)
		report_error("some processes may be missing: a cgroup or /proc could not be read");

	text_deinit(&line);
	bool missing = target_list_missing(list) > 0 || list->incomplete;
	return missing ? STATUS_ERROR : STATUS_OK;
}

void target_list_deinit(struct target_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->words[i]);
		if (list->found)
			free(list->found[i].name);
	}

	free(list->words);
	free(list->found);
	free(list->group);
	text_deinit(&list->ended_names);
	*list = (struct target_list){ 0 };
}
