/* SPDX-License-Identifier: MIT */
#include "why/until.h"

#include "base/delta.h"
#include "target/first_limit.h"

/** Adds a value of a limit: a number, or a size in bytes. */
static void put_value(const struct pm_limit *limit, uint64_t value, bool exact, struct text *text)
{
	if (limit->counts)
		text_grouped(text, value);
	else
		text_size_as(text, value, exact);
}

/** Adds the name of a limit with its maximum. */
static void put_limit(const struct pm_limit *limit, bool exact, struct text *text)
{
	text_string(text, first_limit_words(limit->kind));
	text_string(text, " (");
	put_value(limit, limit->max, exact, text);
	text_char(text, ')');
}

/** Adds when a limit is reached, or what is left of it if this is not known. */
static void put_limit_time(const struct pm_finding *finding, bool exact, struct text *text)
{
	const struct pm_limit *limit = &finding->limit->limit;

	if (finding->time_known && limit->kind == PM_LIMIT_SYSTEM) {
		text_string(text, "no nearer limit: the machine (");
		text_size_as(text, limit->max, exact);
		text_string(text, ") lasts ");
		delta_put_time_left(finding->seconds_min, finding->seconds_max, text);
		return;
	}

	put_limit(limit, exact, text);
	if (finding->time_known) {
		text_string(text, ": used up in ");
		delta_put_time_left(finding->seconds_min, finding->seconds_max, text);
	} else {
		text_string(text, ": ");
		put_value(limit, pm_limit_left(limit), exact, text);
		text_string(text, " left");
	}
}

void why_until_put(const struct pm_finding *finding, bool exact, struct text *text)
{
	if (finding->limit) {
		put_limit_time(finding, exact, text);
	} else if (finding->time_known && finding->count_max > 0) {
		text_string(text, "its open files, RLIMIT_NOFILE (");
		text_grouped(text, finding->count_max);
		text_string(text, "): used up in ");
		delta_put_time_left(finding->seconds_min, finding->seconds_max, text);
	} else if (finding->time_known) {
		text_string(text, finding->harmless ? "full in " : "used up in ");
		delta_put_time_left(finding->seconds_min, finding->seconds_max, text);
	} else if (finding->rate > 0 && !finding->harmless) {
		text_string(text, "not known: no limit is reached at this rate");
	}
}
