/* SPDX-License-Identifier: MIT */
#include "target/stop_limit.h"

#include <inttypes.h>

#include "base/clock.h"

/* What helps if a stop takes too long. */
#define REMEDY \
	"allow a longer stop with --max-stop, or examine a core file that gcore of gdb writes"

enum { NS_PER_MS = 1000000 };

void stop_limit_begin(struct stop_limit *limit)
{
	limit->begun_us = clock_us();
	limit->ended = false;
}

void stop_limit_end(struct stop_limit *limit)
{
	limit->ended = true;
}

int stop_limit_check_prediction(pid_t pid, uint64_t predicted_ns, uint64_t max_ns,
                                struct pm_error *error)
{
	if (max_ns == 0 || predicted_ns <= max_ns)
		return 0;

	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "process %d would be stopped for about %" PRIu64
	                    " ms, but only %" PRIu64 " ms are allowed; " REMEDY,
	                    (int)pid, predicted_ns / NS_PER_MS, max_ns / NS_PER_MS);
}

int stop_limit_set_ended(uint64_t spent_ns, uint64_t max_ns, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "the stop was ended after %" PRIu64
	                    " ms, before all memory was read: it took more than twice the %" PRIu64
	                    " ms that are allowed; " REMEDY,
	                    spent_ns / NS_PER_MS, max_ns / NS_PER_MS);
}

static int check(const struct stop_limit *limit, struct pm_error *error)
{
	uint64_t spent = limit->spent_ns + (clock_us() - limit->begun_us) * 1000;

	if (limit->ended || spent / 2 <= limit->max_ns)
		return 0;
	return stop_limit_set_ended(spent, limit->max_ns, error);
}

static int read_limited(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                        size_t *done, struct pm_error *error)
{
	const struct stop_limit *limit = context;

	if (check(limit, error) < 0)
		return -1;

	return limit->source.ops->read(limit->source.context, ranges, count, buffer, done, error);
}

/** The source is closed by its owner. */
static void close_limited(void *context)
{
	(void)context;
}

struct pm_reader *stop_limit_reader(struct stop_limit *limit, struct pm_reader *source)
{
	static const struct pm_reader_ops ops = { .read = read_limited, .close = close_limited };

	if (limit->max_ns == 0)
		return source;

	limit->source = *source;
	limit->limited = (struct pm_reader){ .ops = &ops, .context = limit };
	return &limit->limited;
}

static int walk_limited(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                        void *visitor, struct pm_error *error)
{
	const struct stop_limit *limit = context;
	const struct pm_page_source *pages = limit->pages;
	struct pm_range rest = { start, end }, step;
	int result = 0;

	while (result == 0 && pm_page_step(&rest, &step)) {
		if (check(limit, error) < 0)
			return -1;
		result = pages->walk(pages->context, step.start, step.end, visit, visitor, error);
	}

	return result;
}

const struct pm_page_source *stop_limit_pages(struct stop_limit *limit,
                                              const struct pm_page_source *source)
{
	if (limit->max_ns == 0)
		return source;

	limit->pages = source;
	limit->limited_pages = *source;
	limit->limited_pages.walk = walk_limited;
	limit->limited_pages.context = limit;
	return &limit->limited_pages;
}
