/* SPDX-License-Identifier: MIT */
#include "watch/json.h"

#include <stdlib.h>

#include "base/delta.h"
#include "target/region_text.h"
#include "view/json.h"
#include "watch/kinds.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/step.h"

static json_t *row_object(const struct watch *watch, const struct watch_row *row, bool summary)
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

	json_add(object, "count", json_number(track->regions));
	json_add(object, "size", json_number(track->size));
	json_add(object, "rss", json_number(track->weight));
	json_add(object, "own_rss", json_number(track->own));
	json_add(object, "delta", json_integer(track->delta));
	json_add(object, "growth", json_integer(row->growth));
	json_add(object, "rate", json_real(row->trend.rate));
	json_add(object, "least_squares", json_real(row->trend.least_squares));

	json_add(object, "verdict", json_string(pm_verdict_name(row->trend.verdict)));
	json_add(object, "reason", json_string(row->trend.reason));
	if (*row->count_trend.reason) {
		json_add(object, "count_rate", json_real(row->count_trend.rate));
		json_add(object, "count_verdict",
		         json_string(pm_verdict_name(row->count_trend.verdict)));
	}

	const struct peek_result *found = peek_found(watch, row);
	if (found && (summary || found->time == watch->sample.time))
		peek_print_json(watch, row, object);

	return object;
}

/** What regions do by kind. */
static json_t *kinds_array(const struct watch *watch)
{
	json_t *kinds = json_array();
	watch_kinds_sort(watch->kinds, watch);
	for (size_t i = 0; i < watch->kinds->count; i++) {
		const struct watch_row *row = &watch->kinds->rows[i];
		json_t *object = json_object();
		json_add(object, "kind", json_string(pm_kind_name(row->track->kind)));
		json_add(object, "count", json_number(row->track->regions));
		json_add(object, "rss", json_number(row->track->weight));
		json_add(object, "growth", json_integer(row->growth));
		json_add(object, "rate", json_real(row->trend.rate));
		json_add(object, "verdict", json_string(pm_verdict_name(row->trend.verdict)));
		json_add(object, "reason", json_string(row->trend.reason));
		json_array_append_new(kinds, object);
	}

	return kinds;
}

/** The limit that is met first, which need not be one of memory. */
static void put_first_limit(json_t *object, const struct watch *watch)
{
	const struct pm_limit *limit = first_limit(&watch->headroom, watch_lasts, watch);
	double seconds;
	if (!limit)
		return;

	json_t *first = json_object();
	json_add(first, "limit", json_string(pm_limit_name(limit->kind)));
	json_add(first, "max", json_number(limit->max));
	json_add(first, "left", json_number(pm_limit_left(limit)));
	if (watch_lasts(watch, limit, &seconds))
		json_add(first, "seconds_left", json_real(seconds));
	json_add(object, "first_limit", first);
}

static void put_totals(json_t *object, const struct watch *watch)
{
	const struct pm_totals *totals = &watch->sample.totals;
	const struct pm_limit *limit = pm_headroom_memory(&watch->headroom);
	double seconds;

	json_add(object, "rss", json_number(totals->rss));
	json_add(object, "anon", json_number(totals->anon));
	json_add(object, "file", json_number(totals->file));
	json_add(object, "shmem", json_number(totals->shmem));
	json_add(object, "swap", json_number(totals->swap));
	json_add(object, "size", json_number(totals->size));
	json_add(object, "threads", json_number(totals->threads));
	json_add(object, "count", json_number(watch->sample.regions->count));

	json_add(object, "rate", json_real(watch->memory_trend.rate));
	json_add(object, "verdict", json_string(pm_verdict_name(watch->memory_trend.verdict)));
	if (limit) {
		json_add(object, "limit", json_number(limit->max));
		json_add(object, "left", json_number(pm_limit_left(limit)));
	}

	if (limit && watch_lasts(watch, limit, &seconds))
		json_add(object, "seconds_left", json_real(seconds));
	put_first_limit(object, watch);
}

void watch_json_print(const struct watch *watch, bool summary, struct out *out)
{
	json_t *object = json_object(), *regions = json_array();
	struct text time = { 0 };
	delta_put_time(&time, watch->sample.wall_ns);
	json_add(object, "time", json_text(text_terminate(&time)));
	text_deinit(&time);
	json_add(object, "elapsed", json_real(watch->sample.time - watch->began));

	if (summary) {
		json_add(object, "summary", json_true());
		if (watch->replay)
			json_add(object, "recording", json_text(watch->target->path));
		json_add(object, "pid", json_number((uint64_t)watch->run.pid));
		json_add(object, "command", json_text(watch->run.command));
		json_add(object, "samples", json_number(watch->samples));
		json_add(object, "held_back", json_number(watch->held_back));
		json_add(object, "growth",
		         json_integer((int64_t)(watch->sample.totals.rss - watch->first.rss)));
		if (watch->ended)
			json_add(object, "ended", json_string(watch->ended));
	}

	put_totals(object, watch);
	if (!watch->replay) {
		json_add(object, "cost_us",
		         json_number((summary ? watch->sample.cost.cpu_ns
		                              : watch->sample.cost.last_cpu_ns) /
		                     1000));
		json_add(object, "lock_us", json_number(watch->sample.cost.lock_ns / 1000));
	}

	for (size_t i = 0; i < watch->row_count; i++)
		json_array_append_new(regions, row_object(watch, &watch->rows[i], summary));

	json_add(object, "regions", regions);
	if (summary)
		json_add(object, "kinds", kinds_array(watch));

	char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
	if (line) {
		out_string(out, line);
		out_string(out, "\n");
	}

	free(line);
	json_decref(object);
}
