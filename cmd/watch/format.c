/* SPDX-License-Identifier: MIT */
#include "watch/format.h"

#include <inttypes.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "target/region_text.h"
#include "watch/members.h"
#include "watch/step.h"

const struct table_column watch_format_columns[WATCH_COLUMNS] = {
	[WATCH_ADDRESS] = { .title = "ADDRESS" },
	[WATCH_RSS] = { .title = "RSS", .right = true },
	[WATCH_DELTA] = { .title = "DELTA", .right = true },
	[WATCH_GROWTH] = { .title = "GROWTH", .right = true },
	[WATCH_RATE] = { .title = "RATE", .right = true },
	[WATCH_PER_HOUR] = { .title = "PER HOUR", .right = true },
	[WATCH_PER_DAY] = { .title = "PER DAY", .right = true },
	[WATCH_VERDICT] = { .title = "VERDICT" },
	[WATCH_KIND] = { .title = "KIND", .style = OUT_DIM },
	[WATCH_MAPPING] = { .title = "MAPPING" },
};

/** How fast regions pile up in a row, where they do. */
static void add_count_rate(const struct watch_row *row, struct text *text)
{
	if (row->count_trend.verdict == PM_VERDICT_STEADY)
		text_format(text, " (%+.1f/s)", row->count_trend.rate);
}

/** Adds a word after what is there, escaped. */
static void add_word(const char *word, size_t length, struct text *text)
{
	if (length == 0)
		return;
	if (text->length > 0)
		text_char(text, ' ');
	utf8_escape(text, word, length);
}

static void add_string(const char *string, struct text *text)
{
	add_word(string, strlen(string), text);
}

static void add_detail(const struct pm_detail *detail, struct text *text)
{
	struct text words = { 0 };
	region_text_detail(detail, &words);
	add_word(words.bytes, words.length, text);
	text_deinit(&words);
}

/**
 * Adds the sizes of the chunks of several regions. One region stands for all: neither its number of
 * chunks nor their place is true of the others.
 */
static void add_chunk_sizes(const struct pm_track *track, struct text *text)
{
	const struct pm_detail *detail = &track->detail;

	add_string("malloc chunks", text);
	if (detail->type != PM_DETAIL_CHUNKS)
		return;

	if (track->block_min != track->block_max) {
		text_string(text, " of up to ");
		text_size(text, track->block_max);
	} else if (detail->chunks.smallest != detail->chunks.largest) {
		text_string(text, ", ");
		text_size(text, detail->chunks.smallest);
		text_string(text, " to ");
		text_size(text, detail->chunks.largest);
	} else {
		text_string(text, " of ");
		text_size(text, detail->chunks.largest);
	}
}

/**
 * Blocks of malloc's: in how many regions the kernel put them is of less interest than what they
 * are.
 */
static void describe_blocks(const struct watch_row *row, struct text *text)
{
	const struct pm_track *track = row->track;
	add_string(track->mapping, text);
	if (track->regions == 1) {
		add_detail(&track->detail, text);
		return;
	}

	add_chunk_sizes(track, text);
	text_format(text, " in %zu regions", track->regions);
	add_count_rate(row, text);
}

void watch_format_describe(const struct watch_row *row, struct text *text)
{
	const struct pm_track *track = row->track;
	if (track->kind == PM_KIND_MALLOC && track->regions > 0 &&
	    track->detail.type != PM_DETAIL_NONE) {
		describe_blocks(row, text);
		return;
	}

	if (track->max_regions > 1 || track->regions == 0) {
		text_format(text, track->regions ? "\xc3\x97%zu" : "gone", track->regions);
		add_count_rate(row, text);
	}

	add_string(track->mapping, text);
	add_detail(&track->detail, text);
}

void watch_format_size(const struct watch *watch, uint64_t size, struct text *text)
{
	if (watch->options->output.bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

/**
 * A rate means something only where the growth goes on; it is extrapolated over an hour or a day
 * only then.
 */
static void put_over(const struct watch *watch, const struct watch_row *row, double seconds,
                     struct text *text)
{
	if (row->trend.verdict == PM_VERDICT_STEADY || row->trend.verdict == PM_VERDICT_SHRINKING)
		delta_put_bytes(text, (int64_t)(row->trend.rate * seconds),
		                watch->options->output.bytes);
	else
		text_char(text, '-');
}

void watch_format_rate(const struct pm_trend *trend, struct text *text)
{
	if (trend->verdict == PM_VERDICT_STEADY || trend->verdict == PM_VERDICT_SHRINKING)
		delta_put_rate(text, trend->rate);
	else
		text_char(text, '-');
}

void watch_format_cell(const struct watch *watch, const struct watch_row *row,
                       enum watch_column column, struct text *text)
{
	switch (column) {
	case WATCH_ADDRESS:
		text_hex(text, row->track->start, 8);
		text_char(text, '-');
		text_hex(text, row->track->end, 8);
		watch_members_add_more(row->track->regions, text);
		break;
	case WATCH_RSS:
		watch_format_size(watch, row->track->weight, text);
		break;
	case WATCH_DELTA:
		delta_put_bytes(text, row->track->delta, watch->options->output.bytes);
		break;
	case WATCH_GROWTH:
		delta_put_bytes(text, row->growth, watch->options->output.bytes);
		break;
	case WATCH_RATE:
		watch_format_rate(&row->trend, text);
		break;
	case WATCH_PER_HOUR:
		put_over(watch, row, 3600, text);
		break;
	case WATCH_PER_DAY:
		put_over(watch, row, 86400, text);
		break;
	case WATCH_VERDICT:
		text_string(text, pm_verdict_name(row->trend.verdict));
		break;
	case WATCH_KIND:
		text_string(text, pm_kind_name(row->track->kind));
		break;
	default:
		watch_format_describe(row, text);
	}
}

enum out_style watch_format_style(const struct watch_row *row, enum watch_column column)
{
	if (column == WATCH_VERDICT && row->trend.verdict == PM_VERDICT_STEADY)
		return OUT_GROWN;
	if (column == WATCH_GROWTH)
		return delta_style(row->growth);
	if (column == WATCH_DELTA)
		return delta_style(row->track->delta);
	return watch_format_columns[column].style;
}

/** Adds what is left of a limit, in time where that is known. */
static void add_left(const struct watch *watch, const struct pm_limit *limit, struct text *line)
{
	double seconds;
	char duration[PM_DURATION_TEXT_SIZE];

	/* What was read of a process that was about to end tells nothing of what it had left. */
	if (watch->gone)
		return;

	text_string(line, ": ");
	if (watch_lasts(watch, limit, &seconds)) {
		pm_format_duration(seconds, duration);
		text_format(line, "full in %s", duration);
	} else {
		watch_format_size(watch, pm_limit_left(limit), line);
		text_string(line, " left");
	}
}

/** Adds the limit of memory. What the machine has is told only where its end is near. */
static void add_memory_limit(const struct watch *watch, struct text *line)
{
	const struct pm_limit *limit = pm_headroom_memory(&watch->headroom);
	double seconds;
	if (!limit || (limit->kind == PM_LIMIT_SYSTEM && !watch_lasts(watch, limit, &seconds)))
		return;

	text_format(line, "  %s ", limit->kind == PM_LIMIT_SYSTEM ? "machine" : "limit");
	watch_format_size(watch, limit->max, line);

	/* What is charged to other groups counts as resident all the same: shared memory, files,
	 * what it had when it was moved here. */
	if (limit->kind == PM_LIMIT_CGROUP && watch->sample.totals.rss > limit->max &&
	    !watch->gone) {
		text_string(line, " (");
		watch_format_size(watch, limit->used, line);
		text_string(line, " used, other RSS charged elsewhere)");
	}

	add_left(watch, limit, line);
}

/** Adds a limit on a number of things, as the kernel calls it. */
static void add_count_limit(const struct watch *watch, const struct pm_limit *limit,
                            struct text *line)
{
	const char *name = limit->kind == PM_LIMIT_MAPPINGS ? "vm.max_map_count"
	                   : limit->kind == PM_LIMIT_PIDS   ? "pids.max"
	                                                    : "threads-max";
	text_format(line, "  %s ", name);
	text_grouped(line, limit->max);
	add_left(watch, limit, line);
}

void watch_format_limit(const struct watch *watch, struct text *line)
{
	const struct pm_limit *first = first_limit(&watch->headroom, watch_lasts, watch),
			      *memory = pm_headroom_memory(&watch->headroom);
	const struct pm_limit *space = pm_headroom_find(&watch->headroom, PM_LIMIT_ADDRESS_SPACE);
	if (first && first->kind == PM_LIMIT_DATA) {
		text_string(line, "  RLIMIT_DATA ");
		watch_format_size(watch, first->max, line);
		add_left(watch, first, line);
		return;
	}

	if (first && first->counts)
		add_count_limit(watch, first, line);
	if (!space || first != space)
		add_memory_limit(watch, line);

	/* Address space that grows in leaps has no rate, but may end before memory does. */
	if (space && (first == space || !memory || pm_limit_left(space) < pm_limit_left(memory))) {
		text_string(line, "  RLIMIT_AS ");
		watch_format_size(watch, space->max, line);
		add_left(watch, space, line);
	}
}

void watch_format_cost(const struct watch *watch, struct text *line)
{
	const struct pm_sample_cost *cost = &watch->sample.cost;

	/* Of one look nothing can be said: the time that it is to be held against has only begun.
	 */
	if (watch->samples < 2)
		return;

	const char *gap = line->length > 0 ? "  " : "";
	/* What a recording cost is not stored. */
	if (!watch->replay)
		text_format(line, "%scost %.2f%% cpu, map lock \xe2\x89\xa4 %.1fms", gap,
		            cost->share * 100, (double)cost->lock_ns / 1e6);

	if (watch->held_back > 0)
		text_format(line,
		            "%slooked less often to keep to the budget (%" PRIu64 " of %" PRIu64
		            " times not)",
		            watch->replay ? gap : ", ", watch->held_back, watch->samples);
}

void watch_format_rss(const struct watch *watch, struct text *line)
{
	int64_t delta = (int64_t)(watch->sample.totals.rss - watch->previous.rss);
	text_string(line, "RSS ");
	watch_format_size(watch, watch->sample.totals.rss, line);

	if (delta != 0) {
		text_char(line, ' ');
		delta_put_bytes(line, delta, watch->options->output.bytes);
	}
}

void watch_format_parts(const struct watch *watch, struct text *line)
{
	const struct pm_totals *totals = &watch->sample.totals;
	static const char *const names[] = { "  anon ", "  file ", "  shmem ", "  swap " };
	const uint64_t sizes[] = { totals->anon, totals->file, totals->shmem, totals->swap };
	for (size_t i = 0; i < 4; i++) {
		if (sizes[i] == 0)
			continue;
		text_string(line, names[i]);
		watch_format_size(watch, sizes[i], line);
	}
}
