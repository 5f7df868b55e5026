/* SPDX-License-Identifier: MIT */
/*
 * one_byte BYTE MEGABYTES: `region bytes` consists of MEGABYTES of one byte, given as a decimal
 * number: the longest possible hit.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MEGABYTE = 1024 * 1024, ARGUMENTS = 3 };

int main(int argc, char **argv)
{
	target_begin();
	if (argc != ARGUMENTS) {
		fputs("usage: one_byte BYTE MEGABYTES\n", stderr);
		return 2;
	}

	size_t size = target_number(argv[2]) * MEGABYTE;
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 1);
	memset(memory, (int)target_number(argv[1]), size);
	target_region("bytes", memory, size, "");
	target_ready();
	target_obey(NULL);

	return 0;
}
