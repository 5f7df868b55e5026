/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <stdlib.h>

#include "delta.h"
#include "json.h"

static void put(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new_nocheck(object, key, value);
}

static json_t *row_object(const struct watch_row *row)
{
	const struct pm_track *track = row->track;
	json_t *object = json_object();
	put(object, "start", json_address(track->start));
	put(object, "end", json_address(track->end));
	put(object, "kind", json_string(pm_kind_name(track->kind)));
	if (*track->mapping)
		put(object, "mapping", json_text(track->mapping));
	if (*track->detail)
		put(object, "detail", json_text(track->detail));
	put(object, "count", json_number(track->regions));
	put(object, "size", json_number(track->size));
	put(object, "rss", json_number(track->weight));
	put(object, "delta", json_integer(track->delta));
	put(object, "growth", json_integer(row->growth));
	put(object, "rate", json_real(row->trend.rate));
	put(object, "least_squares", json_real(row->trend.least_squares));
	put(object, "verdict", json_string(pm_verdict_name(row->trend.verdict)));
	put(object, "reason", json_string(row->trend.reason));
	if (*row->count_trend.reason) {
		put(object, "count_rate", json_real(row->count_trend.rate));
		put(object, "count_verdict", json_string(pm_verdict_name(row->count_trend.verdict)));
	}
	return object;
}

static void put_totals(json_t *object, const struct watch *watch)
{
	const struct pm_totals *totals = &watch->sample.totals;
	const struct pm_limit *limit = pm_headroom_memory(&watch->headroom);
	double seconds;
	put(object, "rss", json_number(totals->rss));
	put(object, "anon", json_number(totals->anon));
	put(object, "file", json_number(totals->file));
	put(object, "shmem", json_number(totals->shmem));
	put(object, "swap", json_number(totals->swap));
	put(object, "size", json_number(totals->size));
	put(object, "threads", json_number(totals->threads));
	put(object, "count", json_number(watch->sample.regions->count));
	put(object, "rate", json_real(watch->memory_trend.rate));
	put(object, "verdict", json_string(pm_verdict_name(watch->memory_trend.verdict)));
	if (limit) {
		put(object, "limit", json_number(limit->max));
		put(object, "left", json_number(pm_limit_left(limit)));
	}
	if (watch_lasts(watch, &seconds))
		put(object, "seconds_left", json_real(seconds));
}

void watch_print_json(const struct watch *watch, bool summary, struct out *out)
{
	json_t *object = json_object(), *regions = json_array();
	struct text time = { 0 };
	text_time(&time, watch->sample.wall_ns);
	put(object, "time", json_text(text_terminate(&time)));
	text_deinit(&time);
	put(object, "elapsed", json_real(watch->sample.time - watch->began));
	if (summary) {
		put(object, "summary", json_true());
		put(object, "pid", json_number((uint64_t)watch->run.pid));
		put(object, "command", json_text(watch->run.command));
		put(object, "samples", json_number(watch->samples));
		put(object, "held_back", json_number(watch->held_back));
		put(object, "growth", json_integer((int64_t)(watch->sample.totals.rss - watch->first.rss)));
		if (watch->ended)
			put(object, "ended", json_string(watch->ended));
	}
	put_totals(object, watch);
	put(object, "cost_us", json_number((summary ? watch->sample.cost.cpu_ns : watch->sample.cost.last_cpu_ns) / 1000));
	put(object, "lock_us", json_number(watch->sample.cost.lock_ns / 1000));
	for (size_t i = 0; i < watch->row_count; i++)
		json_array_append_new(regions, row_object(&watch->rows[i]));
	put(object, "regions", regions);
	char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
	if (line) {
		out_string(out, line);
		out_string(out, "\n");
	}
	free(line);
	json_decref(object);
}
