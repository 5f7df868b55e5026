/* SPDX-License-Identifier: MIT */
#include "watch/json.h"

#include "target/json_parts.h"
#include "watch/heap_print.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/verdict.h"

/** Writes the representative region of a row, and the number and sizes of its regions. */
static void put_track(const struct pm_track *track, struct json *json)
{
	json_parts_track(json, track);
	json_put(json, "count", json_number(track->regions));
	json_put(json, "size", json_number(track->size));
	json_put(json, "rss", json_number(track->weight));
	json_put(json, "own_rss", json_number(track->own));
	json_put(json, "delta", json_integer(track->delta));
}

static void put_row(const struct watch_row *row, const struct peek_result *found, struct json *json)
{
	json_open(json, NULL, '{');
	put_track(row->track, json);
	if (row->files > 0)
		json_put(json, "files", json_number(row->files));
	json_put(json, "growth", json_integer(row->growth));
	json_put(json, "size_growth", json_integer(row->size_growth));
	json_parts_trend(json, &row->trend);
	if (*row->trend.reason)
		json_put(json, "least_squares", json_real(row->trend.least_squares));
	watch_reserve_json(json, row->reserve);

	if (*row->count_trend.reason) {
		if (row->count_trend.rate != 0)
			json_put(json, "count_rate", json_real(row->count_trend.rate));
		json_put(json, "count_verdict",
		         json_string(pm_verdict_name(row->count_trend.verdict)));
	}

	if (found)
		peek_print_json(found, json);
	json_shut(json, '}');
}

static void put_regions(const struct watch_run *run, const struct watch_history *history,
                        const struct watch_view *view, bool summary, struct json *json)
{
	json_open(json, "regions", '[');
	for (size_t i = 0; i < view->row_count; i++) {
		const struct watch_row *row = &view->rows[i];
		const struct peek_result *found = peek_found(run->peek, row);

		if (found && !summary && found->time != history->sample.time)
			found = NULL;
		put_row(row, found, json);
	}

	json_shut(json, ']');
}

static void put_kinds(const struct watch_history *history, const struct watch_view *view,
                      struct json *json)
{
	struct watch_sums kinds;

	watch_view_sum_kinds(&kinds, history, view->sort);
	json_open(json, "kinds", '[');
	for (size_t i = 0; i < kinds.count; i++) {
		const struct watch_row *row = &kinds.rows[i];

		json_open(json, NULL, '{');
		json_parts_kind(json, row->track->kind);
		json_put(json, "count", json_number(row->track->regions));
		json_put(json, "rss", json_number(row->track->weight));
		json_put(json, "growth", json_integer(row->growth));
		json_parts_trend(json, &row->trend);
		json_shut(json, '}');
	}

	json_shut(json, ']');
}

/** Writes the memory of each owner. */
static void put_owners(const struct watch_history *history, const struct watch_view *view,
                       struct json *json)
{
	struct watch_sums owners;

	watch_view_sum_owners(&owners, history, view->sort);
	json_open(json, "owners", '[');
	for (size_t i = 0; i < owners.count; i++) {
		const struct watch_row *row = &owners.rows[i];

		json_open(json, NULL, '{');
		json_parts_owner(json, row->track->owner);
		json_put(json, "count", json_number(row->track->regions));
		json_put(json, "rss", json_number(row->track->weight));
		json_put(json, "delta", json_integer(row->track->delta));
		json_put(json, "growth", json_integer(row->growth));
		json_parts_trend(json, &row->trend);
		json_shut(json, '}');
	}

	json_shut(json, ']');
}

/**
 * Writes the limit that will be reached first. This can be a limit on memory or on a count, such as
 * the number of threads.
 */
static void put_first_limit(const struct watch_history *history, struct json *json)
{
	const struct pm_limit *limit = watch_history_first_limit(history);
	if (!limit)
		return;

	struct forecast_time time = watch_history_time(history, limit);
	json_open(json, "first_limit", '{');
	json_parts_limit(json, limit);
	json_parts_left(json, &time);
	json_shut(json, '}');
}

static void put_totals(const struct watch_history *history, struct json *json)
{
	const struct pm_limit *limit = pm_headroom_memory(&history->headroom);

	json_parts_totals(json, &history->sample.totals);
	json_put(json, "count", json_number(history->sample.regions->count));
	json_parts_trend(json, &history->memory.trend);
	watch_verdict_json_beneath(json, &history->beneath);
	if (limit) {
		json_put(json, "max", json_number(limit->max));
		json_put(json, "left", json_number(pm_limit_left(limit)));

		struct forecast_time time = watch_history_time(history, limit);
		json_parts_left(json, &time);
	}

	put_first_limit(history, json);
	watch_reserve_json(json, watch_reserve_soonest(&history->reserves));
}

/** Writes the members that only the last object has, which summarizes the run. */
static void put_summary(const struct watch_run *run, const struct watch_history *history,
                        struct json *json)
{
	const struct pm_process_id *process = &run->process;
	uint64_t growth = history->sample.totals.rss - history->first.rss;

	json_put(json, "summary", json_true());
	if (run->replay)
		json_put(json, "path", json_text(run->target->path));
	json_parts_process(json, process->pid, process->comm, process->command);
	json_put(json, "sample_count", json_number(history->samples));
	json_put(json, "held_back", json_number(history->held_back));
	if (history->stopped > 0)
		json_put(json, "stopped_count", json_number(history->stopped));
	json_put(json, "growth", json_integer((int64_t)growth));
	if (run->ended)
		json_put(json, "ended", json_text(run->ended));
}

static void put_cost(const struct pm_sample_cost *cost, bool summary, struct json *json)
{
	uint64_t cpu_ns = summary ? cost->cpu_ns : cost->last_cpu_ns;

	json_put(json, "cost_us", json_number(cpu_ns / 1000));
	json_put(json, "lock_us", json_number(cost->lock_ns / 1000));
}

/** Writes whether the sizes of the regions belong to this sample and, if not, their age. */
static void put_age(const struct watch_history *history, struct json *json)
{
	bool fresh = !history->sample.held_back;

	json_put(json, "fresh", json_boolean(fresh));
	if (!fresh)
		json_put(json, "age", json_real(history->sample.time - history->measured));
}

/** Writes which processes around the watched one grow, if there are any. */
static void put_around(const struct watch_run *run, struct json *json)
{
	struct text text = { 0 };

	if (watch_around_describe(run->around, &text))
		json_put(json, "around", json_bytes(text.bytes, text.length));
	text_deinit(&text);
}

void watch_json_print(const struct watch_run *run, const struct watch_history *history,
                      const struct watch_view *view, bool summary, struct out *out)
{
	const struct pm_sample *sample = &history->sample;
	struct json json = { .out = out, .one_line = true };

	json_open(&json, NULL, '{');
	json_put(&json, "time", json_time(sample->wall_ns));
	json_put(&json, "elapsed", json_real(sample->time - history->began));
	if (summary)
		put_summary(run, history, &json);
	else if (run->options->several)
		json_put(&json, "pid", json_number((uint64_t)run->process.pid));
	put_totals(history, &json);
	if (!history->recorded)
		put_cost(&sample->cost, summary, &json);

	put_around(run, &json);
	put_age(history, &json);
	put_regions(run, history, view, summary, &json);
	if (summary)
		put_kinds(history, view, &json);
	if (history->owners_fresh || (summary && history->owners_known))
		put_owners(history, view, &json);
	if (run->heap && (summary || watch_heap_walked(run->heap)))
		watch_heap_print_json(run->heap, &json);
	json_shut(&json, '}');
	out_string(out, "\n");
}
