/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

#include <procmem/number.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/report.h"
#include "heap/at.h"
#include "heap/json.h"
#include "heap/print.h"
#include "target/malloc_heap.h"

const struct cli_spec heap_spec = {
	.command = "heap",
	.operands = "TARGET [ADDRESS]",
	.purpose = "Shows what is inside malloc: the arenas, how much of each is in use or free, and\n"
		   "whether the heap is fragmented. With ADDRESS, shows the chunk that contains it.",
	.groups = heap_options_groups,
	.exclusive = heap_options_exclusive,
	.notes = "TARGET is a PID, a process name that matches one process, or an ELF core file.\n"
	         "malloc of glibc 2.26 to 2.44 is recognised without symbols. The process is not\n"
	         "stopped: if it changes its heap while it is read, figures can be too low.",
	.examples = {
		{ "procmem heap shop", "is the heap of the process called shop fragmented?" },
		{ "procmem heap 4711 0x55abf250cf80", "which chunk an address belongs to" },
	},
	.operands_min = 1,
	.operands_max = 2,
};

/** Opens the heap, judges it, and resumes the target. */
static int read_heap(struct heap_report *report, const char *word, struct pm_error *error)
{
	struct memory *memory = &report->memory;

	report->stopped = memory->stop != NULL;
	if (malloc_heap_open(memory, &report->heap, error) < 0 ||
	    malloc_heap_check(report->heap, word, error) < 0)
		return -1;

	report->verdict = heap_verdict_make(report->heap);
	return 0;
}

/**
 * Prints the chunk at an address.
 * @return exit status
 */
static enum status show_chunk(struct heap_report *report, uint64_t address, struct out *out)
{
	struct pm_error error;
	int found = heap_at_print(report, address, out, &error);

	if (found < 0)
		return report_failure(&error);
	if (found > 0)
		return STATUS_OK;

	report_failure(&error);
	return STATUS_NOTHING;
}

/**
 * Prints the arenas.
 * @return exit status
 */
static enum status show_heap(struct heap_report *report, struct out *out)
{
	if (report->options->output.json) {
		struct json json = { .out = out };
		heap_json_open(&json, report);
		heap_json_put_arenas(&json, report);
		json_shut(&json, '}');
		out_string(out, "\n");
	} else {
		heap_print(report, out);
	}

	return report->heap->complete ? STATUS_OK : STATUS_NOTHING;
}

/** Reports how long the walk took and how long the target was stopped. */
static void report_cost(const struct heap_report *report, uint64_t started_us)
{
	const struct memory *memory = &report->memory;

	if (report->options->output.quiet)
		return;

	heap_print_breaks(report);
	if (report->stopped) {
		stopping_report(memory->stopped_ns, memory->threads);
		stopping_report_others(&memory->others);
	}
	if (report->options->output.verbose)
		report_note("%s; %u chunks read in %.1f ms", report->heap->proof,
		            report->heap->chunk_count, (double)(clock_us() - started_us) / 1000);
}

/** Reads and prints the heap, or the chunk at an address if `address` is not NULL. */
static enum status run(struct heap_report *report, const char *word, const uint64_t *address,
                       struct out *out)
{
	struct selection selection;
	struct pm_error error;
	const struct memory_options options = { .stop = report->options->stop, .quiet = true };

	if (selection_init(&selection, &error) < 0)
		return report_failure(&error);

	uint64_t started_us = clock_us();
	enum memory_status ready = memory_open(&report->memory, word, &selection, &options, &error);
	int result = -1;
	selection_deinit(&selection);

	if (ready == MEMORY_READY)
		result = read_heap(report, word, &error);
	memory_resume(&report->memory);
	if (result < 0)
		return report_failure(&error);

	enum status status;
	if (address)
		status = show_chunk(report, *address, out);
	else
		status = show_heap(report, out);
	out_flush(out);
	report_cost(report, started_us);

	return status;
}

enum status heap_run(struct out *out, int argc, char **argv)
{
	struct heap_options options = { 0 };
	struct heap_report report = { .options = &options };
	struct cli_result words;
	struct pm_error error;
	uint64_t address;

	if (!cli_parse(&heap_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&heap_spec, &words))
		return words.status;

	bool has_address = words.count > 1;
	if (has_address && pm_parse_address(words.operands[1], &address, &error) < 0)
		return report_failure(&error);

	out_set_colour(out, options.output.colour);
	report.memory.cancel = interrupt_catch();
	enum status status = run(&report, words.operands[0], has_address ? &address : NULL, out);

	pm_heap_close(report.heap);
	memory_close(&report.memory);
	return status;
}
