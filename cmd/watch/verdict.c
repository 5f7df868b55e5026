/* SPDX-License-Identifier: MIT */
#include "watch/verdict.h"

#include <procmem/number.h>

#include "base/convert.h"
#include "base/delta.h"
#include "target/growth_text.h"
#include "target/json_parts.h"

/**
 * Returns the rate that is shown: the known rate, of either sign, or the estimate; 0 if neither is
 * known.
 */
static double shown_rate(const struct pm_trend *trend)
{
	return trend->estimate ? trend->estimated_rate : trend->rate;
}

void watch_verdict_rate(const struct pm_trend *trend, struct text *text)
{
	if (trend->estimate)
		text_char(text, '~');
	if (shown_rate(trend) != 0)
		delta_put_rate(text, shown_rate(trend));
	else
		text_char(text, '-');
}

void watch_verdict_extrapolate(const struct pm_trend *trend, double seconds, bool bytes,
                               struct text *text)
{
	if (trend->estimate)
		text_char(text, '~');
	if (shown_rate(trend) != 0)
		delta_put_bytes(text, convert_int64(shown_rate(trend) * seconds), bytes);
	else
		text_char(text, '-');
}

void watch_verdict_time(bool estimate, double seconds, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(seconds, duration);
	if (estimate)
		text_string(text, "about ");
	text_string(text, duration);
}

void watch_verdict_headline(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct pm_trend *trend = &history->memory.trend;
	const struct watch_beneath *beneath = &history->beneath;

	if (beneath->track)
		growth_text_put_overall(trend, beneath->track, &beneath->trend, bytes, text);
	else
		growth_text_put_reason(trend, bytes, text);
}

/** Adds a size after a word. */
static void add_figure(const char *word, double size, bool bytes, struct text *text)
{
	text_string(text, word);
	if (bytes)
		text_decimal(text, convert_uint64(size));
	else
		text_size(text, convert_uint64(size));
}

void watch_verdict_short(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct pm_trend *trend = &history->memory.trend;

	text_string(text, pm_verdict_name(trend->verdict));
	if (history->beneath.track)
		text_string(text, " overall");
	if (shown_rate(trend) != 0) {
		text_char(text, ' ');
		watch_verdict_rate(trend, text);
	}

	if (trend->sawtooth) {
		add_figure("  sawtooth of ", trend->swing, bytes, text);
		if (trend->floor_known)
			add_figure("  floor ", trend->floor, bytes, text);
	}

	if (history->beneath.track) {
		text_string(text, "  ");
		growth_text_put_beneath(history->beneath.track, &history->beneath.trend, text);
	}
}

void watch_verdict_json_beneath(struct json *json, const struct watch_beneath *beneath)
{
	if (beneath->track)
		json_parts_beneath(json, beneath->track, &beneath->trend);
}
