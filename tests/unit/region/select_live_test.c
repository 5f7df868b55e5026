/* SPDX-License-Identifier: MIT */
/* Selections of a living process: words from maps and smaps, checked with a parser of the test. */
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

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/process.h>

#include "support/target.h"

/** A target, its regions, and the text of the kernel. */
struct fixture {
	struct target target;
	struct pm_process *process;
	struct pm_regions regions;
	char *smaps;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	if (!fixture)
		return -1;

	*state = fixture;
	target_start(&fixture->target, "mapper", NULL);
	assert_int_equal(pm_process_open(NULL, fixture->target.pid, &fixture->process, NULL), 0);
	pm_regions_init(&fixture->regions);
	assert_int_equal(pm_maps_read(fixture->process, PM_SMAPS, &fixture->regions, NULL), 0);

	struct pm_kinds_evidence evidence = { .process = fixture->process };
	assert_int_equal(pm_kinds_assign(&fixture->regions, &evidence, NULL), 0);

	char path[64];
	snprintf(path, sizeof path, "/proc/%d/smaps", (int)fixture->target.pid);
	fixture->smaps = read_text(path, NULL);

	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	free(fixture->smaps);
	pm_regions_deinit(&fixture->regions);
	pm_process_close(fixture->process);
	target_stop(&fixture->target);
	free(fixture);
	return 0;
}

/** A region in the text of the kernel. */
struct line {
	uint64_t start, end, rss;
	char range[40];
	char perms[5];
	char name[512];
};

/**
 * Parses the next region of smaps.
 * @return false at the end
 */
static bool next_line(char **rest, struct line *line)
{
	char *text;
	while ((text = strsep(rest, "\n"))) {
		int name = 0;
		*line = (struct line){ 0 };
		if (sscanf(text, "%39s %4s %*s %*s %*s %n", line->range, line->perms, &name) != 2 ||
		    name == 0 || !strchr(line->range, '-'))
			continue;
		assert_int_equal(
			sscanf(line->range, "%" SCNx64 "-%" SCNx64, &line->start, &line->end), 2);
		snprintf(line->name, sizeof line->name, "%s", text + name);
		const char *rss = strstr(*rest, "\nRss:");
		assert_non_null(rss);
		line->rss = strtoull(rss + 5, NULL, 10) * 1024;
		return true;
	}

	return false;
}

/** The condition of a selection, written by the test. */
typedef bool condition(const struct line *line);

/** Applies a selection, destroys it, and compares it with the lines that meet the condition. */
static void expect(const struct fixture *fixture, struct pm_select *select, condition *meets)
{
	struct pm_region_range *ranges;
	size_t count, index = 0;
	struct pm_error error = { 0 };
	if (pm_select_apply(select, &fixture->regions, &ranges, &count, &error) < 0)
		fail_msg("%s", error.text);

	char *copy = strdup(fixture->smaps), *rest = copy;
	struct line line;
	while (next_line(&rest, &line)) {
		if (!meets(&line))
			continue;
		assert_true(index < count);
		assert_int_equal(ranges[index].range.start, line.start);
		assert_int_equal(ranges[index].range.end, line.end);
		index++;
	}

	assert_int_equal(index, count);
	/* A condition that no line meets would prove nothing. */
	assert_true(count > 0);
	free(copy);
	free(ranges);
	pm_select_destroy(select);
}

static struct pm_select *choice(const char *word)
{
	struct pm_select *select;
	struct pm_error error = { 0 };
	assert_int_equal(pm_select_create(&select, NULL), 0);
	if (word && pm_select_add_word(select, word, &error) < 0)
		fail_msg("%s", error.text);
	return select;
}

/** The selection of a word must be one range. */
static void expect_range(const struct fixture *fixture, const char *word, uint64_t start,
                         uint64_t end)
{
	struct pm_select *select = choice(word);
	struct pm_region_range *ranges;
	size_t count;
	struct pm_error error = { 0 };

	if (pm_select_apply(select, &fixture->regions, &ranges, &count, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(count, 1);
	assert_int_equal(ranges[0].range.start, start);
	assert_int_equal(ranges[0].range.end, end);
	assert_int_equal(fixture->regions.items[ranges[0].region].start, start & ~UINT64_C(4095));
	free(ranges);
	pm_select_destroy(select);
}

static void pasted_addresses(void **state)
{
	const struct fixture *fixture = *state;
	char *copy = strdup(fixture->smaps), *rest = copy, word[64];
	struct line line;
	size_t seen = 0;

	while (next_line(&rest, &line)) {
		expect_range(fixture, line.range, line.start, line.end);
		snprintf(word, sizeof word, "%016" PRIx64, line.start);
		expect_range(fixture, word, line.start, line.end);
		snprintf(word, sizeof word, "0x%" PRIx64, line.end - 1);
		expect_range(fixture, word, line.start, line.end);
		snprintf(word, sizeof word, "%" PRIx64 "+%" PRIu64, line.start,
		         line.end - line.start);
		expect_range(fixture, word, line.start, line.end);
		snprintf(word, sizeof word, "%" PRIx64 "+4K", line.start);
		expect_range(fixture, word, line.start, line.start + 4096);
		seen++;
	}

	assert_int_equal(seen, fixture->regions.count);
	free(copy);
}

static bool is_anything(const struct line *line)
{
	return line != NULL;
}

static bool is_heap(const struct line *line)
{
	return strcmp(line->name, "[heap]") == 0;
}

static bool is_stack(const struct line *line)
{
	return strcmp(line->name, "[stack]") == 0;
}

static bool is_executable(const struct line *line)
{
	return line->perms[2] == 'x';
}

static bool is_plain_data(const struct line *line)
{
	return strcmp(line->perms, "rw-p") == 0;
}

static bool is_of_the_c_library(const struct line *line)
{
	return strstr(line->name, "libc") && strstr(line->name, ".so");
}

static bool has_no_name(const struct line *line)
{
	return line->name[0] == '\0';
}

static bool is_large(const struct line *line)
{
	return line->end - line->start >= 1024 * 1024;
}

static bool is_resident(const struct line *line)
{
	return line->rss >= 64 * 1024;
}

static void words(void **state)
{
	const struct fixture *fixture = *state;
	expect(fixture, choice(NULL), is_anything);
	expect(fixture, choice("all"), is_anything);
	expect(fixture, choice("[heap]"), is_heap);
	expect(fixture, choice("heap"), is_heap);
	expect(fixture, choice("[stack]"), is_stack);
}

static void filters(void **state)
{
	const struct fixture *fixture = *state;
	struct pm_select *select = choice(NULL);
	assert_int_equal(pm_select_set_perms(select, "x", NULL), 0);
	expect(fixture, select, is_executable);
	select = choice(NULL);
	assert_int_equal(pm_select_set_perms(select, "rw-p", NULL), 0);
	expect(fixture, select, is_plain_data);
	select = choice("all");

	assert_int_equal(pm_select_set_mapping(select, "libc.*\\.so", NULL), 0);
	expect(fixture, select, is_of_the_c_library);
	select = choice(NULL);
	assert_int_equal(pm_select_set_mapping(select, "^$", NULL), 0);
	expect(fixture, select, has_no_name);
	select = choice(NULL);
	pm_select_set_min_size(select, 1024 * 1024);
	expect(fixture, select, is_large);

	select = choice(NULL);
	pm_select_set_min_rss(select, 64 * 1024);
	expect(fixture, select, is_resident);
}

static void range_of_everything_contains_every_byte(void **state)
{
	const struct fixture *fixture = *state;
	struct pm_select *select = choice("0-ffffffffffffffff");
	struct pm_region_range *ranges;
	size_t count, mapped = 0;

	assert_int_equal(pm_select_apply(select, &fixture->regions, &ranges, &count, NULL), 0);
	uint64_t at = 0;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ranges[i].range.start, at);
		at = ranges[i].range.end;
		mapped += ranges[i].region != SIZE_MAX;
	}

	assert_int_equal(at, UINT64_MAX);
	assert_int_equal(mapped, fixture->regions.count);
	free(ranges);
	pm_select_destroy(select);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pasted_addresses),
		cmocka_unit_test(words),
		cmocka_unit_test(filters),
		cmocka_unit_test(range_of_everything_contains_every_byte),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
