/* SPDX-License-Identifier: MIT */
/** @file An open recording, for the files that read parts of it. */
#ifndef PM_RECORDING_RECORDING_H
#define PM_RECORDING_RECORDING_H

#include <procmem/recording.h>

#include "recording/database.h"

struct pm_recording {
	struct pm_database database; /**< the file */
	struct pm_process_id id;     /**< the process that was recorded */
};

#endif
