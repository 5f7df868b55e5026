/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Credentials of processes: users, groups, capabilities, user namespace and others
 * (credentials(7)). They determine which processes may inspect which other processes. Private.
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
	PM_CAP_SYS_ADMIN = 21,
	PM_CAP_SYS_RESOURCE = 24,
};

/** Size of the text that names a namespace, "user:[4026531837]". */
enum { PM_NAMESPACE_TEXT_SIZE = 32 };

/** The real, effective and saved ID of a user or a group. */
struct pm_ids {
	uint32_t real;
	uint32_t effective;
	uint32_t saved;
};

/** The credentials of one process, as read from its directory in /proc. */
struct pm_credentials {
	/** PID of the process; if the directory belongs to a thread, the PID of its process */
	pid_t pid;
	pid_t parent;         /**< PID of the parent, 0 if it is outside of our PID namespace */
	pid_t tracer;         /**< ID of the thread that traces the process; 0 if not traced */
	struct pm_ids users;  /**< user IDs, as seen in our user namespace */
	struct pm_ids groups; /**< group IDs */
	uint64_t permitted;   /**< permitted capabilities, one bit each */
	uint64_t effective;   /**< effective capabilities, one bit each */
	/**
	 * Owner of the files of the process in /proc. If the process is not dumpable, this is the
	 * root user of the user namespace of its memory.
	 */
	uid_t owner;
	uint64_t threads;        /**< number of living threads */
	char state;              /**< state of the first thread as in proc_pid_stat(5) */
	bool kernel_thread;      /**< whether it is a kernel thread */
	bool seccomp;            /**< whether a seccomp filter checks its system calls */
	char name[PM_COMM_SIZE]; /**< command name */
	/** User namespace, "" if it may not be read */
	char namespace_text[PM_NAMESPACE_TEXT_SIZE];
};

/**
 * Reads the credentials of a process.
 *
 * @param proc_root    directory to use as /proc
 * @param directory    name below `proc_root`: a PID, or "self"
 * @param credentials  receives the credentials
 * @return             false if the stat or status file of the process cannot be read
 */
bool pm_credentials_read(const char *proc_root, const char *directory,
                         struct pm_credentials *credentials);

/** Reads the credentials of the process with a PID, as pm_credentials_read() does. */
bool pm_credentials_read_pid(const char *proc_root, pid_t pid, struct pm_credentials *credentials);

/**
 * Reads the name of a namespace of a process.
 *
 * @param proc_root  directory to use as /proc
 * @param directory  name below `proc_root`: a PID, or "self"
 * @param kind       name of the file in ns, such as "user" or "pid"
 * @param text       receives the name, such as "user:[4026531837]"; "" if it may not be read
 * @return           whether the name could be read
 */
bool pm_namespace_read(const char *proc_root, const char *directory, const char *kind,
                       char text[PM_NAMESPACE_TEXT_SIZE]);

/** Tests whether a capability is effective. */
static inline bool pm_credentials_can(const struct pm_credentials *credentials,
                                      enum pm_capability capability)
{
	return (credentials->effective >> (unsigned)capability & 1) != 0;
}

/**
 * Tests whether this process is in the first user namespace, in which capabilities apply to all
 * processes of the machine. The function reads self/uid_map, which maps all IDs to themselves only
 * in that namespace.
 * @param proc_root  directory to use as /proc
 * @return           also true if the file cannot be read, because a kernel without user namespaces
 *                   does not have it
 */
bool pm_credentials_in_first_namespace(const char *proc_root);

#endif
