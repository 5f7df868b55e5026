/* SPDX-License-Identifier: MIT */
#include "target/target_hint.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <procmem/number.h>
#include <procmem/process_find.h>

/* Maximum length of a command name in the log: the kernel cuts it (TASK_COMM_LEN). */
enum { LOGGED_MAX = 15 };

/* Maximum age in seconds of a kill that is named. */
static const double age_max = 3600;

/** Adds a sentence to an error. */
static void append(struct pm_error *error, struct text *sentence)
{
	const struct pm_error before = *error;

	pm_error_set(error, before.kind, before.os_errno, "%s; %s", before.text,
	             text_terminate(sentence));
}

/** Checks whether a process of the log has a name. */
static bool has_name(const struct pm_oom_kill *kill, const char *word)
{
	size_t length = strlen(kill->comm);

	return strcmp(kill->comm, word) == 0 ||
	       (length == LOGGED_MAX && strncmp(kill->comm, word, length) == 0);
}

bool target_hint_describe_kill(const struct pm_oom_log *log, const char *word, struct text *text)
{
	const struct pm_oom_kill *kill = NULL;
	char age[PM_DURATION_TEXT_SIZE];

	for (size_t i = log->count; i > 0 && !kill; i--)
		if (has_name(&log->kills[i - 1], word))
			kill = &log->kills[i - 1];
	if (!kill || !kill->age_known || kill->seconds_ago > age_max)
		return false;

	pm_format_duration(kill->seconds_ago, age);
	text_format(text, "%s (%d) was OOM-killed %s ago", kill->comm, (int)kill->pid, age);
	if (*kill->limit_group)
		text_format(text, ", limit of %s", kill->limit_group);
	return true;
}

void target_hint_killed(const char *word, struct pm_error *error)
{
	struct pm_oom_log log;
	struct pm_error ignored;
	struct text text = { 0 };

	if (pm_oom_log_read(NULL, &log, &ignored) < 0)
		return;

	if (target_hint_describe_kill(&log, word, &text)) {
		text_string(&text, " ('procmem pressure' shows the kills)");
		append(error, &text);
	}
	text_deinit(&text);
	pm_oom_log_deinit(&log);
}

/** Finds the row of a process; NULL if there is none. */
static const struct pm_process_row *find_row(const struct pm_process_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].pid == pid)
			return &list->items[i];
	return NULL;
}

/** Checks whether a process is the parent of another. A PID can have been reused. */
static bool is_parent(const struct pm_process_row *one, const struct pm_process_row *other)
{
	return one && other && other->ppid == one->pid && one->start_ticks <= other->start_ticks;
}

pid_t target_hint_parent(const struct pm_process_list *list, const pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct pm_process_row *row = find_row(list, pids[i]);
		size_t children = 0;

		for (size_t k = 0; k < count; k++)
			children += k != i && is_parent(row, find_row(list, pids[k]));
		if (count > 1 && children == count - 1)
			return pids[i];
	}
	return 0;
}

void target_hint_several(const char *word, struct pm_error *error)
{
	struct pm_process_list list = { 0 };
	struct pm_error ignored;
	struct text text = { 0 };
	pid_t *pids = NULL, parent = 0;
	size_t count = 0;

	if (pm_process_find_all(word, &pids, &count, &ignored) == 0 &&
	    pm_process_list_read(&list, NULL) == 0)
		parent = target_hint_parent(&list, pids, count);

	if (parent > 0)
		text_format(&text, "%d is the parent of the other %zu; ", (int)parent, count - 1);
	text_string(&text, "watch, map, strings and grep take all of them with --all-processes");
	if (parent > 0)
		text_format(&text, " or --children %d", (int)parent);
	text_string(&text, ", or a whole cgroup with --cgroup PID");

	append(error, &text);
	pm_process_list_deinit(&list);
	free(pids);
	text_deinit(&text);
}

/** Returns the program that decompresses a file, or NULL if the file is not compressed. */
static const char *compression_of(const char *word)
{
	static const struct {
		const char *program, *magic;
		size_t size;
	} formats[] = {
		{ "zstd", "\x28\xb5\x2f\xfd", 4 },
		{ "gzip", "\x1f\x8b", 2 },
		{ "xz",
		  "\xfd"
		  "7zXZ",
		  5 },
		{ "lz4", "\x04\x22\x4d\x18", 4 },
	};
	char magic[8] = { 0 };

	struct stat status;

	if (stat(word, &status) < 0 || !S_ISREG(status.st_mode))
		return NULL;
	int fd = open(word, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	ssize_t size = read(fd, magic, sizeof magic);
	close(fd);

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (size >= (ssize_t)formats[i].size &&
		    memcmp(magic, formats[i].magic, formats[i].size) == 0)
			return formats[i].program;
	return NULL;
}

bool target_hint_compressed(const char *word, struct pm_error *error)
{
	const char *program = compression_of(word);
	if (!program)
		return false;

	pm_error_set(error, error->kind, 0,
	             "%s is compressed: decompress it first, with '%s -d'; for a core file of "
	             "systemd-coredump, 'coredumpctl dump -o core PID' does that",
	             word, program);
	return true;
}

int target_hint_no_memory(const char *word, struct pm_error *error)
{
	pm_error_set(error, PM_ERROR_USAGE, 0,
	             "%s has no memory to read: it is neither a process nor a core file", word);
	target_hint_compressed(word, error);
	return -1;
}
