/* SPDX-License-Identifier: MIT */
#include "watch/reserve.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "target/json_parts.h"
#include "watch/verdict.h"

int watch_reserve_add(struct watch_reserves *reserves, const struct pm_sample *sample,
                      struct pm_process *process, struct pm_error *error)
{
	reserves->count = 0;
	if (sample->held_back)
		return 0;
	if (!reserves->found && pm_reserves_create(&reserves->found, error) < 0)
		return -1;

	return pm_reserves_add(reserves->found, sample->time, sample->regions, process, error);
}

void watch_reserve_judge(struct watch_reserves *reserves)
{
	size_t count = 0;
	const struct pm_reserve *const *found = NULL;

	if (reserves->found)
		found = pm_reserves_list(reserves->found, &count);

	reserves->items = alloc_array(reserves->items, count + 1, sizeof *reserves->items);
	reserves->count = count;
	for (size_t i = 0; i < count; i++) {
		struct watch_reserve *reserve = &reserves->items[i];
		uint64_t left = pm_reserve_size(found[i]) - found[i]->used;

		*reserve = (struct watch_reserve){ .type = found[i]->type,
			                           .start = found[i]->start,
			                           .end = found[i]->end,
			                           .used = found[i]->used };
		pm_trend_judge(&found[i]->series, PM_TREND_BYTES, &reserve->trend);
		reserve->lasts = pm_trend_lasts(&reserve->trend, left, &reserve->seconds);
	}
}

const struct watch_reserve *watch_reserve_of(const struct watch_reserves *reserves,
                                             const struct pm_track *track)
{
	for (size_t i = 0; i < reserves->count; i++) {
		const struct watch_reserve *reserve = &reserves->items[i];
		if (reserve->start >= track->start && reserve->start < track->end)
			return reserve;
	}

	return NULL;
}

const struct watch_reserve *watch_reserve_soonest(const struct watch_reserves *reserves)
{
	const struct watch_reserve *soonest = NULL;

	for (size_t i = 0; i < reserves->count; i++) {
		const struct watch_reserve *reserve = &reserves->items[i];
		if (reserve->lasts && (!soonest || reserve->seconds < soonest->seconds))
			soonest = reserve;
	}

	return soonest;
}

void watch_reserve_describe(const struct watch_reserve *reserve, struct text *text)
{
	uint64_t size = reserve->end - reserve->start;

	text_string(text, "grows into a reserve of ");
	text_size(text, size);
	text_format(text, " (%.0f %% used)", (double)reserve->used * 100 / (double)size);

	if (reserve->used == size) {
		text_string(text, ": full");
	} else if (reserve->lasts) {
		text_string(text, ": full in ");
		watch_verdict_time(reserve->trend.estimate, reserve->seconds, text);
	}
}

void watch_reserve_json(struct json *json, const struct watch_reserve *reserve)
{
	if (!reserve)
		return;

	const struct pm_reserve found = { .type = reserve->type,
		                          .start = reserve->start,
		                          .end = reserve->end,
		                          .used = reserve->used };
	const struct forecast_time time = { .known = reserve->lasts,
		                            .estimate = reserve->trend.estimate,
		                            .seconds = reserve->seconds };
	json_parts_reserve(json, &found, &reserve->trend, &time);
}

struct watch_reserves watch_reserve_copy(const struct watch_reserves *reserves)
{
	struct watch_reserves copy = { .count = reserves->count };

	copy.items = alloc_array(NULL, copy.count + 1, sizeof *copy.items);
	if (copy.count > 0)
		memcpy(copy.items, reserves->items, copy.count * sizeof *copy.items);
	return copy;
}

void watch_reserve_deinit(struct watch_reserves *reserves)
{
	pm_reserves_destroy(reserves->found);
	free(reserves->items);
	*reserves = (struct watch_reserves){ 0 };
}
