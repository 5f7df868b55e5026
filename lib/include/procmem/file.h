/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Identity of a file or of shared memory: how the same file is recognised in several processes.
 *
 * All memory that processes can share has an inode: files, POSIX shared memory (a file in tmpfs),
 * memfd_create(2), System V segments, shared anonymous memory, hugetlbfs. The device and the inode
 * number identify it. The kernel reports the device in two ways: stat(2) returns the one of the
 * file system's choice (st_dev), and maps shows the one of the superblock (proc_pid_maps(5),
 * fs/proc/task_mmu.c). Both are equal, except in btrfs and overlayfs.
 */
#ifndef PROCMEM_FILE_H
#define PROCMEM_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device that is not known. */
#define PM_DEVICE_UNKNOWN UINT64_MAX

/** What a file is. */
enum pm_file_type {
	PM_FILE_REGULAR = 0,      /**< a file on a disk or in the network */
	PM_FILE_TMPFS,            /**< a file in tmpfs, such as shm_open(3) creates: it is memory */
	PM_FILE_MEMFD,            /**< memory of memfd_create(2) */
	PM_FILE_SYSV,             /**< a System V segment, shmget(2) */
	PM_FILE_SHARED_ANONYMOUS, /**< memory of mmap(2) with MAP_SHARED | MAP_ANONYMOUS */
	PM_FILE_HUGETLB,          /**< huge pages: a file in hugetlbfs, or shared anonymous ones */
	PM_FILE_DMA_BUF,          /**< a buffer that devices share, such as memory of a GPU */
	/**
	 * A device, such as /dev/dri/card0. Processes that map the same device need not share
	 * memory: the driver decides what each mapping shows.
	 */
	PM_FILE_DEVICE,
	PM_FILE_KERNEL, /**< an object of the kernel with a mapping, such as a ring of io_uring */
	PM_FILE_TYPE_COUNT, /**< number of types */
};

/** The identity of a file. A zeroed structure is not valid. */
struct pm_file {
	/** Inode number; for PM_FILE_SYSV this is the ID of the segment, which can be 0 */
	uint64_t inode;
	uint64_t device;     /**< st_dev of stat(2); PM_DEVICE_UNKNOWN if it cannot be read */
	uint64_t map_device; /**< makedev(3) of the device in maps; or PM_DEVICE_UNKNOWN */
	/**
	 * Path, which is compared if the devices cannot be compared; owned by the caller of the
	 * functions below, who must keep it as long as the structure. NULL if there is none
	 */
	const char *name;
	enum pm_file_type type; /**< what the file is */
	/**
	 * Inode number of the IPC namespace of a System V segment (namespaces(7)), since the IDs of
	 * segments are unique only within it; 0 if it is not known, and for other types
	 */
	uint64_t ipc_namespace;
};

/** Sizes of a file at one moment. */
struct pm_file_state {
	bool known;         /**< false if the file could not be examined: all other fields are 0 */
	bool deleted;       /**< the file has no name any more (st_nlink is 0) */
	uint64_t length;    /**< st_size in bytes */
	uint64_t allocated; /**< st_blocks in bytes: on disk, or in memory for tmpfs */
};

/**
 * Finds the identity of the file at a path, without opening it. Symbolic links are followed, also
 * those in /proc/PID/fd and /proc/PID/map_files, so that memory without a name can be found, too.
 *
 * @param path   the path; must outlive the identity
 * @param file   receives the identity
 * @param state  receives the sizes; may be NULL
 * @param error  PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS, PM_ERROR_IO; PM_ERROR_USAGE for a directory,
 *               a pipe or a socket, which cannot be mapped
 * @return       0 or -1
 */
PM_PUBLIC int pm_file_from_path(const char *path, struct pm_file *file, struct pm_file_state *state,
                                struct pm_error *error);

/**
 * Finds the identity of the file or shared memory that is mapped in a region.
 *
 * st_dev and the sizes are read through the first of these that is accessible: map_files of the
 * process (needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE), the path of the region in the root
 * directory of the process and in the own one, and a descriptor that the process holds. If none is,
 * they are unknown.
 *
 * @param process  the process
 * @param region   a region of it, as read by pm_maps_read(), which must outlive the identity
 * @param file     receives the identity
 * @param state    receives the sizes; may be NULL
 * @param error    PM_ERROR_USAGE if the region is private memory without a file
 * @return         0 or -1
 */
PM_PUBLIC int pm_file_from_region(struct pm_process *process, const struct pm_region *region,
                                  struct pm_file *file, struct pm_file_state *state,
                                  struct pm_error *error);

/**
 * Tests whether two identities are the same file, as far as this can be known from them.
 *
 * @param one    an identity
 * @param other  another one
 * @return       false also if nothing is known that both have in common
 */
PM_PUBLIC bool pm_file_equal(const struct pm_file *one, const struct pm_file *other);

/**
 * Returns words for a type, such as "System V shared memory".
 * @param type  the type
 * @return      a constant text; "" for invalid values
 */
PM_PUBLIC const char *pm_file_type_words(enum pm_file_type type);

#ifdef __cplusplus
}
#endif

#endif
