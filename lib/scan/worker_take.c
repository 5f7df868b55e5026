/* SPDX-License-Identifier: MIT */
#include "scan/worker_take.h"

#include "base/minmax.h"
#include "scan/worker_check.h"

enum {
	BATCH_MAX = 256 * 1024, /* bytes that a thread keeps until its turn comes */
	LONG = 16 * 1024,     /* bytes of a hit that is written down only when its turn has come */
	FOLLOW_BYTES_MAX = 3, /* of a character of UTF-8 */
};

/** Bytes of the next piece of a hit, which ends between two characters. */
static size_t piece_of(const uint8_t *bytes, size_t size, enum pm_encoding encoding)
{
	size_t end = PM_SCAN_PIECE_MAX, unit = pm_encoding_unit(encoding);
	if (size <= end)
		return size;

	if (unit == 2) {
		/* The first half of a surrogate pair is 0xd8 to 0xdb in its high byte. */
		uint8_t high = bytes[end - (encoding == PM_ENCODING_UTF16BE ? 2 : 1)];
		end -= (high & 0xfc) == 0xd8 ? unit : 0;
	}

	for (size_t back = 0; unit == 1 && back < FOLLOW_BYTES_MAX && (bytes[end] & 0xc0) == 0x80;
	     back++)
		end--;

	return end;
}

/** What is told of a piece of a hit, from an offset in it on. */
static struct pm_hit hit_of(const struct pm_worker *worker, const struct pm_window *window,
                            const struct pm_found *found, size_t from)
{
	const struct pm_scan *scan = worker->scan;
	size_t start = found->start + from;
	struct pm_hit hit = { .address = window->address + start, .bytes = window->bytes + start };
	hit.size = piece_of(hit.bytes, found->size - from, found->encoding);

	bool last = from + hit.size == found->size;
	hit.before = from == 0 ? pm_min_size(scan->around, window->before + start) : 0;
	hit.after = last ? pm_min_size(scan->around, pm_window_end(window) - start - hit.size) : 0;
	hit.region = pm_regions_index(scan->regions, hit.address);
	hit.source = found->source;
	hit.encoding = found->encoding;
	hit.truncated = !last || found->truncated;
	hit.continued = from > 0;

	hit.changed = found->changed;
	return hit;
}

/**
 * Writes a piece of a hit down.
 * @return 0 or -1
 */
static int tell(struct pm_worker *worker, const struct pm_hit *hit, uint64_t attempt,
                uint8_t stream, struct pm_error *error)
{
	const struct pm_scan *scan = worker->scan;
	struct pm_record record = { .attempt = attempt,
		                    .address = hit->address,
		                    .size = hit->size,
		                    .region = hit->region,
		                    .stream = stream };

	record.source = hit->source;
	record.encoding = (uint8_t)hit->encoding;
	record.truncated = hit->truncated;
	record.continued = hit->continued;
	record.changed = hit->changed;
	if (pm_batch_add(&worker->batch, &record, error) < 0)
		return -1;

	return scan->found ? scan->found(scan->context, worker->number, hit, &worker->batch, error)
	                   : 0;
}

/**
 * Writes a hit down, in pieces where it is long.
 * @return 0; 1: stop; -1
 */
static int take(struct pm_worker *worker, const struct pm_window *window,
                const struct pm_found *found, struct pm_error *error)
{
	/* What is appended may be many times as long. Once this has gone through, the unit's turn
	 * is there, and no other one's hits wait. */
	if (found->size > LONG && pm_scan_queue_push(worker->order, &worker->job, &worker->batch))
		return 1;

	for (size_t from = 0; from < found->size;) {
		const struct pm_hit hit = hit_of(worker, window, found, from);
		if (tell(worker, &hit, window->address + found->attempt, found->stream, error) < 0)
			return -1;
		if (worker->batch.length > BATCH_MAX &&
		    pm_scan_queue_push(worker->order, &worker->job, &worker->batch))
			return 1;
		from += hit.size;
	}

	return 0;
}

int pm_worker_take(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	struct pm_worker *worker = hits->context;
	/* What was read from a file is not in the target's memory; looking there would bring it in.
	 */
	if (worker->scan->again && !worker->scan->source.files &&
	    pm_worker_check(worker, window, hits, error) < 0)
		return -1;

	for (size_t i = 0; i < hits->count; i++) {
		const struct pm_found *found = &hits->items[i];
		uint64_t end = window->address + found->start + found->size;
		worker->ends[found->stream] = end > worker->ends[found->stream]
		                                      ? end
		                                      : worker->ends[found->stream];
		int result = take(worker, window, found, error);
		if (result)
			return result;
	}

	return atomic_load_explicit(&worker->order->stop, memory_order_relaxed);
}
