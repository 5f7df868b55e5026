/* SPDX-License-Identifier: MIT */
#include "headroom/answer.h"

#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "headroom/fillers_print.h"
#include "headroom/rows.h"
#include "target/first_limit.h"
#include "target/growth_text.h"

void headroom_answer_amount(const struct headroom_report *report, const struct pm_limit *limit,
                            uint64_t amount, struct text *text)
{
	if (limit->counts && amount == 0)
		text_char(text, '-');
	else if (limit->counts || report->options->output.bytes)
		text_decimal(text, amount);
	else
		text_size(text, amount);
}

/** Adds what is left of a limit: "3.3M left of 600.0M". */
static void put_left_of(const struct headroom_report *report, const struct pm_limit *limit,
                        struct text *text)
{
	uint64_t left = pm_limit_left(limit);

	if (left == 0)
		text_string(text, "nothing");
	else
		headroom_answer_amount(report, limit, left, text);

	text_string(text, " left of ");
	headroom_answer_amount(report, limit, limit->max, text);
}

static const struct forecast *forecast_of(const struct headroom_report *report,
                                          const struct pm_limit *limit)
{
	return &report->forecasts[limit - report->headroom.limits];
}

const struct pm_limit *headroom_answer_limit(const struct headroom_report *report)
{
	return first_limit(&report->headroom, report->forecasts);
}

/**
 * Adds a time such as "1h 36m at +4.0M/s", or "about 1h 36m at about +4.0M/s" if the time and the
 * rate are estimates.
 *
 * @param time    the time, which is known
 * @param about   whether the rate is an estimate
 * @param whose   words before the rate, such as "the machine's rate of "; may be ""
 * @param counts  whether the rate is a number per second, not bytes per second
 * @param text    receives the time
 */
static void put_time(const struct forecast_time *time, bool about, const char *whose, bool counts,
                     struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(time->seconds, duration);
	text_format(text, "%s%s at %s", time->estimate ? "about " : "", duration, whose);
	if (about)
		text_string(text, "about ");
	if (counts)
		text_format(text, "%+.1f/s", time->rate);
	else
		delta_put_rate(text, time->rate);
}

/** Adds the time at the rate of the region that grows although the process does not. */
static void put_time_beneath(const struct headroom_report *report, const struct forecast_time *time,
                             struct text *text)
{
	struct text whose = { 0 };

	growth_text_put_name(report->rates->beneath, &whose);
	text_string(&whose, "'s rate of ");
	put_time(time, report->rates->beneath_trend.estimate, text_terminate(&whose), false, text);
	text_deinit(&whose);
}

/** Adds the verdict on the memory of the process, and what grows beneath it. */
static void put_process(const struct headroom_report *report, struct text *text)
{
	const struct headroom_rates *rates = report->rates;
	bool bytes = report->options->output.bytes;

	if (rates->beneath)
		growth_text_put_overall(&rates->trend, rates->beneath, &rates->beneath_trend, bytes,
		                        text);
	else
		growth_text_put_reason(&rates->trend, bytes, text);
}

/**
 * Adds how long the memory of the machine lasts at the rate of the process and at the rate of the
 * machine.
 */
static void put_machine_times(const struct headroom_report *report, const struct forecast *forecast,
                              struct text *text)
{
	const char *last = " would last ";
	if (forecast->by_process.known) {
		struct forecast_time time = forecast->by_process;

		/* The rate of other processes is not known. */
		time.estimate = true;
		text_string(text, last);
		put_time(&time, forecast->by_process.estimate, "this process's rate of ", false,
		         text);
		last = "; ";
	}

	if (forecast->beneath.known) {
		text_string(text, last);
		put_time_beneath(report, &forecast->beneath, text);
	}

	if (forecast->time.known) {
		text_string(text, last);
		put_time(&forecast->time, forecast->time.estimate, "the machine's own rate of ",
		         false, text);
	}

	if (!forecast->by_process.known && *report->rates->trend.reason) {
		text_string(text, "; this process: ");
		put_process(report, text);
	}
}

/** Returns whether the process has a memory limit that does not apply to the whole machine, such as
 * that of its cgroup or of its runtime. */
static bool has_own_limit(const struct headroom_report *report)
{
	const struct pm_headroom *headroom = &report->headroom;
	static const enum pm_limit_kind kinds[] = { PM_LIMIT_CGROUP, PM_LIMIT_CGROUP_HIGH,
		                                    PM_LIMIT_ADDRESS_SPACE, PM_LIMIT_DATA };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (pm_headroom_find(headroom, kinds[i]))
			return true;
	for (size_t i = 0; i < headroom->count; i++)
		if (pm_limit_is_of_runtime(headroom->limits[i].kind))
			return true;

	return false;
}

/** Returns whether a language runtime limits its memory itself. */
static bool has_runtime_limit(const struct headroom_report *report)
{
	for (size_t i = 0; i < report->headroom.count; i++)
		if (pm_limit_is_of_runtime(report->headroom.limits[i].kind))
			return true;
	return false;
}

/** Adds the answer if the memory of the machine is the limit that is reached first. */
static void put_machine(const struct headroom_report *report, const struct pm_limit *limit,
                        struct text *line)
{
	if (!has_own_limit(report)) {
		text_string(line, "no limit of its own");
		if (has_runtime_limit(report))
			text_string(line, " except in its runtime");
		if (report->headroom.cgroup_view != PM_CGROUP_VISIBLE)
			text_string(line, " is visible");
		text_string(line, "; ");
	}

	const struct forecast *forecast = forecast_of(report, limit);
	bool known = forecast->by_process.known || forecast_time(forecast).known;
	if (known)
		text_string(line, "the machine's ");
	headroom_answer_amount(report, limit, pm_limit_left(limit), line);
	if (!known) {
		text_string(line, " left of the machine's ");
		headroom_answer_amount(report, limit, limit->max, line);
	}

	put_machine_times(report, forecast, line);
}

/**
 * Returns whether the first line reports the region that grows although the memory of the whole
 * process does not.
 */
static bool reports_beneath(const struct headroom_report *report, const struct pm_limit *limit)
{
	if (!report->rates->beneath || !limit)
		return false;
	if (limit->kind == PM_LIMIT_SYSTEM)
		return true;

	const struct forecast *forecast = forecast_of(report, limit);
	return limit->kind == PM_LIMIT_CGROUP && forecast->measured && !forecast->time.known;
}

/** Adds which system calls fail because nothing is left of a limit on a number. */
static void put_failure(const struct pm_limit *limit, struct text *line)
{
	if (limit->kind == PM_LIMIT_MAPPINGS)
		text_string(line, ": mmap fails with ENOMEM");
	else
		text_string(line, ": fork and clone fail with EAGAIN");
}

/** Adds the answer if another limit than the memory of the machine is reached first. */
static void put_limit(const struct headroom_report *report, const struct pm_limit *limit,
                      struct text *line)
{
	const struct forecast *forecast = forecast_of(report, limit);
	const struct headroom_rates *rates = report->rates;
	struct forecast_time time = forecast_time(forecast);

	put_left_of(report, limit, line);
	text_format(line, " (%s)", first_limit_words(limit->kind));
	if (limit->counts && pm_limit_left(limit) == 0) {
		put_failure(limit, line);
		return;
	}

	if (time.beneath) {
		text_string(line, ", used up in ");
		put_time_beneath(report, &time, line);
	} else if (time.known) {
		bool about = time.by_process ? forecast->by_process.estimate : time.estimate;

		text_string(line, ", used up in ");
		put_time(&time, about, time.by_process ? "this process's rate of " : "",
		         limit->counts, line);
	}
	if (*first_limit_effect(limit->kind))
		text_format(line, "; then %s", first_limit_effect(limit->kind));
	if (forecast->time.known || !forecast->measured)
		return;

	/* Numbers have no unit. */
	bool plain = limit->counts || report->options->output.bytes;

	text_string(line, "; usage: ");
	if (reports_beneath(report, limit))
		growth_text_put_overall(&forecast->trend, rates->beneath, &rates->beneath_trend,
		                        plain, line);
	else
		growth_text_put_reason(&forecast->trend, plain, line);
}

/** Prints the first line: the limit that is reached first. */
static void print_first(const struct headroom_report *report, struct out *out)
{
	const struct pm_limit *limit = headroom_answer_limit(report);
	struct text line = { 0 };

	utf8_escape(&line, report->info->comm, strlen(report->info->comm));
	text_format(&line, " (%d)   ", (int)report->info->pid);
	if (!limit)
		text_string(&line, "no memory limit is visible");
	else if (limit->kind == PM_LIMIT_SYSTEM)
		put_machine(report, limit, &line);
	else
		put_limit(report, limit, &line);

	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Reports the age of the rates if they are those of a recording. */
static void print_age(const struct headroom_report *report, struct out *out)
{
	const struct headroom_rates *rates = report->rates;
	char duration[PM_DURATION_TEXT_SIZE];

	if (!rates->recorded)
		return;

	pm_format_duration(rates->age, duration);
	out_wrapped_format(out, 2, "rates as of %s ago, the end of the recording\n", duration);
}

/** Reports that the rates are those of a process that has ended, with --follow. */
static void print_life(const struct headroom_report *report, struct out *out)
{
	const struct headroom_rates *rates = report->rates;
	char duration[PM_DURATION_TEXT_SIZE];

	if (!rates->known || rates->pid == 0 || rates->pid == report->info->pid)
		return;

	pm_format_duration(headroom_rates_seconds(rates), duration);
	out_wrapped_format(out, 2,
	                   "rates are those of process %d, which was measured for %s and has "
	                   "ended; %d runs now\n",
	                   (int)rates->pid, duration, (int)report->info->pid);
}

/**
 * Reports the limit of address space if the time until it is reached is not known, but less address
 * space is left than memory. Address space can grow in large steps: for an arena, malloc reserves
 * 64 MiB at a time (HEAP_MAX_SIZE in glibc's malloc/arena.c).
 */
static void print_address_space(const struct headroom_report *report, struct out *out)
{
	const struct pm_limit *limit = pm_headroom_find(&report->headroom, PM_LIMIT_ADDRESS_SPACE);
	const struct pm_limit *memory = pm_headroom_memory(&report->headroom);
	if (!limit || limit == headroom_answer_limit(report))
		return;

	const struct forecast *forecast = forecast_of(report, limit);
	bool less = !memory || pm_limit_left(limit) < pm_limit_left(memory);
	if (!forecast->measured || forecast_time(forecast).known || !less)
		return;

	struct text line = { 0 };
	text_string(&line, "address_space: ");
	headroom_answer_amount(report, limit, pm_limit_left(limit), &line);
	text_string(&line, " left, which is less than the memory left; ");
	growth_text_put_reason(&forecast->trend, report->options->output.bytes, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Returns whether less than a tenth of a limit is left. */
static bool is_near(const struct pm_limit *limit)
{
	return !limit->used_unknown && pm_limit_left(limit) < limit->max / 10;
}

/** Adds what is left of a heap until the next collection, of which garbage is a part. */
static void put_full_heap(const struct headroom_report *report, const struct pm_limit *limit,
                          struct text *line)
{
	put_left_of(report, limit, line);
	text_format(line, " (%s) before a collection; if collections free too little: %s",
	            first_limit_words(limit->kind), first_limit_effect(limit->kind));
}

/**
 * Reports the limits of runtimes that will be reached, or are nearly reached, unless the first line
 * reports them: the process can fail at such a limit although the kernel has memory left.
 */
static void print_runtime_limits(const struct headroom_report *report, struct out *out)
{
	for (size_t i = 0; i < report->headroom.count; i++) {
		const struct pm_limit *limit = &report->headroom.limits[i];
		bool lasts = report->rates->known &&
		             forecast_time(forecast_of(report, limit)).known &&
		             !first_limit_warms_up(limit);

		if (!pm_limit_is_of_runtime(limit->kind) ||
		    limit == headroom_answer_limit(report) || (!lasts && !is_near(limit)))
			continue;

		struct text line = { 0 };
		text_string(&line, "runtime: ");
		if (lasts || !pm_limit_has_garbage(limit->kind))
			put_limit(report, limit, &line);
		else
			put_full_heap(report, limit, &line);
		text_char(&line, '\n');
		out_wrapped(out, &line, 2);
		text_deinit(&line);
	}
}

/**
 * Reports a region that grows although the memory of the whole process does not, unless the first
 * line reports it.
 */
static void print_beneath(const struct headroom_report *report, struct out *out)
{
	const struct headroom_rates *rates = report->rates;
	if (!rates->beneath || reports_beneath(report, headroom_answer_limit(report)))
		return;

	struct text line = { 0 };
	text_string(&line, "memory of this process: ");
	put_process(report, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Reports the reserve that will be used up first. */
static void print_reserve(const struct headroom_report *report, struct out *out)
{
	const struct pm_reserve *reserve = report->rates->reserve;
	char duration[PM_DURATION_TEXT_SIZE];
	struct text line = { 0 };
	if (!reserve)
		return;

	text_string(&line, "the region at ");
	text_hex(&line, reserve->start, 1);
	text_string(&line, " grows into a reserve of ");
	text_size(&line, pm_reserve_size(reserve));
	pm_format_duration(report->rates->reserve_seconds, duration);
	text_format(&line, " (%.0f %% used): full in %s%s\n",
	            (double)reserve->used * 100 / (double)pm_reserve_size(reserve),
	            report->rates->reserve_trend.estimate ? "about " : "", duration);
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static bool limits_threads(const struct pm_limit *limit)
{
	return limit->kind == PM_LIMIT_PIDS || limit->kind == PM_LIMIT_USER_THREADS ||
	       limit->kind == PM_LIMIT_THREADS || limit->kind == PM_LIMIT_PID_MAX;
}

/** Reports the limit of threads with the least left. */
static void print_threads(const struct headroom_report *report, struct out *out)
{
	const struct pm_limit *least = NULL;
	size_t count = 0;

	for (size_t i = 0; i < report->headroom.count; i++) {
		const struct pm_limit *limit = &report->headroom.limits[i];
		if (!limits_threads(limit) || limit->exempt)
			continue;
		count++;
		if (!least || pm_limit_left(limit) < pm_limit_left(least))
			least = limit;
	}

	if (!least || least == headroom_answer_limit(report))
		return;

	struct text line = { 0 };
	text_string(&line, "threads: ");
	if (least->approximate)
		text_string(&line, "about ");
	put_left_of(report, least, &line);
	text_string(&line, " (");
	utf8_escape(&line, least->source, strlen(least->source));
	if (count > 1)
		text_format(&line, ", the smallest of %zu limits", count);
	text_string(&line, ")\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Reports why the process ended during the measurement. */
static void print_end(const struct headroom_report *report, struct out *out)
{
	const struct text *reason = &report->rates->last.reason;
	struct text line = { 0 };

	if (!report->rates->ended)
		return;

	utf8_escape(&line, report->info->comm, strlen(report->info->comm));
	text_format(&line, " (%d)   ", (int)report->info->pid);
	utf8_escape(&line, reason->bytes, reason->length);
	text_string(&line, "; the rest is as of the last sample\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Reports that the cgroup is at its limit, so that the kernel reclaims its memory. */
static void print_reclaim(const struct headroom_report *report, struct out *out)
{
	double rate = headroom_rates_reached(report->rates);
	struct text line = { 0 };

	if (rate <= 0)
		return;

	text_format(&line, "the group reclaims at its limit: +%.*f/s", rate < 10 ? 1 : 0, rate);
	if (!report->rates->ended)
		text_format(&line, "; procmem pressure %d", (int)report->info->pid);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

void headroom_answer_print(const struct headroom_report *report, struct out *out)
{
	print_end(report, out);
	print_first(report, out);
	print_reclaim(report, out);
	print_runtime_limits(report, out);
	headroom_fillers_print(report, out);
	print_age(report, out);
	print_life(report, out);
	headroom_rows_print(report, out);
	print_beneath(report, out);
	print_address_space(report, out);
	print_reserve(report, out);
	print_threads(report, out);
}
