/* SPDX-License-Identifier: MIT */
#include <procmem/unwinder.h>

#include <string.h>

int pm_unwinder_open(struct pm_process *process, struct pm_stacks *stacks,
                     struct pm_unwinder **unwinder, struct pm_error *error)
{
	(void)process;
	(void)stacks;
	(void)unwinder;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot unwind stacks");
}

void pm_unwinder_close(struct pm_unwinder *unwinder)
{
	(void)unwinder;
}

int pm_unwinder_add(struct pm_unwinder *unwinder, const struct pm_unwind_sample *samples,
                    size_t count, uint32_t *numbers, struct pm_error *error)
{
	(void)unwinder;
	(void)samples;
	(void)count;
	(void)numbers;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot unwind stacks");
}

void pm_unwinder_refresh(struct pm_unwinder *unwinder, bool exec)
{
	(void)unwinder;
	(void)exec;
}

int pm_unwinder_name(struct pm_unwinder *unwinder, struct pm_error *error)
{
	(void)unwinder;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot unwind stacks");
}

void pm_unwinder_state(const struct pm_unwinder *unwinder, struct pm_unwinder_state *state)
{
	(void)unwinder;
	memset(state, 0, sizeof *state);
}
