/* SPDX-License-Identifier: MIT */
#include "support/watching.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void watching_command(struct watching *watching, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(watching->target.to, format, arguments);
	va_end(arguments);
	fputc('\n', watching->target.to);
	fflush(watching->target.to);

	char *line = target_await(&watching->target, "change ");
	int64_t size, resident;
	assert_int_equal(sscanf(line, "change %" SCNd64 " %" SCNd64, &size, &resident), 2);
	free(line);
	free(target_await(&watching->target, "done"));
	watching->size += size;
	watching->resident += resident;
}

void watching_take(struct watching *watching, struct pm_sample *sample)
{
	struct pm_error error = { 0 };
	if (pm_sampler_take(watching->sampler, sample, &error) < 0)
		fail_msg("%s", error.text);
}

void watching_begin(struct watching *watching, const struct pm_sampler_options *options)
{
	struct pm_error error = { 0 };
	*watching = (struct watching){ 0 };
	target_start(&watching->target, "grower", NULL);

	/* The first command loads everything that later ones need. */
	watching_command(watching, "map warm 20");
	watching_command(watching, "grow warm 20");
	watching_command(watching, "unmap warm");
	watching->size = watching->resident = 0;
	if (pm_process_open(NULL, watching->target.pid, &watching->process, &error) < 0 ||
	    pm_sampler_open(watching->process, options, &watching->sampler, &error) < 0)
		fail_msg("%s", error.text);
}

void watching_end(struct watching *watching)
{
	pm_sampler_close(watching->sampler);
	pm_process_close(watching->process);
	target_stop(&watching->target);
}
