/* SPDX-License-Identifier: MIT */
/*
 * The threads of the scan prepare all output of a match: its line, and the other parts that
 * printing needs. The main thread prints these parts in the order of the addresses.
 */
#include "grep/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/report.h"
#include "grep/json.h"
#include "grep/unique.h"
#include "target/search.h"
#include "view/hit_text.h"
#include "view/results.h"

enum {
	LINE_KEPT = 64 * 1024,
	MANY_LINES = 1000, /* number of matches on a terminal after which a note is printed */
};

static const char slow_pattern[] =
	"this pattern is slow on this memory, where each attempt to match reads far ahead. A "
	"limited repetition such as {0,200} instead of * is faster; --timeout limits the time";

/**
 * Sizes of the output that a thread prepared for a hit. In the buffer, this struct is followed by
 * the name, the memory and the line.
 */
struct parts {
	size_t name; /* size in bytes of the text for the list of results; 0 outside of a session */
	size_t before; /* number of bytes of memory before the match, for a block */
	size_t memory; /* total number of bytes of memory, 0 without a block */
	size_t head;   /* number of bytes of the line before the match */
};

/** Makes the text of a hit for the list of results of a session. */
static void add_name(const struct grep_target *target, const struct pm_hit *hit, struct text *name)
{
	const struct grep_numbers *numbers = &target->view.options->numbers;
	if (numbers->count > 0) {
		grep_numbers_put(&numbers->tests[hit->source], hit->bytes, name);
		return;
	}

	size_t size = pm_min_size(hit->size, RESULTS_TEXT_MAX);
	hit_text_add(hit->encoding, hit->bytes, size, name);
	name->length = pm_min_size(name->length, RESULTS_TEXT_MAX);
}

/** Makes the line of a match, in the thread that found it. */
static void make_line(const struct grep_target *target, const struct pm_hit *hit,
                      const struct pm_chunk_parts *chunk, struct parts *parts, struct text *line)
{
	const struct grep_options *options = target->view.options;

	if (options->search.output.json)
		grep_json(&target->view, hit, chunk, line);
	else
		parts->head = grep_line(&target->view, hit, chunk, line);

	if (target->view.form == GREP_BLOCKS) {
		parts->before = pm_min_size(options->before, hit->before);
		parts->memory = parts->before + hit->size + pm_min_size(options->after, hit->after);
	}
}

/** Appends all parts of a match to the batch that will be delivered. */
static int append_parts(struct pm_scan_batch *batch, const struct parts *parts, const char *name,
                        const uint8_t *memory, const struct text *line, struct pm_error *error)
{
	if (pm_scan_append(batch, parts, sizeof *parts, error) < 0 ||
	    pm_scan_append(batch, name, parts->name, error) < 0 ||
	    pm_scan_append(batch, memory, parts->memory, error) < 0)
		return -1;

	return pm_scan_append(batch, line->bytes, line->length, error);
}

/** Prepares the output of a match, in the thread that found it. See pm_scan_found. */
static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	const struct search *search = context;
	struct grep_target *target = search->context;
	struct text *line = &target->lines[worker], name = { 0 };
	struct parts parts = { 0 };

	text_clear(line);
	make_line(target, hit, hit_chunk_current(&search->chunks, worker), &parts, line);
	if (search->out->results)
		add_name(target, hit, &name);
	parts.name = name.length;

	int status = append_parts(batch, &parts, name.bytes, hit->bytes - parts.before, line,
	                          error);
	text_deinit(&name);

	/* Release a large buffer. Long matches are rare, but each thread can find one and would
	 * keep its memory. */
	if (line->capacity > LINE_KEPT)
		text_deinit(line);

	return status;
}

/** Ends the output of a match that was truncated and whose rest was not delivered. */
static void end_match(struct grep_target *target, struct out *out)
{
	if (target->open)
		out_string(out, "\xe2\x80\xa6\n");
	target->open = false;
	hex_view_end(&target->block);
}

/** Prints a match for -o, or the next piece of a match. */
static void print_bare(struct grep_target *target, const struct pm_scan_delivery *hit,
                       const char *line, size_t length, size_t head, struct out *out)
{
	size_t skip = hit->continued ? head : 0;

	out_bytes(out, line + skip, length - skip);
	target->open = hit->truncated;
	if (!hit->truncated)
		out_string(out, "\n");
}

/** Prints the bytes of a match and around it in hexadecimal, or the next piece of these bytes. */
static void print_block(struct grep_target *target, const struct pm_scan_delivery *hit,
                        const char *memory, const struct parts *parts, struct out *out)
{
	struct hex_view *block = &target->block;
	size_t skip = hit->continued ? parts->before : 0;

	block->out = out;
	if (!hit->continued)
		block->mark_start = hit->address;
	block->mark_end = hit->address + hit->size;

	hex_view_bytes(block, hit->address - parts->before + skip, memory + skip,
	               parts->memory - skip);
	if (!hit->truncated)
		hex_view_end(block);
}

/** Prints a match from the parts that a thread has prepared. */
static void print(struct grep_target *target, const struct pm_scan_delivery *hit, struct out *out)
{
	struct parts parts;
	memcpy(&parts, hit->bytes, sizeof parts);

	const char *name = (const char *)hit->bytes + sizeof parts;
	const char *memory = name + parts.name;
	const char *line = memory + parts.memory;
	size_t length = hit->length - sizeof parts - parts.name - parts.memory;

	if (!hit->continued) {
		end_match(target, out);
		results_print_hit(out, hit->address, hit->size, name, parts.name);
	}

	if (target->view.options->search.output.json)
		search_put_json(hit, line, length, out);
	else if (target->view.form == GREP_MATCHES)
		print_bare(target, hit, line, length, parts.head, out);
	else if (!hit->continued)
		out_bytes(out, line, length);

	if (parts.memory > 0)
		print_block(target, hit, memory, &parts, out);
}

/** Passes the bytes of a number on, in the thread that found it. See pm_scan_found. */
static int found_number(void *context, unsigned worker, const struct pm_hit *hit,
                        struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	(void)worker;
	return pm_scan_append(batch, hit->bytes, hit->size, error);
}

/** Saves a number in the file of --save. */
static int save(struct grep_target *target, const struct pm_scan_delivery *hit,
                struct pm_error *error)
{
	struct pm_saved_hit saved = { .address = hit->address, .test = (uint8_t)hit->source };

	memcpy(saved.bytes, hit->bytes, pm_min_size(hit->length, sizeof saved.bytes));
	return grep_save_add(&target->save, &saved, error);
}

/** Starts the file of --save. */
static int open_save(struct grep_target *target, const struct search *search,
                     struct pm_error *error)
{
	const struct grep_options *options = target->view.options;
	struct pm_process *process = search->memory.target.process;
	struct pm_saved_hits_info info = { .aligned = options->numbers.aligned,
		                           .test_count = options->numbers.count };

	if (!process)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is not a process: the numbers in it do not change, so "
		                    "saving them is of no use",
		                    search->memory.target.word);

	memcpy(info.tests, options->numbers.tests, sizeof info.tests);
	if (pm_saved_hits_identify(process, &info, error) < 0)
		return -1;
	return grep_save_open(&target->save, options->save, &info, error);
}

/** Counts and prints a match, in the main thread. See pm_scan_deliver. */
static int deliver(void *context, const struct pm_scan_delivery *hit, struct pm_error *error)
{
	const struct search *search = context;
	struct grep_target *target = search->context;
	const struct grep_view *view = &target->view;
	const struct pm_region *region = &view->regions->items[hit->region];

	if (!hit->continued) {
		/* The maximum of -m is reached. The search continued only for the rest of the last
		 * match, which was truncated. This hit is another match, so the search ends. */
		if (target->matches >= view->options->max)
			return 1;
		target->matches++;
		target->counts[hit->region]++;
	}

	switch (view->form) {
	case GREP_NOTHING:
		return 1;
	case GREP_SAVED:
		if (save(target, hit, error) < 0)
			return -1;
		break;
	case GREP_UNIQUE:
		grep_unique_add(target->tally, hit);
		break;
	case GREP_REGIONS:
		if (!hit->continued && target->counts[hit->region] == 1)
			grep_line_put_region(view, region, 1, search->out);
		break;
	case GREP_COUNTS:
		break;
	default:
		print(target, hit, search->out);
	}

	return target->matches >= view->options->max && !hit->truncated;
}

/**
 * Counts matches by the kinds of their regions.
 * @return  number of kinds with matches
 */
static size_t count_kinds(const struct grep_target *target, uint64_t kinds[PM_KIND_COUNT])
{
	const struct pm_regions *regions = target->view.regions;
	size_t different = 0;

	for (size_t i = 0; i < regions->count; i++) {
		uint64_t *kind = &kinds[regions->items[i].kind];
		different += *kind == 0 && target->counts[i] > 0;
		*kind += target->counts[i];
	}

	return different;
}

/**
 * Finds the kind with the most matches, and sets its count to 0.
 * @param matches  receives the number of these matches
 * @return         the kind
 */
static enum pm_kind pop_largest(uint64_t kinds[PM_KIND_COUNT], uint64_t *matches)
{
	size_t largest = 0;
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
		if (kinds[kind] > kinds[largest])
			largest = kind;

	*matches = kinds[largest];
	kinds[largest] = 0;
	return (enum pm_kind)largest;
}

/** Prints the numbers of matches in regions of each kind, the largest first. */
static void put_kinds(const struct grep_target *target, struct out *out)
{
	uint64_t kinds[PM_KIND_COUNT] = { 0 }, matches;
	size_t different = count_kinds(target, kinds);

	for (size_t i = 0; i < different; i++) {
		enum pm_kind kind = pop_largest(kinds, &matches);
		grep_line_put_kind(&target->view, kind, matches, out);
	}
}

static void put_counts(const struct grep_target *target, struct out *out)
{
	const struct pm_regions *regions = target->view.regions;
	if (target->view.options->by_kind) {
		put_kinds(target, out);
		return;
	}

	for (size_t i = 0; i < regions->count; i++)
		if (target->counts[i] > 0)
			grep_line_put_region(&target->view, &regions->items[i], target->counts[i],
			                     out);
}

/**
 * Adds the number of regions with matches, and the kinds of these regions: " in 3 regions (12 heap,
 * 1 stack)", " in 2 heap regions".
 */
static void add_regions(const struct grep_target *target, size_t count, struct text *text)
{
	uint64_t kinds[PM_KIND_COUNT] = { 0 }, matches;
	size_t different = 0;
	if (target->kinds_known)
		different = count_kinds(target, kinds);

	text_string(text, " in ");
	text_grouped(text, count);
	if (different == 1)
		text_format(text, " %s", pm_kind_name(pop_largest(kinds, &matches)));
	text_string(text, count == 1 ? " region" : " regions");
	if (different <= 1)
		return;

	for (size_t i = 0; i < different; i++) {
		enum pm_kind kind = pop_largest(kinds, &matches);
		text_string(text, i == 0 ? " (" : ", ");
		text_grouped(text, matches);
		text_format(text, " %s", pm_kind_name(kind));
	}
	text_char(text, ')');
}

/**
 * Adds the number of distinct matches, with --unique, and where the matches are: the process, if
 * several processes are searched, and the number of regions.
 */
static void add_where(const struct grep_target *target, struct text *text)
{
	size_t count = 0;
	for (size_t i = 0; i < target->view.regions->count; i++)
		count += target->counts[i] > 0;

	if (target->tally)
		grep_unique_add_count(target->tally, text);
	if (target->view.pid > 0)
		text_format(text, " in process %d", (int)target->view.pid);
	if (count > 0)
		add_regions(target, count, text);
}

/** Reports an error if the matching of a pattern was aborted, so that matches can be missing. */
static void report_limits(const struct search *search)
{
	const struct pm_scan_totals *totals = &search->totals;
	struct text line = { 0 };

	if (totals->gave_up == 0)
		return;

	text_string(&line, "matching was aborted at ");
	text_grouped(&line, totals->gave_up);
	text_string(&line, totals->gave_up == 1 ? " address" : " addresses");
	text_string(&line, " because the pattern needed too many steps; ");
	text_grouped(&line, totals->passed);
	text_string(&line, " bytes were not searched. Repeated alternatives such as (a|ab?)+ can "
	                   "cause this");

	report_error("%s", text_terminate(&line));
	text_deinit(&line);
}

static void report(struct search *search, const struct grep_target *target)
{
	struct text where = { 0 };

	/* Write the matches first, so that on a terminal the notes follow the matches that they
	 * refer to. */
	out_flush(search->out);
	add_where(target, &where);
	search->where = text_terminate(&where);
	search_report(search, target->matches);
	search->where = NULL;
	text_deinit(&where);

	/* As in grep(1), errors do not matter if -q has found a match. */
	if (target->view.form != GREP_NOTHING || target->matches == 0)
		report_limits(search);
}

/** If many lines were printed on a terminal, reports which options print fewer. */
static void note_many(const struct grep_target *target, const struct search *search)
{
	if (!search->out->terminal || search->options->output.quiet ||
	    target->view.form > GREP_MATCHES || target->matches <= MANY_LINES)
		return;

	out_flush(search->out);
	report_note(
		"more than %d matches were printed; to print fewer lines, use -c (only numbers), "
		"--unique (equal matches once) or -m N (only N matches), or select regions with "
		"REGION, -k or --mapping",
		MANY_LINES);
}

/** Returns whether the output needs the kinds of the regions. */
static bool needs_kinds(const struct grep_options *options, enum grep_options_form form)
{
	return options->search.output.json || options->search.output.verbose ||
	       (form != GREP_SAVED && form != GREP_NOTHING && form != GREP_MATCHES &&
	        form != GREP_UNIQUE);
}

/**
 * Searches a target that is open.
 * @return  1 if the search is complete, -1 on error
 */
static int run(struct grep_target *target, struct search *search, const struct pm_scanner *scanner,
               struct pm_error *error)
{
	const struct grep_options *options = target->view.options;
	struct search_what what = { .scanner = scanner, .deliver = deliver };
	const struct pm_regions *regions = &search->memory.loaded.regions;

	target->view.regions = regions;
	target->view.out = search->out;
	target->counts = alloc_array(NULL, regions->count, sizeof *target->counts);
	memset(target->counts, 0, regions->count * sizeof *target->counts);
	if (target->view.form == GREP_UNIQUE)
		what.found = grep_unique_found;
	else if (target->view.form == GREP_SAVED)
		what.found = found_number;
	else if (target->view.form <= GREP_MATCHES) {
		what.around = grep_line_around(&target->view);
		what.found = found;
	}

	if (target->view.form == GREP_SAVED && open_save(target, search, error) < 0)
		return -1;

	int status = search_run(search, &what, error);
	end_match(target, search->out);
	if (target->view.form == GREP_COUNTS)
		put_counts(target, search->out);
	if (target->view.form == GREP_UNIQUE)
		grep_unique_print(&target->view, target->tally, search->out);
	note_many(target, search);
	if (status == 0 && target->save.writer)
		status = grep_save_keep(&target->save, options->quiet ? NULL : search->out, error);
	if (status < 0)
		return -1;

	target->incomplete = search->totals.gave_up > 0 || search->timed_out ||
	                     search->memory.cut > 0 || hit_chunk_may_miss(&search->chunks);
	report(search, target);
	return 1;
}

int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error)
{
	const struct grep_options *options = target->view.options;
	struct search search = { .options = &options->search,
		                 .out = out,
		                 .noun = { "match", "matches" },
		                 .deadline_us = target->deadline_us,
		                 .slow = slow_pattern,
		                 .one_of_several = target->view.pid > 0,
		                 .context = target };

	search.memory.cancel = target->cancel;
	search.memory.start_ticks = target->start_ticks;
	target->kinds_known = needs_kinds(options, target->view.form);
	if (target->kinds_known)
		search.needs = REGION_NEEDS_KINDS;

	int status = 0;
	if (target->view.form == GREP_UNIQUE)
		status = grep_unique_create(&target->tally, error);
	if (status == 0)
		status = search_open(&search, word, error);
	if (status > 0)
		status = run(target, &search, scanner, error);

	grep_save_close(&target->save);
	search_close(&search);
	for (size_t i = 0; i < PM_SCAN_WORKERS_MAX; i++)
		text_deinit(&target->lines[i]);
	pm_tally_destroy(target->tally);
	target->tally = NULL;
	free(target->counts);
	target->counts = NULL;

	return status;
}
