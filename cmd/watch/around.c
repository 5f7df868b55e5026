/* SPDX-License-Identifier: MIT */
#include "watch/around.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "target/neighbours.h"

/* At most this share of one processor is spent on other processes. */
static const double around_share = 0.002;

/* Maximum number of processes that are named. */
enum { NAMED_MAX = 3 };

struct watch_around {
	struct neighbours neighbours;
	double due; /* time when the processes are read again, as pm_sample.time */
};

struct watch_around *watch_around_open(struct pm_process *process)
{
	const struct neighbours_options options = { .family = true, .group = true };
	struct watch_around *around = alloc_array(NULL, 1, sizeof *around);

	*around = (struct watch_around){ 0 };
	neighbours_begin(&around->neighbours, process, &options);
	return around;
}

void watch_around_step(struct watch_around *around, double time)
{
	struct pm_error error;

	if (!around || time < around->due)
		return;

	double begin = clock_cpu_seconds();
	if (neighbours_add(&around->neighbours, time, &error) == 0)
		neighbours_judge(&around->neighbours);
	around->due = time + (clock_cpu_seconds() - begin) / around_share;
}

bool watch_around_describe(const struct watch_around *around, struct text *text)
{
	return around && neighbours_put_growth(&around->neighbours, NAMED_MAX, text);
}

void watch_around_close(struct watch_around *around)
{
	if (around)
		neighbours_deinit(&around->neighbours);
	free(around);
}
