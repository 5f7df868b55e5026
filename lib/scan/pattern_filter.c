/* SPDX-License-Identifier: MIT */
#include "scan/pattern_filter.h"

#include "base/minmax.h"
#include "scan/byte_set.h"

enum {
	SAMPLES = 1024,                  /* number of offsets at which samples are taken to choose a
	                                    sequence */
	CHOICE_MIN = 2 * SAMPLES,        /* minimum size in bytes of a window from which samples are
	                                    taken */
	CHOICE_BYTES = 64 * 1024 * 1024, /* number of bytes to search before the sequence is
	                                    chosen again */
	WORTH_FAST = 768, /* `tolerated` if all matches start with one of at most two byte
	                     values, because PCRE2 itself searches fast for these */
	WORTH_SLOW = 8,   /* `tolerated` for all other patterns, because PCRE2 tries to match
	                     them at each offset */
	PATIENCE = 64,    /* the filter is used in a window at least until `places + visits / 8`
	                     is this number */
};

/*
 * COMMON: a pair of positions that matches at more than this share of all offsets is not used.
 * HUGE_COST: more than the cost of any search.
 */
static const double COMMON = 0.2, HUGE_COST = 1e9;

/*
 * A search for a run costs as much as a search for a pair that matches at this share of all
 * offsets.
 */
static const double RUN_COST = 0.02;

/** Results of comparing the samples with a sequence. */
struct sampled {
	unsigned alone[PM_SEQUENCE_MAX]; /* for each position, the number of samples that match
	                                    it */
	unsigned whole;                  /* number of samples that match all positions */
	uint16_t fits[SAMPLES]; /* for each sample, a bit mask of the positions that it matches */
};

void pm_pattern_filter_init(struct pm_pattern_filter *filter, const struct pm_pattern_shape *shape,
                            enum pm_simd simd)
{
	*filter =
		(struct pm_pattern_filter){ .shape = shape, .simd = simd, .tolerated = WORTH_SLOW };

	const struct pm_required *first = &shape->required[0];
	/* If all matches start with one of at most two byte values, PCRE2 itself searches for these
	 * values with vector instructions. */
	for (size_t i = 0; i < shape->required_count; i++) {
		if (first[i].max_length == 0 && pm_byte_set_count(&first[i].bytes.sets[0]) <= 2)
			filter->tolerated = WORTH_FAST;
	}
}

static void take_samples(const struct pm_sequence *sequence, const uint8_t *bytes, size_t step,
                         struct sampled *sampled)
{
	*sampled = (struct sampled){ 0 };
	for (size_t i = 0; i < SAMPLES; i++) {
		const uint8_t *at = bytes + i * step;
		unsigned fits = 0;
		for (size_t j = 0; j < sequence->count; j++)
			fits |= (unsigned)pm_byte_set_has(&sequence->sets[j], at[j]) << j;
		for (size_t j = 0; j < sequence->count; j++)
			sampled->alone[j] += fits >> j & 1;
		sampled->fits[i] = (uint16_t)fits;
		sampled->whole += fits == (1u << sequence->count) - 1;
	}
}

/** Returns the number of samples that match position `a` and position `b`. */
static unsigned count_both(const struct sampled *sampled, size_t a, size_t b)
{
	unsigned wanted = 1u << a | 1u << b, count = 0;
	for (size_t i = 0; i < SAMPLES; i++)
		count += (sampled->fits[i] & wanted) == wanted;
	return count;
}

/**
 * Estimates at which share of all offsets a test succeeds.
 * @param count  number of samples that pass the test
 * @param share  share in typical memory; mainly distinguishes tests that no sample passes
 */
static double commonness(unsigned count, double share)
{
	return (double)count / SAMPLES + share / 16;
}

/**
 * Chooses two positions of a sequence: the rarest position, and the position that most rarely
 * matches together with the rarest one. If no second position makes matches rarer, both positions
 * are the same.
 * @return the estimated share of offsets at which both positions match
 */
static double choose_positions(const struct pm_sequence *sequence, const struct sampled *sampled,
                               size_t chosen[2])
{
	double best = 2, shares[PM_SEQUENCE_MAX];
	for (size_t i = 0; i < sequence->count; i++) {
		shares[i] = pm_byte_set_share(&sequence->sets[i]);
		double common = commonness(sampled->alone[i], shares[i]);
		if (common < best) {
			best = common;
			chosen[0] = i;
		}
	}

	chosen[1] = chosen[0];
	for (size_t i = 0; i < sequence->count; i++) {
		if (i == chosen[0])
			continue;
		double common = commonness(count_both(sampled, chosen[0], i),
		                           shares[chosen[0]] * shares[i]);
		if (common < best) {
			best = common;
			chosen[1] = i;
		}
	}

	return best;
}

/**
 * Returns a factor for the cost of finding the start of a match from a place: 1 if its distance
 * from the place is fixed, otherwise 2 or more.
 */
static double distance_cost(const struct pm_required *required)
{
	if (required->min_length == required->max_length)
		return 1;
	if (required->max_length == SIZE_MAX)
		return 2 + 60 * pm_byte_set_share(&required->before);
	return 2;
}

/**
 * Chooses the sequence with the lowest cost. Sets `required` to NULL if all sequences are too
 * common.
 */
static void choose(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t size)
{
	double best = HUGE_COST;
	struct sampled sampled;
	size_t step = (size - PM_SEQUENCE_MAX) / SAMPLES, chosen[2] = { 0, 0 };

	filter->required = NULL;
	for (size_t i = 0; i < filter->shape->required_count; i++) {
		const struct pm_required *required = &filter->shape->required[i];
		size_t positions[2] = { 0, 0 };

		take_samples(&required->bytes, bytes, step, &sampled);
		double common = choose_positions(&required->bytes, &sampled, positions);
		bool by_run = required->run > 0 && common > RUN_COST;
		if (by_run)
			common = RUN_COST;

		double cost = common * distance_cost(required);
		if (cost >= best ||
		    (size_t)sampled.whole * filter->tolerated > (size_t)2 * SAMPLES ||
		    common > COMMON)
			continue;

		best = cost;
		filter->required = required;
		filter->run = by_run ? required->run : 0;
		chosen[0] = positions[0];
		chosen[1] = positions[1];
	}

	for (size_t i = 0; filter->required && i < 2; i++) {
		filter->pair.offsets[i] = chosen[i];
		pm_byte_test_init(&filter->pair.tests[i], &filter->required->bytes.sets[chosen[i]]);
	}

	filter->find = pm_byte_pair_find_for(&filter->pair, filter->simd);
	filter->until = CHOICE_BYTES;
}

bool pm_pattern_filter_begin(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t size)
{
	filter->places = filter->visits = 0;

	/* A window that is too small for samples uses the sequence chosen last. If none has been
	 * chosen yet, the window is searched with PCRE2 alone. */
	if (filter->until < size && size >= CHOICE_MIN)
		choose(filter, bytes, size);
	filter->until -= pm_min(filter->until, size);
	return filter->required;
}

/**
 * Finds the first run of `length` bytes that are in a set. Tests the bytes of a possible run from
 * its last byte to its first one: if a byte is not in the set, the next possible run starts after
 * this byte.
 * @param member  indexed by value: true if the value is in the set
 * @return        the offset of the run; SIZE_MAX if there is none before `end`
 */
static size_t find_run(const bool *member, const uint8_t *bytes, size_t from, size_t end,
                       size_t length)
{
	size_t known = 0; /* number of bytes at the start of the run that are known to be in the
	                     set */

	for (size_t at = from; end >= length && at <= end - length;) {
		size_t i = length;
		while (i > known && member[bytes[at + i - 1]])
			i--;
		if (i == known)
			return at;
		at += i;
		known = length - i;
	}

	return SIZE_MAX;
}

size_t pm_pattern_filter_next(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t from,
                              size_t end)
{
	const struct pm_sequence *sequence = &filter->required->bytes;

	if (filter->run) {
		size_t place = find_run(filter->pair.tests[0].member, bytes, from, end,
		                        filter->run);
		filter->places += place != SIZE_MAX;
		return place;
	}

	if (end < sequence->count)
		return SIZE_MAX;

	end -= sequence->count - 1;
	for (size_t at = from; at < end; at++) {
		at = filter->find(&filter->pair, bytes, at, end);
		if (at >= end)
			break;
		filter->visits++;
		size_t i = 0;
		while (i < sequence->count && pm_byte_set_has(&sequence->sets[i], bytes[at + i]))
			i++;
		if (i == sequence->count) {
			filter->places++;
			return at;
		}
	}

	return SIZE_MAX;
}

bool pm_pattern_filter_failed(struct pm_pattern_filter *filter, size_t at)
{
	/* If the pair matches, testing the whole sequence takes a few nanoseconds. Calling PCRE2
	 * for a place takes some tens of nanoseconds. So one place counts as much as eight pairs.
	 */
	size_t cost = filter->places + filter->visits / 8;
	if (cost < PATIENCE || at / cost >= filter->tolerated)
		return false;

	filter->required = NULL;
	return true;
}
