/* SPDX-License-Identifier: MIT */
#include "trace/json.h"

#include "target/json_parts.h"
#include "trace/header.h"

static const char *const list_names[] = {
	[TRACE_BY_STACK] = "sites",
	[TRACE_BY_FUNCTION] = "functions",
	[TRACE_BY_THREAD] = "by_thread",
	[TRACE_BY_OBJECT] = "objects",
};

static void put_state(const struct trace_report *report, struct json *json)
{
	const struct pm_trace_state *state = &report->state;

	json_put(json, "backend", json_string(trace_header_backend(state->backend)));
	if (state->plan && state->plan[0])
		json_put(json, "plan", json_text(state->plan));
	json_put(json, "seconds", json_real(report->result->seconds));
	json_put(json, "events", json_number(state->events));
	json_put(json, "lost", json_number(state->lost));
	json_put(json, "difference", json_number(state->difference));
	if (state->stacks_why[0])
		json_put(json, "stacks_missing", json_text(state->stacks_why));
	if (state->exited)
		json_put(json, "exited", json_true());
	json_put(json, "execs", json_number(state->execs));
	json_put(json, "threads", json_number(state->threads));
	json_put(json, "setup_us", json_number(state->setup_ns / 1000));
	json_put(json, "tracer_us", json_number(state->tracer_ns / 1000));
	if (state->target_ns > 0)
		json_put(json, "target_us", json_number(state->target_ns / 1000));
}

int trace_json_print(const struct trace_report *report, const struct trace_rows *rows,
                     const struct trace_options *options, bool final, struct out *out,
                     struct pm_error *error)
{
	struct json json = { .out = out, .one_line = options->every > 0 };

	json_open(&json, NULL, '{');
	json_parts_process(&json, report->pid, report->name, report->command);
	json_put(&json, "time", json_time(report->wall_ns));
	json_put(&json, "final", json_boolean(final));
	if (report->sample > 0)
		json_put(&json, "sample", json_number(report->sample));
	put_state(report, &json);

	json_open(&json, "before", '{');
	if (!report->result->unmeasured) {
		json_put(&json, "resident", json_number(report->result->before_now));
		json_put(&json, "resident_start", json_number(report->result->before_start));
	}
	json_shut(&json, '}');

	if (json_put_list(&json, list_names[options->by], &rows->list, error) < 0)
		return -1;

	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}
