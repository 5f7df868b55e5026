/* SPDX-License-Identifier: MIT */
/*
 * The kernel does not record who wrote to a file. Evidence is what changes at the same time: the
 * offset of a descriptor moves with each write(2), wchar counts what a process writes, and a
 * mapping becomes resident where it is written first. All of it has other causes, too: seeking,
 * writing to other files, reading. So the result is "likely", never "proven".
 */
#include "who/growth.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/poll_loop.h"

/* Time between two samples in seconds: a tenth of the time to measure, at most this. */
static const double interval_max = 1;

/* Part of the growth that a process must have written at least, if its offsets did not move. */
enum { WRITTEN_PART = 2 };

static const struct pm_file_user *find(const struct pm_file_users *users,
                                       const struct pm_file_user *like)
{
	for (size_t i = 0; i < users->count; i++)
		if (users->items[i].pid == like->pid &&
		    users->items[i].start_ticks == like->start_ticks)
			return &users->items[i];
	return NULL;
}

static uint64_t increase(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

/** Compares a user with itself in the first pass. A user that is new there has no evidence. */
static struct who_evidence judge(const struct who_growth *growth, const struct pm_file_user *before,
                                 const struct pm_file_user *after)
{
	const unsigned writable = PM_PERM_WRITE | PM_PERM_SHARED;
	struct who_evidence evidence = { 0 };
	uint64_t grown = growth->allocated > 0 ? (uint64_t)growth->allocated : 0;

	if (growth->length > growth->allocated)
		grown = (uint64_t)growth->length;
	if (!before)
		return evidence;

	if ((after->perms & writable) == writable && before->sizes_known && after->sizes_known)
		evidence.resident = increase(before->rss + before->hugetlb,
		                             after->rss + after->hugetlb);
	if (after->fds_writable > 0 && before->fds_writable == after->fds_writable)
		evidence.advanced = increase(before->offsets, after->offsets);
	if (before->written_known && after->written_known)
		evidence.written = increase(before->written, after->written);

	/* Processes that inherited a descriptor share its offset, but each counts its own writes.
	 */
	bool counted = before->written_known && after->written_known;
	bool wrote = evidence.advanced > 0 && (!counted || evidence.written > 0);
	bool wrote_much = grown > 0 && evidence.written >= grown / WRITTEN_PART &&
	                  evidence.written > 0;
	evidence.likely = wrote || wrote_much || (grown > 0 && evidence.resident > 0);

	return evidence;
}

/** Takes samples of the sizes until the time is over. */
static void sample(struct who_growth *growth, struct who_subject *subject, double seconds)
{
	const struct pm_file_state first = subject->state;
	struct poll_loop wait;
	double interval = seconds / 10 < interval_max ? seconds / 10 : interval_max;
	double end = clock_seconds() + seconds;

	growth->known = first.known;
	poll_loop_init(&wait, interval);
	while (!*wait.interrupted && clock_seconds() < end) {
		struct pm_file_state state;
		if (!poll_loop_wait(&wait) || !growth->known)
			continue;

		who_subject_measure(subject, &state);
		growth->known = state.known;
		growth->replaced = !state.known;
		if (!state.known)
			continue;
		growth->intervals++;
		growth->grew += state.length > subject->state.length ||
		                state.allocated > subject->state.allocated;
		subject->state = state;
	}
	poll_loop_deinit(&wait);

	growth->length = (int64_t)(subject->state.length - first.length);
	growth->allocated = (int64_t)(subject->state.allocated - first.allocated);
}

/** Samples the sizes, and finds the processes that wrote about as much as the file grew. */
static void sample_all(struct who_growth *growth, struct who_subject *subject, double seconds)
{
	struct who_written_list before, after;
	struct pm_file_state first, last;

	/* The sizes are read next to the counters, so that few writes are between them. */
	who_subject_measure(subject, &first);
	who_written_read(&before);
	sample(growth, subject, seconds);
	who_subject_measure(subject, &last);
	who_written_read(&after);

	if (growth->known && first.known && last.known && last.length > first.length)
		growth->passing_count = who_written_match(
			&before, &after, last.length - first.length, growth->passing);
	who_written_deinit(&before);
	who_written_deinit(&after);
}

int who_growth_measure(struct who_growth *growth, struct who_subject *subject,
                       struct pm_file_users *users, double seconds, struct pm_error *error)
{
	struct pm_file_users after;
	struct who_growth measured = { 0 };
	double start = clock_seconds();

	sample_all(&measured, subject, seconds);
	measured.seconds = clock_seconds() - start;
	/* A signal has ended the measurement, not the command. */
	if (pm_file_users_read(&subject->file, 1, NULL, &after, error) < 0)
		return -1;

	measured.evidence = alloc_array(NULL, after.count + 1, sizeof *measured.evidence);
	for (size_t i = 0; i < after.count; i++) {
		measured.evidence[i] = judge(&measured, find(users, &after.items[i]),
		                             &after.items[i]);
		measured.likely += measured.evidence[i].likely;
	}

	if (measured.likely > 0)
		measured.passing_count = 0;

	pm_file_users_deinit(users);
	*users = after;
	*growth = measured;
	return 0;
}

double who_growth_rate(const struct who_growth *growth)
{
	int64_t grown = growth->length != 0 ? growth->length : growth->allocated;

	if (!growth->known || growth->seconds <= 0)
		return 0;
	return (double)grown / growth->seconds;
}

void who_growth_deinit(struct who_growth *growth)
{
	free(growth->evidence);
	*growth = (struct who_growth){ 0 };
}
