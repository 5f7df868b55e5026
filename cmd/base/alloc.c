/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

void alloc_failed(void)
{
	/* Do not call report_error() here, because it allocates memory. */
	fputs("procmem: out of memory\n", stderr);
	exit(STATUS_ERROR);
}

void *alloc_array(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *array = NULL;

	/* realloc(3) of 0 bytes may return NULL, so an empty array has one byte. */
	if (!__builtin_mul_overflow(count, size, &bytes))
		array = realloc(old, bytes ? bytes : 1);

	if (!array)
		alloc_failed();

	return array;
}

char *alloc_string(const char *string)
{
	size_t size = strlen(string) + 1;
	return memcpy(alloc_array(NULL, size, 1), string, size);
}
