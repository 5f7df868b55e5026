/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes that map a file or shared memory, or hold a descriptor of it.
 *
 * One pass through /proc finds the users of any number of files: maps of each process is read once,
 * each descriptor is examined once, and smaps is read only of processes that map one of the files.
 *
 * These users cannot be found: processes of PID namespaces that the caller does not see, those that
 * the mount option hidepid of /proc hides, descriptors that are on their way through a socket
 * (unix(7), SCM_RIGHTS) or are registered in io_uring, and the kernel itself, such as a loop
 * device, swap or the NFS server.
 */
#ifndef PROCMEM_FILE_USERS_H
#define PROCMEM_FILE_USERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of descriptors that are listed for a user of a file; others are counted. */
#define PM_FILE_USER_FDS 8

/** Maximum number of users in a result; others are counted in pm_file_users.left_out. */
#define PM_FILE_USERS_MAX 65536

/** Maximum number of processes without access that a result names; all are counted. */
#define PM_FILE_USERS_REFUSED 8

/** A process that uses a file. */
struct pm_file_user {
	size_t file; /**< index of the file in the list that the caller passed */
	pid_t pid;   /**< process ID */
	/**
	 * Permissions (enum pm_perm) of one of its mappings of the file: of a shared writable one
	 * if there is one, otherwise of a shared one, otherwise of the first. 0 without a mapping
	 */
	unsigned perms;
	uint64_t start_ticks;    /**< start time in clock ticks since boot */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */

	size_t mappings;  /**< number of mappings of the file; 0 if it only holds descriptors */
	uint64_t address; /**< start address of the first mapping; 0 if there is none */
	uint64_t mapped;  /**< size of all mappings in bytes of address space */
	uint64_t rss;     /**< resident bytes of the mappings (Rss) */
	uint64_t pss;     /**< share of these bytes: a page with N mappings counts as 1/N (Pss) */
	uint64_t swap;    /**< swapped bytes (Swap) */
	uint64_t hugetlb; /**< pages of hugetlbfs (Shared_Hugetlb, Private_Hugetlb), not in `rss` */

	size_t fd_count;     /**< number of descriptors of the file */
	size_t fds_writable; /**< number of those that were opened for writing */
	/**
	 * Sum of the file offsets of the descriptors for writing ("pos" of proc_pid_fdinfo(5)). An
	 * offset advances with each write(2); processes that inherited a descriptor share it.
	 */
	uint64_t offsets;
	/**
	 * Bytes that the process has written to any files (wchar of proc_pid_io(5)); only read for
	 * users with a descriptor for writing
	 */
	uint64_t written;
	int fds[PM_FILE_USER_FDS];          /**< the first of its descriptors, ascending */
	bool fd_writable[PM_FILE_USER_FDS]; /**< which of `fds` were opened for writing */
	/**
	 * Whether the access mode of some descriptors is not known, because their fdinfo could not
	 * be read: they are not in `fds_writable`
	 */
	bool fds_doubtful;
	bool written_known; /**< whether `written` is known; it is 0 if not */
	/**
	 * Whether `rss`, `pss`, `swap` and `hugetlb` are known. They are 0 if not: smaps was not
	 * wanted, or could not be read.
	 */
	bool sizes_known;
	/**
	 * Whether the name and the inode number were compared instead of the devices, so that the
	 * file could be another one with the same name and number
	 */
	bool by_name;
};

/** A process whose files may not be read. */
struct pm_file_refused {
	pid_t pid;               /**< process ID */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
	struct pm_error reason;  /**< why access was refused, and what helps */
};

/** The users of files. */
struct pm_file_users {
	/**
	 * The users, by ascending `file`; for each file, those that may write to it come first, and
	 * then the largest `pss` + `hugetlb`; owned
	 */
	struct pm_file_user *items;
	size_t count;      /**< number of users */
	uint64_t left_out; /**< number of users beyond PM_FILE_USERS_MAX */
	/** Number of processes that were read completely. Kernel threads, zombies and the calling
	 * process are not counted. */
	size_t processes;
	/** Number of processes whose mappings or descriptors may not be read: they can be users */
	size_t unreadable;
	/** The first of them by PID */
	struct pm_file_refused refused[PM_FILE_USERS_REFUSED];
	size_t refused_count; /**< number of elements of `refused` */
};

/** What is read. */
struct pm_file_users_options {
	const char *proc_root; /**< directory to use as /proc; NULL means "/proc" */
	bool no_descriptors;   /**< only mappings are of interest */
	/** Sizes are not needed: smaps is not read. Reading it delays page faults of a process. */
	bool no_sizes;
	/** Flag that a signal handler or another thread sets to end the call; NULL if there is none
	 */
	const volatile sig_atomic_t *cancel;
};

/**
 * Tests whether a process may write to the file: it has a writable shared mapping, or a descriptor
 * that was opened for writing. This does not prove that it writes.
 * @param user  the user
 * @return      true or false
 */
static inline bool pm_file_user_may_write(const struct pm_file_user *user)
{
	const unsigned shared_writable = PM_PERM_WRITE | PM_PERM_SHARED;

	return (user->perms & shared_writable) == shared_writable || user->fds_writable > 0;
}

/**
 * Finds the users of files. The calling process is left out.
 *
 * @param files    the files
 * @param count    number of files
 * @param options  what is read; NULL for everything
 * @param users    receives the users; release it with pm_file_users_deinit()
 * @param error    PM_ERROR_IO if the processes cannot be listed, PM_ERROR_RESOURCES,
 *                 PM_ERROR_CANCELLED
 * @return         0 or -1. A process that ends during the call is left out
 */
PM_PUBLIC int pm_file_users_read(const struct pm_file *files, size_t count,
                                 const struct pm_file_users_options *options,
                                 struct pm_file_users *users, struct pm_error *error);

/**
 * Releases the users.
 * @param users  filled by pm_file_users_read(), or zeroed
 */
PM_PUBLIC void pm_file_users_deinit(struct pm_file_users *users);

#ifdef __cplusplus
}
#endif

#endif
