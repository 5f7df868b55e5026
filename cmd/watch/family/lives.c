/* SPDX-License-Identifier: MIT */
#include "watch/family/lives.h"

#include <procmem/minmax.h>
#include <procmem/number.h>

#include "watch/format.h"
#include "watch/verdict.h"

/* Lives whose durations differ by at most this share have about the same duration. */
static const double same_share = 0.2;

/** Adds a life that has ended. */
static void add_ended(const struct family_member *member, struct family_lives *lives)
{
	const struct pm_series *series = &member->memory.series;
	double duration = member->until - member->started;

	if (lives->known == 0 || duration < lives->shortest)
		lives->shortest = duration;
	if (duration > lives->longest)
		lives->longest = duration;
	if (!lives->last || member->until >= lives->last->until)
		lives->last = member;

	lives->peak = pm_max(lives->peak, family_members_memory(member));
	for (size_t i = 0; i < series->count; i++)
		lives->peak = pm_max(lives->peak, series->points[i].value);
	lives->known++;
}

void family_lives_read(const struct family_members *members, struct family_lives *lives)
{
	*lives = (struct family_lives){ .ended = members->dropped_lives };

	for (size_t i = 0; i < members->count; i++) {
		const struct family_member *member = &members->items[i];

		if (!member->followed)
			continue;
		if (member->state == PM_FAMILY_ENDED)
			lives->ended++;

		if (member->started <= 0 || !member->measured)
			continue;
		if (member->state == PM_FAMILY_ENDED)
			add_ended(member, lives);
		else if (member->state == PM_FAMILY_ALIVE && member->started < members->now)
			lives->age = members->now - member->started;
	}
}

/** Adds how long the lives lasted. */
static void add_durations(const struct family_lives *lives, struct text *text)
{
	bool same = lives->longest - lives->shortest <= lives->longest * same_share;
	char shortest[PM_DURATION_TEXT_SIZE], longest[PM_DURATION_TEXT_SIZE];

	pm_format_duration(lives->shortest, shortest);
	pm_format_duration(lives->longest, longest);
	if (lives->known < lives->ended)
		text_format(text, "the last %zu ", lives->known);

	if (lives->known == 1)
		text_format(text, "about %s long", longest);
	else if (same)
		text_format(text, "each about %s long", longest);
	else
		text_format(text, "%s to %s long", shortest, longest);
}

void family_lives_describe(const struct family_lives *lives, bool bytes, struct text *text)
{
	const struct pm_trend *trend = &lives->last->memory.trend;

	text_format(text, "%zu %s ended, ", lives->ended, lives->ended == 1 ? "life" : "lives");
	add_durations(lives, text);
	text_string(text, ", peak seen ");
	watch_format_size(lives->peak, bytes, text);

	if (pm_trend_growth_rate(trend) > 0) {
		text_string(text, lives->ended == 1 ? ", it grew " : ", the last grew ");
		watch_verdict_rate(trend, text);
	}
}

bool family_lives_end_before(const struct family_lives *lives, double seconds)
{
	return lives->known > 0 && lives->age + seconds > lives->longest;
}
