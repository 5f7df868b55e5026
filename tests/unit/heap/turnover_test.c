/* SPDX-License-Identifier: MIT */
/* Compares pm_heap_turnover() with a search of each chunk, in random heaps that change. */
#include "heap/turnover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap/lookup.h"

enum { HEADER = 16, OVERLAP = 8, BASE = 0x100000, UNITS = 4000, CHUNKS_MAX = UNITS, ROUNDS = 300 };

/** A chunk of the model. */
struct item {
	uint64_t address;
	uint64_t size;
	unsigned state; /* enum pm_chunk_state or PM_CHUNK_GAP */
};

/** A heap of the model: chunks without space between them. */
struct model {
	struct item items[CHUNKS_MAX];
	size_t count;
	size_t split; /* the first chunk of a second segment; 0: there is one segment */
};

static uint64_t random_state;

/** Returns a pseudo-random number (xorshift). */
static uint64_t roll(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static unsigned random_chunk_state(void)
{
	static const unsigned states[] = { PM_CHUNK_IN_USE, PM_CHUNK_IN_USE, PM_CHUNK_IN_USE,
		                           PM_CHUNK_CACHED, PM_CHUNK_FREE,   PM_CHUNK_GAP };
	return states[roll(6)];
}

/** Fills the space up to an end with chunks of any size. */
static void fill(struct model *model, uint64_t address, uint64_t end, unsigned largest)
{
	while (end - address >= PM_HEAP_CHUNK_MIN) {
		uint64_t size = PM_HEAP_CHUNK_MIN + roll(largest) * PM_HEAP_UNIT;

		if (size > end - address || end - address - size < PM_HEAP_CHUNK_MIN)
			size = end - address;
		assert_true(model->count < CHUNKS_MAX);
		model->items[model->count++] = (struct item){ address, size, random_chunk_state() };
		address += size;
	}
}

/** Makes a heap that differs from another one in some places, at its start and at its end. */
static void change(const struct model *from, struct model *to)
{
	uint64_t changes = roll(4);

	to->count = 0;
	for (size_t i = 0; i < from->count; i++) {
		const struct item *item = &from->items[i];

		if (roll(100) < changes)
			fill(to, item->address, item->address + item->size, 4);
		else
			to->items[to->count++] = *item;
		if (roll(200) < changes)
			to->items[to->count - 1].state = random_chunk_state();
	}

	const struct item *last = &to->items[to->count - 1];
	if (roll(2) && to->count + 200 < CHUNKS_MAX)
		fill(to, last->address + last->size, last->address + last->size + 2048, 8);
	to->split = roll(2) ? roll(to->count) : 0;
	if (roll(4) == 0) {
		size_t cut = roll(to->count / 2);

		memmove(to->items, to->items + cut, (to->count - cut) * sizeof *to->items);
		to->count -= cut;
		to->split = 0;
	}
}

static void add_segment(struct pm_heap_index *index, const struct model *model, size_t first,
                        size_t end)
{
	const struct item *last = &model->items[end - 1];

	assert_non_null(pm_heap_index_add_segment(index, model->items[first].address,
	                                          last->address + last->size, 0, NULL));
	for (size_t i = first; i < end; i++)
		if (model->items[i].state != PM_CHUNK_GAP)
			pm_heap_index_add(index, model->items[i].address, model->items[i].size,
			                  model->items[i].state);
}

static struct pm_heap_index build(const struct model *model)
{
	struct pm_heap_index index = { .header = HEADER, .overlap = OVERLAP };

	if (model->split > 0)
		add_segment(&index, model, 0, model->split);
	add_segment(&index, model, model->split, model->count);
	assert_int_equal(pm_heap_index_finish(&index, NULL), 0);
	return index;
}

/** The chunks that were visited. */
struct visited {
	uint64_t addresses[CHUNKS_MAX];
	size_t count;
};

static int visit(void *context, const struct pm_chunk *chunk)
{
	struct visited *visited = context;

	assert_true(visited->count < CHUNKS_MAX);
	visited->addresses[visited->count++] = chunk->address;
	return 0;
}

static bool has(const struct model *model, const struct item *wanted)
{
	for (size_t i = 0; i < model->count; i++)
		if (model->items[i].address == wanted->address)
			return model->items[i].size == wanted->size &&
			       model->items[i].state == PM_CHUNK_IN_USE;
	return false;
}

/** Checks the turnover of one direction. Returns the number of differences. */
static size_t check(const struct model *model, const struct pm_heap_index *index,
                    const struct model *other_model, const struct pm_heap_index *other)
{
	static struct visited visited;
	size_t at = 0;

	visited.count = 0;
	assert_int_equal(pm_heap_turnover(index, other, visit, &visited), 0);
	for (size_t i = 0; i < model->count; i++) {
		const struct item *item = &model->items[i];

		if (item->state != PM_CHUNK_IN_USE || has(other_model, item))
			continue;
		assert_true(at < visited.count);
		assert_int_equal(visited.addresses[at++], item->address);
	}
	assert_int_equal(at, visited.count);
	return at;
}

static void random_heaps(void **state)
{
	static struct model before, after;
	size_t differences = 0;
	(void)state;

	random_state = 20;
	for (int i = 0; i < ROUNDS; i++) {
		before.count = before.split = 0;
		fill(&before, BASE + roll(64) * PM_HEAP_UNIT, BASE + UNITS / 4 * PM_HEAP_UNIT,
		     i % 3 == 0 ? 300 : 8);
		before.split = roll(2) ? roll(before.count) : 0;
		change(&before, &after);

		struct pm_heap_index old = build(&before), new = build(&after);
		differences += check(&before, &old, &after, &new);
		differences += check(&after, &new, &before, &old);
		pm_heap_index_deinit(&old);
		pm_heap_index_deinit(&new);
	}
	assert_true(differences > ROUNDS);
}

/** Slabs of jemalloc: chunks of one size, with a bitmap of those that are free. */
static void uniform_segments(void **state)
{
	enum { STEP = 48, COUNT = 100 };
	uint64_t free_before[2] = { 0xff00, 1 }, free_after[2] = { 0xfe00, 3 };
	struct pm_heap_index old = { 0 }, new = { 0 };
	static struct visited visited;
	(void)state;

	assert_int_equal(pm_heap_index_add_uniform(&old, BASE, STEP, COUNT, free_before, 0, NULL),
	                 0);
	assert_int_equal(pm_heap_index_add_uniform(&new, BASE, STEP, COUNT, free_after, 0, NULL),
	                 0);
	assert_int_equal(pm_heap_index_add_uniform(&new, BASE + 65536, STEP, 2, NULL, 0, NULL), 0);
	assert_int_equal(pm_heap_index_finish(&old, NULL), 0);
	assert_int_equal(pm_heap_index_finish(&new, NULL), 0);

	visited.count = 0;
	assert_int_equal(pm_heap_turnover(&new, &old, visit, &visited), 0);
	assert_int_equal(visited.count, 3);
	assert_int_equal(visited.addresses[0], BASE + 8 * STEP);
	assert_int_equal(visited.addresses[1], BASE + 65536);
	assert_int_equal(visited.addresses[2], BASE + 65536 + STEP);

	visited.count = 0;
	assert_int_equal(pm_heap_turnover(&old, &new, visit, &visited), 0);
	assert_int_equal(visited.count, 1);
	assert_int_equal(visited.addresses[0], BASE + 65 * STEP);
	pm_heap_index_deinit(&old);
	pm_heap_index_deinit(&new);
}

static void empty_heaps(void **state)
{
	struct pm_heap_index none = { 0 }, one = { 0 };
	static struct visited visited;
	(void)state;

	assert_int_equal(pm_heap_index_add_uniform(&one, BASE, 64, 2, NULL, 0, NULL), 0);
	assert_int_equal(pm_heap_index_finish(&one, NULL), 0);
	assert_int_equal(pm_heap_index_finish(&none, NULL), 0);
	visited.count = 0;
	assert_int_equal(pm_heap_turnover(&none, &one, visit, &visited), 0);
	assert_int_equal(visited.count, 0);
	assert_int_equal(pm_heap_turnover(&one, &none, visit, &visited), 0);
	assert_int_equal(visited.count, 2);
	pm_heap_index_deinit(&none);
	pm_heap_index_deinit(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_heaps),
		cmocka_unit_test(uniform_segments),
		cmocka_unit_test(empty_heaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
