/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <procmem/number.h>

#include "commands.h"
#include "delta.h"

enum { OPTION_FOR = CLI_LONG_ONLY, OPTION_RECORD, OPTION_BUDGET, OPTION_PLAIN };

static const struct cli_option watch_option_list[] = {
	{ 'i', "interval", "SECONDS", "from one look to the next, 0.1 or more; usually 2" },
	{ 'c', "count", "N", "look N times" },
	{ OPTION_FOR, "for", "DURATION", "for so long (30s, 5m, 2h)" },
	{ 's', "sort", "WHAT", "sort by growth, rate, rss or delta" },
	{ 'n', "top", "N", "only the first N; usually 10" },
	{ OPTION_RECORD, "record", "FILE", "write the samples to a recording" },
	{ OPTION_BUDGET, "budget", "PERCENT", "CPU time that it may use, of one core; usually 1%,\n0 for any" },
	{ OPTION_PLAIN, "plain", NULL, "text also on a terminal" },
	{ 0 },
};

static int take_interval(struct watch_options *options, const char *value, struct pm_error *error)
{
	double seconds;
	if (duration_parse(value, &seconds, error) < 0)
		return -1;
	if (seconds < 0.1)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "%s is too short: looking more often than 10 times a second would disturb", value);
	options->interval = seconds;
	return 0;
}

static int take_budget(struct watch_options *options, const char *value, struct pm_error *error)
{
	char *end;
	errno = 0;
	double percent = value[strspn(value, "0123456789.%")] == '\0' && *value ? strtod(value, &end) : -1;
	if (percent < 0 || percent > 100 || end == value || strcmp(end + (*end == '%'), "") != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is no percentage from 0 to 100", value);
	options->budget = percent / 100;
	return 0;
}

static int take_sort(struct watch_options *options, const char *value, struct pm_error *error)
{
	static const char *const words[] = { "growth", "rate", "rss", "delta" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(value, words[i]) == 0) {
			options->sort = (enum watch_sort)i;
			return 0;
		}
	return pm_error_set(error, PM_ERROR_USAGE, 0, "rows are sorted by growth, rate, rss or delta, not '%s'", value);
}

static int take(void *into, int id, const char *value, struct pm_error *error)
{
	struct watch_options *options = into;
	switch (id) {
	case 'i':
		return take_interval(options, value, error);
	case 'c':
		return pm_parse_decimal(value, UINT32_MAX, &options->count, error);
	case 'n':
		return pm_parse_decimal(value, UINT32_MAX, &options->top, error);
	case 's':
		return take_sort(options, value, error);
	case OPTION_FOR:
		return duration_parse(value, &options->seconds, error);
	case OPTION_RECORD:
		options->record = value;
		return 0;
	case OPTION_BUDGET:
		return take_budget(options, value, error);
	default:
		/* Text is all there is. */
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "How:", watch_option_list, take, 0 },
	{ "Which regions:", selection_option_list, selection_take, offsetof(struct watch_options, selection) },
	{ "Output:", output_option_list, output_options_take, offsetof(struct watch_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "json plain", NULL };

static const struct cli_spec spec = {
	.command = "watch",
	.operands = "TARGET [REGION]...",
	.purpose = "Watches a process and tells which of its regions grow, how fast, whether that is\na steady leak, a burst or over, and when it meets its memory limit.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, or a process name that fits one process. Regions are looked at\n"
	         "only when the totals of the process move. Ctrl-C ends it with a summary.",
	.examples = {
		{ "procmem watch java", "what grows in the process called java, every two seconds" },
		{ "procmem watch --for 1h -i 10 --record java.pmrec -q java", "record for an hour, and print the summary only" },
	},
	.operands_least = 1,
	.operands_most = -1,
};

/** Set by a signal: the user has seen enough. */
static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	interrupted = 0;
	sigemptyset(&action.sa_mask);
	/* Without SA_RESTART: the pause between two looks ends. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/** Sleeps until the next look is due; late ones are left out, not made up for. */
static void await_tick(struct timespec *due, double interval)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double next = (double)due->tv_sec + (double)due->tv_nsec / 1e9, at = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	do
		next += interval;
	while (next <= at);
	due->tv_sec = (time_t)next;
	due->tv_nsec = (long)((next - (double)due->tv_sec) * 1e9);
	while (!interrupted && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL) == EINTR) {
	}
}

static void print_now(const struct watch *watch, struct out *out)
{
	if (watch->options->output.json)
		watch_print_json(watch, false, out);
	else if (!watch->options->output.quiet)
		watch_print(watch, out);
	out_flush(out);
}

/** Whether the user's bounds are reached. */
static bool is_over(struct watch *watch)
{
	const struct watch_options *options = watch->options;
	if (interrupted)
		watch->ended = "interrupted";
	else if (options->count > 0 && watch->samples >= options->count)
		watch->ended = "looked as often as was wanted";
	/* Half an interval is nothing to wait for. */
	else if (options->seconds > 0 && watch->sample.time - watch->began >= options->seconds - options->interval / 2)
		watch->ended = "watched as long as was wanted";
	return watch->ended != NULL;
}

/** Looks again and again. @return exit status */
static enum status watch_on(struct watch *watch, struct out *out)
{
	struct timespec due;
	clock_gettime(CLOCK_MONOTONIC, &due);
	catch_signals();
	print_now(watch, out);
	while (!is_over(watch) && !out_failed(out)) {
		await_tick(&due, watch->options->interval);
		if (interrupted)
			continue;
		if (!watch_step(watch))
			break;
		print_now(watch, out);
	}
	if (watch->options->output.json)
		watch_print_json(watch, true, out);
	else
		watch_print_summary(watch, out);
	/* A target that ends is an end like any other; the rest is not what was asked for. */
	if (watch->failure.kind == PM_ERROR_NONE)
		return STATUS_OK;
	if (watch->failure.kind != PM_ERROR_GONE)
		return report_failure(&watch->failure);
	if (!watch->options->output.quiet)
		report_note("%s", watch->failure.text);
	return STATUS_OK;
}

static enum status run(struct watch_options *options, const struct cli_result *words, struct out *out)
{
	struct pm_error error;
	struct target target;
	struct watch watch;
	if (selection_add_words(&options->selection, words->operands + 1, words->count - 1, &error) < 0 ||
	    target_open_process(&target, words->operands[0], &error) < 0)
		return report_failure(&error);
	enum status status = STATUS_ERROR;
	if (watch_init(&watch, options, &target, &error) == 0) {
		status = watch_on(&watch, out);
		watch_deinit(&watch);
	} else {
		report_failure(&error);
	}
	target_close(&target);
	return status;
}

enum status watch_run(struct out *out, int argc, char **argv)
{
	struct watch_options options = { .interval = 2, .budget = 0.01, .top = 10 };
	struct cli_result words;
	struct pm_error error;
	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);
	enum status status = STATUS_ERROR;
	if (cli_parse(&spec, out, argc, argv, &options, &words) && cli_check_operands(&spec, &words)) {
		out_set_colour(out, options.output.colour);
		status = run(&options, &words, out);
	} else {
		status = words.status;
	}
	selection_deinit(&options.selection);
	return status;
}
