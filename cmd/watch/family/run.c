/* SPDX-License-Identifier: MIT */
#include "watch/family/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "target/target.h"

/* Part of the budget that may be spent on the regions of processes. The rest is for the totals of
 * all processes. */
static const double regions_part = 0.5;

/* Maximum time from a kill to the end of the process, in seconds. A later end has another cause. */
static const double kill_seconds_max = 5;

static bool is_named(enum pm_family_kind kind)
{
	return kind == PM_FAMILY_NAME || kind == PM_FAMILY_FOLLOW;
}

/** Finds the PID that a TARGET word refers to. */
static int find_pid(const char *word, pid_t *pid, struct pm_error *error)
{
	struct target target;

	if (target_open_process(&target, word, error) < 0)
		return -1;

	*pid = pm_process_pid(target.process);
	target_close(&target);
	return 0;
}

/** Opens the family that the options name. */
static int open_family(struct family_run *run, struct pm_error *error)
{
	struct pm_family_options options = { .kind = run->options->family };

	if (is_named(options.kind))
		options.name = run->word;
	else if (find_pid(run->word, &run->root, error) < 0)
		return -1;

	options.pid = run->root;
	return pm_family_open(&options, &run->family, error);
}

/** Returns whether a process has ended at the last sample. */
static bool any_ended_now(const struct family_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->items[i].state == PM_FAMILY_ENDED &&
		    members->items[i].until >= members->now)
			return true;
	return false;
}

/**
 * Returns the number of processes that the kernel has killed and that have ended now. A kill is
 * counted before the process has released its memory and ends, so it is kept until then.
 */
static uint64_t count_kills(struct family_run *run)
{
	const struct family_members *members = &run->members;
	uint64_t kills = family_limits_count_kills(&run->limits);

	if (kills > 0)
		run->kill_time = members->now;
	else if (members->now - run->kill_time > kill_seconds_max)
		run->kills = 0;

	kills += run->kills;
	run->kills = any_ended_now(members) ? 0 : kills;
	return kills - run->kills;
}

/** Adds the number of processes that the kernel killed to the notes of those that have just ended.
 */
static void note_kills(struct family_run *run)
{
	struct family_members *members = &run->members;
	uint64_t kills = count_kills(run);

	if (kills == 0)
		return;

	for (size_t i = 0; i < members->count; i++) {
		struct family_member *member = &members->items[i];
		if (member->state != PM_FAMILY_ENDED || member->until < members->now)
			continue;

		if (kills == 1)
			text_string(&member->note, "; the kernel killed a process of the cgroup "
			                           "for lack of memory");
		else
			text_format(&member->note,
			            "; the kernel killed %llu processes of the cgroup for lack of "
			            "memory",
			            (unsigned long long)kills);
	}
}

/**
 * Returns the process that is followed now: the same as before, if it runs. NULL if there is none.
 */
static struct family_member *find_followed(const struct family_run *run)
{
	struct family_member *before = family_members_find(&run->members, run->followed);

	if (before && before->until == 0)
		return before;

	for (size_t i = run->members.count; i > 0; i--) {
		struct family_member *member = &run->members.items[i - 1];
		if (member->until == 0)
			return member;
	}
	return NULL;
}

/** Describes that another process is followed now. */
static void describe_restart(struct family_run *run, const struct family_member *now)
{
	const struct family_member *before = family_members_find(&run->members, run->followed);
	struct text *news = &run->news;

	text_format(news, "restarted: PID %d ", (int)run->previous);
	if (before && before->note.length > 0)
		text_bytes(news, before->note.bytes, before->note.length);
	else
		text_string(news, "exited");
	text_format(news, ", now %d", (int)now->pid);
}

/** Describes that no process has the name. */
static void describe_wait(struct family_run *run)
{
	const struct family_member *before = family_members_find(&run->members, run->followed);

	if (before) {
		text_format(&run->news, "PID %d ", (int)before->pid);
		text_bytes(&run->news, before->note.bytes, before->note.length);
		text_string(&run->news, "; ");
	}
	text_string(&run->news, "waiting for a process named ");
	utf8_escape(&run->news, run->word, strlen(run->word));
}

/** Finds out whether another process is followed than at the sample before. */
static void follow(struct family_run *run)
{
	struct family_member *now = find_followed(run);

	run->event = FAMILY_NOTHING;
	text_clear(&run->news);

	if (!now) {
		if (!run->waiting) {
			run->event = FAMILY_WAITING;
			describe_wait(run);
		}
		run->waiting = true;
		return;
	}

	if (run->followed != now->id) {
		if (run->followed != 0) {
			run->event = FAMILY_RESTARTED;
			describe_restart(run, now);
		} else if (run->waiting) {
			run->event = FAMILY_FOUND;
			text_format(&run->news, "found PID %d", (int)now->pid);
		}
		run->followed = now->id;
		now->followed = true;
	}

	run->waiting = false;
}

/** Adds the sizes that the last update of the family has read. */
static int add_sample(struct family_run *run, struct pm_error *error)
{
	struct family_members *members = &run->members;
	const struct family_member *followed = family_members_find(members, run->followed);

	if (followed)
		run->previous = followed->pid;

	if (family_members_add(members, pm_family_get(run->family), error) < 0)
		return -1;

	note_kills(run);
	if (run->options->family == PM_FAMILY_FOLLOW)
		follow(run);

	if (family_regions_measure(run->family, members, &run->budget, error) < 0)
		return -1;
	return family_limits_read(&run->limits, run->family, members, error);
}

/** Finds the process that is TARGET. */
static void find_target(struct family_run *run)
{
	for (size_t i = 0; i < run->members.count && run->root > 0; i++)
		if (run->members.items[i].pid == run->root)
			run->target_id = run->members.items[i].id;
}

int family_run_open(struct family_run *run, const struct watch_options *options, const char *word,
                    struct pm_error *error)
{
	*run = (struct family_run){ .options = options, .word = word };

	if (open_family(run, error) < 0)
		return -1;

	family_regions_start(&run->budget, options->budget * regions_part);
	if (add_sample(run, error) < 0) {
		family_run_close(run);
		return -1;
	}

	find_target(run);
	return 0;
}

int family_run_step(struct family_run *run, struct pm_error *error)
{
	if (pm_family_update(run->family, error) < 0)
		return -1;

	return add_sample(run, error);
}

void family_run_judge(struct family_run *run, enum watch_sort sort)
{
	family_members_judge(&run->members);
	family_rows_update(&run->rows, &run->members, sort);
}

bool family_run_is_over(const struct family_run *run)
{
	const struct pm_family_view *view = pm_family_get(run->family);

	return view->empty && run->options->family != PM_FAMILY_FOLLOW;
}

void family_run_close(struct family_run *run)
{
	family_rows_deinit(&run->rows);
	family_limits_deinit(&run->limits);
	family_members_deinit(&run->members);
	pm_family_close(run->family);
	text_deinit(&run->news);
	*run = (struct family_run){ 0 };
}
