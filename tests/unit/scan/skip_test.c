/* SPDX-License-Identifier: MIT */
/* Patterns with (*SKIP), which move the search forward without a match: also from window to window
 * and from unit to unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/scan.h>
#include <cmocka.h>

#include "reader/fake_reader.h"
#include "support/patterns.h"
#include "support/windows.h"

enum { PAGE = 4096, PAGES = 600, BASE = 0x10000 };

/**
 * Fills bytes with words, quotes and line ends. Many windows start within quotes.
 * @param repeats  how often a word without quotes is repeated in some places
 */
static void quoted_text(uint8_t *bytes, size_t size, size_t repeats, uint64_t *random)
{
	static const char *const words[] = { "foo", "bar ", "a",   "ab",   "'x'", "\"foo\"",
		                             "\"",  "\n",   "<b>", "</b>", "#1",  " " };
	size_t i = 0;

	while (i < size) {
		uint64_t number = random_next(random);
		size_t count = number % 90 == 0 ? repeats : 1;
		const char *word = words[random_next(random) % (count > 1 ? 4 : 12)];
		size_t length = strlen(word);

		for (; count > 0 && i + length <= size; count--) {
			memcpy(bytes + i, word, length);
			i += length;
		}
		if (count > 0 && i < size)
			bytes[i++] = ' ';
	}
}

/** Windows of any size find what PCRE2 finds in all bytes at once. */
static void windows(void **state)
{
	static const char *const patterns[] = {
		"\"[^\"\n]*\"(*SKIP)(*F)|foo",
		"\"[^\"]*\"(*SKIP)(*FAIL)|fo+|ba(?=r)",
		"a+(*SKIP)b|foo",
		"(?s)<b>.*?</b>(*SKIP)(*F)|foo|\"",
		"a(*MARK:here)a+(*SKIP:here)b|aa",
		"\"[^\"\n]*\"(*SKIP)(*F)|foo(*PRUNE)b|foo",
		"(?:foo(*ACCEPT)|bar(*SKIP)x)b|r",
		"(*UCP)(?C1)'x'(*SKIP)(*F)|x|\"[^\"]*\"",
	};
	enum { SIZE = 6000, TURNS = 12 };
	static uint8_t bytes[SIZE];
	(void)state;

	for (size_t turn = 0; turn < TURNS * sizeof patterns / sizeof *patterns; turn++) {
		const char *text = patterns[turn / TURNS];
		const struct pm_pattern pattern = { text, strlen(text),
			                            turn % 2 ? PM_PATTERN_UTF : 0 };
		uint64_t random = 7 + turn * 7919;
		const struct cut cut = { 1 + random_next(&random) % 900, random_next(&random) % 64,
			                 0 };
		struct hit_list wanted = { 0 }, found = { 0 };
		struct pm_error error = { 0 };
		struct pm_scanner *scanner;

		if (pm_pattern_scanner_create(&pattern, 1, &scanner, &error) < 0)
			fail_msg("%s", error.text);
		quoted_text(bytes, SIZE, 300, &random);
		assert_true(pcre2_alone(&pattern, 1, bytes, SIZE, &wanted));
		scan_buffer(scanner, bytes, SIZE, BASE, &cut, &found, NULL);
		assert_same_hits(&wanted, &found, bytes, text);

		hit_list_deinit(&wanted);
		hit_list_deinit(&found);
		pm_scanner_destroy(scanner);
	}
}

/** With several patterns, a pattern passes over bytes for itself only. */
static void several_patterns(void **state)
{
	static const char text[] = "one \"two three\" one two";
	const struct pm_pattern patterns[] = { { "\"[^\"]*\"(*SKIP)(*F)|two", 22, 0 },
		                               { "three", 5, 0 } };
	static const size_t starts[] = { 9, 20 };
	struct pm_scanner *scanner;
	(void)state;

	assert_int_equal(pm_pattern_scanner_create(patterns, 2, &scanner, NULL), 0);
	for (size_t unit = 1; unit < sizeof text; unit++) {
		const struct cut cut = { unit, 1, 0 };
		struct hit_list found = { 0 };

		scan_buffer(scanner, (const uint8_t *)text, sizeof text - 1, BASE, &cut, &found,
		            NULL);
		assert_int_equal(found.count, 2);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(found.items[i].start, starts[i]);
			assert_int_equal(found.items[i].source, 1 - i);
		}
		hit_list_deinit(&found);
	}
	pm_scanner_destroy(scanner);
}

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	const struct pm_page_run all = { start, end, PM_PAGE_PRESENT };
	(void)context;
	(void)error;
	return visit(visitor, &all);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	(void)error;
	hit_list_add(context, (struct hit){ delivery->address - BASE, delivery->size,
	                                    delivery->source, delivery->encoding, false });
	return 0;
}

/** Scans one region with units of a given size by several threads. */
static void scan_region(const struct pm_scanner *scanner, const uint8_t *bytes, size_t unit,
                        unsigned workers, struct hit_list *hits)
{
	struct pm_region region = { .start = BASE, .end = BASE + PAGES * PAGE, .mapping = "" };
	struct pm_regions regions = { .items = &region, .count = 1 };
	const struct pm_fake_range range = { BASE, bytes, PAGES * PAGE };
	struct pm_fake_target target = { .ranges = &range, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target);
	struct pm_page_source pages = { .walk = walk, .untouched = PM_SEGMENT_HOLE };
	const struct pm_plan_options options = { .pages = &pages, .unit_size = unit };
	struct pm_scan scan = { .scanner = scanner,
		                .regions = &regions,
		                .workers = workers,
		                .deliver = deliver,
		                .context = hits };
	struct pm_scan_totals totals;
	struct pm_error error = { 0 };

	region.perms = PM_PERM_READ | PM_PERM_WRITE;
	region.vm_flags = PM_VM_KNOWN | PM_VM_READ;
	assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &scan.plan, &error), 0);
	scan.source.target = &reader;
	if (pm_scan_run(&scan, &totals, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(totals.gave_up, 0);
	pm_plan_close(scan.plan);
}

/** Finds `foo` outside of quotes, which end before a line end, without PCRE2. */
static void find_unquoted(const uint8_t *bytes, size_t size, struct hit_list *hits)
{
	for (size_t i = 0; i < size;) {
		size_t end = i + 1;
		if (bytes[i] == '"') {
			while (end < size && bytes[end] != '"' && bytes[end] != '\n')
				end++;
			i = end < size && bytes[end] == '"' ? end + 1 : i + 1;
		} else if (i + 3 <= size && memcmp(bytes + i, "foo", 3) == 0) {
			hit_list_add(hits, (struct hit){ i, 3, 0, PM_ENCODING_8BIT, false });
			i += 3;
		} else
			i++;
	}
}

/** The same hits as those of a loop over all bytes, with units of some pages and of a mebibyte. */
static void units(void **state)
{
	static const char text[] = "\"[^\"\n]*\"(*SKIP)(*F)|foo";
	const struct pm_pattern pattern = { text, sizeof text - 1, 0 };
	uint8_t *bytes = malloc(PAGES * PAGE);
	struct pm_scanner *scanner;
	(void)state;

	assert_non_null(bytes);
	assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &scanner, NULL), 0);
	for (unsigned turn = 0; turn < 12; turn++) {
		struct hit_list wanted = { 0 }, found = { 0 };
		uint64_t random = turn;

		quoted_text(bytes, PAGES * PAGE, 2 * PAGE, &random);
		find_unquoted(bytes, PAGES * PAGE, &wanted);
		assert_true(wanted.count > 1000);
		scan_region(scanner, bytes, turn % 3 ? (size_t)PAGE << turn % 3 : 0, 1 + turn % 4,
		            &found);
		assert_same_hits(&wanted, &found, NULL, "units");
		hit_list_deinit(&wanted);
		hit_list_deinit(&found);
	}

	pm_scanner_destroy(scanner);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(several_patterns),
		cmocka_unit_test(units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
