/* SPDX-License-Identifier: MIT */
#include "map/users.h"

#include <inttypes.h>

#include <procmem/file.h>

#include "target/file_users.h"
#include "target/json_parts.h"

/* Number of users that are named. */
enum { NAMED = 3 };

void map_users_find(struct map_users *users, const struct loaded *loaded,
                    const struct pm_region *region, uint64_t address,
                    const volatile sig_atomic_t *cancel)
{
	const struct pm_file_users_options options = { .no_sizes = true, .cancel = cancel };
	struct pm_process *process = loaded->target->process;
	struct pm_file file;

	*users = (struct map_users){ .address = address };
	if (!process || (region->perms & PM_PERM_SHARED) == 0 ||
	    pm_file_from_region(process, region, &file, NULL, NULL) < 0)
		return;

	users->own = pm_process_pid(process);
	users->known = pm_file_users_read(&file, 1, &options, &users->users, NULL) == 0;
}

void map_users_put(const struct map_users *users, struct text *line)
{
	struct text names = { 0 };
	size_t count = file_users_put_brief(&names, &users->users, users->own, NAMED);

	if (count > 0) {
		text_string(line, "  also used by: ");
		text_string(line, text_terminate(&names));
		text_format(line, "; procmem who %d 0x%" PRIx64, (int)users->own, users->address);
	} else {
		text_string(line, "  no other process uses this shared memory");
	}

	if (users->users.unreadable > 0)
		text_format(line, "; %zu process%s could not be examined", users->users.unreadable,
		            users->users.unreadable == 1 ? "" : "es");
	text_deinit(&names);
}

static void put_user(struct json *json, const struct pm_file_user *user)
{
	char perms[PM_PERMS_TEXT_SIZE];

	json_open(json, NULL, '{');
	json_parts_process(json, user->pid, user->comm, NULL);
	if (user->mappings > 0) {
		pm_format_perms(user->perms, perms);
		json_put(json, "perms", json_text(perms));
	}
	json_put(json, "fd_count", json_number(user->fd_count));
	json_put(json, "writer", json_boolean(pm_file_user_may_write(user)));
	json_shut(json, '}');
}

void map_users_put_json(const struct map_users *users, struct json *json)
{
	json_open(json, "users", '[');
	for (size_t i = 0; i < users->users.count; i++) {
		if (users->users.items[i].pid == users->own)
			continue;
		put_user(json, &users->users.items[i]);
	}
	json_shut(json, ']');
	json_put(json, "unreadable", json_number(users->users.unreadable));
}

void map_users_deinit(struct map_users *users)
{
	pm_file_users_deinit(&users->users);
	*users = (struct map_users){ 0 };
}
