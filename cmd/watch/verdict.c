/* SPDX-License-Identifier: MIT */
#include "watch/verdict.h"

#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "target/region_text.h"

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
		delta_put_bytes(text, (int64_t)(shown_rate(trend) * seconds), bytes);
	else
		text_char(text, '-');
}

void watch_verdict_time(const struct pm_trend *trend, double seconds, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(seconds, duration);
	if (trend->estimate)
		text_string(text, "about ");
	text_string(text, duration);
}

static void add_size(uint64_t size, bool bytes, struct text *text)
{
	if (bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

/** Adds a short name of a track, escaped: "arena 3", "malloc 7f3a08000000", "file /srv/a". */
static void add_name(const struct pm_track *track, struct text *text)
{
	const struct pm_detail *detail = &track->detail;

	text_format(text, "%s ", pm_kind_name(track->kind));
	if (pm_detail_has_heaps(detail) && detail->listed > 0 && detail->heaps[0].number > 0)
		text_decimal(text, detail->heaps[0].number);
	else if (*track->mapping)
		utf8_escape(text, track->mapping, strlen(track->mapping));
	else
		text_hex(text, track->start, 1);
}

/** Adds how a track grows beneath the process. */
static void add_beneath(const struct watch_beneath *beneath, struct text *text)
{
	text_string(text, "beneath it ");
	add_name(beneath->track, text);

	if (beneath->trend.estimate) {
		text_format(text, " %s", beneath->trend.reason);
	} else {
		text_string(text, " grows steadily, ");
		delta_put_rate(text, beneath->trend.rate);
	}
}

/** Adds a size after a word. */
static void add_figure(const char *word, double size, bool bytes, struct text *text)
{
	text_string(text, word);
	add_size((uint64_t)size, bytes, text);
}

/**
 * Adds a verdict and its reason. The reasons for the verdicts "steps" and "no growth" contain the
 * verdict.
 */
static void add_reason(const struct pm_trend *trend, bool bytes, struct text *text)
{
	if (trend->verdict == PM_VERDICT_STEPS || trend->verdict == PM_VERDICT_NO_GROWTH) {
		text_string(text, trend->reason);
		return;
	}

	text_format(text, "%s (%s", pm_verdict_name(trend->verdict), trend->reason);
	if (trend->sawtooth)
		add_figure("; floor ", trend->floor, bytes, text);
	text_char(text, ')');
}

void watch_verdict_headline(const struct watch_history *history, bool bytes, struct text *text)
{
	const struct pm_trend *trend = &history->memory.trend;

	if (!history->beneath.track) {
		add_reason(trend, bytes, text);
		return;
	}

	text_format(text, "%s overall (", pm_verdict_name(trend->verdict));
	if (trend->sawtooth) {
		add_figure("sawtooth of ", trend->swing, bytes, text);
		add_figure(", floor ", trend->floor, bytes, text);
	} else {
		text_string(text, trend->reason);
	}
	text_string(text, "); ");
	add_beneath(&history->beneath, text);
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
		add_figure("  floor ", trend->floor, bytes, text);
	}

	if (history->beneath.track) {
		text_string(text, "  ");
		add_beneath(&history->beneath, text);
	}
}

void watch_verdict_json(json_t *object, const struct pm_trend *trend)
{
	if (trend->rate != 0)
		json_add(object, "rate", json_real(trend->rate));

	if (trend->estimate) {
		json_add(object, "estimate", json_true());
		json_add(object, "estimated_rate", json_real(trend->estimated_rate));
		json_add(object, "step", json_number((uint64_t)trend->step));
	}

	if (trend->sawtooth) {
		json_add(object, "sawtooth", json_number((uint64_t)trend->swing));
		json_add(object, "floor", json_number((uint64_t)trend->floor));
		json_add(object, "floor_rise", json_integer((json_int_t)trend->floor_rise));
	}

	json_add(object, "verdict", json_string(pm_verdict_name(trend->verdict)));
	json_add(object, "reason", json_string(trend->reason));
}

void watch_verdict_json_beneath(json_t *object, const struct watch_beneath *beneath)
{
	const struct pm_track *track = beneath->track;

	if (!track)
		return;

	json_t *member = json_object();
	json_add(member, "start", json_address(track->start));
	json_add(member, "end", json_address(track->end));
	json_add(member, "kind", json_string(pm_kind_name(track->kind)));
	if (*track->mapping)
		json_add(member, "mapping", json_text(track->mapping));
	if (track->detail.type != PM_DETAIL_NONE)
		json_add(member, "detail", region_text_detail_json(&track->detail));

	json_add(member, "rss", json_number(track->weight));
	watch_verdict_json(member, &beneath->trend);
	json_add(object, "beneath", member);
}
