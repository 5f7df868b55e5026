/* SPDX-License-Identifier: MIT */
#include "view/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* Time until the line first appears, and time between two updates, in microseconds. */
enum { FIRST_US = 1000000, EACH_US = 200000 };

void progress_init(struct progress *progress, bool quiet)
{
	*progress = (struct progress){ .wanted = !quiet && isatty(STDERR_FILENO),
		                       .begin = clock_us() };
}

bool progress_due(const struct progress *progress)
{
	if (progress->listener || !progress->wanted)
		return progress->listener;

	uint64_t now = clock_us();

	return now - progress->begin >= FIRST_US && now - progress->shown >= EACH_US;
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total, uint64_t bytes)
{
	if (progress->listener) {
		progress->listener(progress->context, done, total);
		return;
	}

	uint64_t now = clock_us();
	uint64_t elapsed = now - progress->begin;
	double share = total > 0 ? (double)done / (double)total : 1;
	struct text line = { 0 };

	progress->shown = now;
	text_format(&line, "\r\033[K%3.0f%%  ", share * 100);
	text_size(&line, bytes);
	text_string(&line, "  ");
	text_size(&line, (uint64_t)((double)bytes * 1e6 / (double)elapsed));
	text_string(&line, "/s");
	if (share > 0.01)
		text_format(&line, "  %.0fs left", (double)elapsed / 1e6 * (1 - share) / share);

	fwrite(line.bytes, 1, line.length, stderr);
	fflush(stderr);
	text_deinit(&line);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = 0;
}
