/* SPDX-License-Identifier: MIT */
#include "support/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANGES_MOST = 8 };

void session_open(struct session *session)
{
	look_open(&session->look, session->target.pid);
}

static void forget_hits(struct session *session)
{
	for (size_t i = 0; i < session->hits.count; i++)
		free(session->texts[i]);

	free(session->texts);
	hit_list_deinit(&session->hits);
	session->texts = NULL;
	session->hits = (struct hit_list){ 0 };
	session->changed = 0;
	session->unreadable = 0;
}

void session_close(struct session *session)
{
	forget_hits(session);
	look_close(&session->look);
	target_stop(&session->target);
}

static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	(void)worker;
	return pm_scan_append(batch, hit->bytes, hit->size, error);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct session *session = context;

	(void)error;
	char **texts = realloc(session->texts, (session->hits.count + 1) * sizeof *texts);
	assert_non_null(texts);
	session->texts = texts;
	texts[session->hits.count] = strndup(delivery->bytes, delivery->length);
	assert_true(session->hits.count == 0 ||
	            session->hits.items[session->hits.count - 1].start <= delivery->address);
	hit_list_add(&session->hits,
	             (struct hit){ delivery->address, delivery->size, delivery->source,
	                           delivery->encoding, delivery->truncated });

	session->changed += delivery->changed;
	return 0;
}

static void unreadable(void *context, const struct pm_unreadable *range)
{
	struct session *session = context;
	session->unreadable += range->end - range->start;
}

/**
 * Finds the regions of the target from that of one name to that of another.
 * @return number of ranges
 */
static size_t named_ranges(const struct session *session, const char *first, const char *last,
                           struct pm_region_range *ranges)
{
	uint64_t start, end, other;
	size_t count = 0;

	target_range(&session->target, first, &start, &other);
	target_range(&session->target, last, &other, &end);
	for (size_t i = 0; i < session->look.regions.count; i++) {
		const struct pm_region *region = &session->look.regions.items[i];
		struct pm_range range = pm_range_clip(pm_region_bounds(region),
		                                      (struct pm_range){ start, end });
		if (pm_range_size(range) == 0)
			continue;
		assert_true(count < RANGES_MOST);
		ranges[count++] = (struct pm_region_range){ range, i };
	}

	assert_true(count > 0);
	return count;
}

int session_scan(struct session *session, const struct session_scan *how)
{
	const struct pm_plan_options options = { .pages = how->all_pages ? NULL
		                                                         : &session->look.pages };
	struct pm_region_range ranges[RANGES_MOST];
	struct pm_plan *plan;

	forget_hits(session);
	size_t count = how->region ? named_ranges(session, how->region,
	                                          how->last ? how->last : how->region, ranges)
	                           : 0;

	must(pm_plan_open(&session->look.regions, how->region ? ranges : NULL, count, &options,
	                  &plan, &session->error),
	     &session->error);

	struct pm_scan scan = { .scanner = how->scanner,
		                .regions = &session->look.regions,
		                .plan = plan,
		                .workers = how->workers };

	scan.source = (struct pm_unit_source){ .target = how->reader ? how->reader
		                                                     : &session->look.memory,
		                               .unreadable = unreadable,
		                               .context = session };
	scan.again = how->again;
	scan.found = found;
	scan.deliver = deliver;
	scan.context = session;

	int result = pm_scan_run(&scan, &session->totals, &session->error);
	pm_plan_close(plan);

	return result;
}

struct pm_scanner *pattern_scanner(const char *text, unsigned flags)
{
	const struct pm_pattern pattern = { text, strlen(text), flags };
	struct pm_scanner *scanner;
	struct pm_error error;
	must(pm_pattern_scanner_create(&pattern, 1, &scanner, &error), &error);
	return scanner;
}
