/* SPDX-License-Identifier: MIT */
/* CPython in a running process: its own addresses, and an owner for each resident page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/runtimes.h>
#include <procmem/target_reader.h>

#include "support/target.h"

enum { PAGE = 4096, OWNED_PERCENT = 95 };

/* Prints the addresses of objects that are in blocks of pymalloc, and of some that are not. */
static const char script[] =
	"import threading, time\n"
	"small = [(i, i) for i in range(100000)]\n"
	"large = [bytes(600 + i * 10) for i in range(5000)]\n"
	"mixed = [(bytes(300000), [(i, i, i) for i in range(30000)]) for i in range(20)]\n"
	"threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
	"print('small', *map(id, small[::1000]), flush=True)\n"
	"print('large', *map(id, large[::50]), flush=True)\n"
	"print('mixed', *(id(block) for block, rows in mixed), flush=True)\n"
	"print('ready', flush=True)\n"
	"time.sleep(600)\n";

/** A process, and what was read from it. */
struct session {
	struct target target;
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_reader reader;
	struct pm_pagemap *pagemap;
	struct pm_runtimes *runtimes;
	char *small, *large, *mixed; /* the addresses that it printed */
};

static void session_start(struct session *session)
{
	struct pm_error error;

	*session = (struct session){ 0 };
	program_start(&session->target, "python3", "-c", script, NULL);
	session->small = target_await(&session->target, "small");
	session->large = target_await(&session->target, "large");
	session->mixed = target_await(&session->target, "mixed");
	free(target_await(&session->target, "ready"));

	pm_regions_init(&session->regions);
	assert_int_equal(pm_process_open(NULL, session->target.pid, &session->process, &error), 0);
	assert_int_equal(pm_maps_read(session->process, PM_MAPS, &session->regions, &error), 0);
	assert_int_equal(pm_target_reader_open(session->process, &session->regions,
	                                       &session->reader, &error),
	                 0);
	assert_int_equal(
		pm_pagemap_open(session->process, PM_PAGEMAP_BEST, &session->pagemap, &error), 0);

	struct pm_page_source pages = pm_pagemap_source(session->pagemap);
	const struct pm_runtimes_source source = { .regions = &session->regions,
		                                   .reader = &session->reader,
		                                   .pages = &pages,
		                                   .process = session->process,
		                                   .time_ms = 60000 };
	assert_int_equal(pm_runtimes_open(&source, &session->runtimes, &error), 0);

	const struct pm_kinds_evidence evidence = { .process = session->process,
		                                    .reader = &session->reader,
		                                    .pagemap = session->pagemap,
		                                    .runtimes = session->runtimes };
	assert_int_equal(pm_kinds_assign(&session->regions, &evidence, &error), 0);
}

static void session_stop(struct session *session)
{
	pm_runtimes_close(session->runtimes);
	pm_pagemap_close(session->pagemap);
	pm_reader_close(&session->reader);
	pm_regions_deinit(&session->regions);
	pm_process_close(session->process);
	target_stop(&session->target);
	free(session->small);
	free(session->large);
	free(session->mixed);
}

/** Returns the owner of an address by the ranges; PM_OWNER_UNKNOWN if there is no range. */
static enum pm_owner owner_at(const struct session *session, uint64_t address)
{
	const struct pm_runtimes *runtimes = session->runtimes;
	size_t index = pm_runtimes_range_index(runtimes, address);

	if (index == runtimes->range_count || runtimes->ranges[index].range.start > address)
		return PM_OWNER_UNKNOWN;
	return (enum pm_owner)runtimes->ranges[index].owner;
}

/** Returns the owner of an address by the ranges and by the kind of its region. */
static enum pm_owner any_owner_at(const struct session *session, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(&session->regions, address);
	enum pm_owner owner = owner_at(session, address);

	if (owner == PM_OWNER_UNKNOWN && region && !region->owner_mixed)
		owner = (enum pm_owner)region->owner;
	return owner;
}

/** Counts the printed addresses that have an owner. */
static size_t count_owned(const struct session *session, const char *line, enum pm_owner owner,
                          size_t *all)
{
	char *copy = strdup(line), *rest = NULL;
	size_t found = 0;

	*all = 0;
	strtok_r(copy, " ", &rest);
	for (char *word; (word = strtok_r(NULL, " ", &rest)); ++*all)
		found += any_owner_at(session, strtoull(word, NULL, 10)) == owner;

	free(copy);
	return found;
}

static void addresses(void **state)
{
	const struct session *session = *state;
	size_t all;

	assert_int_equal(count_owned(session, session->small, PM_OWNER_PYTHON_OBJECTS, &all), 100);
	assert_int_equal(all, 100);
	assert_int_equal(count_owned(session, session->large, PM_OWNER_PYTHON_OBJECTS, &all), 0);
	assert_int_equal(all, 100);
}

/** Blocks that malloc has mapped between arenas, in the same region of the kernel. */
static void blocks_between_arenas(void **state)
{
	const struct session *session = *state;
	size_t all;

	assert_int_equal(count_owned(session, session->mixed, PM_OWNER_MALLOC, &all), 20);
	assert_int_equal(all, 20);
}

static void runtime(void **state)
{
	const struct session *session = *state;
	const struct pm_runtimes *runtimes = session->runtimes;
	const struct pm_runtime_info *info = NULL;

	for (size_t i = 0; i < runtimes->count; i++)
		if (strcmp(runtimes->items[i].family, "python") == 0)
			info = &runtimes->items[i];

	assert_non_null(info);
	assert_memory_equal(info->version, "3.", 2);
	assert_string_equal(info->missing, "");
	assert_true(info->complete);
}

/** Each resident page has an owner: by a range, or by the kind of its region. */
static void owners(void **state)
{
	const struct session *session = *state;
	uint64_t pages = 0, owned = 0;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/pagemap", (int)session->target.pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t i = 0; i < session->regions.count; i++) {
		const struct pm_region *region = &session->regions.items[i];

		for (uint64_t at = region->start; at < region->end; at += PAGE) {
			uint64_t entry;

			if (pread(fd, &entry, sizeof entry, (off_t)(at / PAGE * sizeof entry)) !=
			            sizeof entry ||
			    !(entry >> 63))
				continue;
			pages++;
			owned += owner_at(session, at) != PM_OWNER_UNKNOWN ||
			         (region->owner != PM_OWNER_UNKNOWN && !region->owner_mixed);
		}
	}
	close(fd);

	assert_true(pages > 1000);
	print_message("%" PRIu64 " of %" PRIu64 " pages have an owner\n", owned, pages);
	assert_true(owned * 100 >= pages * OWNED_PERCENT);
}

static int start(void **state)
{
	static struct session session;

	session_start(&session);
	*state = &session;
	return 0;
}

static int stop(void **state)
{
	if (*state)
		session_stop(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(blocks_between_arenas),
		cmocka_unit_test(runtime),
		cmocka_unit_test(owners),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
