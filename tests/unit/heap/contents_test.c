/* SPDX-License-Identifier: MIT */
/* Counts, lists and growth in running targets, compared with what the targets printed: the walk
 * over their heaps, the types and the census together. */
#include <procmem/census.h>
#include <procmem/chunk_filter.h>
#include <procmem/survivors.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/open_heap.h"
#include "support/target.h"

/** Size of a chunk minus the number of bytes that the program may use. */
enum { OVERHEAD = 8 };

static struct pm_census *count(struct open_heap *heap, unsigned keys,
                               struct pm_chunk_filter *filter)
{
	const struct pm_census_options options = {
		.keys = keys,
		.types = heap->types,
		.filter = filter,
	};
	struct pm_census *census;
	struct pm_error error;

	must(pm_census_create(&options, &census, &error), &error);
	must(pm_census_add_heap(census, heap->heap, &error), &error);
	must(pm_census_sort(census, PM_CENSUS_BY_BYTES, &error), &error);
	return census;
}

/** Finds the class of a size and a label. */
static const struct pm_census_class *find(const struct pm_census *census, uint64_t size,
                                          const char *label)
{
	for (size_t i = 0; i < pm_census_count(census); i++) {
		const struct pm_census_class *class = pm_census_get(census, i);
		if (class->size == size && strcmp(pm_chunk_type_label(class->type), label) == 0)
			return class;
	}

	fail_msg("no class of size %lu and type '%s'", (unsigned long)size, label);
	return NULL;
}

/** A fact that the target printed. */
struct fact {
	unsigned long count, size, address;
	char name[100];
};

/** Reads a fact of a target; returns false if the line is another one. */
static bool read_fact(const char *line, const char *what, struct fact *fact)
{
	char word[32];
	return sscanf(line, "%31s %lu %lu %lx %99[^\n]", word, &fact->count, &fact->size,
	              &fact->address, fact->name) == 5 &&
	       strcmp(word, what) == 0;
}

static void objects_are_counted(const char *program)
{
	struct target target;
	struct open_heap heap;
	struct fact fact;
	size_t compared = 0;

	target_start(&target, program, NULL);
	open_heap(&heap, target.pid);
	assert_true(heap.heap->complete);
	struct pm_census *census = count(&heap, PM_CENSUS_SIZE | PM_CENSUS_TYPE, NULL);

	for (size_t i = 0; i < target.count; i++) {
		if (!read_fact(target.facts[i], "class", &fact))
			continue;
		const struct pm_census_class *class = find(census, fact.size + OVERHEAD, fact.name);
		assert_int_equal(class->count, fact.count);
		assert_int_equal(class->bytes, fact.count * (fact.size + OVERHEAD));
		assert_int_equal(class->missed, 0);
		compared++;
	}
	assert_int_equal(compared, 8);

	pm_census_destroy(census);
	open_heap_close(&heap);
	target_stop(&target);
}

static void objects(void **state)
{
	(void)state;
	objects_are_counted("objects");
}

static void objects_of_a_stripped_program(void **state)
{
	(void)state;
	objects_are_counted("objects_stripped");
}

/** Without the size as a key, objects of a class are counted together: Square alone and in arrays.
 */
static void by_type_only(void **state)
{
	struct target target;
	struct open_heap heap;
	(void)state;

	target_start(&target, "objects", NULL);
	open_heap(&heap, target.pid);
	struct pm_census *census = count(&heap, PM_CENSUS_TYPE, NULL);
	assert_int_equal(find(census, 48, "Circle")->count, 300);
	assert_int_equal(find(census, 112, "Sprite")->count, 40);
	pm_census_destroy(census);
	open_heap_close(&heap);
	target_stop(&target);
}

static void contents(void **state)
{
	struct target target;
	struct open_heap heap;
	struct fact fact;
	size_t compared = 0;
	(void)state;

	target_start(&target, "contents", NULL);
	open_heap(&heap, target.pid);
	struct pm_census *census = count(&heap, PM_CENSUS_SIZE, NULL);

	for (size_t i = 0; i < target.count; i++) {
		if (!read_fact(target.facts[i], "chunks", &fact))
			continue;
		if (strcmp(fact.name, "floats") == 0)
			strcpy(fact.name, "numbers");
		if (strcmp(fact.name, "inner") == 0)
			strcpy(fact.name, "data");
		/* libc has some more chunks of the small sizes. */
		const struct pm_census_class *class = find(census, fact.size + OVERHEAD, fact.name);
		assert_in_range(class->count, fact.count, fact.count + 5);
		compared++;
	}
	assert_int_equal(compared, 9);

	const struct pm_census_class *text = find(census, 96, "text");
	assert_true(text->text_varies);
	assert_int_equal(text->text_length, strlen("session user=# state=active"));
	assert_memory_equal(text->text, "session user=# state=active", text->text_length);
	const struct pm_census_class *zeros = find(census, 208, "zeros");
	assert_in_range(zeros->zeros, 500, zeros->count);
	assert_in_range(zeros->equal, 500, zeros->count);
	const struct pm_census_class *inner = find(census, 816, "data");
	assert_memory_equal(inner->text, "inner text #", inner->text_length);
	assert_int_equal(inner->text_length, strlen("inner text #"));

	pm_census_destroy(census);
	open_heap_close(&heap);
	target_stop(&target);
}

/** The numbers of the census are those of the walk. */
static void totals(void **state)
{
	struct target target;
	struct open_heap heap;
	(void)state;

	target_start(&target, "contents", NULL);
	open_heap(&heap, target.pid);
	struct pm_census *census = count(&heap, PM_CENSUS_TEXT, NULL);
	struct pm_census_total total = pm_census_total(census);
	assert_int_equal(total.count, heap.heap->total.chunks + heap.heap->mapped_count);
	assert_int_equal(total.bytes, heap.heap->total.in_use + heap.heap->mapped);

	uint64_t sum = 0;
	for (size_t i = 0; i < pm_census_count(census); i++)
		sum += pm_census_get(census, i)->bytes;
	assert_int_equal(sum, total.bytes);
	pm_census_destroy(census);
	open_heap_close(&heap);
	target_stop(&target);
}

/** What visit_text() has seen. */
struct seen {
	size_t count;
	uint64_t last;
};

static int visit_text(void *context, const struct pm_chunk_item *item)
{
	struct seen *seen = context;
	assert_true(item->chunk.start > seen->last);
	assert_int_equal(item->chunk.size, 96);
	assert_memory_equal(item->head, "session user=", 13);
	seen->last = item->chunk.start;
	seen->count++;
	return 0;
}

static void list_by_text(void **state)
{
	struct target target;
	struct open_heap heap;
	struct pm_chunk_filter *filter;
	struct pm_error error;
	struct seen seen = { 0 };
	const struct pm_chunk_filter_options options = { .text = "user=[0-9]*5 state" };
	(void)state;

	target_start(&target, "contents", NULL);
	open_heap(&heap, target.pid);
	must(pm_chunk_filter_create(&options, &filter, &error), &error);

	/* The texts have the numbers 0, 7, 14, … 6993: 100 of them end with 5. */
	must(pm_chunk_list(heap.heap, heap.types, filter, visit_text, &seen, &error), &error);
	assert_int_equal(seen.count, 100);

	pm_chunk_filter_destroy(filter);
	open_heap_close(&heap);
	target_stop(&target);
}

/** The chunk at an address that the target printed. */
static void one_chunk(void **state)
{
	struct target target;
	struct open_heap heap;
	struct pm_chunk chunk;
	struct pm_chunk_item item;
	struct pm_error error;
	char head[PM_CHUNK_HEAD_SIZE];
	struct fact fact;
	(void)state;

	target_start(&target, "contents", NULL);
	open_heap(&heap, target.pid);
	assert_true(read_fact(target.facts[0], "chunks", &fact));
	assert_true(pm_heap_find(heap.heap, fact.address + 20, &chunk));
	assert_int_equal(chunk.start, fact.address);
	must(pm_chunk_item_read(heap.heap, heap.types, &chunk, head, &item, &error), &error);
	assert_int_equal(item.size, PM_CHUNK_HEAD_SIZE);
	assert_int_equal(item.type->content, PM_CONTENT_TEXT);
	assert_string_equal(head, "session user=6993 state=active");
	open_heap_close(&heap);
	target_stop(&target);
}

/** Leaks while other chunks are freed and allocated: only the leaks of the first interval survive.
 */
static void growth(void **state)
{
	struct target target;
	struct open_heap heap;
	struct pm_survivors *survivors;
	struct pm_survivor_class class;
	struct pm_error error;
	(void)state;

	target_start(&target, "contents", NULL);
	open_heap(&heap, target.pid);
	must(pm_survivors_open(heap.types, NULL, &survivors, &error), &error);
	must(pm_survivors_walk(survivors, heap.heap, &error), &error);
	for (unsigned i = 0; i < 2; i++) {
		target_tell(&target, "leak 5300");
		target_tell(&target, "churn 1000");
		target_tell(&target, "count");
		open_heap_again(&heap);
		must(pm_survivors_walk(survivors, heap.heap, &error), &error);
	}

	assert_true(pm_survivors_count(survivors) > 0);
	pm_survivors_get(survivors, 0, &class);
	assert_int_equal(class.chunks->count, 5300);
	assert_int_equal(class.chunks->size, 272);
	assert_int_equal(class.chunks->type->content, PM_CONTENT_TEXT);
	assert_memory_equal(class.chunks->text, "leaked record #", 15);
	assert_true(class.net_known);
	assert_int_equal(class.net_count, 10600);
	for (size_t i = 1; i < pm_survivors_count(survivors); i++) {
		pm_survivors_get(survivors, i, &class);
		assert_true(class.chunks->count <= 10);
	}

	pm_survivors_close(survivors);
	open_heap_close(&heap);
	target_stop(&target);
}

/**
 * A slow leak while three threads allocate and free without a pause, and nothing is stopped. The
 * walks are not exact, so 10 % of the leak can be missed, and a few other chunks can survive.
 */
static void growth_of_a_busy_target(void **state)
{
	enum { LEAKED = 200 };
	struct target target;
	struct open_heap heap;
	struct pm_survivors *survivors;
	struct pm_survivor_class class;
	struct pm_error error;
	char command[32];
	(void)state;

	target_start(&target, "contents", NULL);
	target_tell(&target, "busy");
	open_heap(&heap, target.pid);
	must(pm_survivors_open(heap.types, NULL, &survivors, &error), &error);
	must(pm_survivors_walk(survivors, heap.heap, &error), &error);
	snprintf(command, sizeof command, "leak %d", LEAKED);
	for (unsigned i = 0; i < 2; i++) {
		target_tell(&target, command);
		target_tell(&target, "turn");
		open_heap_again(&heap);
		must(pm_survivors_walk(survivors, heap.heap, &error), &error);
	}

	assert_true(pm_survivors_count(survivors) > 0);
	pm_survivors_get(survivors, 0, &class);
	assert_int_equal(class.chunks->size, 272);
	assert_in_range(class.chunks->count, LEAKED * 9 / 10, LEAKED * 11 / 10);
	assert_memory_equal(class.chunks->text, "leaked record #", 15);
	for (size_t i = 1; i < pm_survivors_count(survivors); i++) {
		pm_survivors_get(survivors, i, &class);
		if (class.chunks->count > 10)
			fail_msg("%lu chunks of %lu bytes", (unsigned long)class.chunks->count,
			         (unsigned long)class.chunks->size);
	}

	pm_survivors_close(survivors);
	open_heap_close(&heap);
	target_stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects),
		cmocka_unit_test(objects_of_a_stripped_program),
		cmocka_unit_test(by_type_only),
		cmocka_unit_test(contents),
		cmocka_unit_test(totals),
		cmocka_unit_test(list_by_text),
		cmocka_unit_test(one_chunk),
		cmocka_unit_test(growth),
		cmocka_unit_test(growth_of_a_busy_target),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
