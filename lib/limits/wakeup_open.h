/* SPDX-License-Identifier: MIT */
/** @file How each source of wake-ups is opened. Private. */
#ifndef PM_LIMITS_WAKEUP_OPEN_H
#define PM_LIMITS_WAKEUP_OPEN_H

#include <stdbool.h>

#include <procmem/wakeup.h>

#include "limits/hierarchy.h"

/*
 * All of them return whether this system has such a source; `fd` and `os_errno` tell whether it
 * could be opened. They fill these, `events` and `file`. A source that is open already (`fd` not
 * -1) is told to listen to a further group.
 */

/** Listens to sizes of a v1 group. */
bool pm_wakeup_add_usage(const struct pm_hierarchy *hierarchy, const uint64_t *usage, size_t count,
                         struct pm_wakeup_source *source);

/** Listens to a v1 group that has no memory left. */
bool pm_wakeup_add_oom(const struct pm_hierarchy *hierarchy, struct pm_wakeup_source *source);

/** Listens to memory.events of a v2 group. */
bool pm_wakeup_add_events(const struct pm_hierarchy *hierarchy, struct pm_wakeup_source *source);

/**
 * Listens to a PSI file.
 * @param path of it
 */
bool pm_wakeup_add_pressure(const char *path, struct pm_wakeup_source *source);

#endif
