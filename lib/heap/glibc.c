/* SPDX-License-Identifier: MIT */
#include "heap/glibc.h"

int pm_heap_glibc(struct pm_heap_handle *heap, struct pm_error *error)
{
	(void)heap;
	(void)error;
	return 0;
}
