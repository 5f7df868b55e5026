/* SPDX-License-Identifier: MIT */
#include "heap/report.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/report.h"
#include "target/malloc_heap.h"
#include "target/selection.h"

/* Maximum number of stops. */
enum { STOPS_MAX = 4 };

/* Time to read and count the contents of a chunk, and to stop a thread, in nanoseconds. */
enum { NS_PER_CHUNK = 300, NS_PER_THREAD = 400000 };

/**
 * Predicts how long a process will be stopped: reads its heap once without a stop.
 * @return nanoseconds; 0 if this is not known
 */
static uint64_t predict(struct heap_report *report, struct pm_process *process)
{
	struct malloc_heap_cost cost;

	if (!malloc_heap_measure(process, &report->memory.hint, report->memory.cancel, &cost))
		return 0;

	uint64_t ns = cost.ns + (uint64_t)cost.threads * NS_PER_THREAD;
	if (!report->has_address)
		ns += cost.chunks * NS_PER_CHUNK;
	return ns;
}

/** Adds how long a process will be stopped. */
static void put_predicted(uint64_t ns, struct text *line)
{
	const uint64_t second = 1000000000, millisecond = 1000000;

	if (ns < second / 10)
		text_format(line, " for about %" PRIu64 " ms", ns / millisecond + 1);
	else
		text_format(line, " for about %.1f s", (double)ns / (double)second);
}

/**
 * Reports that a process is about to be stopped, and for how long.
 * @param predicted  nanoseconds; 0 if this is not known
 */
static void announce(const struct heap_report *report, const struct pm_process *process,
                     uint64_t predicted)
{
	const double second = 1e9;
	struct text line = { 0 };

	text_format(&line, "stopping process %d", (int)pm_process_pid(process));
	if (predicted > 0)
		put_predicted(predicted, &line);
	text_string(&line, ", to read its heap");
	/* As in stop_limit_reader(). */
	if (report->limit.max_ns > 0)
		text_format(&line, "; the stop is ended after %g s (twice --max-stop)",
		            2 * (double)report->limit.max_ns / second);
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/**
 * Prepares a stop, and starts its time. The limit is that of all stops together, so only the first
 * one is refused if it would take longer than is allowed, and only the first one is announced.
 */
static int before_stop(void *context, struct pm_process *process, struct pm_error *error)
{
	struct heap_report *report = context;
	bool first = report->limit.spent_ns == 0, quiet = report->options->output.quiet;
	uint64_t max_ns = report->limit.max_ns, predicted = 0;

	if (first && (!quiet || max_ns > 0))
		predicted = predict(report, process);
	if (stop_limit_check_prediction(pm_process_pid(process), predicted, max_ns, error) < 0)
		return -1;
	if (first && !quiet)
		announce(report, process, predicted);

	stop_limit_begin(&report->limit);
	return 0;
}

/** Opens the memory of a target. */
static int open_memory(struct heap_report *report, const char *word, struct pm_error *error)
{
	struct selection selection;
	const struct memory_options options = { .stop = report->options->stop,
		                                .quiet = true,
		                                .heap = true,
		                                .before_stop = before_stop,
		                                .context = report };

	if (selection_init(&selection, error) < 0)
		return -1;

	enum memory_status ready = memory_open(&report->memory, word, &selection, &options, error);
	selection_deinit(&selection);
	return ready == MEMORY_READY ? 0 : -1;
}

static int open_once(struct heap_report *report, const char *word, struct pm_error *error)
{
	struct memory *memory = &report->memory;

	report->limit.max_ns = report->options->stop_max_ns;
	if (open_memory(report, word, error) < 0)
		return -1;

	report->stopped = memory->stop != NULL;
	report->source = malloc_heap_source(memory);
	if (report->stopped && !stopping_holds(memory->target.process)) {
		report->source.reader = stop_limit_reader(&report->limit, &memory->reader);
		report->source.pages = stop_limit_pages(&report->limit, &memory->pages);
	}
	if (pm_heap_open(&report->source, &report->heap, error) < 0)
		return -1;

	return malloc_heap_check(report->heap, memory->core, memory->target.word, error);
}

/**
 * Closes the heap and the memory, to open them again.
 * @return false if a thread of the target has not run in between
 */
static bool close_once(struct heap_report *report)
{
	pm_heap_close(report->heap);
	report->heap = NULL;
	return memory_reopen(&report->memory, &report->limit.spent_ns);
}

/** Returns whether another stop can give a better result. */
static bool can_stop_again(struct heap_report *report)
{
	const struct stop_limit *limit = &report->limit;

	if (report->heap->complete || !memory_may_stop_again(&report->memory))
		return false;

	/* The next stop takes about as long as this one. */
	uint64_t next_ns = (clock_us() - limit->begun_us) * 1000;
	return limit->max_ns == 0 || limit->spent_ns + 2 * next_ns <= limit->max_ns;
}

/**
 * Opens the heap. If the heap is not complete, stops the target again, if this is allowed and can
 * help. If the chain of chunks breaks at the same address in two stops, and all threads have run in
 * between, the heap is probably damaged there. The address of another break, such as that of a
 * counter, is always the same, and shows nothing.
 */
static int open_heap(struct heap_report *report, const char *word, struct pm_error *error)
{
	struct pm_heap_break last = { 0 };
	bool has_run = true;

	for (int stop = 1;; stop++) {
		if (open_once(report, word, error) < 0)
			return -1;
		if (report->heap->complete)
			return 0;

		const struct pm_heap *heap = report->heap;
		struct pm_heap_break broken = { 0 };
		if (heap->break_count > 0)
			broken = heap->breaks[0];

		bool is_same = stop > 1 && broken.address == last.address;
		if (is_same && broken.chain && last.chain) {
			report->damaged = broken.address;
			report->waiting = !has_run;
		}
		if ((is_same && has_run) || stop == STOPS_MAX || !can_stop_again(report))
			return 0;

		report->damaged = 0;
		last = broken;
		has_run = close_once(report);
	}
}

int heap_report_open(struct heap_report *report, const char *word, struct pm_error *error)
{
	if (pm_chunk_filter_create(&report->options->filter, &report->filter, error) < 0 ||
	    open_heap(report, word, error) < 0)
		return -1;

	const struct chunk_contents_target target = {
		.process = report->memory.target.process,
		.core = report->memory.core,
		.memory = &report->source,
		.heap = report->heap,
	};

	return chunk_contents_open(&report->contents, &target, error);
}

/** Reads what the sampled pins contain. */
static int read_pins(struct heap_report *report, struct pm_error *error)
{
	const struct heap_pins *pins = &report->verdict.pins;
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE,
		                                   .types = report->contents.types,
		                                   .budget = PM_CENSUS_BUDGET_MIN };

	if (pins->sample_count == 0)
		return 0;
	if (pm_census_create(&options, &report->pins, error) < 0)
		return -1;

	for (size_t i = 0; i < pins->sample_count; i++) {
		struct pm_chunk chunk;
		struct chunk_content content;

		pm_heap_chunk(report->heap, pins->samples[i], &chunk);
		if (chunk_contents_read(&report->contents, report->heap, &chunk, &content, error) <
		            0 ||
		    pm_census_add(report->pins, &chunk, content.item.head, content.item.size,
		                  error) < 0)
			return -1;
	}

	return pm_census_sort(report->pins, PM_CENSUS_BY_COUNT, error);
}

int heap_report_count(struct heap_report *report, struct pm_error *error)
{
	const struct pm_census_options options = { .keys = heap_report_keys(report),
		                                   .types = report->contents.types,
		                                   .filter = report->filter };

	uint64_t resident = UINT64_MAX;

	/* The sizes of regions in a core file are those of the bytes in the file. */
	if (!report->memory.core)
		resident = heap_verdict_resident(report->heap, &report->memory.loaded.regions);

	report->verdict = heap_verdict_make(report->heap, resident);
	if (!report->memory.core)
		report->verdict.anonymous = heap_verdict_anonymous(&report->memory.loaded.regions);
	if (read_pins(report, error) < 0 ||
	    pm_census_create(&options, &report->census, error) < 0 ||
	    pm_census_add_heap(report->census, report->heap, error) < 0)
		return -1;

	return pm_census_sort(report->census, PM_CENSUS_BY_BYTES, error);
}

int heap_report_find_threads(struct heap_report *report, struct pm_error *error)
{
	const struct memory *memory = &report->memory;

	stop_limit_end(&report->limit);
	if (pm_arena_threads_find(report->heap, memory->target.process, memory->core,
	                          &report->threads, error) == 0)
		return 0;
	if (!report->stopped || error->kind != PM_ERROR_GONE)
		return -1;

	/* The process has ended since the stop. */
	report->threads = (struct pm_arena_threads){ .unknown = 1 };
	return 0;
}

void heap_report_deinit(struct heap_report *report)
{
	pm_arena_threads_deinit(&report->threads);
	pm_python_heap_close(report->python);
	pm_census_destroy(report->census);
	pm_census_destroy(report->pins);
	pm_chunk_filter_destroy(report->filter);
	chunk_contents_close(&report->contents);
	pm_heap_close(report->heap);
	memory_close(&report->memory);
}

uint64_t heap_report_stopped_ns(const struct heap_report *report)
{
	return report->limit.spent_ns + report->memory.stopped_ns;
}

const struct pm_census_class *heap_report_pins(const struct heap_report *report)
{
	if (!report->pins || pm_census_count(report->pins) == 0)
		return NULL;

	return pm_census_get(report->pins, 0);
}

unsigned heap_report_keys(const struct heap_report *report)
{
	if (report->options->by)
		return report->options->by;

	return PM_CENSUS_SIZE | PM_CENSUS_TYPE;
}
