/* SPDX-License-Identifier: MIT */
#include "scan/pattern_shape.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "scan/pattern_token.h"

enum {
	SETS_MOST = 255,
	SET_ALL = 0,          /* number of the set of all values, which also stands for those that there was no room for */
	SET_NONE = 1,         /* number of the empty set */
	LONGEST_CHARACTER = 4,
	EDGE_REACH = 2,       /* `$` sees whether a newline comes next, and whether that is the end */
};

/** A sequence by the numbers of its sets. */
struct row {
	uint8_t count;
	uint8_t sets[PM_SEQUENCE_MOST];
};

struct needed {
	struct row row;
	size_t least, most;
	uint8_t before;
	double score; /* the lower, the better */
};

/** What is known of a part of the pattern. A length of SIZE_MAX has no bound. */
struct part {
	size_t least, most;  /* bytes that it matches */
	uint8_t any;         /* set of all bytes that it may match */
	struct row first;    /* what it begins with, as far as that has a fixed place */
	struct row last;     /* what it ends with */
	size_t needed_count;
	struct needed needed[PM_REQUIRED_MOST];
};

struct builder {
	struct pm_tokens tokens;
	struct pm_token token;
	size_t ahead; /* bytes that look-aheads see */
	bool failed;  /* something was not understood */
	size_t set_count;
	struct pm_byte_set sets[SETS_MOST];
	double shares[SETS_MOST];
};

static size_t sum(size_t a, size_t b)
{
	size_t result;
	return __builtin_add_overflow(a, b, &result) ? SIZE_MAX : result;
}

static size_t product(size_t a, size_t b)
{
	size_t result;
	return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/** Number of a set, which is added if it is new. */
static uint8_t set_number(struct builder *builder, const struct pm_byte_set *set)
{
	for (size_t i = 0; i < builder->set_count; i++) {
		if (memcmp(&builder->sets[i], set, sizeof *set) == 0)
			return (uint8_t)i;
	}
	if (builder->set_count == SETS_MOST)
		return SET_ALL;
	builder->sets[builder->set_count] = *set;
	builder->shares[builder->set_count] = pm_byte_set_share(set);
	return (uint8_t)builder->set_count++;
}

static uint8_t unite_sets(struct builder *builder, uint8_t a, uint8_t b)
{
	if (a == SET_ALL || b == SET_ALL)
		return SET_ALL;
	struct pm_byte_set both = builder->sets[a];
	pm_byte_set_unite(&both, &builder->sets[b]);
	return set_number(builder, &both);
}

/** Adds a row behind another, as far as there is room. */
static void append(struct row *row, const struct row *more)
{
	for (uint8_t i = 0; i < more->count && row->count < PM_SEQUENCE_MOST; i++)
		row->sets[row->count++] = more->sets[i];
}

/** Adds a row before another; what it begins with is left out where there is no room. */
static void prepend(struct row *row, const struct row *more)
{
	struct row result = { 0 };
	uint8_t skip = (uint8_t)(row->count + more->count > PM_SEQUENCE_MOST ? row->count + more->count - PM_SEQUENCE_MOST : 0);
	for (uint8_t i = skip; i < more->count; i++)
		result.sets[result.count++] = more->sets[i];
	append(&result, row);
	*row = result;
}

/** Share of memory that fits the two rarest positions of a row. */
static double row_share(const struct builder *builder, const struct row *row)
{
	double first = 1, second = 1;
	for (uint8_t i = 0; i < row->count; i++) {
		double share = builder->shares[row->sets[i]];
		if (share < first) {
			second = first;
			first = share;
		} else if (share < second)
			second = share;
	}
	return first * second;
}

/** Keeps a sequence if it is among the best. */
static void add_needed(const struct builder *builder, struct part *part, struct needed needed)
{
	if (needed.row.count == 0)
		return;
	/* Without a fixed place the begin of the match has to be looked for: worth a little more of rareness. */
	needed.score = row_share(builder, &needed.row) * (needed.most == SIZE_MAX ? 4 : needed.least != needed.most ? 2 : 1);
	size_t at = part->needed_count;
	while (at > 0 && part->needed[at - 1].score > needed.score)
		at--;
	if (at == PM_REQUIRED_MOST)
		return;
	if (part->needed_count < PM_REQUIRED_MOST)
		part->needed_count++;
	memmove(&part->needed[at + 1], &part->needed[at], (part->needed_count - at - 1) * sizeof needed);
	part->needed[at] = needed;
}

/** Whether its length is fixed, and all positions are known. */
static bool is_fixed(const struct part *part)
{
	return part->least == part->most && part->least == part->first.count;
}

/** Adds a sequence that begins behind `before`. */
static void add_row(const struct builder *builder, struct part *part, const struct row *row, const struct part *before, size_t back)
{
	struct needed needed = { .row = *row, .least = before->least - back, .before = before->any };
	needed.most = before->most == SIZE_MAX ? SIZE_MAX : before->most - back;
	add_needed(builder, part, needed);
}

/** One part behind the other. A row is noted down when it ends: where the next part has no fixed length. */
static void concatenate(struct builder *builder, struct part *part, const struct part *next)
{
	if (!is_fixed(next)) {
		struct row border = part->last;
		append(&border, &next->first);
		add_row(builder, part, &border, part, part->last.count);
	}
	for (size_t i = 0; i < next->needed_count; i++) {
		struct needed needed = next->needed[i];
		needed.least = sum(needed.least, part->least);
		needed.most = sum(needed.most, part->most);
		needed.before = unite_sets(builder, needed.before, part->any);
		add_needed(builder, part, needed);
	}
	struct row last = next->last;
	if (is_fixed(next))
		prepend(&last, &part->last);
	if (is_fixed(part))
		append(&part->first, &next->first);
	part->last = last;
	part->any = unite_sets(builder, part->any, next->any);
	part->least = sum(part->least, next->least);
	part->most = sum(part->most, next->most);
}

/** One part or the other: at each place what either has there. */
static void unite(struct builder *builder, struct part *part, const struct part *other)
{
	struct row first = { .count = part->first.count < other->first.count ? part->first.count : other->first.count };
	struct row last = { .count = part->last.count < other->last.count ? part->last.count : other->last.count };
	for (uint8_t i = 0; i < first.count; i++)
		first.sets[i] = unite_sets(builder, part->first.sets[i], other->first.sets[i]);
	for (uint8_t i = 0; i < last.count; i++)
		last.sets[i] = unite_sets(builder, part->last.sets[part->last.count - last.count + i],
		                          other->last.sets[other->last.count - last.count + i]);
	part->first = first;
	part->last = last;
	part->any = unite_sets(builder, part->any, other->any);
	part->least = smaller(part->least, other->least);
	part->most = part->most > other->most ? part->most : other->most;
	part->needed_count = 0;
}

static void repeat(struct builder *builder, struct part *part, size_t least, size_t most)
{
	struct part once = *part;
	if (least == 0) {
		part->first.count = part->last.count = 0;
		part->needed_count = 0;
	}
	/* More copies than a row has places tell nothing new. */
	for (size_t i = 1; i < least && i < PM_SEQUENCE_MOST; i++)
		concatenate(builder, part, &once);
	part->least = product(once.least, least);
	part->most = once.most == 0 ? 0 : product(once.most, most);
}

static void parse_alternatives(struct builder *builder, struct part *part);

static void advance(struct builder *builder)
{
	do
		pm_tokens_next(&builder->tokens, &builder->token);
	while (builder->token.type == PM_TOKEN_NOTHING);
}

/** What stands in a group; the token is that of its begin, and of its end afterwards. */
static void parse_group(struct builder *builder, struct part *part)
{
	advance(builder);
	parse_alternatives(builder, part);
	if (builder->token.type != PM_TOKEN_CLOSE)
		builder->failed = true;
}

static void parse_character(struct builder *builder, struct part *part)
{
	struct pm_byte_set set;
	const struct pm_token *token = &builder->token;
	if (pm_token_bytes(token, builder->tokens.utf, &set)) {
		part->least = part->most = part->first.count = part->last.count = 1;
		part->first.sets[0] = part->last.sets[0] = part->any = set_number(builder, &set);
	} else if (builder->tokens.utf) {
		*part = (struct part){ .least = 1, .most = LONGEST_CHARACTER, .any = SET_ALL };
	} else
		builder->failed = true;
}

/** A character, group or the like. Its part is empty at first. */
static void parse_item(struct builder *builder, struct part *part)
{
	struct part seen;
	switch (builder->token.type) {
	case PM_TOKEN_CHARACTER:
		parse_character(builder, part);
		break;
	case PM_TOKEN_OPEN:
		parse_group(builder, part);
		break;
	case PM_TOKEN_AHEAD:
		parse_group(builder, &seen);
		builder->ahead = sum(builder->ahead, seen.most);
		break;
	case PM_TOKEN_BEHIND:
		parse_group(builder, &seen);
		break;
	case PM_TOKEN_EDGE:
		break;
	case PM_TOKEN_REFERENCE:
		*part = (struct part){ .most = SIZE_MAX, .any = SET_ALL };
		break;
	default:
		builder->failed = true;
	}
}

static void parse_alternative(struct builder *builder, struct part *part)
{
	*part = (struct part){ .any = SET_NONE };
	while (!builder->failed && builder->token.type != PM_TOKEN_END && builder->token.type != PM_TOKEN_OR &&
	       builder->token.type != PM_TOKEN_CLOSE) {
		struct part item = { .any = SET_NONE };
		parse_item(builder, &item);
		advance(builder);
		for (; builder->token.type == PM_TOKEN_REPEAT; advance(builder))
			repeat(builder, &item, builder->token.least, builder->token.most);
		concatenate(builder, part, &item);
	}
}

static void parse_alternatives(struct builder *builder, struct part *part)
{
	parse_alternative(builder, part);
	while (!builder->failed && builder->token.type == PM_TOKEN_OR) {
		struct part other;
		advance(builder);
		parse_alternative(builder, &other);
		unite(builder, part, &other);
	}
}

/** Writes down a sequence for the search. */
static void tell(const struct builder *builder, const struct needed *needed, struct pm_required *required)
{
	required->least = needed->least;
	required->most = needed->most;
	required->before = builder->sets[needed->before];
	required->bytes.count = needed->row.count;
	for (size_t i = 0; i < needed->row.count; i++)
		required->bytes.sets[i] = builder->sets[needed->row.sets[i]];
}

static void learn(struct builder *builder, struct pm_pattern_shape *shape)
{
	struct part whole;
	advance(builder);
	parse_alternatives(builder, &whole);
	if (builder->failed || builder->token.type != PM_TOKEN_END)
		return;
	/* The longest rows are cut: their begin has not been noted down yet. */
	const struct part nothing = { .any = SET_NONE };
	if (whole.first.count == PM_SEQUENCE_MOST)
		add_row(builder, &whole, &whole.first, &nothing, 0);
	add_row(builder, &whole, &whole.last, &whole, whole.last.count);
	shape->reach = sum(sum(whole.most, builder->ahead), EDGE_REACH);
	shape->starts_in_zeros = whole.first.count == 0 || pm_byte_set_has(&builder->sets[whole.first.sets[0]], 0);
	shape->required_count = whole.needed_count;
	for (size_t i = 0; i < whole.needed_count; i++)
		tell(builder, &whole.needed[i], &shape->required[i]);
}

void pm_pattern_shape_learn(const char *pattern, size_t length, unsigned options, struct pm_pattern_shape *shape)
{
	struct pm_byte_set all, none = { 0 };
	struct builder *builder = calloc(1, sizeof *builder);
	shape->reach = SIZE_MAX;
	shape->starts_in_zeros = true;
	shape->required_count = 0;
	if (!builder)
		return;
	memset(&all, 0xff, sizeof all);
	set_number(builder, &all);
	set_number(builder, &none);
	pm_tokens_init(&builder->tokens, pattern, length, options);
	learn(builder, shape);
	free(builder);
}
