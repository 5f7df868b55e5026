/* SPDX-License-Identifier: MIT */
#include "support/look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/file_reader.h>
#include <procmem/target_reader.h>

#include "support/target.h"

void look_open(struct look *look, pid_t pid)
{
	look_open_by(look, pid, PM_SMAPS, PM_PAGEMAP_BEST);
}

void look_open_by(struct look *look, pid_t pid, enum pm_maps_source maps,
                  enum pm_pagemap_method method)
{
	struct pm_error error = { 0 };
	look->process = open_process(pid);
	pm_regions_init(&look->regions);
	must(pm_maps_read(look->process, maps, &look->regions, &error), &error);

	int opened = pm_pagemap_open(look->process, method, &look->pagemap, &error);
	if (opened < 0 && method != PM_PAGEMAP_BEST && error.kind == PM_ERROR_UNSUPPORTED)
		skip_because("%s", error.text);
	must(opened, &error);
	look->pages = pm_pagemap_source(look->pagemap);
	must(pm_target_reader_open(look->process, &look->regions, &look->memory, &error), &error);
	must(pm_file_reader_open(look->process, &look->regions, &look->files, &error), &error);
}

void look_close(struct look *look)
{
	pm_reader_close(&look->files);
	pm_reader_close(&look->memory);
	pm_pagemap_close(look->pagemap);
	pm_regions_deinit(&look->regions);
	pm_process_close(look->process);
}

size_t look_region(const struct look *look, uint64_t address)
{
	size_t index = pm_regions_index(&look->regions, address);
	assert_true(index < look->regions.count && look->regions.items[index].start <= address);
	return index;
}

uint64_t status_number(pid_t pid, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);

	char *text = read_text(path, NULL);
	const char *line = strstr(text, key);
	assert_non_null(line);

	uint64_t number = strtoull(line + strlen(key), NULL, 10);
	free(text);
	return number;
}
