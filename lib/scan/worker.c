/* SPDX-License-Identifier: MIT */
#include "scan/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"

/* Checking hits again. */

enum {
	CHECK_APART =
		1024, /* bytes between hits that are read too rather than begin another range */
	RANGES_MAX = 256,
};

/** Hits that are looked at together: what to read into worker->check. */
struct look {
	struct pm_range ranges[RANGES_MAX];
	size_t count;
	size_t size; /* of all together */
};

/**
 * Where a hit stands, as far as it can be read: at its end may be memory that was never touched.
 */
static struct pm_range range_of(const struct pm_worker *worker, const struct pm_window *window,
                                const struct pm_found *found)
{
	struct pm_range range = { .start = window->address + found->start };
	range.end = pm_min(range.start + pm_min(found->size, PM_CHECK_ROOM),
	                   pm_max(worker->limit, range.start));
	return range;
}

/**
 * Adds a hit that stands behind the begin of all others.
 * @return whether there is room for it
 */
static bool add(struct look *look, const struct pm_range *range)
{
	struct pm_range *last = look->count > 0 ? &look->ranges[look->count - 1] : NULL;
	bool joins = last && range->start <= last->end + CHECK_APART;
	uint64_t known = joins ? last->end : range->start;
	uint64_t more = pm_max(range->end, known) - known;

	if (look->size + more > PM_CHECK_ROOM || (!joins && look->count == RANGES_MAX))
		return false;

	if (joins)
		last->end += more;
	else
		look->ranges[look->count++] = *range;

	look->size += (size_t)more;
	return true;
}

/**
 * Compares a hit with the bytes that are there now.
 * @param good how many of them could be read
 */
static bool differs(const struct pm_window *window, const struct pm_found *found,
                    struct pm_range range, const uint8_t *now, size_t good)
{
	size_t size = (size_t)pm_range_size(range);
	return good < size || memcmp(now, window->bytes + found->start, size) != 0;
}

/**
 * Looks at one hit by itself.
 * @return 0 or -1
 */
static int check_alone(struct pm_worker *worker, const struct pm_window *window,
                       struct pm_found *found, struct pm_error *error)
{
	const struct pm_range range = range_of(worker, window, found);
	size_t good;
	if (pm_gather_more(&worker->scan->source, worker->job, range.start, worker->check,
	                   (size_t)pm_range_size(range), &good, error) < 0)
		return -1;

	found->changed = differs(window, found, range, worker->check, good);
	return 0;
}

/**
 * Looks at some hits.
 * @return how many, 0: an error
 */
static size_t check_some(struct pm_worker *worker, const struct pm_window *window,
                         struct pm_found *items, size_t count, struct pm_error *error)
{
	struct pm_reader *target = worker->scan->source.target;
	struct look look = { .count = 0 };
	struct pm_range range;
	size_t some = 0, done = 0, at = 0, begin = 0;

	while (some < count && (range = range_of(worker, window, &items[some]), add(&look, &range)))
		some++;

	if (target->ops->read(target->context, look.ranges, look.count, worker->check, &done,
	                      error) < 0)
		return 0;

	for (size_t i = 0; i < some; i++) {
		range = range_of(worker, window, &items[i]);
		while (range.start >= look.ranges[at].end && at + 1 < look.count)
			begin += (size_t)pm_range_size(look.ranges[at++]);

		size_t offset = begin + (size_t)(range.start - look.ranges[at].start);
		size_t size = (size_t)pm_range_size(range);
		if (offset + size <= done)
			items[i].changed = differs(window, &items[i], range, worker->check + offset,
			                           size);
		/* Behind a byte that could not be read, nothing of the look is there. */
		else if (check_alone(worker, window, &items[i], error) < 0)
			return 0;
	}

	return some;
}

static int check_hits(struct pm_worker *worker, const struct pm_window *window,
                      struct pm_hits *hits, struct pm_error *error)
{
	for (size_t i = 0; i < hits->count;) {
		size_t some = check_some(worker, window, hits->items + i, hits->count - i, error);
		if (some == 0)
			return -1;
		i += some;
	}
	return 0;
}

/* Recording hits. */

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
	if (found->size > LONG && pm_scan_queue_push(worker->queue, &worker->job, &worker->batch))
		return 1;

	for (size_t from = 0; from < found->size;) {
		const struct pm_hit hit = hit_of(worker, window, found, from);
		if (tell(worker, &hit, window->address + found->attempt, found->stream, error) < 0)
			return -1;
		if (worker->batch.length > BATCH_MAX &&
		    pm_scan_queue_push(worker->queue, &worker->job, &worker->batch))
			return 1;
		from += hit.size;
	}

	return 0;
}

static int record_hits(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	struct pm_worker *worker = hits->context;
	/* What was read from a file is not in the target's memory; looking there would bring it in.
	 */
	if (worker->scan->again && !worker->scan->source.files &&
	    check_hits(worker, window, hits, error) < 0)
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

	return atomic_load_explicit(&worker->queue->stop, memory_order_relaxed);
}

/* Reading units, and windows of them. */

int pm_worker_init(struct pm_worker *worker, struct pm_error *error)
{
	worker->gathered.buffer = malloc(PM_GATHER_ROOM);
	worker->check = worker->scan->again ? malloc(PM_CHECK_ROOM) : NULL;
	if (!worker->gathered.buffer || (worker->scan->again && !worker->check))
		return pm_error_out_of_memory(error);

	worker->hits = (struct pm_hits){ .take = record_hits, .context = worker };
	worker->scanning = worker->scan->scanner->ops->open(worker->scan->scanner, error);
	return worker->scanning ? 0 : -1;
}

void pm_worker_deinit(struct pm_worker *worker)
{
	if (worker->scan)
		worker->scan->scanner->ops->close(worker->scanning);
	free(worker->gathered.buffer);
	free(worker->gathered.items);
	free(worker->overlap);
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
	const struct pm_gather_part *part = worker->part;
	uint64_t have = part->address + part->size + part->after;
	uint64_t known = pm_min(end, have), readable = pm_min(end, worker->limit);
	size_t good;

	if (address < known) {
		memcpy(to, part->bytes + (address - part->address), (size_t)(known - address));
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
	if (worker->overlap)
		memmove(worker->overlap, kept, kept_size);

	uint8_t *grown = realloc(worker->overlap, keep + (size_t)(end - start));
	if (!grown)
		return pm_error_out_of_memory(error);

	if (!worker->overlap)
		memcpy(grown, kept, kept_size);
	worker->overlap = grown;
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

	window->ends = end == worker->limit && !worker->zeros && worker->part->ends;
	memset(window->from, 0, sizeof window->from);

	return 1;
}

/**
 * Shows `[from, to)` of the stretch to the scanner.
 * @return as pm_scanner_ops.scan
 */
static int scan_window(struct pm_worker *worker, size_t from, size_t to, struct pm_error *error)
{
	const struct pm_gather_part *part = worker->part;
	struct pm_window window = { .bytes = part->bytes + from,
		                    .address = part->address + from,
		                    .size = to - from,
		                    .grow = grow };

	window.context = worker;
	window.stop = &worker->queue->stop;
	window.before = pm_min_size(part->before + from, PM_LOOKBEHIND_ROOM);
	window.after = pm_min_size(part->size - to + part->after, PM_OVERLAP);
	window.begins = part->begins && window.before == from;

	uint64_t end = window.address + pm_window_end(&window);
	window.more = worker->more || end < end_of_sight(worker);
	window.ends = !window.more && part->ends;

	/* A byte that is not there in the target, so that no pattern takes this for the begin of
	 * everything. */
	if (window.before == 0 && !window.begins) {
		part->bytes[-1] = 0;
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
	free(worker->overlap);
	worker->overlap = NULL;

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
	const struct pm_gather_part *part = worker->part;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = 0;
	for (size_t at = 0; at < part->size;) {
		size_t next = (size_t)pm_min(at + page - (size_t)((part->address + at) % page),
		                             part->size);
		if (is_zero(part->bytes + at, next - at)) {
			int result = begin < at ? scan_window(worker, begin, at, error) : 0;
			if (result)
				return result;
			begin = next;
		}
		at = next;
	}

	return begin < part->size ? scan_window(worker, begin, part->size, error) : 0;
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
		worker->part = &worker->gathered.items[i];
		worker->limit = worker->part->address + worker->part->size;
		worker->limit += worker->part->chain_after > worker->part->after
		                         ? worker->part->chain_after
		                         : worker->part->after;
		worker->zeros = worker->part->zeros_after;
		worker->more = worker->part->more_after;
		result = scanner->starts_in_zeros
		                 ? scan_window(worker, 0, worker->part->size, error)
		                 : scan_around_zeros(worker, error);
	}

	return result;
}

void *pm_worker_run(void *context)
{
	struct pm_worker *worker = context;
	struct pm_job *second = NULL;
	while ((worker->job = pm_scan_queue_claim(worker->queue, &second))) {
		int result;
		do {
			struct pm_error error = { 0 };
			result = scan_unit(worker, &error);
			if (result < 0) {
				pm_scan_queue_stop(worker->queue, &error);
				return NULL;
			}
			if (result == 0)
				result = pm_scan_queue_finish(worker->queue, worker->job,
				                              &worker->counts, &worker->batch);
		} while (result == 1 && pm_scan_queue_again(worker->queue, worker->job));
	}

	return NULL;
}
