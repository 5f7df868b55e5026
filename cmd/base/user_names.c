/* SPDX-License-Identifier: MIT */
#include "base/user_names.h"

#include <pwd.h>
#include <stdlib.h>

#include "base/alloc.h"

/** A user that has been looked up. */
struct user_name {
	uid_t uid;
	char *name; /* NULL if the user has none */
};

const char *user_names_find(struct user_names *users, uid_t uid)
{
	for (size_t i = 0; i < users->count; i++) {
		if (users->items[i].uid == uid)
			return users->items[i].name;
	}

	const struct passwd *entry = getpwuid(uid);

	users->items = alloc_array(users->items, users->count + 1, sizeof *users->items);

	struct user_name *user = &users->items[users->count++];

	*user = (struct user_name){ .uid = uid };
	if (entry)
		user->name = alloc_string(entry->pw_name);

	return user->name;
}

void user_names_deinit(struct user_names *users)
{
	for (size_t i = 0; i < users->count; i++)
		free(users->items[i].name);
	free(users->items);
	*users = (struct user_names){ 0 };
}
