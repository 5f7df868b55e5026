/* SPDX-License-Identifier: MIT */
/* Handing out: from the plan to a worker. */
#include "scan/order.h"

#include <string.h>

/** Whether the bytes of a segment are read from the target. */
static bool is_run(const struct pm_segment *segment)
{
	return segment->wanted && segment->type == PM_SEGMENT_RUN;
}

/** Bytes directly before what follows on a unit. */
static uint64_t bytes_behind(const struct pm_unit *unit, uint64_t before)
{
	uint64_t bytes = 0;
	for (size_t i = unit->count; i > 0; i--) {
		const struct pm_segment *segment = &unit->segments[i - 1];
		if (!is_run(segment))
			return bytes;
		bytes += segment->end - segment->start;
		if (!segment->follows)
			return bytes;
	}
	return bytes + before;
}

/** What follows on a unit, seen from the next one. */
static void look_ahead(const struct pm_order *order, struct pm_job *job)
{
	const struct pm_unit *next = order->ahead;
	job->chain_after = 0;
	job->zeros_after = false;
	job->goes_on = order->has_ahead && next->segments[0].follows;
	for (size_t i = 0; job->goes_on && i < next->count && next->segments[i].follows; i++) {
		const struct pm_segment *segment = &next->segments[i];
		if (!is_run(segment)) {
			job->zeros_after = segment->type == PM_SEGMENT_HOLE;
			return;
		}
		job->chain_after += segment->end - segment->start;
		if (i + 1 == next->count && order->all_runs)
			job->chain_after += next->after;
	}
}

/** Takes the next unit of the plan into `ahead`. @return 0 or -1 */
static int fetch(struct pm_order *order)
{
	int more = pm_plan_next(order->plan, order->ahead, &order->failure);
	order->has_ahead = more > 0;
	if (more >= 0)
		return 0;
	order->failed = true;
	atomic_store(&order->stop, true);
	pthread_cond_broadcast(&order->for_worker);
	pthread_cond_signal(&order->for_taker);
	return -1;
}

/** Hands out the unit ahead. @return NULL where the plan fails */
static struct pm_job *hand_out(struct pm_order *order)
{
	struct pm_job *job = order->jobs[order->claimed % order->count];
	memcpy(&job->unit, order->ahead, sizeof job->unit);
	job->index = order->claimed++;
	job->state = PM_JOB_ACTIVE;
	job->restart = false;
	memset(job->from, 0, sizeof job->from);
	memset(job->anew, 0, sizeof job->anew);
	job->chain_before = job->unit.segments[0].follows ? order->behind : 0;
	order->behind = bytes_behind(&job->unit, job->chain_before);
	if (fetch(order) < 0)
		return NULL;
	look_ahead(order, job);
	return job;
}

struct pm_job *pm_order_claim(struct pm_order *order)
{
	struct pm_job *job = NULL;
	pthread_mutex_lock(&order->lock);
	if (!order->started) {
		order->started = true;
		fetch(order);
	}
	while (!atomic_load(&order->stop) && !job) {
		if (order->head < order->claimed && pm_order_head(order)->state == PM_JOB_AGAIN) {
			job = pm_order_head(order);
			job->state = PM_JOB_ACTIVE;
			memcpy(job->from, job->anew, sizeof job->from);
		} else if (order->has_ahead && order->claimed - order->head < order->count)
			job = hand_out(order);
		else if (!order->has_ahead && order->head == order->claimed)
			break;
		else
			pthread_cond_wait(&order->for_worker, &order->lock);
	}
	if (!job) {
		pthread_cond_broadcast(&order->for_worker);
		pthread_cond_signal(&order->for_taker);
	}
	pthread_mutex_unlock(&order->lock);
	return job;
}
