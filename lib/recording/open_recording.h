/* SPDX-License-Identifier: MIT */
/** @file What is behind a `struct pm_recording`. Private. */
#ifndef PM_RECORDING_OPEN_RECORDING_H
#define PM_RECORDING_OPEN_RECORDING_H

#include <procmem/recording.h>

#include "recording/database.h"

/** A recording that is read. */
struct pm_recording {
	struct pm_database database; /**< the file */
	struct pm_process_id run;    /**< its process; owns the command */
};

/** Columns of the table of samples that pm_recorded_of_row() reads. */
#define PM_RECORDED_COLUMNS \
	"number, time, wall_ns, fresh, size, rss, anon, file, shmem, swap, pte, threads"

#endif
