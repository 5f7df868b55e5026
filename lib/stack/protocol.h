/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the unwinder and its child process send to each other. Private.
 *
 * Requests of the parent (PM_STACK_MODULES, PM_STACK_UNWIND, PM_STACK_NAME) have their data in the
 * input area of the shared memory, and the child answers PM_STACK_DONE with the results in the
 * output area. Before that, the child can ask for files any number of times (PM_STACK_WANT_*). The
 * parent answers each of these with PM_STACK_FILE, with or without a descriptor.
 *
 * The parent does not trust what the child sends or writes.
 */
#ifndef PM_STACK_PROTOCOL_H
#define PM_STACK_PROTOCOL_H

#include <stdint.h>

#include <procmem/unwinder.h>

#include "symbols/build_id.h"

enum {
	/** Sizes of the areas of the shared memory, in bytes */
	PM_STACK_INPUT_SIZE = 4 << 20,
	PM_STACK_OUTPUT_SIZE = 1 << 20,
	/** Maximum number of samples in a request */
	PM_STACK_BATCH_MAX = 64,
	/** Maximum size in bytes of a name in a message, with the NUL */
	PM_STACK_NAME_SIZE = 256,
	/** Maximum size in bytes of the path of a source file, with the NUL */
	PM_STACK_PATH_SIZE = 4096,
	/** Maximum number of inlined functions at an address */
	PM_STACK_INLINED_MAX = 64,
	/** Seconds after which the kernel kills a child that works on one request */
	PM_STACK_SECONDS_MAX = 60,
};

/** Kinds of messages. */
enum pm_stack_message_kind {
	PM_STACK_READY,   /**< child: it has given up its privileges */
	PM_STACK_MODULES, /**< parent: `count` items of struct pm_stack_module are the mapped files
	                   */
	PM_STACK_UNWIND,  /**< parent: unwind `count` items of struct pm_stack_sample */
	PM_STACK_NAME,    /**< parent: find the names of `count` addresses */
	PM_STACK_DONE,    /**< child: `count` items are done */
	PM_STACK_WANT_FILE,  /**< child: open the file of module `count` */
	PM_STACK_WANT_DEBUG, /**< child: open the debug file of module `count`, by `id` */
	PM_STACK_WANT_LINK,  /**< child: open the debug file of module `count`, `place` of 3, by
	                        `name` */
	PM_STACK_FILE,       /**< parent: the file, or none */
};

/** A message. Fields that a kind does not use are 0. */
struct pm_stack_message {
	uint32_t kind;                 /**< enum pm_stack_message_kind */
	uint32_t count;                /**< as the kind says */
	uint32_t place;                /**< as the kind says */
	uint32_t size;                 /**< PM_STACK_DONE: bytes of the output of PM_STACK_NAME */
	uint64_t ns;                   /**< PM_STACK_DONE: CPU time of the child for this request */
	struct pm_build_id id;         /**< PM_STACK_WANT_DEBUG: the build ID */
	char name[PM_STACK_NAME_SIZE]; /**< PM_STACK_WANT_LINK: .gnu_debuglink of the module */
};

/** A mapped file. */
struct pm_stack_module {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address after the last byte */
	uint32_t number; /**< number of the module; a file that is mapped again gets another one */
	uint32_t vdso;   /**< whether it is the vDSO (vdso(7)), which has no file */
};

/** A sample of a request. */
struct pm_stack_sample {
	uint64_t registers[PM_UNWIND_REGISTERS]; /**< see enum pm_unwind_register */
	uint32_t offset;                         /**< of the copy of the stack, in the input area */
	uint32_t size;                           /**< of the copy, in bytes */
};

/** The stack of a sample. The addresses of sample i begin at slot i of the output. */
struct pm_stack_unwound {
	uint32_t count;                   /**< number of addresses */
	uint32_t cut;                     /**< whether outermost frames are missing */
	uint32_t short_copy;              /**< whether memory after the copy was needed */
	uint32_t padding;                 /**< 0 */
	uint64_t addresses[PM_STACK_MAX]; /**< the innermost first */
};

/** The names of an address, followed by `count` items of struct pm_stack_named_frame. */
struct pm_stack_named {
	uint64_t address;        /**< as in the request */
	uint64_t module_address; /**< address in the ELF file */
	uint32_t count;          /**< number of frames; 0: no function is known */
	uint32_t known;          /**< whether module_address is known */
	struct pm_build_id id;   /**< of the ELF file; size 0: unknown */
};

/** A frame, followed by its texts: the function, then the path of the source file. */
struct pm_stack_named_frame {
	uint32_t function_size; /**< bytes with the NUL; 0: unknown */
	uint32_t file_size;     /**< bytes with the NUL; 0: unknown */
	uint32_t line;          /**< line in the source file; 0: unknown */
	uint32_t source;        /**< enum pm_frame_source */
};

/** The shared memory. */
struct pm_stack_area {
	char input[PM_STACK_INPUT_SIZE];   /**< written by the parent */
	char output[PM_STACK_OUTPUT_SIZE]; /**< written by the child */
};

#endif
