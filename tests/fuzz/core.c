/* SPDX-License-Identifier: MIT */
/* Core files: any file that opens must have ascending regions for all of its contents, and a plan
 * must read it in finite time. */
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/kinds.h>
#include <procmem/symbols.h>
#include <procmem/unit_read.h>

#include "reader/core.h"
#include "reader/core_file.h"

/* A malicious file can claim exabytes; at most this much is read. */
enum { MOST_UNITS = 64 };

static void read_planned(struct pm_core *core, const struct pm_regions *regions)
{
	static struct pm_unit unit;
	static char buffer[PM_UNIT_SIZE];
	struct pm_reader reader = pm_core_reader(core);
	const struct pm_unit_source source = { .target = &reader };
	struct pm_page_source pages = pm_core_source(core);
	const struct pm_plan_options options = { .pages = &pages };
	struct pm_error error;
	struct pm_plan *plan;

	fuzz_check(pm_plan_open(regions, NULL, 0, &options, &plan, &error) == 0);
	for (int i = 0; i < MOST_UNITS && pm_plan_next(plan, &unit, &error) > 0; i++) {
		fuzz_check(unit.count > 0 && unit.count <= PM_UNIT_SEGMENTS &&
		           unit.size <= PM_UNIT_SIZE);
		fuzz_check(pm_unit_read(&source, &unit, buffer, &error) == 0);
	}

	pm_plan_close(plan);
}

/** Symbols, without symbol files: only the memory of the core file is read. */
static void find_symbols(struct pm_core *core, const struct pm_regions *regions)
{
	struct pm_symbols *symbols;
	struct pm_symbol symbol;
	fuzz_check(pm_symbols_open_core(core, "/nonexistent", regions, &symbols, NULL) == 0);

	for (size_t i = 0; i < regions->count && i < MOST_UNITS; i++) {
		fuzz_check(pm_symbols_find(symbols, regions->items[i].start, &symbol, NULL) == 0);
		fuzz_check(pm_symbols_find(symbols, regions->items[i].end - 1, &symbol, NULL) == 0);
	}

	for (size_t i = 0; i < core->name_count && i < MOST_UNITS; i++)
		fuzz_check(pm_symbols_find(symbols, core->names[i].start, &symbol, NULL) == 0);

	pm_symbols_close(symbols);
}

/** Every byte of a segment or an entry of NT_FILE is in a region, with the name of the entry. */
static void check_whole(const struct pm_core *core, const struct pm_regions *regions)
{
	for (size_t i = 0; i < core->segment_count; i++) {
		fuzz_check(pm_regions_find(regions, core->segments[i].start) != NULL);
		fuzz_check(pm_regions_find(regions, core->segments[i].end - 1) != NULL);
	}

	for (size_t i = 0; i < core->name_count; i++) {
		const struct pm_region *first = pm_regions_find(regions, core->names[i].start);
		const struct pm_region *last = pm_regions_find(regions, core->names[i].end - 1);
		fuzz_check(first && first->start == core->names[i].start &&
		           strcmp(first->mapping, core->names[i].path) == 0);
		fuzz_check(last && last->end == core->names[i].end &&
		           strcmp(last->mapping, core->names[i].path) == 0);
	}
}

/** Kinds, with the memory of the file. Each region gets one. */
static void find_kinds(struct pm_core *core, struct pm_regions *regions)
{
	struct pm_reader reader = pm_core_reader(core);
	struct pm_kinds_evidence evidence = { .reader = &reader, .any_page = true };
	struct pm_error error = { 0 };

	evidence.threads = pm_core_threads(core, &evidence.thread_count);
	fuzz_check(pm_kinds_assign(regions, &evidence, &error) == 0);
	for (size_t i = 0; i < regions->count; i++)
		fuzz_check(regions->items[i].kind != PM_KIND_UNKNOWN &&
		           regions->items[i].proof != PM_PROOF_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_core *core;
	struct pm_regions regions;
	struct pm_error error = { 0 };
	int fd = dup(fuzz_file(data, size));

	fuzz_check(fd >= 0);
	if (pm_core_open_fd(fd, &core, &error) < 0) {
		fuzz_check_error(&error);
		return 0;
	}

	pm_regions_init(&regions);
	fuzz_check(pm_core_regions(core, &regions, &error) == 0);
	for (size_t i = 0; i < regions.count; i++) {
		fuzz_check(regions.items[i].start < regions.items[i].end);
		fuzz_check(i == 0 || regions.items[i - 1].end <= regions.items[i].start);
	}

	check_whole(core, &regions);
	read_planned(core, &regions);
	find_symbols(core, &regions);
	find_kinds(core, &regions);
	pm_regions_deinit(&regions);
	pm_core_close(core);

	return 0;
}
