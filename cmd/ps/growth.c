/* SPDX-License-Identifier: MIT */
#include "ps/growth.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "view/json.h"

/* Maximum number of processes that a note names. */
enum { NAMED_MAX = 5 };

int ps_growth_start(struct ps_growth *growth, const struct ps_filter *filter, unsigned needs,
                    double seconds, struct pm_error *error)
{
	struct poll_loop wait;
	double started = clock_seconds();

	/* Only the sizes of the list are compared. The other values name the group of a process. */
	needs &= PS_NEEDS_USER | PS_NEEDS_CGROUP;
	if (ps_listing_read(&growth->before, filter, needs, NULL, error) < 0)
		return -1;

	poll_loop_init(&wait, seconds);
	while (!*wait.interrupted && !poll_loop_wait(&wait))
		continue;
	growth->interrupted = *wait.interrupted != 0;
	poll_loop_deinit(&wait);

	growth->seconds = clock_seconds() - started;
	return 0;
}

static int compare_rss(const void *a, const void *b)
{
	const struct ps_row *left = *(struct ps_row *const *)a, *right = *(struct ps_row *const *)b;

	return (left->process->rss < right->process->rss) -
	       (left->process->rss > right->process->rss);
}

/** Finds the processes that have ended. */
static void find_ended(struct ps_growth *growth, const struct ps_listing *listing)
{
	struct ps_listing *before = &growth->before;

	growth->ended = alloc_array(NULL, before->count, sizeof(struct ps_row *));
	for (size_t i = 0; i < before->count; i++) {
		if (!ps_listing_find(&listing->processes, before->rows[i].process))
			growth->ended[growth->ended_count++] = &before->rows[i];
	}
	if (growth->ended_count > 0)
		qsort(growth->ended, growth->ended_count, sizeof(struct ps_row *), compare_rss);
}

void ps_growth_end(struct ps_growth *growth, struct ps_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct ps_row *row = &listing->rows[i];
		const struct pm_process_row *now = row->process;
		const struct pm_process_row *then = ps_listing_find(&growth->before.processes, now);

		row->is_new = !then;
		growth->new_count += row->is_new;
		if (!then || now->time_ns <= then->time_ns || now->kernel_thread)
			continue;

		/* The lists take time, so each process has its own interval. */
		row->rate = ps_columns_rate(then->rss, now->rss,
		                            (double)(now->time_ns - then->time_ns) / 1e9);
		row->rate_known = true;
	}

	find_ended(growth, listing);
}

void ps_growth_report(const struct ps_growth *growth)
{
	size_t named = pm_min_size(growth->ended_count, NAMED_MAX);
	struct text names = { 0 };

	if (growth->interrupted)
		report_note("interrupted: the rates are those of %.1f s", growth->seconds);
	if (growth->ended_count == 0 && growth->new_count == 0)
		return;

	for (size_t i = 0; i < named; i++) {
		const struct pm_process_row *process = growth->ended[i]->process;

		text_format(&names, "%s%s (%d, RSS ", i > 0 ? ", " : ": ", process->comm,
		            (int)process->pid);
		text_size(&names, process->rss);
		text_char(&names, ')');
	}
	if (named < growth->ended_count)
		text_format(&names, " and %zu more", growth->ended_count - named);

	report_note("in %.1f s, %zu process%s started and %zu ended%s", growth->seconds,
	            growth->new_count, growth->new_count == 1 ? "" : "es", growth->ended_count,
	            text_terminate(&names));
	text_deinit(&names);
}

json_t *ps_growth_json_ended(const struct ps_growth *growth)
{
	json_t *array = json_array();

	for (size_t i = 0; i < growth->ended_count; i++) {
		const struct pm_process_row *process = growth->ended[i]->process;
		json_t *object = json_object();

		json_object_set_new(object, "pid", json_integer(process->pid));
		json_object_set_new(object, "name", json_text(process->comm));
		json_object_set_new(object, "rss", json_number(process->rss));
		json_array_append_new(array, object);
	}
	return array;
}

void ps_growth_deinit(struct ps_growth *growth)
{
	free(growth->ended);
	ps_listing_deinit(&growth->before);
	*growth = (struct ps_growth){ 0 };
}
