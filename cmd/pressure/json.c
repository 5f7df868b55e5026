/* SPDX-License-Identifier: MIT */
#include "pressure/json.h"

#include <stdio.h>
#include <string.h>

#include "pressure/kills.h"
#include "pressure/words.h"
#include "target/json_parts.h"
#include "view/json.h"

/** Writes the rise of a counter: of an error the number, of others the rate, or the share of time.
 */
static void put_rise(struct json *json, const struct pm_pressure_field_info *info, uint64_t rise,
                     double seconds)
{
	char name[40];

	if (info->part == PM_PRESSURE_ERRORS) {
		snprintf(name, sizeof name, "%s_new", info->name);
		json_put(json, name, json_number(rise));
	} else if (info->unit == PM_PRESSURE_MICROSECONDS) {
		json_put(json, info->name, json_real((double)rise / seconds / 1e4));
	} else {
		json_put(json, info->name, json_real((double)rise / seconds));
	}
}

static void put_value(struct json *json, const struct pm_pressure_field_info *info, uint64_t value)
{
	switch (info->unit) {
	case PM_PRESSURE_CENTIPERCENT:
		json_put(json, info->name, json_real((double)value / 100));
		break;
	case PM_PRESSURE_FLAG:
		json_put(json, info->name, json_boolean(value));
		break;
	case PM_PRESSURE_SIGNED:
		json_put(json, info->name, json_integer((json_int_t)value));
		break;
	default:
		json_put(json, info->name, json_number(value));
	}
}

/** Writes the fields of a part. What is not known is absent. */
static void put_part(struct json *json, const struct pressure_report *report, size_t index,
                     enum pm_pressure_part part, const char *name)
{
	const struct pm_pressure_level *level = &report->reading.levels[index];
	const struct pm_pressure_rise *rise = &report->change.rises[index];

	json_open(json, name, '{');
	for (int i = 0; i < PM_PRESSURE_FIELDS; i++) {
		const struct pm_pressure_field_info *info = pm_pressure_field_of(
			(enum pm_pressure_field)i);
		if (info->part != part)
			continue;

		/* The total of a counter counts only for errors. */
		if (level->known[i] && (!info->counter || part == PM_PRESSURE_ERRORS))
			put_value(json, info, level->values[i]);
		if (rise->known[i])
			put_rise(json, info, rise->rises[i], report->change.seconds);
	}
	json_shut(json, '}');
}

static void put_notes(struct json *json, const struct pressure_report *report, size_t level)
{
	json_open(json, "notes", '[');
	for (size_t i = 0; i < report->signs.count; i++) {
		const struct pm_sign *sign = &report->signs.items[i];
		struct text words = { 0 }, basis = { 0 };
		if (sign->level != level)
			continue;

		pressure_words_put_sign(report, sign, &words);
		pressure_words_put_basis(sign->rule, &basis);
		json_open(json, NULL, '{');
		json_put(json, "rule", json_text(pm_sign_of(sign->rule)->name));
		json_put(json, "value", json_real(sign->value));
		json_put(json, "sentence", json_bytes(words.bytes, words.length));
		json_put(json, "basis", json_bytes(basis.bytes, basis.length));
		json_shut(json, '}');
		text_deinit(&words);
		text_deinit(&basis);
	}
	json_shut(json, ']');
}

static void put_levels(struct json *json, const struct pressure_report *report)
{
	static const char *const scopes[PM_PRESSURE_SCOPES] = { "process", "cgroup", "host",
		                                                "node" };

	json_open(json, "levels", '[');
	for (size_t i = 0; i < report->reading.count; i++) {
		json_open(json, NULL, '{');
		json_put(json, "name", json_text(report->reading.levels[i].name));
		json_put(json, "scope", json_string(scopes[report->reading.levels[i].scope]));
		put_part(json, report, i, PM_PRESSURE_UTILISATION, "utilisation");
		put_part(json, report, i, PM_PRESSURE_SATURATION, "saturation");
		put_part(json, report, i, PM_PRESSURE_ERRORS, "errors");
		put_notes(json, report, i);
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_kill(struct json *json, const struct pm_oom_kill *kill)
{
	json_open(json, NULL, '{');
	if (kill->age_known)
		json_put(json, "seconds_ago", json_real(kill->seconds_ago));
	json_put(json, "pid", json_integer(kill->pid));
	json_put(json, "name", json_text(kill->comm));
	if (pressure_kills_constraint(kill->constraint))
		json_put(json, "constraint",
		         json_string(pressure_kills_constraint(kill->constraint)));
	if (*kill->group)
		json_put(json, "killed_group", json_text(kill->group));
	if (*kill->limit_group)
		json_put(json, "limit_group", json_text(kill->limit_group));

	if (kill->sizes_known) {
		json_put(json, "total_vm", json_number(kill->total_vm));
		json_put(json, "anon", json_number(kill->anon_rss));
		json_put(json, "file", json_number(kill->file_rss));
		json_put(json, "shmem", json_number(kill->shmem_rss));
	}
	json_shut(json, '}');
}

/** Writes the kills in the log, newest first, or why they are not known. */
static void put_kills(struct json *json, const struct pressure_report *report)
{
	if (!report->has_log) {
		json_put(json, "log_unreadable", json_text(report->log_error.text));
		return;
	}

	json_open(json, "oom_kills", '[');
	for (size_t i = report->log.count; i-- > 0;)
		put_kill(json, &report->log.kills[i]);
	json_shut(json, ']');
	if (report->log.dropped > 0)
		json_put(json, "oom_kills_dropped", json_number(report->log.dropped));
	json_put(json, "log_seconds", json_real(report->log.seconds_back));
}

void pressure_json_print(const struct pressure_report *report, struct out *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	if (report->has_target) {
		json_open(&json, "target", '{');
		json_parts_process(&json, report->pid, report->name, report->command);
		json_shut(&json, '}');
	}
	json_put(&json, "time", json_now());
	json_put(&json, "seconds", json_real(report->change.seconds));
	json_put(&json, "calm", json_boolean(report->signs.count == 0));
	if (report->reading.gone)
		json_put(&json, "exited", json_true());

	put_levels(&json, report);
	if (report->reading.left_out > 0)
		json_put(&json, "levels_left_out", json_number(report->reading.left_out));
	if (report->view != PM_CGROUP_VISIBLE) {
		json_open(&json, "unseen", '[');
		json_put(&json, NULL,
		         json_string(report->view == PM_CGROUP_HIDDEN ? "cgroup"
		                                                      : "cgroup_ancestors"));
		json_shut(&json, ']');
	}
	put_kills(&json, report);
	json_shut(&json, '}');
	out_string(out, "\n");
}
