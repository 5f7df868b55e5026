/* SPDX-License-Identifier: MIT */
#include <procmem/trace.h>

#include <string.h>

int pm_trace_attach(struct pm_process *process, const struct pm_trace_options *options,
                    struct pm_trace **trace, struct pm_error *error)
{
	(void)process;
	(void)options;
	(void)trace;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot trace");
}

void pm_trace_close(struct pm_trace *trace)
{
	(void)trace;
}

struct pm_process *pm_trace_process(const struct pm_trace *trace)
{
	(void)trace;
	return NULL;
}

int pm_trace_run(struct pm_trace *trace, double seconds, enum pm_trace_end *end,
                 struct pm_error *error)
{
	(void)trace;
	(void)seconds;
	(void)end;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot trace");
}

const struct pm_stacks *pm_trace_stacks(const struct pm_trace *trace)
{
	(void)trace;
	return NULL;
}

void pm_trace_state(const struct pm_trace *trace, struct pm_trace_state *state)
{
	(void)trace;
	memset(state, 0, sizeof *state);
}

int pm_trace_measure(struct pm_trace *trace, struct pm_trace_result *result, struct pm_error *error)
{
	(void)trace;
	(void)result;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot trace");
}

void pm_trace_result_deinit(struct pm_trace_result *result)
{
	(void)result;
}

int pm_trace_start(char *const *arguments, const struct pm_trace_options *options,
                   struct pm_trace **trace, struct pm_error *error)
{
	(void)arguments;
	(void)options;
	(void)trace;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot start a command");
}
