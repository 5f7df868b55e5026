/* SPDX-License-Identifier: MIT */
/*
 * The queue is a ring of jobs. Workers claim units at the tail and push the hits of these units.
 * One thread pops the hits of the unit at the head. If a hit of this unit overlaps a hit that was
 * delivered before, the unit is scanned again. This is done by a worker that has no unit, or by a
 * worker that waits until its own unit is at the head.
 */
#include "scan/queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/minmax.h"

enum { WAIT_NS = 100 * 1000 * 1000, NS_PER_S = 1000 * 1000 * 1000 };

int pm_scan_queue_init(struct pm_scan_queue *queue, struct pm_plan *plan, bool all_runs,
                       size_t count, struct pm_error *error)
{
	pthread_condattr_t monotonic;

	*queue = (struct pm_scan_queue){ .plan = plan, .all_runs = all_runs };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->for_worker, NULL);
	pthread_cond_init(&queue->for_delivery, &monotonic);
	pthread_condattr_destroy(&monotonic);
	queue->ahead = malloc(sizeof *queue->ahead);

	queue->jobs = calloc(count, sizeof(struct pm_job *));
	for (; queue->jobs && queue->count < count; queue->count++) {
		queue->jobs[queue->count] = calloc(1, sizeof **queue->jobs);
		if (!queue->jobs[queue->count])
			break;
	}

	if (!queue->ahead || queue->count != count)
		return pm_error_out_of_memory(error);
	return 0;
}

void pm_scan_queue_deinit(struct pm_scan_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++) {
		pm_batch_deinit(&queue->jobs[i]->ready);
		pm_unreadable_list_deinit(&queue->jobs[i]->unreadable);
		free(queue->jobs[i]);
	}

	free(queue->jobs);
	free(queue->ahead);
	pthread_cond_destroy(&queue->for_worker);
	pthread_cond_destroy(&queue->for_delivery);
	pthread_mutex_destroy(&queue->lock);
}

static void exchange(struct pm_scan_batch *a, struct pm_scan_batch *b)
{
	struct pm_scan_batch old = *a;
	*a = *b;
	*b = old;
}

/**
 * Tests whether the unit at the head has to be scanned again, and `job` is the job of a later unit.
 * The worker of `job` must then scan the unit at the head instead of waiting, because all other
 * workers may be waiting, too.
 */
static bool head_needs(const struct pm_scan_queue *queue, const struct pm_job *job)
{
	return job->index != queue->head && pm_scan_queue_head(queue)->state == PM_JOB_AGAIN;
}

/**
 * Assigns the unit at the head to the worker of `job`. The unit of `job` will be scanned again
 * later.
 * @return the job of the unit at the head
 */
static struct pm_job *change_to_head(struct pm_scan_queue *queue, struct pm_job *job)
{
	struct pm_job *head = pm_scan_queue_head(queue);
	job->state = PM_JOB_AGAIN;
	head->state = PM_JOB_ACTIVE;
	head->restart = true;
	return head;
}

int pm_scan_queue_push(struct pm_scan_queue *queue, struct pm_job **job,
                       struct pm_scan_batch *batch)
{
	struct pm_job *own = *job;

	pthread_mutex_lock(&queue->lock);
	while (!atomic_load(&queue->stop) && !own->restart && !head_needs(queue, own) &&
	       (queue->head != own->index || own->ready.length > 0))
		pthread_cond_wait(&queue->for_worker, &queue->lock);

	if (!atomic_load(&queue->stop) && !own->restart && head_needs(queue, own))
		*job = change_to_head(queue, own);
	bool end = atomic_load(&queue->stop) || (*job)->restart;

	if (!end) {
		exchange(&own->ready, batch);
		own->pushed = true;
		pthread_cond_signal(&queue->for_delivery);
	}

	pthread_mutex_unlock(&queue->lock);
	pm_batch_clear(batch);

	return end;
}

/** Tests whether all units are scanned and delivered. */
static bool is_over(const struct pm_scan_queue *queue)
{
	return queue->started && !queue->has_ahead && queue->head == queue->claimed;
}

/**
 * Tests whether pm_scan_queue_pop() can return PM_POPPED_BATCH or PM_POPPED_LAST: the unit at the
 * head has hits that were not popped yet, or is done.
 */
static bool can_pop(struct pm_scan_queue *queue)
{
	const struct pm_job *head = pm_scan_queue_head(queue);
	return queue->head < queue->claimed && !head->restart &&
	       (head->ready.length > 0 || head->state == PM_JOB_DONE);
}

/** Removes the unit at the head, and adds its size and counters to the totals. */
static void retire_head(struct pm_scan_queue *queue)
{
	struct pm_job *job = pm_scan_queue_head(queue);
	queue->searched += job->unit.size;
	queue->counts.gave_up += job->counts.gave_up;
	queue->counts.skipped += job->counts.skipped;
	job->state = PM_JOB_FREE;
	queue->head++;
	pthread_cond_broadcast(&queue->for_worker);
}

/**
 * Removes the units at the head that are done, without hits to deliver and without unreadable
 * ranges to report.
 */
static void retire_empty(struct pm_scan_queue *queue)
{
	while (queue->head < queue->claimed) {
		struct pm_job *job = pm_scan_queue_head(queue);
		if (job->state != PM_JOB_DONE || job->ready.length > 0 || job->unreadable.count > 0)
			break;
		retire_head(queue);
	}

	/* Wake the thread that delivers hits only if pm_scan_queue_pop() can return hits or the
	 * end. */
	if (can_pop(queue) || is_over(queue))
		pthread_cond_signal(&queue->for_delivery);
}

int pm_scan_queue_finish(struct pm_scan_queue *queue, struct pm_job *job,
                         const struct pm_scan_counts *counts, struct pm_scan_batch *batch)
{
	pthread_mutex_lock(&queue->lock);
	while (!atomic_load(&queue->stop) && !job->restart && job->ready.length > 0)
		pthread_cond_wait(&queue->for_worker, &queue->lock);

	bool end = atomic_load(&queue->stop) || job->restart;
	if (!end) {
		exchange(&job->ready, batch);
		job->state = PM_JOB_DONE;
		job->counts = *counts;
		queue->dense = job->pushed;
		/* While hits of this unit are being delivered, the unit cannot be removed, because
		 * it may have to be scanned again. */
		if (job->index == queue->head && !queue->delivering)
			retire_empty(queue);
	}

	pthread_mutex_unlock(&queue->lock);
	pm_batch_clear(batch);

	return end;
}

/** Returns the time until which pm_scan_queue_pop() waits. */
static struct timespec wait_end(void)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / NS_PER_S;
	until.tv_nsec %= NS_PER_S;
	return until;
}

enum pm_popped pm_scan_queue_pop(struct pm_scan_queue *queue, struct pm_job **job,
                                 struct pm_scan_batch *batch)
{
	enum pm_popped popped = PM_POPPED_NOTHING;
	const struct timespec until = wait_end();
	bool late = false;

	pm_batch_clear(batch);
	pthread_mutex_lock(&queue->lock);
	queue->delivering = false;

	for (;;) {
		struct pm_job *head = pm_scan_queue_head(queue);
		if (atomic_load(&queue->stop) || is_over(queue))
			popped = PM_POPPED_END;
		else if (can_pop(queue)) {
			popped = head->state == PM_JOB_DONE ? PM_POPPED_LAST : PM_POPPED_BATCH;
			exchange(&head->ready, batch);
			*job = head;
			queue->delivering = true;
			pthread_cond_broadcast(&queue->for_worker);
		}

		if (popped != PM_POPPED_NOTHING || late)
			break;

		late = pthread_cond_timedwait(&queue->for_delivery, &queue->lock, &until) != 0;
	}

	pthread_mutex_unlock(&queue->lock);
	return popped;
}

void pm_scan_queue_retire(struct pm_scan_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	retire_head(queue);
	retire_empty(queue);
	pthread_mutex_unlock(&queue->lock);
}

void pm_scan_queue_restart(struct pm_scan_queue *queue, struct pm_job *job,
                           const uint64_t from[PM_STREAMS])
{
	pthread_mutex_lock(&queue->lock);
	memcpy(job->next_from, from, sizeof job->next_from);
	pm_batch_clear(&job->ready);

	if (job->state == PM_JOB_DONE)
		job->state = PM_JOB_AGAIN;
	else
		job->restart = true;

	pthread_cond_broadcast(&queue->for_worker);
	pthread_mutex_unlock(&queue->lock);
}

bool pm_scan_queue_again(struct pm_scan_queue *queue, struct pm_job *job)
{
	pthread_mutex_lock(&queue->lock);
	bool again = job->restart && !atomic_load(&queue->stop);
	job->restart = false;
	if (again)
		memcpy(job->from, job->next_from, sizeof job->from);
	pthread_mutex_unlock(&queue->lock);
	return again;
}

void pm_scan_queue_stop(struct pm_scan_queue *queue, const struct pm_error *error)
{
	pthread_mutex_lock(&queue->lock);
	if (error && !queue->failed && !atomic_load(&queue->stop)) {
		queue->failed = true;
		queue->failure = *error;
	}

	atomic_store(&queue->stop, true);
	pthread_cond_broadcast(&queue->for_worker);
	pthread_cond_signal(&queue->for_delivery);
	pthread_mutex_unlock(&queue->lock);
}

void pm_scan_queue_totals(struct pm_scan_queue *queue, struct pm_scan_totals *totals)
{
	pthread_mutex_lock(&queue->lock);
	totals->searched = queue->searched - totals->unreadable;
	totals->gave_up = queue->counts.gave_up;
	totals->passed = queue->counts.skipped;
	pthread_mutex_unlock(&queue->lock);
}

/**
 * Returns the number of bytes that can be read directly before the unit after `unit`.
 * @param before  number of bytes that can be read directly before `unit`
 */
static uint64_t bytes_before_next(const struct pm_unit *unit, uint64_t before)
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

/**
 * Records in a job which bytes follow its unit in memory. The next unit of the plan, `ahead`,
 * contains this information.
 */
static void look_ahead(const struct pm_scan_queue *queue, struct pm_job *job)
{
	const struct pm_unit *next = queue->ahead;
	/* If all bytes are read from the target, the segments of the next unit are not recorded in
	 * the job, so their number is not limited. */
	size_t max = next->count;
	if (!queue->all_runs)
		max = pm_min_size(max, PM_NEXT_SEGMENTS);

	job->chain_after = 0;
	job->next_count = 0;
	job->zeros_after = job->more_after = false;
	job->continues_after = queue->has_ahead && next->segments[0].follows;

	size_t i = 0;
	for (; job->continues_after && i < max && next->segments[i].follows; i++) {
		const struct pm_segment *segment = &next->segments[i];
		if (!segment->wanted) {
			job->zeros_after = segment->type == PM_SEGMENT_HOLE;
			return;
		}
		if (!queue->all_runs)
			job->next[job->next_count++] = *segment;
		job->chain_after += segment->end - segment->start;
		if (i + 1 == next->count && queue->all_runs)
			job->chain_after += next->after;
	}

	if (!job->continues_after || i < max || queue->all_runs)
		return;
	if (max < next->count)
		job->more_after = next->segments[max].follows && next->segments[max].wanted;
	else
		job->more_after = next->after > 0;
}

/**
 * Reads the next unit of the plan into `ahead`, and sets `has_ahead`. Ends the scan if this fails.
 * @return 0 or -1
 */
static int fetch(struct pm_scan_queue *queue)
{
	int more = pm_plan_next(queue->plan, queue->ahead, &queue->failure);
	queue->has_ahead = more > 0;
	if (more >= 0)
		return 0;

	queue->failed = true;
	atomic_store(&queue->stop, true);
	pthread_cond_broadcast(&queue->for_worker);
	pthread_cond_signal(&queue->for_delivery);
	return -1;
}

/**
 * Claims the unit `ahead`, and reads the next unit of the plan into `ahead`.
 * @return the job of the claimed unit; NULL if the next unit cannot be read
 */
static struct pm_job *claim_one(struct pm_scan_queue *queue)
{
	struct pm_job *job = queue->jobs[queue->claimed % queue->count];
	memcpy(&job->unit, queue->ahead, sizeof job->unit);
	job->index = queue->claimed++;
	job->state = PM_JOB_ACTIVE;
	job->restart = job->pushed = false;
	memset(job->from, 0, sizeof job->from);
	memset(job->next_from, 0, sizeof job->next_from);
	job->chain_before = 0;
	if (job->unit.segments[0].follows)
		job->chain_before = queue->before_ahead;

	job->type_before = queue->type_before_ahead;
	queue->before_ahead = bytes_before_next(&job->unit, job->chain_before);
	queue->type_before_ahead = job->unit.segments[job->unit.count - 1].type;
	if (fetch(queue) < 0)
		return NULL;

	look_ahead(queue, job);
	return job;
}

/** Tests whether the unit `ahead` starts in the page table in which `unit` ends. */
static bool shares_page_table(const struct pm_scan_queue *queue, const struct pm_unit *unit)
{
	uint64_t end = unit->segments[unit->count - 1].end;
	uint64_t next = queue->ahead->segments[0].start;

	return (end - 1) / PM_PAGE_TABLE_SPAN == next / PM_PAGE_TABLE_SPAN;
}

/** Tests whether there is a unit to claim, and a free job for it. */
static bool can_claim(const struct pm_scan_queue *queue)
{
	return queue->has_ahead && queue->claimed - queue->head < queue->count;
}

/**
 * Claims the unit `ahead`, and also the unit after it if both are in the same page table.
 * @param second  receives the job of the second unit if there is one
 * @return        the job of the first unit; NULL if the next unit cannot be read
 */
static struct pm_job *claim_two(struct pm_scan_queue *queue, struct pm_job **second)
{
	struct pm_job *job = claim_one(queue);
	if (job && !queue->dense && can_claim(queue) && shares_page_table(queue, &job->unit))
		*second = claim_one(queue);
	return job;
}

struct pm_job *pm_scan_queue_claim(struct pm_scan_queue *queue, struct pm_job **second)
{
	struct pm_job *job = NULL;

	pthread_mutex_lock(&queue->lock);
	if (!queue->started) {
		queue->started = true;
		fetch(queue);
	}

	while (!atomic_load(&queue->stop) && !job) {
		if (queue->head < queue->claimed &&
		    pm_scan_queue_head(queue)->state == PM_JOB_AGAIN) {
			job = pm_scan_queue_head(queue);
			job->state = PM_JOB_ACTIVE;
			memcpy(job->from, job->next_from, sizeof job->from);
		} else if (*second) {
			job = *second;
			*second = NULL;
		} else if (can_claim(queue))
			job = claim_two(queue, second);
		else if (!queue->has_ahead && queue->head == queue->claimed)
			break;
		else
			pthread_cond_wait(&queue->for_worker, &queue->lock);
	}

	if (!job) {
		pthread_cond_broadcast(&queue->for_worker);
		pthread_cond_signal(&queue->for_delivery);
	}

	pthread_mutex_unlock(&queue->lock);
	return job;
}
