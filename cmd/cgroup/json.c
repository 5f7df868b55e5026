/* SPDX-License-Identifier: MIT */
#include "cgroup/json.h"

#include "cgroup/files_json.h"
#include "target/json_parts.h"

/** Writes a number unless it is not known or not limited. */
static void put_known(struct json *json, const char *key, uint64_t number)
{
	if (number != UINT64_MAX)
		json_put(json, key, json_number(number));
}

/** Writes the parts. What the kernel does not report is left out. */
static void put_parts(struct json *json, const struct pm_cgroup_split *split)
{
	if (!split->known)
		return;

	json_open(json, "parts", '{');
	for (int part = 0; part < PM_CGROUP_PARTS; part++)
		if (split->parts[part] > 0 || part <= PM_CGROUP_FILE_PINNED)
			json_put(json, pm_cgroup_parts_name((enum pm_cgroup_part)part),
			         json_number(split->parts[part]));
	json_put(json, "rest", json_number(split->rest));
	json_shut(json, '}');

	json_put(json, "excess", json_number(split->excess));
	json_put(json, "file_dirty", json_number(split->dirty));
	json_put(json, "file_writeback", json_number(split->writeback));
	json_put(json, "unevictable", json_number(split->unevictable));
}

void cgroup_json_put_level(struct json *json, const struct pm_cgroup_level *level)
{
	json_put(json, "path", json_text(level->path));
	json_put(json, "cgroup_version", json_integer(level->version));
	put_known(json, "max", level->max);
	put_known(json, "high_max", level->high);
	put_known(json, "current", level->current);
	put_known(json, "used_peak", level->peak);
	put_known(json, "swap", level->swap);
	put_known(json, "swap_max", level->swap_max);
	put_known(json, "memsw_max", level->memory_swap_max);
	put_known(json, "hugetlb_usage", level->hugetlb);
	if (level->kernel_outside > 0)
		json_put(json, "kernel_outside", json_number(level->kernel_outside));
	put_parts(json, &level->split);

	if (level->events.known) {
		json_open(json, "events", '{');
		json_put(json, "oom_kill", json_number(level->events.oom_kill));
		json_put(json, "max", json_number(level->events.max));
		if (level->version == 2) {
			json_put(json, "high", json_number(level->events.high));
			json_put(json, "oom", json_number(level->events.oom));
		}
		json_shut(json, '}');
	}
}

static void put_processes(struct json *json, const struct pm_members *members)
{
	json_open(json, "processes", '[');
	for (size_t i = 0; i < members->count; i++) {
		const struct pm_member *member = &members->items[i];
		json_open(json, NULL, '{');
		json_parts_process(json, member->pid, member->comm, NULL);
		json_put(json, "bytes", json_number(member->rss + member->swap));
		json_put(json, "rss", json_number(member->rss));
		json_put(json, "anon", json_number(member->anon));
		json_put(json, "shmem", json_number(member->shmem));
		json_put(json, "swap", json_number(member->swap));
		json_shut(json, '}');
	}
	json_shut(json, ']');
	json_put(json, "others", json_number(members->others));
	json_put(json, "incomplete", json_boolean(members->incomplete));
}

/** Writes the growth of each part, of the usage, and when the limits are reached. */
static void put_rates(struct json *json, const struct cgroup_level_rates *rates)
{
	json_open(json, "rates", '[');
	for (int part = 0; part < PM_CGROUP_PARTS; part++) {
		if (!*rates->trends[part].reason || rates->parts[part].count == 0)
			continue;
		json_open(json, NULL, '{');
		json_put(json, "cgroup_part",
		         json_string(pm_cgroup_parts_name((enum pm_cgroup_part)part)));
		json_parts_trend(json, &rates->trends[part]);
		json_shut(json, '}');
	}
	json_shut(json, ']');

	if (rates->hits.samples > 1)
		json_put(json, "hits_rate", json_real(cgroup_rates_of_counter(&rates->hits)));
	if (rates->refaults.samples > 1)
		json_put(json, "refaults_rate",
		         json_real(cgroup_rates_of_counter(&rates->refaults)));

	if (*rates->usage_trend.reason) {
		json_open(json, "usage", '{');
		json_parts_trend(json, &rates->usage_trend);
		json_shut(json, '}');
	}
}

static void put_limits(struct json *json, const struct cgroup_level_rates *rates)
{
	const struct cgroup_limit *first = cgroup_rates_first(rates);

	json_open(json, "limits", '[');
	for (size_t i = 0; i < rates->limit_count; i++) {
		struct forecast_time time = forecast_time(&rates->limits[i].forecast);
		json_open(json, NULL, '{');
		json_parts_limit(json, &rates->limits[i].limit);
		json_parts_trend(json, &rates->limits[i].forecast.trend);
		json_parts_left(json, &time);
		json_shut(json, '}');
	}
	json_shut(json, ']');

	if (first) {
		struct forecast_time time = forecast_time(&first->forecast);
		json_parts_left(json, &time);
	}
}

void cgroup_json_print(const struct cgroup_report *report, struct out *out)
{
	static const char *const unseen[] = {
		[PM_CGROUP_ANCESTORS_HIDDEN] = "cgroup_ancestors", [PM_CGROUP_HIDDEN] = "cgroup"
	};
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	if (report->process)
		json_parts_process(&json, pm_process_pid(report->process), report->files.comm,
		                   NULL);
	json_put(&json, "time", json_now());
	json_open(&json, "levels", '[');
	for (size_t i = 0; i < report->levels.count; i++) {
		json_open(&json, NULL, '{');
		cgroup_json_put_level(&json, &report->levels.items[i]);
		put_processes(&json, &report->members[i]);
		put_limits(&json, &report->rates.items[i]);
		if (report->rates.known)
			put_rates(&json, &report->rates.items[i]);
		if (i == 0)
			cgroup_files_json_put(report, &json);
		json_shut(&json, '}');
	}
	json_shut(&json, ']');

	if (report->levels.view != PM_CGROUP_VISIBLE) {
		json_open(&json, "unseen", '[');
		json_put(&json, NULL, json_string(unseen[report->levels.view]));
		json_shut(&json, ']');
	}
	json_shut(&json, '}');
	out_string(out, "\n");
}
