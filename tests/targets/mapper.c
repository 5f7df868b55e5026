/* SPDX-License-Identifier: MIT */
/*
 * mapper: a process with one mapping of each type. Each line `region NAME start-end KEY=VALUE...`
 * is one fact:
 *
 * - kind=: the kind as which it was created, in the words of `procmem map`
 * - resident=: number of touched bytes, if known exactly
 * - name=: name of the mapping in the kernel (before escaping), up to the end of the line
 *
 * `unsupported NAME: reason` means that this kernel or these rights do not permit the mapping.
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
