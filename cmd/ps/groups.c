/* SPDX-License-Identifier: MIT */
#include "ps/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Names of the groups of processes that have no container, and of those that could not be asked. */
static const char none[] = "(none)", unknown[] = "(unknown)";

/** A process and the name of its group. */
struct member {
	const char *name;
	const struct ps_row *row;
	bool before; /* the process at the start of --for */
	bool ended;  /* the process at the start of --for has ended */
};

/** The members of all groups. */
struct members {
	struct member *items;
	size_t count;
};

static const char *const words[] = {
	[PS_BY_PROGRAM] = "program",
	[PS_BY_CGROUP] = "cgroup",
	[PS_BY_USER] = "user",
	[PS_BY_CONTAINER] = "container",
};

int ps_groups_parse(const char *word, enum ps_by *by, struct pm_error *error)
{
	for (enum ps_by i = PS_BY_PROGRAM; i <= PS_BY_CONTAINER; i++) {
		if (strcmp(word, words[i]) == 0) {
			*by = i;
			return 0;
		}
	}
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "must be program, cgroup, user or container, not '%s'", word);
}

const char *ps_groups_word(enum ps_by by)
{
	return words[by];
}

unsigned ps_groups_needs(enum ps_by by)
{
	switch (by) {
	case PS_BY_CGROUP:
	case PS_BY_CONTAINER:
		return PS_NEEDS_CGROUP;
	case PS_BY_USER:
		return PS_NEEDS_USER;
	case PS_BY_PROGRAM:
	case PS_BY_NOTHING:
		break;
	}
	return 0;
}

/** Makes the name of a user that has none from the number. */
static const char *make_user_name(struct ps_groups *groups, uid_t uid)
{
	struct text text = { 0 };

	text_decimal(&text, uid);
	groups->names = alloc_array(groups->names, groups->name_count + 1, sizeof *groups->names);

	char *name = alloc_string(text_terminate(&text));

	groups->names[groups->name_count++] = name;
	text_deinit(&text);
	return name;
}

/** Returns the name of the group of a process. */
static const char *name_of(struct ps_groups *groups, enum ps_by by, const struct ps_row *row)
{
	switch (by) {
	case PS_BY_USER:
		return row->user ? row->user : make_user_name(groups, row->process->uid);
	case PS_BY_CGROUP:
		return row->cgroup ? ps_cgroups_name(row->cgroup) : unknown;
	case PS_BY_CONTAINER:
		if (!row->cgroup)
			return unknown;
		return row->cgroup->in_container ? row->cgroup->container.id : none;
	case PS_BY_PROGRAM:
	case PS_BY_NOTHING:
		break;
	}
	return row->process->comm;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order != 0)
		return order;
	return (left->row->process->pid > right->row->process->pid) -
	       (left->row->process->pid < right->row->process->pid);
}

/** Adds a process to the sums of its group. */
static void add_member(struct ps_group *group, const struct member *member)
{
	const struct ps_row *row = member->row;
	const struct pm_process_row *process = row->process;

	if (member->before) {
		group->rss_before += process->rss;
		group->ended += member->ended;
		return;
	}

	group->processes++;
	group->started += row->is_new;
	group->rss += process->rss;
	group->swap += process->swap;
	if (!group->largest || process->rss > group->largest->rss)
		group->largest = process;
	if (row->cgroup && row->cgroup->in_container)
		group->container = &row->cgroup->container;

	group->unread += !row->rollup_known;
	group->pss += row->rollup.pss;
	group->private_size += row->rollup.private_pages;
	group->hugetlb += row->rollup.hugetlb;
}

/** Collects the processes of both lists. */
static struct members collect(struct ps_groups *groups, enum ps_by by,
                              const struct ps_listing *listing, const struct ps_growth *growth)
{
	const struct ps_listing *before = &growth->before;
	struct members members = { 0 };

	members.items = alloc_array(NULL, listing->count + before->count, sizeof *members.items);
	for (size_t i = 0; i < listing->count; i++) {
		const struct ps_row *row = &listing->rows[i];

		members.items[members.count++] = (struct member){
			.name = name_of(groups, by, row),
			.row = row,
		};
	}

	for (size_t i = 0; i < before->count; i++) {
		const struct ps_row *row = &before->rows[i];

		members.items[members.count++] = (struct member){
			.name = name_of(groups, by, row),
			.row = row,
			.before = true,
			.ended = !ps_listing_find(&listing->processes, row->process),
		};
	}

	if (members.count > 0)
		qsort(members.items, members.count, sizeof *members.items, compare_members);
	return members;
}

void ps_groups_make(struct ps_groups *groups, enum ps_by by, const struct ps_listing *listing,
                    const struct ps_growth *growth, bool bytes)
{
	*groups = (struct ps_groups){ 0 };

	struct members members = collect(groups, by, listing, growth);

	groups->items = alloc_array(NULL, members.count, sizeof *groups->items);
	for (size_t i = 0; i < members.count; i++) {
		const struct member *member = &members.items[i];

		if (i == 0 || strcmp(member->name, members.items[i - 1].name) != 0)
			groups->items[groups->count++] = (struct ps_group){
				.name = member->name,
				.seconds = growth->seconds,
				.bytes = bytes,
			};
		add_member(&groups->items[groups->count - 1], member);
	}

	free(members.items);
}

void ps_groups_deinit(struct ps_groups *groups)
{
	for (size_t i = 0; i < groups->name_count; i++)
		free(groups->names[i]);
	free(groups->names);
	free(groups->items);
	*groups = (struct ps_groups){ 0 };
}
