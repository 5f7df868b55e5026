/* SPDX-License-Identifier: MIT */
/*
 * A worker claims a unit, reads the unit and the bytes around it, and passes each part to the
 * scanner in windows. If pm_scan.again is set, the bytes of each hit are read again to detect
 * changes. The hits are recorded in a batch. A window grows into the next unit only if a hit
 * extends into that unit.
 */
#include "scan/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"

/*
 * Reading hits again. One call reads many ranges of the target, because one call for each hit would
 * cost as much as the search.
 */

enum {
	CHECK_APART = 1024, /* two hits are read as one range if the gap between the hits is at
	                       most this number of bytes */
	RANGES_MAX = 256,
};

/** Ranges that one read covers. The read stores their bytes in worker->check. */
struct check {
	struct pm_range ranges[RANGES_MAX];
	size_t count;
	size_t size; /* sum of the sizes of all ranges, in bytes */
};

/**
 * Returns the range to read again for a hit. It ends before the end of the hit if the hit extends
 * into memory that was never touched, or if the hit is longer than PM_CHECK_ROOM.
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
 * Adds the range of a hit to the ranges that one call reads. The hits must be added by ascending
 * start.
 * @return false if there is no room
 */
static bool add(struct check *check, const struct pm_range *range)
{
	struct pm_range *last = NULL;
	uint64_t known = range->start;

	if (check->count > 0 && range->start <= check->ranges[check->count - 1].end + CHECK_APART) {
		last = &check->ranges[check->count - 1];
		known = last->end;
	}

	uint64_t more = pm_max(range->end, known) - known;
	if (check->size + more > PM_CHECK_ROOM || (!last && check->count == RANGES_MAX))
		return false;

	if (last)
		last->end += more;
	else
		check->ranges[check->count++] = *range;

	check->size += (size_t)more;
	return true;
}

/**
 * Tests whether the bytes of a hit differ from the bytes that were read again, or could not be read
 * again.
 * @param now   the bytes that were read again
 * @param good  number of bytes that could be read
 */
static bool differs(const struct pm_window *window, const struct pm_found *found,
                    struct pm_range range, const uint8_t *now, size_t good)
{
	size_t size = (size_t)pm_range_size(range);
	return good < size || memcmp(now, window->bytes + found->start, size) != 0;
}

/**
 * Reads the range of one hit again with a separate call, and sets pm_found.changed.
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
 * Reads the ranges of the first hits again with one call, as many as the call can read, and sets
 * pm_found.changed of these hits.
 * @return the number of hits that were read again; 0 after an error
 */
static size_t check_some(struct pm_worker *worker, const struct pm_window *window,
                         struct pm_found *items, size_t count, struct pm_error *error)
{
	struct pm_reader *target = worker->scan->source.target;
	struct check check = { .count = 0 };
	struct pm_range range;
	size_t some = 0, done = 0, at = 0, begin = 0;

	for (; some < count; some++) {
		range = range_of(worker, window, &items[some]);
		if (!add(&check, &range))
			break;
	}

	if (target->ops->read(target->context, check.ranges, check.count, worker->check, &done,
	                      error) < 0)
		return 0;

	for (size_t i = 0; i < some; i++) {
		range = range_of(worker, window, &items[i]);
		while (range.start >= check.ranges[at].end && at + 1 < check.count)
			begin += (size_t)pm_range_size(check.ranges[at++]);

		size_t offset = begin + (size_t)(range.start - check.ranges[at].start);
		size_t size = (size_t)pm_range_size(range);
		if (offset + size <= done)
			items[i].changed = differs(window, &items[i], range, worker->check + offset,
			                           size);
		/* The call stopped at a byte that could not be read, before the end of this hit. */
		else if (check_alone(worker, window, &items[i], error) < 0)
			return 0;
	}

	return some;
}

/**
 * Sets pm_found.changed of all hits.
 * @return 0 or -1
 */
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

/* Recording hits in a batch. */

enum {
	BATCH_MAX = 256 * 1024, /* maximum number of bytes of hits that a worker keeps before its
	                           unit is at the head */
	LONG = 16 * 1024,       /* a hit of more than this number of bytes is recorded only when the
	                           unit is at the head */
	FOLLOW_BYTES_MAX = 3, /* maximum number of bytes of a UTF-8 character after the first one */
};

/**
 * Returns the size in bytes of the next piece of a hit, at most PM_SCAN_PIECE_MAX. A piece ends
 * between two characters.
 * @param bytes  the bytes of the hit that have not been recorded yet
 * @param size   number of these bytes
 */
static size_t piece_of(const uint8_t *bytes, size_t size, enum pm_encoding encoding)
{
	size_t end = PM_SCAN_PIECE_MAX, unit = pm_encoding_unit(encoding);
	if (size <= end)
		return size;

	if (unit == 2) {
		/* In the first half of a surrogate pair, the high byte is 0xd8 to 0xdb. Do not
		 * separate the halves. */
		uint8_t high = bytes[end - (encoding == PM_ENCODING_UTF16BE ? 2 : 1)];
		if ((high & 0xfc) == 0xd8)
			end -= unit;
	}

	for (size_t back = 0; unit == 1 && back < FOLLOW_BYTES_MAX && (bytes[end] & 0xc0) == 0x80;
	     back++)
		end--;

	return end;
}

/** Returns the description of the piece of a hit that starts at offset `from`. */
static struct pm_hit hit_of(const struct pm_worker *worker, const struct pm_window *window,
                            const struct pm_found *found, size_t from)
{
	const struct pm_scan *scan = worker->scan;
	size_t start = found->start + from;
	struct pm_hit hit = { .address = window->address + start, .bytes = window->bytes + start };
	hit.size = piece_of(hit.bytes, found->size - from, found->encoding);

	bool last = from + hit.size == found->size;
	if (from == 0)
		hit.before = pm_min_size(scan->around, window->before + start);
	if (last)
		hit.after = pm_min_size(scan->around, pm_window_end(window) - start - hit.size);

	hit.region = pm_regions_index(scan->regions, hit.address);
	hit.source = found->source;
	hit.encoding = found->encoding;
	hit.truncated = !last || found->truncated;
	hit.continued = from > 0;
	hit.changed = found->changed;

	return hit;
}

/**
 * Adds a piece of a hit to the batch.
 * @return 0 or -1
 */
static int record_piece(struct pm_worker *worker, const struct pm_hit *hit, uint64_t attempt,
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

	if (!scan->found)
		return 0;
	return scan->found(scan->context, worker->number, hit, &worker->batch, error);
}

/**
 * Records a hit, in pieces if it is long.
 * @return 0: done; 1: stop; -1: an error
 */
static int record_hit(struct pm_worker *worker, const struct pm_window *window,
                      const struct pm_found *found, struct pm_error *error)
{
	/* pm_scan_found may append many times the bytes of a hit. After a push, the unit of this
	 * worker is at the head, so only one worker at a time records a long hit. */
	if (found->size > LONG && pm_scan_queue_push(worker->queue, &worker->job, &worker->batch))
		return 1;

	for (size_t from = 0; from < found->size;) {
		const struct pm_hit hit = hit_of(worker, window, found, from);
		if (record_piece(worker, &hit, window->address + found->attempt, found->stream,
		                 error) < 0)
			return -1;
		if (worker->batch.length > BATCH_MAX &&
		    pm_scan_queue_push(worker->queue, &worker->job, &worker->batch))
			return 1;
		from += hit.size;
	}

	return 0;
}

/**
 * Records the hits of a window. If pm_scan.again is set, reads the hits again before. Implements
 * pm_hits.consume.
 */
static int record_hits(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	struct pm_worker *worker = hits->context;
	/* If mapped files are searched, hits are not read again: pages that were read from a file
	 * may not be resident in the target, and reading them from the target would make the target
	 * grow. */
	if (worker->scan->again && !worker->scan->source.files &&
	    check_hits(worker, window, hits, error) < 0)
		return -1;

	for (size_t i = 0; i < hits->count; i++) {
		const struct pm_found *found = &hits->items[i];
		uint64_t end = window->address + found->start;
		end += worker->scan->scanner->overlaps ? 1 : found->size;
		worker->ends[found->stream] = pm_max(end, worker->ends[found->stream]);

		int result = record_hit(worker, window, found, error);
		if (result)
			return result;
	}

	return atomic_load_explicit(&worker->queue->stop, memory_order_relaxed);
}

/* Reading units, and scanning them in windows. */

int pm_worker_init(struct pm_worker *worker, struct pm_error *error)
{
	worker->gathered.buffer = malloc(PM_GATHER_ROOM);
	if (worker->scan->again)
		worker->check = malloc(PM_CHECK_ROOM);
	if (!worker->gathered.buffer || (worker->scan->again && !worker->check))
		return pm_error_out_of_memory(error);

	worker->hits = (struct pm_hits){ .consume = record_hits, .context = worker };
	worker->scanning = worker->scan->scanner->ops->open(worker->scan->scanner, error);

	return -(worker->scanning == NULL);
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

/**
 * Returns the address up to which a window can grow: the end of the bytes that can be read or, if
 * memory that was never touched follows, PM_OVERLAP bytes after it.
 */
static uint64_t window_limit(const struct pm_worker *worker)
{
	if (worker->zeros)
		return worker->limit + PM_OVERLAP;
	return worker->limit;
}

/**
 * Fills a buffer with the bytes of the target from `address` to `end`. Bytes of the part and of
 * `after` are copied, other bytes up to `limit` are read, and bytes after `limit` are set to zero.
 * If a byte cannot be read, lowers `limit` to the address of this byte.
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

/** Reads more bytes after a window. Implements pm_window.grow. */
static int grow(struct pm_window *window, size_t at, struct pm_error *error)
{
	struct pm_worker *worker = window->context;
	uint64_t start = window->address + at, seen = window->address + pm_window_end(window);
	size_t keep = pm_min_size(window->before + at, PM_LOOKBEHIND_ROOM);
	size_t size = window->size - at;
	size_t after = pm_clamp_size(window->after * 4, PM_OVERLAP, PM_GROW_MAX);
	uint64_t end = pm_min(start + size + after, window_limit(worker));

	if (window->after >= PM_GROW_MAX || end <= seen)
		return 0;

	const uint8_t *kept = window->bytes + at - keep;
	size_t kept_size = keep + (size_t)(seen - start);
	/* If the window has grown before, its bytes are in `overlap`. Enlarge this buffer instead
	 * of allocating a second one: two such buffers would need more memory than the rest of the
	 * worker. */
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

	end = pm_min(end, window_limit(worker));
	window->begins = window->begins && keep == window->before + at;
	window->bytes = grown + keep;
	window->address = start;
	window->before = keep;
	window->size = size;
	window->after = (size_t)(end - start - size);
	window->more = worker->more || end < window_limit(worker);
	window->ends = end == worker->limit && !worker->zeros && worker->part->ends;
	memset(window->from, 0, sizeof window->from);

	return 1;
}

/** Sets the offset in the window from which the bytes of each stream were not scanned yet. */
static void set_starts(const struct pm_worker *worker, struct pm_window *window)
{
	for (int i = 0; i < PM_STREAMS; i++) {
		uint64_t first = pm_max(worker->job->from[i], worker->ends[i]);
		first = pm_max(first, window->address);
		window->from[i] = (size_t)pm_min(first - window->address, window->size);
	}
}

/**
 * Passes the bytes `[from, to)` of the part to the scanner.
 * @return the result of pm_scanner_ops.scan
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
	window.more = worker->more || end < window_limit(worker);
	window.ends = !window.more && part->ends;

	/* Patterns such as \A and ^ match at the first readable byte. If the window does not start
	 * at the start of a region, they must not match there, so put a NUL before the window. */
	if (window.before == 0 && !window.begins) {
		part->bytes[-1] = 0;
		window.before = 1;
	}

	set_starts(worker, &window);

	const struct pm_scanner *scanner = worker->scan->scanner;
	int result = scanner->ops->scan(worker->scanning, &window, &worker->hits, &worker->counts,
	                                error);
	for (int i = 0; i < scanner->carries; i++)
		if (window.resume[i] > 0)
			worker->ends[i] = pm_max(worker->ends[i],
			                         window.address + window.resume[i]);

	/* Few windows grow, but the buffer of a window that has grown needs more memory than the
	 * rest of the worker. Release the buffer now. */
	free(worker->overlap);
	worker->overlap = NULL;

	return result;
}

/**
 * Scans the current part, except for pages that contain only zeros.
 * @return the result of pm_scanner_ops.scan
 */
static int scan_around_zeros(struct pm_worker *worker, struct pm_error *error)
{
	const struct pm_gather_part *part = worker->part;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = 0;

	for (size_t at = 0; at < part->size;) {
		size_t next = (size_t)pm_min(at + page - (size_t)((part->address + at) % page),
		                             part->size);
		if (pm_bytes_are_zero(part->bytes + at, next - at)) {
			int result = 0;
			if (begin < at)
				result = scan_window(worker, begin, at, error);
			if (result)
				return result;
			begin = next;
		}
		at = next;
	}

	if (begin == part->size)
		return 0;
	return scan_window(worker, begin, part->size, error);
}

/**
 * Scans the part `worker->part`.
 * @return the result of pm_scanner_ops.scan
 */
static int scan_part(struct pm_worker *worker, struct pm_error *error)
{
	const struct pm_gather_part *part = worker->part;

	worker->limit = part->address + part->size + pm_max(part->chain_after, part->after);
	worker->zeros = part->zeros_after;
	worker->more = part->more_after;

	if (worker->scan->scanner->starts_in_zeros)
		return scan_window(worker, 0, part->size, error);
	return scan_around_zeros(worker, error);
}

/**
 * Records where the search of the current unit has started or, if `end` is true, where the search
 * of later units must start.
 * @return 0 or -1
 */
static int record_carry(struct pm_worker *worker, bool end, struct pm_error *error)
{
	for (uint8_t i = 0; i < worker->scan->scanner->carries; i++) {
		struct pm_record record = { .stream = i, .carry = true, .attempt = UINT64_MAX };
		if (end)
			record.address = worker->ends[i];
		else if (worker->gathered.count > 0)
			record.attempt = pm_max(worker->job->from[i],
			                        worker->gathered.items[0].address);
		if (pm_batch_add(&worker->batch, &record, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Scans the current unit.
 * @return 0: the whole unit was scanned; 1: stopped; -1: an error
 */
static int scan_unit(struct pm_worker *worker, struct pm_error *error)
{
	size_t before = pm_max_size(worker->scan->scanner->lookbehind, worker->scan->around);
	int result = 0;

	worker->batch.length = 0;
	worker->counts = (struct pm_scan_counts){ 0 };
	memset(worker->ends, 0, sizeof worker->ends);
	if (pm_gather(&worker->gathered, &worker->scan->source, worker->job, before, error) < 0)
		return -1;

	if (record_carry(worker, false, error) < 0)
		return -1;

	for (size_t i = 0; i < worker->gathered.count && result == 0; i++) {
		worker->part = &worker->gathered.items[i];
		result = scan_part(worker, error);
	}

	return result == 0 ? record_carry(worker, true, error) : result;
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
