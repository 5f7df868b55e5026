/* SPDX-License-Identifier: MIT */
#include <procmem/version.h>

const char *pm_version(void)
{
	return PM_VERSION;
}
