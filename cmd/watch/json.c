/* SPDX-License-Identifier: MIT */
#include "watch/json.h"

#include <stdlib.h>

#include "base/delta.h"
#include "target/first_limit.h"
#include "target/region_text.h"
#include "view/json.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/verdict.h"

static json_t *row_object(const struct watch_row *row)
{
	const struct pm_track *track = row->track;
	json_t *object = json_object();

	json_add(object, "start", json_address(track->start));
	json_add(object, "end", json_address(track->end));
	json_add(object, "kind", json_string(pm_kind_name(track->kind)));
	if (*track->mapping)
		json_add(object, "mapping", json_text(track->mapping));
	if (track->detail.type != PM_DETAIL_NONE)
		json_add(object, "detail", region_text_detail_json(&track->detail));

	if (row->files > 0)
		json_add(object, "files", json_number(row->files));
	json_add(object, "count", json_number(track->regions));
	json_add(object, "size", json_number(track->size));
	json_add(object, "rss", json_number(track->weight));
	json_add(object, "own_rss", json_number(track->own));
	json_add(object, "delta", json_integer(track->delta));
	json_add(object, "growth", json_integer(row->growth));
	json_add(object, "size_growth", json_integer(row->size_growth));

	watch_verdict_json(object, &row->trend);
	watch_reserve_json(object, row->reserve);
	json_add(object, "least_squares", json_real(row->trend.least_squares));
	if (*row->count_trend.reason) {
		if (row->count_trend.rate != 0)
			json_add(object, "count_rate", json_real(row->count_trend.rate));
		json_add(object, "count_verdict",
		         json_string(pm_verdict_name(row->count_trend.verdict)));
	}

	return object;
}

static json_t *regions_array(const struct watch_run *run, const struct watch_history *history,
                             const struct watch_view *view, bool summary)
{
	json_t *regions = json_array();

	for (size_t i = 0; i < view->row_count; i++) {
		const struct watch_row *row = &view->rows[i];
		const struct peek_result *found = peek_found(run->peek, row);
		json_t *object = row_object(row);

		if (found && (summary || found->time == history->sample.time))
			peek_print_json(found, object);
		json_array_append_new(regions, object);
	}

	return regions;
}

static json_t *kinds_array(const struct watch_history *history, const struct watch_view *view)
{
	json_t *array = json_array();
	struct watch_kinds kinds;

	watch_view_sum_kinds(&kinds, history, view->sort);
	for (size_t i = 0; i < kinds.count; i++) {
		const struct watch_row *row = &kinds.rows[i];
		json_t *object = json_object();
		json_add(object, "kind", json_string(pm_kind_name(row->track->kind)));
		json_add(object, "count", json_number(row->track->regions));
		json_add(object, "rss", json_number(row->track->weight));
		json_add(object, "growth", json_integer(row->growth));
		watch_verdict_json(object, &row->trend);
		json_array_append_new(array, object);
	}

	return array;
}

/**
 * Adds the limit that will be reached first. This can be a limit on memory or on a count, such as
 * the number of threads.
 */
static void add_first_limit(json_t *object, const struct watch_history *history)
{
	const struct pm_limit *limit = first_limit(&history->headroom, watch_history_lasts,
	                                           history);
	double seconds;

	if (!limit)
		return;

	json_t *first = json_object();
	json_add(first, "limit", json_string(pm_limit_name(limit->kind)));
	json_add(first, "max", json_number(limit->max));
	json_add(first, "left", json_number(pm_limit_left(limit)));
	if (watch_history_lasts(history, limit, &seconds)) {
		const struct pm_trend *trend = watch_history_trend(history, limit);

		json_add(first, "seconds_left", json_real(seconds));
		json_add(first, "estimate", json_boolean(trend->estimate));
	}

	json_add(object, "first_limit", first);
}

static void add_totals(json_t *object, const struct watch_history *history)
{
	const struct pm_totals *totals = &history->sample.totals;
	const struct pm_trend *trend = &history->memory.trend;
	const struct pm_limit *limit = pm_headroom_memory(&history->headroom);
	double seconds;

	json_add(object, "rss", json_number(totals->rss));
	json_add(object, "anon", json_number(totals->anon));
	json_add(object, "file", json_number(totals->file));
	json_add(object, "shmem", json_number(totals->shmem));
	json_add(object, "swap", json_number(totals->swap));
	json_add(object, "size", json_number(totals->size));
	json_add(object, "threads", json_number(totals->threads));
	json_add(object, "count", json_number(history->sample.regions->count));

	watch_verdict_json(object, trend);
	watch_verdict_json_beneath(object, &history->beneath);
	if (limit) {
		json_add(object, "limit", json_number(limit->max));
		json_add(object, "left", json_number(pm_limit_left(limit)));
	}

	/* Whether this is an estimate is a member of the verdict. */
	if (limit && watch_history_lasts(history, limit, &seconds))
		json_add(object, "seconds_left", json_real(seconds));
	add_first_limit(object, history);
	watch_reserve_json(object, watch_reserve_soonest(&history->reserves));
}

/** Adds the members that only the last object has, which summarizes the run. */
static void add_summary(json_t *object, const struct watch_run *run,
                        const struct watch_history *history)
{
	uint64_t growth = history->sample.totals.rss - history->first.rss;

	json_add(object, "summary", json_true());
	if (run->replay)
		json_add(object, "recording", json_text(run->target->path));
	json_add(object, "pid", json_number((uint64_t)run->process.pid));
	json_add(object, "command", json_text(run->process.command));
	json_add(object, "samples", json_number(history->samples));
	json_add(object, "held_back", json_number(history->held_back));
	json_add(object, "growth", json_integer((int64_t)growth));
	if (run->ended)
		json_add(object, "ended", json_string(run->ended));
}

static void add_cost(json_t *object, const struct pm_sample_cost *cost, bool summary)
{
	uint64_t cpu_ns = summary ? cost->cpu_ns : cost->last_cpu_ns;
	json_add(object, "cost_us", json_number(cpu_ns / 1000));
	json_add(object, "lock_us", json_number(cost->lock_ns / 1000));
}

/** Adds whether the sizes of the regions belong to this sample and, if not, their age. */
static void add_age(json_t *object, const struct watch_history *history)
{
	bool fresh = !history->sample.held_back;

	json_add(object, "fresh", json_boolean(fresh));
	if (!fresh)
		json_add(object, "age", json_real(history->sample.time - history->measured));
}

void watch_json_print(const struct watch_run *run, const struct watch_history *history,
                      const struct watch_view *view, bool summary, struct out *out)
{
	json_t *object = json_object();
	struct text time = { 0 };

	delta_put_time(&time, history->sample.wall_ns);
	json_add(object, "time", json_text(text_terminate(&time)));
	text_deinit(&time);
	json_add(object, "elapsed", json_real(history->sample.time - history->began));

	if (summary)
		add_summary(object, run, history);
	add_totals(object, history);
	if (!history->recorded)
		add_cost(object, &history->sample.cost, summary);

	add_age(object, history);
	json_add(object, "regions", regions_array(run, history, view, summary));
	if (summary)
		json_add(object, "kinds", kinds_array(history, view));

	char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
	if (line) {
		out_string(out, line);
		out_string(out, "\n");
	}

	free(line);
	json_decref(object);
}
