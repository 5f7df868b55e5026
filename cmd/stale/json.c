/* SPDX-License-Identifier: MIT */
#include "stale/json.h"

#include "stale/growth.h"
#include "target/json_parts.h"
#include "view/json.h"

static void put_readings(struct json *json, const struct pm_stale_result *result)
{
	json_open(json, "readings", '[');
	for (size_t i = 0; i < result->reading_count; i++) {
		const struct pm_stale_reading *reading = &result->readings[i];

		json_open(json, NULL, '{');
		json_put(json, "seconds", json_real(reading->seconds));
		json_put(json, "read_us", json_number(reading->read_us));
		json_put(json, "rss", json_number(reading->rss));
		json_put(json, "referenced", json_number(reading->referenced));
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_growths(struct json *json, const struct pm_stale_result *result)
{
	struct stale_growth found[STALE_GROWTH_MAX];
	size_t count = stale_growth_find(result, found);

	json_open(json, "untouched_growth", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		if (found[i].region)
			json_parts_region(json, &found[i].region->region);
		else
			json_parts_kind(json, found[i].kind);
		json_put(json, "rss_before", json_number(found[i].sizes->before));
		json_put(json, "cold", json_number(found[i].sizes->cold));
		json_put(json, "growth", json_integer(found[i].sizes->grown));
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

/** Writes the sizes of the whole process, also if only some regions are selected. */
static void put_process_sizes(struct json *json, const struct pm_stale_result *result)
{
	const struct pm_stale_sizes *total = &result->total;

	json_put(json, "rss", json_number(total->rss));
	json_put(json, "referenced", json_number(total->referenced));
	json_put(json, "cold", json_number(total->cold));
	json_put(json, "swap", json_number(total->swap));
	json_put(json, "transparent_huge", json_number(total->huge));
	json_put(json, "file_and_shmem", json_number(total->shared));
	json_put(json, "hugetlb", json_number(result->hugetlb));
	json_put(json, "lost_marks", json_number(result->lost));
}

int stale_json_print(const struct stale_report *report, const struct list *regions,
                     const struct list *groups, struct out *out, struct pm_error *error)
{
	const struct pm_stale_result *result = &report->result;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_parts_process(&json, report->info.pid, report->info.comm, report->command);
	json_put(&json, "time", json_now());
	json_put(&json, "method", json_text("clear_refs"));
	json_put(&json, "seconds", json_real(result->readings[result->reading_count - 1].seconds));
	json_put(&json, "stall_us", json_number(result->stall_us));
	json_put(&json, "predicted_stall_us", json_number(report->prediction.stall_us));
	json_put(&json, "pinned", json_number(report->info.vm_pinned));
	if (report->ended.kind != PM_ERROR_NONE)
		json_put(&json, "ended", json_text(report->ended.text));
	if (report->interrupted)
		json_put(&json, "interrupted", json_true());
	if (report->stopped)
		json_put(&json, "stopped", json_true());

	put_process_sizes(&json, result);
	put_readings(&json, result);
	put_growths(&json, result);
	if (json_put_list(&json, "regions", regions, error) < 0 ||
	    (groups && json_put_list(&json, "groups", groups, error) < 0))
		return -1;

	json_put_total(&json, regions, "size,rss,referenced,cold,swap");
	json_shut(&json, '}');
	out_string(out, "\n");

	return 0;
}
