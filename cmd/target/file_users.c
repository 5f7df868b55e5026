/* SPDX-License-Identifier: MIT */
#include "target/file_users.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/region.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "target/json_parts.h"

/* Number of processes without access that are named. */
enum { REFUSED_NAMED = 3 };

void file_users_put_fds(struct text *text, const struct pm_file_user *user)
{
	size_t listed = pm_min_size(user->fd_count, PM_FILE_USER_FDS);

	for (size_t i = 0; i < listed; i++) {
		text_format(text, "%s%d", i > 0 ? "," : "", user->fds[i]);
		if (user->fd_writable[i])
			text_char(text, 'w');
	}
	if (user->fd_count > listed)
		text_format(text, ",+%zu", user->fd_count - listed);
}

void file_users_put_use(struct text *text, const struct pm_file_user *user)
{
	char perms[PM_PERMS_TEXT_SIZE];

	if (user->mappings > 0) {
		pm_format_perms(user->perms, perms);
		text_string(text, perms);
	}
	if (user->mappings > 0 && user->fd_count > 0)
		text_string(text, ", ");
	if (user->fd_count > 0) {
		text_string(text, "fd ");
		file_users_put_fds(text, user);
	}
}

size_t file_users_put_brief(struct text *text, const struct pm_file_users *users, pid_t own,
                            size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < users->count; i++) {
		const struct pm_file_user *user = &users->items[i];

		if (user->pid == own || ++count > max)
			continue;
		text_format(text, "%s%d ", count > 1 ? ", " : "", (int)user->pid);
		utf8_escape(text, user->comm, strlen(user->comm));
		text_string(text, " (");
		file_users_put_use(text, user);
		text_char(text, ')');
	}

	if (count > max)
		text_format(text, ", and %zu more", count - max);
	return count;
}

void file_users_put_refused(struct text *text, const struct pm_file_users *users, bool why)
{
	size_t named = pm_min_size(users->refused_count, REFUSED_NAMED);
	if (users->unreadable == 0)
		return;

	if (users->unreadable == 1)
		text_string(text, "1 process could not be examined, so it may use it, too: ");
	else
		text_format(text, "%zu processes could not be examined, so they may use it, too: ",
		            users->unreadable);

	for (size_t i = 0; i < named; i++) {
		const struct pm_file_refused *refused = &users->refused[i];
		text_format(text, "%s%d ", i > 0 ? ", " : "", (int)refused->pid);
		utf8_escape(text, refused->comm, strlen(refused->comm));
	}
	if (users->unreadable > named)
		text_string(text, ", …");

	if (named > 0 && !why) {
		text_string(text, " (-v: why)");
	} else if (named > 0) {
		text_string(text, "; ");
		utf8_escape(text, users->refused[0].reason.text,
		            strlen(users->refused[0].reason.text));
	}
}

char *file_users_command(const struct pm_file_user *user)
{
	struct pm_process *process;
	struct pm_process_info info;
	char *command = NULL;

	if (pm_process_open(NULL, user->pid, &process, NULL) < 0)
		return NULL;
	if (pm_process_read_info(process, &info, NULL) < 0 ||
	    info.start_ticks != user->start_ticks ||
	    pm_process_read_command(process, &command, NULL) < 0)
		command = NULL;

	pm_process_close(process);
	return command;
}

/** Writes the numbers of descriptors: all that are listed, or those for writing. */
static void put_fds(struct json *json, const char *key, const struct pm_file_user *user,
                    bool only_writable)
{
	size_t listed = pm_min_size(user->fd_count, PM_FILE_USER_FDS);

	json_open(json, key, '[');
	for (size_t i = 0; i < listed; i++)
		if (!only_writable || user->fd_writable[i])
			json_put(json, NULL, json_number((uint64_t)user->fds[i]));
	json_shut(json, ']');
}

void file_users_put_json(struct json *json, const struct pm_file_user *user)
{
	char *command = file_users_command(user), perms[PM_PERMS_TEXT_SIZE];

	json_parts_process(json, user->pid, user->comm, command);
	free(command);
	if (user->mappings > 0) {
		pm_format_perms(user->perms, perms);
		json_put(json, "perms", json_text(perms));
		json_put(json, "start", json_address(user->address));
		json_put(json, "mapping_count", json_number(user->mappings));
		json_put(json, "size", json_number(user->mapped));
	}
	if (user->sizes_known) {
		json_put(json, "rss", json_number(user->rss));
		json_put(json, "pss", json_number(user->pss));
		json_put(json, "swap", json_number(user->swap));
		json_put(json, "hugetlb", json_number(user->hugetlb));
	}

	json_put(json, "fd_count", json_number(user->fd_count));
	put_fds(json, "fds", user, false);
	put_fds(json, "writable_fds", user, true);
	json_put(json, "writer", json_boolean(pm_file_user_may_write(user)));
	if (user->by_name)
		json_put(json, "by_name", json_true());
}
