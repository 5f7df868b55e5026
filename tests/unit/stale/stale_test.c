/* SPDX-License-Identifier: MIT */
/* What follows from the readings of smaps. The process is a saved tree, whose smaps the tests
 * rewrite between two readings. */
#include <procmem/stale.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"
#include "support/tree.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* A measurement of a process of a saved tree, whose smaps is the text `smaps`. */
struct session {
	char *root, *sys;
	struct pm_process *process;
	struct pm_stale *stale;
	char *smaps;
	size_t length;
	FILE *stream;
};

/** Starts the text of the next smaps. */
static void renew(struct session *session)
{
	free(session->smaps);
	session->stream = open_memstream(&session->smaps, &session->length);
	assert_non_null(session->stream);
}

/* The sizes of a region, in KiB. */
struct sizes {
	uint64_t rss, referenced, anonymous, swap, huge, hugetlb;
};

static void add_whole(struct session *session, uint64_t start, uint64_t end, const char *name,
                      struct sizes sizes)
{
	fprintf(session->stream, "%" PRIx64 "-%" PRIx64 " rw-p 00000000 00:00 0 %s\n", start, end,
	        name);
	fprintf(session->stream, "Rss: %" PRIu64 " kB\nReferenced: %" PRIu64 " kB\n", sizes.rss,
	        sizes.referenced);
	fprintf(session->stream, "Anonymous: %" PRIu64 " kB\nAnonHugePages: %" PRIu64 " kB\n",
	        sizes.anonymous, sizes.huge);
	fprintf(session->stream, "Private_Hugetlb: %" PRIu64 " kB\nSwap: %" PRIu64 " kB\n",
	        sizes.hugetlb, sizes.swap);
	fprintf(session->stream, "VmFlags: rd wr mr mw me ac\n");
}

/** Adds a region of anonymous memory. */
static void add(struct session *session, uint64_t start, uint64_t end, const char *name,
                uint64_t rss, uint64_t referenced)
{
	add_whole(session, start, end, name,
	          (struct sizes){ .rss = rss, .referenced = referenced, .anonymous = rss });
}

/** Writes the text as the smaps of the process. */
static void publish(struct session *session)
{
	assert_int_equal(fclose(session->stream), 0);
	session->stream = NULL;
	tree_write(session->root, "proc/12/smaps", "%s", session->smaps);
}

static void session_begin(struct session *session)
{
	*session = (struct session){ .root = tree_create() };
	tree_add_process(session->root, 12, "server", "VmRSS:\t1024 kB\n");
	tree_write(session->root, "proc/12/maps", "10000-20000 rw-p 00000000 00:00 0 [heap]\n");
	tree_write(session->root, "proc/12/task/12/comm", "server\n");
	tree_write(session->root, "proc/12/task/12/stat", "12 (server) S 1 1 1 0 -1 0\n");
	tree_write(session->root, "proc/12/clear_refs", "%s", "");
	renew(session);
}

/** Opens the process, with the smaps that was added, and removes the marks. */
static void session_clear(struct session *session)
{
	struct pm_error error = { 0 };

	publish(session);
	session->process = tree_open_process(session->root, 12, &session->sys);
	must(pm_stale_open(session->process, &session->stale, &error), &error);
	must(pm_stale_clear(session->stale, &error), &error);
	renew(session);
}

static void session_read(struct session *session)
{
	struct pm_error error = { 0 };

	publish(session);
	must(pm_stale_read(session->stale, &error), &error);
	renew(session);
}

static struct pm_stale_result session_finish(struct session *session)
{
	struct pm_stale_result result;
	struct pm_error error = { 0 };

	must(pm_stale_finish(session->stale, &result, &error), &error);
	return result;
}

static void session_end(struct session *session)
{
	if (session->stream)
		fclose(session->stream);
	free(session->smaps);
	pm_stale_close(session->stale);
	pm_process_close(session->process);
	free(session->sys);
	tree_remove(session->root);
}

static void the_marks_are_removed_once(void **state)
{
	(void)state;
	struct session session;
	session_begin(&session);
	add(&session, 0x10000, 0x20000, "[heap]", 64, 64);
	session_clear(&session);
	add(&session, 0x10000, 0x20000, "[heap]", 64, 8);
	session_read(&session);

	char path[4096], text[16] = "";
	snprintf(path, sizeof path, "%s/proc/12/clear_refs", session.root);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof text - 1, file), 2);
	fclose(file);
	assert_string_equal(text, "1\n");
	session_end(&session);
}

static void cold_is_resident_and_not_referenced(void **state)
{
	(void)state;
	struct session session;
	session_begin(&session);
	add(&session, 0x100000, 0x200000, "[heap]", 1000, 1000);
	add(&session, 0x300000, 0x400000, "", 800, 800);
	session_clear(&session);
	add(&session, 0x100000, 0x200000, "[heap]", 1000, 40);
	add(&session, 0x300000, 0x400000, "", 800, 0);
	session_read(&session);
	add(&session, 0x100000, 0x200000, "[heap]", 1000, 100);
	add_whole(&session, 0x300000, 0x400000, "",
	          (struct sizes){ .rss = 700,
	                          .referenced = 20,
	                          .anonymous = 700,
	                          .swap = 100,
	                          .huge = 512,
	                          .hugetlb = 2048 });
	session_read(&session);

	struct pm_stale_result result = session_finish(&session);
	assert_int_equal(result.count, 2);
	assert_int_equal(result.reading_count, 3);
	assert_int_equal(result.readings[1].referenced, 40 * KIB);
	assert_int_equal(result.readings[2].referenced, 120 * KIB);
	assert_int_equal(result.readings[2].rss, 1700 * KIB);

	const struct pm_stale_region *heap = &result.regions[0], *anon = &result.regions[1];
	assert_int_equal(heap->region.kind, PM_KIND_HEAP);
	assert_int_equal(heap->sizes.cold, 900 * KIB);
	assert_true(heap->referenced_known);
	assert_int_equal(heap->referenced[0], 1000 * KIB);
	assert_int_equal(heap->referenced[1], 40 * KIB);
	assert_int_equal(heap->referenced[2], 100 * KIB);
	assert_int_equal(anon->sizes.cold, 680 * KIB);
	assert_int_equal(anon->sizes.swap, 100 * KIB);
	assert_int_equal(anon->sizes.huge, 512 * KIB);
	assert_int_equal(anon->sizes.grown, 0);

	assert_int_equal(result.total.cold, 1580 * KIB);
	assert_int_equal(result.total.swap, 100 * KIB);
	assert_int_equal(result.kinds[PM_KIND_HEAP].cold, 900 * KIB);
	assert_int_equal(result.kinds[PM_KIND_ANON].cold, 680 * KIB);
	assert_int_equal(result.hugetlb, 2 * MIB);
	session_end(&session);
}

/** Measures a heap whose RSS and touched bytes are given, in KiB, at three readings. */
static struct pm_stale_sizes measure_heap(const uint64_t rss[3], const uint64_t touched[3])
{
	struct session session;
	session_begin(&session);
	add(&session, 0x1000000, 0x1000000 + rss[0] * KIB, "[heap]", rss[0], touched[0]);
	session_clear(&session);
	for (int i = 1; i < 3; i++) {
		add(&session, 0x1000000, 0x1000000 + rss[i] * KIB, "[heap]", rss[i], touched[i]);
		session_read(&session);
	}

	struct pm_stale_result result = session_finish(&session);
	struct pm_stale_sizes sizes = result.regions[0].sizes;
	assert_int_equal(result.kinds[PM_KIND_HEAP].growth, sizes.growth);
	assert_int_equal(result.kinds[PM_KIND_HEAP].grown, sizes.grown);
	session_end(&session);
	return sizes;
}

static void growth_is_joined_with_the_older_part(void **state)
{
	(void)state;
	/* All that was touched is what has appeared. */
	struct pm_stale_sizes sizes = measure_heap((uint64_t[]){ 1000, 1100, 1300 },
	                                           (uint64_t[]){ 0, 100, 300 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_UNTOUCHED);
	assert_int_equal(sizes.before, 1000 * KIB);
	assert_int_equal(sizes.cold, 1000 * KIB);
	assert_int_equal(sizes.grown, 300 * KIB);

	/* More than half of the older part was touched. */
	sizes = measure_heap((uint64_t[]){ 1000, 1100, 1300 }, (uint64_t[]){ 0, 400, 804 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_TOUCHED);
	sizes = measure_heap((uint64_t[]){ 1000, 1100, 1300 }, (uint64_t[]){ 0, 400, 800 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_UNTOUCHED);

	/* Marks were removed: it is not known what was touched. */
	sizes = measure_heap((uint64_t[]){ 1000, 1100, 1300 }, (uint64_t[]){ 0, 700, 400 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_UNKNOWN);

	/* One step; growth that falls back; too little; and memory that shrinks. */
	sizes = measure_heap((uint64_t[]){ 1000, 1000, 1300 }, (uint64_t[]){ 0, 0, 300 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_NONE);
	sizes = measure_heap((uint64_t[]){ 1000, 1500, 1300 }, (uint64_t[]){ 0, 500, 500 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_NONE);
	sizes = measure_heap((uint64_t[]){ 1000, 1028, 1060 }, (uint64_t[]){ 0, 28, 60 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_NONE);
	sizes = measure_heap((uint64_t[]){ 1000, 900, 800 }, (uint64_t[]){ 0, 0, 0 });
	assert_int_equal(sizes.growth, PM_STALE_GROWTH_NONE);
	assert_true(sizes.before_known);
	assert_int_equal(sizes.grown, -200 * (int64_t)KIB);
}

/** A leak of blocks that malloc maps one by one: no region grows, but their kind does. */
static void a_kind_can_grow_by_new_regions(void **state)
{
	(void)state;
	struct session session;
	session_begin(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 0);
	add(&session, 0x2000000, 0x2100000, "", 1024, 0);
	session_clear(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 0);
	add(&session, 0x2000000, 0x2100000, "", 1024, 0);
	add(&session, 0x3000000, 0x3100000, "", 1024, 1024);
	session_read(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 0);
	add(&session, 0x2000000, 0x2100000, "", 1024, 0);
	add(&session, 0x3000000, 0x3100000, "", 1024, 1024);
	add(&session, 0x4000000, 0x4100000, "", 1024, 1024);
	session_read(&session);

	struct pm_stale_result result = session_finish(&session);
	const struct pm_stale_sizes *anon = &result.kinds[PM_KIND_ANON];
	assert_int_equal(anon->growth, PM_STALE_GROWTH_UNTOUCHED);
	assert_int_equal(anon->before, 2 * MIB);
	assert_int_equal(anon->cold, 2 * MIB);
	assert_int_equal(anon->grown, 2 * MIB);
	for (size_t i = 0; i < result.count; i++)
		assert_int_not_equal(result.regions[i].sizes.growth, PM_STALE_GROWTH_UNTOUCHED);

	/* A region that did not exist at the start has grown from nothing. */
	assert_int_equal(result.regions[3].sizes.before, 0);
	assert_int_equal(result.regions[3].sizes.grown, MIB);
	assert_int_equal(result.regions[3].referenced[1], 0);
	session_end(&session);
}

static void former_regions_are_attributed_by_address(void **state)
{
	(void)state;
	struct session session;
	session_begin(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 0); /* is merged with the next one */
	add(&session, 0x1100000, 0x1200000, "", 512, 0);
	add(&session, 0x2000000, 0x2200000, "", 2048, 0); /* is split */
	add(&session, 0x3000000, 0x3100000, "", 1024, 0); /* disappears */
	add(&session, 0x4000000, 0x4100000, "", 0, 0);    /* is split, but has no memory */
	session_clear(&session);
	add(&session, 0x1000000, 0x1200000, "", 1536, 256);
	add(&session, 0x2000000, 0x2100000, "", 1024, 0);
	add(&session, 0x2100000, 0x2200000, "x", 1024, 0);
	add(&session, 0x4000000, 0x4080000, "", 256, 256);
	add(&session, 0x4080000, 0x4100000, "x", 0, 0);
	session_read(&session);

	struct pm_stale_result result = session_finish(&session);
	assert_int_equal(result.count, 5);
	assert_true(result.regions[0].sizes.before_known);
	assert_int_equal(result.regions[0].sizes.before, 1536 * KIB);
	assert_int_equal(result.regions[0].sizes.cold, 1280 * KIB);
	assert_false(result.regions[1].sizes.before_known);
	assert_false(result.regions[2].sizes.before_known);
	assert_false(result.regions[2].referenced_known);
	assert_int_equal(result.regions[1].sizes.growth, PM_STALE_GROWTH_UNKNOWN);
	assert_int_equal(result.regions[1].sizes.cold, MIB);
	assert_true(result.regions[3].sizes.before_known);
	assert_int_equal(result.regions[3].sizes.grown, 256 * KIB);
	assert_int_equal(result.regions[4].sizes.before, 0);
	/* What has disappeared counts in the sums. */
	assert_int_equal(result.total.before, (1024 + 512 + 2048 + 1024) * KIB);
	assert_int_equal(result.total.rss, (1536 + 2048 + 256) * KIB);
	session_end(&session);
}

static void removed_marks_are_detected_in_anonymous_memory(void **state)
{
	(void)state;
	struct session session;
	session_begin(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 0);
	add_whole(&session, 0x2000000, 0x2100000, "/srv/data", (struct sizes){ .rss = 1024 });
	add(&session, 0x3000000, 0x3100000, "", 1024, 0);
	session_clear(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 800);
	add_whole(&session, 0x2000000, 0x2100000, "/srv/data",
	          (struct sizes){ .rss = 1024, .referenced = 800 });
	add(&session, 0x3000000, 0x3100000, "", 1024, 800);
	session_read(&session);
	add(&session, 0x1000000, 0x1100000, "", 1024, 300);
	add_whole(&session, 0x2000000, 0x2100000, "/srv/data",
	          (struct sizes){ .rss = 1024, .referenced = 300 });
	/* The touched pages were released: no mark was removed. */
	add(&session, 0x3000000, 0x3100000, "", 224, 0);
	session_read(&session);

	struct pm_stale_result result = session_finish(&session);
	assert_int_equal(result.lost, 500 * KIB);
	assert_int_equal(result.total.shared, MIB);
	session_end(&session);
}

/** More cold memory than there was at the start: read(2) has removed marks of the new pages. */
static void growth_of_files_that_are_read_is_not_judged(void **state)
{
	(void)state;
	struct session session;

	session_begin(&session);
	add_whole(&session, 0x2000000, 0x2400000, "/dev/shm/data", (struct sizes){ .rss = 1024 });
	session_clear(&session);
	for (uint64_t rss = 2048; rss <= 3072; rss += 1024) {
		add_whole(&session, 0x2000000, 0x2400000, "/dev/shm/data",
		          (struct sizes){ .rss = rss });
		session_read(&session);
	}

	struct pm_stale_result result = session_finish(&session);
	assert_int_equal(result.regions[0].sizes.grown, 2 * MIB);
	assert_int_equal(result.regions[0].sizes.growth, PM_STALE_GROWTH_UNKNOWN);
	assert_int_equal(result.total.growth, PM_STALE_GROWTH_UNKNOWN);
	session_end(&session);
}

static void the_stall_is_predicted(void **state)
{
	(void)state;
	struct session session;
	struct pm_error error = { 0 };
	session_begin(&session);
	add_whole(&session, 0x100000000, 0x200000000, "",
	          (struct sizes){
			  .rss = 3 * GIB / KIB, .anonymous = 3 * GIB / KIB, .huge = GIB / KIB });
	add(&session, 0x200000000, 0x200001000, "x", 0, 0);
	publish(&session);
	session.process = tree_open_process(session.root, 12, &session.sys);
	must(pm_stale_open(session.process, &session.stale, &error), &error);

	struct pm_stale_prediction prediction = pm_stale_predict(session.stale);
	assert_int_equal(prediction.rss, 3 * GIB);
	assert_int_equal(prediction.huge, GIB);
	assert_int_equal(prediction.regions, 2);
	assert_int_equal(prediction.stall_us, 2 * 12000 + 200 + 2);
	session_end(&session);
}

static void a_kernel_without_clear_refs_is_named(void **state)
{
	(void)state;
	struct session session;
	struct pm_stale_reading reading;
	struct pm_stale_result result;
	struct pm_error error = { 0 };
	char path[4096];

	session_begin(&session);
	add(&session, 0x10000, 0x20000, "[heap]", 64, 64);
	snprintf(path, sizeof path, "%s/proc/12/clear_refs", session.root);
	assert_int_equal(unlink(path), 0);
	publish(&session);
	session.process = tree_open_process(session.root, 12, &session.sys);
	must(pm_stale_open(session.process, &session.stale, &error), &error);

	assert_int_equal(pm_stale_clear(session.stale, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.text, "CONFIG_PROC_PAGE_MONITOR"));
	assert_false(pm_stale_last(session.stale, &reading));
	assert_int_equal(pm_stale_finish(session.stale, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	session_end(&session);
}

/** After the process has ended, the readings until then remain. */
static void a_process_can_end(void **state)
{
	(void)state;
	struct session session;
	struct pm_error error = { 0 };

	session_begin(&session);
	add(&session, 0x10000, 0x20000, "[heap]", 64, 64);
	session_clear(&session);
	add(&session, 0x10000, 0x20000, "[heap]", 64, 16);
	session_read(&session);

	tree_write(session.root, "proc/12/maps", "%s", "");
	assert_int_equal(pm_stale_read(session.stale, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);

	struct pm_stale_result result = session_finish(&session);
	assert_int_equal(result.reading_count, 2);
	assert_int_equal(result.total.cold, 48 * KIB);
	assert_int_equal(result.total.growth, PM_STALE_GROWTH_UNKNOWN);
	session_end(&session);
}

static void the_number_of_readings_is_limited(void **state)
{
	(void)state;
	struct session session;
	struct pm_error error = { 0 };

	session_begin(&session);
	add(&session, 0x10000, 0x20000, "[heap]", 64, 64);
	session_clear(&session);
	for (int i = 1; i < PM_STALE_READINGS_MAX; i++) {
		add(&session, 0x10000, 0x20000, "[heap]", 64, 16);
		session_read(&session);
	}

	assert_int_equal(pm_stale_read(session.stale, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_int_equal(session_finish(&session).reading_count, PM_STALE_READINGS_MAX);
	session_end(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_marks_are_removed_once),
		cmocka_unit_test(cold_is_resident_and_not_referenced),
		cmocka_unit_test(growth_is_joined_with_the_older_part),
		cmocka_unit_test(a_kind_can_grow_by_new_regions),
		cmocka_unit_test(former_regions_are_attributed_by_address),
		cmocka_unit_test(removed_marks_are_detected_in_anonymous_memory),
		cmocka_unit_test(growth_of_files_that_are_read_is_not_judged),
		cmocka_unit_test(the_stall_is_predicted),
		cmocka_unit_test(a_kernel_without_clear_refs_is_named),
		cmocka_unit_test(a_process_can_end),
		cmocka_unit_test(the_number_of_readings_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
