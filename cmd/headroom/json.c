/* SPDX-License-Identifier: MIT */
#include "headroom/json.h"

#include "headroom/answer.h"
#include "headroom/fillers_print.h"
#include "headroom/members.h"
#include "headroom/print.h"
#include "headroom/rows.h"
#include "target/json_parts.h"

static void put_limit(struct json *json, const struct headroom_report *report, size_t index)
{
	const struct pm_limit *limit = &report->headroom.limits[index];
	const struct forecast *forecast = &report->forecasts[index];
	const struct forecast_time *by_process = &forecast->by_process;
	struct forecast_time time = forecast_time(forecast);

	json_open(json, NULL, '{');
	json_parts_limit(json, limit);
	if (!limit->exempt)
		json_parts_trend(json, &forecast->trend);
	json_parts_left(json, &time);

	if (by_process->known) {
		struct forecast_source source = headroom_rates_source(report->rates);

		json_open(json, "process", '{');
		json_parts_trend(json, forecast_process_trend(&source, limit));
		json_parts_left(json, by_process);
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

	struct forecast_time time = forecast_time(
		&report->forecasts[limit - report->headroom.limits]);
	json_open(json, "first_limit", '{');
	json_parts_limit(json, limit);
	json_parts_left(json, &time);
	json_shut(json, '}');
}

/**
 * Writes the age of the rates, whose they are if not those of the process with this PID, the trend
 * of the memory of the process, and what grows beneath it.
 */
static void put_growth(struct json *json, const struct headroom_rates *rates, pid_t pid)
{
	if (rates->recorded)
		json_put(json, "rates_age", json_real(rates->age));
	if (rates->known && rates->pid != 0 && rates->pid != pid)
		json_put(json, "rates_pid", json_integer(rates->pid));
	if (!*rates->trend.reason)
		return;

	json_open(json, "memory", '{');
	json_parts_trend(json, &rates->trend);
	if (rates->beneath)
		json_parts_beneath(json, rates->beneath, &rates->beneath_trend);
	json_shut(json, '}');
}

/** Writes the reserve that will be used up first. */
static void put_reserve(struct json *json, const struct headroom_rates *rates)
{
	const struct pm_reserve *reserve = rates->reserve;
	if (!reserve)
		return;

	const struct forecast_time time = { .known = true,
		                            .estimate = rates->reserve_trend.estimate,
		                            .seconds = rates->reserve_seconds };
	json_parts_reserve(json, reserve, &rates->reserve_trend, &time);
}

/** Writes the kinds that hold memory, largest first. */
static void put_kinds(struct json *json, const struct headroom_report *report)
{
	enum pm_kind order[PM_KIND_COUNT];
	size_t count = headroom_print_order(report, order);

	json_open(json, "kinds", '[');
	for (size_t i = 0; i < count; i++) {
		enum pm_kind kind = order[i];

		json_open(json, NULL, '{');
		json_parts_kind(json, kind);
		json_put(json, "count", json_number(report->counts[kind]));
		json_put(json, "rss", json_number(report->weights[kind] - report->swapped[kind]));
		json_put(json, "swap", json_number(report->swapped[kind]));
		json_shut(json, '}');
	}

	json_shut(json, ']');
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

static void put_events(struct json *json, const struct headroom_report *report)
{
	const struct pm_headroom *headroom = &report->headroom;
	double reached = headroom_rates_reached(report->rates);

	if (headroom->events.known) {
		json_open(json, "events", '{');
		json_put(json, "oom_kill", json_number(headroom->events.oom_kill));
		json_put(json, "max", json_number(headroom->events.max));
		if (reached > 0)
			json_put(json, "max_rate", json_real(reached));
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
		if (headroom->pressure.machine)
			json_put(json, "of_machine", json_true());
		json_shut(json, '}');
	}
}

void headroom_json_print(const struct headroom_report *report, struct out *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_parts_process(&json, report->info->pid, report->info->comm, report->command);
	json_put(&json, "time", json_now());
	if (report->rates->ended)
		json_put(&json, "ended", json_text(report->rates->last.reason.bytes));
	json_put(&json, "rss", json_number(report->totals.rss));
	json_put(&json, "swap", json_number(report->totals.swap));
	json_put(&json, "threads", json_number(report->totals.threads));
	put_limits(&json, report);
	put_first(&json, report);
	put_growth(&json, report->rates, report->info->pid);
	put_reserve(&json, report->rates);
	headroom_fillers_print_json(report, &json);
	headroom_rows_put(report, &json);

	headroom_members_put(report, &json);
	put_kinds(&json, report);
	put_events(&json, report);
	json_shut(&json, '}');
	out_string(out, "\n");
}
