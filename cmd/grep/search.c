/* SPDX-License-Identifier: MIT */
#include "grep/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/report.h"
#include "grep/grep.h"
#include "grep/json.h"
#include "grep/line.h"
#include "grep/options.h"
#include "view/hex_view.h"
#include "view/hit_text.h"
#include "view/results.h"

enum { LINE_KEPT = 64 * 1024 };

/**
 * What a thread writes down of a hit: this, the name, the bytes and the line, one behind the other.
 */
struct parts {
	size_t name;   /* bytes of its text for the list of results; 0 outside of a session */
	size_t before; /* bytes of memory before it, for a block */
	size_t memory; /* bytes of memory altogether, 0 without a block */
	size_t head;   /* bytes of the line before the match */
};

/** Notes for a session what a hit is. */
static void add_name(const struct pm_hit *hit, struct text *name)
{
	size_t size = pm_min_size(hit->size, RESULTS_TEXT_MAX);
	hit_text_add(hit->encoding, hit->bytes, size, name);
	name->length = pm_min_size(name->length, RESULTS_TEXT_MAX);
}

/** Told of each hit in the thread that found it. */
static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	const struct search *search = context;
	struct grep_target *target = search->context;
	const struct grep_options *options = target->view.options;
	struct text *line = &target->lines[worker], name = { 0 };
	struct parts parts = { 0 };

	text_clear(line);
	if (options->search.output.json)
		grep_json(&target->view, hit, line);
	else
		parts.head = grep_line(&target->view, hit, line);

	if (search->out->results)
		add_name(hit, &name);
	parts.name = name.length;

	if (target->view.form == GREP_BLOCKS) {
		parts.before = pm_min_size(options->before, hit->before);
		parts.memory = parts.before + hit->size + pm_min_size(options->after, hit->after);
	}

	int status = pm_scan_append(batch, &parts, sizeof parts, error);
	status = status < 0 ? status : pm_scan_append(batch, name.bytes, name.length, error);
	status = status < 0 ? status
	                    : pm_scan_append(batch, hit->bytes - parts.before, parts.memory, error);
	status = status < 0 ? status : pm_scan_append(batch, line->bytes, line->length, error);
	text_deinit(&name);

	/* A long match is rare, and each thread may meet one. */
	if (line->capacity > LINE_KEPT)
		text_deinit(line);

	return status;
}

/** Ends a match that was truncated, and of which no more came. */
static void end_match(struct grep_target *target, struct out *out)
{
	if (target->open)
		out_string(out, "\xe2\x80\xa6\n");
	target->open = false;
	hex_view_end(&target->block);
}

/** Prints a match of -o, of which pieces follow on each other. */
static void print_bare(struct grep_target *target, const struct pm_scan_delivery *hit,
                       const char *line, size_t length, size_t head, struct out *out)
{
	size_t skip = hit->continued ? head : 0;
	out_bytes(out, line + skip, length - skip);
	target->open = hit->truncated;
	if (!hit->truncated)
		out_string(out, "\n");
}

/** Prints the memory around a match, and the match. */
static void print_block(struct grep_target *target, const struct pm_scan_delivery *hit,
                        const char *memory, const struct parts *parts, struct out *out)
{
	struct hex_view *block = &target->block;
	size_t skip = hit->continued ? parts->before : 0;
	block->out = out;
	block->mark_start = hit->continued ? block->mark_start : hit->address;
	block->mark_end = hit->address + hit->size;
	hex_view_bytes(block, hit->address - parts->before + skip, memory + skip,
	               parts->memory - skip);
	if (!hit->truncated)
		hex_view_end(block);
}

/** Prints what was written down of a hit. */
static void print(struct grep_target *target, const struct pm_scan_delivery *hit, struct out *out)
{
	struct parts parts;
	const char *at = hit->bytes, *end = at + hit->length;
	memcpy(&parts, at, sizeof parts);
	at += sizeof parts;

	if (!hit->continued) {
		end_match(target, out);
		results_print_hit(out, hit->address, hit->size, at, parts.name);
	}

	const char *memory = at + parts.name, *line = memory + parts.memory;
	size_t length = (size_t)(end - line);
	if (target->view.options->search.output.json)
		search_put_json(hit, line, length, out);
	else if (target->view.form == GREP_MATCHES)
		print_bare(target, hit, line, length, parts.head, out);
	else if (!hit->continued)
		out_bytes(out, line, length);

	if (parts.memory > 0)
		print_block(target, hit, memory, &parts, out);
}

/** Told of each hit in order. */
static int deliver(void *context, const struct pm_scan_delivery *hit, struct pm_error *error)
{
	const struct search *search = context;
	struct grep_target *target = search->context;
	const struct grep_options *options = target->view.options;

	(void)error;
	if (!hit->continued) {
		/* The last one was truncated, and this is another one. */
		if (target->matches >= options->most)
			return 1;
		target->matches++;
		target->counts[hit->region]++;
	}

	switch (target->view.form) {
	case GREP_NOTHING:
		return 1;
	case GREP_REGIONS:
		if (!hit->continued && target->counts[hit->region] == 1)
			grep_line_put_region(&target->view,
			                     &target->view.regions->items[hit->region], 1,
			                     search->out);
		break;
	case GREP_COUNTS:
		break;
	default:
		print(target, hit, search->out);
	}
	return target->matches >= options->most && !hit->truncated;
}

static void put_counts(const struct grep_target *target, struct out *out)
{
	const struct pm_regions *regions = target->view.regions;
	for (size_t i = 0; i < regions->count; i++)
		if (target->counts[i] > 0)
			grep_line_put_region(&target->view, &regions->items[i], target->counts[i],
			                     out);
}

/**
 * Counts matches by the kinds of their regions.
 * @return how many kinds there are
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
 * Takes the kind with the most matches out.
 * @return it
 */
static enum pm_kind pop_largest(uint64_t kinds[PM_KIND_COUNT], uint64_t *matches)
{
	size_t most = 0;
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
		most = kinds[kind] > kinds[most] ? kind : most;
	*matches = kinds[most];
	kinds[most] = 0;
	return (enum pm_kind)most;
}

/**
 * Says in how many regions the matches are, and of which kinds: " in 3 regions (12 heap, 1 stack)",
 * " in 2 heap regions".
 */
static void add_regions(const struct grep_target *target, size_t count, struct text *text)
{
	uint64_t kinds[PM_KIND_COUNT] = { 0 }, matches;
	size_t different = target->kinds_known ? count_kinds(target, kinds) : 0;

	text_string(text, " in ");
	text_grouped(text, count);
	if (different == 1)
		text_format(text, " %s", pm_kind_name(pop_largest(kinds, &matches)));
	text_string(text, count == 1 ? " region" : " regions");

	for (size_t i = 0; different > 1 && i < different; i++) {
		enum pm_kind kind = pop_largest(kinds, &matches);
		text_string(text, i == 0 ? " (" : ", ");
		text_grouped(text, matches);
		text_format(text, " %s", pm_kind_name(kind));
	}

	text_string(text, different > 1 ? ")" : "");
}

/** Says where the matches are, also in which process if there are several. */
static void add_where(const struct grep_target *target, struct text *text)
{
	size_t count = 0;
	if (target->view.pid > 0)
		text_format(text, " in process %d", (int)target->view.pid);

	for (size_t i = 0; i < target->view.regions->count; i++)
		count += target->counts[i] > 0;

	if (count > 0)
		add_regions(target, count, text);
}

/** Tells where patterns reached their limits: something may have been missed there. */
static void tell_limits(const struct search *search)
{
	const struct pm_scan_totals *totals = &search->totals;
	struct text line = { 0 };

	if (totals->gave_up == 0 || search->options->output.quiet)
		return;

	text_string(&line, "the pattern took too many steps at ");
	text_grouped(&line, totals->gave_up);
	text_string(&line, totals->gave_up == 1 ? " place; " : " places; ");
	text_grouped(&line, totals->passed);
	text_string(&line, " bytes were passed over. Alternatives within repetitions, as in "
	                   "(a|ab?)+, do that");
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

static void tell(struct search *search, const struct grep_target *target)
{
	struct text where = { 0 };
	/* On a terminal remarks stand behind what they are about. */
	out_flush(search->out);
	add_where(target, &where);
	search->where = text_terminate(&where);
	search_report(search, target->matches);
	search->where = NULL;
	text_deinit(&where);

	tell_limits(search);
}

static bool needs_kinds(const struct grep_options *options, enum grep_options_form form)
{
	return options->search.output.json || options->search.output.verbose ||
	       (form != GREP_NOTHING && form != GREP_MATCHES);
}

int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error)
{
	const struct grep_options *options = target->view.options;
	struct search search = { .options = &options->search,
		                 .out = out,
		                 .noun = { "match", "matches" },
		                 .context = target };
	bool shown = target->view.form <= GREP_MATCHES;

	search.memory.cancel = target->cancel;
	target->kinds_known = needs_kinds(options, target->view.form);
	search.needs = target->kinds_known ? REGION_NEEDS_KINDS : 0;

	int status = search_open(&search, word, error);
	if (status > 0) {
		target->view.regions = &search.memory.loaded.regions;
		target->view.out = out;
		target->counts = alloc_array(NULL, target->view.regions->count,
		                             sizeof *target->counts);
		memset(target->counts, 0, target->view.regions->count * sizeof *target->counts);

		const struct search_what what = { scanner,
			                          shown ? grep_line_around(&target->view) : 0,
			                          shown ? found : NULL, deliver };
		status = search_run(&search, &what, error) < 0 ? -1 : 1;
		end_match(target, out);
		if (target->view.form == GREP_COUNTS)
			put_counts(target, out);
		if (status > 0)
			tell(&search, target);
	}

	search_close(&search);
	for (size_t i = 0; i < PM_SCAN_WORKERS_MAX; i++)
		text_deinit(&target->lines[i]);

	free(target->counts);
	return status;
}
