/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The files in tmpfs: the mounts of tmpfs that a process sees, and their directories by size.
 *
 * Files in tmpfs are memory (tmpfs(5)). A page is charged to the cgroup of the process that touched
 * it first (Documentation/admin-guide/cgroup-v2.rst, "Memory Ownership"), which can be another
 * cgroup than that of the process whose mounts are read. So sums of files can be smaller or larger
 * than the shared memory of a cgroup.
 *
 * Only directories are opened, no other files. Symbolic links are not followed, and other file
 * systems are not entered.
 */
#ifndef PROCMEM_TMPFS_H
#define PROCMEM_TMPFS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of the largest files that are kept, over all mounts. */
#define PM_TMPFS_FILES_KEPT 64

/** Bounds of a walk through all mounts. */
struct pm_tmpfs_options {
	uint64_t entries_max; /**< maximum number of files and directories; 0: 2,000,000 */
	double seconds_max;   /**< maximum time in seconds; 0: 2 s */
	/** Flag that a signal handler or another thread sets to end the walk; NULL if there is none
	 */
	const volatile sig_atomic_t *cancel;
};

/** Which bound ended a walk early. */
enum pm_tmpfs_bound {
	PM_TMPFS_COMPLETE,      /**< none: all directories that may be read were read */
	PM_TMPFS_BOUND_ENTRIES, /**< pm_tmpfs_options.entries_max */
	PM_TMPFS_BOUND_SECONDS, /**< pm_tmpfs_options.seconds_max */
	PM_TMPFS_BOUND_DEPTH,   /**< directories below the 128th level were not read */
};

/**
 * A file system of type tmpfs, or devtmpfs, which is a tmpfs, too. If only parts of it are mounted
 * (bind mounts), each part is an element.
 */
struct pm_tmpfs_mount {
	/**
	 * Mount point as the process sees it, any bytes but NUL; owned. If the file system is
	 * mounted several times, the point that shows the largest part of it.
	 */
	char *point;
	uint64_t device; /**< device, as stat.st_dev of its files */
	/**
	 * Number of further mount points of the same file system, which show nothing else; only set
	 * in the first part
	 */
	size_t others;
	/**
	 * errno of the call that failed if the mount point could not be opened: EXDEV if another
	 * file system is mounted over it, ENOTDIR if it is not a directory, EREMOTE if its path
	 * leads through a file system whose server may not answer. `root` is then
	 * SIZE_MAX, and all numbers are 0. Otherwise 0
	 */
	int cause;
	size_t root; /**< index in pm_tmpfs.folders of its root directory */
	/** Maximum size in bytes (mount option size=, statfs.f_blocks); 0 if there is none */
	uint64_t size_max;
	/**
	 * Used bytes, resident and swapped (statfs(2)). They include files that no directory shows,
	 * because they were deleted and are still open, or are hidden below another mount point. 0
	 * if the file system has no maximum size: then the kernel does not report it.
	 */
	uint64_t used;
	uint64_t inodes_max;  /**< maximum number of inodes (nr_inodes=); 0 if there is none */
	uint64_t inodes_used; /**< used inodes; 0 if there is no maximum */
};

/** A directory in a tmpfs. Files of several names (hard links) are counted once. */
struct pm_tmpfs_folder {
	char *name;    /**< last part of its path, owned; "" for the root of a mount */
	size_t parent; /**< index of the parent directory, less than the own; for a root: its own */
	size_t mount;  /**< index in pm_tmpfs.mounts */
	uint64_t inode; /**< inode number, as stat.st_ino */
	uint64_t files; /**< number of files directly in it, which are not directories */
	uint64_t bytes; /**< bytes allocated for these files (stat.st_blocks), resident and swapped
	                 */
	uint64_t all_files; /**< number of files in it and in all directories below */
	uint64_t all_bytes; /**< bytes allocated for these files */
	/**
	 * errno of the call that failed if the directory could not be listed, or if it could be
	 * listed but its files could not be examined (EACCES without the permission to search);
	 * otherwise 0
	 */
	int cause;
	uint64_t unknown; /**< number of entries whose size could not be read */
	/**
	 * pm_tmpfs.bound ended the walk before all entries directly in it were examined: its
	 * numbers are lower bounds. That of the depth does not set it
	 */
	bool cut;
};

/** A file. */
struct pm_tmpfs_file {
	char *name;     /**< last part of its path, owned */
	size_t folder;  /**< index of its directory */
	uint64_t inode; /**< inode number */
	uint64_t bytes; /**< bytes allocated for it (stat.st_blocks), resident and swapped */
};

/** The files in tmpfs that a process sees. */
struct pm_tmpfs {
	struct pm_tmpfs_mount *mounts; /**< one for each file system; owned */
	size_t mount_count;            /**< number of elements of `mounts` */
	struct pm_tmpfs_folder
		*folders;            /**< the directories; a parent is before its children; owned
	                              */
	size_t folder_count;         /**< number of elements of `folders` */
	struct pm_tmpfs_file *files; /**< the largest files, by descending size; owned */
	size_t file_count;           /**< number of elements of `files` */
	uint64_t all_files;          /**< number of files in all mounts */
	uint64_t all_bytes;          /**< bytes allocated for them */
	/** Number of directories and mounts with a `cause`: their files are missing in the sums. */
	uint64_t unreadable;
	enum pm_tmpfs_bound bound; /**< if not PM_TMPFS_COMPLETE, all sums are lower bounds */
	double time;               /**< when the walk started, in seconds of CLOCK_MONOTONIC */
	double seconds;            /**< duration of the walk in seconds */
};

/**
 * Walks through all tmpfs mounts that a process sees.
 *
 * The mounts are those of /proc/PID/mountinfo, and are opened below /proc/PID/root. If the caller
 * may not use that link, which needs ptrace access, mounts that the calling process sees, too, are
 * opened in its own root directory; other mounts get a `cause`.
 *
 * @param process  the process
 * @param options  the bounds; NULL for the default
 * @param tmpfs    receives the files; release it with pm_tmpfs_deinit()
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_FORMAT,
 *                 PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1; what cannot be read in the file systems is not an error
 */
PM_PUBLIC int pm_tmpfs_read(struct pm_process *process, const struct pm_tmpfs_options *options,
                            struct pm_tmpfs *tmpfs, struct pm_error *error);

/**
 * Returns the path of a directory, or of a file in it, as the process sees it.
 *
 * @param tmpfs   the files
 * @param folder  index of the directory
 * @param name    name of the file; NULL for the path of the directory, which ends with "/"
 * @return        the path, any bytes but NUL, which the caller frees; NULL when out of memory
 */
PM_PUBLIC char *pm_tmpfs_path(const struct pm_tmpfs *tmpfs, size_t folder, const char *name);

/**
 * Releases the files.
 * @param tmpfs  filled by pm_tmpfs_read(), or zeroed
 */
PM_PUBLIC void pm_tmpfs_deinit(struct pm_tmpfs *tmpfs);

#ifdef __cplusplus
}
#endif

#endif
