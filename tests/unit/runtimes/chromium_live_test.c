/* SPDX-License-Identifier: MIT */
/* A browser with a page, against what the page says about its memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/owner_pages.h"
#include "support/target.h"

#define MIB (UINT64_C(1) << 20)

enum { PAGE = 4096, FILL = 0xab, BUFFERS = 24, MEMBERS_MAX = 64, ANCESTORS_MAX = 8 };

/* Objects, elements, and 24 MiB of array buffers; the log has the size of the heap. */
static const char page[] =
	"data:text/html,<body><script>"
	"let objects = [], buffers = [];"
	"for (let i = 0; i < 300000; i++) objects.push({ a: i, b: 'x' %2b i, c: [i, i] });"
	"for (let i = 0; i < 24; i++) buffers.push(new Uint8Array(1048576).fill(171));"
	"for (let i = 0; i < 3000; i++) {"
	"  let e = document.createElement('div'); e.textContent = 'text ' %2b i;"
	"  document.body.appendChild(e); }"
	"console.log('page-ready ' %2b performance.memory.usedJSHeapSize);"
	"</script></body>";

/** A browser, and its processes. */
struct browser {
	struct target target;
	char profile[64];
	pid_t members[MEMBERS_MAX];
	size_t count;
	uint64_t heap; /* bytes of the heap of V8 that the page uses */
};

/** Returns the parent of a process; 0 if it is gone. */
static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
	if (name_end && sscanf(name_end, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/** Finds the processes of the browser: it and its descendants. */
static void find_members(struct browser *browser)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;

	assert_non_null(folder);
	browser->count = 0;
	while ((entry = readdir(folder)) && browser->count < MEMBERS_MAX) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10), at = pid;

		for (unsigned i = 0; i < ANCESTORS_MAX && at > 1 && at != browser->target.pid; i++)
			at = parent_of(at);
		if (pid > 1 && at == browser->target.pid)
			browser->members[browser->count++] = pid;
	}
	closedir(folder);
}

static void browser_start(struct browser *browser)
{
	char profile[96];

	strcpy(browser->profile, "/tmp/procmem-chromium-XXXXXX");
	assert_non_null(mkdtemp(browser->profile));
	snprintf(profile, sizeof profile, "--user-data-dir=%s", browser->profile);
	program_start(&browser->target, "chromium", "--headless", "--no-sandbox", "--disable-gpu",
	              profile, "--enable-logging=stderr", "--enable-precise-memory-info", page,
	              NULL);

	char *line = target_await(&browser->target, "page-ready ");
	assert_int_equal(sscanf(strstr(line, "page-ready "), "page-ready %" SCNu64, &browser->heap),
	                 1);
	free(line);
	find_members(browser);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

static void browser_stop(struct browser *browser)
{
	for (size_t i = 0; i < browser->count; i++)
		if (browser->members[i] != browser->target.pid)
			kill(browser->members[i], SIGKILL);
	target_stop(&browser->target);
	nftw(browser->profile, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/** Returns the number of pages of array buffers; each belongs to PartitionAlloc. */
static uint64_t check_buffers(struct owner_pages *pages)
{
	uint64_t counts[PM_OWNER_COUNT];

	owner_pages_count_filled(pages, FILL, counts);
	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++)
		if (owner != PM_OWNER_CHROMIUM_PARTITION && counts[owner] > 0)
			fail_msg("%" PRIu64 " pages of buffers belong to %s", counts[owner],
			         pm_owner_name((enum pm_owner)owner));
	return counts[PM_OWNER_CHROMIUM_PARTITION];
}

/** The renderer of the page is the process with its array buffers. */
static void check_renderer(const struct browser *browser, struct owner_pages *pages)
{
	assert_true(check_buffers(pages) * PAGE >= (BUFFERS - 1) * MIB);
	assert_true(pages->resident[PM_OWNER_CHROMIUM_PARTITION] > BUFFERS * MIB);
	assert_true(pages->resident[PM_OWNER_CHROMIUM_OILPAN] > MIB / 4);
	/* The page's figure includes array buffers (memory_info.cc of Blink). */
	assert_in_range(pages->resident[PM_OWNER_V8_HEAP], browser->heap - BUFFERS * MIB,
	                2 * browser->heap);
}

static void test_owners_of_all_processes(void **state)
{
	(void)state;
	struct browser browser = { .count = 0 };
	size_t renderers = 0, measured = 0;

	browser_start(&browser);
	for (size_t i = 0; i < browser.count; i++) {
		struct owner_pages pages;

		/* Other processes of the browser can end at any time. */
		if (parent_of(browser.members[i]) == 0)
			continue;
		owner_pages_open(&pages, browser.members[i]);
		if (pages.total > 8 * MIB) {
			print_message("process %d: %.1f %% of %" PRIu64 " MiB\n",
			              (int)browser.members[i], owner_pages_share(&pages),
			              pages.total / MIB);
			assert_true(owner_pages_share(&pages) >= 80);
			measured++;
		}
		if (pages.resident[PM_OWNER_V8_HEAP] > browser.heap / 3) {
			check_renderer(&browser, &pages);
			renderers++;
		}
		owner_pages_close(&pages);
	}

	assert_true(measured >= 4);
	assert_int_equal(renderers, 1);
	browser_stop(&browser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners_of_all_processes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
