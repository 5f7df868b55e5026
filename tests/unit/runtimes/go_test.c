/* SPDX-License-Identifier: MIT */
/* The reader of Go, in fake memory: labels, figures, and structures that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtimes/go_buildinfo.h"
#include "runtimes/go_figures.h"
#include "runtimes/go_heap.h"
#include "runtimes/go_metadata.h"
#include "support/fake_go.h"

/** Returns the owner of an address, which must be proven. */
static enum pm_owner proven_owner(const struct fake_go *go, uint64_t address)
{
	bool proven;
	enum pm_owner owner = fake_go_owner(go, address, &proven);

	assert_true(proven || owner == PM_OWNER_UNKNOWN);
	return owner;
}

static uint64_t counter(const struct fake_go *go, const char *name)
{
	uint64_t value;

	assert_true(fake_go_counter(go, name, &value));
	return value;
}

/** Adds a span of each sort. */
static void add_spans(struct fake_go *go)
{
	fake_go_add_span(go, 0, 4, 1, 64);
	fake_go_add_span(go, 4, 4, 2, 2048);   /* stacks */
	fake_go_add_span(go, 8, 4, 2, 0);      /* work of the collector */
	fake_go_add_span(go, 12, 8, 2, 65536); /* a large stack */
	fake_go_add_span(go, 20, 2, 0, 64);    /* freed */
}

static void spans_and_arenas(void **state)
{
	(void)state;
	struct fake_go *go = fake_go_create();
	struct pm_go_heap heap;

	add_spans(go);
	pm_go_heap_read(&go->context, &go->layout, &heap);
	assert_true(heap.proven);
	assert_true(heap.complete);
	assert_int_equal(heap.heap_bytes, 4 * 8192);
	assert_int_equal(heap.stack_bytes, 12 * 8192);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP + 4 * 8192 - 1), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP + 4 * 8192), PM_OWNER_GO_STACKS);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP + 8 * 8192), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP + 12 * 8192), PM_OWNER_GO_STACKS);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP + 20 * 8192), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP + (64 << 20) - 1), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_META), PM_OWNER_UNKNOWN);
	fake_go_destroy(go);
}

static void metadata(void **state)
{
	(void)state;
	struct fake_go *go = fake_go_create();

	add_spans(go);
	pm_go_metadata_read(&go->context, &go->layout);
	assert_int_equal(proven_owner(go, FAKE_GO_META), PM_OWNER_GO_INTERNAL); /* allspans */
	assert_int_equal(proven_owner(go, FAKE_GO_TABLE), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_TABLE + (32 << 20) - 1), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_ARENA), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_ARENA + 0x200000 - 1), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_ARENA + 0x200000), PM_OWNER_UNKNOWN);
	assert_int_equal(proven_owner(go, FAKE_GO_CHUNKS), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_CHUNKS + 0x40000), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP), PM_OWNER_UNKNOWN);
	assert_int_equal(proven_owner(go, FAKE_GO_DATA), PM_OWNER_UNKNOWN);
	fake_go_destroy(go);
}

static void figures(void **state)
{
	(void)state;
	struct fake_go *go = fake_go_create();
	const uint64_t stats = FAKE_GO_MEMSTATS + 0x50;

	/* Parts of a sum, one of them negative */
	fake_go_put(go, stats + 8, 1000);
	fake_go_put(go, stats + 0x80 + 8, (uint64_t)-300);
	fake_go_put(go, stats + 0x100 + 8, 11);
	fake_go_put(go, stats + 0x18, 4096);
	fake_go_put(go, FAKE_GO_MEMSTATS + 0x400, 12);
	fake_go_put(go, FAKE_GO_MEMSTATS + 0x408, 7654321);
	fake_go_put(go, FAKE_GO_CONTROLLER + 8, UINT64_C(1) << 30);
	fake_go_put(go, FAKE_GO_CONTROLLER + 0x10, 5000000);
	fake_go_put(go, FAKE_GO_CONTROLLER + 0x18, 100);
	fake_go_put(go, FAKE_GO_CONTROLLER + 0x20, 250);
	fake_go_put(go, FAKE_GO_CONTROLLER + 0x28, 600);
	/* Three run or wait, one of them with the bit of a scan; two are the runtime's own, of
	 * which one is dead and locked. */
	fake_go_add_goroutine(go, 2, false);
	fake_go_add_goroutine(go, 4, false);
	fake_go_add_goroutine(go, 0x1004, false);
	fake_go_add_goroutine(go, 4, false);
	fake_go_add_goroutine(go, 6, false);
	fake_go_add_goroutine(go, 6, true);
	fake_go_put(go, FAKE_GO_SCHED + 0x48, 2);

	pm_go_figures_read(&go->context, &go->layout);
	assert_int_equal(counter(go, "heap_in_use"), 711);
	assert_int_equal(counter(go, "stacks"), 4096);
	assert_int_equal(counter(go, "heap_idle"), 350);
	assert_int_equal(counter(go, "heap_released"), 250);
	assert_int_equal(counter(go, "heap_marked"), 600);
	assert_int_equal(counter(go, "collections"), 12);
	assert_int_equal(counter(go, "pause_time"), 7654);
	assert_int_equal(counter(go, "goroutines"), 3);
	assert_int_equal(go->result.limit_count, 1);
	assert_int_equal(go->result.limits[0].kind, PM_RUNTIME_LIMIT_GO_MEMORY);
	assert_int_equal(go->result.limits[0].max, UINT64_C(1) << 30);
	assert_int_equal(go->result.limits[0].used, 5000000);
	assert_true(go->result.limits[0].used_known);
	assert_false(go->result.limits[0].approximate);

	/* The greatest number means that there is no limit. */
	fake_go_reset(go);
	fake_go_put(go, FAKE_GO_CONTROLLER + 8, INT64_MAX);
	pm_go_figures_read(&go->context, &go->layout);
	assert_int_equal(go->result.limit_count, 0);
	fake_go_destroy(go);
}

/** Damage after which nothing may be labelled. */
static void damaged(void **state)
{
	static const struct {
		uint64_t offset, word;
	} damages[] = {
		{ 0x100, 0 },                    /* no list of spans */
		{ 0x100, 0xdead000 },            /* a list elsewhere */
		{ 0x108, UINT64_C(1) << 60 },    /* too long */
		{ 0x118, FAKE_GO_META + 0x100 }, /* a list of arenas that are none */
		{ 0x120, 0 },                    /* no arena */
		{ 0x130, FAKE_GO_META },         /* another table of arenas */
	};
	(void)state;

	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
		struct fake_go *go = fake_go_create();
		struct pm_go_heap heap;

		add_spans(go);
		fake_go_put(go, damages[i].offset, damages[i].word);
		pm_go_heap_read(&go->context, &go->layout, &heap);
		assert_false(heap.proven);
		assert_int_equal(go->result.range_count, 0);
		fake_go_destroy(go);
	}
}

/** Offsets that do not fit, as in an unknown version. */
static void wrong_offsets(void **state)
{
	(void)state;
	struct fake_go *go = fake_go_create();
	struct pm_go_heap heap;

	add_spans(go);
	go->layout.fields[PM_GO_SPAN_START] = 0x20;
	pm_go_heap_read(&go->context, &go->layout, &heap);
	assert_false(heap.proven);
	assert_int_equal(go->result.range_count, 0);

	go->layout.fields[PM_GO_SPAN_START] = PM_GO_NONE;
	pm_go_heap_read(&go->context, &go->layout, &heap);
	assert_false(heap.proven);
	fake_go_destroy(go);
}

/** Without structures: addresses only, and nothing is proven. */
static void guessed(void **state)
{
	(void)state;
	struct fake_go *go = fake_go_create();
	bool proven;

	pm_go_heap_guess(&go->context);
	pm_go_metadata_guess(&go->context);
	assert_int_equal(fake_go_owner(go, FAKE_GO_HEAP, &proven), PM_OWNER_GO_HEAP);
	assert_false(proven);
	assert_int_equal(fake_go_owner(go, FAKE_GO_META, &proven), PM_OWNER_GO_INTERNAL);
	assert_false(proven);
	/* A region of 32 MiB is too large for data of a heap of 64 MiB. */
	assert_int_equal(fake_go_owner(go, FAKE_GO_TABLE, &proven), PM_OWNER_UNKNOWN);
	assert_int_equal(fake_go_owner(go, FAKE_GO_DATA, &proven), PM_OWNER_UNKNOWN);
	fake_go_destroy(go);
}

static void named(void **state)
{
	(void)state;
	struct fake_go *go = fake_go_create();

	go->regions.items[1].mapping = "[anon: Go: heap]";
	go->regions.items[2].mapping = "[anon: Go: allspans array]";
	go->regions.items[3].mapping = "[anon: Go: heap reservation]";
	go->regions.items[4].mapping = "[anon: other]";
	pm_go_metadata_named(&go->context);
	assert_int_equal(proven_owner(go, FAKE_GO_HEAP), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_META), PM_OWNER_GO_INTERNAL);
	assert_int_equal(proven_owner(go, FAKE_GO_TABLE), PM_OWNER_GO_HEAP);
	assert_int_equal(proven_owner(go, FAKE_GO_ARENA), PM_OWNER_UNKNOWN);
	fake_go_destroy(go);
}

static void arena_addresses(void **state)
{
	(void)state;
	assert_int_equal(pm_go_arena_address(0), 0);
	assert_int_equal(pm_go_arena_address(0x3000), FAKE_GO_HEAP);
	assert_int_equal(pm_go_arena_address(0x203000), FAKE_GO_HEAP);
	assert_int_equal(pm_go_arena_address(UINT64_C(1) << 22), 0);
	assert_int_equal(pm_go_arena_address(UINT64_MAX), 0);
}

static void limits(void **state)
{
	static const struct {
		const char *text;
		uint64_t limit; /* 0: not valid, or no limit */
	} cases[] = {
		{ "1", 1 },
		{ "100B", 100 },
		{ "3KiB", 3072 },
		{ "512MiB", UINT64_C(512) << 20 },
		{ "2GiB", UINT64_C(2) << 30 },
		{ "1TiB", UINT64_C(1) << 40 },
		{ "off", 0 },
		{ "", 0 },
		{ "-1", 0 },
		{ "1MB", 0 },
		{ "1 MiB", 0 },
		{ "1MiB ", 0 },
		{ "9223372036854775807", 0 },
		{ "9999999999TiB", 0 },
		{ "99999999999999999999", 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t limit = 0;
		assert_int_equal(pm_go_figures_parse_limit(cases[i].text, &limit),
		                 cases[i].limit != 0);
		assert_int_equal(limit, cases[i].limit);
	}
}

#define MARK                  \
	"0w\xaf\f\x92t\b\x02" \
	"A\xe1\xc1\a\xe6\xd6\x18\xe6"
#define HEADER                      \
	"\xff Go buildinf:\x08\x02" \
	"\0\0\0\0\0\0\0\0"          \
	"\0\0\0\0\0\0\0\0"

static void buildinfo(void **state)
{
	static const char section[] = HEADER "\x08"
					     "go1.19.8"
					     "\x6c" MARK "path\texample.com/server/cmd\n"
					     "mod\texample.com/server\tv1.2.3\th1:abc=\n"
					     "build\tCGO_ENABLED=1\n" MARK;
	struct pm_go_buildinfo info;
	(void)state;

	assert_true(pm_go_buildinfo_parse(section, sizeof section - 1, &info));
	assert_string_equal(info.version, "go1.19.8");
	assert_string_equal(info.path, "example.com/server/cmd");
	assert_string_equal(info.module, "example.com/server v1.2.3");

	/* Any part of it is read within its bounds. */
	for (size_t size = 0; size < sizeof section; size++) {
		bool valid = pm_go_buildinfo_parse(section, size, &info);
		assert_int_equal(valid, size >= 32);
	}

	assert_false(
		pm_go_buildinfo_parse("\xff Go buildinF:\x08\x02                 ", 33, &info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_and_arenas),
		cmocka_unit_test(metadata),
		cmocka_unit_test(figures),
		cmocka_unit_test(damaged),
		cmocka_unit_test(wrong_offsets),
		cmocka_unit_test(guessed),
		cmocka_unit_test(named),
		cmocka_unit_test(arena_addresses),
		cmocka_unit_test(limits),
		cmocka_unit_test(buildinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
