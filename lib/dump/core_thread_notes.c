/* SPDX-License-Identifier: MIT */
/*
 * Writes the notes of a thread with the structures of <sys/procfs.h>. Their layouts are those of
 * <linux/elfcore.h> for the machine that procmem is compiled for.
 */
#include "dump/core_thread_notes.h"

#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#include "base/array.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"
#include "proc/status.h"
#include "proc/threads.h"

#ifndef NT_ARM_TLS
#define NT_ARM_TLS 0x401
#endif

#ifndef NT_X86_XSAVE_LAYOUT
#define NT_X86_XSAVE_LAYOUT 0x205
#endif

/*
 * Maximum size of a register set in bytes. The largest sets have 11 KiB on x86 (AMX tiles), and 85
 * KiB on ARM (SVE and SME with the maximum vector length).
 */
enum { REGISTERS_MAX = 128 * 1024 };

/**
 * Register sets that are written in addition to the general registers, with the names and types of
 * their notes.
 */
static const struct {
	const char *name;
	uint32_t type;
} register_sets[] = {
	{ "CORE", NT_FPREGSET },
#if defined __x86_64__
	{ "LINUX", NT_X86_XSTATE },
#elif defined __aarch64__
	{ "LINUX", NT_ARM_TLS },
#endif
};

static struct timeval time_of(uint64_t ticks)
{
	uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK);
	return (struct timeval){ .tv_sec = (time_t)(ticks / second),
		                 .tv_usec = (suseconds_t)(ticks % second * 1000000 / second) };
}

/**
 * Sets the stack pointer and the program counter. /proc can show these two registers even if the
 * thread was not stopped.
 */
static void set_pointers(elf_gregset_t *registers, uint64_t stack_pointer, uint64_t program_counter)
{
#if defined __x86_64__
	struct user_regs_struct *fields = (struct user_regs_struct *)registers;
	fields->rsp = stack_pointer;
	fields->rip = program_counter;
#elif defined __aarch64__
	struct user_regs_struct *fields = (struct user_regs_struct *)registers;
	fields->sp = stack_pointer;
	fields->pc = program_counter;
#else
	(void)registers;
	(void)stack_pointer;
	(void)program_counter;
#endif
}

/**
 * Sets the IDs, times and signal masks in NT_PRSTATUS.
 * @return false if the thread has exited
 */
static bool fill_status(const struct pm_core_thread *thread, struct elf_prstatus *status)
{
	const struct pm_procfs *procfs = &thread->process->procfs;
	char name[64], *text;
	struct pm_process_stat stat;
	snprintf(name, sizeof name, "task/%d/stat", (int)thread->tid);
	if (pm_process_stat_read(procfs, name, &stat) < 0 || pm_state_is_dead(stat.state))
		return false;

	status->pr_pid = thread->tid;
	status->pr_ppid = (pid_t)stat.parent;
	status->pr_pgrp = (pid_t)stat.group;
	status->pr_sid = (pid_t)stat.session;
	status->pr_utime = time_of(stat.user_ticks);
	status->pr_stime = time_of(stat.system_ticks);
	status->pr_cutime = time_of(stat.children_user_ticks);
	status->pr_cstime = time_of(stat.children_system_ticks);

	snprintf(name, sizeof name, "task/%d/status", (int)thread->tid);
	if (pm_procfs_read(procfs, name, &text, NULL) < 0)
		return false;

	status->pr_sigpend = pm_status_mask(text, "SigPnd");
	status->pr_sighold = pm_status_mask(text, "SigBlk");
	free(text);

	return true;
}

/**
 * Sets the general registers in NT_PRSTATUS. For a stopped thread, sets all registers and the
 * pending signal. For other threads, sets only the stack pointer and the program counter, if /proc
 * shows them.
 */
static int fill_registers(const struct pm_core_thread *thread, struct elf_prstatus *status,
                          struct pm_error *error)
{
	uint64_t stack_pointer, program_counter;
	size_t size;
	if (thread->stop && pm_stop_thread(thread->stop, thread->index)->reachable) {
		int signal = pm_stop_thread(thread->stop, thread->index)->signal;
		status->pr_cursig = (short)signal;
		status->pr_info.si_signo = signal;
		status->pr_fpvalid = 1;
		return pm_stop_read_registers(thread->stop, thread->index, NT_PRSTATUS,
		                              &status->pr_reg, sizeof status->pr_reg, &size, error);
	}

	if (pm_thread_read_pointers(&thread->process->procfs, thread->tid, &stack_pointer,
	                            &program_counter) == 0)
		set_pointers(&status->pr_reg, stack_pointer, program_counter);

	return 0;
}

int pm_core_status_note_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                              struct pm_error *error)
{
	struct elf_prstatus status;
	memset(&status, 0, sizeof status);
	if (!fill_status(thread, &status))
		return 0;
	if (fill_registers(thread, &status, error) < 0 ||
	    pm_core_note(writer, "CORE", NT_PRSTATUS, &status, sizeof status, error) < 0)
		return -1;
	return 1;
}

int pm_core_register_notes_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                                 struct pm_error *error)
{
	if (!thread->stop || !pm_stop_thread(thread->stop, thread->index)->reachable)
		return 0;

	void *bytes = malloc(REGISTERS_MAX);
	if (!bytes)
		return pm_error_out_of_memory(error);

	int result = 0;
	for (size_t i = 0; i < sizeof register_sets / sizeof *register_sets && result == 0; i++) {
		struct pm_error why = { 0 };
		size_t size;
		if (pm_stop_read_registers(thread->stop, thread->index, register_sets[i].type,
		                           bytes, REGISTERS_MAX, &size, &why) == 0) {
			result = pm_core_note(writer, register_sets[i].name, register_sets[i].type,
			                      bytes, (uint32_t)size, error);
		} else if (why.kind == PM_ERROR_GONE) {
			/* It is an error if the thread was killed. All other failures are
			 * ignored: for example, the processor may not have this register set. */
			if (error)
				*error = why;
			result = -1;
		}
	}

	free(bytes);
	return result;
}

int pm_core_siginfo_note_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                               struct pm_error *error)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);

	if (thread->stop && pm_stop_thread(thread->stop, thread->index)->signal == 0) {
		info.si_signo = SIGSTOP;
		info.si_code = SI_KERNEL;
	} else if (thread->stop &&
	           pm_stop_read_siginfo(thread->stop, thread->index, &info, error) < 0) {
		return -1;
	}

	return pm_core_note(writer, "CORE", NT_SIGINFO, &info, sizeof info, error);
}

#if defined __x86_64__

enum {
	CPUID_XSAVE_LEAF = 0xd,
	/* The first two components, x87 and SSE, have the same offset on all processors. */
	FIRST_EXTENDED_COMPONENT = 2,
	COMPONENTS_MAX = 64,
};

/** A component in NT_X86_XSAVE_LAYOUT, struct x86_xfeat_component in <asm/elf.h> of Linux. */
struct component {
	uint32_t type;   /* number of the bit in XCR0 */
	uint32_t size;   /* in bytes */
	uint32_t offset; /* in NT_X86_XSTATE, in bytes */
	uint32_t flags;  /* 0 */
};

/**
 * Reads the register XCR0: the components that the kernel saves for programs.
 * @return a bit for each component; 0 if the processor or the kernel does not use XSAVE
 */
static uint64_t saved_components(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;

	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return (uint64_t)d << 32 | a;
}

/** Does the same as elf_coredump_extra_notes_write() in arch/x86/kernel/fpu/xstate.c. */
int pm_core_layout_note_write(struct pm_core_writer *writer, struct pm_error *error)
{
	struct component components[COMPONENTS_MAX];
	uint64_t saved = saved_components();
	size_t count = 0;

	for (unsigned i = FIRST_EXTENDED_COMPONENT; i < COMPONENTS_MAX; i++) {
		unsigned size, offset, c, d;
		if (saved >> i & 1 &&
		    __get_cpuid_count(CPUID_XSAVE_LEAF, i, &size, &offset, &c, &d))
			components[count++] = (struct component){ i, size, offset, 0 };
	}

	if (count == 0)
		return 0;

	return pm_core_note(writer, "LINUX", NT_X86_XSAVE_LAYOUT, components,
	                    (uint32_t)(count * sizeof *components), error);
}

#else

int pm_core_layout_note_write(struct pm_core_writer *writer, struct pm_error *error)
{
	(void)writer;
	(void)error;
	return 0;
}

#endif
