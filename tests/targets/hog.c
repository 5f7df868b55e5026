/* SPDX-License-Identifier: MIT */
/*
 * hog: `eat MEGABYTES` allocates memory and touches it. In a cgroup with a limit this triggers the
 * OOM killer.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int command(const char *line)
{
	if (strncmp(line, "eat ", 4) != 0)
		return 1;
	size_t size = target_number(line + 4) << 20;
	char *memory = target_map(size, PROT_READ | PROT_WRITE, 0);
	memset(memory, 1, size);
	return 0;
}

int main(void)
{
	target_begin();
	target_ready();
	target_obey(command);
}
