/* SPDX-License-Identifier: MIT */
#include "headroom/csv.h"

#include "view/csv.h"

static void put_limit(struct csv *csv, const struct headroom_report *report, size_t index)
{
	const struct pm_limit *limit = &report->headroom.limits[index];
	const struct forecast *forecast = &report->forecasts[index];
	const struct pm_trend *trend = &forecast->trend;
	struct forecast_time time = forecast_time(forecast);
	bool used = !limit->exempt && !limit->used_unknown;
	bool judged = !limit->exempt && *trend->reason;

	csv_string(csv, pm_limit_name(limit->kind));
	csv_number(csv, limit->max);
	if (used) {
		csv_number(csv, limit->used);
		csv_number(csv, limit->reclaimable);
		csv_number(csv, pm_limit_left(limit));
	} else {
		csv_none(csv);
		csv_none(csv);
		csv_none(csv);
	}

	if (judged && trend->rate != 0)
		csv_real(csv, trend->rate);
	else
		csv_none(csv);
	csv_string(csv, judged ? pm_verdict_name(trend->verdict) : NULL);
	if (time.known)
		csv_real(csv, time.seconds);
	else
		csv_none(csv);
	csv_string(csv, time.known && time.estimate ? "true" : NULL);
	csv_string(csv, limit->source);
	csv_end(csv);
}

void headroom_csv_print(const struct headroom_report *report, struct out *out)
{
	struct csv csv = { .out = out };

	out_string(out,
	           "name,max,used,reclaimable,left,rate,verdict,seconds_left,estimate,source\n");
	for (size_t i = 0; i < report->headroom.count; i++)
		put_limit(&csv, report, i);
	csv_deinit(&csv);
}
