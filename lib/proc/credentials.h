/* SPDX-License-Identifier: MIT */
/**
 * @file Credentials, which decide who may inspect a process: users, groups, capabilities and the
 * like (credentials(7)). Private.
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

/** Size of the text that names a user namespace, "user:[4026531837]". */
enum { PM_NAMESPACE_TEXT_SIZE = 32 };

/** Three IDs of one sort. */
struct pm_ids {
	uint32_t real;
	uint32_t effective;
	uint32_t saved;
};

/** The credentials of one process, from its directory in /proc. */
struct pm_credentials {
	pid_t pid;               /**< PID; of a thread, the PID of its process */
	pid_t parent;            /**< PID of the parent, 0 if it is outside of our PID namespace */
	pid_t tracer;            /**< PID of the tracer, 0 for none */
	struct pm_ids users;     /**< user IDs, as seen in our user namespace */
	struct pm_ids groups;    /**< group IDs */
	uint64_t permitted;      /**< permitted capabilities, one bit each */
	uint64_t effective;      /**< effective capabilities, one bit each */
	uid_t owner;             /**< owner of the files in /proc: a root if it is not dumpable */
	uint64_t threads;        /**< number of living threads */
	char state;              /**< as in proc_pid_stat(5) */
	bool kernel_thread;      /**< runs in the kernel only */
	bool seccomp;            /**< a seccomp filter checks its system calls */
	char name[PM_COMM_SIZE]; /**< command name */
	char namespace_text[PM_NAMESPACE_TEXT_SIZE]; /**< user namespace, "" if we may not read it
	                                              */
};

/**
 * Reads the credentials of one directory.
 *
 * @param proc_root    directory to use as /proc
 * @param directory    name below `proc_root`: a PID, or "self"
 * @param credentials  filled on success
 * @return             false if its stat or status cannot be read
 */
bool pm_credentials_read(const char *proc_root, const char *directory,
                         struct pm_credentials *credentials);

/** As pm_credentials_read(), for a PID. */
bool pm_credentials_read_pid(const char *proc_root, pid_t pid, struct pm_credentials *credentials);

/** Tests whether a capability is effective. */
static inline bool pm_credentials_can(const struct pm_credentials *credentials,
                                      enum pm_capability capability)
{
	return (credentials->effective >> (unsigned)capability & 1) != 0;
}

/**
 * Tests whether we are in the first user namespace, where our capabilities apply to all processes
 * of the machine. Only there does self/uid_map map all IDs to themselves.
 * @param proc_root  directory to use as /proc
 */
bool pm_credentials_in_first_namespace(const char *proc_root);

#endif
