/* SPDX-License-Identifier: MIT */
/* Reserves in simulated lists of regions, and in a mapped file of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <procmem/maps.h>
#include <procmem/reserve.h>

static const uint64_t mega = 1048576, base = 0x200000000000;

/** A simulated process. */
struct fixture {
	struct pm_reserves *reserves;
	struct pm_regions regions;
	double time;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .time = 1000 };
	pm_regions_init(&fixture.regions);
	assert_int_equal(pm_reserves_create(&fixture.reserves, NULL), 0);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	pm_reserves_destroy(fixture->reserves);
	pm_regions_deinit(&fixture->regions);
	return 0;
}

/** Adds a region with a length in MiB. */
static struct pm_region *add(struct fixture *fixture, uint64_t start, uint64_t length,
                             unsigned perms)
{
	struct pm_region region = {
		.start = start, .end = start + length * mega, .perms = (uint8_t)perms, .mapping = ""
	};

	assert_int_equal(pm_regions_append(&fixture->regions, &region, NULL), 0);
	return &fixture->regions.items[fixture->regions.count - 1];
}

static void sample(struct fixture *fixture)
{
	assert_int_equal(pm_reserves_add(fixture->reserves, fixture->time, &fixture->regions, NULL,
	                                 NULL),
	                 0);
	pm_regions_clear(&fixture->regions);
	fixture->time++;
}

/** Adds a pool of 1 GiB whose first part is accessible. */
static void add_pool(struct fixture *fixture, uint64_t start, uint64_t used, enum pm_kind kind)
{
	if (used > 0)
		add(fixture, start, used, PM_PERM_READ | PM_PERM_WRITE)->kind = (uint8_t)kind;
	add(fixture, start + used * mega, 1024 - used, 0)->kind = PM_KIND_RESERVE;
}

static size_t count_reserves(const struct fixture *fixture)
{
	size_t count;

	pm_reserves_list(fixture->reserves, &count);
	return count;
}

static void pool_is_full_when_its_reserve_is_used_up(void **state)
{
	struct fixture *fixture = *state;
	struct pm_trend trend;
	double seconds;

	/* It is not accessible at first. Another reserve does not change. */
	for (uint64_t i = 0; i <= 20; i++) {
		add_pool(fixture, base, i * 4, PM_KIND_ANON);
		add_pool(fixture, base + 4096 * mega, 100, PM_KIND_ANON);
		sample(fixture);
	}

	assert_int_equal(count_reserves(fixture), 1);
	const struct pm_reserve *reserve = pm_reserves_soonest(fixture->reserves, &trend, &seconds);
	assert_non_null(reserve);
	assert_int_equal(reserve->type, PM_RESERVE_INACCESSIBLE);
	assert_int_equal(reserve->start, base);
	assert_int_equal(pm_reserve_size(reserve), 1024 * mega);
	assert_int_equal(reserve->used, 80 * mega);

	assert_int_equal(trend.verdict, PM_VERDICT_STEADY);
	assert_true(fabs(seconds - (1024 - 80) / 4) < 1);
}

/** The pool began after another region, and the kernel merged them. */
static void used_part_begins_where_growth_began(void **state)
{
	struct fixture *fixture = *state;
	size_t count;

	add(fixture, base, 50, PM_PERM_READ | PM_PERM_WRITE);
	add(fixture, base + 100 * mega, 10, PM_PERM_READ | PM_PERM_WRITE);
	add(fixture, base + 110 * mega, 90, 0);
	sample(fixture);
	add(fixture, base, 120, PM_PERM_READ | PM_PERM_WRITE);
	add(fixture, base + 120 * mega, 80, 0);
	sample(fixture);

	const struct pm_reserve *const *list = pm_reserves_list(fixture->reserves, &count);
	assert_int_equal(count, 1);
	assert_int_equal(list[0]->start, base + 100 * mega);
	assert_int_equal(list[0]->used, 20 * mega);
	assert_int_equal(pm_reserve_size(list[0]), 100 * mega);

	/* All of it is used. */
	add(fixture, base, 200, PM_PERM_READ | PM_PERM_WRITE);
	sample(fixture);
	list = pm_reserves_list(fixture->reserves, &count);
	assert_int_equal(count, 1);
	assert_int_equal(list[0]->used, 100 * mega);

	/* It is unmapped. */
	add(fixture, base + 1024 * mega, 1, PM_PERM_READ);
	sample(fixture);
	assert_int_equal(count_reserves(fixture), 0);
}

/** Another mapping at the end of a pool that was unmapped does not fill the pool. */
static void reused_addresses_are_not_a_full_pool(void **state)
{
	struct fixture *fixture = *state;
	size_t count;

	for (uint64_t i = 1; i <= 10; i++) {
		add_pool(fixture, base, i * 10, PM_KIND_ANON);
		sample(fixture);
	}

	pm_reserves_list(fixture->reserves, &count);
	assert_int_equal(count, 1);

	add(fixture, base + 900 * mega, 124, PM_PERM_READ | PM_PERM_WRITE);
	sample(fixture);
	assert_int_equal(count_reserves(fixture), 0);
}

static void other_changes_are_no_growth(void **state)
{
	struct fixture *fixture = *state;
	const unsigned rw = PM_PERM_READ | PM_PERM_WRITE;

	for (uint64_t i = 0; i < 10; i++) {
		/* An arena has further heaps. */
		add_pool(fixture, base, 1 + i, PM_KIND_ARENA);
		/* Go continues in another arena of its heap. */
		add_pool(fixture, base + 1024 * mega, 1 + i, PM_KIND_ANON);
		fixture->regions.items[fixture->regions.count - 2].owner = PM_OWNER_GO_HEAP;
		/* A pool that shrinks. */
		add_pool(fixture, base + 2048 * mega, 20 - i, PM_KIND_ANON);
		/* Its end moves, not only its start. */
		add(fixture, base + 4096 * mega, 10 + i, rw);
		add(fixture, base + (4106 + i) * mega, 10, 0);
		/* Memory that does not touch what was accessible before. */
		add(fixture, base + 8192 * mega, 10, rw);
		add(fixture, base + 8202 * mega, 10 + 2 * i, 0);
		add(fixture, base + (8212 + 2 * i) * mega, 1, rw);
		add(fixture, base + (8213 + 2 * i) * mega, 87 - 2 * i, 0);
		/* Guards between stacks. */
		add(fixture, base + 16384 * mega, 8, rw);
		add(fixture, base + 16392 * mega, 1, 0)->kind = PM_KIND_GUARD;
		sample(fixture);
	}

	/* The pool that shrinks did not grow. */
	assert_int_equal(count_reserves(fixture), 0);
}

/** This process maps more of a file than the file has, and extends the file. */
static void file_grows_towards_the_end_of_its_mapping(void **state)
{
	struct fixture *fixture = *state;
	char path[] = "/tmp/procmem-reserve-XXXXXX";
	struct pm_process *process;
	struct pm_trend trend;
	double seconds;

	int fd = mkstemp(path);
	assert_true(fd >= 0);
	void *memory = mmap(NULL, 64 * mega, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(memory != MAP_FAILED);
	assert_int_equal(pm_process_open(NULL, getpid(), &process, NULL), 0);

	for (unsigned i = 0; i <= 12; i++) {
		assert_int_equal(ftruncate(fd, (off_t)(i * mega)), 0);
		assert_int_equal(pm_maps_read(process, PM_MAPS, &fixture->regions, NULL), 0);
		assert_int_equal(
			pm_reserves_add(fixture->reserves, i, &fixture->regions, process, NULL), 0);
		pm_regions_clear(&fixture->regions);
	}

	const struct pm_reserve *reserve = pm_reserves_soonest(fixture->reserves, &trend, &seconds);
	assert_non_null(reserve);
	assert_int_equal(reserve->type, PM_RESERVE_FILE);
	assert_int_equal(reserve->start, (uintptr_t)memory);
	assert_int_equal(pm_reserve_size(reserve), 64 * mega);
	assert_int_equal(reserve->used, 12 * mega);
	assert_true(fabs(seconds - 52) < 0.5);

	pm_process_close(process);
	munmap(memory, 64 * mega);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pool_is_full_when_its_reserve_is_used_up, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(used_part_begins_where_growth_began, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(reused_addresses_are_not_a_full_pool, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(other_changes_are_no_growth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_grows_towards_the_end_of_its_mapping, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
