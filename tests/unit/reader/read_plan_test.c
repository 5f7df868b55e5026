/* SPDX-License-Identifier: MIT */
#include <procmem/read_plan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 4096, MEGABYTE = 1024 * 1024 };

static const uint64_t TERABYTE = UINT64_C(1) << 40;

/** Page states of a test, with the number of walks. */
struct states {
	const struct pm_page_run *runs;
	size_t count;
	size_t walks;
	int result; /* result of the walks; 0 for success */
};

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	struct states *states = context;
	states->walks++;
	assert_int_equal(start % PAGE, 0);
	assert_int_equal(end % PAGE, 0);
	if (states->result < 0)
		return pm_error_set(error, PM_ERROR_GONE, 0, "gone");

	for (size_t i = 0; i < states->count; i++) {
		struct pm_page_run run = states->runs[i];
		if (run.end <= start || run.start >= end)
			continue;
		run.start = run.start < start ? start : run.start;
		run.end = run.end > end ? end : run.end;
		int answer = visit(visitor, &run);
		if (answer != 0)
			return answer;
	}

	return 0;
}

/** A plan, with all that it needs. */
struct fixture {
	struct pm_regions regions;
	struct states states;
	struct pm_page_source source;
	struct pm_plan_options options;
	struct pm_plan *plan;
	struct pm_unit unit;
};

static struct fixture *make(const struct pm_region *regions, size_t count,
                            const struct pm_page_run *runs, size_t run_count)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	assert_non_null(fixture);
	pm_regions_init(&fixture->regions);

	for (size_t i = 0; i < count; i++)
		assert_int_equal(pm_regions_append(&fixture->regions, &regions[i], NULL), 0);

	fixture->states = (struct states){ .runs = runs, .count = run_count };
	fixture->source = (struct pm_page_source){ .walk = walk,
		                                   .context = &fixture->states,
		                                   .untouched = PM_SEGMENT_HOLE };
	fixture->options.pages = &fixture->source;

	return fixture;
}

static void start(struct fixture *fixture, const struct pm_region_range *ranges, size_t count)
{
	struct pm_error error;
	if (pm_plan_open(&fixture->regions, ranges, count, &fixture->options, &fixture->plan,
	                 &error) < 0)
		fail_msg("%s", error.text);
}

static void drop(struct fixture *fixture)
{
	pm_plan_close(fixture->plan);
	pm_regions_deinit(&fixture->regions);
	free(fixture);
}

static void expect_unit(struct fixture *fixture)
{
	struct pm_error error;
	int more = pm_plan_next(fixture->plan, &fixture->unit, &error);
	if (more < 0)
		fail_msg("%s", error.text);
	assert_int_equal(more, 1);
}

static void expect_end(struct fixture *fixture)
{
	assert_int_equal(pm_plan_next(fixture->plan, &fixture->unit, NULL), 0);
}

#define ANON(from, to)                           \
	{ .start = (from),                       \
	  .end = (to),                           \
	  .perms = PM_PERM_READ | PM_PERM_WRITE, \
	  .vm_flags = PM_VM_KNOWN | PM_VM_READ }

static void long_range_is_split_into_full_units(void **state)
{
	(void)state;
	const struct pm_region region = ANON(0x100000, 0x100000 + 5 * MEGABYTE / 2);
	const struct pm_page_run run = { region.start, region.end, PM_PAGE_PRESENT };
	struct fixture *fixture = make(&region, 1, &run, 1);
	start(fixture, NULL, 0);

	expect_unit(fixture);
	assert_int_equal(fixture->unit.size, MEGABYTE);
	assert_int_equal(fixture->unit.count, 1);
	assert_int_equal(fixture->unit.before, 0);
	assert_int_equal(fixture->unit.after, 3 * MEGABYTE / 2);
	assert_false(fixture->unit.segments[0].follows);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.index, 1);
	assert_int_equal(fixture->unit.before, MEGABYTE);
	assert_int_equal(fixture->unit.after, MEGABYTE / 2);
	assert_true(fixture->unit.segments[0].follows);
	assert_int_equal(fixture->unit.segments[0].start, region.start + MEGABYTE);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.size, MEGABYTE / 2);
	assert_int_equal(fixture->unit.before, 2 * MEGABYTE);
	assert_int_equal(fixture->unit.after, 0);
	expect_end(fixture);
	assert_int_equal(pm_plan_bytes(fixture->plan, PM_SEGMENT_RUN), 5 * MEGABYTE / 2);
	drop(fixture);
}

/**
 * 100 MiB as single pages in a terabyte: each unit must have a full MiB, so that 100 calls read
 * all.
 */
static void scattered_pages_are_packed(void **state)
{
	(void)state;
	enum { PAGES = 25600 };
	const struct pm_region region = ANON(0x7f0000000000, 0x7f0000000000 + TERABYTE);
	const uint64_t stride = TERABYTE / PAGES / PAGE * PAGE;
	struct pm_page_run *runs = calloc(PAGES, sizeof *runs);
	assert_non_null(runs);
	for (size_t i = 0; i < PAGES; i++)
		runs[i] = (struct pm_page_run){ region.start + i * stride,
			                        region.start + i * stride + PAGE, PM_PAGE_PRESENT };
	struct fixture *fixture = make(&region, 1, runs, PAGES);
	start(fixture, NULL, 0);

	uint64_t at = region.start;
	size_t units = 0;
	int more;
	while ((more = pm_plan_next(fixture->plan, &fixture->unit, NULL)) > 0) {
		for (size_t i = 0; i < fixture->unit.count; i++) {
			assert_int_equal(fixture->unit.segments[i].start, at);
			at = fixture->unit.segments[i].end;
		}
		units += fixture->unit.size > 0;
	}
	assert_int_equal(more, 0);
	assert_int_equal(at, region.end);
	assert_int_equal(units, PAGES / 256);
	assert_int_equal(pm_plan_bytes(fixture->plan, PM_SEGMENT_RUN), (uint64_t)PAGES * PAGE);
	assert_int_equal(pm_plan_bytes(fixture->plan, PM_SEGMENT_HOLE),
	                 TERABYTE - (uint64_t)PAGES * PAGE);
	drop(fixture);
	free(runs);
}

/** Each region is for one rule; the second page of each is present. */
static void every_type_has_a_rule(void **state)
{
	(void)state;
	static const struct {
		struct pm_region region;
		enum pm_segment_type present;
		enum pm_segment_type untouched;
	} cases[] = {
		{ ANON(0, 0), PM_SEGMENT_RUN, PM_SEGMENT_HOLE },
		{ { .vm_flags = PM_VM_KNOWN }, PM_SEGMENT_RUN, PM_SEGMENT_HOLE },
		{ { .inode = 7,
		    .perms = PM_PERM_READ,
		    .mapping = "/usr/lib/libc.so",
		    .vm_flags = PM_VM_KNOWN },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_FILE },
		{ { .inode = 7,
		    .perms = PM_PERM_READ | PM_PERM_SHARED,
		    .mapping = "/var/db",
		    .vm_flags = PM_VM_KNOWN },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_FILE },
		{ { .inode = 7,
		    .perms = PM_PERM_SHARED,
		    .mapping = "/memfd:x",
		    .vm_flags = PM_VM_KNOWN },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_SHARED },
		{ { .inode = 7,
		    .perms = PM_PERM_SHARED,
		    .mapping = "/SYSV00000000",
		    .vm_flags = PM_VM_KNOWN },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_SHARED },
		{ { .inode = 7, .perms = PM_PERM_SHARED, .mapping = "/dev/zero" },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_SHARED },
		{ { .inode = 7, .mapping = "/dev/zero" }, PM_SEGMENT_RUN, PM_SEGMENT_HOLE },
		{ { .inode = 7,
		    .mapping = "/anon_hugepage",
		    .vm_flags = PM_VM_KNOWN | PM_VM_HUGETLB },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_HOLE },
		{ { .vm_flags = PM_VM_KNOWN | PM_VM_UFFD_MISSING },
		  PM_SEGMENT_RUN,
		  PM_SEGMENT_PENDING },
		{ { .vm_flags = PM_VM_KNOWN | PM_VM_IO, .mapping = "/dev/dri/card0", .inode = 7 },
		  PM_SEGMENT_FORBIDDEN,
		  PM_SEGMENT_FORBIDDEN },
		{ { .vm_flags = PM_VM_KNOWN | PM_VM_PFNMAP },
		  PM_SEGMENT_FORBIDDEN,
		  PM_SEGMENT_FORBIDDEN },
		{ { .mapping = "/dev/dri/card0", .inode = 7 },
		  PM_SEGMENT_FORBIDDEN,
		  PM_SEGMENT_FORBIDDEN },
		{ { .mapping = "anon_inode:[perf_event]", .inode = 7 },
		  PM_SEGMENT_FORBIDDEN,
		  PM_SEGMENT_FORBIDDEN },
		{ { .mapping = "[vvar_vclock]" }, PM_SEGMENT_FORBIDDEN, PM_SEGMENT_FORBIDDEN },
		{ { .mapping = "[vdso]" }, PM_SEGMENT_RUN, PM_SEGMENT_FORBIDDEN },
	};

	enum { CASES = sizeof cases / sizeof *cases };
	for (size_t i = 0; i < CASES; i++) {
		struct pm_region region = cases[i].region;
		region.start = 0x10000;
		region.end = 0x12000;

		const struct pm_page_run run = { 0x11000, 0x12000, PM_PAGE_PRESENT };
		struct fixture *fixture = make(&region, 1, &run, 1);
		start(fixture, NULL, 0);
		expect_unit(fixture);

		const struct pm_segment *first = &fixture->unit.segments[0],
					*last = &fixture->unit.segments[fixture->unit.count - 1];
		if (first->type != cases[i].untouched || last->type != cases[i].present)
			fail_msg("case %zu: %d %s, %d %s", i, first->type, first->why, last->type,
			         last->why);

		drop(fixture);
	}
}

static void guard_and_zero_pages_are_not_read(void **state)
{
	(void)state;
	const struct pm_region region = ANON(0x10000, 0x15000);
	const struct pm_page_run runs[] = {
		{ 0x10000, 0x11000, PM_PAGE_PRESENT },
		{ 0x11000, 0x12000, PM_PAGE_GUARD },
		{ 0x12000, 0x13000, PM_PAGE_GUARD },
		{ 0x13000, 0x14000, PM_PAGE_PRESENT | PM_PAGE_ZERO },
		{ 0x14000, 0x15000, PM_PAGE_SWAPPED },
	};

	struct fixture *fixture = make(&region, 1, runs, 5);
	start(fixture, NULL, 0);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.count, 4);
	assert_int_equal(fixture->unit.size, 2 * PAGE);
	assert_int_equal(fixture->unit.segments[1].type, PM_SEGMENT_FORBIDDEN);
	assert_int_equal(fixture->unit.segments[1].end, 0x13000);
	assert_int_equal(fixture->unit.segments[2].type, PM_SEGMENT_HOLE);

	assert_int_equal(fixture->unit.segments[3].pages, PM_PAGE_SWAPPED);
	expect_end(fixture);
	drop(fixture);
}

static void ranges_are_kept_to_the_byte(void **state)
{
	(void)state;
	const struct pm_region region = ANON(0x10000, 0x20000);
	const struct pm_page_run run = { 0x10000, 0x20000, PM_PAGE_PRESENT };
	const struct pm_region_range ranges[] = { { { 0x10123, 0x10125 }, 0 },
		                                  { { 0x10fff, 0x12001 }, 0 },
		                                  { { 0x20000, 0x20010 }, SIZE_MAX } };
	struct fixture *fixture = make(&region, 1, &run, 1);

	start(fixture, ranges, 3);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.count, 3);
	assert_int_equal(fixture->unit.size, 2 + 0x1002);

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(fixture->unit.segments[i].start, ranges[i].range.start);
		assert_int_equal(fixture->unit.segments[i].end, ranges[i].range.end);
		assert_false(fixture->unit.segments[i].follows);
	}

	assert_int_equal(fixture->unit.segments[2].type, PM_SEGMENT_UNMAPPED);
	expect_end(fixture);
	drop(fixture);
}

/**
 * Ranges that start at any byte: the bytes around a unit are read with it, and have the type of
 * their page.
 */
static void units_end_between_pages(void **state)
{
	(void)state;
	const struct pm_region region = ANON(0x10000, 0x10000 + 40 * PAGE);
	const struct pm_page_run run = { region.start, region.end, PM_PAGE_PRESENT };
	const struct pm_region_range ranges[] = { { { region.start + 100, region.start + 105 }, 0 },
		                                  { { region.start + 200, region.end - 7 }, 0 } };
	struct fixture *fixture = make(&region, 1, &run, 1);

	fixture->options.unit_size = 3 * PAGE;
	start(fixture, ranges, 2);

	uint64_t at = region.start + 200, bytes = 0;
	while (at < region.end - 7) {
		expect_unit(fixture);
		const struct pm_segment *first = &fixture->unit.segments[0],
					*last = &fixture->unit.segments[fixture->unit.count - 1];
		assert_in_range(fixture->unit.size, 1, 3 * PAGE);
		assert_int_equal(first->start, at == region.start + 200 ? region.start + 100 : at);
		if (last->end != region.end - 7)
			assert_int_equal(last->end % PAGE, 0);
		at = last->end;
		bytes += fixture->unit.size;
	}

	assert_int_equal(bytes, 5 + 40 * PAGE - 207);
	assert_in_range(fixture->unit.index, 13, 14);
	expect_end(fixture);
	drop(fixture);
}

static void data_continues_only_across_split_mappings(void **state)
{
	(void)state;
	const struct pm_region regions[] = {
		ANON(0x10000, 0x11000),
		{ .start = 0x11000, .end = 0x12000, .perms = PM_PERM_READ },
		{ .start = 0x12000, .end = 0x13000, .perms = PM_PERM_READ, .mapping = "[heap]" },
		{ .start = 0x13000,
		  .end = 0x14000,
		  .perms = PM_PERM_READ,
		  .mapping = "/f",
		  .inode = 3,
		  .offset = 0 },
		{ .start = 0x14000,
		  .end = 0x15000,
		  .perms = PM_PERM_READ,
		  .mapping = "/f",
		  .inode = 3,
		  .offset = PAGE },
		{ .start = 0x15000,
		  .end = 0x16000,
		  .perms = PM_PERM_READ,
		  .mapping = "/f",
		  .inode = 3,
		  .offset = PAGE },
	};

	static const bool expected[] = { false, true, false, false, true, false };
	const struct pm_page_run run = { 0x10000, 0x16000, PM_PAGE_PRESENT };
	struct fixture *fixture = make(regions, 6, &run, 1);
	start(fixture, NULL, 0);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.count, 6);

	for (size_t i = 0; i < 6; i++)
		assert_int_equal(fixture->unit.segments[i].follows, expected[i]);

	drop(fixture);
}

static void files_are_read_on_request(void **state)
{
	(void)state;
	const struct pm_region region = { .start = 0x10000,
		                          .end = 0x10000 + 2 * MEGABYTE,
		                          .inode = 5,
		                          .mapping = "/f",
		                          .perms = PM_PERM_READ };
	const struct pm_page_run run = { 0x11000, 0x12000, PM_PAGE_PRESENT | PM_PAGE_FILE };
	struct fixture *fixture = make(&region, 1, &run, 1);

	fixture->options.files = true;
	start(fixture, NULL, 0);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.size, MEGABYTE);
	assert_int_equal(fixture->unit.count, 3);
	assert_int_equal(fixture->unit.segments[2].type, PM_SEGMENT_FILE);
	assert_true(fixture->unit.segments[2].wanted);
	expect_unit(fixture);

	assert_int_equal(fixture->unit.size, MEGABYTE);
	expect_end(fixture);
	drop(fixture);
}

static void pages_absent_from_a_core_are_missing(void **state)
{
	(void)state;
	const struct pm_region region = ANON(0x10000, 0x20000);
	const struct pm_page_run run = { 0x10000, 0x11000, PM_PAGE_PRESENT };
	struct fixture *fixture = make(&region, 1, &run, 1);

	fixture->source.untouched = PM_SEGMENT_MISSING;
	start(fixture, NULL, 0);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.segments[1].type, PM_SEGMENT_MISSING);
	drop(fixture);
}

static void without_page_states_all_is_read(void **state)
{
	(void)state;
	const struct pm_region regions[] = {
		ANON(0x10000, 0x20000), { .start = 0x30000, .end = 0x31000, .mapping = "[vvar]" }
	};
	struct fixture *fixture = make(regions, 2, NULL, 0);

	fixture->options.pages = NULL;
	start(fixture, NULL, 0);
	expect_unit(fixture);
	assert_int_equal(fixture->unit.size, 0x10000);
	assert_int_equal(fixture->unit.segments[1].type, PM_SEGMENT_FORBIDDEN);
	drop(fixture);
}

/** Small adjacent regions, as left by mprotect(2): there must not be a walk for each of them. */
static void many_small_regions_need_few_walks(void **state)
{
	(void)state;
	enum { REGIONS = 60000 };

	struct pm_region *regions = calloc(REGIONS, sizeof *regions);
	assert_non_null(regions);
	for (size_t i = 0; i < REGIONS; i++) {
		regions[i] = (struct pm_region)ANON(0x10000000 + i * PAGE,
		                                    0x10000000 + (i + 1) * PAGE);
		regions[i].perms = i % 2 ? PM_PERM_READ : PM_PERM_WRITE;
	}

	const struct pm_page_run run = { 0x10000000, 0x10000000 + (uint64_t)REGIONS * PAGE,
		                         PM_PAGE_PRESENT };
	struct fixture *fixture = make(regions, REGIONS, &run, 1);
	start(fixture, NULL, 0);

	while (pm_plan_next(fixture->plan, &fixture->unit, NULL) > 0)
		assert_in_range(fixture->unit.size, 1, PM_UNIT_SIZE);

	assert_int_equal(pm_plan_bytes(fixture->plan, PM_SEGMENT_RUN), (uint64_t)REGIONS * PAGE);
	assert_in_range(fixture->states.walks, 1, 10);
	drop(fixture);
	free(regions);
}

/** The same in random order, compared with a model that handles single pages. */
static void random_layouts_are_covered_exactly(void **state)
{
	(void)state;
	enum { PAGES = 4000, ROUNDS = 200 };
	srand(20261121);

	for (int round = 0; round < ROUNDS; round++) {
		static struct pm_region regions[PAGES];
		static struct pm_page_run runs[PAGES];
		static uint8_t present[PAGES];
		size_t region_count = 0, run_count = 0;
		unsigned density = (unsigned)rand() % 100;

		for (size_t page = 0; page < PAGES;) {
			size_t length = 1 + (size_t)rand() % 400;
			length = length > PAGES - page ? PAGES - page : length;
			if (rand() % 4)
				regions[region_count++] = (struct pm_region)ANON(
					(page + 16) * PAGE, (page + length + 16) * PAGE);
			page += length;
		}

		for (size_t page = 0; page < PAGES; page++) {
			present[page] = (unsigned)rand() % 100 < density;
			if (present[page])
				runs[run_count++] = (struct pm_page_run){ (page + 16) * PAGE,
					                                  (page + 17) * PAGE,
					                                  PM_PAGE_PRESENT };
		}

		struct fixture *fixture = make(regions, region_count, runs, run_count);
		fixture->options.unit_size = (size_t)(1 + rand() % 256) * PAGE;
		start(fixture, NULL, 0);

		size_t region = 0;
		uint64_t at = region_count ? regions[0].start : 0;
		while (pm_plan_next(fixture->plan, &fixture->unit, NULL) > 0) {
			size_t size = 0;
			for (size_t i = 0; i < fixture->unit.count; i++) {
				const struct pm_segment *segment = &fixture->unit.segments[i];
				assert_int_equal(segment->start, at);
				assert_int_equal(segment->region, region);
				for (; at < segment->end; at += PAGE)
					assert_int_equal(segment->wanted, present[at / PAGE - 16]);
				size += segment->wanted ? segment->end - segment->start : 0;
				if (at == regions[region].end && ++region < region_count)
					at = regions[region].start;
			}

			assert_int_equal(size, fixture->unit.size);
			assert_true(size <= fixture->options.unit_size);
		}

		assert_int_equal(region, region_count);
		drop(fixture);
	}
}

static void plan_ends_when_cancelled_or_gone(void **state)
{
	(void)state;
	const struct pm_region region = ANON(0x10000, 0x10000 + 200 * (uint64_t)MEGABYTE);
	const struct pm_page_run run = { region.start, region.end, PM_PAGE_PRESENT };
	struct pm_error error;
	volatile sig_atomic_t cancel = 0;
	struct fixture *fixture = make(&region, 1, &run, 1);
	fixture->options.cancel = &cancel;
	start(fixture, NULL, 0);
	expect_unit(fixture);
	cancel = 1;
	assert_int_equal(pm_plan_next(fixture->plan, &fixture->unit, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	drop(fixture);

	fixture = make(&region, 1, &run, 1);
	fixture->states.result = -1;
	start(fixture, NULL, 0);
	assert_int_equal(pm_plan_next(fixture->plan, &fixture->unit, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	drop(fixture);
}

static void unknown_units_are_rejected(void **state)
{
	(void)state;
	struct pm_error error;
	struct pm_regions regions;
	pm_regions_init(&regions);

	struct pm_plan *plan = NULL;
	const size_t sizes[] = { PAGE + 1, PM_UNIT_SIZE + PAGE };
	for (size_t i = 0; i < 2; i++) {
		const struct pm_plan_options options = { .unit_size = sizes[i] };
		assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_USAGE);
		assert_null(plan);
	}

	assert_int_equal(pm_plan_open(&regions, NULL, 0, NULL, &plan, &error), 0);
	struct pm_unit unit;
	assert_int_equal(pm_plan_next(plan, &unit, &error), 0);
	pm_plan_close(plan);
	pm_plan_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_range_is_split_into_full_units),
		cmocka_unit_test(scattered_pages_are_packed),
		cmocka_unit_test(every_type_has_a_rule),
		cmocka_unit_test(guard_and_zero_pages_are_not_read),
		cmocka_unit_test(ranges_are_kept_to_the_byte),
		cmocka_unit_test(units_end_between_pages),
		cmocka_unit_test(data_continues_only_across_split_mappings),
		cmocka_unit_test(files_are_read_on_request),
		cmocka_unit_test(pages_absent_from_a_core_are_missing),
		cmocka_unit_test(without_page_states_all_is_read),
		cmocka_unit_test(many_small_regions_need_few_walks),
		cmocka_unit_test(random_layouts_are_covered_exactly),
		cmocka_unit_test(plan_ends_when_cancelled_or_gone),
		cmocka_unit_test(unknown_units_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
