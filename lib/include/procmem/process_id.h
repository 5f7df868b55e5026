/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The identity of a process. It distinguishes the process from all other processes, including later
 * processes with the same PID and processes of other hosts.
 */
#ifndef PROCMEM_PROCESS_ID_H
#define PROCMEM_PROCESS_ID_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Size of a buffer for a boot ID, in bytes, including the NUL. A boot ID is a UUID, which has 36
 * characters.
 */
#define PM_BOOT_ID_SIZE 40
/**
 * Size of a buffer for a host name, in bytes, including the NUL. A host name has at most 64
 * characters (HOST_NAME_MAX).
 */
#define PM_HOST_SIZE    65

/**
 * The identity of a process. It owns its strings; release it with pm_process_id_deinit(). A zeroed
 * identity belongs to no process.
 */
struct pm_process_id {
	pid_t pid; /**< PID */
	/**
	 * The start time in clock ticks since boot. No two processes have the same PID, start time
	 * and boot ID.
	 */
	uint64_t start_ticks;
	char boot_id[PM_BOOT_ID_SIZE]; /**< /proc/sys/kernel/random/boot_id; "" if unknown */
	char host[PM_HOST_SIZE];       /**< host name; "" if unknown */
	char comm[PM_COMM_SIZE];       /**< command name, any bytes */
	char *command;                 /**< command line; owned; NULL only in a zeroed identity */
};

/**
 * Reads the identity of a live process.
 *
 * @param process  the process
 * @param id       filled; release with pm_process_id_deinit()
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_id_read(struct pm_process *process, struct pm_process_id *id,
                                 struct pm_error *error);

/**
 * Copies an identity with its strings.
 *
 * @param from   the original
 * @param copy   filled; release with pm_process_id_deinit()
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_id_copy(const struct pm_process_id *from, struct pm_process_id *copy,
                                 struct pm_error *error);

/**
 * Releases the strings of an identity, and zeroes the identity.
 * @param id an identity, may be zeroed
 */
PM_PUBLIC void pm_process_id_deinit(struct pm_process_id *id);

/**
 * Checks whether two identities are of the same process.
 *
 * @param one    an identity
 * @param other  another identity
 * @return       true if PID, start time and boot ID are the same
 */
PM_PUBLIC bool pm_process_id_equal(const struct pm_process_id *one,
                                   const struct pm_process_id *other);

#ifdef __cplusplus
}
#endif

#endif
