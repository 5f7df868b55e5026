/* SPDX-License-Identifier: MIT */
/*
 * secret: four pages of memfd_secret(2), of which the first two are touched. Other processes, also
 * debuggers and root, cannot read them.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

enum { PAGE = 4096, SIZE = 4 * PAGE };

int main(void)
{
	target_begin();

	int fd = (int)syscall(SYS_memfd_secret, 0);
	if (fd < 0) {
		printf("unsupported secret: %m\n");
	} else {
		target_check(ftruncate(fd, SIZE), "ftruncate");
		char *memory = target_map_at_island(SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0,
		                                    0);
		target_fill(memory, 2 * PAGE, "secret");
		target_region("secret", memory, SIZE, "");
	}

	target_ready();
	target_obey(NULL);
}
