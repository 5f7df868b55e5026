/* SPDX-License-Identifier: MIT */
/** @file What is behind a `struct pm_recording`. Private. */
#ifndef PM_RECORDING_OPEN_RECORDING_H
#define PM_RECORDING_OPEN_RECORDING_H

#include <procmem/recording.h>

#include "recording/database.h"

/** A recording that is read. */
struct pm_recording {
	struct pm_database database; /**< the file */
	struct pm_run run;           /**< its process; owns the command */
};

#endif
