/* SPDX-License-Identifier: MIT */
/* Reads the memory of HotSpot, the JVM of OpenJDK. */
#include "runtimes/readers.h"

int pm_runtime_read_hotspot(struct pm_runtimes_context *context, struct pm_error *error)
{
	(void)context;
	(void)error;
	return 0;
}
