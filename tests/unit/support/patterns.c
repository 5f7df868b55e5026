/* SPDX-License-Identifier: MIT */
#include "support/patterns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/** A pattern being written. */
struct writer {
	char *text;
	size_t length;
	uint64_t *random;
	int groups; /* closed so far: may be referred to */
	bool fixed; /* within a look-behind: only parts of fixed length */
	bool utf;
};

static void add(struct writer *writer, const char *more)
{
	size_t length = strlen(more);
	assert_true(writer->length + length < RANDOM_PATTERN_MOST);
	memcpy(writer->text + writer->length, more, length + 1);
	writer->length += length;
}

static uint64_t below(struct writer *writer, uint64_t bound)
{
	return random_next(writer->random) % bound;
}

static void write_character(struct writer *writer)
{
	static const char *const characters[] = {
		"a",         "b",   "ab",    "c",           ".",       "[ab]",
		"[^a]",      "\\w", "\\d",   "\\s",         "\\x00",   "\\W",
		"@",         "0",   "[0-9]", "[[:alpha:]]", "\\n",     "[\\]a-c]",
		"\\Qa.b\\E", "abc", "B",     "\\.",         "\\x{61}", "\\D",
		"[^\\n]",    "\\N", "(?i)b", "\\061",       "\\ea?",   "k"
	};
	static const char *const utf[] = { "\xc3\xa9",    "[a\xc3\xa9]",  "\\p{L}", "\\x{20ac}",
		                           "[^\xc3\xa9]", "\xe2\x82\xac", "\\pN",   "[a-\\x{ff}]" };

	if (writer->utf && below(writer, 3) == 0)
		add(writer, utf[below(writer, sizeof utf / sizeof *utf)]);
	else
		add(writer, characters[below(writer, sizeof characters / sizeof *characters)]);
}

static void write_alternatives(struct writer *writer, int depth);

/**
 * @return whether it can be repeated: with repeated look-aheads, results of PCRE2 10.42 differ from
 *   call to call
 */
static bool write_group(struct writer *writer, int depth)
{
	static const char *const begins[] = { "(",   "(?:", "(?>", "(?i:", "(?s:", "(?<name>",
		                              "(?|", "(?=", "(?!", "(?<=", "(?<!" };
	uint64_t which = below(writer, writer->fixed ? 2 : sizeof begins / sizeof *begins);
	bool behind = which >= 9, was_fixed = writer->fixed;

	/* A name can occur only once. */
	which = which == 5 && strstr(writer->text, "name") ? 0 : which;
	add(writer, begins[which]);
	writer->fixed = was_fixed || behind;
	write_alternatives(writer, depth - 1);
	writer->fixed = was_fixed;
	add(writer, ")");
	writer->groups += which == 0;

	return which < 7;
}

static void write_item(struct writer *writer, int depth)
{
	static const char *const repeats[] = { "*",    "+",   "?",    "{2}", "{1,3}",
		                               "{2,}", "*?",  "+?",   "++",  "{0,2}",
		                               "??",   "{3}", "{8,}", "{9}", "{18,}" };
	static const char *const others[] = { "\\b", "\\B",         "^",   "$",  "\\A",
		                              "\\Z", "(?#comment)", "\\K", "\\z" };
	uint64_t sort = below(writer, 20);

	if (sort < 2 && !writer->fixed) {
		/* With invalid bytes, the interpreter of PCRE2 takes the ends of valid ranges for
		 * those of the whole; its JIT code does not. */
		add(writer,
		    others[below(writer, writer->utf ? 2 : sizeof others / sizeof *others)]);
		return;
	}

	if (sort == 2 && writer->groups > 0 && !writer->fixed) {
		add(writer, "\\1");
		return;
	}

	bool repeatable = true;
	if (sort < 7 && depth > 0)
		repeatable = write_group(writer, depth);
	else
		write_character(writer);

	if (below(writer, 3) == 0 && repeatable && !writer->fixed)
		add(writer, repeats[below(writer, sizeof repeats / sizeof *repeats)]);
}

static void write_alternatives(struct writer *writer, int depth)
{
	for (uint64_t i = 0, count = 1 + below(writer, 4) / 3; i < count; i++) {
		if (i > 0)
			add(writer, "|");
		for (uint64_t j = 0, items = 1 + below(writer, 4);
		     j < items && writer->length < RANDOM_PATTERN_MOST / 2; j++)
			write_item(writer, depth);
	}
}

static pcre2_code *compile(const char *text, size_t length, unsigned flags, bool jit)
{
	int code;

	PCRE2_SIZE offset;
	uint32_t options = flags & PM_PATTERN_UTF
	                           ? PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF |
	                                     PCRE2_NO_DOTSTAR_ANCHOR
	                           : 0;

	options |= (flags & PM_PATTERN_CASELESS ? PCRE2_CASELESS : 0) |
	           (flags & PM_PATTERN_MULTILINE ? PCRE2_MULTILINE : 0);

	pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)text, length, options, &code, &offset,
	                                     NULL);
	if (compiled && jit)
		pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);

	return compiled;
}

void random_pattern(char text[RANDOM_PATTERN_MOST], unsigned flags, uint64_t *random)
{
	for (;;) {
		struct writer writer = { .text = text,
			                 .random = random,
			                 .utf = flags & PM_PATTERN_UTF };
		text[0] = '\0';
		write_alternatives(&writer, 3);
		pcre2_code *code = compile(text, writer.length, flags, false);
		pcre2_code_free(code);
		if (code)
			return;
	}
}

void random_text(uint8_t *bytes, size_t size, uint64_t *random)
{
	static const char *const pieces[] = {
		"a",  "b", "ab",       "abc",          "c",    "B",    "0", "1", "@", " ",
		"\n", ".", "\xc3\xa9", "\xe2\x82\xac", "\xc3", "\x82", "k"
	};
	size_t at = 0;

	while (at < size) {
		uint64_t number = random_next(random);
		size_t repeat = number % 97 == 0 ? 20 : 1;

		number /= 97;
		for (; repeat > 0 && at + 4 <= size; repeat--) {
			if (number % 20 < 18) {
				const char *piece =
					pieces[number / 20 % (sizeof pieces / sizeof *pieces)];
				memcpy(bytes + at, piece, strlen(piece));
				at += strlen(piece);
			} else
				bytes[at++] = number % 20 == 18 ? 0 : (uint8_t)(number >> 20);
		}

		if (at + 4 > size) {
			memset(bytes + at, 'a', size - at);
			at = size;
		}
	}
}

/**
 * Finds the next match from an offset on.
 * @return 1, 0 for none, or -1 if PCRE2 exceeded a limit
 */
static int next_match(pcre2_code *code, pcre2_match_data *match, pcre2_match_context *context,
                      const uint8_t *bytes, size_t size, size_t from, struct hit *hit,
                      size_t *attempt)
{
	while (from <= size) {
		int result = pcre2_match(code, bytes, size, from, PCRE2_NOTEMPTY, match, context);
		if (result == PCRE2_ERROR_NOMATCH)
			return 0;
		if (result == PCRE2_ERROR_BADUTFOFFSET) {
			from++;
			continue;
		}
		if (result < 0)
			return -1;

		const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match);
		*attempt = pcre2_get_startchar(match);
		if (ends[1] > ends[0]) {
			*hit = (struct hit){ ends[0], ends[1] - ends[0], 0, 0, false };
			return 1;
		}

		/* Made empty by \K. */
		from = ends[1] > *attempt ? ends[1] : *attempt + 1;
	}

	return 0;
}

static bool find_all(const struct pm_pattern *patterns, size_t count, const uint8_t *bytes,
                     size_t size, bool jit, struct hit_list *hits)
{
	pcre2_code *codes[8];
	pcre2_match_data *match = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(context, 50000);

	bool good = true;
	size_t from = 0;
	assert_true(count <= 8);

	for (size_t i = 0; i < count; i++)
		codes[i] = compile(patterns[i].text, patterns[i].length, patterns[i].flags, jit);

	for (bool found = true; found && good;) {
		struct hit best = { 0 };
		size_t best_attempt = SIZE_MAX;
		for (size_t i = 0; i < count && good; i++) {
			struct hit hit;
			size_t attempt;
			int result = next_match(codes[i], match, context, bytes, size, from, &hit,
			                        &attempt);

			good = result >= 0;
			if (result > 0 && attempt < best_attempt) {
				best = hit;
				best.source = (unsigned)i;
				best.encoding = patterns[i].flags & PM_PATTERN_UTF
				                        ? PM_ENCODING_UTF8
				                        : PM_ENCODING_8BIT;
				best_attempt = attempt;
			}
		}

		found = best_attempt != SIZE_MAX;
		if (found && good) {
			hit_list_add(hits, best);
			from = best.start + best.size > best_attempt ? best.start + best.size
			                                             : best_attempt + 1;
		}
	}

	for (size_t i = 0; i < count; i++)
		pcre2_code_free(codes[i]);

	pcre2_match_data_free(match);
	pcre2_match_context_free(context);

	return good;
}

bool pcre2_alone(const struct pm_pattern *patterns, size_t count, const uint8_t *bytes, size_t size,
                 struct hit_list *hits)
{
	struct hit_list interpreted = { 0 };
	bool good = find_all(patterns, count, bytes, size, true, hits) &&
	            find_all(patterns, count, bytes, size, false, &interpreted);
	good = good && hits->count == interpreted.count &&
	       count_same_hits(hits, &interpreted) == hits->count;
	hit_list_deinit(&interpreted);
	return good;
}
