/* SPDX-License-Identifier: MIT */
#include "heap/jemalloc.h"

int pm_heap_jemalloc(struct pm_heap_handle *heap, struct pm_error *error)
{
	(void)heap;
	(void)error;
	return 0;
}
