/* SPDX-License-Identifier: MIT */
#include "stale/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/clock.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "base/text.h"
#include "target/sampled.h"

/* Resident bytes from which the user must confirm the stall (--yes), which takes about 100 ms for
 * this size. */
static const uint64_t rss_max = UINT64_C(8) << 30;

static const double usual_seconds = 60;

/* The times of the readings, as shares of the duration: 1, 10 and 60 s of a minute. */
static const double reading_shares[] = { 1.0 / 60, 10.0 / 60, 1 };

/** Checks that the stall is small, or that the user accepts it. */
static int check_size(const struct stale_report *report, struct pm_error *error)
{
	const struct pm_stale_prediction *prediction = &report->prediction;
	char rss[PM_SIZE_TEXT_SIZE], max[PM_SIZE_TEXT_SIZE];

	if (report->options->yes || prediction->rss <= rss_max)
		return 0;

	pm_format_size(prediction->rss, rss);
	pm_format_size(rss_max, max);
	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "process %d has %s resident in %zu regions, so that removing the marks "
	                    "of its pages would stall it for about %.0f ms: add --yes to measure "
	                    "processes of more than %s",
	                    (int)report->info.pid, rss, prediction->regions,
	                    (double)prediction->stall_us / 1000, max);
}

/** Says what the measurement changes, before it does. */
static void announce(const struct stale_report *report)
{
	if (report->options->output.quiet)
		return;

	report_note("removing the referenced marks of process %d stalls it for about %.1f ms, and "
	            "makes its pages look old to the kernel's reclaim and to other programs that "
	            "measure like this",
	            (int)report->info.pid, (double)report->prediction.stall_us / 1000);
}

/** Waits until a reading is due, the process has ended, or the user interrupts. */
static void await_reading(struct poll_loop *wait, size_t ended, double due)
{
	poll_loop_postpone(wait, due - clock_seconds());

	while (!*wait->interrupted && !wait->descriptors[ended].revents)
		if (poll_loop_wait(wait))
			return;
}

/** With -v, reports a reading when it was taken. */
static void report_reading(const struct stale_report *report)
{
	struct pm_stale_reading reading;
	char size[PM_SIZE_TEXT_SIZE], duration[PM_DURATION_TEXT_SIZE];

	if (!report->options->output.verbose || !pm_stale_last(report->stale, &reading))
		return;

	pm_format_size(reading.referenced, size);
	pm_format_duration(reading.seconds, duration);
	report_note("after %s: %s touched; read smaps in %.1f ms", duration, size,
	            (double)reading.read_us / 1000);
}

/** Takes the readings. The process can end at any time; `report->ended` then says so. */
static void read_all(struct stale_report *report, struct poll_loop *wait)
{
	const double begin = clock_seconds();

	/* If there is no descriptor (-1), poll(2) ignores it, and the next reading fails. */
	size_t ended = poll_loop_add(wait, pm_process_poll_fd(report->process), POLLIN);

	for (size_t i = 0; i < sizeof reading_shares / sizeof *reading_shares; i++) {
		await_reading(wait, ended, begin + wait->interval * reading_shares[i]);
		report->interrupted = *wait->interrupted != 0;
		report->stopped |= sampled_is_stopped(report->process);

		if (pm_stale_read(report->stale, &report->ended) < 0)
			break;
		report_reading(report);
		if (report->interrupted)
			break;
	}
}

/** Takes the readings, and shows on a terminal that this takes a while. */
static void read_visibly(struct stale_report *report, struct poll_loop *wait)
{
	bool shown = !report->options->output.quiet && isatty(STDERR_FILENO);
	char duration[PM_DURATION_TEXT_SIZE];

	if (shown) {
		pm_format_duration(wait->interval, duration);
		fprintf(stderr, "measuring for %s (Ctrl-C ends this early)", duration);
		fflush(stderr);
	}

	read_all(report, wait);

	if (shown)
		fputs("\r\033[K", stderr);
}

/** Removes the marks and takes the readings. From then on, signals end the measurement only. */
static int clear_and_read(struct stale_report *report, struct pm_error *error)
{
	double seconds = report->options->seconds > 0 ? report->options->seconds : usual_seconds;
	struct poll_loop wait;

	poll_loop_init(&wait, seconds);
	int result = pm_stale_clear(report->stale, error);
	if (result == 0) {
		report_reading(report);
		read_visibly(report, &wait);
	}
	poll_loop_deinit(&wait);

	return result;
}

/**
 * Finds the selected regions, so that a wrong REGION is reported now, not after the measurement.
 * @return 1 if there are none (`error` is set)
 */
static int check_selection(const struct stale_report *report, struct pm_error *error)
{
	const struct pm_regions *regions = pm_stale_regions(report->stale);
	struct pm_region_range *ranges;
	size_t count;

	if (selection_apply(&report->options->selection, regions, true, &ranges, &count, error) < 0)
		return error->kind == PM_ERROR_NOT_FOUND ? 1 : -1;

	free(ranges);
	if (count > 0)
		return 0;

	pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
	             "none of the %zu region%s of process %d matches the filters", regions->count,
	             text_plural(regions->count), (int)report->info.pid);
	return 1;
}

/**
 * Reads what is needed to decide whether to measure. Nothing is changed yet.
 * @return as stale_measure()
 */
static int prepare(struct stale_report *report, struct pm_error *error)
{
	if (pm_process_read_info(report->process, &report->info, error) < 0 ||
	    pm_process_read_command(report->process, &report->command, error) < 0 ||
	    pm_stale_open(report->process, &report->stale, error) < 0)
		return -1;

	report->prediction = pm_stale_predict(report->stale);
	if (check_size(report, error) < 0)
		return -1;

	return check_selection(report, error);
}

int stale_measure(struct stale_report *report, struct pm_error *error)
{
	int prepared = prepare(report, error);
	if (prepared != 0)
		return prepared;

	announce(report);
	if (clear_and_read(report, error) < 0 ||
	    pm_stale_finish(report->stale, &report->result, error) < 0)
		return -1;

	/* The reading directly after the marks were removed says nothing about touched memory. */
	if (report->result.reading_count > 1)
		return 0;

	*error = report->ended;
	return pm_error_prefix(error, "there is no result yet: ");
}

void stale_measure_deinit(struct stale_report *report)
{
	pm_stale_close(report->stale);
	free(report->command);
}
