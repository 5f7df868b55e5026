/* SPDX-License-Identifier: MIT */
#include "watch/format.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "target/growth_text.h"
#include "target/region_text.h"
#include "target/similar_name.h"
#include "watch/verdict.h"

const struct table_column watch_format_columns[WATCH_COLUMNS] = {
	[WATCH_ADDRESS] = { .title = "ADDRESS" },
	[WATCH_RSS] = { .title = "RSS", .right = true },
	[WATCH_DELTA] = { .title = "DELTA", .right = true },
	[WATCH_GROWTH] = { .title = "GROWTH", .right = true },
	[WATCH_SIZE] = { .title = "SIZE", .right = true },
	[WATCH_SIZE_GROWTH] = { .title = "SIZE-GROWTH", .right = true },
	[WATCH_RATE] = { .title = "RATE", .right = true },
	[WATCH_PER_HOUR] = { .title = "PER HOUR", .right = true },
	[WATCH_PER_DAY] = { .title = "PER DAY", .right = true },
	[WATCH_VERDICT] = { .title = "VERDICT" },
	[WATCH_KIND] = { .title = "KIND", .style = OUT_DIM },
	[WATCH_MAPPING] = { .title = "MAPPING" },
};

void watch_format_add_more(size_t count, struct text *text)
{
	if (count > 1)
		text_format(text, " +%zu", count - 1);
}

/** Adds the rate at which the number of regions of a row grows, if it is known or estimated. */
static void add_count_rate(const struct watch_row *row, struct text *text)
{
	const struct pm_trend *trend = &row->count_trend;

	if (pm_trend_growth_rate(trend) > 0)
		text_format(text, " (%s%+.1f/s)", trend->estimate ? "~" : "",
		            pm_trend_growth_rate(trend));
}

/** Adds a word, escaped. A space separates the word from the text before it. */
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
 * Adds the sizes of the malloc chunks of a track that has several regions. The number and the
 * addresses of the chunks are not added, because `detail` contains those of only one region.
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
 * Describes a track of malloc blocks. The sizes of the blocks come before the number of regions,
 * because the size of a block helps most to find the code that allocated it.
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

/** Describes a row of files with similar names: "/srv/seg#.idx (32 files) ×2,204". */
static void describe_files(const struct watch_row *row, struct text *text)
{
	const struct pm_track *track = row->track;

	if (track->regions == 0)
		text_string(text, "gone");
	add_string(track->mapping, text);
	if (track->regions == 0)
		return;

	similar_name_count(row->files, text);
	text_string(text, " \xc3\x97");
	text_grouped(text, track->regions);
	add_count_rate(row, text);
}

void watch_format_describe(const struct watch_row *row, struct text *text)
{
	const struct pm_track *track = row->track;

	if (row->label) {
		if (track->kind == PM_KIND_UNKNOWN)
			text_string(text, pm_owner_title(track->owner));
		return;
	}
	if (track->kind == PM_KIND_MALLOC && track->regions > 0 &&
	    track->detail.type != PM_DETAIL_NONE) {
		describe_blocks(row, text);
		return;
	}

	if (row->files > 0) {
		describe_files(row, text);
		return;
	}

	if (track->regions == 0)
		text_string(text, "gone");
	else if (track->max_regions > 1)
		text_format(text, "\xc3\x97%zu", track->regions);
	if (track->max_regions > 1 || track->regions == 0)
		add_count_rate(row, text);

	add_string(track->mapping, text);
	add_detail(&track->detail, text);
	if (row->reserve) {
		text_string(text, text->length > 0 ? "; " : "");
		watch_reserve_describe(row->reserve, text);
	}
}

void watch_format_size(uint64_t size, bool bytes, struct text *text)
{
	if (bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

static void add_address(const struct pm_track *track, struct text *text)
{
	text_hex(text, track->start, 8);
	text_char(text, '-');
	text_hex(text, track->end, 8);
	watch_format_add_more(track->regions, text);
}

/** Returns the value of one of the columns that show a change in bytes. */
static int64_t change_of(const struct watch_row *row, enum watch_column column)
{
	switch (column) {
	case WATCH_DELTA:
		return row->track->delta;
	case WATCH_GROWTH:
		return row->growth;
	default:
		return row->size_growth;
	}
}

void watch_format_cell(const struct watch_row *row, enum watch_column column, bool bytes,
                       struct text *text)
{
	const struct pm_track *track = row->track;

	switch (column) {
	case WATCH_ADDRESS:
		add_address(track, text);
		break;
	case WATCH_RSS:
		watch_format_size(track->weight, bytes, text);
		break;
	case WATCH_SIZE:
		watch_format_size(track->size, bytes, text);
		break;

	case WATCH_DELTA:
	case WATCH_GROWTH:
	case WATCH_SIZE_GROWTH:
		delta_put_bytes(text, change_of(row, column), bytes);
		break;

	case WATCH_RATE:
		watch_verdict_rate(&row->trend, text);
		break;
	case WATCH_PER_HOUR:
		watch_verdict_extrapolate(&row->trend, 3600, bytes, text);
		break;
	case WATCH_PER_DAY:
		watch_verdict_extrapolate(&row->trend, 86400, bytes, text);
		break;
	case WATCH_VERDICT:
		text_string(text, pm_verdict_name(row->trend.verdict));
		break;
	case WATCH_KIND:
		text_string(text, row->label ? row->label : pm_kind_name(track->kind));
		break;
	default:
		watch_format_describe(row, text);
	}
}

enum out_style watch_format_style(const struct watch_row *row, enum watch_column column)
{
	if (column == WATCH_VERDICT && pm_trend_growth_rate(&row->trend) > 0)
		return OUT_GROWN;
	if (column == WATCH_GROWTH)
		return delta_style(row->growth);
	if (column == WATCH_SIZE_GROWTH)
		return delta_style(row->size_growth);
	if (column == WATCH_DELTA)
		return delta_style(row->track->delta);
	return watch_format_columns[column].style;
}

/**
 * Checks whether a limit of a cgroup is used up although the memory of the process does not grow.
 */
static bool fills_outside(const struct watch_history *history, const struct pm_limit *limit)
{
	struct forecast_time time = watch_history_time(history, limit);
	enum pm_verdict verdict = history->memory.trend.verdict;
	bool grows = verdict != PM_VERDICT_NO_GROWTH && verdict != PM_VERDICT_SHRINKING &&
	             verdict != PM_VERDICT_PLATEAU;

	return limit->kind == PM_LIMIT_CGROUP && time.known && !time.by_process && !time.beneath &&
	       !grows && pm_trend_growth_rate(&history->memory.trend) <= 0 && !history->gone;
}

/** Adds what is left of a limit, as bytes or as a number. */
static void put_amount_left(const struct pm_limit *limit, bool bytes, struct text *text)
{
	uint64_t left = pm_limit_left(limit);

	if (limit->counts && left == 0)
		text_string(text, "nothing");
	else if (limit->counts)
		text_grouped(text, left);
	else
		watch_format_size(left, bytes, text);
}

/**
 * Adds the time until a limit is reached or, if this time is not known, the amount that is left.
 * Adds nothing if the process is gone.
 */
static void add_left(const struct watch_history *history, const struct pm_limit *limit, bool bytes,
                     struct text *text)
{
	struct forecast_time time = watch_history_time(history, limit);

	/* While a process exits, it releases its memory. Its last sample therefore does not show
	 * how much was left before it ended. */
	if (history->gone)
		return;

	text_string(text, ": ");
	if (time.known) {
		text_string(text, "full in ");
		watch_verdict_time(time.estimate, time.seconds, text);
		if (time.by_process)
			text_string(text, " at this process's rate");
		if (time.beneath && history->beneath.track) {
			text_string(text, " at the rate of ");
			growth_text_put_name(history->beneath.track, text);
		}
		if (fills_outside(history, limit))
			text_string(text, " (the group grows, not this process)");
	} else {
		put_amount_left(limit, bytes, text);
		text_string(text, " left");
	}
}

/**
 * Returns the memory limit to report: the limit that is reached first if that is a limit of a
 * cgroup or the memory of the machine, otherwise the memory limit with the least left. The memory
 * of the machine is reported only if the process grows and the time is known.
 *
 * @param history  the history
 * @return         the limit; NULL if none is reported
 */
static const struct pm_limit *memory_limit_to_report(const struct watch_history *history)
{
	const struct pm_limit *first = watch_history_first_limit(history);
	const struct pm_limit *memory = pm_headroom_memory(&history->headroom);
	bool grows = pm_trend_growth_rate(&history->memory.trend) > 0;

	if (first && (first->kind == PM_LIMIT_CGROUP || (first->kind == PM_LIMIT_SYSTEM && grows)))
		memory = first;
	if (memory && memory->kind == PM_LIMIT_SYSTEM &&
	    (!grows || !watch_history_time(history, memory).known))
		return NULL;

	return memory;
}

/** Adds the memory limit, if one is to be reported. */
static void add_memory_limit(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct pm_limit *limit = memory_limit_to_report(history);
	uint64_t rss = history->sample.totals.rss;

	if (!limit)
		return;

	text_string(text, limit->kind == PM_LIMIT_SYSTEM ? "  machine " : "  limit ");
	watch_format_size(limit->max, bytes, text);

	/* The RSS can exceed the limit of the cgroup, because it includes memory that is charged to
	 * other cgroups: shared memory, files, and memory that the process used before it was moved
	 * to this cgroup. */
	if (limit->kind == PM_LIMIT_CGROUP && rss > limit->max && !history->gone) {
		text_string(text, " (");
		watch_format_size(limit->used, bytes, text);
		text_string(text, " used; the rest of the RSS is charged to other cgroups)");
	}

	add_left(history, limit, bytes, text);
}

bool watch_format_fills_outside(const struct watch_history *history)
{
	const struct pm_limit *limit = memory_limit_to_report(history);

	return limit && fills_outside(history, limit);
}

/** Returns the name of a limit on a count, as the kernel names it, or of a limit of a runtime. */
static const char *limit_title(enum pm_limit_kind kind)
{
	switch (kind) {
	case PM_LIMIT_JAVA_HEAP:
		return "Java heap";
	case PM_LIMIT_JAVA_METASPACE:
		return "metaspace";
	case PM_LIMIT_JAVA_CLASS_SPACE:
		return "class space";
	case PM_LIMIT_JAVA_CODE:
		return "code cache";
	case PM_LIMIT_JAVA_DIRECT:
		return "direct memory";
	case PM_LIMIT_V8_OLD_SPACE:
		return "V8 old space";
	case PM_LIMIT_GO_MEMORY:
		return "GOMEMLIMIT";
	case PM_LIMIT_MAPPINGS:
		return "vm.max_map_count";
	case PM_LIMIT_PIDS:
		return "pids.max";
	case PM_LIMIT_USER_THREADS:
		return "RLIMIT_NPROC";
	case PM_LIMIT_PID_MAX:
		return "pid_max";
	default:
		return "threads-max";
	}
}

/** Adds a limit under its usual name, such as RLIMIT_AS. */
static void add_named_limit(const struct watch_history *history, const struct pm_limit *limit,
                            const char *name, bool bytes, struct text *text)
{
	text_format(text, "  %s ", name);
	if (limit->counts)
		text_grouped(text, limit->max);
	else
		watch_format_size(limit->max, bytes, text);

	add_left(history, limit, bytes, text);
}

/** Adds the limits, but not the reserves, that the process will reach first. */
static void add_limits(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct pm_headroom *headroom = &history->headroom;
	const struct pm_limit *first = watch_history_first_limit(history);
	const struct pm_limit *memory = pm_headroom_memory(headroom);
	const struct pm_limit *space = pm_headroom_find(headroom, PM_LIMIT_ADDRESS_SPACE);

	if (first && first->kind == PM_LIMIT_DATA) {
		add_named_limit(history, first, "RLIMIT_DATA", bytes, text);
		return;
	}

	if (first && (first->counts || pm_limit_is_of_runtime(first->kind)))
		add_named_limit(history, first, limit_title(first->kind), bytes, text);
	if (!space || first != space)
		add_memory_limit(history, bytes, text);

	/* If address space grew in fewer than two steps, the time until its limit is reached is not
	 * known. This limit may still be reached before the memory limit, so it is added if less
	 * address space than memory is left. */
	if (space && (first == space || !memory || pm_limit_left(space) < pm_limit_left(memory)))
		add_named_limit(history, space, "RLIMIT_AS", bytes, text);
}

void watch_format_limit(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct watch_reserve *reserve = watch_reserve_soonest(&history->reserves);

	add_limits(history, bytes, text);
	if (reserve && !history->gone) {
		text_string(text, "  ");
		watch_reserve_describe(reserve, text);
	}
}

void watch_format_cost(const struct watch_history *history, struct text *text)
{
	const struct pm_sample_cost *cost = &history->sample.cost;

	/* The cost is a share of the time since the previous sample. The first sample has no
	 * previous one. */
	if (history->samples < 2)
		return;

	const char *gap = text->length > 0 ? "  " : "";
	if (!history->recorded) {
		/* The time is an upper bound: round it up. */
		uint64_t tenths = cost->lock_ns / 100000 + 1;
		double lock = (double)tenths / 10;

		text_format(text, "%scost %.2f%% cpu, map lock \xe2\x89\xa4 %.1fms", gap,
		            cost->share * 100, lock);
		gap = ", ";
	}

	if (history->held_back > 0)
		text_format(text,
		            "%sregions not measured in %" PRIu64 " of %" PRIu64
		            " samples (--budget)",
		            gap, history->held_back, history->samples);
}

void watch_format_age(const struct watch_history *history, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	if (!history->sample.held_back)
		return;

	pm_format_duration(history->sample.time - history->measured, duration);
	text_format(text, "%sregions as of %s ago", text->length > 0 ? "  " : "", duration);
}

void watch_format_rss(const struct watch_history *history, bool bytes, struct text *text)
{
	uint64_t rss = history->sample.totals.rss;
	int64_t delta = (int64_t)(rss - history->previous.rss);

	text_string(text, "RSS ");
	watch_format_size(rss, bytes, text);
	if (delta != 0) {
		text_char(text, ' ');
		delta_put_bytes(text, delta, bytes);
	}
}

void watch_format_parts(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct pm_totals *totals = &history->sample.totals;
	static const char *const names[] = { "  anon ", "  file ", "  shmem ", "  swap " };
	const uint64_t sizes[] = { totals->anon, totals->file, totals->shmem, totals->swap };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (sizes[i] == 0)
			continue;
		text_string(text, names[i]);
		watch_format_size(sizes[i], bytes, text);
	}
}
