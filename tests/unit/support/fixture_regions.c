/* SPDX-License-Identifier: MIT */
#include "support/fixture_regions.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RW = PM_PERM_READ | PM_PERM_WRITE, RX = PM_PERM_READ | PM_PERM_EXEC };

/** A small process: two neighbours that touch, holes elsewhere. */
static const struct {
	uint64_t start, end;
	unsigned perms;
	enum pm_kind kind;
	const char *mapping;
	uint64_t rss;
} layout[] = {
	{ 0x400000, 0x402000, RX, PM_KIND_CODE, "/usr/bin/shop", 0x2000 },
	{ 0x402000, 0x403000, RW, PM_KIND_DATA, "/usr/bin/shop", 0x1000 },
	{ 0x600000, 0x700000, RW, PM_KIND_HEAP, "[heap]", 0x80000 },
	{ 0x7f3a08000000, 0x7f3a77c03000, RW, PM_KIND_MALLOC, "", 0x40000000 },
	{ 0x7f3b00000000, 0x7f3b00100000, RW | PM_PERM_EXEC, PM_KIND_JIT, "", 0x100000 },
	{ 0x7f3b2a1f1000, 0x7f3b2b2a5000, RX, PM_KIND_CODE, "/usr/lib/jvm/Ünïcode/libjvm.so", 0 },
	{ 0x7f3c00000000, 0x7f3c00010000, RW | PM_PERM_SHARED, PM_KIND_SHM, "/dev/shm/a b\nc",
	  0x10000 },
	{ 0x7ffffffde000, 0x7ffffffff000, RW, PM_KIND_STACK, "[stack]", 0x3000 },
	{ 0xffffffffff600000, 0xffffffffff601000, PM_PERM_EXEC, PM_KIND_KERNEL, "[vsyscall]", 0 },
};

enum { COUNT = sizeof layout / sizeof *layout };

struct pm_regions fixture_regions;

int fixture_make(void **state)
{
	(void)state;
	pm_regions_init(&fixture_regions);
	for (size_t i = 0; i < COUNT; i++) {
		struct pm_region region = {
			.start = layout[i].start,
			.end = layout[i].end,
			.perms = (uint8_t)layout[i].perms,
			.kind = (uint8_t)layout[i].kind,
			.mapping = layout[i].mapping,
			.known = PM_SIZE_BIT(PM_SIZE_RSS),
			.bytes = { [PM_SIZE_RSS] = layout[i].rss },
		};
		if (pm_regions_append(&fixture_regions, &region, NULL) < 0)
			return -1;
	}

	return 0;
}

int fixture_drop(void **state)
{
	(void)state;
	pm_regions_deinit(&fixture_regions);
	return 0;
}

struct pm_select *fixture_choice(void)
{
	struct pm_select *select;
	assert_int_equal(pm_select_create(&select, NULL), 0);
	return select;
}

struct pm_select *fixture_choice_of(const char *words)
{
	struct pm_select *select = fixture_choice();
	char *copy = strdup(words), *rest = copy, *word;
	while ((word = strsep(&rest, "|"))) {
		struct pm_error error = { 0 };
		if (pm_select_add_word(select, word, &error) < 0)
			fail_msg("%s", error.text);
	}

	free(copy);
	return select;
}

void fixture_expect(struct pm_select *select, const char *expected)
{
	struct pm_region_range *ranges = NULL;
	size_t count = 0, length = 0;
	struct pm_error error = { 0 };
	char text[4096] = "";

	if (pm_select_apply(select, &fixture_regions, &ranges, &count, &error) < 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < count; i++) {
		const char *blank = i > 0 ? " " : "";
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIx64 "-",
		                           blank, ranges[i].range.start);
		length += (size_t)snprintf(text + length, sizeof text - length, "%" PRIx64 ":",
		                           ranges[i].range.end);
		if (ranges[i].region == SIZE_MAX)
			length += (size_t)snprintf(text + length, sizeof text - length, "-");
		else
			length += (size_t)snprintf(text + length, sizeof text - length, "%zu",
			                           ranges[i].region);
	}

	assert_string_equal(text, expected);
	free(ranges);
	pm_select_destroy(select);
}

void fixture_expect_regions(struct pm_select *select, const char *expected)
{
	struct pm_region_range *ranges = NULL;
	size_t count = 0, length = 0;
	struct pm_error error = { 0 };
	char text[256] = "";

	if (pm_select_apply(select, &fixture_regions, &ranges, &count, &error) < 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < count; i++) {
		assert_true(ranges[i].region < COUNT);
		assert_int_equal(ranges[i].range.start, layout[ranges[i].region].start);
		assert_int_equal(ranges[i].range.end, layout[ranges[i].region].end);
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%zu",
		                           i > 0 ? " " : "", ranges[i].region);
	}

	assert_string_equal(text, expected);
	free(ranges);
	pm_select_destroy(select);
}
