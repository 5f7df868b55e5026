/* SPDX-License-Identifier: MIT */
#include "base/own_libraries.h"

#ifdef PROCMEM_OWN_LIBRARIES

#include <nss.h>
#include <string.h>
#include <unistd.h>

void own_libraries_start(void)
{
	for (char **variable = environ; *variable; variable++) {
		if (strncmp(*variable, "ld_PRELOAD=", 11) == 0 ||
		    strncmp(*variable, "ld_AUDIT=", 9) == 0)
			memcpy(*variable, "LD_", 3);
	}

	/* Names of users come from /etc/passwd only, which needs no module. */
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("group", "files");
}

#else

void own_libraries_start(void)
{
}

#endif
