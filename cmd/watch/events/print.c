/* SPDX-License-Identifier: MIT */
#include "watch/events/print.h"

#include <string.h>
#include <sys/wait.h>

#include "base/delta.h"
#include "base/report.h"
#include "base/utf8.h"
#include "target/json_parts.h"
#include "watch/format.h"

/**
 * Reports a line of text: to the listener if there is one, otherwise on the output or, for a
 * failure, on stderr. Failures are reported also with --quiet and --json.
 */
static void report(const struct events_report *to, struct text *line, bool failure, struct out *out)
{
	const struct output_options *output = &to->run->options->output;

	if (to->listener) {
		to->listener(to->context, text_terminate(line));
	} else if (failure) {
		report_error("%s", text_terminate(line));
	} else if (!output->json && !output->quiet) {
		text_char(line, '\n');
		out_wrapped(out, line, 4);
	}

	text_clear(line);
}

/**
 * Starts the JSON object of an event.
 * @return false if the output is not JSON; then nothing was printed
 */
static bool begin_json(const struct events_report *to, const char *event, struct json *json,
                       struct out *out)
{
	const struct pm_sample *sample = &to->history->sample;

	if (!to->run->options->output.json)
		return false;

	*json = (struct json){ .out = out, .one_line = true };
	json_open(json, NULL, '{');
	json_put(json, "time", json_time(sample->wall_ns));
	json_put(json, "elapsed", json_real(sample->time - to->history->began));
	json_put(json, "event", json_string(event));
	return true;
}

static void end_json(struct json *json, struct out *out)
{
	json_shut(json, '}');
	out_string(out, "\n");
}

/** Adds a value in the unit of a condition: percent, a count or a size. */
static void put_amount(const struct events_report *to, const struct condition *condition,
                       double amount, struct text *line)
{
	if (condition->percent)
		text_format(line, "%.1f%%", amount);
	else if (condition_counts(condition->subject) || amount < 0 || amount >= 1e19)
		text_format(line, "%.0f", amount);
	else if (amount < 1)
		text_char(line, '0');
	else
		watch_format_size((uint64_t)amount, to->run->options->output.bytes, line);
}

static void put_culprit(const struct events_report *to, const struct firing *firing,
                        struct text *line)
{
	const struct culprit *culprit = &firing->culprit;
	if (!culprit->known)
		return;

	text_string(line, "; ");
	text_hex(line, culprit->start, 1);
	text_char(line, '-');
	text_hex(line, culprit->end, 1);
	watch_format_add_more(culprit->count, line);
	text_format(line, " %s ", pm_kind_name(culprit->kind));
	watch_format_size(culprit->weight, to->run->options->output.bytes, line);

	if (*culprit->mapping) {
		text_char(line, ' ');
		utf8_escape(line, culprit->mapping, strlen(culprit->mapping));
	}
}

/** Adds the outcome of an action. */
static void put_done(const struct events_report *to, const struct action *action,
                     const struct perform_outcome *outcome, struct text *line)
{
	text_string(line, action_name(action->kind));
	if (action->kind == ACTION_EXIT)
		return;

	text_string(line, ": ");
	if (outcome->error.kind != PM_ERROR_NONE) {
		text_string(line, outcome->error.text);
		return;
	}
	if (action->kind == ACTION_EXEC) {
		text_format(line, "PID %d", (int)outcome->pid);
		return;
	}

	if (action->kind == ACTION_SNAP) {
		text_format(line, "sample %llu of ", (unsigned long long)outcome->number);
	} else if (action->kind == ACTION_WHY) {
		text_format(line, "%zu finding%s in ", outcome->findings,
		            text_plural(outcome->findings));
	} else {
		watch_format_size(outcome->bytes, to->run->options->output.bytes, line);
		text_string(line, " in ");
	}
	utf8_escape(line, outcome->file.bytes, outcome->file.length);
}

/** Reports the outcome of an action. */
static void report_outcome(const struct events_report *to, const struct action *action,
                           const struct perform_outcome *outcome, struct text *line,
                           struct out *out)
{
	bool failed = outcome->error.kind != PM_ERROR_NONE;

	if (!failed)
		text_string(line, "  ");
	put_done(to, action, outcome, line);
	if (!failed && action->kind == ACTION_EXEC) {
		text_string(line, ", ");
		utf8_escape(line, action->argument, strlen(action->argument));
	}

	report(to, line, failed, out);
}

static void put_outcome(const struct action *action, struct perform_outcome *outcome,
                        struct json *json)
{
	json_open(json, NULL, '{');
	json_put(json, "action", json_string(action_name(action->kind)));
	if (action->kind == ACTION_EXEC)
		json_put(json, "command", json_text(action->argument));
	else if (outcome->file.length > 0)
		json_put(json, "path", json_text(text_terminate(&outcome->file)));

	if (outcome->error.kind != PM_ERROR_NONE)
		json_put(json, "error", json_text(outcome->error.text));
	else if (action->kind == ACTION_EXEC)
		json_put(json, "pid", json_number((uint64_t)outcome->pid));
	else if (action->kind == ACTION_SNAP)
		json_put(json, "sample", json_number(outcome->number));
	else if (action->kind == ACTION_DUMP)
		json_put(json, "bytes", json_number(outcome->bytes));
	else if (action->kind == ACTION_WHY)
		json_put(json, "count", json_number(outcome->findings));

	json_shut(json, '}');
}

static void put_region(const struct culprit *culprit, struct json *json)
{
	const struct pm_region region = { .start = culprit->start,
		                          .end = culprit->end,
		                          .kind = (uint8_t)culprit->kind,
		                          .mapping = culprit->mapping,
		                          .detail = culprit->detail };

	json_open(json, "region", '{');
	json_parts_region(json, &region);
	json_put(json, "count", json_number(culprit->count));
	json_put(json, "rss", json_number(culprit->weight));
	json_put(json, "own_rss", json_number(culprit->own));
	json_shut(json, '}');
}

static void put_firing(const struct events_report *to, const struct firing *firing,
                       struct perform_outcome *outcomes, struct json *json)
{
	const struct events_options *options = &to->run->options->events;
	double threshold = firing->threshold->value;

	json_put(json, "condition", json_text(firing->threshold->text));
	if (firing->condition->percent) {
		json_put(json, "threshold", json_real(threshold));
		json_put(json, "value", json_real(firing->value));
	} else {
		json_put(json, "threshold", json_number((uint64_t)threshold));
		json_put(json, "value", json_integer((json_int_t)firing->value));
	}

	if (firing->culprit.known)
		put_region(&firing->culprit, json);

	json_open(json, "actions", '[');
	for (size_t i = 0; i < options->action_count; i++)
		put_outcome(&options->actions[i], &outcomes[i], json);

	json_shut(json, ']');
}

/** Adds a line about a condition to the summary. */
static void remember(const struct events_report *to, const struct firing *firing,
                     const struct perform_outcome *outcomes)
{
	enum { LINES_MAX = 100 };
	struct watch_run *run = to->run;
	const struct events_options *options = &run->options->events;
	struct text *lines = &run->firings;

	if (run->firing_count++ >= LINES_MAX)
		return;

	text_string(lines, "met ");
	delta_put_time(lines, to->history->sample.wall_ns);
	text_format(lines, ": %s: ", firing->threshold->text);
	put_amount(to, firing->condition, firing->value, lines);
	put_culprit(to, firing, lines);

	for (size_t i = 0; i < options->action_count; i++) {
		text_string(lines, "; ");
		put_done(to, &options->actions[i], &outcomes[i], lines);
	}

	text_char(lines, '\n');
	if (run->firing_count == LINES_MAX)
		text_string(lines, "met: (the list is full; later events are not listed)\n");
}

void events_print_firing(const struct events_report *to, const struct firing *firing,
                         struct perform_outcome *outcomes, struct out *out)
{
	const struct events_options *options = &to->run->options->events;
	struct text line = { 0 };
	struct json json;

	remember(to, firing, outcomes);
	if (begin_json(to, "condition", &json, out)) {
		put_firing(to, firing, outcomes, &json);
		end_json(&json, out);
	}

	if (!to->listener) {
		delta_put_time(&line, to->history->sample.wall_ns);
		text_string(&line, "  ");
	}

	text_format(&line, "%s: ", firing->threshold->text);
	put_amount(to, firing->condition, firing->value, &line);
	put_culprit(to, firing, &line);
	report(to, &line, false, out);

	for (size_t i = 0; i < options->action_count; i++)
		if (options->actions[i].kind != ACTION_EXIT)
			report_outcome(to, &options->actions[i], &outcomes[i], &line, out);

	out_flush(out);
	text_deinit(&line);
}

static void put_status(int status, struct json *json)
{
	if (status == JOB_STATUS_UNKNOWN)
		return;

	if (WIFSIGNALED(status))
		json_put(json, "signal", json_integer(WTERMSIG(status)));
	else
		json_put(json, "status", json_integer(WEXITSTATUS(status)));
}

void events_print_end(const struct events_report *to, const struct job *job, int status,
                      struct out *out)
{
	struct text line = { 0 };
	struct json json;
	if (begin_json(to, "command", &json, out)) {
		json_parts_process(&json, job->pid, NULL, job->line);
		put_status(status, &json);
		end_json(&json, out);
	}

	if (status != 0) {
		text_format(&line, "exec: '%s' (PID %d) ", job->line, (int)job->pid);
		if (status == JOB_STATUS_UNKNOWN)
			text_string(&line, "ended with an unknown status");
		else if (WIFSIGNALED(status))
			text_format(&line, "was killed by signal %d", WTERMSIG(status));
		else
			text_format(&line, "ended with status %d", WEXITSTATUS(status));
		report(to, &line, true, out);
	}

	text_deinit(&line);
}

void events_print_wakeup(const struct events_report *to, const struct pm_wakeup_source *source,
                         struct out *out)
{
	const struct output_options *output = &to->run->options->output;
	struct json json;

	if (begin_json(to, "wakeup", &json, out)) {
		json_put(&json, "cause", json_string(pm_wakeup_name(source->cause)));
		json_put(&json, "path", json_text(source->file));
		end_json(&json, out);
	} else if (!to->listener && output->verbose && !output->quiet) {
		report_note("the kernel reported '%s' in %s", pm_wakeup_name(source->cause),
		            source->file);
	}
}

void events_print_kills(const struct events_report *to, uint64_t count, struct out *out)
{
	struct text line = { 0 };
	struct json json;
	if (begin_json(to, "oom_kill", &json, out)) {
		json_put(&json, "count", json_number(count));
		end_json(&json, out);
	}

	text_format(&line, "the kernel killed %llu process%s of the cgroup for lack of memory",
	            (unsigned long long)count, count == 1 ? "" : "es");
	report(to, &line, true, out);
	text_deinit(&line);
}
