/* SPDX-License-Identifier: MIT */
#include "target/growth_text.h"

#include <string.h>

#include <procmem/number.h>

#include "base/convert.h"
#include "base/delta.h"
#include "base/utf8.h"

void growth_text_put_name(const struct pm_track *track, struct text *text)
{
	const struct pm_detail *detail = &track->detail;
	const char *name = pm_kind_name(track->kind);

	if (track->kind == PM_KIND_ANON && track->owner != PM_OWNER_UNKNOWN)
		name = pm_owner_title(track->owner);
	text_format(text, "%s ", name);
	if (pm_detail_has_heaps(detail) && detail->listed > 0 && detail->heaps[0].number > 0)
		text_decimal(text, detail->heaps[0].number);
	else if (*track->mapping)
		utf8_escape(text, track->mapping, strlen(track->mapping));
	else
		text_hex(text, track->start, 1);
}

void growth_text_put_beneath(const struct pm_track *track, const struct pm_trend *trend,
                             struct text *text)
{
	text_string(text, "beneath it ");
	growth_text_put_name(track, text);

	if (trend->estimate) {
		text_format(text, " %s", trend->reason);
	} else {
		text_string(text, " grows steadily, ");
		delta_put_rate(text, trend->rate);
	}
}

/** Adds a size after a word. */
static void add_figure(const char *word, double size, bool bytes, struct text *text)
{
	text_string(text, word);
	text_size_as(text, convert_uint64(size), bytes);
}

void growth_text_put_reason(const struct pm_trend *trend, bool bytes, struct text *text)
{
	if (trend->verdict == PM_VERDICT_STEPS || trend->verdict == PM_VERDICT_NO_GROWTH) {
		text_string(text, trend->reason);
		return;
	}

	text_format(text, "%s (%s", pm_verdict_name(trend->verdict), trend->reason);
	if (trend->floor_known)
		add_figure("; floor ", trend->floor, bytes, text);
	text_char(text, ')');
}

void growth_text_put_overall(const struct pm_trend *trend, const struct pm_track *beneath,
                             const struct pm_trend *beneath_trend, bool bytes, struct text *text)
{
	text_format(text, "%s overall (", pm_verdict_name(trend->verdict));
	if (trend->sawtooth) {
		add_figure("sawtooth of ", trend->swing, bytes, text);
		if (trend->floor_known)
			add_figure(", floor ", trend->floor, bytes, text);
	} else {
		text_string(text, trend->reason);
	}

	text_string(text, "); ");
	growth_text_put_beneath(beneath, beneath_trend, text);
}
