/* SPDX-License-Identifier: MIT */
/*
 * The parent's side: it fills the shared memory with requests, checks the answers, and adds them to
 * the store of stacks. See protocol.h.
 */
#include <procmem/unwinder.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "stack/helper.h"
#include "stack/modules.h"
#include "stack/namer.h"
#include "stack/stacks.h"

/* Addresses from here on are those of the kernel, and the markers PERF_CONTEXT_* in a chain. */
static const uint64_t kernel_start = UINT64_C(1) << 63;

struct pm_unwinder {
	struct pm_stacks *stacks;
	struct pm_namer namer;
	struct pm_unwinder_state state;
};

/** Reads the list of mapped files again, and sends it to the child if it changed. */
static int update_modules(struct pm_unwinder *unwinder, bool exec, struct pm_error *error)
{
	struct pm_namer *namer = &unwinder->namer;
	struct pm_modules modules;
	struct pm_modules_change change;

	int result = pm_modules_read(namer->helper.process, &namer->modules, &modules, &change,
	                             error);
	if (result < 0 && !exec)
		return -1;
	/* The process has ended since. The files of the old program must not name addresses of the
	 * new one. */
	if (result < 0) {
		modules = (struct pm_modules){ .next_number = namer->modules.next_number };
		change = (struct pm_modules_change){ .removed = true };
	}

	/* Names in files that are no longer mapped can only be found now. */
	if (change.removed || exec) {
		pm_namer_run(namer, NULL);
		pm_stacks_next_program(unwinder->stacks);
	}
	if (exec)
		pm_namer_follow_exec(namer);

	pm_modules_deinit(&namer->modules);
	namer->modules = modules;
	if (!change.added && !change.removed)
		return 0;

	const size_t max = (size_t)PM_STACK_INPUT_SIZE / sizeof(struct pm_stack_module);
	size_t count = pm_min(modules.count, max);
	struct pm_stack_module *list = (void *)namer->helper.area->input;
	for (size_t i = 0; i < count; i++)
		list[i] = modules.items[i].module;

	struct pm_stack_message message = { .kind = PM_STACK_MODULES, .count = (uint32_t)count };
	pm_helper_ask(&namer->helper, &modules, &message);
	return result;
}

int pm_unwinder_open(struct pm_process *process, struct pm_stacks *stacks,
                     const volatile sig_atomic_t *cancel, struct pm_unwinder **unwinder,
                     struct pm_error *error)
{
#ifndef __x86_64__
	(void)process;
	(void)stacks;
	(void)cancel;
	(void)unwinder;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "stacks can be unwound on x86-64 only");
#else
	struct pm_unwinder *new = calloc(1, sizeof *new);
	if (!new)
		return pm_error_out_of_memory(error);

	new->stacks = stacks;
	if (pm_namer_init(&new->namer, process, stacks, cancel, error) < 0 ||
	    update_modules(new, false, error) < 0) {
		pm_unwinder_close(new);
		return -1;
	}

	*unwinder = new;
	return 0;
#endif
}

void pm_unwinder_close(struct pm_unwinder *unwinder)
{
	if (!unwinder)
		return;

	pm_namer_deinit(&unwinder->namer);
	free(unwinder);
}

void pm_unwinder_set_cancel(struct pm_unwinder *unwinder, const volatile sig_atomic_t *cancel)
{
	unwinder->namer.helper.cancel = cancel;
}

void pm_unwinder_refresh(struct pm_unwinder *unwinder, bool exec)
{
	/* If the target has gone, the list stays. */
	update_modules(unwinder, exec, NULL);
}

/** Returns the chain of frame pointers of a sample as a stack. */
static uint32_t copy_chain(const struct pm_unwind_sample *sample, uint64_t *addresses)
{
	uint32_t count = 0;

	for (size_t i = 0; i < sample->chain_count && count < PM_STACK_MAX; i++) {
		if (sample->chain[i] >= kernel_start || sample->chain[i] == 0)
			continue;
		addresses[count] = sample->chain[i] - (count > 0);
		count++;
	}
	return count;
}

/** Adds the stack of a sample to the store. @param unwound of the child, not checked */
static int store(struct pm_unwinder *unwinder, const struct pm_unwind_sample *sample,
                 const struct pm_stack_unwound *unwound, uint32_t *number, struct pm_error *error)
{
	struct pm_unwinder_state *state = &unwinder->state;
	uint64_t chain[PM_STACK_MAX];
	uint64_t addresses[PM_STACK_MAX];

	/* The child can change the memory at any time: each field is read once. */
	uint32_t count = __atomic_load_n(&unwound->count, __ATOMIC_RELAXED);
	bool cut = __atomic_load_n(&unwound->cut, __ATOMIC_RELAXED) != 0;
	bool short_copy = __atomic_load_n(&unwound->short_copy, __ATOMIC_RELAXED) != 0;
	if (count > PM_STACK_MAX)
		count = PM_STACK_MAX;
	memcpy(addresses, unwound->addresses, count * sizeof *addresses);

	state->samples++;
	state->cut += short_copy;
	if (count > 1)
		return pm_stacks_add(unwinder->stacks, addresses, count, cut, number, error);

	uint32_t chain_count = copy_chain(sample, chain);
	if (chain_count <= count)
		return pm_stacks_add(unwinder->stacks, addresses, count, cut, number, error);

	/* Nothing shows whether such a chain is complete. */
	state->frame_chain++;
	return pm_stacks_add(unwinder->stacks, chain, chain_count, true, number, error);
}

/** Copies samples to the shared memory. @return the number of samples that fit, at least 1 */
static size_t fill_request(struct pm_stack_area *area, const struct pm_unwind_sample *samples,
                           size_t count)
{
	struct pm_stack_sample *wire = (void *)area->input;
	size_t offset = PM_STACK_BATCH_MAX * sizeof *wire;
	size_t i;

	for (i = 0; i < count && i < PM_STACK_BATCH_MAX; i++) {
		size_t size = pm_min(samples[i].stack_size, (size_t)PM_UNWIND_STACK_MAX);
		if (size > sizeof area->input - offset)
			break;

		memcpy(wire[i].registers, samples[i].registers, sizeof wire[i].registers);
		wire[i].offset = (uint32_t)offset;
		wire[i].size = (uint32_t)size;
		if (size > 0)
			memcpy(area->input + offset, samples[i].stack, size);
		offset += (size + 7) & ~(size_t)7;
	}
	return i;
}

int pm_unwinder_add(struct pm_unwinder *unwinder, const struct pm_unwind_sample *samples,
                    size_t count, uint32_t *numbers, struct pm_error *error)
{
	struct pm_helper *helper = &unwinder->namer.helper;

	for (size_t i = 0; i < count; i++)
		numbers[i] = PM_STACK_NONE;

	while (count > 0 && helper->pid != 0) {
		size_t batch = fill_request(helper->area, samples, count);
		struct pm_stack_message message = { .kind = PM_STACK_UNWIND,
			                            .count = (uint32_t)batch };
		if (!pm_helper_ask(helper, &unwinder->namer.modules, &message))
			return 0;

		const struct pm_stack_unwound *unwound = (const void *)helper->area->output;
		unwinder->state.unwound_ns += message.ns;
		for (size_t i = 0; i < batch; i++)
			if (store(unwinder, &samples[i], &unwound[i], &numbers[i], error) < 0)
				return -1;

		samples += batch;
		numbers += batch;
		count -= batch;
	}
	return 0;
}

int pm_unwinder_name(struct pm_unwinder *unwinder, struct pm_error *error)
{
	return pm_namer_run(&unwinder->namer, error);
}

void pm_unwinder_state(const struct pm_unwinder *unwinder, struct pm_unwinder_state *state)
{
	const struct pm_helper *helper = &unwinder->namer.helper;

	*state = unwinder->state;
	state->alive = helper->pid != 0;
	memcpy(state->why, helper->why, sizeof state->why);
}
