/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The files and the shared memory that a target maps with MAP_SHARED: how they grow, and which
 * process writes to them. Another process can fill them while the target does nothing.
 */
#ifndef CMD_TARGET_SHARED_FILES_H
#define CMD_TARGET_SHARED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/file.h>
#include <procmem/file_users.h>
#include <procmem/process.h>
#include <procmem/region.h>

#include "base/text.h"

/** Maximum number of files, and of processes that can be writers of one file. */
enum { SHARED_FILES_MAX = 16, SHARED_WRITERS_MAX = 8 };

/** A process that can write to a file. */
struct shared_writer {
	pid_t pid;               /**< process ID */
	uint64_t start_ticks;    /**< start time in clock ticks since boot */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
	bool target;             /**< it is the target itself */
	uint64_t offsets;        /**< private: pm_file_user.offsets */
	uint64_t mapped;         /**< private: its resident pages of files and shared memory */
	uint64_t calls;          /**< private: pm_file_user.written */
	bool calls_known;        /**< private: whether `calls` is known */
	/** Bytes by which it can have written to the file: its offsets in the file or, with a
	 * mapping, its resident shared pages, grew by this amount */
	uint64_t written;
	/** Bytes that it can have written through a descriptor without an advance of its offset, as
	 * pwrite(2) does; UINT64_MAX if this is not known */
	uint64_t positioned;
	bool by_offsets; /**< `written` is the advance of its offsets, and it wrote that much */
};

/** A file that the target maps. Sizes are in bytes. */
struct shared_file {
	struct pm_file file;        /**< identity */
	char *name;                 /**< path, or name as in maps; owned */
	uint64_t start;             /**< address of the first mapping */
	uint64_t max;               /**< bytes of the file up to the end of its mappings */
	struct pm_file_state first; /**< sizes at the start */
	struct pm_file_state last;  /**< sizes at the end */
	bool memory;                /**< it is memory: tmpfs, memfd, System V */
	uint64_t used;              /**< filled bytes: allocated memory, or the length of a file */
	double rate;                /**< growth of `used` per second; 0 if it did not grow */
	uint64_t writers_from;      /**< private: `used` when the writers were found first */
	/** Processes other than the target that can write to it, the one that has written most
	 * first; the target only if it has written */
	struct shared_writer writers[SHARED_WRITERS_MAX];
	size_t writer_count; /**< number of `writers` */
};

/** The files. Zeroed before the first use. */
struct shared_files {
	struct shared_file items[SHARED_FILES_MAX]; /**< after the end, the fastest growth first */
	size_t count;                               /**< number of `items` */
	double first_time;                          /**< time of the start, in seconds */
	bool writers_read; /**< private: the writers were found before the end */
	size_t unreadable; /**< processes whose files may not be read: they can be writers */
};

/**
 * Finds the files that a process maps.
 *
 * @param files    zeroed; release with shared_files_deinit()
 * @param process  the process
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES. If the regions of the process may
 *                 not be read, no file is found, and the call succeeds
 * @return         0 or -1
 */
int shared_files_begin(struct shared_files *files, struct pm_process *process,
                       struct pm_error *error);

/**
 * Reads the sizes again. When the first file has grown, finds the processes that can write to the
 * files: reading the mappings and descriptors of all processes would be too expensive if no file
 * grows.
 *
 * @param files    the files
 * @param process  the process
 * @param regions  its regions
 * @param error    PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int shared_files_add(struct shared_files *files, struct pm_process *process,
                     const struct pm_regions *regions, struct pm_error *error);

/**
 * Reads the sizes for the last time, and finds out who has written to the files that grew.
 *
 * @param files    the files
 * @param process  the process
 * @param error    as for shared_files_begin()
 * @return         0 or -1
 */
int shared_files_end(struct shared_files *files, struct pm_process *process,
                     struct pm_error *error);

/**
 * Finds the file that is mapped at an address.
 *
 * @param files    the files
 * @param address  start address of a mapping
 * @return         the file; NULL if there is none
 */
const struct shared_file *shared_files_at(const struct shared_files *files, uint64_t address);

/**
 * Adds who writes to a file: "written by 4712 feeder". If that is not known, adds who can:
 * "4712 feeder, 4713 reader can write to it".
 *
 * @param files  the files
 * @param file   one of them
 * @param text   receives the words
 */
void shared_files_put_writers(const struct shared_files *files, const struct shared_file *file,
                              struct text *text);

/**
 * Tests whether a process has surely written to a file: at least half of the growth is its own.
 * @return true or false
 */
bool shared_files_has_written(const struct shared_file *file, const struct shared_writer *writer);

/**
 * Releases the files.
 * @param files  zeroed afterwards
 */
void shared_files_deinit(struct shared_files *files);

#endif
