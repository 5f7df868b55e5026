/* SPDX-License-Identifier: MIT */
/*
 * mapper: one process with one of everything that can be mapped here. Each line `region NAME
 * start-end KEY=VALUE...` is one fact: kind=      what it was made as, in the words of `procmem
 * map` resident=  bytes that were touched, where that is exact name=      name of the mapping as
 * the kernel has it (before escaping), for the rest of the line `unsupported NAME: reason` stands
 * for what this kernel or these rights do not allow.
 */
#include "mapper.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void mapper_unsupported(const char *name)
{
	printf("unsupported %s: %s\n", name, strerror(errno));
}

int main(void)
{
	target_begin();
	printf("pid %d\n", (int)getpid());
	mapper_anonymous();
	mapper_special();
	mapper_shared();
	mapper_files();
	mapper_malloc();
	mapper_threads();

	target_ready();
	target_obey(NULL);
}
