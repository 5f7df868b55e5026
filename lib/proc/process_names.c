/* SPDX-License-Identifier: MIT */
#include "proc/process_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/script.h>

#include "proc/command.h"

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
static struct name first_argument(const struct pm_process_names *names)
{
	struct name name = { names->command, strlen(names->command) };
	if (strchr(name.text, ' '))
		return name;
	return base_of(name);
}

/**
 * Returns the base name of the program file, without the suffix " (deleted)", which the kernel
 * appends if the file was removed or replaced.
 */
static struct name program_file(const struct pm_process_names *names)
{
	static const char deleted[] = " (deleted)";
	struct name name = base_of((struct name){ names->program, strlen(names->program) });
	size_t suffix = sizeof deleted - 1;

	if (name.length > suffix && strcmp(name.text + name.length - suffix, deleted) == 0)
		name.length -= suffix;
	return name;
}

/** Returns the base name of the script that an interpreter runs; empty if there is no script. */
static struct name script_file(const struct pm_process_names *names)
{
	size_t at = 0;
	size_t length = pm_script_find(names->command, names->length, '\0', &at);
	return base_of((struct name){ names->command + at, length });
}

/**
 * Compares a word with a name. A word that is only the start of the name must end where a word of
 * the name ends: `redis` matches `redis-server`, but `red` does not.
 */
static enum pm_name_match match_name(struct name name, const char *word)
{
	size_t length = strlen(word);
	if (name.length < length || memcmp(name.text, word, length) != 0)
		return PM_MATCH_NONE;
	if (name.length == length)
		return PM_MATCH_NAME;

	unsigned char next = (unsigned char)name.text[length];
	return isalpha(next) || next >= 0x80 ? PM_MATCH_NONE : PM_MATCH_START;
}

enum pm_name_match pm_process_names_match(const struct pm_process_names *names, bool ended,
                                          const char *word)
{
	struct name comm = { names->comm, strlen(names->comm) };
	enum pm_name_match best = match_name(comm, word);
	if (ended)
		return best == PM_MATCH_NAME ? PM_MATCH_ZOMBIE : PM_MATCH_NONE;

	/* A kernel thread has neither a command line nor a program file. The start of its name
	 * does not match, because its memory cannot be read anyway. */
	if (names->length == 0 && names->program[0] == '\0')
		return best == PM_MATCH_NAME ? PM_MATCH_NAME : PM_MATCH_NONE;

	const struct name list[] = { first_argument(names), program_file(names),
		                     script_file(names) };
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		enum pm_name_match match = match_name(list[i], word);
		if (match < best)
			best = match;
	}
	return best;
}

int pm_process_names_read(const struct pm_procfs *procfs, struct pm_process_names *names)
{
	if (pm_comm_read(procfs, "comm", names->comm) < 0 ||
	    pm_command_read(procfs, &names->command, &names->length) < 0)
		return -1;

	ssize_t length = readlinkat(procfs->fd, "exe", names->program, sizeof names->program - 1);
	if (length < 0)
		length = 0;
	names->program[length] = '\0';

	return 0;
}

void pm_process_names_deinit(struct pm_process_names *names)
{
	free(names->command);
	names->command = NULL;
}
