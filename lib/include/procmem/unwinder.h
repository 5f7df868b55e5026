/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Unwinding of the stacks of a process, and the names of their functions.
 *
 * A sample is what perf_event_open(2) records with PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER
 * and PERF_SAMPLE_CALLCHAIN: registers, a copy of the top of the stack, and the chain of frame
 * pointers. libdw finds the callers by the unwind tables of the ELF files (.eh_frame,
 * .debug_frame); no frame pointers are needed. Where it finds only one frame, the chain of frame
 * pointers is used.
 *
 * The ELF files of the target are not trusted. A child process of the calling process reads them:
 * it has no capabilities and no access to files, to the network or to other processes (seccomp(2)),
 * and a limit of memory and time. The calling process opens the files for it: by
 * /proc/PID/map_files, else below /proc/PID/root, with the same device and inode as in maps. If the
 * child ends, stacks are PM_STACK_NONE from then on, and pm_unwinder_state() says why.
 *
 * x86-64 only.
 */
#ifndef PROCMEM_UNWINDER_H
#define PROCMEM_UNWINDER_H

#include <signal.h>

#include <procmem/process.h>
#include <procmem/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Registers of a sample, in the order of PERF_REG_X86_* without segment registers. */
enum pm_unwind_register {
	PM_UNWIND_AX,
	PM_UNWIND_BX,
	PM_UNWIND_CX,
	PM_UNWIND_DX,
	PM_UNWIND_SI,
	PM_UNWIND_DI,
	PM_UNWIND_BP,
	PM_UNWIND_SP,
	PM_UNWIND_IP,
	PM_UNWIND_R8,
	PM_UNWIND_R9,
	PM_UNWIND_R10,
	PM_UNWIND_R11,
	PM_UNWIND_R12,
	PM_UNWIND_R13,
	PM_UNWIND_R14,
	PM_UNWIND_R15,
	PM_UNWIND_REGISTERS, /**< number of registers */
};

/** The state of a thread at one moment. */
struct pm_unwind_sample {
	const uint64_t *registers; /**< PM_UNWIND_REGISTERS values */
	const void *stack;         /**< copy of the memory from the stack pointer on */
	size_t stack_size;         /**< bytes of the copy; at most PM_UNWIND_STACK_MAX */
	const uint64_t *chain; /**< addresses by frame pointers, the innermost first; may be NULL */
	size_t chain_count;    /**< number of these addresses */
};

/** Maximum size of a copy of a stack, in bytes. */
#define PM_UNWIND_STACK_MAX 65528

/** An unwinder; opaque. Only one thread at a time may use it. */
struct pm_unwinder;

/** The state of an unwinder. */
struct pm_unwinder_state {
	bool alive;           /**< whether the child process runs */
	char why[256];        /**< if not: the reason */
	uint64_t samples;     /**< samples that were unwound */
	uint64_t unwound_ns;  /**< time of the child for these, in nanoseconds */
	uint64_t cut;         /**< samples whose copy of the stack was too small */
	uint64_t frame_chain; /**< samples for which the chain of frame pointers was used */
};

/**
 * Starts the child process. It exits with the calling process.
 *
 * @param process   the target; must outlive the unwinder
 * @param stacks    receives the stacks; must outlive the unwinder
 * @param cancel    set by a signal handler: then the child process is ended if it does not answer
 *                  within half a second of CPU time, or does not run. NULL if there is none; must
 *                  outlive the unwinder
 * @param unwinder  receives the handle; release with pm_unwinder_close()
 * @param error     PM_ERROR_RESOURCES, PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_UNSUPPORTED (not
 *                  x86-64)
 * @return          0 or -1
 */
PM_PUBLIC int pm_unwinder_open(struct pm_process *process, struct pm_stacks *stacks,
                               const volatile sig_atomic_t *cancel, struct pm_unwinder **unwinder,
                               struct pm_error *error);

/**
 * Replaces the cancel flag of pm_unwinder_open().
 * @param unwinder  the handle
 * @param cancel    the new flag; may be NULL; must outlive the unwinder
 */
PM_PUBLIC void pm_unwinder_set_cancel(struct pm_unwinder *unwinder,
                                      const volatile sig_atomic_t *cancel);

/**
 * Ends the child process.
 * @param unwinder  the handle; may be NULL
 */
PM_PUBLIC void pm_unwinder_close(struct pm_unwinder *unwinder);

/**
 * Unwinds samples, in one message to the child process.
 *
 * @param unwinder  the handle
 * @param samples   the samples
 * @param count     number of samples
 * @param numbers   receives the number of the stack of each sample; PM_STACK_NONE if it has none
 * @param error     PM_ERROR_RESOURCES. The end of the child process is not an error
 * @return          0 or -1
 */
PM_PUBLIC int pm_unwinder_add(struct pm_unwinder *unwinder, const struct pm_unwind_sample *samples,
                              size_t count, uint32_t *numbers, struct pm_error *error);

/**
 * Reads the list of mapped files again, before the next sample: call it after the target has mapped
 * executable memory, or has called exec.
 * @param unwinder  the handle
 * @param exec      whether the target has called exec: then all stacks get their names first
 */
PM_PUBLIC void pm_unwinder_refresh(struct pm_unwinder *unwinder, bool exec);

/**
 * Finds the names of all stacks that have none yet: symbols, inlined functions, and names of
 * generated code from /tmp/perf-PID.map of the target, which is read now.
 *
 * @param unwinder  the handle
 * @param error     PM_ERROR_RESOURCES. The end of the child process is not an error: then only the
 *                  modules are known
 * @return          0 or -1
 */
PM_PUBLIC int pm_unwinder_name(struct pm_unwinder *unwinder, struct pm_error *error);

/**
 * Returns counts, and whether the child process is alive.
 * @param unwinder  the handle
 * @param state     filled
 */
PM_PUBLIC void pm_unwinder_state(const struct pm_unwinder *unwinder,
                                 struct pm_unwinder_state *state);

#ifdef __cplusplus
}
#endif

#endif
