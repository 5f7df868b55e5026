/* SPDX-License-Identifier: MIT */
/*
 * Workers claim units from the queue and find the hits in these units. The thread of the caller
 * pops the hits from the queue by ascending address, and drops each hit that starts before the end
 * of the last delivered hit. If the dropped hit ends after the delivered hit, a search from the end
 * of the delivered hit could find other hits, so the unit is scanned again from there. A unit is
 * also scanned again if the search of the memory before it must continue within the unit, because a
 * pattern contains (*SKIP).
 */
#include <procmem/scan.h>

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/cancel.h"
#include "scan/worker.h"

enum {
	WORKERS_DEFAULT = 4, /* more threads hardly make a scan faster, because the memory bus
	                        limits it */
	JOBS_PER_WORKER = 3, /* number of units in progress for each worker; with this number, a
	                        worker rarely waits for the others */
};

/** Results of deliver_batch() in addition to the results 1 and -1 of pm_scan_deliver. */
enum { DELIVER_CONTINUE = 0, DELIVER_SCAN_AGAIN = 2 };

/** A scan in progress. */
struct run {
	const struct pm_scan *scan;
	struct pm_scan_queue queue;
	struct pm_worker *workers;
	unsigned worker_count; /* number of threads that were started */
	struct pm_scan_totals totals;
	uint64_t ends[PM_STREAMS]; /* for each stream, the end address of the hit delivered last */
	bool cut[PM_STREAMS];      /* for each stream, true if the hit delivered last was
	                              truncated */
};

void pm_scanner_destroy(struct pm_scanner *scanner)
{
	if (scanner)
		scanner->ops->destroy(scanner);
}

int pm_scan_append(struct pm_scan_batch *batch, const void *bytes, size_t size,
                   struct pm_error *error)
{
	return pm_batch_append(batch, bytes, size, error);
}

/**
 * Returns the number of threads for a scan that does not specify a number: the number of usable
 * CPUs, at most WORKERS_DEFAULT.
 * @return at least 1
 */
static unsigned default_workers(void)
{
	cpu_set_t ours;
	int count = 1;

	if (sched_getaffinity(0, sizeof ours, &ours) == 0)
		count = CPU_COUNT(&ours);

	return (unsigned)pm_clamp_int(count, 1, WORKERS_DEFAULT);
}

/**
 * Tests whether a hit starts at the end of the previous hit of its stream, and that hit was
 * truncated.
 */
static bool is_continued(const struct run *run, const struct pm_record *record)
{
	return run->cut[record->stream] && run->ends[record->stream] == record->address;
}

/**
 * Delivers a hit.
 * @return the result of pm_scan_deliver
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
		.continued = is_continued(run, record),
		.changed = record->changed,
		.bytes = bytes,
		.length = (size_t)record->length,
	};

	/* A match with \K may end before the address at which matching started. The search
	 * continues after the match and after this address. */
	run->ends[record->stream] = record->attempt + 1;
	if (!run->scan->scanner->overlaps)
		run->ends[record->stream] = pm_max(record->address + record->size,
		                                   record->attempt + 1);
	run->cut[record->stream] = record->truncated;
	run->totals.hits += !delivery.continued;
	run->totals.changed += record->changed && !delivery.continued;

	return run->scan->deliver(run->scan->context, &delivery, error);
}

static int set_cancelled(struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_CANCELLED, 0, "the search was cancelled");
}

/**
 * Delivers the hits of a batch.
 * @return DELIVER_CONTINUE, DELIVER_SCAN_AGAIN, or the result 1 or -1 of pm_scan_deliver
 */
static int deliver_batch(struct run *run, const struct pm_scan_batch *batch, struct pm_error *error)
{
	struct pm_record record;
	const char *bytes;

	for (size_t at = 0; (bytes = pm_batch_next(batch, &at, &record));) {
		/* A batch can have thousands of hits, and the caller can need long for each. */
		if (pm_is_cancelled(run->scan->source.cancel))
			return set_cancelled(error);

		uint64_t last = run->ends[record.stream];
		if (record.carry) {
			if (record.attempt < last)
				return DELIVER_SCAN_AGAIN;
			run->ends[record.stream] = pm_max(last, record.address);
			continue;
		}

		bool rest = record.continued && is_continued(run, &record);

		if (record.attempt < last && !rest) {
			/* This hit overlaps the previous hit of its stream, so drop it. If it also
			 * ends after the previous hit, the worker continued its search at a wrong
			 * address. */
			if (record.address + record.size > last)
				return DELIVER_SCAN_AGAIN;
			continue;
		}

		int result = deliver(run, &record, bytes, error);
		if (result)
			return result;
	}

	return DELIVER_CONTINUE;
}

/** Reports the bytes of a unit that could not be read. */
static void report_unreadable(struct run *run, const struct pm_unreadable_list *unreadable)
{
	const struct pm_unit_source *source = &run->scan->source;

	run->totals.unreadable += unreadable->bytes;
	for (size_t i = 0; source->unreadable && i < unreadable->count; i++)
		source->unreadable(source->context, &unreadable->items[i]);
}

/**
 * Updates the totals, and calls the tick function of the caller.
 * @return true: continue the scan; false: the caller has cancelled the scan
 */
static bool tick(struct run *run)
{
	const struct pm_scan *scan = run->scan;
	pm_scan_queue_totals(&run->queue, &run->totals);
	if (pm_is_cancelled(scan->source.cancel))
		return false;
	return !scan->tick || scan->tick(scan->context, &run->totals) == 0;
}

/**
 * Delivers all hits by ascending address, until there are no more hits, the scan fails, or the
 * caller ends it.
 */
static void collect(struct run *run)
{
	struct pm_scan_batch batch = { 0 };
	struct pm_error error = { 0 };
	struct pm_job *job;
	enum pm_popped popped;
	int result = 0;

	while (result == 0 &&
	       (popped = pm_scan_queue_pop(&run->queue, &job, &batch)) != PM_POPPED_END) {
		if (popped != PM_POPPED_NOTHING)
			result = deliver_batch(run, &batch, &error);
		if (result == DELIVER_SCAN_AGAIN) {
			pm_scan_queue_restart(&run->queue, job, run->ends);
			result = 0;
		} else if (result == 0 && popped == PM_POPPED_LAST) {
			report_unreadable(run, &job->unreadable);
			pm_scan_queue_retire(&run->queue);
		}

		if (result == 0 && !tick(run))
			result = set_cancelled(&error);
	}

	if (result < 0)
		pm_scan_queue_stop(&run->queue, &error);
	else if (result > 0)
		pm_scan_queue_stop(&run->queue, NULL);

	pm_batch_deinit(&batch);
}

/**
 * Starts up to `count` threads.
 * @return 0 if at least one thread was started, or -1
 */
static int start(struct run *run, unsigned count, struct pm_error *error)
{
	sigset_t all, old;

	/* Block all signals in the workers: the threads of the program handle them. */
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

/** Scans with `count` threads. */
static int scan_with(struct run *run, unsigned count, struct pm_error *error)
{
	int result = 0;

	for (unsigned i = 0; i < count && result == 0; i++) {
		run->workers[i] =
			(struct pm_worker){ .number = i, .scan = run->scan, .queue = &run->queue };
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

	if (result == 0 && run->queue.failed) {
		result = -1;
		if (error)
			*error = run->queue.failure;
	}

	return result;
}

int pm_scan_run(const struct pm_scan *scan, struct pm_scan_totals *totals, struct pm_error *error)
{
	unsigned count = scan->workers;

	if (count == 0)
		count = default_workers();

	*totals = (struct pm_scan_totals){ 0 };
	if (count > PM_SCAN_WORKERS_MAX || scan->around > PM_SCAN_CONTEXT_MAX)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"pm_scan.workers can be at most %u, and pm_scan.around at most %zu",
			PM_SCAN_WORKERS_MAX, PM_SCAN_CONTEXT_MAX);

	struct run run = { .scan = scan, .workers = calloc(count, sizeof *run.workers) };
	if (!run.workers)
		return pm_error_out_of_memory(error);

	int result = pm_scan_queue_init(&run.queue, scan->plan, !scan->source.files,
	                                (size_t)count * JOBS_PER_WORKER, error);
	if (result == 0)
		result = scan_with(&run, count, error);

	pm_scan_queue_totals(&run.queue, &run.totals);
	pm_scan_queue_deinit(&run.queue);
	free(run.workers);
	*totals = run.totals;

	return result;
}
