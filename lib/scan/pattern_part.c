/* SPDX-License-Identifier: MIT */
#include "scan/pattern_part.h"

#include <string.h>

#include "base/minmax.h"
#include "scan/byte_set.h"

size_t pm_length_sum(size_t a, size_t b)
{
	size_t result;

	if (__builtin_add_overflow(a, b, &result))
		return SIZE_MAX;
	return result;
}

static size_t product(size_t a, size_t b)
{
	size_t result;

	if (__builtin_mul_overflow(a, b, &result))
		return SIZE_MAX;
	return result;
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

/** Appends the positions of the row `more` to `row`, until `row` is full. */
static void append(struct pm_row *row, const struct pm_row *more)
{
	for (uint8_t i = 0; i < more->count && row->count < PM_SEQUENCE_MAX; i++)
		row->sets[row->count++] = more->sets[i];
}

/**
 * Inserts the row `more` before `row`. If there is no room for all positions of `more`, only the
 * last ones are inserted.
 */
static void prepend(struct pm_row *row, const struct pm_row *more)
{
	struct pm_row result = { 0 };
	size_t kept = pm_min_size(more->count, (size_t)PM_SEQUENCE_MAX - row->count);

	for (size_t i = more->count - kept; i < more->count; i++)
		result.sets[result.count++] = more->sets[i];

	append(&result, row);
	*row = result;
}

/** Estimates the share of offsets in memory that match the two rarest positions of a row. */
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

/**
 * Adds a sequence to a part, sorted by score. If there are more than PM_REQUIRED_MAX, drops the one
 * with the highest score.
 */
static void add_needed(const struct pm_part_sets *sets, struct pm_part *part,
                       struct pm_needed needed)
{
	if (needed.row.count == 0)
		return;

	/* If the offset of the sequence in the match is not fixed, the start of the match has to be
	 * searched for, which costs time. So the sequence must be rarer to be chosen. */
	needed.score = row_share(sets, &needed.row);
	if (needed.max_length == SIZE_MAX)
		needed.score *= 4;
	else if (needed.min_length != needed.max_length)
		needed.score *= 2;
	if (needed.run > 0)
		needed.score /= (double)needed.run;

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

/**
 * Tests whether all matches of a part have the same length, and `first` contains all their
 * positions.
 */
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
	needed.max_length = SIZE_MAX;
	if (before->max_length != SIZE_MAX)
		needed.max_length = before->max_length - back;

	add_needed(sets, part, needed);
}

void pm_part_append(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *next)
{
	/* The last positions of `part` and the first positions of `next` form a sequence. If `next`
	 * is not fixed, parts that are appended later cannot make this sequence longer, so add it
	 * now. */
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
	struct pm_row first = { .count = part->first.count }, last = { .count = part->last.count };
	if (other->first.count < first.count)
		first.count = other->first.count;
	if (other->last.count < last.count)
		last.count = other->last.count;

	for (uint8_t i = 0; i < first.count; i++)
		first.sets[i] = unite_sets(sets, part->first.sets[i], other->first.sets[i]);

	for (uint8_t i = 0; i < last.count; i++)
		last.sets[i] = unite_sets(sets, part->last.sets[part->last.count - last.count + i],
		                          other->last.sets[other->last.count - last.count + i]);

	part->first = first;
	part->last = last;
	part->any = unite_sets(sets, part->any, other->any);
	part->min_length = pm_min_size(part->min_length, other->min_length);
	part->max_length = pm_max_size(part->max_length, other->max_length);
	part->needed_count = 0;
}

void pm_part_repeat(struct pm_part_sets *sets, struct pm_part *part, size_t min, size_t max)
{
	struct pm_part once = *part;

	if (min == 0) {
		part->first.count = part->last.count = 0;
		part->needed_count = 0;
	}

	/* More than PM_SEQUENCE_MAX copies would not change `first` and `last`. */
	for (size_t i = 1; i < min && i < PM_SEQUENCE_MAX; i++)
		pm_part_append(sets, part, &once);

	if (min >= PM_RUN_MIN && once.min_length == 1 && is_fixed(&once)) {
		const struct pm_needed run = { .row = part->first,
			                       .before = PM_SET_NONE,
			                       .run = min };
		add_needed(sets, part, run);
	}

	part->min_length = product(once.min_length, min);
	part->max_length = product(once.max_length, max);
}
