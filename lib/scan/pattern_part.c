/* SPDX-License-Identifier: MIT */
#include "scan/pattern_part.h"

#include <string.h>

#include "base/minmax.h"
#include "scan/byte_set.h"

size_t pm_length_sum(size_t a, size_t b)
{
	size_t result;
	return __builtin_add_overflow(a, b, &result) ? SIZE_MAX : result;
}

static size_t product(size_t a, size_t b)
{
	size_t result;
	return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

uint8_t pm_part_set(struct pm_part_sets *sets, const struct pm_byte_set *set)
{
	for (size_t i = 0; i < sets->count; i++) {
		if (memcmp(&sets->sets[i], set, sizeof *set) == 0)
			return (uint8_t)i;
	}

	if (sets->count == PM_SETS_MAX)
		return PM_SET_ALL;

	sets->sets[sets->count] = *set;
	sets->shares[sets->count] = pm_byte_set_share(set);
	return (uint8_t)sets->count++;
}

static uint8_t unite_sets(struct pm_part_sets *sets, uint8_t a, uint8_t b)
{
	if (a == PM_SET_ALL || b == PM_SET_ALL)
		return PM_SET_ALL;
	struct pm_byte_set both = sets->sets[a];
	pm_byte_set_unite(&both, &sets->sets[b]);
	return pm_part_set(sets, &both);
}

/** Adds a row behind another, as far as there is room. */
static void append(struct pm_row *row, const struct pm_row *more)
{
	for (uint8_t i = 0; i < more->count && row->count < PM_SEQUENCE_MAX; i++)
		row->sets[row->count++] = more->sets[i];
}

/** Adds a row before another; what it begins with is left out where there is no room. */
static void prepend(struct pm_row *row, const struct pm_row *more)
{
	struct pm_row result = { 0 };
	uint8_t skip = (uint8_t)(row->count + more->count > PM_SEQUENCE_MAX
	                                 ? row->count + more->count - PM_SEQUENCE_MAX
	                                 : 0);

	for (uint8_t i = skip; i < more->count; i++)
		result.sets[result.count++] = more->sets[i];

	append(&result, row);
	*row = result;
}

/** Share of memory that fits the two rarest positions of a row. */
static double row_share(const struct pm_part_sets *sets, const struct pm_row *row)
{
	double first = 1, second = 1;
	for (uint8_t i = 0; i < row->count; i++) {
		double share = sets->shares[row->sets[i]];
		if (share < first) {
			second = first;
			first = share;
		} else if (share < second)
			second = share;
	}

	return first * second;
}

/** Keeps a sequence if it is among the best. */
static void add_needed(const struct pm_part_sets *sets, struct pm_part *part,
                       struct pm_needed needed)
{
	if (needed.row.count == 0)
		return;

	/* Without a fixed place the begin of the match has to be looked for: worth a little more of
	 * rareness. */
	needed.score = row_share(sets, &needed.row) * (needed.max_length == SIZE_MAX ? 4
	                                               : needed.min_length != needed.max_length
	                                                       ? 2
	                                                       : 1);
	needed.score /= needed.run ? (double)needed.run : 1;

	size_t at = part->needed_count;
	while (at > 0 && part->needed[at - 1].score > needed.score)
		at--;

	if (at == PM_REQUIRED_MAX)
		return;

	if (part->needed_count < PM_REQUIRED_MAX)
		part->needed_count++;
	memmove(&part->needed[at + 1], &part->needed[at],
	        (part->needed_count - at - 1) * sizeof needed);
	part->needed[at] = needed;
}

/** Whether its length is fixed, and all positions are known. */
static bool is_fixed(const struct pm_part *part)
{
	return part->min_length == part->max_length && part->min_length == part->first.count;
}

void pm_part_add_row(const struct pm_part_sets *sets, struct pm_part *part,
                     const struct pm_row *row, const struct pm_part *before, size_t back)
{
	struct pm_needed needed = { .row = *row,
		                    .min_length = before->min_length - back,
		                    .before = before->any };
	needed.max_length = before->max_length == SIZE_MAX ? SIZE_MAX : before->max_length - back;
	add_needed(sets, part, needed);
}

void pm_part_append(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *next)
{
	/* A row is noted down when it ends: where the next part has no fixed length. */
	if (!is_fixed(next)) {
		struct pm_row border = part->last;
		append(&border, &next->first);
		pm_part_add_row(sets, part, &border, part, part->last.count);
	}

	for (size_t i = 0; i < next->needed_count; i++) {
		struct pm_needed needed = next->needed[i];
		needed.min_length = pm_length_sum(needed.min_length, part->min_length);
		needed.max_length = pm_length_sum(needed.max_length, part->max_length);
		needed.before = unite_sets(sets, needed.before, part->any);
		add_needed(sets, part, needed);
	}

	struct pm_row last = next->last;
	if (is_fixed(next))
		prepend(&last, &part->last);
	if (is_fixed(part))
		append(&part->first, &next->first);
	part->last = last;
	part->any = unite_sets(sets, part->any, next->any);
	part->min_length = pm_length_sum(part->min_length, next->min_length);

	part->max_length = pm_length_sum(part->max_length, next->max_length);
}

void pm_part_unite(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *other)
{
	struct pm_row first = { .count = part->first.count < other->first.count
		                                 ? part->first.count
		                                 : other->first.count };
	struct pm_row last = { .count = part->last.count < other->last.count ? part->last.count
		                                                             : other->last.count };

	for (uint8_t i = 0; i < first.count; i++)
		first.sets[i] = unite_sets(sets, part->first.sets[i], other->first.sets[i]);

	for (uint8_t i = 0; i < last.count; i++)
		last.sets[i] = unite_sets(sets, part->last.sets[part->last.count - last.count + i],
		                          other->last.sets[other->last.count - last.count + i]);

	part->first = first;
	part->last = last;
	part->any = unite_sets(sets, part->any, other->any);
	part->min_length = pm_min_size(part->min_length, other->min_length);
	part->max_length = part->max_length > other->max_length ? part->max_length
	                                                        : other->max_length;
	part->needed_count = 0;
}

void pm_part_repeat(struct pm_part_sets *sets, struct pm_part *part, size_t least, size_t most)
{
	struct pm_part once = *part;

	if (least == 0) {
		part->first.count = part->last.count = 0;
		part->needed_count = 0;
	}

	/* More copies than a row has places tell nothing new. */
	for (size_t i = 1; i < least && i < PM_SEQUENCE_MAX; i++)
		pm_part_append(sets, part, &once);

	if (least >= PM_RUN_MIN && once.min_length == 1 && is_fixed(&once)) {
		const struct pm_needed run = { .row = part->first,
			                       .before = PM_SET_NONE,
			                       .run = least };
		add_needed(sets, part, run);
	}

	part->min_length = product(once.min_length, least);
	part->max_length = once.max_length == 0 ? 0 : product(once.max_length, most);
}
