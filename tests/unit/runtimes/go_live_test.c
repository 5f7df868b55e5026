/* SPDX-License-Identifier: MIT */
/* Owners and figures of Go programs, against what the programs say themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/owner_pages.h"
#include "support/target.h"

enum { GOROUTINES = 2000, ADDRESSES_MAX = 200 };

static char folder[] = "/tmp/procmem-go-XXXXXX";

/** Runs a command of the shell, which must succeed. */
static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char command[8192];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof command, format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	char path[8192];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
	return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -rf %s", folder);
	return 0;
}

/** Addresses that a program printed, and what they are. */
struct addresses {
	struct {
		char what[16];
		uint64_t address;
	} items[ADDRESSES_MAX];
	size_t count;
	char version[32];
};

/**
 * Builds a program of tests/targets/ and starts it.
 * @param flags      of the linker
 * @param addresses  receives what it prints before `ready`
 */
static void start(struct target *target, const char *program, const char *flags,
                  const char *arguments, struct addresses *addresses)
{
	const char *source = getenv("PROCMEM_SOURCE");
	char first[32] = "", second[32] = "";

	if (!source)
		skip_because("PROCMEM_SOURCE is not set");
	run("cd %s && GOCACHE=%s/cache go build %s -o %s %s/tests/targets/%s.go", folder, folder,
	    flags, program, source, program);

	sscanf(arguments, "%31s %31s", first, second);
	/* Stacks stay where they are. */
	setenv("GODEBUG", "gcshrinkstackoff=1", 1);
	program_start(target, program, first, second, NULL);
	unsetenv("GODEBUG");

	addresses->count = 0;
	for (bool ready = false; !ready;) {
		char *line = target_await(target, " ");
		size_t at = addresses->count;

		ready = sscanf(line, "ready %31s", addresses->version) == 1;
		if (!ready && at < ADDRESSES_MAX) {
			assert_int_equal(sscanf(line, "%15s %" SCNu64, addresses->items[at].what,
			                        &addresses->items[at].address),
			                 2);
			addresses->count++;
		}
		free(line);
	}
}

/** Expects an owner at all addresses of a sort. */
static void expect_owner(const struct owner_pages *pages, const struct addresses *addresses,
                         const char *what, enum pm_owner owner)
{
	unsigned found = 0;

	for (size_t i = 0; i < addresses->count; i++) {
		if (strcmp(addresses->items[i].what, what) != 0)
			continue;
		assert_int_equal(owner_pages_at(pages, addresses->items[i].address), owner);
		found++;
	}
	assert_true(found >= 20);
}

/** What a program says about its memory. */
struct figures {
	uint64_t in_use, idle, released, stacks, collections, used, goroutines;
};

static void read_figures(struct target *target, struct figures *figures)
{
	fputs("figures\n", target->to);
	fflush(target->to);

	char *line = target_await(target, "figures");
	assert_int_equal(sscanf(line,
	                        "figures %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
	                        " %" SCNu64 " %" SCNu64,
	                        &figures->in_use, &figures->idle, &figures->released,
	                        &figures->stacks, &figures->collections, &figures->used,
	                        &figures->goroutines),
	                 7);
	free(line);
}

/** Opens the program at a moment at which its figures do not change. */
static void open_steady(struct target *target, struct owner_pages *pages, struct figures *figures)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		struct figures after;

		read_figures(target, figures);
		uint64_t resident = status_number(target->pid, "VmRSS:");
		owner_pages_open(pages, target->pid);
		uint64_t later = status_number(target->pid, "VmRSS:");
		read_figures(target, &after);
		if (memcmp(figures, &after, sizeof after) == 0 && resident == later)
			return;
		owner_pages_close(pages);
	}

	fail_msg("the figures of the program change all the time");
}

static void expect_figures(const struct owner_pages *pages, const struct figures *figures)
{
	assert_int_equal(owner_pages_counter(pages, "heap_in_use"), figures->in_use);
	assert_int_equal(owner_pages_counter(pages, "heap_idle"), figures->idle);
	assert_int_equal(owner_pages_counter(pages, "heap_released"), figures->released);
	assert_int_equal(owner_pages_counter(pages, "stacks"), figures->stacks);
	assert_int_equal(owner_pages_counter(pages, "collections"), figures->collections);
	assert_int_equal(owner_pages_counter(pages, "goroutines"), figures->goroutines);

	assert_int_equal(pages->runtimes->limit_count, 1);
	assert_int_equal(pages->runtimes->limits[0].kind, PM_RUNTIME_LIMIT_GO_MEMORY);
	assert_int_equal(pages->runtimes->limits[0].max, UINT64_C(3) << 30);
	assert_int_equal(pages->runtimes->limits[0].used, figures->used);
	assert_false(pages->runtimes->limits[0].approximate);
}

/** A leak of goroutines: their stacks are named, and all figures are those of MemStats. */
static void with_debug_information(void **state)
{
	static const char *const modes[] = { "", "-buildmode=pie" };
	(void)state;

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		struct target target;
		struct addresses addresses;
		struct owner_pages pages;
		struct figures figures;

		setenv("GOMEMLIMIT", "3GiB", 1);
		start(&target, "server", modes[i], "50000 2000", &addresses);
		unsetenv("GOMEMLIMIT");
		open_steady(&target, &pages, &figures);

		const struct pm_runtime_info *info = owner_pages_runtime(&pages, "go");
		assert_non_null(info);
		assert_true(info->complete);
		assert_string_equal(info->missing, "");
		assert_string_equal(info->version, addresses.version + strlen("go"));
		assert_true(figures.goroutines > GOROUTINES);
		expect_figures(&pages, &figures);
		expect_owner(&pages, &addresses, "stack", PM_OWNER_GO_STACKS);
		expect_owner(&pages, &addresses, "object", PM_OWNER_GO_HEAP);
		assert_true(owner_pages_share(&pages) >= 95);
		assert_int_equal(pages.resident[PM_OWNER_MALLOC], 0);
		assert_in_range(pages.resident[PM_OWNER_GO_STACKS], GOROUTINES * 2048,
		                figures.stacks);
		owner_pages_close(&pages);
		target_stop(&target);
	}
}

/** Without symbols, only addresses are known: nothing of Go is proven. */
static void stripped(void **state)
{
	(void)state;
	struct target target;
	struct addresses addresses;
	struct owner_pages pages;
	struct figures figures;

	setenv("GOMEMLIMIT", "3GiB", 1);
	start(&target, "server", "-ldflags='-s -w'", "50000 2000", &addresses);
	unsetenv("GOMEMLIMIT");
	open_steady(&target, &pages, &figures);

	const struct pm_runtime_info *info = owner_pages_runtime(&pages, "go");
	assert_non_null(info);
	assert_false(info->complete);
	assert_string_not_equal(info->missing, "");
	assert_string_equal(info->version, addresses.version + strlen("go"));
	expect_owner(&pages, &addresses, "stack", PM_OWNER_GO_HEAP);
	expect_owner(&pages, &addresses, "object", PM_OWNER_GO_HEAP);
	assert_true(owner_pages_share(&pages) >= 95);
	assert_int_equal(pages.proven[PM_OWNER_GO_HEAP], 0);
	assert_int_equal(pages.resident[PM_OWNER_MALLOC], 0);
	assert_int_equal(pages.runtimes->limit_count, 1);
	assert_int_equal(pages.runtimes->limits[0].max, UINT64_C(3) << 30);
	assert_true(pages.runtimes->limits[0].approximate);
	owner_pages_close(&pages);
	target_stop(&target);
}

/** Memory of C code is malloc's. */
static void with_c_code(void **state)
{
	static const char *const modes[] = { "", "-ldflags='-s -w'",
		                             "-ldflags='-linkmode external -extldflags -static'" };
	(void)state;

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		struct target target;
		struct addresses addresses;
		struct owner_pages pages;

		start(&target, "native", modes[i], "", &addresses);
		owner_pages_open(&pages, target.pid);
		expect_owner(&pages, &addresses, "malloc", PM_OWNER_MALLOC);
		expect_owner(&pages, &addresses, "object", PM_OWNER_GO_HEAP);
		assert_true(owner_pages_share(&pages) >= 95);
		/* 20,000 blocks of 1000 bytes, and one of 5 MiB. */
		assert_in_range(pages.resident[PM_OWNER_MALLOC], 25000000, 30000000);
		owner_pages_close(&pages);
		target_stop(&target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(with_debug_information),
		                            cmocka_unit_test(stripped),
		                            cmocka_unit_test(with_c_code) };

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
