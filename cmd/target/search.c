/* SPDX-License-Identifier: MIT */
#include "target/search.h"

#include <poll.h>
#include <unistd.h>

#include <procmem/file_reader.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/report.h"
#include "target/stopping.h"

enum {
	OPTION_STOP = CLI_LONG_ONLY,
	OPTION_WHOLE_FILES,
	FLUSH_US = 100 * 1000, /* maximum time in microseconds that a hit waits in the buffer for
	                          further hits */
	LONG_HIT = 4096, /* size of a hit, in bytes, above which it may be written at once, without
	                    waiting */
	SLOW_AFTER_US = 5000000, /* time in microseconds after which a search can be called slow */
	SLOW_BYTES = 4 << 20,    /* a search of fewer bytes per second is slow */
	SLOW_HITS_MAX = 100000,  /* with more hits, their output can be the cause */
	STOPS_MAX = 4,           /* maximum number of stops to find a heap that is valid */
	UNREADABLE_DEFAULT = 3, /* maximum number of unreadable ranges that are listed without -v */
};

const struct cli_option search_option_table[] = {
	{ OPTION_STOP, "stop", NULL, "stop the process while it is searched" },
	{ OPTION_WHOLE_FILES, "whole-files", NULL,
	  "also search pages that the process has not touched:\n"
	  "pages of shared memory, and pages of mapped files,\n"
	  "which are read from the files" },
	{ 0 },
};

int search_parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct search_options *options = into;

	(void)value;
	(void)error;
	if (id == OPTION_STOP)
		options->stop = true;
	else
		options->whole_files = true;
	return 0;
}

/** Estimates the number of bytes of a range that will be searched, from the sizes of its region. */
static uint64_t expect(const struct search *search, const struct pm_region_range *range)
{
	const struct pm_regions *regions = &search->memory.loaded.regions;
	uint64_t size = pm_range_size(range->range);
	if (range->region >= regions->count)
		return 0;

	const struct pm_region *region = &regions->items[range->region];
	if (search->options->whole_files && region->inode != 0)
		return size;

	uint64_t touched = region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP] +
	                   region->bytes[PM_SIZE_PRIVATE_HUGETLB] +
	                   region->bytes[PM_SIZE_SHARED_HUGETLB];
	return pm_min(touched, size);
}

/** Opens the memory and, if an option needs it, the heap. The result is that of search_open(). */
static int open_once(struct search *search, const char *word, struct pm_error *error)
{
	const struct search_options *options = search->options;
	const struct memory_options how = { .stop = options->stop,
		                            .quiet = options->output.quiet ||
		                                     search->stopped_ns > 0,
		                            .files = options->whole_files,
		                            .heap = hit_chunk_is_needed(&options->chunks),
		                            .needs = search->needs };

	int ready = memory_open(&search->memory, word, &options->selection, &how, error);
	if (ready <= 0)
		return ready;

	return hit_chunk_open(&search->chunks, &options->chunks, &search->memory, error) < 0 ? -1
	                                                                                     : 1;
}

/**
 * Returns whether another stop can help to find a valid heap. If the same place is not valid in two
 * stops, and all threads have run in between, it cannot.
 *
 * @param has_run  all threads have run since the last stop
 * @param broken   the first place that was not valid in the last stop; 0 if there was none; updated
 */
static bool may_stop_again(const struct search *search, bool has_run, uint64_t *broken)
{
	const struct pm_heap *heap = search->chunks.heap;
	uint64_t last = *broken;

	if (!heap || heap->complete || !memory_may_stop_again(&search->memory))
		return false;
	if (heap->break_count > 0)
		*broken = heap->breaks[0].address;
	return !has_run || *broken != last;
}

/** Opens the memory and the heap. The result is that of search_open(). */
static int open_all(struct search *search, const char *word, struct pm_error *error)
{
	uint64_t broken = 0;
	bool has_run = false;

	progress_init(&search->progress, search->options->output.quiet);
	for (int stop = 1;; stop++) {
		int ready = open_once(search, word, error);
		if (ready <= 0)
			return ready;
		if (stop == STOPS_MAX || !may_stop_again(search, has_run, &broken))
			break;

		/* A thread was probably inside malloc: it has to leave it. */
		hit_chunk_close(&search->chunks);
		has_run = memory_reopen(&search->memory, &search->stopped_ns);
	}

	return 1;
}

/** Opens the memory and the heap until the time limit, which then sets the flag for Ctrl-C. */
static int open_until(struct search *search, const char *word, struct pm_error *error)
{
	uint64_t now = clock_us();
	uint64_t left = search->deadline_us - pm_min(search->deadline_us, now);

	if (search->deadline_us == 0 || !hit_chunk_is_needed(&search->options->chunks))
		return open_all(search, word, error);

	interrupt_set_alarm((double)left / 1e6);
	int ready = open_all(search, word, error);
	bool late = interrupt_end_alarm();

	if (late && ready < 0 && error->kind == PM_ERROR_CANCELLED)
		pm_error_set(error, PM_ERROR_CANCELLED, 0,
		             "the time limit has ended the search while the heap of %s was read: "
		             "nothing was searched; allow more time with --timeout",
		             word);
	return ready;
}

int search_open(struct search *search, const char *word, struct pm_error *error)
{
	int ready = open_until(search, word, error);

	if (ready <= 0)
		return ready;

	memory_note_unmapped(&search->memory);
	memory_note_cut(&search->memory);
	for (size_t i = 0; i < search->memory.count; i++)
		search->expected += expect(search, &search->memory.ranges[i]);
	return 1;
}

/**
 * Returns whether the reader of the output has closed the pipe. A search that finds nothing, and
 * therefore writes nothing, would not notice this otherwise.
 */
static bool reader_is_gone(const struct out *out)
{
	struct pollfd pipe = { .fd = out->fd };
	return out_failed(out) || (poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR));
}

/**
 * Clears the progress line if hits are about to be written to the same terminal. `more` is the size
 * in bytes of the next hit, 0 if there is none.
 */
static void clear_progress(struct search *search, size_t more)
{
	size_t waiting = search->out->buffer.length;
	if (search->progress.shown && search->out->terminal && (waiting > 0 || more > LONG_HIT))
		progress_end(&search->progress);
}

/** Adds a size, exact with --bytes, otherwise human-readable. */
static void add_size(const struct search *search, struct text *text, uint64_t bytes)
{
	if (search->options->output.bytes || bytes == 0)
		text_decimal(text, bytes);
	else
		text_size(text, bytes);
}

/** Adds how much was searched: "4.2M of about 1.2G searched in 5.0 s". */
static void add_progress(const struct search *search, const struct pm_scan_totals *totals,
                         uint64_t elapsed_us, struct text *line)
{
	add_size(search, line, totals->searched);
	text_string(line, " of about ");
	add_size(search, line, pm_max(search->expected, totals->searched));
	text_format(line, " searched in %.1f s", (double)elapsed_us / 1e6);
}

/**
 * Prints the note `slow`, once, if the search is slow and uses the processor: a search that waits
 * for the reader of its output is not slow.
 */
static void note_if_slow(struct search *search, const struct pm_scan_totals *totals, uint64_t now)
{
	uint64_t elapsed = now - search->started_us;
	double seconds = (double)elapsed / 1e6;

	if (!search->slow || search->options->output.quiet || elapsed < SLOW_AFTER_US ||
	    (double)totals->searched > SLOW_BYTES * seconds || totals->hits > SLOW_HITS_MAX ||
	    clock_cpu_seconds() - search->started_cpu < seconds / 4)
		return;

	struct text line = { 0 };
	add_progress(search, totals, elapsed, &line);
	text_string(&line, ": ");
	text_string(&line, search->slow);
	progress_end(&search->progress);
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
	search->slow = NULL;
}

static int tick(void *context, const struct pm_scan_totals *totals)
{
	struct search *search = context;
	uint64_t now = clock_us();

	note_if_slow(search, totals, now);
	search->timed_out = search->deadline_us > 0 && now >= search->deadline_us;

	if (now - search->flushed_us >= FLUSH_US) {
		clear_progress(search, 0);
		out_flush(search->out);
		search->flushed_us = now;
		search->reader_gone = reader_is_gone(search->out);
	}

	if (progress_due(&search->progress))
		progress_show(&search->progress, totals->searched, search->expected,
		              totals->searched);

	return search->reader_gone || search->timed_out;
}

/** What was found out about the chunk of a hit. */
struct placed {
	uint64_t address; /* of the rest of the hit: see hit_chunk_trim() */
	uint64_t size;
	enum hit_chunk_fate fate;
};

/**
 * Finds the chunk of a hit. Appends a struct placed before the bytes that the command appends. See
 * pm_scan_found.
 */
static int found_in_chunk(void *context, unsigned worker, const struct pm_hit *hit,
                          struct pm_scan_batch *batch, struct pm_error *error)
{
	struct search *search = context;
	const struct search_what *what = search->what;
	struct pm_hit kept = *hit;
	struct placed placed = { .fate = hit_chunk_find(&search->chunks, worker, hit) };

	if (placed.fate == HIT_CHUNK_KEPT && what->texts)
		placed.fate = hit_chunk_trim(&search->chunks, worker, what->min_length, &kept);
	placed.address = kept.address;
	placed.size = kept.size;
	if (pm_scan_append(batch, &placed, sizeof placed, error) < 0)
		return -1;
	if (placed.fate != HIT_CHUNK_KEPT || !what->found)
		return 0;

	return what->found(search, worker, &kept, batch, error);
}

/**
 * Removes what found_in_chunk() has appended, and counts the hit.
 * @return  true if the hit is kept
 */
static bool is_kept(struct search *search, struct pm_scan_delivery *delivery)
{
	const char *bytes = delivery->bytes;
	struct placed placed;

	if (!search->chunks.heap)
		return true;

	memcpy(&placed, bytes, sizeof placed);
	delivery->bytes = bytes + sizeof placed;
	delivery->length -= sizeof placed;
	delivery->address = placed.address;
	delivery->size = (size_t)placed.size;
	return hit_chunk_count(&search->chunks, placed.fate, delivery);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct search *search = context;
	struct pm_scan_delivery hit = *delivery;
	if (!is_kept(search, &hit))
		return 0;

	clear_progress(search, hit.length);
	int result = search->what->deliver(search, &hit, error);
	search->enough = result > 0;
	search->reader_gone = out_failed(search->out);
	if (result == 0 && search->reader_gone)
		return 1;

	return result;
}

/** Scans the memory of a plan. The plan is consumed. */
static int scan(struct search *search, struct pm_plan *plan, struct pm_error *error)
{
	struct memory *memory = &search->memory;
	struct pm_reader *files = memory->files.ops ? &memory->files : NULL;
	const struct pm_scan scan = {
		.scanner = search->what->scanner,
		.regions = &memory->loaded.regions,
		.plan = plan,
		.source = {
			.target = &memory->reader,
			.files = files,
			.unreadable = memory_note_unreadable,
			.context = memory,
			.cancel = memory->cancel,
		},
		.around = search->what->around,
		/* Read each hit again before it is printed if the memory can change, which means
		 * that the target is a process and is not stopped. */
		.again = memory->target.process && !memory->stop,

		.found = search->chunks.heap ? found_in_chunk : search->what->found,
		.deliver = deliver,
		.tick = tick,
		.context = search,
	};

	int status = pm_scan_run(&scan, &search->totals, error);

	if (!search->options->whole_files)
		search->untouched = pm_plan_bytes(plan, PM_SEGMENT_FILE) +
		                    pm_plan_bytes(plan, PM_SEGMENT_SHARED);
	search->pending = pm_plan_bytes(plan, PM_SEGMENT_PENDING);
	/* If the search ends early, the plan has not seen all of `cut`. */
	uint64_t missing = pm_plan_bytes(plan, PM_SEGMENT_MISSING);
	search->missing = missing - pm_min(missing, memory->cut);

	if (search->reader_gone || search->timed_out)
		return 0;
	return status;
}

int search_run(struct search *search, const struct search_what *what, struct pm_error *error)
{
	struct memory *memory = &search->memory;
	const struct pm_plan_options options = { .pages = &memory->pages,
		                                 .files = memory->files.ops != NULL,
		                                 .holes = pm_file_reader_holes(&memory->files),
		                                 .cancel = memory->cancel };
	struct pm_plan *plan;

	if (pm_plan_open(&memory->loaded.regions, memory->ranges, memory->count, &options, &plan,
	                 error) < 0)
		return -1;

	search->what = what;
	search->started_us = clock_us();
	search->started_cpu = clock_cpu_seconds();
	int status = scan(search, plan, error);
	pm_plan_close(plan);
	memory_resume(memory);
	progress_end(&search->progress);
	search->elapsed_us = clock_us() - search->started_us;

	/* If the process called exec, or if its PID was reused, the memory of another program
	 * was searched. */
	if (status == 0 && memory->target.process && !search->reader_gone)
		status = pm_process_check(memory->target.process, error);

	search->failed = status < 0;
	return status;
}

static void report_unreadable(const struct search *search)
{
	const struct pm_unreadable_list *unreadable = &search->memory.unreadable;
	size_t max = search->options->output.verbose ? SIZE_MAX : UNREADABLE_DEFAULT;
	struct text line = { 0 };

	if (unreadable->count == 0)
		return;

	unreadable_report(unreadable, max);
	add_size(search, &line, unreadable->bytes);
	text_format(&line, " in %zu place%s could not be read", unreadable->count,
	            unreadable->count == 1 ? "" : "s");
	if (unreadable->count > max)
		text_string(&line, "; -v lists all places");

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/**
 * Prints notes about memory that was skipped: pages that a userfaultfd handler has not provided,
 * and untouched pages of files in a range that was requested.
 * @param totals  whether report_totals() will print the size of the untouched pages
 */
static void report_skipped(const struct search *search, bool totals)
{
	struct text line = { 0 };

	if (search->pending > 0) {
		add_size(search, &line, search->pending);
		report_note(
			"%s was not searched: it is not provided by the userfaultfd handler yet",
			text_terminate(&line));
	}

	if (!totals && search->untouched > 0 &&
	    pm_select_has_range(search->options->selection.select)) {
		text_clear(&line);
		add_size(search, &line, search->untouched);
		report_note("%s was not searched: the process has not touched these pages of "
		            "mapped files or shared memory; use --whole-files to search them, too",
		            text_terminate(&line));
	}

	text_deinit(&line);
}

/** Adds a size and a description of it to a sentence, unless the size is 0. */
static void add_part(const struct search *search, struct text *line, uint64_t bytes,
                     const char *words)
{
	if (bytes == 0)
		return;

	text_string(line, "; ");
	add_size(search, line, bytes);
	text_string(line, words);
}

/**
 * Adds the number of bytes searched, the time, the number of hits that changed during the search,
 * and the numbers of bytes that were not searched, with the reasons.
 */
static void add_searched(const struct search *search, struct text *line)
{
	uint64_t changed = search->totals.changed - search->chunks.changed;

	add_size(search, line, search->totals.searched);
	text_format(line, " searched in %.2f s", (double)search->elapsed_us / 1e6);
	if (changed > 0) {
		text_string(line, "; ");
		text_grouped(line, changed);
		text_format(line, " %s changed during the search (~)", search->noun[changed != 1]);
	}

	add_part(search, line, search->missing, " not in the core file");
	add_part(search, line, search->untouched,
	         " of file pages that the process has not touched were skipped (--whole-files "
	         "includes them)");
}

static void report_totals(const struct search *search, uint64_t found)
{
	struct text line = { 0 };

	if (found == 0)
		text_string(&line, "no");
	else
		text_grouped(&line, found);
	text_format(&line, " %s%s; ", search->noun[found > 1], search->where ? search->where : "");
	if (search->enough)
		text_format(&line, "search ended after %.2f s", (double)search->elapsed_us / 1e6);
	else
		add_searched(search, &line);

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

static void report_timeout(const struct search *search)
{
	struct text line = { 0 };

	if (!search->timed_out)
		return;

	text_string(&line, "the time limit has ended the search: ");
	add_progress(search, &search->totals, search->elapsed_us, &line);
	report_error("%s", text_terminate(&line));
	text_deinit(&line);
}

/** Reports an error if memory was not searched because the core file is truncated. */
static void report_cut(const struct search *search)
{
	const struct memory *memory = &search->memory;
	struct text size = { 0 };

	if (memory->cut == 0)
		return;

	add_size(search, &size, memory->cut);
	report_error("the core file %s is truncated at %llu bytes, so %s of memory was not "
	             "searched, and %s can be missing",
	             memory->target.word, (unsigned long long)pm_core_info(memory->core)->size,
	             text_terminate(&size), search->noun[1]);
	text_deinit(&size);
}

/**
 * Returns whether memory was not searched, or not completely, because of an error that is reported.
 */
static bool is_partial(const struct search *search)
{
	return search->timed_out || search->memory.cut > 0 || search->totals.gave_up > 0;
}

void search_report(const struct search *search, uint64_t found)
{
	const struct output_options *output = &search->options->output;

	report_timeout(search);
	report_cut(search);
	if (output->quiet)
		return;

	if (search->options->stop) {
		uint64_t last_ns = search->memory.stopped_ns;
		stopping_report(search->stopped_ns + last_ns, search->memory.threads);
		stopping_report_others(&search->memory.others);
	}

	/* If an error or a closed pipe has ended the search early, its totals are incomplete and
	 * are not reported. */
	if (search->failed || search->reader_gone)
		return;

	bool totals = output->verbose || isatty(STDERR_FILENO);

	report_unreadable(search);
	report_skipped(search, totals);
	hit_chunk_report(&search->chunks, &search->memory, search->noun);

	/* "no match" would be wrong if matches can be missing. */
	if (found == 0 && is_partial(search))
		return;
	bool nothing = found == 0 && !search->one_of_several;
	if (nothing || totals)
		report_totals(search, found);
}

void search_put_json(const struct pm_scan_delivery *hit, const char *begun, size_t length,
                     struct out *out)
{
	out_bytes(out, begun, length);
	if (hit->changed)
		out_string(out, ",\"changed\":true");
	if (hit->continued)
		out_string(out, ",\"continued\":true");
	if (hit->truncated)
		out_string(out, ",\"truncated\":true");
	out_string(out, "}\n");
}

void search_close(struct search *search)
{
	hit_chunk_close(&search->chunks);
	memory_close(&search->memory);
}
