/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <string.h>
#include <sys/stat.h>

#include <procmem/process_list.h>

#include "text.h"

int target_open_process(struct target *target, const char *word, struct pm_error *error)
{
	pid_t pid;
	struct pm_process *process;
	if (pm_process_find(word, &pid, error) < 0 || pm_process_open(NULL, pid, &process, error) < 0)
		return -1;
	*target = (struct target){ .word = word, .process = process };
	return 0;
}

static bool is_file(const char *directory, const char *name)
{
	struct text path = { 0 };
	struct stat status;
	text_format(&path, "%s%s%s", directory, *name ? "/" : "", name);
	bool found = stat(text_terminate(&path), &status) == 0 && S_ISREG(status.st_mode);
	text_deinit(&path);
	return found;
}

/** Whether a word without a slash names saved text: a file, or a directory that holds some. Numbers are PIDs, whatever files there are. */
static bool is_saved(const char *word)
{
	if (word[strspn(word, "0123456789")] == '\0')
		return false;
	return is_file(word, "") || is_file(word, "smaps") || is_file(word, "maps");
}

int target_open(struct target *target, const char *word, struct pm_error *error)
{
	struct pm_error failure;
	if (strchr(word, '/')) {
		*target = (struct target){ .word = word, .path = word };
		return 0;
	}
	if (target_open_process(target, word, &failure) == 0)
		return 0;
	if (failure.kind == PM_ERROR_NOT_FOUND && is_saved(word)) {
		*target = (struct target){ .word = word, .path = word };
		return 0;
	}
	if (error)
		*error = failure;
	return -1;
}

void target_close(struct target *target)
{
	pm_process_close(target->process);
	target->process = NULL;
}
