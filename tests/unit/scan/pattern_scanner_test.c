/* SPDX-License-Identifier: MIT */
/* Patterns in buffers: compared with PCRE2 alone over the whole buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/scan.h>
#include <cmocka.h>

#include "scan/hits.h"
#include "scan/pattern_scan.h"
#include "support/patterns.h"
#include "support/windows.h"

static const struct cut whole = { 0 };

static struct pm_scanner *make_scanner(const struct pm_pattern *patterns, size_t count,
                                       enum pm_simd simd)
{
	struct pm_scanner *scanner;
	struct pm_error error = { 0 };
	if (pm_pattern_scanner_create_with(patterns, count, simd, &scanner, &error) < 0)
		fail_msg("%s", error.text);
	return scanner;
}

static struct pm_pattern pattern_of(const char *text, unsigned flags)
{
	return (struct pm_pattern){ text, strlen(text), flags };
}

static void scan_for(const char *text, unsigned flags, const void *bytes, size_t size,
                     const struct cut *cut, struct hit_list *hits, struct pm_scan_counts *counts)
{
	struct pm_pattern pattern = pattern_of(text, flags);
	struct pm_scanner *scanner = make_scanner(&pattern, 1, pm_simd_best());
	scan_buffer(scanner, bytes, size, 0x10000, cut, hits, counts);
	scanner->ops->destroy(scanner);
}

/**
 * Any patterns over any bytes, in one piece and in windows of any size: the same as PCRE2 alone,
 * with all vector instructions that there are.
 */
static void random_patterns(void **state)
{
	(void)state;
	enum { MOST = 9000 };

	uint8_t *bytes = malloc(MOST);
	unsigned compared = 0, with_hits = 0;
	for (uint64_t turn = 0; turn < 1500; turn++) {
		uint64_t random = turn * 7919;
		char texts[3][RANDOM_PATTERN_MOST], what[4 * RANDOM_PATTERN_MOST];
		struct pm_pattern patterns[3];
		size_t count = turn % 4 == 3 ? 1 + random_next(&random) % 3 : 1;
		size_t size = 1 + random_next(&random) % (turn % 3 == 0 ? MOST : 400);
		unsigned flags = (turn % 5 == 0 ? PM_PATTERN_UTF : 0) |
		                 (turn % 7 == 0 ? PM_PATTERN_CASELESS : 0) |
		                 (turn % 2 ? PM_PATTERN_MULTILINE : 0);

		for (size_t i = 0; i < count; i++) {
			random_pattern(texts[i], flags, &random);
			patterns[i] = pattern_of(texts[i], flags);
		}

		struct cut cut = { 1 + random_next(&random) % (turn % 3 == 0 ? 5000 : 150),
			           random_next(&random) % 40, 0 };
		random_text(bytes, size, &random);

		struct hit_list wanted = { 0 };
		bool comparable = pcre2_alone(patterns, count, bytes, size, &wanted);
		for (enum pm_simd simd = PM_SIMD_PORTABLE; simd <= pm_simd_best() && comparable;
		     simd++) {
			struct pm_scan_counts counts = { 0 };
			struct pm_scanner *scanner = make_scanner(patterns, count, simd);
			struct hit_list found = { 0 }, in_windows = { 0 };
			scan_buffer(scanner, bytes, size, 0x10000, &whole, &found, &counts);
			scan_buffer(scanner, bytes, size, 0x10000, &cut, &in_windows, &counts);

			if (counts.gave_up == 0) {
				snprintf(what, sizeof what, "turn %d, level %d: '%s' '%s' '%s'",
				         (int)turn, simd, texts[0], count > 1 ? texts[1] : "",
				         count > 2 ? texts[2] : "");
				assert_same_hits(&wanted, &found, bytes, what);
				snprintf(what, sizeof what, "turn %d, level %d, windows of %zu: %s",
				         (int)turn, simd, cut.unit, texts[0]);
				assert_same_hits(&wanted, &in_windows, bytes, what);
				compared++;
				with_hits += wanted.count > 0;
			}

			scanner->ops->destroy(scanner);
			hit_list_deinit(&found);
			hit_list_deinit(&in_windows);
		}

		hit_list_deinit(&wanted);
	}

	assert_true(compared > 1000);
	assert_true(with_hits > 600);
	free(bytes);
}

/**
 * Bytes in which most runs of digits are short and some just so long, or longer or shorter by one.
 */
static void make_runs(uint8_t *bytes, size_t size, size_t length, uint64_t *random)
{
	for (size_t at = 0; at < size;) {
		uint64_t number = random_next(random);
		size_t run = number % 8 == 0 ? length - 1 + number / 3 % 3
		                             : number / 3 % (length / 4 + 1);
		for (; run > 0 && at < size; run--)
			bytes[at++] = (uint8_t)('0' + random_next(random) % 10);
		if (at < size)
			bytes[at++] = (uint8_t)"x .\n\0"[random_next(random) % 5];
	}
}

/**
 * Long runs of one sort of bytes, which are searched for in steps of their length; # is that
 * length.
 */
static void runs(void **state)
{
	static const char *const patterns[] = { "[0-9]{#}",        "\\d{#,}",
		                                "x?[0-9]{#}\\b",   "\\b\\d{#}(?=x)",
		                                "(?<=x)[\\d]{#}x", "x+ ?\\d{#}",
		                                "\\d+?x\\d{#,}",   "(?:\\d{#}[x.])+",
		                                "^\\d{#}$" };

	enum { SIZE = 9000 };
	uint8_t *bytes = malloc(SIZE);
	size_t with_hits = 0;
	(void)state;

	for (uint64_t turn = 0; turn < 400; turn++) {
		char text[40], what[80];
		uint64_t random = turn * 31;
		size_t length = 8 + random_next(&random) % (turn % 4 ? 40 : 3000);
		const char *begin = patterns[turn % (sizeof patterns / sizeof *patterns)],
			   *number = strchr(begin, '#');
		snprintf(text, sizeof text, "%.*s%zu%s", (int)(number - begin), begin, length,
		         number + 1);
		const struct pm_pattern pattern = pattern_of(text,
		                                             turn % 2 ? PM_PATTERN_MULTILINE : 0);

		const struct cut cut = { 2100 + random_next(&random) % 3000,
			                 random_next(&random) % 24, 0 };
		struct pm_scanner *scanner = make_scanner(&pattern, 1, pm_simd_best());
		struct hit_list wanted = { 0 }, found = { 0 }, in_windows = { 0 };

		make_runs(bytes, SIZE, length, &random);
		if (pcre2_alone(&pattern, 1, bytes, SIZE, &wanted)) {
			snprintf(what, sizeof what, "turn %d: %s", (int)turn, text);
			scan_buffer(scanner, bytes, SIZE, 0x10000, &whole, &found, NULL);
			assert_same_hits(&wanted, &found, bytes, what);
			scan_buffer(scanner, bytes, SIZE, 0x10000, &cut, &in_windows, NULL);
			assert_same_hits(&wanted, &in_windows, bytes, what);
			with_hits += wanted.count > 0;
		}

		scanner->ops->destroy(scanner);
		hit_list_deinit(&wanted);
		hit_list_deinit(&found);
		hit_list_deinit(&in_windows);
	}

	assert_true(with_hits > 200);
	free(bytes);
}

/**
 * A marker at every offset around the border of two windows is found once, for patterns of every
 * sort of length.
 */
static void markers_at_borders(void **state)
{
	static const char *const patterns[] = {
		"MARKER<[0-9]+>",        "MARKER<12345>",
		"(?<=pre:)MARKER<\\d+>", "R<(\\d)2345>",
		"MARKER<[^>]*>",         "(?s)MARK.*>END",
		"[A-Z]+<12345",          "(?:MARKER|NOTHING)<\\d{5}>",
		"12345(?=>END)",         "\\bMARKER\\b"
	};
	static const char marker[] = "pre:MARKER<12345>END";

	enum { UNIT = 4096, SIZE = 3 * UNIT, LENGTH = sizeof marker - 1 };
	uint8_t *bytes = malloc(SIZE);
	(void)state;

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct pm_pattern pattern = pattern_of(patterns[i], 0);
		struct pm_scanner *scanner = make_scanner(&pattern, 1, pm_simd_best());
		for (size_t at = UNIT - LENGTH - 3; at < UNIT + 3; at++) {
			for (size_t j = 0; j < SIZE; j++)
				bytes[j] = (uint8_t)(j * 37 % 251 % 60);

			memcpy(bytes + at, marker, LENGTH);
			struct hit_list wanted = { 0 };
			assert_true(pcre2_alone(&pattern, 1, bytes, SIZE, &wanted));
			assert_int_equal(wanted.count, 1);

			for (size_t overlap = 0; overlap <= 64; overlap += 32) {
				const struct cut cut = { UNIT, overlap, 0 };
				struct hit_list found = { 0 };
				scan_buffer(scanner, bytes, SIZE, 0x7000000, &cut, &found, NULL);
				assert_same_hits(&wanted, &found, bytes, patterns[i]);
				hit_list_deinit(&found);
			}

			hit_list_deinit(&wanted);
		}

		scanner->ops->destroy(scanner);
	}

	free(bytes);
}

/** A match over several windows is found whole, and nothing within it again. */
static void match_over_many_windows(void **state)
{
	(void)state;
	enum { SIZE = 6000 };

	char bytes[SIZE];
	memset(bytes, 'x', SIZE);
	memcpy(bytes + 100, "<xx<", 4);
	bytes[5500] = '>';
	memcpy(bytes + 5600, "<>", 2);

	const struct cut cut = { 512, 16, 0 }, short_cut = { 512, 16, 600 };
	struct hit_list found = { 0 }, cut_off = { 0 };
	scan_for("<[^>]*>", 0, bytes, SIZE, &cut, &found, NULL);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.items[0].start, 100);
	assert_int_equal(found.items[0].size, 5401);
	assert_int_equal(found.items[1].start, 5600);

	/* Where a window may not grow so far, what fits is said to be cut off. */
	scan_for("<[^>]*", 0, bytes, SIZE, &short_cut, &cut_off, NULL);
	assert_int_equal(cut_off.items[0].start, 100);
	assert_true(cut_off.items[0].truncated);
	assert_true(cut_off.items[0].size < 2000);
	hit_list_deinit(&found);
	hit_list_deinit(&cut_off);
}

/** A pattern that takes exponential time gives up at hostile bytes, and finds matches elsewhere. */
static void catastrophic_pattern(void **state)
{
	(void)state;
	enum { SIZE = 20000 };

	char *bytes = malloc(SIZE);
	memset(bytes, ' ', SIZE);
	memset(bytes + 1000, 'a', 3000);
	bytes[4000] = 'c';
	memcpy(bytes + 15000, "aaab", 4);

	struct hit_list found = { 0 };
	struct pm_scan_counts counts = { 0 };
	scan_for("(?:a|a)+(?=b)", 0, bytes, SIZE, &whole, &found, &counts);
	assert_true(counts.gave_up > 0);
	assert_true(counts.gave_up < 100);
	assert_true(counts.skipped < 4000);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.items[0].start, 15000);

	hit_list_deinit(&found);
	free(bytes);
}

static int count_hits(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	(void)window;
	(void)error;
	*(size_t *)hits->context += hits->count;
	return 0;
}

/**
 * The flag that ends a scan also takes effect while matches are found, and each of them is found in
 * a small range: every call of PCRE2 can take milliseconds.
 */
static void matches_are_not_searched_after_a_stop(void **state)
{
	(void)state;
	static const char *const patterns[] = { "(?=.*END)A", "A", "[AB]", "A(*SKIP)E?" };
	static const uint8_t bytes[] = "AAAAAAAAAAAAAAAAEND";
	const atomic_bool stop = true;

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		const struct pm_pattern pattern = pattern_of(patterns[i], 0);
		struct pm_scanner *scanner = make_scanner(&pattern, 1, (enum pm_simd)0);
		struct pm_window window = { .bytes = bytes,
			                    .address = 0x10000,
			                    .size = sizeof bytes - 1,
			                    .begins = true,
			                    .ends = true,
			                    .stop = &stop };
		size_t found = 0;
		struct pm_hits hits = { .consume = count_hits, .context = &found };
		struct pm_scan_counts counts = { 0 };
		struct pm_error error = { 0 };

		void *thread = scanner->ops->open(scanner, &error);
		assert_non_null(thread);
		assert_int_equal(scanner->ops->scan(thread, &window, &hits, &counts, &error), 1);
		assert_int_equal(found, 0);
		scanner->ops->close(thread);
		pm_hits_deinit(&hits);
		pm_scanner_destroy(scanner);
	}
}

/** Begins and ends of lines and regions. */
static void edges(void **state)
{
	(void)state;
	static const char bytes[] = "one\ntwo\nthree";
	static const struct {
		const char *pattern;
		unsigned flags;
		size_t count, start;
	} cases[] = {
		{ "^\\w+", 0, 1, 0 },  { "^\\w+", PM_PATTERN_MULTILINE, 3, 0 },
		{ "\\w+$", 0, 1, 8 },  { "\\w+$", PM_PATTERN_MULTILINE, 3, 0 },
		{ "\\Aone", 0, 1, 0 }, { "\\Atwo", PM_PATTERN_MULTILINE, 0, 0 },
		{ "^two", 0, 0, 0 },   { "three\\z", 0, 1, 8 },
		{ "two\\z", 0, 0, 0 },
	};

	const struct cut cuts[] = { { 0 }, { 4, 0, 0 }, { 4, 3, 0 }, { 8, 2, 0 }, { 1, 1, 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j++) {
			struct hit_list found = { 0 };
			scan_for(cases[i].pattern, cases[i].flags, bytes, sizeof bytes - 1,
			         &cuts[j], &found, NULL);
			if (found.count != cases[i].count ||
			    (found.count && found.items[0].start != cases[i].start))
				fail_msg("%s, cut %zu: %zu hits", cases[i].pattern, j, found.count);
			hit_list_deinit(&found);
		}
	}
}

static void fixed_and_hexadecimal(void **state)
{
	(void)state;
	static const char bytes[] = "a.b*c\\E(x) \xde\xad\xbe\xef\xde\x01\xb7 A.B*C";
	struct hit_list found = { 0 };
	scan_for("a.b*c\\E(x)", PM_PATTERN_FIXED, bytes, sizeof bytes - 1, &whole, &found, NULL);
	scan_for("a.B*c", PM_PATTERN_FIXED | PM_PATTERN_CASELESS, bytes, sizeof bytes - 1, &whole,
	         &found, NULL);
	scan_for("de ?? b?", PM_PATTERN_HEX, bytes, sizeof bytes - 1, &whole, &found, NULL);
	scan_for("?D", PM_PATTERN_HEX, bytes, sizeof bytes - 1, &whole, &found, NULL);

	static const struct hit wanted[] = {
		{ 0, 10, 0, PM_ENCODING_8BIT, false }, { 0, 5, 0, PM_ENCODING_8BIT, false },
		{ 19, 5, 0, PM_ENCODING_8BIT, false }, { 11, 3, 0, PM_ENCODING_8BIT, false },
		{ 15, 3, 0, PM_ENCODING_8BIT, false }, { 12, 1, 0, PM_ENCODING_8BIT, false }
	};
	const struct hit_list list = { (struct hit *)wanted, sizeof wanted / sizeof *wanted, 0 };

	assert_same_hits(&list, &found, (const uint8_t *)bytes, "fixed and hexadecimal");
	hit_list_deinit(&found);
}

/** The same text in UTF-16 is found where the pattern matches it in 8 bits. */
static void wide_text(void **state)
{
	(void)state;
	static const char *const patterns[] = { "pass\\w*=\\S+",
		                                "\\bword\\b",
		                                "(a)\\1",
		                                "x(?=y)",
		                                "(?<=x)y",
		                                "(?i)WORD",
		                                "[^a ]{3}",
		                                "^password.*$",
		                                "\\Qa.b\\E+",
		                                "wor(?:d|k)(?#c)[s]?",
		                                "\\x61\\.b{2}",
		                                "pass|word|a.b",
		                                ".",
		                                "\\D\\d{2,}",
		                                "(?x) w o r d" };

	static const char text[] = "password=secret word words aaxy\nxx work a.bb 12345\nWord";
	enum { LENGTH = sizeof text - 1 };
	for (int big = 0; big < 2; big++) {
		uint8_t wide[2 * LENGTH];
		for (size_t i = 0; i < LENGTH; i++) {
			wide[2 * i + (size_t)big] = (uint8_t)text[i];
			wide[2 * i + (size_t)!big] = 0;
		}

		for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
			struct pm_pattern narrow = pattern_of(patterns[i], PM_PATTERN_MULTILINE);
			struct hit_list wanted = { 0 }, found = { 0 }, only_wide = { 0 };
			const struct cut cut = { 16, 4, 0 };

			assert_true(
				pcre2_alone(&narrow, 1, (const uint8_t *)text, LENGTH, &wanted));
			assert_true(wanted.count > 0);

			for (size_t j = 0; j < wanted.count; j++) {
				struct hit *hit = &wanted.items[j];
				*hit = (struct hit){ hit->start * 2, hit->size * 2, 0,
					             big ? PM_ENCODING_UTF16BE
					                 : PM_ENCODING_UTF16LE,
					             false };
			}

			scan_for(patterns[i], PM_PATTERN_MULTILINE | PM_PATTERN_WIDE, wide,
			         sizeof wide, &cut, &found, NULL);

			/* Patterns of single characters match the bytes themselves too. */
			for (size_t j = 0; j < found.count; j++) {
				if (found.items[j].encoding == wanted.items[0].encoding)
					hit_list_add(&only_wide, found.items[j]);
			}

			if (strcmp(patterns[i], ".") != 0 && strcmp(patterns[i], "[^a ]{3}") != 0)
				assert_same_hits(&wanted, &only_wide, wide, patterns[i]);
			hit_list_deinit(&wanted);
			hit_list_deinit(&found);
			hit_list_deinit(&only_wide);
		}
	}
}

/**
 * Characters beyond ASCII, those beyond 16 bits, and a byte order that only an even address tells.
 */
static void wide_characters(void **state)
{
	(void)state;
	static const uint8_t bytes[] = "\0\0\xe9\0t\0\xac\x20\x3d\xd8\0\xde\0\0";
	struct hit_list found = { 0 };
	scan_for("\xc3\xa9t\xe2\x82\xac\xf0\x9f\x98\x80", PM_PATTERN_WIDE, bytes, sizeof bytes - 1,
	         &whole, &found, NULL);
	scan_for("t", PM_PATTERN_FIXED | PM_PATTERN_WIDE, "\0\0t\0\0", 5, &whole, &found, NULL);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.items[0].start, 2);

	assert_int_equal(found.items[0].size, 10);
	assert_int_equal(found.items[0].encoding, PM_ENCODING_UTF16LE);

	/* Read as big-endian it would begin at 1. */
	assert_int_equal(found.items[1].start, 2);
	assert_int_equal(found.items[1].encoding, PM_ENCODING_UTF16LE);
	hit_list_deinit(&found);
}

static void wrong_patterns(void **state)
{
	(void)state;
	static const struct {
		const char *pattern;
		unsigned flags;
		const char *text; /* that the error must contain */
	} cases[] = {
		{ "ab(cd", 0, "at offset 5" },
		{ "ab[z-a]x", 0, "'ab[z-' and 'a]x'" },
		{ "", 0, "empty" },
		{ "\\Gfoo", 0, "\\G" },
		{ "(*UTF)x", 0, "UTF" },
		{ "a(*COMMIT)b|c", 0, "(*COMMIT) is not supported" },
		{ "(?:a(*F)|b)(*COMMIT:x)", 0, "use (*PRUNE)" },
		{ "a(*SKIP)(", 0, "at offset 9" },
		{ "zz", PM_PATTERN_HEX, "'' and 'zz': each byte needs" },
		{ "de a", PM_PATTERN_HEX, "at offset 3, between 'de ' and 'a'" },
		{ " ", PM_PATTERN_HEX, "at least one byte" },
		{ "de", PM_PATTERN_HEX | PM_PATTERN_CASELESS, "cannot be combined" },
		{ "a\\Xb", PM_PATTERN_WIDE, "'a' and '\\Xb': this part has" },
		{ "[\xc3\xa9]", PM_PATTERN_WIDE, "at offset 0, between '' and" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pm_pattern pattern = pattern_of(cases[i].pattern, cases[i].flags);
		struct pm_scanner *scanner = NULL;
		struct pm_error error = { 0 };
		assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &scanner, &error), -1);
		assert_null(scanner);
		assert_int_equal(error.kind, PM_ERROR_USAGE);
		if (!strstr(error.text, cases[i].text))
			fail_msg("'%s': %s", cases[i].pattern, error.text);
	}

	/* These are not verbs. */
	static const char *const literal[] = { "[(*COMMIT)]", "\\Q(*COMMIT)\\E", "\\(\\*COMMIT\\)",
		                               "(?#(*COMMIT)a" };
	for (size_t i = 0; i < sizeof literal / sizeof *literal; i++) {
		struct pm_pattern pattern = pattern_of(literal[i], 0);
		struct pm_scanner *made = NULL;
		assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &made, NULL), 0);
		pm_scanner_destroy(made);
	}

	struct pm_pattern skips[PM_STREAMS];
	struct pm_scanner *many = NULL;
	for (size_t i = 0; i < PM_STREAMS; i++)
		skips[i] = pattern_of("a(*SKIP)b", 0);
	assert_int_equal(pm_pattern_scanner_create(skips, PM_STREAMS - 1, &many, NULL), 0);
	pm_scanner_destroy(many);
	assert_int_equal(pm_pattern_scanner_create(skips, PM_STREAMS, &many, NULL), -1);

	const struct pm_pattern two[] = { { "a", 1, 0 }, { "(", 1, 0 } };
	struct pm_scanner *scanner = NULL;
	struct pm_error error = { 0 };
	assert_int_equal(pm_pattern_scanner_create(two, 2, &scanner, &error), -1);
	assert_non_null(strstr(error.text, "pattern 2: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_patterns),
		cmocka_unit_test(runs),
		cmocka_unit_test(markers_at_borders),
		cmocka_unit_test(match_over_many_windows),
		cmocka_unit_test(catastrophic_pattern),
		cmocka_unit_test(matches_are_not_searched_after_a_stop),
		cmocka_unit_test(edges),
		cmocka_unit_test(fixed_and_hexadecimal),
		cmocka_unit_test(wide_text),
		cmocka_unit_test(wide_characters),
		cmocka_unit_test(wrong_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
