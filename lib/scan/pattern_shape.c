/* SPDX-License-Identifier: MIT */
/*
 * A recursive descent parser for the tokens of a pattern. It computes the shape of each item, and
 * from these the shapes of sequences, alternatives and repetitions of items. If the parser does not
 * understand a token, the pattern gets a shape that fits all bytes.
 */
#include "scan/pattern_shape.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "scan/pattern_part.h"
#include "scan/pattern_token.h"

enum {
	LONGEST_CHARACTER = 4,
	EDGE_REACH = 2, /* number of bytes that `$` examines after the match: a newline, and one
	                   byte after it */
};

struct builder {
	struct pm_tokens tokens;
	struct pm_token token;
	size_t ahead; /* sum of the maximum numbers of bytes that the look-aheads examine */
	bool failed;  /* a token was not understood */
	struct pm_part_sets sets;
};

static void parse_alternatives(struct builder *builder, struct pm_part *part);

static void advance(struct builder *builder)
{
	do
		pm_tokens_next(&builder->tokens, &builder->token);
	while (builder->token.type == PM_TOKEN_NOTHING);
}

/**
 * Parses a group. The current token must be the start of the group. After the call, the current
 * token is the end of the group.
 */
static void parse_group(struct builder *builder, struct pm_part *part)
{
	advance(builder);
	parse_alternatives(builder, part);
	if (builder->token.type != PM_TOKEN_CLOSE)
		builder->failed = true;
}

static void parse_character(struct builder *builder, struct pm_part *part)
{
	struct pm_byte_set set;
	const struct pm_token *token = &builder->token;

	if (pm_token_bytes(token, builder->tokens.utf, &set)) {
		part->min_length = part->max_length = part->first.count = part->last.count = 1;
		part->first.sets[0] = part->last.sets[0] = part->any = pm_part_set(&builder->sets,
		                                                                   &set);
	} else if (builder->tokens.utf) {
		*part = (struct pm_part){ .min_length = 1,
			                  .max_length = LONGEST_CHARACTER,
			                  .any = PM_SET_ALL };
	} else
		builder->failed = true;
}

/**
 * Parses one item: a character, group, look-around, edge or reference.
 * @param part  the empty part; receives the shape of the item, which remains empty if the item
 *              matches no bytes
 */
static void parse_item(struct builder *builder, struct pm_part *part)
{
	struct pm_part seen;

	switch (builder->token.type) {
	case PM_TOKEN_CHARACTER:
		parse_character(builder, part);
		break;
	case PM_TOKEN_OPEN:
		parse_group(builder, part);
		break;
	case PM_TOKEN_AHEAD:
		parse_group(builder, &seen);
		builder->ahead = pm_length_sum(builder->ahead, seen.max_length);
		break;
	case PM_TOKEN_BEHIND:
		parse_group(builder, &seen);
		break;

	case PM_TOKEN_EDGE:
		break;
	case PM_TOKEN_REFERENCE:
		*part = (struct pm_part){ .max_length = SIZE_MAX, .any = PM_SET_ALL };
		break;
	default:
		builder->failed = true;
	}
}

static void parse_alternative(struct builder *builder, struct pm_part *part)
{
	*part = (struct pm_part){ .any = PM_SET_NONE };

	while (!builder->failed && builder->token.type != PM_TOKEN_END &&
	       builder->token.type != PM_TOKEN_OR && builder->token.type != PM_TOKEN_CLOSE) {
		struct pm_part item = { .any = PM_SET_NONE };
		parse_item(builder, &item);
		advance(builder);
		for (; builder->token.type == PM_TOKEN_REPEAT; advance(builder))
			pm_part_repeat(&builder->sets, &item, builder->token.min,
			               builder->token.max);
		pm_part_append(&builder->sets, part, &item);
	}
}

static void parse_alternatives(struct builder *builder, struct pm_part *part)
{
	parse_alternative(builder, part);
	while (!builder->failed && builder->token.type == PM_TOKEN_OR) {
		struct pm_part other;
		advance(builder);
		parse_alternative(builder, &other);
		pm_part_unite(&builder->sets, part, &other);
	}
}

/**
 * Copies a sequence into the structure that the search uses, which contains the sets themselves and
 * not their numbers.
 */
static void copy_required(const struct builder *builder, const struct pm_needed *needed,
                          struct pm_required *required)
{
	required->min_length = needed->min_length;
	required->max_length = needed->max_length;
	required->run = needed->run;
	required->before = builder->sets.sets[needed->before];
	required->bytes.count = needed->row.count;

	for (size_t i = 0; i < needed->row.count; i++)
		required->bytes.sets[i] = builder->sets.sets[needed->row.sets[i]];
}

static void learn(struct builder *builder, struct pm_pattern_shape *shape)
{
	struct pm_part whole;

	advance(builder);
	parse_alternatives(builder, &whole);
	if (builder->failed || builder->token.type != PM_TOKEN_END)
		return;

	/* If the pattern starts with more than PM_SEQUENCE_MAX fixed positions, the sequences added
	 * so far do not contain the first positions. Add these, too. */
	const struct pm_part nothing = { .any = PM_SET_NONE };
	if (whole.first.count == PM_SEQUENCE_MAX)
		pm_part_add_row(&builder->sets, &whole, &whole.first, &nothing, 0);
	pm_part_add_row(&builder->sets, &whole, &whole.last, &whole, whole.last.count);
	shape->reach = pm_length_sum(pm_length_sum(whole.max_length, builder->ahead), EDGE_REACH);
	shape->starts_in_zeros = whole.first.count == 0 ||
	                         pm_byte_set_has(&builder->sets.sets[whole.first.sets[0]], 0);

	shape->required_count = whole.needed_count;
	for (size_t i = 0; i < whole.needed_count; i++)
		copy_required(builder, &whole.needed[i], &shape->required[i]);
}

void pm_pattern_shape_learn(const char *pattern, size_t length, unsigned options,
                            struct pm_pattern_shape *shape)
{
	struct pm_byte_set all, none = { 0 };
	struct builder *builder = calloc(1, sizeof *builder);

	shape->reach = SIZE_MAX;
	shape->starts_in_zeros = true;
	shape->required_count = 0;
	if (!builder)
		return;

	memset(&all, 0xff, sizeof all);
	pm_part_set(&builder->sets, &all);
	pm_part_set(&builder->sets, &none);
	pm_tokens_init(&builder->tokens, pattern, length, options);
	learn(builder, shape);
	free(builder);
}
