/* SPDX-License-Identifier: MIT */
#include "scan/queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"

enum { WAIT_NS = 100 * 1000 * 1000, NS_PER_S = 1000 * 1000 * 1000 };

int pm_scan_queue_init(struct pm_scan_queue *order, struct pm_plan *plan, bool all_runs,
                       size_t count, struct pm_error *error)
{
	pthread_condattr_t monotonic;

	*order = (struct pm_scan_queue){ .plan = plan, .all_runs = all_runs };
	pthread_mutex_init(&order->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&order->for_worker, NULL);
	pthread_cond_init(&order->for_taker, &monotonic);
	pthread_condattr_destroy(&monotonic);
	order->ahead = malloc(sizeof *order->ahead);

	order->jobs = calloc(count, sizeof(struct pm_job *));
	for (; order->jobs && order->count < count; order->count++) {
		order->jobs[order->count] = calloc(1, sizeof **order->jobs);
		if (!order->jobs[order->count])
			break;
	}

	return order->ahead && order->count == count ? 0 : pm_error_out_of_memory(error);
}

void pm_scan_queue_deinit(struct pm_scan_queue *order)
{
	for (size_t i = 0; i < order->count; i++) {
		pm_batch_deinit(&order->jobs[i]->ready);
		pm_unreadable_list_deinit(&order->jobs[i]->unreadable);
		free(order->jobs[i]);
	}

	free(order->jobs);
	free(order->ahead);
	pthread_cond_destroy(&order->for_worker);
	pthread_cond_destroy(&order->for_taker);
	pthread_mutex_destroy(&order->lock);
}

static void exchange(struct pm_scan_batch *a, struct pm_scan_batch *b)
{
	struct pm_scan_batch old = *a;
	*a = *b;
	*b = old;
}

/**
 * Whether the unit at the head waits for a worker, which has to be one that waits with a later
 * unit: all others may do so too.
 */
static bool head_needs(const struct pm_scan_queue *order, const struct pm_job *job)
{
	return job->index != order->head && pm_scan_queue_head(order)->state == PM_JOB_AGAIN;
}

/** Takes the unit at the head and gives up the own one, to be scanned anew when its turn comes. */
static struct pm_job *change_to_head(struct pm_scan_queue *order, struct pm_job *job)
{
	struct pm_job *head = pm_scan_queue_head(order);
	job->state = PM_JOB_AGAIN;
	head->state = PM_JOB_ACTIVE;
	head->restart = true;
	return head;
}

int pm_scan_queue_push(struct pm_scan_queue *order, struct pm_job **job,
                       struct pm_scan_batch *batch)
{
	struct pm_job *own = *job;

	pthread_mutex_lock(&order->lock);
	while (!atomic_load(&order->stop) && !own->restart && !head_needs(order, own) &&
	       (order->head != own->index || own->ready.length > 0))
		pthread_cond_wait(&order->for_worker, &order->lock);

	if (!atomic_load(&order->stop) && !own->restart && head_needs(order, own))
		*job = change_to_head(order, own);
	bool end = atomic_load(&order->stop) || (*job)->restart;

	if (!end) {
		exchange(&own->ready, batch);
		own->pushed = true;
		pthread_cond_signal(&order->for_taker);
	}

	pthread_mutex_unlock(&order->lock);
	pm_batch_clear(batch);

	return end;
}

/** Whether all units are scanned and taken. */
static bool is_over(const struct pm_scan_queue *order)
{
	return order->started && !order->has_ahead && order->head == order->claimed;
}

/** Whether something of the unit at the head can be taken. */
static bool can_take(struct pm_scan_queue *order)
{
	const struct pm_job *head = pm_scan_queue_head(order);
	return order->head < order->claimed && !head->restart &&
	       (head->ready.length > 0 || head->state == PM_JOB_DONE);
}

/** Done with the unit at the head. */
static void retire_head(struct pm_scan_queue *order)
{
	struct pm_job *job = pm_scan_queue_head(order);
	order->searched += job->unit.size;
	order->counts.gave_up += job->counts.gave_up;
	order->counts.skipped += job->counts.skipped;
	job->state = PM_JOB_FREE;
	order->head++;
	pthread_cond_broadcast(&order->for_worker);
}

/** Passes over units in which nothing was found. */
static void retire_empty(struct pm_scan_queue *order)
{
	while (order->head < order->claimed) {
		struct pm_job *job = pm_scan_queue_head(order);
		if (job->state != PM_JOB_DONE || job->ready.length > 0 || job->unreadable.count > 0)
			break;
		retire_head(order);
	}

	/* The taker sleeps as long as nothing is found. */
	if (can_take(order) || is_over(order))
		pthread_cond_signal(&order->for_taker);
}

int pm_scan_queue_finish(struct pm_scan_queue *order, struct pm_job *job,
                         const struct pm_scan_counts *counts, struct pm_scan_batch *batch)
{
	pthread_mutex_lock(&order->lock);
	while (!atomic_load(&order->stop) && !job->restart && job->ready.length > 0)
		pthread_cond_wait(&order->for_worker, &order->lock);

	bool end = atomic_load(&order->stop) || job->restart;
	if (!end) {
		exchange(&job->ready, batch);
		job->state = PM_JOB_DONE;
		job->counts = *counts;
		order->dense = job->pushed;
		/* While its hits are delivered it may prove that they have to be searched for anew.
		 */
		if (job->index == order->head && !order->delivering)
			retire_empty(order);
	}

	pthread_mutex_unlock(&order->lock);
	pm_batch_clear(batch);

	return end;
}

static struct timespec a_while_from_now(void)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / NS_PER_S;
	until.tv_nsec %= NS_PER_S;
	return until;
}

enum pm_taken pm_scan_queue_pop(struct pm_scan_queue *order, struct pm_job **job,
                                struct pm_scan_batch *batch)
{
	enum pm_taken taken = PM_TAKEN_NOTHING;
	const struct timespec until = a_while_from_now();
	bool late = false;

	pm_batch_clear(batch);
	pthread_mutex_lock(&order->lock);
	order->delivering = false;

	for (;;) {
		struct pm_job *head = pm_scan_queue_head(order);
		if (atomic_load(&order->stop) || is_over(order))
			taken = PM_TAKEN_END;
		else if (can_take(order)) {
			taken = head->state == PM_JOB_DONE ? PM_TAKEN_LAST : PM_TAKEN_BATCH;
			exchange(&head->ready, batch);
			*job = head;
			order->delivering = true;
			pthread_cond_broadcast(&order->for_worker);
		}

		if (taken != PM_TAKEN_NOTHING || late)
			break;

		late = pthread_cond_timedwait(&order->for_taker, &order->lock, &until) != 0;
	}

	pthread_mutex_unlock(&order->lock);
	return taken;
}

void pm_scan_queue_retire(struct pm_scan_queue *order)
{
	pthread_mutex_lock(&order->lock);
	retire_head(order);
	retire_empty(order);
	pthread_mutex_unlock(&order->lock);
}

void pm_scan_queue_restart(struct pm_scan_queue *order, struct pm_job *job,
                           const uint64_t from[PM_STREAMS])
{
	pthread_mutex_lock(&order->lock);
	memcpy(job->anew, from, sizeof job->anew);
	pm_batch_clear(&job->ready);

	if (job->state == PM_JOB_DONE)
		job->state = PM_JOB_AGAIN;
	else
		job->restart = true;

	pthread_cond_broadcast(&order->for_worker);
	pthread_mutex_unlock(&order->lock);
}

bool pm_scan_queue_again(struct pm_scan_queue *order, struct pm_job *job)
{
	pthread_mutex_lock(&order->lock);
	bool again = job->restart && !atomic_load(&order->stop);
	job->restart = false;
	if (again)
		memcpy(job->from, job->anew, sizeof job->from);
	pthread_mutex_unlock(&order->lock);
	return again;
}

void pm_scan_queue_stop(struct pm_scan_queue *order, const struct pm_error *error)
{
	pthread_mutex_lock(&order->lock);
	if (error && !order->failed && !atomic_load(&order->stop)) {
		order->failed = true;
		order->failure = *error;
	}

	atomic_store(&order->stop, true);
	pthread_cond_broadcast(&order->for_worker);
	pthread_cond_signal(&order->for_taker);
	pthread_mutex_unlock(&order->lock);
}

void pm_scan_queue_totals(struct pm_scan_queue *order, struct pm_scan_totals *totals)
{
	pthread_mutex_lock(&order->lock);
	totals->searched = order->searched - totals->unreadable;
	totals->gave_up = order->counts.gave_up;
	totals->passed = order->counts.skipped;
	pthread_mutex_unlock(&order->lock);
}
