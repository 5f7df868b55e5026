/* SPDX-License-Identifier: MIT */
/* A reading of this machine, compared with the files of the kernel, and the tables of fields. */
#include <procmem/pressure.h>
#include <procmem/pressure_signs.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"

#define KIB UINT64_C(1024)

static const struct pm_pressure_level *find_level(const struct pm_pressure_reading *reading,
                                                  const char *name)
{
	for (size_t i = 0; i < reading->count; i++)
		if (strcmp(reading->levels[i].name, name) == 0)
			return &reading->levels[i];
	fail_msg("there is no level %s", name);
	return NULL;
}

static void assert_value(const struct pm_pressure_reading *reading, const char *name,
                         enum pm_pressure_field field, uint64_t value)
{
	const struct pm_pressure_level *level = find_level(reading, name);
	assert_true(level->known[field]);
	assert_int_equal(level->values[field], value);
}

/** Finds a number in a file of the kernel. */
static uint64_t truth(const char *path, const char *key)
{
	char *text = read_text(path, NULL), *at = strstr(text, key);
	assert_non_null(at);
	uint64_t number = strtoull(at + strlen(key), NULL, 10);
	free(text);
	return number;
}

/** This machine, compared with the files of the kernel. */
static void living_process(void **state)
{
	(void)state;
	struct pm_pressure_reading reading = { 0 };
	struct pm_pressure_source *source;
	struct pm_process *process;
	struct pm_error error = { 0 };
	struct target target;
	char path[64];

	target_start(&target, "many_regions", "300", "8", NULL);
	process = open_process(target.pid);
	must(pm_pressure_open(process, NULL, NULL, &source, &error), &error);
	must(pm_pressure_read(source, &reading, &error), &error);

	snprintf(path, sizeof path, "/proc/%d/status", (int)target.pid);
	uint64_t rss = truth(path, "VmRSS:"), size = truth(path, "VmSize:");
	snprintf(path, sizeof path, "/proc/%d/maps", (int)target.pid);
	char *maps = read_text(path, NULL);
	uint64_t regions = 0;
	for (const char *at = maps; *at; at++)
		regions += *at == '\n';
	regions -= strstr(maps, "[vsyscall]") != NULL;
	free(maps);
	uint64_t total = truth("/proc/meminfo", "MemTotal:"),
		 max = truth("/proc/sys/vm/max_map_count", "");
	target_stop(&target);

	assert_value(&reading, "many_regions", PM_PRESSURE_RSS, rss * KIB);
	assert_value(&reading, "many_regions", PM_PRESSURE_ADDRESSES, size * KIB);
	assert_value(&reading, "many_regions", PM_PRESSURE_MAPPINGS, regions);
	assert_value(&reading, "many_regions", PM_PRESSURE_MAPPINGS_MAX, max);
	assert_value(&reading, "host", PM_PRESSURE_MAX, total * KIB);
	assert_false(find_level(&reading, "many_regions")->known[PM_PRESSURE_ADDRESSES_MAX]);

	pm_pressure_deinit(&reading);
	pm_pressure_close(source);
	pm_process_close(process);
}

static void every_field_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < PM_PRESSURE_FIELDS; i++) {
		const char *name = pm_pressure_field_of((enum pm_pressure_field)i)->name;
		assert_non_null(name);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(
				name, pm_pressure_field_of((enum pm_pressure_field)j)->name);
	}
	for (int i = 0; i < PM_SIGN_RULES; i++)
		assert_non_null(pm_sign_of((enum pm_pressure_rule)i)->name);
	assert_null(pm_pressure_field_of(PM_PRESSURE_FIELDS));
	assert_null(pm_sign_of(PM_SIGN_RULES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(living_process),
		cmocka_unit_test(every_field_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
