/* SPDX-License-Identifier: MIT */
#include <procmem/scan.h>

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scan/worker.h"

enum {
	WORKERS_BY_ITSELF = 4, /* more than these are of little use: the memory bus is busy */
	JOBS_PER_WORKER = 3,   /* units on the way: a worker rarely waits for another one then */
};

/** A scan in progress. */
struct run {
	const struct pm_scan *scan;
	struct pm_scan_queue order;
	struct pm_worker *workers;
	unsigned worker_count; /* threads that run */
	struct pm_scan_totals totals;
	uint64_t ends[PM_STREAMS]; /* of the last hit of each stream */
	bool cut[PM_STREAMS];      /* that hit was truncated */
};

void pm_scanner_destroy(struct pm_scanner *scanner)
{
	if (scanner)
		scanner->ops->destroy(scanner);
}

/**
 * Threads of a scan that does not say how many.
 * @return at least 1
 */
static unsigned workers_by_itself(void)
{
	cpu_set_t ours;
	int count = sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : 1;
	return count < 1 ? 1 : count < WORKERS_BY_ITSELF ? (unsigned)count : WORKERS_BY_ITSELF;
}

/** Whether a hit begins where the one before it was truncated. */
static bool goes_on(const struct run *run, const struct pm_record *record)
{
	return run->cut[record->stream] && run->ends[record->stream] == record->address;
}

/**
 * Delivers a hit.
 * @return as pm_scan_deliver
 */
static int deliver(struct run *run, const struct pm_record *record, const char *bytes,
                   struct pm_error *error)
{
	const struct pm_scan_delivery delivery = {
		.address = record->address,
		.size = (size_t)record->size,
		.region = (size_t)record->region,
		.source = record->source,
		.encoding = record->encoding,
		.truncated = record->truncated,
		.continued = goes_on(run, record),
		.changed = record->changed,
		.bytes = bytes,
		.length = (size_t)record->length,
	};

	uint64_t end = record->address + record->size;
	/* Where \K moved the begin of a match, the next one may not be tried before where this one
	 * was. */
	run->ends[record->stream] = end > record->attempt ? end : record->attempt + 1;
	run->cut[record->stream] = record->truncated;
	run->totals.hits += !delivery.continued;
	run->totals.changed += record->changed && !delivery.continued;

	return run->scan->deliver(run->scan->context, &delivery, error);
}

/**
 * Delivers what was found in a unit.
 * @return as pm_scan_deliver; 2: the unit has to be scanned anew
 */
static int deliver_batch(struct run *run, const struct pm_scan_batch *batch, struct pm_error *error)
{
	struct pm_record record;
	const char *bytes;
	for (size_t at = 0; (bytes = pm_batch_next(batch, &at, &record));) {
		uint64_t last = run->ends[record.stream];
		if (record.attempt < last && !(record.continued && goes_on(run, &record))) {
			/* Part of the hit before. If it ends behind that, what comes then depends
			 * on where it begins. */
			if (record.address + record.size > last)
				return 2;
			continue;
		}
		int result = deliver(run, &record, bytes, error);
		if (result)
			return result;
	}

	return 0;
}

/** Reports what could not be read in a unit. */
static void report_unreadable(struct run *run, const struct pm_unreadable_list *unreadable)
{
	const struct pm_unit_source *source = &run->scan->source;

	run->totals.unreadable += unreadable->bytes;
	for (size_t i = 0; source->unreadable && i < unreadable->count; i++)
		source->unreadable(source->context, &unreadable->items[i]);
}

/**
 * Calls the caller's tick.
 * @return whether the scan goes on
 */
static bool tick(struct run *run)
{
	const struct pm_scan *scan = run->scan;
	pm_scan_queue_totals(&run->order, &run->totals);
	if (scan->source.cancel && *scan->source.cancel)
		return false;
	return !scan->tick || scan->tick(scan->context, &run->totals) == 0;
}

/** Takes all hits in order. */
static void collect(struct run *run)
{
	struct pm_scan_batch batch = { 0 };
	struct pm_error error = { 0 };
	struct pm_job *job;
	enum pm_taken taken;
	int result = 0;

	while (result == 0 &&
	       (taken = pm_scan_queue_pop(&run->order, &job, &batch)) != PM_TAKEN_END) {
		if (taken != PM_TAKEN_NOTHING)
			result = deliver_batch(run, &batch, &error);
		if (result == 2) {
			pm_scan_queue_restart(&run->order, job, run->ends);
			result = 0;
		} else if (result == 0 && taken == PM_TAKEN_LAST) {
			report_unreadable(run, &job->unreadable);
			pm_scan_queue_retire(&run->order);
		}

		if (result == 0 && taken != PM_TAKEN_BATCH && !tick(run))
			result = pm_error_set(&error, PM_ERROR_CANCELLED, 0,
			                      "the search was cancelled");
	}

	if (result)
		pm_scan_queue_stop(&run->order, result < 0 ? &error : NULL);
	pm_batch_deinit(&batch);
}

/**
 * Starts the threads.
 * @return 0, or -1 where not even one could be started
 */
static int start(struct run *run, unsigned count, struct pm_error *error)
{
	sigset_t all, old;
	/* Signals are for the threads of the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);

	int failure = 0;
	for (; run->worker_count < count && failure == 0; run->worker_count++) {
		struct pm_worker *worker = &run->workers[run->worker_count];
		failure = pthread_create(&worker->thread, NULL, pm_worker_run, worker);
		if (failure)
			break;
	}

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (run->worker_count == 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, failure, "cannot start a thread: %s",
		                    strerror(failure));

	return 0;
}

/** Scans with so many threads. */
static int scan_with(struct run *run, unsigned count, struct pm_error *error)
{
	int result = 0;
	for (unsigned i = 0; i < count && result == 0; i++) {
		run->workers[i] =
			(struct pm_worker){ .number = i, .scan = run->scan, .order = &run->order };
		result = pm_worker_init(&run->workers[i], error);
	}

	if (result == 0)
		result = start(run, count, error);
	if (result == 0)
		collect(run);

	for (unsigned i = 0; i < run->worker_count; i++)
		pthread_join(run->workers[i].thread, NULL);

	for (unsigned i = 0; i < count; i++)
		pm_worker_deinit(&run->workers[i]);

	if (result == 0 && run->order.failed) {
		result = -1;
		if (error)
			*error = run->order.failure;
	}

	return result;
}

int pm_scan_run(const struct pm_scan *scan, struct pm_scan_totals *totals, struct pm_error *error)
{
	unsigned count = scan->workers ? scan->workers : workers_by_itself();

	*totals = (struct pm_scan_totals){ 0 };
	if (count > PM_SCAN_WORKERS_MAX || scan->around > PM_SCAN_CONTEXT_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a scan has %u threads and %zu bytes of context at the most",
		                    PM_SCAN_WORKERS_MAX, PM_SCAN_CONTEXT_MAX);

	struct run run = { .scan = scan, .workers = calloc(count, sizeof *run.workers) };
	if (!run.workers)
		return pm_error_out_of_memory(error);

	int result = pm_scan_queue_init(&run.order, scan->plan, !scan->source.files,
	                                (size_t)count * JOBS_PER_WORKER, error);
	if (result == 0)
		result = scan_with(&run, count, error);
	pm_scan_queue_totals(&run.order, &run.totals);
	pm_scan_queue_deinit(&run.order);
	free(run.workers);
	*totals = run.totals;

	return result;
}
