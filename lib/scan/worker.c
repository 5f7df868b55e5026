/* SPDX-License-Identifier: MIT */
#include "scan/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"
#include "scan/queue_claim.h"
#include "scan/worker_take.h"

int pm_worker_init(struct pm_worker *worker, struct pm_error *error)
{
	worker->gathered.buffer = malloc(PM_GATHER_ROOM);
	worker->check = worker->scan->again ? malloc(PM_CHECK_ROOM) : NULL;
	if (!worker->gathered.buffer || (worker->scan->again && !worker->check))
		return pm_error_out_of_memory(error);

	worker->hits = (struct pm_hits){ .take = pm_worker_take, .context = worker };
	worker->scanning = worker->scan->scanner->ops->open(worker->scan->scanner, error);
	return worker->scanning ? 0 : -1;
}

void pm_worker_deinit(struct pm_worker *worker)
{
	if (worker->scan)
		worker->scan->scanner->ops->close(worker->scanning);
	free(worker->gathered.buffer);
	free(worker->gathered.items);
	free(worker->seam);
	free(worker->check);
	pm_hits_deinit(&worker->hits);
	pm_batch_deinit(&worker->batch);
}

/** End of all that a window can see: what can be read, and some of the zeros behind it. */
static uint64_t end_of_sight(const struct pm_worker *worker)
{
	return worker->limit + (worker->zeros ? PM_OVERLAP : 0);
}

/**
 * Bytes of the target from `address` to `end`; what is not to be had ends all sight.
 * @return 0 or -1
 */
static int fill(struct pm_worker *worker, uint8_t *to, uint64_t address, uint64_t end,
                struct pm_error *error)
{
	const struct pm_gather_part *stretch = worker->stretch;
	uint64_t have = stretch->address + stretch->size + stretch->after;
	uint64_t known = pm_min(end, have), readable = pm_min(end, worker->limit);
	size_t good;

	if (address < known) {
		memcpy(to, stretch->bytes + (address - stretch->address),
		       (size_t)(known - address));
		to += known - address;
		address = known;
	}

	if (address < readable) {
		size_t size = (size_t)(readable - address);
		if (pm_gather_more(&worker->scan->source, worker->job, address, to, size, &good,
		                   error) < 0)
			return -1;
		if (good < size) {
			worker->limit = address + good;
			worker->zeros = worker->more = false;
		}
		to += size;
		address = readable;
	}

	if (address < end)
		memset(to, 0, (size_t)(end - address));

	return 0;
}

static int grow(struct pm_window *window, size_t at, struct pm_error *error)
{
	struct pm_worker *worker = window->context;
	uint64_t start = window->address + at, seen = window->address + pm_window_end(window);
	size_t keep = pm_min_size(window->before + at, PM_LOOKBEHIND_ROOM),
	       size = window->size - at;
	size_t after = window->after * 4 < PM_OVERLAP ? PM_OVERLAP
	                                              : pm_min_size(window->after * 4, PM_GROW_MAX);
	uint64_t end = pm_min(start + size + after, end_of_sight(worker));

	if (window->after >= PM_GROW_MAX || end <= seen)
		return 0;

	const uint8_t *kept = window->bytes + at - keep;
	size_t kept_size = keep + (size_t)(seen - start);
	/* A window that has grown before lies in the seam, which is made longer where it is: two of
	 * them would be more than all else together. */
	if (worker->seam)
		memmove(worker->seam, kept, kept_size);

	uint8_t *grown = realloc(worker->seam, keep + (size_t)(end - start));
	if (!grown)
		return pm_error_out_of_memory(error);

	if (!worker->seam)
		memcpy(grown, kept, kept_size);
	worker->seam = grown;
	if (fill(worker, grown + kept_size, seen, end, error) < 0)
		return -1;

	end = pm_min(end, end_of_sight(worker));
	window->begins = window->begins && keep == window->before + at;
	window->bytes = grown + keep;
	window->address = start;
	window->before = keep;
	window->size = size;
	window->after = (size_t)(end - start - size);
	window->more = worker->more || end < end_of_sight(worker);

	window->ends = end == worker->limit && !worker->zeros && worker->stretch->ends;
	memset(window->from, 0, sizeof window->from);

	return 1;
}

/**
 * Shows `[from, to)` of the stretch to the scanner.
 * @return as pm_scanner_ops.scan
 */
static int scan_window(struct pm_worker *worker, size_t from, size_t to, struct pm_error *error)
{
	const struct pm_gather_part *stretch = worker->stretch;
	struct pm_window window = { .bytes = stretch->bytes + from,
		                    .address = stretch->address + from,
		                    .size = to - from,
		                    .grow = grow };

	window.context = worker;
	window.stop = &worker->order->stop;
	window.before = pm_min_size(stretch->before + from, PM_LOOKBEHIND_ROOM);
	window.after = pm_min_size(stretch->size - to + stretch->after, PM_OVERLAP);
	window.begins = stretch->begins && window.before == from;

	uint64_t end = window.address + pm_window_end(&window);
	window.more = worker->more || end < end_of_sight(worker);
	window.ends = !window.more && stretch->ends;

	/* A byte that is not there in the target, so that no pattern takes this for the begin of
	 * everything. */
	if (window.before == 0 && !window.begins) {
		stretch->bytes[-1] = 0;
		window.before = 1;
	}

	for (int i = 0; i < PM_STREAMS; i++) {
		uint64_t first = worker->job->from[i] > worker->ends[i] ? worker->job->from[i]
		                                                        : worker->ends[i];
		window.from[i] = first > window.address
		                         ? (size_t)pm_min(first - window.address, window.size)
		                         : 0;
	}

	int result = worker->scan->scanner->ops->scan(worker->scanning, &window, &worker->hits,
	                                              &worker->counts, error);
	/* Few windows grow, and then it is larger than all else. */
	free(worker->seam);
	worker->seam = NULL;

	return result;
}

/** Whether all bytes are zero. */
static bool is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/**
 * Scans what is no page of zeros.
 * @return as pm_scanner_ops.scan
 */
static int scan_around_zeros(struct pm_worker *worker, struct pm_error *error)
{
	const struct pm_gather_part *stretch = worker->stretch;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = 0;
	for (size_t at = 0; at < stretch->size;) {
		size_t next = (size_t)pm_min(at + page - (size_t)((stretch->address + at) % page),
		                             stretch->size);
		if (is_zero(stretch->bytes + at, next - at)) {
			int result = begin < at ? scan_window(worker, begin, at, error) : 0;
			if (result)
				return result;
			begin = next;
		}
		at = next;
	}

	return begin < stretch->size ? scan_window(worker, begin, stretch->size, error) : 0;
}

/**
 * Scans a unit.
 * @return 0: all of it; 1: stopped; -1
 */
static int scan_unit(struct pm_worker *worker, struct pm_error *error)
{
	const struct pm_scanner *scanner = worker->scan->scanner;
	size_t before = scanner->lookbehind > worker->scan->around ? scanner->lookbehind
	                                                           : worker->scan->around;
	int result = 0;

	worker->batch.length = 0;
	worker->counts = (struct pm_scan_counts){ 0 };
	memset(worker->ends, 0, sizeof worker->ends);
	if (pm_gather(&worker->gathered, worker->scan->regions, &worker->scan->source, worker->job,
	              before, error) < 0)
		return -1;

	for (size_t i = 0; i < worker->gathered.count && result == 0; i++) {
		worker->stretch = &worker->gathered.items[i];
		worker->limit = worker->stretch->address + worker->stretch->size;
		worker->limit += worker->stretch->chain_after > worker->stretch->after
		                         ? worker->stretch->chain_after
		                         : worker->stretch->after;
		worker->zeros = worker->stretch->zeros_after;
		worker->more = worker->stretch->more_after;
		result = scanner->starts_in_zeros
		                 ? scan_window(worker, 0, worker->stretch->size, error)
		                 : scan_around_zeros(worker, error);
	}

	return result;
}

void *pm_worker_run(void *context)
{
	struct pm_worker *worker = context;
	struct pm_job *second = NULL;
	while ((worker->job = pm_scan_queue_claim(worker->order, &second))) {
		int result;
		do {
			struct pm_error error = { 0 };
			result = scan_unit(worker, &error);
			if (result < 0) {
				pm_scan_queue_stop(worker->order, &error);
				return NULL;
			}
			if (result == 0)
				result = pm_scan_queue_finish(worker->order, worker->job,
				                              &worker->counts, &worker->batch);
		} while (result == 1 && pm_scan_queue_again(worker->order, worker->job));
	}

	return NULL;
}
