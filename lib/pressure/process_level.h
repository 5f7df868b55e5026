/* SPDX-License-Identifier: MIT */
/** @file The level of a process. Private. */
#ifndef PM_PRESSURE_PROCESS_LEVEL_H
#define PM_PRESSURE_PROCESS_LEVEL_H

#include "pressure/levels.h"

/**
 * Adds the level of a process. If the process has ended, sets `gone` of the levels instead.
 *
 * @param process   the process
 * @param mappings  number of regions at the last reading; 0 before the first one, or if not known.
 * If there are very many, they are not counted again
 * @param levels    receives the level
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_process_level_add(struct pm_process *process, uint64_t *mappings, struct pm_levels *levels,
                         struct pm_error *error);

#endif
