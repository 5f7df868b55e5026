/* SPDX-License-Identifier: MIT */
/*
 * A program that looks as if mimalloc were linked statically into it: it defines mi_malloc(). It
 * refers to functions of other allocators that it does not define, and has a variable with such a
 * name. Its chunks are those of malloc.
 */
#include "support.h"

#include <stdlib.h>

void *mi_malloc(size_t size);
void *tc_malloc(size_t size) __attribute__((weak));
int (*volatile mallctl)(const char *name, void *old, size_t *length, void *new, size_t new_length);

void *mi_malloc(size_t size)
{
	return tc_malloc ? tc_malloc(size) : malloc(size);
}

static int no_command(const char *line)
{
	(void)line;
	return 1;
}

int main(void)
{
	void *volatile chunk = mi_malloc(100);

	target_check(chunk && !mallctl ? 0 : -1, "mi_malloc");
	target_begin();
	target_ready();
	target_obey(no_command);
}
