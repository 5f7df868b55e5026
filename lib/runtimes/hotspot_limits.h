/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The limits inside a JVM: its flags, and the used part of each limit. Private.
 *
 * Flags are read out of the JVM itself, so limits that it has chosen itself are known, too.
 */
#ifndef PM_RUNTIMES_HOTSPOT_LIMITS_H
#define PM_RUNTIMES_HOTSPOT_LIMITS_H

#include "runtimes/hotspot.h"

/**
 * Adds the limits of a JVM to the result. A limit whose flag cannot be read is left out, and so is
 * MaxMetaspaceSize if it is not set.
 *
 * @param jvm  the JVM; `structs` is not NULL
 */
void pm_hotspot_limits_add(const struct pm_hotspot *jvm);

#endif
