/* SPDX-License-Identifier: MIT */
#include "headroom/json.h"

#include "headroom/answer.h"
#include "headroom/members.h"

/** Writes the members of a trend: `verdict`, and `rate` or `estimated_rate` with `step`. */
static void put_trend(struct json *json, const struct pm_trend *trend)
{
	json_put(json, "verdict", json_string(pm_verdict_name(trend->verdict)));
	if (trend->estimate) {
		json_put(json, "estimated_rate", json_real(trend->estimated_rate));
		json_put(json, "step", json_real(trend->step));
	} else if (trend->rate != 0) {
		json_put(json, "rate", json_real(trend->rate));
	}
}

/** Writes `seconds_left` and `estimate`, if the time is known. */
static void put_time(struct json *json, const struct headroom_time *time)
{
	if (!time->known)
		return;

	json_put(json, "seconds_left", json_real(time->seconds));
	json_put(json, "estimate", json_boolean(time->estimate));
}

static void put_limit(struct json *json, const struct pm_limit *limit,
                      const struct headroom_forecast *forecast)
{
	struct headroom_time time = headroom_forecast_time(forecast);

	json_open(json, NULL, '{');
	json_put(json, "name", json_string(pm_limit_name(limit->kind)));
	json_put(json, "max", json_number(limit->max));
	json_put(json, "source", json_text(limit->source));
	if (limit->exempt) {
		json_put(json, "exempt", json_true());
		json_shut(json, '}');
		return;
	}

	json_put(json, "used", json_number(limit->used));
	json_put(json, "reclaimable", json_number(limit->reclaimable));
	json_put(json, "left", json_number(pm_limit_left(limit)));
	if (limit->approximate)
		json_put(json, "approximate", json_true());

	if (forecast->measured)
		put_trend(json, &forecast->trend);
	put_time(json, &time);

	if (forecast->by_process.known) {
		json_open(json, "process", '{');
		put_trend(json, &forecast->process);
		put_time(json, &forecast->by_process);
		json_shut(json, '}');
	}

	json_shut(json, '}');
}

/** Writes the limit that is reached first. */
static void put_first(struct json *json, const struct headroom_report *report)
{
	const struct pm_limit *limit = headroom_answer_limit(report);
	if (!limit)
		return;

	struct headroom_time time = headroom_forecast_time(
		&report->forecasts[limit - report->headroom.limits]);
	json_open(json, "first_limit", '{');
	json_put(json, "name", json_string(pm_limit_name(limit->kind)));
	json_put(json, "source", json_text(limit->source));
	json_put(json, "max", json_number(limit->max));
	json_put(json, "left", json_number(pm_limit_left(limit)));
	put_time(json, &time);
	json_shut(json, '}');
}

static void put_limits(struct json *json, const struct headroom_report *report)
{
	static const char *const unseen[] = {
		[PM_CGROUP_ANCESTORS_HIDDEN] = "cgroup_ancestors", [PM_CGROUP_HIDDEN] = "cgroup"
	};
	enum pm_cgroup_view view = report->headroom.cgroup_view;

	json_open(json, "limits", '[');
	for (size_t i = 0; i < report->headroom.count; i++)
		put_limit(json, &report->headroom.limits[i], &report->forecasts[i]);
	json_shut(json, ']');

	if (view != PM_CGROUP_VISIBLE) {
		json_open(json, "unseen", '[');
		json_put(json, NULL, json_string(unseen[view]));
		json_shut(json, ']');
	}
}

static void put_events(struct json *json, const struct pm_headroom *headroom)
{
	if (headroom->events.known) {
		json_open(json, "events", '{');
		json_put(json, "oom_kill", json_number(headroom->events.oom_kill));
		json_put(json, "max", json_number(headroom->events.max));
		if (headroom->cgroup_version == 2) {
			json_put(json, "high", json_number(headroom->events.high));
			json_put(json, "oom", json_number(headroom->events.oom));
		}
		json_shut(json, '}');
	}

	if (headroom->pressure.known) {
		json_open(json, "pressure", '{');
		json_put(json, "some_avg10", json_real(headroom->pressure.some10));
		json_put(json, "full_avg10", json_real(headroom->pressure.full10));
		json_shut(json, '}');
	}
}

void headroom_json_print(const struct headroom_report *report, struct out *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "pid", json_number((uint64_t)report->info->pid));
	json_put(&json, "name", json_text(report->info->comm));
	if (*report->command)
		json_put(&json, "command", json_text(report->command));
	json_put(&json, "time", json_now());
	json_put(&json, "rss", json_number(report->totals.rss));
	json_put(&json, "swap", json_number(report->totals.swap));
	json_put(&json, "threads", json_number(report->totals.threads));
	put_limits(&json, report);
	put_first(&json, report);

	headroom_members_put(report, &json);
	json_open(&json, "kinds", '{');
	for (int kind = 0; kind < PM_KIND_COUNT; kind++)
		if (report->weights[kind] > 0)
			json_put(&json, pm_kind_name((enum pm_kind)kind),
			         json_number(report->weights[kind]));
	json_shut(&json, '}');

	put_events(&json, &report->headroom);
	json_shut(&json, '}');
	out_string(out, "\n");
}
