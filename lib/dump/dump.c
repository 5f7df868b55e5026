/* SPDX-License-Identifier: MIT */
#include <procmem/dump.h>

#include "base/clock.h"
#include "dump/copy.h"
#include "dump/output.h"

static int put_out(void *context, const struct pm_part *part, struct pm_error *error)
{
	struct pm_output *output = context;
	uint64_t size = pm_range_size(part->range);
	return part->type == PM_PART_BYTES
	               ? pm_output_bytes(output, part->bytes, (size_t)size, error)
	               : pm_output_zeros(output, size, error);
}

int pm_dump_raw(const struct pm_dump_source *source, int fd, struct pm_dump_result *result,
                struct pm_error *error)
{
	struct pm_output output;
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);

	if (pm_output_init(&output, fd, source->cancel, error) < 0)
		return -1;

	*result = (struct pm_dump_result){ 0 };
	int done = pm_dump_copy(source, put_out, &output, result, error);
	if (done == 0)
		done = pm_output_finish(&output, error);
	pm_output_deinit(&output);
	result->size = output.at;
	result->nanoseconds = pm_clock_ns(CLOCK_MONOTONIC) - begin;

	return done;
}
