/* SPDX-License-Identifier: MIT */
#include "reader/copy_threads.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/threads.h>

#include "base/array.h"
#include "base/wipe.h"
#include "reader/core_notes.h"

/*
 * Positions in struct user_regs_struct of x86-64. ORIG_RAX is the number of the system call in
 * which the thread is, or negative.
 */
enum { REGISTER_ORIG_RAX = 15, REGISTER_RSP = 19, REGISTER_FS_BASE = 21 };

#ifdef __x86_64__
/*
 * Words of an XSAVE area (Intel SDM, volume 1, chapter 13). The FXSAVE area at its start has
 * control words and addresses of instructions, the registers of the x87 and MMX, those of SSE, and
 * bytes that software may use. The header of the XSAVE area follows, and then the other registers.
 * All registers, with those of AMX, take less than 16 KiB.
 */
enum { X87_START = 32 / 8, SSE_END = 416 / 8, REST_START = 576 / 8, XSAVE_WORDS = 2048 };

/** Addresses are below this: user space has 56 bits with page tables of five levels. */
static const uint64_t ADDRESS_END = UINT64_C(1) << 56;

/** Sets words that cannot be addresses to 0. Returns the number of words without zeros at the end.
 */
static size_t keep_addresses(uint64_t *words, size_t count)
{
	size_t used = 0;

	memset(words, 0, X87_START * sizeof *words);
	memset(&words[SSE_END], 0, (REST_START - SSE_END) * sizeof *words);
	for (size_t i = 0; i < count; i++) {
		if (words[i] >= ADDRESS_END)
			words[i] = 0;
		if (words[i] != 0)
			used = i + 1;
	}

	return used;
}

/**
 * Copies the vector registers of a thread.
 * @param words  room for XSAVE_WORDS words, all zeros
 * @param room   number of words that may be allocated; is reduced
 * @return       false if the registers could not be read, or if there is no memory for them
 */
static bool copy_vectors(struct pm_stop *stop, size_t index, uint64_t *words, size_t *room,
                         struct pm_copy_thread *thread)
{
	size_t size = 0, max = XSAVE_WORDS * sizeof *words;
	if (pm_stop_read_registers(stop, index, NT_X86_XSTATE, words, max, &size, NULL) < 0 &&
	    pm_stop_read_registers(stop, index, NT_FPREGSET, words, max, &size, NULL) < 0)
		return false;

	size_t count = keep_addresses(words, size / sizeof *words);
	if (count == 0)
		return true;
	if (count > *room)
		return false;

	thread->vectors = calloc(count, sizeof *thread->vectors);
	if (!thread->vectors)
		return false;

	memcpy(thread->vectors, words, count * sizeof *words);
	thread->vector_count = count;
	*room -= count;
	return true;
}

static bool read_vectors(struct pm_stop *stop, size_t index, size_t *room,
                         struct pm_copy_thread *thread)
{
	uint64_t words[XSAVE_WORDS] = { 0 };
	bool result = copy_vectors(stop, index, words, room, thread);

	explicit_bzero(words, sizeof words);
	return result;
}
#endif

/**
 * Reads the registers of a thread.
 * @param room  number of words of vector registers that may be allocated; is reduced
 */
static void read_registers(struct pm_stop *stop, size_t index, size_t *room,
                           struct pm_copy_thread *thread)
{
	thread->registers_missing = true;
#ifdef __x86_64__
	size_t size = 0;
	if (pm_stop_read_registers(stop, index, NT_PRSTATUS, thread->registers,
	                           sizeof thread->registers, &size, NULL) < 0 ||
	    size < sizeof thread->registers)
		return;

	thread->registers_known = true;
	thread->stack_pointer = thread->registers[REGISTER_RSP];
	thread->thread_pointer = thread->registers[REGISTER_FS_BASE];
	bool in_call = (int64_t)thread->registers[REGISTER_ORIG_RAX] >= 0;
	thread->registers_missing = !in_call && !read_vectors(stop, index, room, thread);
#else
	(void)stop, (void)index, (void)room;
#endif
}

int pm_copy_threads_read(struct pm_stop *stop, uint64_t vectors_max,
                         struct pm_copy_thread **threads, size_t *count, struct pm_error *error)
{
	size_t found = pm_stop_count(stop), room = (size_t)vectors_max / sizeof(uint64_t);
	struct pm_copy_thread *made = calloc(found + 1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < found; i++) {
		made[i].tid = pm_stop_thread(stop, i)->tid;
		read_registers(stop, i, &room, &made[i]);
	}

	*threads = made;
	*count = found;
	return 0;
}

int pm_copy_threads_read_core(const struct pm_core *core, struct pm_copy_thread **threads,
                              size_t *count, struct pm_error *error)
{
	size_t found;
	const struct pm_thread *saved = pm_core_threads(core, &found);
	struct pm_copy_thread *made = calloc(found + 1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < found; i++) {
		const uint64_t *registers = pm_core_registers(core, saved[i].tid);
		made[i].tid = saved[i].tid;
		made[i].stack_pointer = saved[i].stack_pointer;
		made[i].registers_missing = !registers;
		if (!registers)
			continue;
		memcpy(made[i].registers, registers, sizeof made[i].registers);
		made[i].registers_known = true;
		made[i].thread_pointer = registers[REGISTER_FS_BASE];
	}

	*threads = made;
	*count = found;
	return 0;
}

void pm_copy_threads_free(struct pm_copy_thread *threads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pm_wipe_free(threads[i].vectors,
		             threads[i].vector_count * sizeof *threads[i].vectors);
	pm_wipe_free(threads, count * sizeof *threads);
}

void pm_copy_threads_name(struct pm_process *process, struct pm_copy_thread *threads, size_t count)
{
	struct pm_thread *named;
	size_t named_count, next = 0;
	if (pm_process_read_threads(process, PM_THREAD_NAMES, &named, &named_count, NULL) < 0)
		return;

	for (size_t i = 0; i < count; i++) {
		while (next < named_count && named[next].tid < threads[i].tid)
			next++;
		if (next < named_count && named[next].tid == threads[i].tid)
			memcpy(threads[i].name, named[next].name, PM_COMM_SIZE);
	}

	free(named);
}
