/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Call stacks: a store in which each different stack has a number, and the names of their frames.
 *
 * A stack is a list of code addresses, the innermost first. The addresses of callers are those of
 * the call instructions, that is, return addresses minus 1, so that they belong to the line of the
 * call.
 *
 * Names are found by libdw in another process without privileges, because the files of the target
 * are not trusted (see unwinder.h).
 */
#ifndef PROCMEM_STACKS_H
#define PROCMEM_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of addresses in a stack. Stacks that are longer lose their outermost frames. */
#define PM_STACK_MAX 512

/** Number of a stack that has no frames, because it could not be unwound. */
#define PM_STACK_NONE 0

/** Different stacks, with numbers from 0; opaque. Only one thread at a time may use it. */
struct pm_stacks;

/** Where the name of a frame is from. */
enum pm_frame_source {
	PM_FRAME_UNNAMED, /**< no name was found: only the module, or nothing, is known */
	PM_FRAME_SYMBOL,  /**< symbol table of an ELF file */
	PM_FRAME_INLINED, /**< DWARF: a function that was inlined into the next frame */
	PM_FRAME_JIT,     /**< /tmp/perf-PID.map, written by a runtime */
	PM_FRAME_KERNEL,  /**< a marker, such as of memory that was mapped before the trace */
};

/** A function of a stack. Several frames have the same address if functions were inlined. */
struct pm_frame {
	/** Name of the function, demangled, without arguments; NULL if unknown. May contain any
	 * byte but NUL */
	const char *function;
	const char
		*module;  /**< path of the ELF file as in maps; NULL if the address is in no file */
	const char *file; /**< path of the source file; NULL if unknown */
	unsigned line;    /**< line in the source file; 0 if unknown */
	enum pm_frame_source source; /**< where `function` is from */
	uint64_t address;            /**< address of the code in the process */
	/** Address in the ELF file (as symbols have it); 0 if `module` is NULL */
	uint64_t module_address;
	/** Build ID of the ELF file in hexadecimal digits; NULL if it has none, or is not known */
	const char *build_id;
};

/** The frames of a stack. */
struct pm_stack {
	const struct pm_frame *frames; /**< the innermost first; inlined functions are expanded */
	size_t count;                  /**< number of frames */
	/** Whether the outermost frames are missing: the copy of the stack was too small, or the
	 * unwinder did not find the caller. false if the last frame is _start(), the entry of a
	 * program, which has no caller */
	bool cut;
};

/**
 * Creates a store that contains PM_STACK_NONE.
 * @param stacks  receives the store; release with pm_stacks_close()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_stacks_open(struct pm_stacks **stacks, struct pm_error *error);

/**
 * Releases a store.
 * @param stacks  the store; may be NULL
 */
PM_PUBLIC void pm_stacks_close(struct pm_stacks *stacks);

/**
 * Adds a stack, if the store does not contain it yet.
 *
 * @param stacks     the store
 * @param addresses  code addresses, the innermost first
 * @param count      number of addresses, at most PM_STACK_MAX; 0: PM_STACK_NONE
 * @param cut        whether outermost frames are missing
 * @param number     receives the number of the stack
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_stacks_add(struct pm_stacks *stacks, const uint64_t *addresses, size_t count,
                            bool cut, uint32_t *number, struct pm_error *error);

/**
 * Returns the number of different stacks.
 * @param stacks  the store
 * @return        at least 1
 */
PM_PUBLIC size_t pm_stacks_count(const struct pm_stacks *stacks);

/**
 * Returns the addresses of a stack.
 * @param stacks     the store
 * @param number     number of the stack, less than pm_stacks_count()
 * @param addresses  receives the addresses, valid until the next pm_stacks_add()
 * @param cut        receives whether outermost frames are missing; may be NULL
 * @return           number of addresses
 */
PM_PUBLIC size_t pm_stacks_addresses(const struct pm_stacks *stacks, uint32_t number,
                                     const uint64_t **addresses, bool *cut);

/**
 * Returns the frames of a stack. Frames that pm_unwinder_name() did not name have an address only.
 * @param stacks  the store
 * @param number  number of the stack, less than pm_stacks_count()
 * @param stack   receives the frames, valid until the next pm_stacks_add() or pm_unwinder_name()
 */
PM_PUBLIC void pm_stacks_get(const struct pm_stacks *stacks, uint32_t number,
                             struct pm_stack *stack);

#ifdef __cplusplus
}
#endif

#endif
