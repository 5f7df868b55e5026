/* SPDX-License-Identifier: MIT */
#include <procmem/stacks.h>

#include <string.h>

int pm_stacks_open(struct pm_stacks **stacks, struct pm_error *error)
{
	(void)stacks;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot store stacks");
}

void pm_stacks_close(struct pm_stacks *stacks)
{
	(void)stacks;
}

int pm_stacks_add(struct pm_stacks *stacks, const uint64_t *addresses, size_t count, bool cut,
                  uint32_t *number, struct pm_error *error)
{
	(void)stacks;
	(void)addresses;
	(void)count;
	(void)cut;
	(void)number;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot store stacks");
}

size_t pm_stacks_count(const struct pm_stacks *stacks)
{
	(void)stacks;
	return 1;
}

size_t pm_stacks_addresses(const struct pm_stacks *stacks, uint32_t number,
                           const uint64_t **addresses, bool *cut)
{
	(void)stacks;
	(void)number;
	(void)addresses;
	if (cut)
		*cut = false;
	return 0;
}

void pm_stacks_get(const struct pm_stacks *stacks, uint32_t number, struct pm_stack *stack)
{
	(void)stacks;
	(void)number;
	memset(stack, 0, sizeof *stack);
}
