/* SPDX-License-Identifier: MIT */
#include "dump/hex.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/file_reader.h>

#include "base/alloc.h"
#include "dump/source.h"
#include "view/hex_view.h"

/** State while memory is printed. */
struct viewer {
	struct dump *dump;
	struct hex_view view;
	struct pm_dump_result *result;
	struct pm_unreadable_list unreadable; /* unreadable ranges of the current unit */
	size_t next; /* index in `unreadable` of the first range that is not shown yet */
	struct pm_unit unit;
	char bytes[PM_UNIT_SIZE];
};

static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct viewer *viewer = context;
	unreadable_add(&viewer->unreadable, range);
	unreadable_add(&viewer->dump->memory.unreadable, range);
}

/** Shows a segment that was read. Unreadable ranges are shown as lines with the reason. */
static void show_read(struct viewer *viewer, const struct pm_segment *segment, const char *bytes)
{
	const struct pm_unreadable_list *unreadable = &viewer->unreadable;
	struct pm_range rest = { segment->start, segment->end };

	for (; viewer->next < unreadable->count &&
	       unreadable->items[viewer->next].start < segment->end;
	     viewer->next++) {
		const struct pm_unreadable *range = &unreadable->items[viewer->next];
		struct pm_range bad = pm_range_clip((struct pm_range){ range->start, range->end },
		                                    rest);
		struct pm_range good = { rest.start, bad.start };

		hex_view_bytes(&viewer->view, good.start, bytes + (good.start - segment->start),
		               (size_t)pm_range_size(good));
		hex_view_unreadable(&viewer->view, bad.start, bad.end, range->why);
		viewer->result->bytes += pm_range_size(good);
		viewer->result->unreadable += pm_range_size(bad);

		rest.start = bad.end;
		/* Do not advance `next`, because the range continues in the next segment. */
		if (range->end > segment->end)
			break;
	}

	hex_view_bytes(&viewer->view, rest.start, bytes + (rest.start - segment->start),
	               (size_t)pm_range_size(rest));
	viewer->result->bytes += pm_range_size(rest);
}

static void show_unread(struct viewer *viewer, const struct pm_segment *segment)
{
	uint64_t size = segment->end - segment->start;
	if (segment->type == PM_SEGMENT_HOLE) {
		hex_view_zeros(&viewer->view, segment->start, size);
		viewer->result->holes += size;
		return;
	}

	hex_view_unreadable(&viewer->view, segment->start, segment->end, segment->why);
	if (segment->type == PM_SEGMENT_FILE || segment->type == PM_SEGMENT_SHARED)
		viewer->result->untouched += size;
	else if (segment->type == PM_SEGMENT_PENDING)
		viewer->result->pending += size;
	else
		viewer->result->forbidden += size;
}

static int show_unit(struct viewer *viewer, struct pm_error *error)
{
	struct dump *dump = viewer->dump;
	const struct pm_unit_source source = {
		.target = &dump->memory.reader,
		.files = dump->memory.files.ops ? &dump->memory.files : NULL,
		.unreadable = note_unreadable,
		.context = viewer,
		.cancel = dump->memory.cancel,
	};

	const char *bytes = viewer->bytes;

	pm_unreadable_list_deinit(&viewer->unreadable);
	viewer->next = 0;
	if (pm_unit_read(&source, &viewer->unit, viewer->bytes, error) < 0)
		return -1;

	for (size_t i = 0; i < viewer->unit.count; i++) {
		const struct pm_segment *segment = &viewer->unit.segments[i];
		if (!segment->wanted) {
			show_unread(viewer, segment);
			continue;
		}
		show_read(viewer, segment, bytes);
		bytes += segment->end - segment->start;
	}

	return 0;
}

int dump_hex(struct dump *dump, struct out *out, struct pm_dump_result *result,
             struct pm_error *error)
{
	const struct memory *memory = &dump->memory;
	const struct pm_plan_options options = { .pages = &memory->pages,
		                                 .files = memory->files.ops != NULL,
		                                 .holes = pm_file_reader_holes(&memory->files),
		                                 .cancel = memory->cancel };
	struct pm_plan *plan;
	int more;

	*result = (struct pm_dump_result){ .size = memory_size(&dump->memory) };
	if (pm_plan_open(&memory->loaded.regions, memory->ranges, memory->count, &options, &plan,
	                 error) < 0)
		return -1;

	struct viewer *viewer = alloc_array(NULL, 1, sizeof *viewer);
	viewer->dump = dump;
	viewer->view = (struct hex_view){ .out = out };
	viewer->result = result;
	viewer->unreadable = (struct pm_unreadable_list){ 0 };

	/* Stop when the reader of the output has closed the pipe. */
	while ((more = pm_plan_next(plan, &viewer->unit, error)) > 0 && !out_failed(out))
		if (show_unit(viewer, error) < 0) {
			more = -1;
			break;
		}

	if (more >= 0)
		hex_view_end(&viewer->view);
	pm_unreadable_list_deinit(&viewer->unreadable);
	free(viewer);
	pm_plan_close(plan);
	if (more < 0)
		return -1;

	if (!memory->target.process)
		return 0;

	return pm_process_check(memory->target.process, error);
}
