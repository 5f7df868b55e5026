/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One interface to bytes of a target: a living process, a core file, or memory that a test makes
 * up.
 */
#ifndef PROCMEM_READER_H
#define PROCMEM_READER_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A piece of the target's memory, `[address, address + size)`. */
struct pm_piece {
	uint64_t address; /**< first address */
	uint64_t size;    /**< bytes */
};

/** What a reader can do; callers may write their own. */
struct pm_reader_ops {
	/**
	 * Reads the pieces, one behind the other, into the buffer, as far as it goes.
	 *
	 * @param context  of the reader
	 * @param pieces   what to read
	 * @param count    how many pieces
	 * @param buffer   room for the sum of their sizes
	 * @param done     where to store how many bytes were read; less than the sum means that the
	 * byte behind them is unreadable
	 * @param error    filled when the whole target cannot be read any more (PM_ERROR_GONE), or
	 * with why the next byte is unreadable
	 * @return         0 also for a short read; -1 where the target is gone
	 */
	int (*read)(void *context, const struct pm_piece *pieces, size_t count, void *buffer,
	            size_t *done, struct pm_error *error);
	/**
	 * Releases the context.
	 * @param context of the reader
	 */
	void (*close)(void *context);
};

/**
 * A reader. Each says itself whether several threads may use it; those of this library allow it.
 */
struct pm_reader {
	const struct pm_reader_ops *ops; /**< what it can do */
	void *context;                   /**< handed to each of them */
};

/**
 * Opens the memory of a living process for reading. Nothing is stopped, and nothing is attached to.
 *
 * Bytes come through process_vm_readv(2), and through /proc/PID/mem where the former refuses:
 * regions without read permission, ranges of userfaultfd (where process_vm_readv can block for
 * ever), regions whose VmFlags are not known (read smaps for speed: mem takes twice as long and
 * hurts the target more), and everything once process_vm_readv answered EPERM or ENOSYS.
 *
 * @param process  the process; must outlive the reader
 * @param regions  its regions, used to choose the way for each range; must outlive the reader;
 * NULL: always /proc/PID/mem
 * @param reader   where to store the reader; release with pm_reader_close()
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_target_reader_open(struct pm_process *process, const struct pm_regions *regions,
                                    struct pm_reader *reader, struct pm_error *error);

/**
 * Opens the files behind the mappings of a living process: reads at an address give the bytes of
 * the mapped file (or shared memory) at the offset that is mapped there, without any effect on the
 * target. Meant for pages that the target has not touched; private copies that it made of others
 * are not seen.
 *
 * The file is found through /proc/PID/map_files (which needs CAP_CHECKPOINT_RESTORE or
 * CAP_SYS_ADMIN, and works for deleted files), else by its name below /proc/PID/root, if device and
 * inode are the mapped ones.
 *
 * @param process  the process; must outlive the reader
 * @param regions  its regions; must outlive the reader
 * @param reader   where to store the reader; release with pm_reader_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_file_reader_open(struct pm_process *process, const struct pm_regions *regions,
                                  struct pm_reader *reader, struct pm_error *error);

/**
 * Closes a reader.
 * @param reader a reader, or one whose ops are NULL
 */
PM_PUBLIC void pm_reader_close(struct pm_reader *reader);

/**
 * Reads one piece.
 *
 * @param reader   the reader
 * @param address  first address
 * @param buffer   room for size bytes
 * @param size     how many
 * @param done     where to store how many bytes were read; may be NULL if a short read is to be an
 * error (PM_ERROR_UNREADABLE)
 * @param error    as pm_reader_ops.read
 * @return         0 or -1
 */
PM_PUBLIC int pm_reader_read(struct pm_reader *reader, uint64_t address, void *buffer, size_t size,
                             size_t *done, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
