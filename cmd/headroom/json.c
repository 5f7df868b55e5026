/* SPDX-License-Identifier: MIT */
#include "headroom/json.h"

#include "headroom/answer.h"
#include "headroom/members.h"
#include "target/growth_text.h"

/** Adds `seconds_left` and `estimate`, if the time is known. */
static void add_time(json_t *object, const struct headroom_time *time)
{
	if (!time->known)
		return;

	json_add(object, "seconds_left", json_real(time->seconds));
	json_add(object, "estimate", json_boolean(time->estimate));
}

/** Makes the members that `limits` and `first_limit` have in common. */
static json_t *limit_object(const struct pm_limit *limit)
{
	json_t *object = json_object();

	json_add(object, "name", json_string(pm_limit_name(limit->kind)));
	json_add(object, "source", json_text(limit->source));
	json_add(object, "max", json_number(limit->max));
	if (!limit->exempt)
		json_add(object, "left", json_number(pm_limit_left(limit)));

	return object;
}

static void put_limit(struct json *json, const struct headroom_report *report, size_t index)
{
	const struct pm_limit *limit = &report->headroom.limits[index];
	const struct headroom_forecast *forecast = &report->forecasts[index];
	struct headroom_time time = headroom_forecast_time(forecast);
	json_t *object = limit_object(limit);

	if (limit->exempt) {
		json_add(object, "exempt", json_true());
		json_put(json, NULL, object);
		return;
	}

	json_add(object, "used", json_number(limit->used));
	json_add(object, "reclaimable", json_number(limit->reclaimable));
	if (limit->approximate)
		json_add(object, "approximate", json_true());
	if (forecast->measured)
		growth_text_json(object, &forecast->trend);
	add_time(object, &time);

	if (forecast->by_process.known) {
		json_t *process = json_object();
		growth_text_json(process, &report->rates->trend);
		add_time(process, &forecast->by_process);
		json_add(object, "process", process);
	}

	json_put(json, NULL, object);
}

/** Writes the limit that is reached first. */
static void put_first(struct json *json, const struct headroom_report *report)
{
	const struct pm_limit *limit = headroom_answer_limit(report);
	if (!limit)
		return;

	struct headroom_time time = headroom_forecast_time(
		&report->forecasts[limit - report->headroom.limits]);
	json_t *object = limit_object(limit);
	add_time(object, &time);
	json_put(json, "first_limit", object);
}

/** Writes the trend of the memory of the process, and what grows beneath it. */
static void put_growth(struct json *json, const struct headroom_rates *rates)
{
	if (!*rates->trend.reason)
		return;

	json_t *object = json_object();
	growth_text_json(object, &rates->trend);
	if (rates->beneath)
		growth_text_json_beneath(object, rates->beneath, &rates->beneath_trend);
	json_put(json, "growth", object);
}

static void put_limits(struct json *json, const struct headroom_report *report)
{
	static const char *const unseen[] = {
		[PM_CGROUP_ANCESTORS_HIDDEN] = "cgroup_ancestors", [PM_CGROUP_HIDDEN] = "cgroup"
	};
	enum pm_cgroup_view view = report->headroom.cgroup_view;

	json_open(json, "limits", '[');
	for (size_t i = 0; i < report->headroom.count; i++)
		put_limit(json, report, i);
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
	put_growth(&json, report->rates);

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
