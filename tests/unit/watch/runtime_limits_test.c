/* SPDX-License-Identifier: MIT */
/* Limits of runtimes in `procmem watch`: they are read less often than samples are taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "watch/format.h"
#include "watch/history.h"

#define MIB (UINT64_C(1) << 20)

static void add_sample(struct watch_history *history, double time)
{
	const struct pm_sample sample = { .time = time, .totals.rss = 300 * MIB };

	assert_int_equal(watch_history_add(history, &sample, NULL), 0);
	watch_history_judge(history);
}

/** Direct memory grows by 2 MiB a second, and is read every three seconds. */
static void watch_direct_memory(struct watch_history *history)
{
	for (unsigned time = 0; time <= 36; time++) {
		struct pm_headroom now = { .count = 1 };

		now.limits[0] = (struct pm_limit){ .kind = PM_LIMIT_SYSTEM,
			                           .max = 9000 * MIB,
			                           .used = 100 * MIB,
			                           .source = "/proc/meminfo" };
		if (time % 3 == 0)
			now.limits[now.count++] =
				(struct pm_limit){ .kind = PM_LIMIT_JAVA_DIRECT,
				                   .approximate = true,
				                   .max = 512 * MIB,
				                   .used = (40 + 2 * time) * MIB,
				                   .source = "MaxDirectMemorySize" };

		add_sample(history, time);
		watch_history_set_headroom(history, &now, true);
		assert_int_equal(history->headroom.count, 2);
		/* Only what was read is recorded. */
		assert_int_equal(history->limits_read, now.count);
	}
}

static void limits_are_kept_between_reads(void **state)
{
	(void)state;
	struct watch_history history = { 0 };
	struct text text = { 0 };

	watch_direct_memory(&history);

	/* Each read is one point: values that were kept would flatten the curve. */
	const struct pm_limit *direct = pm_headroom_find(&history.headroom, PM_LIMIT_JAVA_DIRECT);
	assert_non_null(direct);
	assert_int_equal(limit_counters_find(&history.counters, direct)->samples, 13);
	assert_ptr_equal(watch_history_first_limit(&history), direct);

	/* 400 MiB are left. */
	struct forecast_time time = watch_history_time(&history, direct);
	assert_true(time.known && time.estimate && time.seconds > 196 && time.seconds < 204);

	watch_format_limit(&history, false, &text);
	assert_non_null(
		strstr(text_terminate(&text), "  direct memory 512.0M: full in about 3m 20s"));
	text_deinit(&text);
	watch_history_deinit(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_kept_between_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
