/* SPDX-License-Identifier: MIT */
/* The processes of a family over time: of which parts the growth of their sum consists. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "watch/family/members.h"

#define MIB (UINT64_C(1) << 20)

/** The maximum number of processes of a fake family. */
enum { FAKES_MAX = 64 };

/** A fake family, and what is known about it. */
struct fixture {
	struct pm_family_member items[FAKES_MAX];
	size_t count;
	uint64_t next_id;
	struct family_members members;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .next_id = 1 };
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	family_members_deinit(&fixture->members);
	return 0;
}

/** Adds a process, and returns its number. */
static uint64_t start(struct fixture *fixture, uint64_t mib)
{
	assert_true(fixture->count < FAKES_MAX);

	uint64_t id = fixture->next_id++;
	fixture->items[fixture->count++] = (struct pm_family_member){
		.id = id, .pid = 1000 + (pid_t)id, .comm = "fake", .threads = 1, .rss = mib * MIB
	};
	return id;
}

static struct pm_family_member *get(struct fixture *fixture, uint64_t id)
{
	for (size_t i = 0; i < fixture->count; i++)
		if (fixture->items[i].id == id)
			return &fixture->items[i];

	fail();
	return NULL;
}

/** Takes a sample. The family lists processes that have ended only once. */
static const struct family_sum *sample(struct fixture *fixture)
{
	const struct pm_family_view view = { .items = fixture->items, .count = fixture->count };
	struct pm_error error;
	assert_int_equal(family_members_add(&fixture->members, &view, &error), 0);

	size_t kept = 0;
	for (size_t i = 0; i < fixture->count; i++)
		if (fixture->items[i].state == PM_FAMILY_ALIVE ||
		    fixture->items[i].state == PM_FAMILY_UNREADABLE)
			fixture->items[kept++] = fixture->items[i];
	fixture->count = kept;

	/* The parts are all of the growth. */
	const struct family_sum *sum = &fixture->members.sum;
	assert_int_equal((int64_t)(sum->memory - sum->first), sum->staying + (int64_t)sum->arrived +
	                                                              sum->exec_growth -
	                                                              (int64_t)sum->released);
	return sum;
}

static void growth_is_split_into_parts(void **state)
{
	struct fixture *fixture = *state;
	uint64_t stays = start(fixture, 10), ends = start(fixture, 20);
	const struct family_sum *sum = sample(fixture);
	assert_int_equal(sum->memory, 30 * MIB);

	/* One grows, one starts. */
	get(fixture, stays)->rss = 13 * MIB;
	uint64_t late = start(fixture, 5);
	sum = sample(fixture);
	assert_int_equal(sum->staying, 3 * MIB);
	assert_int_equal(sum->arrived, 5 * MIB);
	assert_int_equal(sum->arrived_count, 1);
	assert_int_equal(sum->released, 0);
	assert_int_equal(sum->change, 3 * MIB);

	/* The new one grows; another one shrinks, and ends. Only what it had at the start is
	 * released. */
	get(fixture, late)->rss = 7 * MIB;
	get(fixture, ends)->rss = 18 * MIB;
	sample(fixture);
	get(fixture, ends)->state = PM_FAMILY_ENDED;
	sum = sample(fixture);
	assert_int_equal(sum->staying, 3 * MIB);
	assert_int_equal(sum->arrived, 7 * MIB);
	assert_int_equal(sum->released, 20 * MIB);
	assert_int_equal(sum->released_count, 1);
	assert_int_equal(sum->change, 3 * (int64_t)MIB);

	/* A process that was not there at the start releases nothing of what was. */
	get(fixture, late)->state = PM_FAMILY_ENDED;
	sum = sample(fixture);
	assert_int_equal(sum->arrived, 0);
	assert_int_equal(sum->released, 20 * MIB);
	assert_int_equal(sum->released_count, 1);
	assert_int_equal(fixture->members.ended, 2);
	assert_int_equal(fixture->members.alive, 1);
}

static void exec_starts_again(void **state)
{
	struct fixture *fixture = *state;
	uint64_t id = start(fixture, 40);
	sample(fixture);
	get(fixture, id)->rss = 50 * MIB;
	sample(fixture);

	get(fixture, id)->execs = 1;
	get(fixture, id)->rss = 2 * MIB;
	const struct family_sum *sum = sample(fixture);
	const struct family_member *member = family_members_find(&fixture->members, id);
	assert_int_equal(family_members_growth(member), 0);
	assert_true(member->born);
	assert_true(member->replaced);
	assert_int_equal(sum->staying, 0);
	assert_int_equal(sum->exec_growth, -38 * (int64_t)MIB);
	assert_int_equal(sum->exec_count, 1);
	assert_int_equal(sum->change, 10 * MIB);

	/* It has neither started nor ended. */
	assert_int_equal(sum->arrived_count, 0);
	assert_int_equal(sum->released_count, 0);
	assert_int_equal(fixture->members.ended, 0);

	/* Its growth is that of the new program. A second exec releases nothing of the start. */
	get(fixture, id)->rss = 5 * MIB;
	sum = sample(fixture);
	assert_int_equal(family_members_growth(family_members_find(&fixture->members, id)),
	                 3 * MIB);
	get(fixture, id)->execs = 2;
	get(fixture, id)->rss = 6 * MIB;
	sum = sample(fixture);
	assert_int_equal(sum->exec_growth, -34 * (int64_t)MIB);
	assert_int_equal(sum->exec_count, 1);

	/* When it ends, it releases what it had at the start. */
	get(fixture, id)->state = PM_FAMILY_ENDED;
	sum = sample(fixture);
	assert_int_equal(sum->exec_count, 0);
	assert_int_equal(sum->released, 40 * MIB);
	assert_int_equal(sum->released_count, 1);
}

/** The exec of a process that appeared later is not a part of its own. */
static void exec_of_a_new_process(void **state)
{
	struct fixture *fixture = *state;
	start(fixture, 10);
	sample(fixture);
	uint64_t late = start(fixture, 5);
	sample(fixture);
	get(fixture, late)->execs = 1;
	get(fixture, late)->rss = 7 * MIB;

	const struct family_sum *sum = sample(fixture);
	assert_int_equal(sum->arrived, 7 * MIB);
	assert_int_equal(sum->arrived_count, 1);
	assert_int_equal(sum->exec_count, 0);
	get(fixture, late)->state = PM_FAMILY_ENDED;
	assert_int_equal(sample(fixture)->released_count, 0);
}

static void growth_counts_from_the_baseline(void **state)
{
	struct fixture *fixture = *state;
	uint64_t id = start(fixture, 10), ends = start(fixture, 20);
	sample(fixture);
	get(fixture, ends)->state = PM_FAMILY_ENDED;
	uint64_t late = start(fixture, 5);
	sample(fixture);

	family_members_rebase(&fixture->members);
	const struct family_sum *sum = sample(fixture);
	assert_int_equal(sum->first, 15 * MIB);
	assert_int_equal(sum->released, 0);
	assert_int_equal(sum->arrived_count, 0);

	get(fixture, id)->rss = 11 * MIB;
	get(fixture, late)->rss = 9 * MIB;
	sum = sample(fixture);
	assert_int_equal(sum->staying, 5 * MIB);
	get(fixture, late)->state = PM_FAMILY_ENDED;
	sum = sample(fixture);
	assert_int_equal(sum->released, 5 * MIB);
	assert_int_equal(sum->staying, MIB);
}

static void an_unreadable_process_is_not_in_the_sum(void **state)
{
	struct fixture *fixture = *state;
	uint64_t id = start(fixture, 10), never = start(fixture, 0);
	get(fixture, never)->state = PM_FAMILY_UNREADABLE;
	get(fixture, never)->reason = "it belongs to another \033user";
	const struct family_sum *sum = sample(fixture);
	assert_int_equal(sum->memory, 10 * MIB);
	assert_int_equal(fixture->members.unreadable, 1);

	const struct family_member *member = family_members_find(&fixture->members, never);
	assert_false(member->measured);
	assert_non_null(memmem(member->note.bytes, member->note.length, "another", 7));
	assert_null(memchr(member->note.bytes, '\033', member->note.length));

	/* It becomes readable: what it had at the start is not known, so it counts as new. */
	get(fixture, never)->state = PM_FAMILY_ALIVE;
	get(fixture, never)->rss = 4 * MIB;
	get(fixture, id)->rss = 12 * MIB;
	sum = sample(fixture);
	member = family_members_find(&fixture->members, never);
	assert_true(member->measured);
	assert_int_equal(family_members_growth(member), 0);
	assert_int_equal(member->note.length, 0);
	assert_int_equal(sum->arrived, 4 * MIB);
	assert_int_equal(sum->change, 2 * MIB);

	/* The other one cannot be read any more: it is not in the sum. */
	get(fixture, id)->state = PM_FAMILY_UNREADABLE;
	sum = sample(fixture);
	assert_int_equal(sum->memory, 4 * MIB);
	assert_int_equal(sum->released, 10 * MIB);
	assert_int_equal(sum->change, 2 * MIB);
}

/** Of many replaced workers, those that ended last keep a row. The others are counted. */
static void ended_processes_are_bounded(void **state)
{
	struct fixture *fixture = *state;
	enum { CYCLES = 3 * FAMILY_ENDED_MAX };
	uint64_t master = start(fixture, 10), worker = start(fixture, 20);
	sample(fixture);

	for (int i = 0; i < CYCLES; i++) {
		get(fixture, worker)->state = PM_FAMILY_ENDED;
		worker = start(fixture, 20);
		sample(fixture);
	}

	const struct family_members *members = &fixture->members;
	assert_int_equal(members->ended, CYCLES);
	assert_int_equal(members->dropped, CYCLES - FAMILY_ENDED_MAX);
	assert_int_equal(members->count, 2 + FAMILY_ENDED_MAX);
	assert_int_equal(members->alive, 2);
	assert_non_null(family_members_find(members, master));
	assert_non_null(family_members_find(members, worker));
	assert_non_null(family_members_find(members, worker - FAMILY_ENDED_MAX));
	assert_null(family_members_find(members, worker - FAMILY_ENDED_MAX - 1));

	/* The master ends last, and keeps its row although it was found first. */
	get(fixture, master)->state = PM_FAMILY_ENDED;
	sample(fixture);
	assert_non_null(family_members_find(members, master));
	assert_null(family_members_find(members, worker - FAMILY_ENDED_MAX));

	/* Only the first worker was there at the start. */
	assert_int_equal(members->sum.released, 30 * MIB);
	assert_int_equal(members->sum.arrived, 20 * MIB);
	assert_int_equal(members->sum.change, 0);
}

static void time_between_lives_is_no_time_without_growth(void **state)
{
	struct fixture *fixture = *state;
	const struct family_members *members = &fixture->members;
	const struct pm_series *within = &members->sum.within.series;

	uint64_t first = start(fixture, 10);
	sample(fixture);
	get(fixture, first)->rss += 5 * MIB;
	sample(fixture);
	assert_false(family_members_has_gap(members));
	assert_int_equal(within->count, 2);

	/* The process has ended, and the next one is new: nothing was measured twice. */
	get(fixture, first)->state = PM_FAMILY_ENDED;
	sample(fixture);
	assert_true(family_members_has_gap(members));
	double gap = members->now - members->before;
	uint64_t second = start(fixture, 8);
	sample(fixture);
	assert_true(family_members_has_gap(members));
	gap += members->now - members->before;
	assert_int_equal(within->count, 2);

	get(fixture, second)->rss += 5 * MIB;
	sample(fixture);
	assert_false(family_members_has_gap(members));
	assert_int_equal(within->count, 3);
	assert_int_equal(within->points[2].value, 20 * MIB);
	assert_true(within->points[2].time == members->now - gap);
	assert_int_equal(members->sum.total.series.count, 5);
}

static void a_process_that_stays_leaves_no_gap(void **state)
{
	struct fixture *fixture = *state;

	uint64_t worker = start(fixture, 10);
	start(fixture, 10);
	sample(fixture);
	get(fixture, worker)->state = PM_FAMILY_ENDED;
	start(fixture, 10);
	sample(fixture);
	assert_false(family_members_has_gap(&fixture->members));
	assert_true(fixture->members.gaps == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(growth_is_split_into_parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(exec_starts_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(exec_of_a_new_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_counts_from_the_baseline, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unreadable_process_is_not_in_the_sum, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(ended_processes_are_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(time_between_lives_is_no_time_without_growth,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_process_that_stays_leaves_no_gap, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
