/* SPDX-License-Identifier: MIT */
/**
 * @file What decides who may look into a process: its users, groups, capabilities and the like
 * (credentials(7)). Private.
 */
#ifndef PM_PROC_CREDENTIALS_H
#define PM_PROC_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

/** Bits of the capability masks (capabilities(7)). */
enum pm_capability {
	PM_CAP_DAC_OVERRIDE = 1,
	PM_CAP_DAC_READ_SEARCH = 2,
	PM_CAP_SYS_PTRACE = 19,
};

/** Bytes of the text that names a user namespace, "user:[4026531837]". */
enum { PM_NAMESPACE_TEXT_SIZE = 32 };

/** Three IDs of one sort. */
struct pm_ids {
	uint32_t real;
	uint32_t effective;
	uint32_t saved;
};

/** One process, as its directory below the proc root tells. */
struct pm_credentials {
	pid_t pid;            /**< its PID; for a thread that of its process */
	pid_t parent;         /**< PID of its parent, 0 where that is in no PID namespace of ours */
	pid_t tracer;         /**< PID of what traces it, 0 for none */
	struct pm_ids users;  /**< user IDs, as our user namespace has them */
	struct pm_ids groups; /**< group IDs */
	uint64_t permitted;   /**< capabilities that it may use, one bit each */
	uint64_t effective;   /**< capabilities that it uses now */
	uid_t owner;          /**< owner of its files in /proc: a root where it is not dumpable */
	uint64_t threads;     /**< living threads */
	char state;           /**< as in proc_pid_stat(5) */
	bool kernel_thread;   /**< runs in the kernel only */
	bool seccomp;         /**< a seccomp filter checks its system calls */
	char name[PM_COMM_SIZE];                     /**< command name */
	char namespace_text[PM_NAMESPACE_TEXT_SIZE]; /**< its user namespace, "" where we may not
	                                                look into it */
};

/**
 * Reads what one directory tells.
 *
 * @param proc_root    directory that stands for /proc
 * @param directory    name below it: a PID, or "self"
 * @param credentials  filled on success
 * @return             false where its stat or status cannot be read
 */
bool pm_credentials_read(const char *proc_root, const char *directory,
                         struct pm_credentials *credentials);

/** As pm_credentials_read() by number. */
bool pm_credentials_read_pid(const char *proc_root, pid_t pid, struct pm_credentials *credentials);

/** Whether a capability is in force. */
static inline bool pm_credentials_can(const struct pm_credentials *credentials,
                                      enum pm_capability capability)
{
	return (credentials->effective >> (unsigned)capability & 1) != 0;
}

/**
 * Whether we live in the first user namespace, where our capabilities count for every process of
 * the machine. Told by self/uid_map, which maps all IDs onto themselves there only.
 */
bool pm_credentials_in_first_namespace(const char *proc_root);

#endif
