/* SPDX-License-Identifier: MIT */
#include "alloc.h"

#include <stdlib.h>

#include "report.h"

void *alloc_array(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *array = NULL;
	if (!__builtin_mul_overflow(count, size, &bytes))
		array = realloc(old, bytes ? bytes : 1);
	if (!array) {
		report_error("out of memory");
		exit(STATUS_ERROR);
	}
	return array;
}
