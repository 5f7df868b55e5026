/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A copy of the writable memory of a process, taken while all of its threads are stopped, and the
 * registers of the threads.
 *
 * The copy contains the present pages of these regions, whether the process may read them or not:
 * - writable regions, private and shared
 * - private regions that are not writable, if the process has changed pages of them. Examples are
 *   data that is made read-only after relocation, and memory that is protected with PROT_NONE
 * - shared memory that is mapped read-only, but not files on a disk that are
 *
 * Mappings of devices and memory of memfd_secret(2) are not copied.
 *
 * To keep the stop short, everything else is done before the stop: pm_copy_open() reads the
 * regions, decides what is to be copied, and allocates and populates the buffers. pm_copy_take()
 * then stops the process, reads the regions again, copies, and resumes the process. Memory that the
 * process has allocated between the two calls is copied, too, at a lower speed, within the limits
 * of the caller.
 *
 * Swapped pages are copied, because pointers in them count as much as other pointers. Reading a
 * swapped page makes it present in the process. So pm_copy_open() reads the swapped pages once
 * before the stop: the stop then need not wait for the disk. The resident size of the process
 * grows by pm_copy_info.swapped.
 *
 * The buffers are not part of a core dump of the calling process. They are overwritten with zeros
 * before they are released.
 */
#ifndef PROCMEM_COPY_H
#define PROCMEM_COPY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/core.h>
#include <procmem/error.h>
#include <procmem/process.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/region.h>
#include <procmem/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a copy. If all fields are zero, there are no limits. */
struct pm_copy_options {
	/**
	 * Maximum size in bytes of the copy and of the memory that `chunk_bytes` predicts; 0 means
	 * no limit. pm_copy_open() checks the planned copy. pm_copy_take() checks again while it
	 * copies, because the process may have grown
	 */
	uint64_t memory_max;
	/**
	 * Number of bytes that the caller will need for each chunk of malloc; they count towards
	 * `memory_max`. The number of chunks is not known before the copy, so one chunk for each
	 * 128 bytes of the copy is assumed
	 */
	uint32_t chunk_bytes;
	/**
	 * Maximum duration of the stop in nanoseconds; 0 means no limit. If the predicted duration
	 * is longer, pm_copy_take() fails without a stop. It ends a stop that takes twice this
	 * maximum
	 */
	uint64_t stop_max_ns;
	/**
	 * A stop of the process that is in progress. It is used, and is not ended. NULL:
	 * pm_copy_take() stops and resumes the process
	 */
	struct pm_stop *stop;
	/** Cancellation flag: PM_ERROR_CANCELLED when non-zero. NULL if there is none */
	const volatile sig_atomic_t *cancel;
};

/** Facts about a copy. */
struct pm_copy_info {
	/** Present and swapped bytes that pm_copy_open() found. They are to be copied */
	uint64_t planned;
	uint64_t predicted_ns; /**< predicted duration of the stop in nanoseconds */
	/** Bytes that were swapped out when pm_copy_open() read them; contained in `planned` */
	uint64_t swapped;
	uint64_t copied; /**< bytes that were copied, also if pm_copy_take() has failed */
	/**
	 * Bytes that may contain data of the process, and that could not be copied: the kernel did
	 * not let this process read them, or they belong to a device or to memfd_secret(2). For a
	 * core file, devices and memfd_secret(2) are not counted
	 */
	uint64_t unreadable;
	/**
	 * Bytes in pages of shared regions that the process has not touched. They are not read,
	 * because this would allocate memory. They can contain data that was written in another
	 * way, such as with write(2). 0 for a core file
	 */
	uint64_t untouched;
	/**
	 * Bytes of writable regions that a core file does not contain: the file is truncated, or
	 * this memory was left out when the file was written. 0 for a process
	 */
	uint64_t missing;
	/** Bytes that were copied into memory that was not populated before the stop */
	uint64_t late;
	/** Duration of the stop in nanoseconds; 0 for a core file, and with pm_copy_options.stop */
	uint64_t stopped_ns;
	/** Whether the stop was ended because it took more than twice pm_copy_options.stop_max_ns
	 */
	bool ended;
	uint64_t threads; /**< number of threads */
	/**
	 * Number of threads that have a register that was not read and can contain a pointer. Such
	 * a thread was in uninterruptible sleep, the kernel did not let this process read its
	 * registers, or the memory for vector registers was used up. For a core file, only general
	 * registers count
	 */
	uint64_t unread_threads;
};

/** Number of general registers of a thread: struct user_regs_struct of x86-64 (sys/user.h). */
#define PM_COPY_REGISTERS 27

/** A thread at the moment of the stop. */
struct pm_copy_thread {
	pid_t tid;               /**< thread ID */
	char name[PM_COMM_SIZE]; /**< thread name; "" if not known, as in a core file */
	uint64_t stack_pointer;  /**< stack pointer; 0 if not known */
	/** Address of the thread descriptor (fs_base on x86-64); 0 if not known */
	uint64_t thread_pointer;
	/**
	 * Whether `registers` is known. false for a thread in uninterruptible sleep, and on other
	 * machines than x86-64
	 */
	bool registers_known;
	uint64_t registers[PM_COPY_REGISTERS]; /**< in the order of struct user_regs_struct */
	/**
	 * The vector and floating-point registers as words: the XSAVE area (NT_X86_XSTATE), or the
	 * FXSAVE area if the machine has no other. Words that are not part of a register, and words
	 * that cannot be addresses (2^56 and above), are 0. Zeros at the end are left out.
	 * NULL if all words are 0, if the registers are not known, for a thread in a system call,
	 * and for a core file. During a system call, the values of these registers are stale: by
	 * the System V ABI for x86-64, a function does not keep values in them while it calls
	 * another function
	 */
	uint64_t *vectors;
	size_t vector_count; /**< number of words in `vectors` */
	/** Whether registers that can contain pointers were not read; see pm_copy_info */
	bool registers_missing;
};

/** A copy; opaque. Several threads may read from it after pm_copy_take(). */
struct pm_copy;

/**
 * Prepares the copy of a living process. The process is not stopped yet.
 *
 * @param process  the process; must outlive the copy
 * @param options  the limits, or NULL; the structure is copied
 * @param copy     receives the copy; release with pm_copy_close()
 * @param error    PM_ERROR_RESOURCES (the copy would be larger than `memory_max`, or this process
 *                 has no memory), PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NO_MEMORY,
 *                 PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_copy_open(struct pm_process *process, const struct pm_copy_options *options,
                           struct pm_copy **copy, struct pm_error *error);

/**
 * Prepares the copy of the memory in a core file.
 *
 * @param core     the core file; must outlive the copy
 * @param options  the limits, or NULL; `stop_max_ns` is ignored
 * @param copy     receives the copy; release with pm_copy_close()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_copy_open_core(struct pm_core *core, const struct pm_copy_options *options,
                                struct pm_copy **copy, struct pm_error *error);

/**
 * Stops the process, copies its memory and its registers, and resumes the process (but see
 * pm_copy_options.stop). Can be called once. After a failure, the process runs, and the copy can
 * only be closed.
 *
 * @param copy   the copy
 * @param error  PM_ERROR_RESOURCES (the stop would take longer than `stop_max_ns`, or has taken
 *               more than twice as long; the process has grown, so that the copy would be larger
 *               than `memory_max`; or this process has no memory), PM_ERROR_ACCESS,
 *               PM_ERROR_GONE, PM_ERROR_UNSUPPORTED, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
PM_PUBLIC int pm_copy_take(struct pm_copy *copy, struct pm_error *error);

/**
 * Overwrites and releases a copy.
 * @param copy  a copy or NULL
 */
PM_PUBLIC void pm_copy_close(struct pm_copy *copy);

/**
 * Returns facts about a copy. Before pm_copy_take(), only `planned`, `predicted_ns`, `swapped` and
 * `threads` are known.
 * @param copy  the copy
 * @return      the facts, valid as long as the copy
 */
PM_PUBLIC const struct pm_copy_info *pm_copy_info(const struct pm_copy *copy);

/**
 * Returns the regions of the process at the moment of the stop. VmFlags are known only for regions
 * that pm_copy_open() has found.
 * @param copy  the copy, after pm_copy_take()
 * @return      the regions, valid as long as the copy
 */
PM_PUBLIC const struct pm_regions *pm_copy_regions(const struct pm_copy *copy);

/**
 * Returns the threads.
 * @param copy   the copy, after pm_copy_take()
 * @param count  receives the number of threads
 * @return       the threads by ascending TID, valid as long as the copy
 */
PM_PUBLIC const struct pm_copy_thread *pm_copy_threads(const struct pm_copy *copy, size_t *count);

/**
 * Returns a reader for the memory in the copy. Untouched private anonymous memory of a process is
 * zeros, and so are the holes of a sparse core file. All other bytes that are not in the copy are
 * unreadable.
 * @param copy  the copy, after pm_copy_take(); must outlive the reader
 * @return      the reader; it need not be closed
 */
PM_PUBLIC struct pm_reader pm_copy_reader(struct pm_copy *copy);

/**
 * Returns a source of page states. The source reports the pages in the copy as present, and holes
 * of a sparse core file as zero pages.
 * @param copy  the copy, after pm_copy_take(); must outlive the source
 * @return      the source
 */
PM_PUBLIC struct pm_page_source pm_copy_source(struct pm_copy *copy);

/**
 * Returns a pointer to the copied bytes at an address. Where nothing was copied, the bytes are 0.
 *
 * @param copy     the copy, after pm_copy_take()
 * @param address  first address
 * @param size     number of bytes
 * @return         the bytes, valid as long as the copy; NULL if the copy has no buffer for all of
 *                 these addresses
 */
PM_PUBLIC const void *pm_copy_bytes(const struct pm_copy *copy, uint64_t address, uint64_t size);

/**
 * Returns the ranges of addresses whose bytes were copied.
 * @param copy   the copy, after pm_copy_take()
 * @param count  receives the number of ranges
 * @return       the ranges by ascending address, in whole pages, not adjacent; valid as long as the
 *               copy
 */
PM_PUBLIC const struct pm_range *pm_copy_ranges(const struct pm_copy *copy, size_t *count);

/**
 * Returns the guard pages (MADV_GUARD_INSTALL) in the copied regions.
 * @param copy   the copy, after pm_copy_take()
 * @param count  receives the number of ranges
 * @return       the ranges by ascending address; valid as long as the copy
 */
PM_PUBLIC const struct pm_range *pm_copy_guards(const struct pm_copy *copy, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
