/* SPDX-License-Identifier: MIT */
/* Handing out: from the plan to a worker. */
#include "scan/queue_claim.h"

#include <string.h>

#include "base/minmax.h"

/** Bytes directly before what follows on a unit. */
static uint64_t bytes_behind(const struct pm_unit *unit, uint64_t before)
{
	uint64_t bytes = 0;
	for (size_t i = unit->count; i > 0; i--) {
		const struct pm_segment *segment = &unit->segments[i - 1];
		if (!segment->wanted)
			return bytes;
		bytes += segment->end - segment->start;
		if (!segment->follows)
			return bytes;
	}

	return bytes + before;
}

/** What follows on a unit, seen from the next one. */
static void look_ahead(const struct pm_scan_queue *order, struct pm_job *job)
{
	const struct pm_unit *next = order->ahead;
	/* Where all that is read are runs, their borders do not matter. */
	size_t most = order->all_runs ? next->count : pm_min_size(next->count, PM_NEXT_SEGMENTS);

	job->chain_after = 0;
	job->next_count = 0;
	job->zeros_after = job->more_after = false;
	job->goes_on = order->has_ahead && next->segments[0].follows;

	size_t i = 0;
	for (; job->goes_on && i < most && next->segments[i].follows; i++) {
		const struct pm_segment *segment = &next->segments[i];
		if (!segment->wanted) {
			job->zeros_after = segment->type == PM_SEGMENT_HOLE;
			return;
		}
		if (!order->all_runs)
			job->next[job->next_count++] = *segment;
		job->chain_after += segment->end - segment->start;
		if (i + 1 == next->count && order->all_runs)
			job->chain_after += next->after;
	}

	if (job->goes_on && i == most && !order->all_runs)
		job->more_after = most < next->count ? next->segments[most].follows &&
		                                               next->segments[most].wanted
		                                     : next->after > 0;
}

/**
 * Takes the next unit of the plan into `ahead`.
 * @return 0 or -1
 */
static int fetch(struct pm_scan_queue *order)
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

/**
 * Hands out the unit ahead.
 * @return NULL where the plan fails
 */
static struct pm_job *hand_out(struct pm_scan_queue *order)
{
	struct pm_job *job = order->jobs[order->claimed % order->count];
	memcpy(&job->unit, order->ahead, sizeof job->unit);
	job->index = order->claimed++;
	job->state = PM_JOB_ACTIVE;
	job->restart = job->pushed = false;
	memset(job->from, 0, sizeof job->from);
	memset(job->anew, 0, sizeof job->anew);
	job->chain_before = job->unit.segments[0].follows ? order->behind : 0;

	job->type_before = order->type_behind;
	order->behind = bytes_behind(&job->unit, job->chain_before);
	order->type_behind = job->unit.segments[job->unit.count - 1].type;
	if (fetch(order) < 0)
		return NULL;

	look_ahead(order, job);
	return job;
}

/** Whether the unit ahead begins in the page table in which a unit ends. */
static bool shares_page_table(const struct pm_scan_queue *order, const struct pm_unit *unit)
{
	uint64_t end = unit->segments[unit->count - 1].end, next = order->ahead->segments[0].start;
	return (end - 1) / PM_PAGE_TABLE_SPAN == next / PM_PAGE_TABLE_SPAN;
}

/** Whether there is a unit to hand out, and room for what is found in it. */
static bool can_hand_out(const struct pm_scan_queue *order)
{
	return order->has_ahead && order->claimed - order->head < order->count;
}

/**
 * Hands out the unit ahead, and with it the one behind it where both are better read by the same
 * worker.
 * @return NULL where the plan fails
 */
static struct pm_job *hand_out_two(struct pm_scan_queue *order, struct pm_job **second)
{
	struct pm_job *job = hand_out(order);
	if (job && !order->dense && can_hand_out(order) && shares_page_table(order, &job->unit))
		*second = hand_out(order);
	return job;
}

struct pm_job *pm_scan_queue_claim(struct pm_scan_queue *order, struct pm_job **second)
{
	struct pm_job *job = NULL;

	pthread_mutex_lock(&order->lock);
	if (!order->started) {
		order->started = true;
		fetch(order);
	}

	while (!atomic_load(&order->stop) && !job) {
		if (order->head < order->claimed &&
		    pm_scan_queue_head(order)->state == PM_JOB_AGAIN) {
			job = pm_scan_queue_head(order);
			job->state = PM_JOB_ACTIVE;
			memcpy(job->from, job->anew, sizeof job->from);
		} else if (*second) {
			job = *second;
			*second = NULL;
		} else if (can_hand_out(order))
			job = hand_out_two(order, second);
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
