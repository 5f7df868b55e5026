/* SPDX-License-Identifier: MIT */
/* Random processes and random selections, compared byte by byte with the definition: a byte is
 * selected if a word means it and its region passes every filter. The address space is tiny, so
 * that words, borders and holes often meet. */
#include <procmem/select.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ADDRESSES = 256, MOST_WORDS = 4, ROUNDS = 20000, NOT_MAPPED = -1, NOT_CHOSEN = -2 };

/** Pseudo-random numbers, the same in every run. */
static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % bound;
}

/** A selection in the terms of the oracle. */
struct word {
	enum { ALL, KIND, NAME, ADDRESS, RANGE, TYPES } type;
	unsigned kind, name;
	uint64_t start, end;
};

struct round {
	uint64_t seed;
	uint64_t base;
	struct pm_regions regions;
	struct word words[MOST_WORDS];
	size_t word_count;
	unsigned kinds; /* mask, 0 for any */
	unsigned perms_set, perms_clear;
	uint64_t min_size, min_rss;
	const char *pattern; /* a literal text, or NULL */
};

static const char *const names[] = { "", "[heap]", "[stack]", "/lib/a", "/lib/ab" };

static void make_regions(struct round *round)
{
	pm_regions_init(&round->regions);
	uint32_t at = 0;
	while (at < ADDRESSES) {
		uint32_t hole = random_below(&round->seed, 3) == 0
		                        ? 1 + random_below(&round->seed, 40)
		                        : 0;
		uint32_t start = at + hole, end = start + 1 + random_below(&round->seed, 40);

		if (end > ADDRESSES)
			break;

		struct pm_region region = {
			.start = round->base + start,
			.end = round->base + end,
			.perms = (uint8_t)random_below(&round->seed, 16),
			.kind = (uint8_t)(1 + random_below(&round->seed, 3)),
			.mapping = names[random_below(&round->seed, sizeof names / sizeof *names)],
			.known = PM_SIZE_BIT(PM_SIZE_RSS),
			.bytes = { [PM_SIZE_RSS] = random_below(&round->seed, end - start + 1) },
		};

		assert_int_equal(pm_regions_append(&round->regions, &region, NULL), 0);
		at = end;
	}
}

/** Formats a range in one of several ways. */
static void write_range(struct round *round, const struct word *word, char *text, size_t size)
{
	uint64_t start = word->start, end = word->end;
	switch (random_below(&round->seed, 5)) {
	case 0:
		snprintf(text, size, "%" PRIx64 "+%" PRIu64, start, end - start);
		break;
	case 1:
		snprintf(text, size, "0x%" PRIx64 "+0x%" PRIx64, start, end - start);
		break;
	case 2:
		snprintf(text, size, "0x%" PRIX64 "-0x%" PRIX64, start, end);
		break;
	case 3:
		snprintf(text, size, "%016" PRIx64 "-%016" PRIx64, start, end);
		break;
	default:
		snprintf(text, size, "%" PRIx64 "-%" PRIx64, start, end);
	}
}

/** Generates a word and adds it to the selection. */
static void make_word(struct round *round, struct word *word, struct pm_select *select)
{
	char text[64];

	word->type = random_below(&round->seed, TYPES);
	word->kind = 1 + random_below(&round->seed, 4);
	word->name = 1 + random_below(&round->seed, 2);
	word->start = round->base + random_below(&round->seed, ADDRESSES);
	word->end = word->start + 1 +
	            random_below(&round->seed, random_below(&round->seed, 2) ? 4 : ADDRESSES);

	switch (word->type) {
	case ALL:
		strcpy(text, "all");
		break;
	case KIND:
		strcpy(text, pm_kind_name((enum pm_kind)word->kind));
		break;
	case NAME:
		strcpy(text, names[word->name]);
		break;
	case ADDRESS:
		snprintf(text, sizeof text, "%" PRIx64, word->start);
		break;
	default:
		write_range(round, word, text, sizeof text);
	}
	struct pm_error error = { 0 };

	if (pm_select_add_word(select, text, &error) < 0)
		fail_msg("%s", error.text);
}

static void make_filters(struct round *round, struct pm_select *select)
{
	char spec[5] = "";

	if (random_below(&round->seed, 4) == 0) {
		unsigned kind = 1 + random_below(&round->seed, 3),
			 other = 1 + random_below(&round->seed, 3);
		char list[64];
		snprintf(list, sizeof list, "%s,%s", pm_kind_name((enum pm_kind)kind),
		         pm_kind_name((enum pm_kind)other));
		round->kinds = 1u << kind | 1u << other;
		assert_int_equal(pm_select_set_kinds(select, list, NULL), 0);
	}

	if (random_below(&round->seed, 4) == 0) {
		static const char letters[4][3] = { "r-?", "w-?", "x-?", "sp?" };
		for (size_t i = 0; i < 4; i++) {
			unsigned choice = random_below(&round->seed, 3);
			spec[i] = letters[i][choice];
			round->perms_set |= (choice == 0 ? 1u : 0u) << i;
			round->perms_clear |= (choice == 1 ? 1u : 0u) << i;
		}
		assert_int_equal(pm_select_set_perms(select, spec, NULL), 0);
	}

	if (random_below(&round->seed, 4) == 0)
		pm_select_set_min_size(select, round->min_size = random_below(&round->seed, 40));
	if (random_below(&round->seed, 4) == 0)
		pm_select_set_min_rss(select, round->min_rss = random_below(&round->seed, 20));

	if (random_below(&round->seed, 4) == 0) {
		round->pattern = random_below(&round->seed, 2) ? "/lib/a" : "a";
		assert_int_equal(pm_select_set_mapping(select, round->pattern, NULL), 0);
	}
}

/** Returns the index of the region that contains an address, by trying all. */
static int region_at(const struct round *round, uint64_t address)
{
	for (size_t i = 0; i < round->regions.count; i++)
		if (round->regions.items[i].start <= address &&
		    address < round->regions.items[i].end)
			return (int)i;
	return NOT_MAPPED;
}

static bool word_means(const struct round *round, const struct word *word, uint64_t address)
{
	int index = region_at(round, address);

	if (word->type == RANGE)
		return word->start <= address && address < word->end;
	if (index == NOT_MAPPED)
		return false;

	const struct pm_region *region = &round->regions.items[index];
	switch (word->type) {
	case ALL:
		return true;
	case KIND:
		return region->kind == word->kind;
	case NAME:
		return strcmp(region->mapping, names[word->name]) == 0;
	default:
		return region_at(round, word->start) == index;
	}
}

static bool has_filter(const struct round *round)
{
	return round->kinds || round->perms_set || round->perms_clear || round->min_size ||
	       round->min_rss || round->pattern;
}

static bool region_passes(const struct round *round, const struct pm_region *region)
{
	return (!round->kinds || (round->kinds >> region->kind & 1)) &&
	       (region->perms & round->perms_set) == round->perms_set &&
	       !(region->perms & round->perms_clear) &&
	       region->end - region->start >= round->min_size &&
	       region->bytes[PM_SIZE_RSS] >= round->min_rss &&
	       (!round->pattern || strstr(region->mapping, round->pattern));
}

/** Returns the expected result for a byte: the index of a region, NOT_MAPPED or NOT_CHOSEN. */
static int fate_of(const struct round *round, uint64_t address)
{
	bool meant = round->word_count == 0;
	for (size_t i = 0; i < round->word_count; i++)
		meant = meant || word_means(round, &round->words[i], address);

	int index = region_at(round, address);
	if (!meant || (round->word_count == 0 && index == NOT_MAPPED))
		return NOT_CHOSEN;
	if (index == NOT_MAPPED)
		return has_filter(round) ? NOT_CHOSEN : NOT_MAPPED;

	return region_passes(round, &round->regions.items[index]) ? index : NOT_CHOSEN;
}

/** Whether a word means at least one mapped byte; `all` may mean none. */
static bool word_fits(const struct round *round, const struct word *word)
{
	if (word->type == ALL)
		return true;

	for (uint64_t at = round->base; at < round->base + ADDRESSES; at++)
		if (region_at(round, at) >= 0 && word_means(round, word, at))
			return true;
	return false;
}

/**
 * Whether the selection can be applied: each address and range means a mapped byte, and a word fits
 * if there are words.
 * @param absent  receives the number of kinds and names that fit no region
 */
static bool can_be_applied(const struct round *round, size_t *absent)
{
	*absent = 0;
	for (size_t i = 0; i < round->word_count; i++) {
		const struct word *word = &round->words[i];
		if (word_fits(round, word))
			continue;
		if (word->type == ADDRESS || word->type == RANGE)
			return false;
		++*absent;
	}

	return round->word_count == 0 || *absent < round->word_count;
}

static void count_absent(void *context, const struct pm_error *why)
{
	size_t *count = context;
	assert_int_equal(why->kind, PM_ERROR_NOT_FOUND);
	assert_non_null(strstr(why->text, "no region is "));
	++*count;
}

static void compare(const struct round *round, const struct pm_region_range *ranges, size_t count)
{
	size_t next = 0;
	/* Ranges may end after the last region: at most at twice the size of the space. */
	for (uint64_t address = round->base; address < round->base + 2 * ADDRESSES; address++) {
		if (next < count && address == ranges[next].range.end)
			next++;
		int fate = NOT_CHOSEN;
		if (next < count && ranges[next].range.start <= address)
			fate = ranges[next].region == SIZE_MAX ? NOT_MAPPED
			                                       : (int)ranges[next].region;
		assert_int_equal(fate, fate_of(round, address));
	}

	for (size_t i = 0; i < count; i++) {
		assert_true(ranges[i].range.start < ranges[i].range.end);
		assert_true(i == 0 || ranges[i - 1].range.end <= ranges[i].range.start);
		/* No range is split without need. */
		assert_true(i == 0 || ranges[i - 1].range.end < ranges[i].range.start ||
		            ranges[i - 1].region != ranges[i].region);
	}

	assert_true(count == 0 || next + 1 >= count);
}

static bool run_round(uint64_t seed)
{
	struct round round = { .seed = seed };
	static const uint64_t bases[] = { 0, 0x7f3a08000000, 0xfffffffffffffc00 };
	round.base = bases[random_below(&round.seed, 3)];
	make_regions(&round);
	struct pm_select *select;
	assert_int_equal(pm_select_create(&select, NULL), 0);
	round.word_count = random_below(&round.seed, MOST_WORDS + 1);
	for (size_t i = 0; i < round.word_count; i++)
		make_word(&round, &round.words[i], select);
	make_filters(&round, select);

	struct pm_region_range *ranges = NULL;
	size_t count = 0;
	struct pm_error error = { 0 };
	bool applied = pm_select_apply(select, &round.regions, &ranges, &count, &error) == 0;
	size_t absent, reported = 0;
	assert_int_equal(applied, can_be_applied(&round, &absent));
	if (applied) {
		compare(&round, ranges, count);
		assert_int_equal(pm_select_visit_absent(select, &round.regions, count_absent,
		                                        &reported, &error),
		                 0);
		assert_int_equal(reported, absent);
	} else
		assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	free(ranges);
	pm_select_destroy(select);
	pm_regions_deinit(&round.regions);
	return applied && count > 1;
}

static void random_filters_match_their_definition(void **state)
{
	(void)state;
	size_t telling = 0;
	for (uint64_t seed = 0; seed < ROUNDS; seed++)
		telling += run_round(seed);
	/* Most rounds must select something, or the comparison would prove nothing. */
	assert_true(telling > ROUNDS / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_filters_match_their_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
