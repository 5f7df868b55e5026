/* SPDX-License-Identifier: MIT */
/** @file System V shared memory, from /proc/sysvipc/shm (proc_sysvipc(5)). Private. */
#ifndef PM_FILES_SYSV_SEGMENTS_H
#define PM_FILES_SYSV_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A segment. */
struct pm_sysv_segment {
	int32_t key;       /**< key of shmget(2); 0 is IPC_PRIVATE */
	uint64_t id;       /**< identifier (shmid), which is the inode number in maps, too */
	uint64_t size;     /**< size in bytes */
	uint64_t attached; /**< number of attachments */
	uint64_t bytes;    /**< resident and swapped bytes */
};

/**
 * Parses the next line with a segment. The first line, which has the titles, is skipped, as are
 * lines of another format.
 *
 * @param text     the text, which moves past the line; untrusted
 * @param segment  receives the segment
 * @return         false at the end of the text
 */
bool pm_sysv_segments_next(const char **text, struct pm_sysv_segment *segment);

#endif
