/* SPDX-License-Identifier: MIT */
#include "runtimes/go_layout.h"

#include <string.h>
#include <unistd.h>

#include "reader/mapped_file.h"
#include "symbols/dwarf_fields.h"

static const char *const variables[PM_GO_VARIABLES] = {
	[PM_GO_MHEAP] = "runtime.mheap_",
	[PM_GO_MEMSTATS] = "runtime.memstats",
	[PM_GO_CONTROLLER] = "runtime.gcController",
	[PM_GO_ALLGS] = "runtime.allgs",
	[PM_GO_SCHED] = "runtime.sched",
	[PM_GO_ISCGO] = "runtime.iscgo",
	[PM_GO_PERSISTENT_CHUNKS] = "runtime.persistentChunks",
	[PM_GO_BITS_ARENAS] = "runtime.gcBitsArenas",
	[PM_GO_BUCKHASH] = "runtime.buckhash",
};

/** Names of a field. */
static const struct {
	const char *type, *member;
} fields[PM_GO_FIELDS] = {
	[PM_GO_MHEAP_ALLSPANS] = { "runtime.mheap", "allspans" },
	[PM_GO_MHEAP_ALLARENAS] = { "runtime.mheap", "allArenas" },
	[PM_GO_MHEAP_ARENAS] = { "runtime.mheap", "arenas" },
	[PM_GO_MHEAP_PAGES] = { "runtime.mheap", "pages" },
	[PM_GO_PAGES_SUMMARY] = { "runtime.pageAlloc", "summary" },
	[PM_GO_PAGES_CHUNKS] = { "runtime.pageAlloc", "chunks" },
	[PM_GO_PALLOC_SIZE] = { "runtime.pallocData", NULL },
	[PM_GO_ARENA_SIZE] = { "runtime.heapArena", NULL },
	[PM_GO_SPAN_START] = { "runtime.mspan", "startAddr" },
	[PM_GO_SPAN_PAGES] = { "runtime.mspan", "npages" },
	[PM_GO_SPAN_STATE] = { "runtime.mspan", "state" },
	[PM_GO_SPAN_ELEMENT] = { "runtime.mspan", "elemsize" },
	[PM_GO_STATS_HEAP] = { "runtime.mstats", "heapStats" },
	[PM_GO_STATS_COLLECTIONS] = { "runtime.mstats", "numgc" },
	[PM_GO_STATS_PAUSES] = { "runtime.mstats", "pause_total_ns" },
	[PM_GO_CONSISTENT_STATS] = { "runtime.consistentHeapStats", "stats" },
	[PM_GO_DELTA_SIZE] = { "runtime.heapStatsDelta", NULL },
	[PM_GO_DELTA_HEAP] = { "runtime.heapStatsDelta", "inHeap" },
	[PM_GO_DELTA_STACKS] = { "runtime.heapStatsDelta", "inStacks" },
	[PM_GO_CONTROLLER_LIMIT] = { "runtime.gcControllerState", "memoryLimit" },
	[PM_GO_CONTROLLER_READY] = { "runtime.gcControllerState", "mappedReady" },
	[PM_GO_CONTROLLER_FREE] = { "runtime.gcControllerState", "heapFree" },
	[PM_GO_CONTROLLER_RELEASED] = { "runtime.gcControllerState", "heapReleased" },
	[PM_GO_CONTROLLER_MARKED] = { "runtime.gcControllerState", "heapMarked" },
	[PM_GO_SCHED_SYSTEM] = { "runtime.schedt", "ngsys" },
	[PM_GO_G_STATUS] = { "runtime.g", "atomicstatus" },
	[PM_GO_G_LOCKED] = { "runtime.g", "lockedm" },
};

/** No structure of the runtime is larger; a larger offset is not one of the runtime. */
static const uint64_t offset_max = UINT64_C(1) << 24;

static void read_variables(struct pm_runtimes_context *context, const struct pm_region *region,
                           struct pm_go_layout *layout)
{
	struct pm_runtime_symbol symbols[PM_GO_VARIABLES] = { 0 };

	for (size_t i = 0; i < PM_GO_VARIABLES; i++)
		symbols[i].name = variables[i];
	pm_runtime_find_symbols(context, region, symbols, PM_GO_VARIABLES);
	for (size_t i = 0; i < PM_GO_VARIABLES; i++)
		layout->variables[i] = symbols[i].address;
}

static void read_fields(struct pm_runtimes_context *context, const struct pm_region *region,
                        struct pm_go_layout *layout)
{
	struct pm_dwarf_field found[PM_GO_FIELDS];
	int fd;

	for (size_t i = 0; i < PM_GO_FIELDS; i++)
		found[i] = (struct pm_dwarf_field){ .type = fields[i].type,
			                            .member = fields[i].member };
	if (pm_mapped_file_open(context->source->process, region, &fd, NULL) < 0)
		return;

	pm_dwarf_fields_find(fd, "runtime", found, PM_GO_FIELDS);
	close(fd);
	for (size_t i = 0; i < PM_GO_FIELDS; i++)
		if (found[i].found && found[i].value <= offset_max)
			layout->fields[i] = found[i].value;
}

void pm_go_layout_read(struct pm_runtimes_context *context, const struct pm_region *region,
                       struct pm_go_layout *layout)
{
	memset(layout->variables, 0, sizeof layout->variables);
	for (size_t i = 0; i < PM_GO_FIELDS; i++)
		layout->fields[i] = PM_GO_NONE;

	read_variables(context, region, layout);
	if (layout->variables[PM_GO_MHEAP] != 0)
		read_fields(context, region, layout);
}

bool pm_go_layout_has(const struct pm_go_layout *layout, enum pm_go_variable variable,
                      enum pm_go_field first, enum pm_go_field last)
{
	if (layout->variables[variable] == 0)
		return false;
	for (unsigned i = first; i <= (unsigned)last; i++)
		if (layout->fields[i] == PM_GO_NONE)
			return false;

	return true;
}
