/* SPDX-License-Identifier: MIT */
/*
 * A stack is unwound by the rules of its addresses (child_rules.h). If one of its rules is not
 * simple, or memory cannot be read, libdw unwinds the whole stack.
 *
 * libdw unwinds a "process" with one thread. The state of the thread is the sample: its registers,
 * and its stack as the only memory.
 */
#include "stack/child_unwind.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The process and thread ID that libdw sees. It makes no system calls with them. */
enum { SAMPLE_ID = 1 };

/* Numbers of registers in DWARF (System V ABI for x86-64, figure 3.36) in their order. */
static const enum pm_unwind_register dwarf_order[] = {
	PM_UNWIND_AX,  PM_UNWIND_DX,  PM_UNWIND_CX,  PM_UNWIND_BX,  PM_UNWIND_SI,  PM_UNWIND_DI,
	PM_UNWIND_BP,  PM_UNWIND_SP,  PM_UNWIND_R8,  PM_UNWIND_R9,  PM_UNWIND_R10, PM_UNWIND_R11,
	PM_UNWIND_R12, PM_UNWIND_R13, PM_UNWIND_R14, PM_UNWIND_R15, PM_UNWIND_IP,
};

enum { DWARF_REGISTERS = sizeof dwarf_order / sizeof *dwarf_order };

/* Bytes after the copy that can belong to the stack of the thread. */
static const uint64_t stack_reach = UINT64_C(1) << 30;

/** The sample that is unwound: the argument of the callbacks. */
struct state {
	const struct pm_stack_sample *sample;
	const char *stack;
	struct pm_stack_unwound *unwound;
	bool failed;     /* memory could not be read since the last frame was found */
	bool short_copy; /* that memory was after the copy of the stack */
};

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = context;
	return SAMPLE_ID;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = context;
	return true;
}

/** Reads 8 bytes of the copy of the stack. */
static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *context)
{
	struct state *state = context;
	uint64_t start = state->sample->registers[PM_UNWIND_SP];
	uint64_t offset = address - start;
	(void)dwfl;

	if (address < start) {
		state->failed = true;
		return false;
	}
	if (state->sample->size < sizeof *result || offset > state->sample->size - sizeof *result) {
		state->failed = true;
		state->short_copy = state->short_copy || offset < stack_reach;
		return false;
	}

	memcpy(result, state->stack + offset, sizeof *result);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct state *state = context;
	Dwarf_Word values[DWARF_REGISTERS];

	for (size_t i = 0; i < DWARF_REGISTERS; i++)
		values[i] = state->sample->registers[dwarf_order[i]];

	dwfl_thread_state_register_pc(thread, state->sample->registers[PM_UNWIND_IP]);
	return dwfl_thread_state_registers(thread, 0, DWARF_REGISTERS, values);
}

/** Adds a frame to the stack. */
static int add_frame(Dwfl_Frame *frame, void *context)
{
	struct state *state = context;
	struct pm_stack_unwound *unwound = state->unwound;
	Dwarf_Addr address;
	bool is_exact;

	/* dwfl_frame_pc() unwinds to the caller, because a caller that is a signal frame has an
	 * exact address. A failure from here on therefore concerns the caller. */
	state->failed = false;
	state->short_copy = false;
	if (!dwfl_frame_pc(frame, &address, &is_exact) || unwound->count == PM_STACK_MAX) {
		unwound->cut = true;
		return DWARF_CB_ABORT;
	}

	/* A return address belongs to the line of the call before it. */
	if (unwound->count > 0 && !is_exact)
		address--;
	unwound->addresses[unwound->count++] = address;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks thread_calls = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

bool pm_child_unwind_attach(struct pm_child_files *files)
{
	files->thread = calloc(1, sizeof(struct state));
	if (!files->thread)
		return false;

	return dwfl_attach_state(files->dwfl, files->vdso, SAMPLE_ID, &thread_calls, files->thread);
}

/** Reads 8 bytes of the copy of the stack. Returns false outside of the copy. */
static bool read_word(const struct pm_stack_sample *sample, const char *stack, uint64_t address,
                      uint64_t *word)
{
	uint64_t offset = address - sample->registers[PM_UNWIND_SP];

	if (sample->size < sizeof *word || offset > sample->size - sizeof *word)
		return false;

	memcpy(word, stack + offset, sizeof *word);
	return true;
}

/** What is known of a frame. */
struct frame {
	uint64_t address; /* of its code */
	uint64_t pointer; /* rsp */
	uint64_t base;    /* rbp */
};

/** Finds the caller of a frame. Returns false if libdw must do it. */
static bool find_caller(const struct pm_child_rule *rule, const struct pm_stack_sample *sample,
                        const char *stack, struct frame *frame)
{
	uint64_t from = rule->cfa_from_frame ? frame->base : frame->pointer;
	uint64_t cfa = from + (uint64_t)(int64_t)rule->cfa_offset;
	uint64_t caller;

	/* The stack shrinks with each return. */
	if (rule->kind != PM_CHILD_RULE_FRAME || cfa <= frame->pointer ||
	    !read_word(sample, stack, cfa + (uint64_t)(int64_t)rule->return_offset, &caller) ||
	    caller == 0)
		return false;
	if (rule->frame_saved &&
	    !read_word(sample, stack, cfa + (uint64_t)(int64_t)rule->frame_offset, &frame->base))
		return false;

	frame->pointer = cfa;
	/* A return address belongs to the line of the call before it. */
	frame->address = caller - 1;
	return true;
}

bool pm_child_unwind_by_rules(struct pm_child_files *files, const struct pm_stack_sample *sample,
                              const char *stack, struct pm_stack_unwound *unwound)
{
	struct frame frame = { .address = sample->registers[PM_UNWIND_IP],
		               .pointer = sample->registers[PM_UNWIND_SP],
		               .base = sample->registers[PM_UNWIND_BP] };

	memset(unwound, 0, offsetof(struct pm_stack_unwound, addresses));
	while (unwound->count < PM_STACK_MAX) {
		const struct pm_child_rule *rule = pm_child_rules_find(&files->rules, files->dwfl,
		                                                       frame.address);

		unwound->addresses[unwound->count++] = frame.address;
		if (rule && rule->kind == PM_CHILD_RULE_LAST)
			return true;
		if (!rule || !find_caller(rule, sample, stack, &frame))
			return false;
	}

	return false;
}

void pm_child_unwind(struct pm_child_files *files, const struct pm_stack_sample *sample,
                     const char *stack, struct pm_stack_unwound *unwound)
{
	if (!pm_child_unwind_by_rules(files, sample, stack, unwound))
		pm_child_unwind_by_libdw(files, sample, stack, unwound);
}

void pm_child_unwind_by_libdw(struct pm_child_files *files, const struct pm_stack_sample *sample,
                              const char *stack, struct pm_stack_unwound *unwound)
{
	struct state *state = files->thread;

	unwound->count = 0;
	unwound->cut = false;
	unwound->short_copy = false;
	unwound->padding = 0;
	*state = (struct state){ sample, stack, unwound, false, false };

	/* libdw returns 0 after the outermost frame, and also where it cannot read memory. */
	int result = dwfl_getthread_frames(files->dwfl, SAMPLE_ID, add_frame, state);
	if (result != 0 || state->failed)
		unwound->cut = true;
	unwound->short_copy = state->short_copy;
}
