/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Shared memory that no directory shows: memfd, deleted files of tmpfs that are still open or
 * mapped, shared anonymous memory and System V segments; and which processes use it, or use the
 * largest files of tmpfs.
 *
 * Objects are found through the processes that use them, in /proc/PID/fd and /proc/PID/maps. No
 * file is opened. Objects that are only on their way between processes, in a message of a socket
 * (SCM_RIGHTS), are not found.
 */
#ifndef PROCMEM_SHARED_OBJECTS_H
#define PROCMEM_SHARED_OBJECTS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/tmpfs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an object is. */
enum pm_shared_kind {
	PM_SHARED_MEMFD,   /**< memfd_create(2) */
	PM_SHARED_ANON,    /**< shared anonymous memory: mmap(2) with MAP_SHARED | MAP_ANONYMOUS */
	PM_SHARED_SYSV,    /**< System V segment: shmget(2) */
	PM_SHARED_DELETED, /**< deleted file of a tmpfs */
	PM_SHARED_FILE,    /**< file of a tmpfs that a directory shows: one of pm_tmpfs.files */
	PM_SHARED_OTHER, /**< another object of the kernel, such as a buffer of a graphics driver */
	PM_SHARED_KINDS, /**< number of kinds */
};

/** Maximum number of users of an object that are kept. */
#define PM_SHARED_USERS_KEPT 6

/** A process that uses an object. */
struct pm_shared_user {
	pid_t pid;               /**< process ID */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
	bool open;               /**< the process has a descriptor of the object */
	bool mapped;             /**< the process maps the object */
};

/** An object. */
struct pm_shared_object {
	enum pm_shared_kind kind; /**< what it is */
	/**
	 * Name, any bytes but NUL, owned: the name of a memfd, the path of a deleted or existing
	 * file, the key of a segment as 0x and eight digits; "" if it has none
	 */
	char *name;
	uint64_t device; /**< device, as stat.st_dev */
	uint64_t inode;  /**< inode number; of a segment: its identifier (shmid) */
	/**
	 * Bytes allocated for it, resident and swapped. If `at_most` is set, the number of bytes
	 * that one process maps instead, because the kernel does not allow to examine the object.
	 */
	uint64_t bytes;
	bool at_most; /**< `bytes` is only an upper bound for one mapping */
	struct pm_shared_user users[PM_SHARED_USERS_KEPT]; /**< the first users */
	size_t user_count; /**< number of users, which can exceed PM_SHARED_USERS_KEPT */
	/**
	 * Of a segment of the own IPC namespace: how often all processes of the machine have
	 * attached it; otherwise 0
	 */
	uint64_t attachments;
	pid_t last_user; /**< private */
};

/** The objects. */
struct pm_shared_objects {
	struct pm_shared_object *items; /**< by descending size; owned */
	size_t count;                   /**< number of elements of `items` */
	/**
	 * Sum of the sizes of all objects, without those of kind PM_SHARED_FILE, and without
	 * segments that only other processes have attached
	 */
	uint64_t bytes;
	size_t processes;  /**< number of processes that were examined */
	size_t unreadable; /**< processes whose descriptors or maps could not be read */
	/**
	 * A bound was reached: 2 s, 200,000 descriptors and mappings, or 20,000 objects. There can
	 * be further objects, and further users.
	 */
	bool incomplete;
	/**
	 * Processes that are in another IPC namespace than the calling process. Their System V
	 * segments are only found if one of the examined processes maps them.
	 */
	size_t other_ipc;
};

/**
 * Finds the objects that processes use, and all System V segments of the IPC namespace of the
 * calling process (/proc/sysvipc/shm shows only these).
 *
 * @param proc_root  directory to use as /proc; NULL means "/proc"
 * @param pids       the processes
 * @param count      number of processes
 * @param tmpfs      the files in tmpfs: users of its largest files are found, too; NULL if only the
 *                   objects without a directory are wanted. Its mounts tell which deleted files
 *                   are in a tmpfs
 * @param cancel     flag that a signal handler or another thread sets; NULL if there is none
 * @param objects    receives the objects; release them with pm_shared_objects_deinit()
 * @param error      PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return           0 or -1; a process that has ended is left out
 */
PM_PUBLIC int pm_shared_objects_read(const char *proc_root, const pid_t *pids, size_t count,
                                     const struct pm_tmpfs *tmpfs,
                                     const volatile sig_atomic_t *cancel,
                                     struct pm_shared_objects *objects, struct pm_error *error);

/**
 * Returns the name of a kind, as in JSON, such as "memfd".
 * @param kind  the kind
 * @return      a constant text
 */
PM_PUBLIC const char *pm_shared_objects_kind(enum pm_shared_kind kind);

/**
 * Releases the objects.
 * @param objects  filled by pm_shared_objects_read(), or zeroed
 */
PM_PUBLIC void pm_shared_objects_deinit(struct pm_shared_objects *objects);

#ifdef __cplusplus
}
#endif

#endif
